/*
 * operation.h
 *	  The operations of the API and their execution.
 *
 * A request is executed in five steps, of which an operation implements only
 * its shape and the fourth step:
 *
 *	find the operation				operations.c
 *	read the JSON into fields		request_read.c	SerializationException
 *	check it against the model		check.c		ValidationException
 *	execute							the operation's own file
 *	write the response				writer.h
 */
#ifndef DYNAMO_OPERATION_H
#define DYNAMO_OPERATION_H

#include "request/shape.h"
#include "request/writer.h"
#include "exported.h"

struct ReadPause;				/* op/op.h */

/* Who asked for a request. */
typedef enum RequestOrigin
{
	REQUEST_OF_STATEMENT,		/* a statement, whose transaction it is part of */
	REQUEST_OF_CLIENT,			/* a client: the request is a transaction of its own */
	REQUEST_OF_NODE				/* another node, for a shard of this one */
} RequestOrigin;

typedef struct Request
{
	const struct Operation *operation;
	const Field *input;
	RequestOrigin origin;
	Slice		host;			/* see RequestExecute */
	struct ReadPause *pause;
	Writer	   *out;			/* the response; the outer object is open */
	const struct Transaction *transaction;	/* that is being executed; NULL: none */
} Request;

typedef struct Operation
{
	const char *name;
	const Shape *input;
	void		(*execute) (Request *request);
	bool		of_streams;		/* an operation of DynamoDB Streams */
	bool		empty;			/* the response over HTTP has no body */
	bool		on_coordinator; /* of a cluster: never executed by a worker node */
	const char *changes;		/* member with the name of the changed table, or NULL */
	const char *item;			/* member with the one item or key that it needs, or NULL */
	const char *condition;		/* member with the condition on the one partition key, or NULL */
} Operation;

/* ---- operations.c ---- */

/*
 * Returns the operation with this name, which may have its service's target
 * prefix ("DynamoDB_20120810.", for streams "DynamoDBStreams_20120810.").
 * Raises ERRCODE_DYNAMO_UNKNOWN_OPERATION.
 */
extern DYNAMO_EXPORT const Operation *OperationFind(Slice name);

/* The number of an operation in statistics, from 1; 0 for NULL: an unknown one. */
extern DYNAMO_EXPORT int	OperationNumber(const Operation *operation);

/* The name of the operation with a number. */
extern DYNAMO_EXPORT const char *OperationName(int number);

/* ---- request.c ---- */

/*
 * Executes a request and appends the body of the response.  Must be called in
 * a transaction, which the caller must roll back if an error is raised.  One of a
 * client whose item is on another node is executed there.  host
 * is the host[:port] in the client's request, which may contain any bytes;
 * empty for requests by SQL.  pause: how to interrupt a Query or Scan; NULL if
 * that is not possible.  Leaves temporary allocations in the current memory
 * context.
 */
extern DYNAMO_EXPORT void RequestExecute(const Operation *operation, RequestOrigin origin, Slice host,
						   Slice json, struct ReadPause *pause, Writer *out);

/* ---- the operations ---- */

/* account.c */
extern void DescribeLimitsRequest(Request *request);
extern void DescribeEndpointsRequest(Request *request);

/* create_table.c, update_table.c, request_tables.c */
extern void CreateTableRequest(Request *request);
extern void UpdateTableRequest(Request *request);
extern void DescribeTableRequest(Request *request);
extern void DeleteTableRequest(Request *request);
extern void ListTablesRequest(Request *request);

/* single_item.c */
extern void GetItemRequest(Request *request);
extern void PutItemRequest(Request *request);
extern void UpdateItemRequest(Request *request);
extern void DeleteItemRequest(Request *request);

/* query_and_scan.c */
extern void QueryRequest(Request *request);
extern void ScanRequest(Request *request);

/* search_vectors.c */
extern void SearchVectorsRequest(Request *request);

/* request_batch.c */
extern void BatchGetItemRequest(Request *request);
extern void BatchWriteItemRequest(Request *request);

/* request_transact.c */
extern void TransactGetItemsRequest(Request *request);
extern void TransactWriteItemsRequest(Request *request);

/* statement_execute.c, statement_batch.c, statement_transaction.c */
extern void ExecuteStatementRequest(Request *request);
extern void BatchExecuteStatementRequest(Request *request);
extern void ExecuteTransactionRequest(Request *request);

/* request_ttl.c */
extern void UpdateTimeToLiveRequest(Request *request);
extern void DescribeTimeToLiveRequest(Request *request);

/* recovery.c */
extern void UpdateContinuousBackupsRequest(Request *request);
extern void DescribeContinuousBackupsRequest(Request *request);

/* tags.c */
extern void TagResourceRequest(Request *request);
extern void UntagResourceRequest(Request *request);
extern void ListTagsRequest(Request *request);

/* export_table.c */
extern void ExportTableRequest(Request *request);
extern void DescribeExportRequest(Request *request);
extern void ListExportsRequest(Request *request);

/* import_table.c */
extern void ImportTableRequest(Request *request);
extern void DescribeImportRequest(Request *request);
extern void ListImportsRequest(Request *request);

/* backups.c, restore_table.c */
extern void CreateBackupRequest(Request *request);
extern void DescribeBackupRequest(Request *request);
extern void DeleteBackupRequest(Request *request);
extern void ListBackupsRequest(Request *request);
extern void RestoreTableRequest(Request *request);

/* unsupported.c */
extern void DeleteResourcePolicyRequest(Request *request);
extern void DescribeContributorInsightsRequest(Request *request);
extern void DescribeGlobalTableRequest(Request *request);
extern void DescribeKinesisRequest(Request *request);
extern void DisableKinesisRequest(Request *request);
extern void UpdateContributorInsightsRequest(Request *request);
extern void DescribeAutoScalingRequest(Request *request);
extern void GetResourcePolicyRequest(Request *request);
extern void ListContributorInsightsRequest(Request *request);
extern void ListGlobalTablesRequest(Request *request);

/* streams.c, stream_records.c */
extern void ListStreamsRequest(Request *request);
extern void DescribeStreamRequest(Request *request);
extern void GetShardIteratorRequest(Request *request);
extern void GetRecordsRequest(Request *request);

#endif							/* DYNAMO_OPERATION_H */
