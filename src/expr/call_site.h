/*
 * call_site.h
 *	  Expressions bound once for each place of a query that calls a function
 *	  with them.
 */
#ifndef DYNAMO_EXPR_CALL_SITE_H
#define DYNAMO_EXPR_CALL_SITE_H

#include "fmgr.h"

#include "expr/name_set.h"

/* Which arguments of a function are what; 0: it has none. */
typedef struct CallArguments
{
	int			text;
	int			values;
	int			names;
} CallArguments;

typedef struct BoundCall
{
	const void *tree;			/* Condition, Projection or Update, by kind */
	NameSet		needed;			/* what it reads of an item; empty: all */
} BoundCall;

/*
 * The bound expression of a call whose expression is not null.  Valid until
 * the next call from the same place.  Raises all that binding raises.
 */
extern const BoundCall *CallSiteBind(FunctionCallInfo fcinfo, ExprKind kind,
									 const CallArguments *arguments);

#endif							/* DYNAMO_EXPR_CALL_SITE_H */
