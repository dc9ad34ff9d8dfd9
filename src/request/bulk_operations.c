/*
 * bulk_operations.c
 *	  StartBulkPutItems, DescribeBulkOperation, ListBulkOperations and
 *	  CancelBulkOperation.
 *
 * An operation whose worker was lost goes on when it is described.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "utils/acl.h"

#include "errors.h"
#include "request/job_request.h"
#include "request/model.h"
#include "request/params.h"
#include "request/table_params.h"
#include "security/settings_owner.h"
#include "transfer/export_tree.h"
#include "transfer/zstd_input.h"

/* The time for which a ClientToken counts. */
#define TOKEN_TIME	(8 * USECS_PER_HOUR)

#define DEFAULT_PAGE	10

static const char *const bulk_formats[] = {"DYNAMODB_JSON", "ION", NULL};
static const char *const bulk_compressions[] = {"GZIP", "ZSTD", "NONE", NULL};
static const char *const bulk_outputs[] = {"ERROR", "CONDITION_CHECK_FAILURE", NULL};
static const char *const bulk_sse_algorithms[] = {"AES256", "KMS", NULL};
static const char *const performance_tiers[] = {"STANDARD", "ACCELERATED", NULL};
static const Shape bulk_format = ENUM(bulk_formats);
static const Shape bulk_compression = ENUM(bulk_compressions);
static const Shape bulk_output = ENUM(bulk_outputs);
static const Shape bulk_output_types = {.kind = SHAPE_LIST, .min = 1, .max = 2, .element = &bulk_output};
static const Shape bulk_sse_algorithm = ENUM(bulk_sse_algorithms);
static const Shape performance_tier = ENUM(performance_tiers);
static const Shape max_units = {.kind = SHAPE_LONG, .min = 1024};

static const Member bulk_input_members[] = {
	REQUIRED("S3Bucket", model_bucket),
	REQUIRED("InputFormat", bulk_format),
	MEMBER("InputCompressionType", bulk_compression),
	MEMBER("S3KeyPrefix", model_object_prefix),
	MEMBER("S3BucketOwner", model_string),
};
static const Member bulk_output_members[] = {
	REQUIRED("OutputType", bulk_output_types),
	MEMBER("S3Bucket", model_bucket),
	MEMBER("S3KeyPrefix", model_object_prefix),
	MEMBER("S3BucketOwner", model_string),
	MEMBER("S3SseAlgorithm", bulk_sse_algorithm),
	MEMBER("S3SseKmsKeyId", model_string),
};
static const Shape bulk_input_place = STRUCTURE("InputS3Configuration", bulk_input_members);
static const Shape bulk_output_place = STRUCTURE("OutputS3Configuration", bulk_output_members);
static const Member start_bulk_members[] = {
	REQUIRED("TableName", model_defined_table),
	REQUIRED("InputS3Configuration", bulk_input_place),
	REQUIRED("OutputS3Configuration", bulk_output_place),
	MEMBER("ClientToken", model_string),
	MEMBER("MaxWriteRequestUnits", max_units),
	MEMBER("PerformanceTier", performance_tier),
};
static const Shape start_bulk_input = STRUCTURE("StartBulkPutItemsInput", start_bulk_members);

/* ---- the job ---- */

static void
CheckBulkFormat(const Field *from, const Field *to)
{
	if (FieldIs(from, "InputFormat", "ION"))
		InvalidRequest("Invalid Request: InputFormat ION is not supported");
	if (FieldIs(from, "InputCompressionType", "ZSTD") && !ZstdIsBuilt())
		InvalidRequest("Invalid Request: InputCompressionType ZSTD is not supported, because the extension is built without libzstd");
	if (FieldIs(to, "S3SseAlgorithm", "KMS"))
		InvalidRequest("Invalid Request: S3SseAlgorithm KMS is not supported");
	RefuseMember(to, "S3SseKmsKeyId");
	if (FieldMember(to, "S3Bucket") == NULL)
		InvalidRequest("Invalid Request: OutputS3Configuration must have an S3Bucket");
}

static char *
OutputCategories(const Field *types)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < types->count; i++)
	{
		if (types->fields[i] != NULL)
			appendStringInfo(&out, "%.*s,", (int) types->fields[i]->string.len, types->fields[i]->string.data);
	}
	return out.data;
}

/* The operation that this request has begun before; NULL if there is none. */
static Job *
FindRepeatedBulk(const Request *request)
{
	const char *token = FieldString(request->input, "ClientToken");
	Job		   *job = token != NULL ? JobFindByToken(JOB_BULK, token) : NULL;

	if (job == NULL || job->started < SettingsTime() - TOKEN_TIME)
		return NULL;
	if (!JobHasInput(job, request))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_IDEMPOTENT_MISMATCH),
				 errmsg("The bulk operation with this client token has other parameters")));
	return job;
}

