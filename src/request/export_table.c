/*
 * export_table.c
 *	  ExportTableToPointInTime, DescribeExport and ListExports.
 *
 * Full exports have the items as they are when the worker starts.  Incremental ones have the
 * changes between two times (archive/archive_changes.h).
 */
#include "postgres.h"

#include "archive/archive_changes.h"
#include "datatype/timestamp.h"
#include "utils/rel.h"

#include "errors.h"
#include "request/job_request.h"
#include "request/model.h"
#include "request/params.h"
#include "request/recovery.h"
#include "request/table_params.h"
#include "security/settings_owner.h"
#include "table/table_name.h"
#include "transfer/export_tree.h"

/* How far ExportTime may lie in the past. */
#define NEAR_SECONDS	300

static const char *const export_formats[] = {"DYNAMODB_JSON", "ION", NULL};
static const char *const export_types[] = {"FULL_EXPORT", "INCREMENTAL_EXPORT", NULL};
static const char *const sse_algorithms[] = {"AES256", "KMS", NULL};

static const Shape export_format = ENUM(export_formats);
static const Shape export_type = ENUM(export_types);
static const Shape sse_algorithm = ENUM(sse_algorithms);

static const char *const export_views[] = {IMAGES_NEW, IMAGES_BOTH, NULL};
static const Shape export_view = ENUM(export_views);

static const Member incremental_members[] = {
	MEMBER("ExportFromTime", model_any_long),
	MEMBER("ExportToTime", model_any_long),
	MEMBER("ExportViewType", export_view),
};
static const Shape incremental = STRUCTURE("IncrementalExportSpecification", incremental_members);

static const Member filter_members[] = {
	MEMBER("FilterExpression", model_string),
	MEMBER("ProjectionExpression", model_string),
	MEMBER("KeyConditionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
	MEMBER("ExpressionAttributeValues", model_value_map),
};
static const Shape export_filter = STRUCTURE("FilterSpecification", filter_members);

static const Member export_members[] = {
	REQUIRED("TableArn", model_resource_arn),
	REQUIRED("S3Bucket", model_bucket),
	MEMBER("ExportTime", model_any_long),
	MEMBER("ClientToken", model_string),
	MEMBER("S3BucketOwner", model_string),
	MEMBER("S3Prefix", model_object_prefix),
	MEMBER("S3SseAlgorithm", sse_algorithm),
	MEMBER("S3SseKmsKeyId", model_string),
	MEMBER("ExportFormat", export_format),
	MEMBER("ExportType", export_type),
	MEMBER("IncrementalExportSpecification", incremental),
	MEMBER("FilterSpecification", export_filter),
};
static const Shape export_table_input = STRUCTURE("ExportTableToPointInTimeInput", export_members);

/* ---- checks ---- */

static void
CheckExportFormat(const Field *input)
{
	if (FieldIs(input, "ExportFormat", "ION"))
		InvalidRequest("Invalid Request: ExportFormat ION is not supported");
	if (FieldIs(input, "S3SseAlgorithm", "KMS"))
		InvalidRequest("Invalid Request: S3SseAlgorithm KMS is not supported");
	RefuseMember(input, "S3SseKmsKeyId");
}

static bool
IsIncremental(const Field *input)
{
	return FieldIs(input, "ExportType", "INCREMENTAL_EXPORT");
}

/* Members that belong to the other type of exports, or that a type needs. */
static void
CheckExportType(const Field *input)
{
	const Field *incremental_export = FieldMember(input, "IncrementalExportSpecification");

	if (!IsIncremental(input))
	{
		if (incremental_export != NULL)
			InvalidRequest("Invalid Request: IncrementalExportSpecification can only be provided with ExportType INCREMENTAL_EXPORT");
		return;
	}
	if (incremental_export == NULL || FieldMember(incremental_export, "ExportFromTime") == NULL)
		InvalidRequest("Invalid Request: ExportFromTime must be provided in IncrementalExportSpecification");
	if (FieldMember(input, "ExportTime") != NULL)
		InvalidRequest("Invalid Request: ExportTime cannot be provided with ExportType INCREMENTAL_EXPORT");
	if (FieldMember(input, "FilterSpecification") != NULL)
		InvalidRequest("Invalid Request: FilterSpecification is not supported with ExportType INCREMENTAL_EXPORT");
}

static void
CheckExportTime(const Field *input)
{
	int64		now = SettingsTime() / USECS_PER_SEC;
	int64		time = FieldInteger(input, "ExportTime", now);

	if (time < now - NEAR_SECONDS || time > now)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_INVALID_EXPORT_TIME),
				 errmsg("ExportTime must be within the last %d seconds, because a table is exported as it is now",
						NEAR_SECONDS)));
}

