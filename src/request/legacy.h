/*
 * legacy.h
 *	  Legacy parameters, which are older than expressions: Expected,
 *	  AttributeUpdates, KeyConditions, QueryFilter, ScanFilter,
 *	  AttributesToGet.
 *
 * Each is converted to the bound tree of an equivalent expression
 * (expr/build_tree.h), after checks with their own messages.  All functions return
 * NULL for an absent or empty parameter.
 */
#ifndef DYNAMO_LEGACY_H
#define DYNAMO_LEGACY_H

#include "op/op.h"
#include "request/shape.h"

/* Converts Expected with ConditionalOperator. */
extern Condition *LegacyExpected(const Field *input);

/* Converts QueryFilter or ScanFilter with ConditionalOperator. */
extern Condition *LegacyFilter(const Field *input, const char *member);

/* Convert AttributeUpdates and AttributesToGet; NULL if there are none. */
extern Update *LegacyUpdates(const Field *input);
extern Projection *LegacyProjection(const Field *input);

/* Fills in the key tests of a query whose index is already set. */
extern void LegacyKeyConditions(const Field *input, ReadOp *op);

#endif							/* DYNAMO_LEGACY_H */
