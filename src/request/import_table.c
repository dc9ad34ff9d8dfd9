/*
 * import_table.c
 *	  ImportTable, DescribeImport and ListImports.
 *
 * The table exists when the request ends; DescribeTable returns CREATING until
 * the worker has imported the items.
 */
#include "postgres.h"

#include "errors.h"
#include "request/create_table.h"
#include "request/job_request.h"
#include "request/model.h"
#include "request/table_params.h"
#include "transfer/zstd_input.h"
#include "worker/api.h"

static const Member source_members[] = {
	MEMBER("S3BucketOwner", model_string),
	REQUIRED("S3Bucket", model_bucket),
	MEMBER("S3KeyPrefix", model_object_prefix),
};
static const Shape bucket_source = STRUCTURE("S3BucketSource", source_members);

static const Shape csv_delimiter = {.kind = SHAPE_STRING, .min = 1, .max = 1};
static const Shape header_name = {.kind = SHAPE_STRING, .min = 1, .max = 65536};
static const Shape header_list = {.kind = SHAPE_LIST, .min = 1, .max = 255, .element = &header_name};
static const Member csv_members[] = {
	MEMBER("Delimiter", csv_delimiter),
	MEMBER("HeaderList", header_list),
};
static const Shape csv_options = STRUCTURE("CsvOptions", csv_members);
static const Member format_options_members[] = {
	MEMBER("Csv", csv_options),
};
static const Shape format_options = STRUCTURE("InputFormatOptions", format_options_members);

static const char *const input_formats[] = {"DYNAMODB_JSON", "ION", "CSV", NULL};
static const char *const compressions[] = {"GZIP", "ZSTD", "NONE", NULL};
static const Shape input_format = ENUM(input_formats);
static const Shape compression_type = ENUM(compressions);

static const Member import_members[] = {
	MEMBER("ClientToken", model_string),
	REQUIRED("S3BucketSource", bucket_source),
	REQUIRED("InputFormat", input_format),
	MEMBER("InputFormatOptions", format_options),
	MEMBER("InputCompressionType", compression_type),
	REQUIRED("TableCreationParameters", model_table_creation),
};
static const Shape import_table_input = STRUCTURE("ImportTableInput", import_members);

/* ---- checks ---- */

static const Field *
CsvOptions(const Field *input)
{
	const Field *options = FieldMember(input, "InputFormatOptions");

	return options != NULL ? FieldMember(options, "Csv") : NULL;
}

static void
CheckDelimiter(const Field *csv)
{
	const char *delimiter = FieldString(csv, "Delimiter");

	if (delimiter != NULL && strchr(",;:|\t ", delimiter[0]) == NULL)
		InvalidRequest("Invalid Request: the CSV Delimiter is a comma, semicolon, colon, pipe, tab or space");
}

static void
CheckImportFormat(const Field *input)
{
	const Field *csv = CsvOptions(input);

	if (FieldIs(input, "InputFormat", "ION"))
		InvalidRequest("Invalid Request: InputFormat ION is not supported");
	if (FieldIs(input, "InputCompressionType", "ZSTD") && !ZstdIsBuilt())
		InvalidRequest("Invalid Request: InputCompressionType ZSTD is not supported, because the extension is built without libzstd");
	if (csv == NULL)
		return;
	if (!FieldIs(input, "InputFormat", "CSV"))
		InvalidRequest("Invalid Request: Unsupported InputFormatOptions for the given input format: %s.",
					   FieldString(input, "InputFormat"));
	CheckDelimiter(csv);
}

/* ---- the job ---- */

/* The names of a header, each followed by a newline; NULL if there are none. */
static char *
HeaderText(const Field *csv)
{
	const Field *list = FieldMember(csv, "HeaderList");
	StringInfoData out;

	if (list == NULL)
		return NULL;
	initStringInfo(&out);
	for (int i = 0; i < list->count; i++)
	{
		Slice		name = list->fields[i] != NULL ? list->fields[i]->string : (Slice) {"", 0};

		if (name.len == 0 || memchr(name.data, '\n', name.len) != NULL || memchr(name.data, '\0', name.len) != NULL)
			InvalidRequest("Invalid Request: a name in HeaderList is empty or has a line break");
		appendBinaryStringInfo(&out, name.data, (int) name.len);
		appendStringInfoChar(&out, '\n');
	}
	return out.data;
}

static void
SetSource(Job *job, const Field *input)
{
	const Field *csv = CsvOptions(input);

	JobSetPlace(job, FieldMember(input, "S3BucketSource"), "S3KeyPrefix");
	job->format = FieldName(input, "InputFormat");
	job->compression = FieldMember(input, "InputCompressionType") != NULL ?
		FieldName(input, "InputCompressionType") : "NONE";
	if (csv == NULL)
		return;
	if (FieldMember(csv, "Delimiter") != NULL)
		job->delimiter = FieldName(csv, "Delimiter");
	job->header = HeaderText(csv);
}

