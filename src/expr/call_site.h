/*
 * call_site.h
 *	  Binds an expression once for each call site of a SQL function in a query.
 */
#ifndef DYNAMO_EXPR_CALL_SITE_H
#define DYNAMO_EXPR_CALL_SITE_H

#include "fmgr.h"

#include "expr/name_set.h"

/* Numbers of the arguments of a function; 0 if it has no such argument. */
typedef struct CallArguments
{
	int			text;
	int			values;
	int			names;
} CallArguments;

typedef struct BoundCall
{
	const void *tree;			/* Condition, Projection or Update, depending on the kind */
	NameSet		needed;			/* attributes that it reads; empty: all */
} BoundCall;

/*
 * Returns the bound expression of a call whose expression is not null.  It is
 * valid until the next call from the same call site.  Raises the errors of
 * binding.
 */
extern const BoundCall *CallSiteBind(FunctionCallInfo fcinfo, ExprKind kind,
									 const CallArguments *arguments);

#endif							/* DYNAMO_EXPR_CALL_SITE_H */