static void
CheckNotInUse(const OpenedTable *table)
{
	if (table->def->restoring || JobThatLoads(table->def) != NULL || TableIsChanging(table))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_IN_USE),
				 errmsg("Attempt to change a resource which is still in use: Table is being created, or one of its indexes: %s",
						table->name)));
}

static Job *
BeginBulk(const Request *request)
{
	const Field *input = request->input;
	const Field *from = FieldMember(input, "InputS3Configuration");
	const Field *to = FieldMember(input, "OutputS3Configuration");
	OpenedTable table;
	Job			place = {0};
	Job		   *job;

	TableOpen(&table, FieldTableName(input), AccessShareLock);
	job = JobOfRequest(request, JOB_BULK, &table);
	CheckNotInUse(&table);
	JobSetPlace(&place, to, "S3KeyPrefix");
	JobSetPlace(job, from, "S3KeyPrefix");
	job->output_bucket = place.bucket;
	job->output_prefix = place.prefix;
	job->outputs = OutputCategories(FieldMember(to, "OutputType"));
	job->compression = FieldMember(from, "InputCompressionType") != NULL ? FieldName(from, "InputCompressionType") : "NONE";
	job->units = FieldInteger(input, "MaxWriteRequestUnits", 0);
	JobSetToken(job, input);
	JobStart(job);
	TableClose(&table);
	return job;
}

/* ---- the answer ---- */

static const char *
BulkStatusName(const Job *job)
{
	if (JobHasStatus(job, JOB_CANCELLING))
		return "CANCELLING";
	if (JobHasStatus(job, JOB_CANCELLED))
		return "CANCELLED";
	if (JobHasStatus(job, JOB_COMPLETED))
		return job->errors > 0 ? "COMPLETED_WITH_ERRORS" : "COMPLETED";
	return JobHasStatus(job, JOB_FAILED) ? "FAILED" : "IN_PROGRESS";
}

static void
WriterBulkUsage(Writer *out, const Job *job)
{
	WriterName(out, "BulkOperationUsage");
	WriterBeginList(out);
	WriterBeginObject(out);
	WriterStringMember(out, "TableName", job->table_name);
	WriterIntegerMember(out, "BulkPutBytes", job->put_bytes);
	WriterName(out, "Table");
	WriterBeginObject(out);
	WriterIntegerMember(out, "BulkPutBytes", job->put_bytes);
	WriterEndObject(out);
	WriterEndObject(out);
	WriterEndList(out);
}

static void
WriterBulkResult(Writer *out, const Job *job)
{
	bool		ended = !JobIsUnfinished(job);

	WriterTimeMember(out, "EndTime", ended ? job->ended : 0);
	WriterIntegerMember(out, "ProcessedItemCount", job->processed);
	WriterIntegerMember(out, "ProcessedInputBytes", job->bytes);
	if (ended || job->expected > 0)
		WriterIntegerMember(out, "TotalInputBytes", job->expected);
	WriterBulkUsage(out, job);
	WriterIntegerMember(out, "FailedItemCount", job->errors);
	if (ended && job->failure_code != NULL)
	{
		WriterStringMember(out, "FailureCode", job->failure_code);
		WriterStringMember(out, "FailureMessage", job->failure_message);
	}
}

static void
WriterBulk(Writer *out, const Job *job)
{
	const Field *input = JobInput(job, &start_bulk_input);

	WriterName(out, "BulkOperationDescription");
	WriterBeginObject(out);
	WriterStringMember(out, "BulkOperationArn", job->arn);
	WriterStringMember(out, "BulkOperationStatus", BulkStatusName(job));
	WriterName(out, "TableDetails");
	WriterBeginList(out);
	WriterBeginObject(out);
	WriterStringMember(out, "TableName", job->table_name);
	WriterStringMember(out, "TableId", job->table_id);
	WriterEndObject(out);
	WriterEndList(out);
	WriterStringMember(out, "ClientToken", job->token);
	WriterGivenMember(out, input, "InputS3Configuration");
	WriterGivenMember(out, input, "OutputS3Configuration");
	WriterTimeMember(out, "StartTime", job->started);
	WriterBulkResult(out, job);
	WriterGivenMember(out, input, "MaxWriteRequestUnits");
	WriterStringMember(out, "PerformanceTier",
					   FieldIs(input, "PerformanceTier", "ACCELERATED") ? "ACCELERATED" : "STANDARD");
	WriterEndObject(out);
}

/* ---- operations ---- */

static void
StartBulkPutItemsRequest(Request *request)
{
	Job		   *job;

	CheckBulkFormat(FieldMember(request->input, "InputS3Configuration"),
					FieldMember(request->input, "OutputS3Configuration"));
	job = FindRepeatedBulk(request);
	WriterBulk(request->out, job != NULL ? job : BeginBulk(request));
}