static Job *
BeginImport(const Request *request)
{
	const Field *input = request->input;
	const char *name;
	OpenedTable table;
	Job		   *job;

	(void) ArchiveDirectory();	/* before anything is created */
	name = CreateTableFrom(FieldMember(input, "TableCreationParameters"), 0);
	DistributeNewTable(name);
	TableOpen(&table, name, AccessShareLock);
	job = JobOfRequest(request, JOB_IMPORT, &table);
	SetSource(job, input);
	JobSetToken(job, input);
	JobStart(job);
	TableClose(&table);
	return job;
}

/* ---- the answer ---- */

static void
WriterImportResult(Writer *out, const Job *job)
{
	if (JobIsUnfinished(job))
		return;
	WriterTimeMember(out, "EndTime", job->ended);
	WriterIntegerMember(out, "ProcessedSizeBytes", job->bytes);
	WriterIntegerMember(out, "ProcessedItemCount", job->processed);
	WriterIntegerMember(out, "ImportedItemCount", job->items);
	WriterFailure(out, job);
}

static void
WriterSource(Writer *out, const Job *job, const Field *input)
{
	WriterName(out, "S3BucketSource");
	WriterBeginObject(out);
	WriterStringMember(out, "S3BucketOwner", request_account);
	WriterStringMember(out, "S3Bucket", job->bucket);
	WriterGivenMember(out, FieldMember(input, "S3BucketSource"), "S3KeyPrefix");
	WriterEndObject(out);
}

static void
WriterImport(Writer *out, const Job *job)
{
	const Field *input = JobInput(job, &import_table_input);

	WriterName(out, "ImportTableDescription");
	WriterBeginObject(out);
	WriterStringMember(out, "ImportArn", job->arn);
	WriterStringMember(out, "ImportStatus", JobStatusName(job));
	WriterStringMember(out, "TableArn", job->table_arn);
	WriterStringMember(out, "TableId", job->table_id);
	WriterStringMember(out, "ClientToken", job->token);
	WriterSource(out, job, input);
	WriterIntegerMember(out, "ErrorCount", job->errors);
	WriterGivenMember(out, input, "InputFormat");
	WriterGivenMember(out, input, "InputFormatOptions");
	WriterStringMember(out, "InputCompressionType", job->compression);
	WriterGivenMember(out, input, "TableCreationParameters");
	WriterTimeMember(out, "StartTime", job->started);
	WriterImportResult(out, job);
	WriterEndObject(out);
}

/* ---- operations ---- */

/* The import that this request has begun before, and that is not complete; or NULL. */
static Job *
FindRepeatedImport(const Field *input)
{
	const char *token = FieldString(input, "ClientToken");
	Job		   *job = token != NULL ? JobFindByToken(JOB_IMPORT, token) : NULL;
	const char *name = FieldString(FieldMember(input, "TableCreationParameters"), "TableName");

	if (job == NULL || !JobIsUnfinished(job))
		return NULL;
	if (strcmp(job->table_name, name) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_IMPORT_CONFLICT),
				 errmsg("Import conflict: Duplicate request detected with conflicting parameters")));
	return job;
}

static void
ImportTableRequest(Request *request)
{
	Job		   *job;

	CheckImportFormat(request->input);
	job = FindRepeatedImport(request->input);
	WriterImport(request->out, job != NULL ? job : BeginImport(request));
}

OPERATION(ImportTable, &import_table_input, ImportTableRequest, .on_coordinator = true);

static const Member import_arn_members[] = {
	REQUIRED("ImportArn", model_part_arn),
};
static const Shape describe_import_input = STRUCTURE("DescribeImportInput", import_arn_members);

static void
DescribeImportRequest(Request *request)
{
	const char *arn = FieldString(request->input, "ImportArn");
	char	   *id = JobIdOfArn(arn, JOB_IMPORT);
	Job		   *job = id != NULL ? JobFind(JOB_IMPORT, id) : NULL;

	if (job == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_IMPORT_NOT_FOUND),
				 errmsg("Import not found: %s", arn)));
	WriterImport(request->out, job);
}

OPERATION(DescribeImport, &describe_import_input, DescribeImportRequest, .on_coordinator = true);

static void
WriterImportSummary(Writer *out, const Job *job)
{
	const Field *input = JobInput(job, &import_table_input);

	WriterStringMember(out, "ImportArn", job->arn);
	WriterStringMember(out, "ImportStatus", JobStatusName(job));
	WriterStringMember(out, "TableArn", job->table_arn);
	WriterSource(out, job, input);
	WriterGivenMember(out, input, "InputFormat");
	WriterTimeMember(out, "StartTime", job->started);
	WriterTimeMember(out, "EndTime", job->ended);
}

static const Member list_imports_members[] = {
	MEMBER("TableArn", model_table_name),
	MEMBER("PageSize", model_page_of_25),
	MEMBER("NextToken", model_string),
};
static const Shape list_imports_input = STRUCTURE("ListImportsInput", list_imports_members);

static void
ListImportsRequest(Request *request)
{
	const JobPage page = {JOB_IMPORT, "PageSize", "ImportSummaryList", WriterImportSummary};

	ListJobs(request, &page);
}

OPERATION(ListImports, &list_imports_input, ListImportsRequest, .on_coordinator = true);
