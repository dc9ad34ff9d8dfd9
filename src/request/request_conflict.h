/*
 * request_conflict.h
 *	  Executes an operation and converts conflicts on locks.
 */
#ifndef DYNAMO_REQUEST_CONFLICT_H
#define DYNAMO_REQUEST_CONFLICT_H

#include "request/operation.h"

/*
 * Executes the operation of a request.  A conflict on a lock raises
 * TransactionCanceled in a write transaction, and ERRCODE_DYNAMO_RESOURCE_IN_USE
 * in an operation that changes a table.
 */
extern void ConflictExecute(Request *request);

#endif							/* DYNAMO_REQUEST_CONFLICT_H */