OPERATION(StartBulkPutItems, &start_bulk_input, StartBulkPutItemsRequest, .on_coordinator = true);

static const Member bulk_arn_members[] = {
	REQUIRED("BulkOperationArn", model_part_arn),
};
static const Shape describe_bulk_input = STRUCTURE("DescribeBulkOperationInput", bulk_arn_members);
static const Shape cancel_bulk_input = STRUCTURE("CancelBulkOperationInput", bulk_arn_members);

static Job *
FindBulk(const Field *input)
{
	const char *arn = FieldString(input, "BulkOperationArn");
	char	   *id = JobIdOfArn(arn, JOB_BULK);
	Job		   *job = id != NULL ? JobFind(JOB_BULK, id) : NULL;

	if (job == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: Bulk operation: %s not found", arn)));
	return job;
}

/* Only who has the rights of the job's owner finds it. */
static void
GoOnIfLost(const Job *job)
{
	Problem		problem = NO_PROBLEM;

	if (JobIsUnfinished(job) && !RecoveryInProgress() && !XactReadOnly && !InSecurityRestrictedOperation() &&
		JobHasLostWorker(job) && JobHasRoom(job, &problem))
		JobLaunchAtCommit(job);
}

static void
DescribeBulkOperationRequest(Request *request)
{
	const Job  *job = FindBulk(request->input);

	GoOnIfLost(job);
	WriterBulk(request->out, job);
}

OPERATION(DescribeBulkOperation, &describe_bulk_input, DescribeBulkOperationRequest, .on_coordinator = true);

static void
CancelBulkOperationRequest(Request *request)
{
	Job		   *job = FindBulk(request->input);

	if (JobIsUnfinished(job))
	{
		PreventCommandIfReadOnly("CancelBulkOperation");
		JobCancel(job->id);
		job->status = JOB_CANCELLING;
		GoOnIfLost(job);
	}
	WriterStringMember(request->out, "BulkOperationArn", job->arn);
	WriterStringMember(request->out, "BulkOperationStatus", BulkStatusName(job));
}

OPERATION(CancelBulkOperation, &cancel_bulk_input, CancelBulkOperationRequest, .on_coordinator = true);

/* ---- the list ---- */

/* A token is the id of the last operation of a page, in hexadecimal digits. */
static bool
IsBulkToken(Slice text)
{
	for (uint32 i = 0; i < text.len; i++)
	{
		if (strchr("0123456789abcdef", text.data[i]) == NULL || text.data[i] == '\0')
			return false;
	}
	return text.len > 0 && text.len % 16 == 0;
}

static char *
TokenOfId(const char *id)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i <= TREE_ID_LENGTH; i++)
		appendStringInfo(&out, "%02x", (unsigned char) id[i]);
	return out.data;
}

static const Pattern bulk_token_pattern = {"([0-9a-f]{16})+", IsBulkToken};
static const Shape bulk_token = {.kind = SHAPE_STRING, .min = 1, .max = 1024, .pattern = &bulk_token_pattern};
static const Member list_bulk_members[] = {
	MEMBER("MaxResults", model_page_of_25),
	MEMBER("NextToken", bulk_token),
};
static const Shape list_bulk_input = STRUCTURE("ListBulkOperationsInput", list_bulk_members);

static void
WriterBulkSummary(Writer *out, const Job *job)
{
	WriterBeginObject(out);
	WriterStringMember(out, "BulkOperationArn", job->arn);
	WriterStringMember(out, "BulkOperationStatus", BulkStatusName(job));
	WriterTimeMember(out, "StartTime", job->started);
	WriterTimeMember(out, "EndTime", JobIsUnfinished(job) ? 0 : job->ended);
	WriterEndObject(out);
}

static void
ListBulkOperationsRequest(Request *request)
{
	const char *after = FieldString(request->input, "NextToken");
	int64		room = FieldInteger(request->input, "MaxResults", DEFAULT_PAGE);
	const Job  *last = NULL;
	ListCell   *cell;

	if (after != NULL && strlen(after) != 2 * (TREE_ID_LENGTH + 1))
		InvalidRequest(WORDING_INVALID_TOKEN);
	WriterName(request->out, "BulkOperationsSummaryList");
	WriterBeginList(request->out);
	foreach(cell, JobList(JOB_BULK, NULL))
	{
		const Job  *job = lfirst(cell);

		/* the last ones first */
		if (after != NULL && strcmp(TokenOfId(job->id), after) >= 0)
			continue;
		if (room-- == 0)
			break;
		WriterBulkSummary(request->out, job);
		last = job;
	}
	WriterEndList(request->out);
	if (room < 0)
		WriterStringMember(request->out, "NextToken", TokenOfId(last->id));
}

OPERATION(ListBulkOperations, &list_bulk_input, ListBulkOperationsRequest, .on_coordinator = true);
