/*
 * operations.c
 *	  The list of operations.
 */
#include "postgres.h"

#include "errors.h"
#include "request/operation.h"

#define TARGET_PREFIX "DynamoDB_20120810."
#define STREAMS_PREFIX "DynamoDBStreams_20120810."

/*
 * All operations, in the order of their names.  The position of one is its
 * number in statistics.
 */
#define ALL_OPERATIONS(X) \
	X(BatchExecuteStatement) \
	X(BatchGetItem) \
	X(BatchWriteItem) \
	X(CancelBulkOperation) \
	X(CreateBackup) \
	X(CreateGlobalTable) \
	X(CreateTable) \
	X(DeleteBackup) \
	X(DeleteItem) \
	X(DeleteResourcePolicy) \
	X(DeleteTable) \
	X(DescribeBackup) \
	X(DescribeBulkOperation) \
	X(DescribeContinuousBackups) \
	X(DescribeContributorInsights) \
	X(DescribeEndpoints) \
	X(DescribeExport) \
	X(DescribeGlobalTable) \
	X(DescribeGlobalTableSettings) \
	X(DescribeImport) \
	X(DescribeKinesisStreamingDestination) \
	X(DescribeLimits) \
	X(DescribeStream) \
	X(DescribeTable) \
	X(DescribeTableReplicaAutoScaling) \
	X(DescribeTimeToLive) \
	X(DisableKinesisStreamingDestination) \
	X(EnableKinesisStreamingDestination) \
	X(ExecuteStatement) \
	X(ExecuteTransaction) \
	X(ExportTableToPointInTime) \
	X(GetItem) \
	X(GetRecords) \
	X(GetResourcePolicy) \
	X(GetShardIterator) \
	X(ImportTable) \
	X(ListBackups) \
	X(ListBulkOperations) \
	X(ListContributorInsights) \
	X(ListExports) \
	X(ListGlobalTables) \
	X(ListImports) \
	X(ListStreams) \
	X(ListTables) \
	X(ListTagsOfResource) \
	X(PutItem) \
	X(PutResourcePolicy) \
	X(Query) \
	X(RestoreTableFromBackup) \
	X(RestoreTableToPointInTime) \
	X(Scan) \
	X(SearchVectors) \
	X(StartBulkPutItems) \
	X(TagResource) \
	X(TransactGetItems) \
	X(TransactWriteItems) \
	X(UntagResource) \
	X(UpdateContinuousBackups) \
	X(UpdateContributorInsights) \
	X(UpdateGlobalTable) \
	X(UpdateGlobalTableSettings) \
	X(UpdateItem) \
	X(UpdateKinesisStreamingDestination) \
	X(UpdateTable) \
	X(UpdateTableReplicaAutoScaling) \
	X(UpdateTimeToLive)

#define DECLARE(name) extern const Operation name##Operation;
#define ADDRESS(name) &name##Operation,

ALL_OPERATIONS(DECLARE)
static const Operation *const operations[] = {ALL_OPERATIONS(ADDRESS)};

/* Returns the position of the operation with a name, or -1. */
static int
FindOperationPosition(Slice name)
{
	int			low = 0;
	int			high = lengthof(operations);

	while (low < high)
	{
		int			middle = (low + high) / 2;
		int			order = SliceCompare(name, SliceOf(operations[middle]->name));

		if (order == 0)
			return middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return -1;
}

int
OperationNumber(const Operation *operation)
{
	return operation != NULL ? FindOperationPosition(SliceOf(operation->name)) + 1 : 0;
}

const char *
OperationName(int number)
{
	Assert(number >= 0 && number <= (int) lengthof(operations));
	return number == 0 ? "unknown" : operations[number - 1]->name;
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

/* Removes the prefix of a service from a name; returns whether it was there. */
static bool
RemovePrefix(Slice *name, const char *text)
{
	Slice		prefix = SliceOf(text);

	if (!SliceBeginsWith(*name, prefix))
		return false;
	name->data += prefix.len;
	name->len -= prefix.len;
	return true;
}

const Operation *
OperationFind(Slice name)
{
	Slice		plain = name;
	bool		of_items = RemovePrefix(&plain, TARGET_PREFIX);
	bool		of_streams = !of_items && RemovePrefix(&plain, STREAMS_PREFIX);
	int			position = FindOperationPosition(plain);

	if (position < 0 || (operations[position]->of_streams ? of_items : of_streams))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_UNKNOWN_OPERATION),
				 name.len == 0 ? errmsg("The request names no operation.") :
				 errmsg("The operation %s is not supported.", PrintableName(name)),
				 errhint("Names of operations are case-sensitive, such as GetItem.")));
	return operations[position];
}
