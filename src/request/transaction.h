/*
 * transaction.h
 *	  What TransactWriteItems and ExecuteTransaction share.
 */
#ifndef DYNAMO_TRANSACTION_H
#define DYNAMO_TRANSACTION_H

#include "op/op.h"
#include "request/operation.h"

typedef struct Transaction
{
	int			n;
	WriteOp    *actions;
	TransactWrite *write;		/* with the expressions of all actions bound */
	TransactResult result;
} Transaction;

/* Raises an error if the data of a request have too many bytes. */
extern void TransactionCheckSize(uint64 size);

/*
 * Reads all items; raises an error if they are too large.  The gets must ask
 * for sizes.
 */
extern void TransactionRead(const GetOp *gets, int n, GetResult *results);

/*
 * Writes the member Responses.  Unlike other reads, an item without any of the
 * requested attributes is returned like a missing one.
 */
extern void TransactionAnswerReads(Writer *out, const GetResult *results, int n);

/* Raises TransactionCanceled with one of n actions as the reason. */
extern DYNAMO_EXPORT void TransactionCancelBy(int n, int position, const char *code, const char *message)
			pg_attribute_noreturn();

/*
 * Executes the actions of a request; raises TransactionCanceled.  The caller of
 * the operation converts conflicts on locks by TransactionConflictError.
 */
extern void TransactionExecute(Request *request, Transaction *t);

/*
 * Raises TransactionCanceled with the action that waited for a lock as the
 * reason.
 */
extern void TransactionConflictError(const Transaction *t) pg_attribute_noreturn();

/*
 * Returns the units that the service charges for an action of a transaction
 * that was executed before.
 */
extern double TransactionLookUnits(const TableDef *def, const WriteOp *action);

#endif							/* DYNAMO_TRANSACTION_H */
