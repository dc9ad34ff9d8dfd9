/*
 * collections.h
 *	  ItemCollectionMetrics of requests that write many items.
 */
#ifndef DYNAMO_COLLECTIONS_H
#define DYNAMO_COLLECTIONS_H

#include "op/op.h"
#include "request/operation.h"

/*
 * Writes ItemCollectionMetrics: of each table with local indexes, one entry
 * per collection written.
 */
extern void AnswerCollections(Request *request, const WriteOp *writes, int n);

#endif							/* DYNAMO_COLLECTIONS_H */
