/*
 * sql_args.h
 *	  SQL arguments to the structures of op.h.
 *
 * All results point into the arguments (detoasted once) or are palloc'd in
 * the current context.  A required argument that is NULL is reported as the
 * service reports a missing member.
 */
#ifndef DYNAMO_SQL_ARGS_H
#define DYNAMO_SQL_ARGS_H

#include "fmgr.h"

#include "op/op.h"

/*
 * Whether an argument is NULL, or not there: the planner drops arguments of
 * dynamo.query and dynamo.scan that are at their defaults (read_support.c).
 */
static inline bool
ArgIsNull(FunctionCallInfo fcinfo, int n)
{
	return n >= PG_NARGS() || PG_ARGISNULL(n);
}

/* table_name: required. */
extern const char *ArgTableName(FunctionCallInfo fcinfo, int n);

/* A text that may be NULL. */
extern const char *ArgString(FunctionCallInfo fcinfo, int n);

/*
 * An item; MISSING_VALUE when NULL.  *datum (may be NULL) is the varlena that
 * holds it, possibly with a 1-byte header.
 */
extern ValueRef ArgItem(FunctionCallInfo fcinfo, int n, struct varlena **datum);

/* The same, required; member is the service's name for it, such as "key". */
extern ValueRef ArgRequiredItem(FunctionCallInfo fcinfo, int n, const char *member,
								struct varlena **datum);

/* An expression; not given when NULL. */
extern ExprText ArgExpr(FunctionCallInfo fcinfo, int n);

/*
 * expression_attribute_values (an item) and expression_attribute_names (a
 * jsonb object of strings).  values < 0: the function has no such argument.
 */
extern ExprArgs ArgExprArgs(FunctionCallInfo fcinfo, int values, int names);

/* return_values: NULL is NONE. */
extern ReturnValues ArgReturnValues(FunctionCallInfo fcinfo, int n);

/* return_values_on_condition_check_failure: whether ALL_OLD was asked for. */
extern bool ArgReturnOldOnFailure(FunctionCallInfo fcinfo, int n);

/*
 * Raises "1 validation error detected: Value <v> at '<member>' failed to
 * satisfy constraint: <constraint>"; value NULL is null.
 */
extern void ModelError(const char *value, const char *member, const char *constraint)
			pg_attribute_noreturn();

#endif							/* DYNAMO_SQL_ARGS_H */