/* Manifests tell times to a millisecond. */
static int64
WholeMilliseconds(int64 time)
{
	return time - time % 1000;
}

/*
 * Sets from when until when a job exports changes.  Clients know times to a second, so the second
 * of the earliest time means that time.
 */
static void
SetChanges(Job *job, const OpenedTable *table, const Field *given)
{
	RecoveryWindow window = RecoveryWindowOf(table);
	const char *view = FieldString(given, "ExportViewType");
	int64		from = WholeMilliseconds(FieldMicroseconds(given, "ExportFromTime", 0));
	int64		to = WholeMilliseconds(FieldMicroseconds(given, "ExportToTime", window.latest));

	CheckChangesAreRecorded(table->rel);
	if (from < window.earliest && from / USECS_PER_SEC == window.earliest / USECS_PER_SEC)
		from = WholeMilliseconds(window.earliest + 999);
	if (from < window.earliest || to > window.latest || from >= to || !window.recorded)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_INVALID_EXPORT_TIME),
				 errmsg("ExportFromTime must be before ExportToTime, and both must be between EarliestRestorableDateTime %.3f "
						"and LatestRestorableDateTime %.3f of the table",
						(double) window.earliest / USECS_PER_SEC, (double) window.latest / USECS_PER_SEC)));
	job->since = from;
	job->moment = to;
	job->images = pstrdup(view != NULL ? view : IMAGES_BOTH);
}

/* The table must be named by its ARN. */
static void
OpenExported(OpenedTable *table, const Field *input)
{
	const char *arn = FieldString(input, "TableArn");
	const char *name;

	if (strncmp(arn, "arn:", 4) != 0)
		InvalidRequest("Invalid TableArn: Invalid Table ARN");
	name = TableNameOf(FieldSlice(input, "TableArn"));
	if (!TableExists(name))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_TABLE_NOT_FOUND),
				 errmsg("Table not found: %s", arn)));
	TableOpen(table, name, AccessShareLock);
}

/* ---- the answer ---- */

static void
WriterExportTime(Writer *out, const Job *job, const Field *input)
{
	if (job->since != 0)
		WriterGivenMember(out, input, "IncrementalExportSpecification");
	else if (FieldMember(input, "ExportTime") != NULL)
		WriterGivenMember(out, input, "ExportTime");
	else
		WriterTimeMember(out, "ExportTime", job->started);
}

static char *
ManifestKey(const Job *job)
{
	return psprintf("%s" TREE_TOP "/%s/manifest-summary.json", PrefixAsPath(job->prefix), job->id);
}

static void
WriterExportResult(Writer *out, const Job *job)
{
	if (JobIsUnfinished(job))
		return;
	WriterTimeMember(out, "EndTime", job->ended);
	if (JobHasStatus(job, JOB_COMPLETED))
	{
		WriterStringMember(out, "ExportManifest", ManifestKey(job));
		WriterIntegerMember(out, "BilledSizeBytes", job->bytes);
		WriterIntegerMember(out, "ItemCount", job->items);
	}
	WriterFailure(out, job);
}

static void
WriterExport(Writer *out, const Job *job)
{
	const Field *input = JobInput(job, &export_table_input);

	WriterName(out, "ExportDescription");
	WriterBeginObject(out);
	WriterStringMember(out, "ExportArn", job->arn);
	WriterStringMember(out, "ExportStatus", JobStatusName(job));
	WriterTimeMember(out, "StartTime", job->started);
	WriterStringMember(out, "TableArn", job->table_arn);
	WriterStringMember(out, "TableId", job->table_id);
	WriterExportTime(out, job, input);
	WriterStringMember(out, "ClientToken", job->token);
	WriterStringMember(out, "S3Bucket", job->bucket);
	WriterGivenMember(out, input, "S3BucketOwner");
	WriterGivenMember(out, input, "S3Prefix");
	WriterStringMember(out, "S3SseAlgorithm", "AES256");
	WriterStringMember(out, "ExportFormat", "DYNAMODB_JSON");
	WriterGivenMember(out, input, "FilterSpecification");
	WriterExportResult(out, job);
	WriterEndObject(out);
}

