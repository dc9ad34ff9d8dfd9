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
	TransactResult result;
} Transaction;

/* Raises the error of a request whose data, in bytes, are too many. */
extern void TransactionCheckSize(uint64 size);

/* Reads all items, whose sizes must be asked for, or raises that they are too large. */
extern void TransactionRead(const GetOp *gets, int n, GetResult *results);

/*
 * The member Responses.  Of an item without any of the attributes asked for
 * it has as little as of no item, unlike the answers of other reads.
 */
extern void TransactionAnswerReads(Writer *out, const GetResult *results, int n);

/* Raises TransactionCanceled: one of n actions is the reason. */
extern void TransactionCancelBy(int n, int position, const char *code, const char *message)
			pg_attribute_noreturn();

/*
 * Executes the actions of a request; raises TransactionCanceled.  The caller of
 * the operation converts conflicts on locks by TransactionConflictError.
 */
extern void TransactionExecute(Request *request, Transaction *t);

/* Raises TransactionCanceled: the action that waited for a lock is the reason. */
extern void TransactionConflictError(const Transaction *t) pg_attribute_noreturn();

/*
 * Units of looking at an action's item, as the service takes them for a
 * transaction that was executed before.
 */
extern double TransactionLookUnits(const TableDef *def, const WriteOp *action);

#endif							/* DYNAMO_TRANSACTION_H */
