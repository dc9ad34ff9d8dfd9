/*
 * operation.h
 *	  The operations of the API and their execution.
 *
 * A request is executed in five steps.  An operation defines what the second to
 * the fourth need, and ends with its OPERATION, in the file of its subject:
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
	bool		new_values;		/* problems of its values have the service's new words */
	const char *changes;		/* member with the name of the changed table, or NULL */
	const char *item;			/* member with the one item or key that it needs, or NULL */
	const char *condition;		/* member with the condition on the one partition key, or NULL */
} Operation;

/* The words for problems of attribute values in its requests. */
static inline ValueWords
OperationWords(const Operation *operation)
{
	return operation->new_values && WordingIsCurrent() ? VALUE_WORDS_NEW : VALUE_WORDS_OLD;
}

/*
 * Defines the operation of this name; the rest are the other members of
 * Operation.  operations.c lists all operations.
 */
#define OPERATION(title, ...) \
	extern const Operation title##Operation; \
	const Operation title##Operation = {#title, __VA_ARGS__}

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

#endif							/* DYNAMO_OPERATION_H */
