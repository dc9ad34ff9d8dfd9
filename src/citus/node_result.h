/*
 * node_result.h
 *	  What another node has answered, as libpq gives it.
 */
#ifndef DYNAMO_CITUS_NODE_RESULT_H
#define DYNAMO_CITUS_NODE_RESULT_H

#include "compat.h"

#include "citus/libpq.h"
#include "item/item.h"

/* The SQLSTATE of an error. */
extern int	NodeErrorCode(const PGresult *result);

/* Raises the error of a result, which is freed, as an error of this session. */
extern void NodeError(PGresult *result) pg_attribute_noreturn();

/*
 * The only value of a result, palloc'd; data is NULL if there is no value, or a null.
 * The result is freed.
 */
extern Slice NodeValue(PGresult *result);

/*
 * The values of a result with one column, one after another, in the memory of the result,
 * which is freed with the current memory context.
 */
typedef struct NodeValues
{
	PGresult   *result;
	int			next;
} NodeValues;

extern void NodeValuesInit(NodeValues *values, PGresult *result);

/* Returns the next value; data is NULL at the end. */
extern Slice NodeNextValue(NodeValues *values);

#endif							/* DYNAMO_CITUS_NODE_RESULT_H */
