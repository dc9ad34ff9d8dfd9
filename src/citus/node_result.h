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
 */
extern Slice NodeValue(const PGresult *result);

#endif							/* DYNAMO_CITUS_NODE_RESULT_H */
