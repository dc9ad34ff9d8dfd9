/*
 * operation.h
 *	  The operations of the API and what they run with.
 *
 * A request is executed in five steps, of which an operation adds only its
 * shape and the last:
 *
 *		find the operation				operations.c
 *		read the JSON into fields		read.c		SerializationException
 *		check it against the model		check.c		ValidationException
 *		execute							the operation's own file
 *		answer							writer.h
 */
#ifndef DYNAMO_OPERATION_H
#define DYNAMO_OPERATION_H

#include "request/shape.h"
#include "request/writer.h"

typedef struct Request
{
	const struct Operation *operation;
	const Field *input;
	Writer	   *out;			/* the response; the outer object is open */
} Request;

typedef struct Operation
{
	const char *name;
	const Shape *input;
	void		(*execute) (Request *request);
	bool		empty_body;		/* answers nothing at all */
} Operation;

/* ---- operations.c ---- */

/*
 * The operation of this name, which may have the service's target prefix
 * ("DynamoDB_20120810."); raises ERRCODE_DYNAMO_UNKNOWN_OPERATION.
 */
extern const Operation *OperationFind(Slice name);

/* ---- the operations ---- */

extern void DescribeLimits(Request *request);
extern void DescribeEndpoints(Request *request);

/* ---- settings.c ---- */

extern char *request_region;	/* dynamo.region */
extern char *request_account;	/* dynamo.account_id */
extern void RequestInit(void);

#endif							/* DYNAMO_OPERATION_H */
