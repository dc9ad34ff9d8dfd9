/*
 * collections.h
 *	  ItemCollectionMetrics of requests that write many items.
 */
#ifndef DYNAMO_COLLECTIONS_H
#define DYNAMO_COLLECTIONS_H

#include "op/op.h"
#include "request/operation.h"

/*
 * Writes ItemCollectionMetrics: one entry for each written collection of each
 * table with local indexes.  There is a result for each write; results is NULL for a
 * transaction that was executed before.  See CollectionKey.
 */
extern void AnswerCollections(Request *request, const WriteOp *writes, const WriteResult *results, int n);

#endif							/* DYNAMO_COLLECTIONS_H */
