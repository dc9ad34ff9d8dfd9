/*
 * transaction.h
 *	  What TransactWriteItems and ExecuteTransaction share.
 */
#ifndef DYNAMO_TRANSACTION_H
#define DYNAMO_TRANSACTION_H

#include "op/op.h"

typedef struct Transaction
{
	int			n;
	WriteOp    *actions;
	Slice	   *tables;			/* as the request names them */
	TransactResult result;
} Transaction;

/* Raises TransactionCanceled: one of n actions is the reason. */
extern void TransactionCancelBy(int n, int position, const char *code, const char *message)
			pg_attribute_noreturn();

/* Executes the actions; raises TransactionCanceled, conflicts included. */
extern void TransactionExecute(Transaction *t);

#endif							/* DYNAMO_TRANSACTION_H */
