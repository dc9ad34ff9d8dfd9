/*
 * operations.c
 *	  The table of operations.
 */
#include "postgres.h"

#include "errors.h"
#include "request/model.h"
#include "request/operation.h"

#define TARGET_PREFIX "DynamoDB_20120810."
#define STREAMS_PREFIX "DynamoDBStreams_20120810."

static const Operation operations[] = {
	{"BatchExecuteStatement", &model_batch_execute_statement, BatchExecuteStatementRequest},
	{"BatchGetItem", &model_batch_get_item, BatchGetItemRequest},
	{"BatchWriteItem", &model_batch_write_item, BatchWriteItemRequest},
	{"CreateBackup", &model_create_backup, CreateBackupRequest, .on_coordinator = true},
	{"CreateTable", &model_create_table, CreateTableRequest, .changes = "TableName"},
	{"DeleteBackup", &model_delete_backup, DeleteBackupRequest, .on_coordinator = true},
	{"DeleteItem", &model_delete_item, DeleteItemRequest, .item = "Key"},
	{"DeleteResourcePolicy", &model_delete_policy, DeleteResourcePolicyRequest},
	{"DeleteTable", &model_delete_table, DeleteTableRequest, .changes = "TableName"},
	{"DescribeBackup", &model_describe_backup, DescribeBackupRequest, .on_coordinator = true},
	{"DescribeContinuousBackups", &model_describe_recovery, DescribeContinuousBackupsRequest, .on_coordinator = true},
	{"DescribeContributorInsights", &model_describe_insights, DescribeContributorInsightsRequest},
	{"DescribeEndpoints", &model_describe_endpoints, DescribeEndpointsRequest},
	{"DescribeExport", &model_describe_export, DescribeExportRequest, .on_coordinator = true},
	{"DescribeGlobalTable", &model_describe_global_table, DescribeGlobalTableRequest},
	{"DescribeImport", &model_describe_import, DescribeImportRequest, .on_coordinator = true},
	{"DescribeKinesisStreamingDestination", &model_describe_kinesis, DescribeKinesisRequest},
	{"DescribeLimits", &model_describe_limits, DescribeLimitsRequest},
	{"DescribeStream", &model_describe_stream, DescribeStreamRequest, true, .on_coordinator = true},
	{"DescribeTable", &model_describe_table, DescribeTableRequest, .on_coordinator = true},
	{"DescribeTableReplicaAutoScaling", &model_describe_auto_scaling, DescribeAutoScalingRequest},
	{"DescribeTimeToLive", &model_describe_ttl, DescribeTimeToLiveRequest, .on_coordinator = true},
	{"DisableKinesisStreamingDestination", &model_disable_kinesis, DisableKinesisRequest},
	{"ExecuteStatement", &model_execute_statement, ExecuteStatementRequest},
	{"ExecuteTransaction", &model_execute_transaction, ExecuteTransactionRequest, .on_coordinator = true},
	{"ExportTableToPointInTime", &model_export_table, ExportTableRequest, .on_coordinator = true},
	{"GetItem", &model_get_item, GetItemRequest, .item = "Key"},
	{"GetRecords", &model_get_records, GetRecordsRequest, true, .on_coordinator = true},
	{"GetResourcePolicy", &model_get_policy, GetResourcePolicyRequest},
	{"GetShardIterator", &model_get_shard_iterator, GetShardIteratorRequest, true, .on_coordinator = true},
	{"ImportTable", &model_import_table, ImportTableRequest, .on_coordinator = true},
	{"ListBackups", &model_list_backups, ListBackupsRequest, .on_coordinator = true},
	{"ListContributorInsights", &model_list_insights, ListContributorInsightsRequest},
	{"ListExports", &model_list_exports, ListExportsRequest, .on_coordinator = true},
	{"ListGlobalTables", &model_list_global_tables, ListGlobalTablesRequest},
	{"ListImports", &model_list_imports, ListImportsRequest, .on_coordinator = true},
	{"ListStreams", &model_list_streams, ListStreamsRequest, true, .on_coordinator = true},
	{"ListTables", &model_list_tables, ListTablesRequest, .on_coordinator = true},
	{"ListTagsOfResource", &model_list_tags, ListTagsRequest, .on_coordinator = true},
	{"PutItem", &model_put_item, PutItemRequest, .item = "Item"},
	{"Query", &model_query, QueryRequest, .condition = "KeyConditionExpression"},
	{"RestoreTableFromBackup", &model_restore_table, RestoreTableRequest, .changes = "TargetTableName", .on_coordinator = true},
	{"Scan", &model_scan, ScanRequest},
	{"SearchVectors", &model_search_vectors, SearchVectorsRequest},
	{"TagResource", &model_tag_resource, TagResourceRequest, .empty = true, .changes = "ResourceArn"},
	{"TransactGetItems", &model_transact_get_items, TransactGetItemsRequest},
	{"TransactWriteItems", &model_transact_write_items, TransactWriteItemsRequest, .on_coordinator = true},
	{"UntagResource", &model_untag_resource, UntagResourceRequest, .empty = true, .changes = "ResourceArn"},
	{"UpdateContinuousBackups", &model_update_recovery, UpdateContinuousBackupsRequest, .changes = "TableName"},
	{"UpdateContributorInsights", &model_update_insights, UpdateContributorInsightsRequest},
	{"UpdateItem", &model_update_item, UpdateItemRequest, .item = "Key"},
	{"UpdateTable", &model_update_table, UpdateTableRequest, .changes = "TableName"},
	{"UpdateTimeToLive", &model_update_ttl, UpdateTimeToLiveRequest, .changes = "TableName"},
};

static Slice
SkipPrefix(Slice name, const char *text)
{
	Slice		prefix = SliceOf(text);

	if (!SliceBeginsWith(name, prefix))
		return name;
	return (Slice) {name.data + prefix.len, name.len - prefix.len};
}

int
OperationNumber(const Operation *operation)
{
	return operation != NULL ? (int) (operation - operations) + 1 : 0;
}

const char *
OperationName(int number)
{
	Assert(number >= 0 && number <= (int) lengthof(operations));
	return number == 0 ? "unknown" : operations[number - 1].name;
}

#define MAX_SHOWN_NAME	64

/*
 * Returns the beginning of an unknown operation's name, without bytes that no
 * name contains.
 */
static char *
PrintableName(Slice name)
{
	uint32		len = Min(name.len, MAX_SHOWN_NAME);
	char	   *shown = pnstrdup(name.data, len);

	for (uint32 i = 0; i < len; i++)
	{
		if (shown[i] <= ' ' || shown[i] > '~')
			shown[i] = '?';
	}
	return shown;
}

const Operation *
OperationFind(Slice name)
{
	Slice		of_items = SkipPrefix(name, TARGET_PREFIX);
	Slice		of_streams = SkipPrefix(name, STREAMS_PREFIX);

	for (size_t i = 0; i < lengthof(operations); i++)
	{
		const Operation *operation = &operations[i];
		Slice		given = operation->of_streams ? of_streams : of_items;

		/*
		 * the first letter excludes most operations and is cheaper than a call
		 */
		if (given.len > 0 && given.data[0] == operation->name[0] &&
			SliceIs(given, operation->name))
			return operation;
	}
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_UNKNOWN_OPERATION),
			 name.len == 0 ? errmsg("The request names no operation.") :
			 errmsg("The operation %s is not supported.", PrintableName(name)),
			 errhint("Names of operations are case-sensitive, such as GetItem.")));
}
