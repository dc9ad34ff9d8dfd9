/*
 * sql_args.h
 *	  Converts SQL arguments to the structures of op.h.
 *
 * All results point into the arguments, which are detoasted once, or are
 * palloc'd in the current context.  A NULL for a required argument raises the
 * service's error for a missing member.
 */
#ifndef DYNAMO_SQL_ARGS_H
#define DYNAMO_SQL_ARGS_H

#include "fmgr.h"
#include "nodes/execnodes.h"

#include "exported.h"
#include "op/op.h"

/*
 * Whether an argument is NULL or absent: the planner removes default arguments
 * of dynamo.query and dynamo.scan (read_support.c).
 */
static inline bool
ArgIsNull(FunctionCallInfo fcinfo, int n)
{
	return n >= PG_NARGS() || PG_ARGISNULL(n);
}

/* Returns table_name, which is required. */
extern const char *ArgTableName(FunctionCallInfo fcinfo, int n);

/* Returns a text, or NULL. */
extern const char *ArgString(FunctionCallInfo fcinfo, int n);

/*
 * Returns an item; MISSING_VALUE for NULL.  *datum (may be NULL) is set to the
 * varlena of the item, which may have a 1-byte header.
 */
extern ValueRef ArgItem(FunctionCallInfo fcinfo, int n, struct varlena **datum);

/*
 * Returns a required item; member is the service's name for it, such as "key".
 */
extern ValueRef ArgRequiredItem(FunctionCallInfo fcinfo, int n, const char *member,
								struct varlena **datum);

/* Returns an expression, which is absent for NULL. */
extern ExprText ArgExpr(FunctionCallInfo fcinfo, int n);

/*
 * Returns expression_attribute_values (an item) and expression_attribute_names
 * (a jsonb object of strings).  values is negative if the function has no such
 * argument.
 */
extern ExprArgs ArgExprArgs(FunctionCallInfo fcinfo, int values, int names);

/* Returns return_values; NULL means NONE. */
extern ReturnValues ArgReturnValues(FunctionCallInfo fcinfo, int n);

/* Whether return_values_on_condition_check_failure is ALL_OLD. */
extern bool ArgReturnOldOnFailure(FunctionCallInfo fcinfo, int n);

/* Requires that the caller accepts a set, one value per call. */
extern DYNAMO_EXPORT ReturnSetInfo *RequireValuePerCall(FunctionCallInfo fcinfo);

/*
 * Raises "1 validation error detected: Value <v> at '<member>' failed to
 * satisfy constraint: <constraint>".  A NULL value is reported as null.
 */
extern void ModelError(const char *value, const char *member, const char *constraint)
			pg_attribute_noreturn();

#endif							/* DYNAMO_SQL_ARGS_H */
