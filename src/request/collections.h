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
 * table with local indexes.
 */
extern void AnswerCollections(Request *request, const WriteOp *writes, int n);

#endif							/* DYNAMO_COLLECTIONS_H */