/* ---- operations ---- */

/* The export that this request has begun before; NULL if there is none. */
static Job *
FindRepeatedExport(const Request *request)
{
	const char *token = FieldString(request->input, "ClientToken");
	Job		   *job = token != NULL ? JobFindByToken(JOB_EXPORT, token) : NULL;

	if (job != NULL && !JobHasInput(job, request))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_EXPORT_CONFLICT),
				 errmsg("Export conflict: Duplicate request detected with conflicting parameters")));
	return job;
}

/*
 * Sets the filter of a job.  A page of one item raises what Query or Scan would say of
 * the expressions.
 */
static void
SetFilter(Job *job, const OpenedTable *table, const Field *filter)
{
	ReadOp		op = {.forward = true, .consistent = true, .shard = -1};
	ReadPageResult page;

	if (filter == NULL)
		return;
	op.start = MISSING_VALUE;
	op.shard_value = MISSING_VALUE;
	op.key_condition = FieldExpr(filter, "KeyConditionExpression");
	op.filter = FieldExpr(filter, "FilterExpression");
	op.projection = FieldExpr(filter, "ProjectionExpression");
	op.query = op.key_condition.given;
	FieldExprArgs(filter, op.query ? &query_params : &scan_params, &op.args);
	op.table_name = TableNameOfOid(RelationGetRelid(table->rel));
	ReadPage(&op, 1, &page);
	job->filter = pnstrdup(filter->text.data, filter->text.len);
}

static Job *
BeginExportJob(const Request *request)
{
	const Field *input = request->input;
	OpenedTable table;
	Job		   *job;

	OpenExported(&table, input);
	job = JobOfRequest(request, JOB_EXPORT, &table);
	CheckRecovery(&table);
	if (IsIncremental(input))
		SetChanges(job, &table, FieldMember(input, "IncrementalExportSpecification"));
	else
		CheckExportTime(input);
	SetFilter(job, &table, FieldMember(input, "FilterSpecification"));
	JobSetPlace(job, input, "S3Prefix");
	JobSetToken(job, input);
	JobStart(job);
	TableClose(&table);
	return job;
}

static void
ExportTableRequest(Request *request)
{
	Job		   *job;

	CheckExportFormat(request->input);
	CheckExportType(request->input);
	job = FindRepeatedExport(request);
	WriterExport(request->out, job != NULL ? job : BeginExportJob(request));
}

OPERATION(ExportTableToPointInTime, &export_table_input, ExportTableRequest, .on_coordinator = true);

static const Member export_arn_members[] = {
	REQUIRED("ExportArn", model_part_arn),
};
static const Shape describe_export_input = STRUCTURE("DescribeExportInput", export_arn_members);

static void
DescribeExportRequest(Request *request)
{
	const char *arn = FieldString(request->input, "ExportArn");
	char	   *id = JobIdOfArn(arn, JOB_EXPORT);
	Job		   *job;

	if (id == NULL)
		InvalidRequest("Invalid Export ARN");
	job = JobFind(JOB_EXPORT, id);
	if (job == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_EXPORT_NOT_FOUND),
				 errmsg("Export not found: %s", arn)));
	WriterExport(request->out, job);
}

OPERATION(DescribeExport, &describe_export_input, DescribeExportRequest, .on_coordinator = true);

static void
WriterExportSummary(Writer *out, const Job *job)
{
	WriterStringMember(out, "ExportArn", job->arn);
	WriterStringMember(out, "ExportStatus", JobStatusName(job));
	WriterStringMember(out, "ExportType", job->since != 0 ? "INCREMENTAL_EXPORT" : "FULL_EXPORT");
}

static const Member list_exports_members[] = {
	MEMBER("TableArn", model_table_name),
	MEMBER("MaxResults", model_page_of_25),
	MEMBER("NextToken", model_string),
};
static const Shape list_exports_input = STRUCTURE("ListExportsInput", list_exports_members);

static void
ListExportsRequest(Request *request)
{
	const JobPage page = {JOB_EXPORT, "MaxResults", "ExportSummaries", WriterExportSummary};

	ListJobs(request, &page);
}

OPERATION(ListExports, &list_exports_input, ListExportsRequest, .on_coordinator = true);
