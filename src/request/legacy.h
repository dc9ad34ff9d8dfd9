/*
 * legacy.h
 *	  Legacy parameters, older than expressions: Expected, AttributeUpdates,
 *	  KeyConditions, QueryFilter, ScanFilter, AttributesToGet.
 *
 * Each becomes the bound tree that an expression would have become
 * (expr/build.h), after checks with messages of their own.  All functions
 * give NULL for a parameter that is absent or empty.
 */
#ifndef DYNAMO_LEGACY_H
#define DYNAMO_LEGACY_H

#include "op/op.h"
#include "request/shape.h"

/* Expected, with ConditionalOperator. */
extern Condition *LegacyExpected(const Field *input);

/* QueryFilter or ScanFilter, with ConditionalOperator. */
extern Condition *LegacyFilter(const Field *input, const char *member);

/* AttributeUpdates, AttributesToGet; NULL if there are none. */
extern Update *LegacyUpdates(const Field *input);
extern Projection *LegacyProjection(const Field *input);

/* Fills in the key tests of a query, whose index is filled in already. */
extern void LegacyKeyConditions(const Field *input, ReadOp *op);

#endif							/* DYNAMO_LEGACY_H */
