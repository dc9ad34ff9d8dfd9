/*
 * model_archive.c
 *	  Inputs of exports, imports and backups.
 *
 * The requests of jobs are stored, and read again to describe the jobs.
 */
#include "postgres.h"

#include "request/model.h"

static const char *const backup_types[] = {"USER", "SYSTEM", "AWS_BACKUP", "ALL", NULL};
static const char *const export_formats[] = {"DYNAMODB_JSON", "ION", NULL};
static const char *const export_types[] = {"FULL_EXPORT", "INCREMENTAL_EXPORT", NULL};
static const char *const sse_algorithms[] = {"AES256", "KMS", NULL};
static const char *const input_formats[] = {"DYNAMODB_JSON", "ION", "CSV", NULL};
static const char *const compressions[] = {"GZIP", "ZSTD", "NONE", NULL};

static const Shape backup_type = ENUM(backup_types);
static const Shape export_format = ENUM(export_formats);
static const Shape export_type = ENUM(export_types);
static const Shape sse_algorithm = ENUM(sse_algorithms);
static const Shape input_format = ENUM(input_formats);
static const Shape compression = ENUM(compressions);

static const Shape page_of_25 = {.kind = SHAPE_INTEGER, .min = 1, .max = 25};
static const Shape page_of_100 = {.kind = SHAPE_INTEGER, .min = 1, .max = 100};
static const Shape bucket = {.kind = SHAPE_STRING, .max = 255};
static const Shape prefix = {.kind = SHAPE_STRING, .max = 1024};
static const Shape any_time = {.kind = SHAPE_LONG};

/* An ARN of something below a table. */
static const Shape part_arn = {.kind = SHAPE_STRING, .min = 37, .max = MAX_ARN};

/* ---- exports ---- */

/* Refused as a whole. */
static const Shape incremental = {.kind = SHAPE_STRUCTURE, .name = "IncrementalExportSpecification"};
static const Shape export_filter = {.kind = SHAPE_STRUCTURE, .name = "FilterSpecification"};

static const Member export_members[] = {
	REQUIRED("TableArn", model_resource_arn),
	REQUIRED("S3Bucket", bucket),
	MEMBER("ExportTime", any_time),
	MEMBER("ClientToken", model_string),
	MEMBER("S3BucketOwner", model_string),
	MEMBER("S3Prefix", prefix),
	MEMBER("S3SseAlgorithm", sse_algorithm),
	MEMBER("S3SseKmsKeyId", model_string),
	MEMBER("ExportFormat", export_format),
	MEMBER("ExportType", export_type),
	MEMBER("IncrementalExportSpecification", incremental),
	MEMBER("FilterSpecification", export_filter),
};
const Shape model_export_table = STRUCTURE("ExportTableToPointInTimeInput", export_members);

static const Member export_arn_members[] = {
	REQUIRED("ExportArn", part_arn),
};
const Shape model_describe_export = STRUCTURE("DescribeExportInput", export_arn_members);

static const Member list_exports_members[] = {
	MEMBER("TableArn", model_table_name),
	MEMBER("MaxResults", page_of_25),
	MEMBER("NextToken", model_string),
};
const Shape model_list_exports = STRUCTURE("ListExportsInput", list_exports_members);

/* ---- imports ---- */

static const Member source_members[] = {
	MEMBER("S3BucketOwner", model_string),
	REQUIRED("S3Bucket", bucket),
	MEMBER("S3KeyPrefix", prefix),
};
static const Shape source = STRUCTURE("S3BucketSource", source_members);

static const Shape delimiter = {.kind = SHAPE_STRING, .min = 1, .max = 1};
static const Shape header_name = {.kind = SHAPE_STRING, .min = 1, .max = 65536};
static const Shape header_list = {.kind = SHAPE_LIST, .min = 1, .max = 255, .element = &header_name};
static const Member csv_members[] = {
	MEMBER("Delimiter", delimiter),
	MEMBER("HeaderList", header_list),
};
static const Shape csv = STRUCTURE("CsvOptions", csv_members);
static const Member format_options_members[] = {
	MEMBER("Csv", csv),
};
static const Shape format_options = STRUCTURE("InputFormatOptions", format_options_members);

static const Member import_members[] = {
	MEMBER("ClientToken", model_string),
	REQUIRED("S3BucketSource", source),
	REQUIRED("InputFormat", input_format),
	MEMBER("InputFormatOptions", format_options),
	MEMBER("InputCompressionType", compression),
	REQUIRED("TableCreationParameters", model_table_creation),
};
const Shape model_import_table = STRUCTURE("ImportTableInput", import_members);

static const Member import_arn_members[] = {
	REQUIRED("ImportArn", part_arn),
};
const Shape model_describe_import = STRUCTURE("DescribeImportInput", import_arn_members);

static const Member list_imports_members[] = {
	MEMBER("TableArn", model_table_name),
	MEMBER("PageSize", page_of_25),
	MEMBER("NextToken", model_string),
};
const Shape model_list_imports = STRUCTURE("ListImportsInput", list_imports_members);

/* ---- backups ---- */

static const Member create_backup_members[] = {
	REQUIRED("TableName", model_defined_table),
	REQUIRED("BackupName", model_new_name),
};
const Shape model_create_backup = STRUCTURE("CreateBackupInput", create_backup_members);

static const Member backup_arn_members[] = {
	REQUIRED("BackupArn", part_arn),
};
const Shape model_describe_backup = STRUCTURE("DescribeBackupInput", backup_arn_members);
const Shape model_delete_backup = STRUCTURE("DeleteBackupInput", backup_arn_members);

static const Member list_backups_members[] = {
	MEMBER("TableName", model_defined_table),
	MEMBER("Limit", page_of_100),
	MEMBER("TimeRangeLowerBound", any_time),
	MEMBER("TimeRangeUpperBound", any_time),
	MEMBER("ExclusiveStartBackupArn", part_arn),
	MEMBER("BackupType", backup_type),
};
const Shape model_list_backups = STRUCTURE("ListBackupsInput", list_backups_members);

/* Only its text matters. */
static const Shape features = {.kind = SHAPE_STRUCTURE, .name = "SourceTableFeatureDetails"};

static const Shape partition_count = {.kind = SHAPE_INTEGER, .min = 1};
static const Member parts_members[] = {
	MEMBER("partitions", partition_count),
};
static const Shape parts = STRUCTURE("Parts", parts_members);

static const Member details_members[] = {
	REQUIRED("Creation", model_table_creation),
	MEMBER("TableCreationDateTime", any_time),
	REQUIRED("SourceTableFeatureDetails", features),
	MEMBER("Parts", parts),
};
const Shape model_backup_details = STRUCTURE("BackupDetails", details_members);
