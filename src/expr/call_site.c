/*
 * call_site.c
 *	  Keeps bound expressions between the calls of a SQL function.
 *
 * A query calls a function once for each row, usually with the same
 * expression, values and names.  fn_extra holds the bound tree and copies of
 * the arguments that it was made from.  Constant arguments are not examined
 * again.  Other arguments are compared byte by byte, since a parameter may
 * change from one execution to the next (PL/pgSQL keeps expression states for
 * many executions).
 */
#include "postgres.h"

#include "nodes/primnodes.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "expr/call_site.h"

#define CALL_ARGUMENTS	3

typedef struct CallSite
{
	MemoryContext context;		/* everything that depends on the arguments */
	bool		constant;		/* all arguments are constants */
	struct varlena *kept[CALL_ARGUMENTS];	/* text, values, names; or NULL */
	BoundCall	bound;			/* tree is NULL until it is bound */
} CallSite;

/* Whether argument n is a constant in the calling query. */
static bool
ArgumentIsConst(FunctionCallInfo fcinfo, int n)
{
	FuncExpr   *call = (FuncExpr *) fcinfo->flinfo->fn_expr;

	return call && IsA(call, FuncExpr) && n < list_length(call->args) &&
		IsA(list_nth(call->args, n), Const);
}

static CallSite *
CallSiteCreate(FunctionCallInfo fcinfo, const int *arguments)
{
	CallSite   *site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt,
											  sizeof(CallSite));

	site->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt,
										  "dynamo expression call",
										  ALLOCSET_SMALL_SIZES);
	site->constant = true;
	for (int i = 0; i < CALL_ARGUMENTS; i++)
	{
		if (arguments[i] > 0 && !ArgumentIsConst(fcinfo, arguments[i]))
			site->constant = false;
	}
	fcinfo->flinfo->fn_extra = site;
	return site;
}

/* Whether an argument has the same bytes as the kept copy. */
static bool
ArgumentIsKept(FunctionCallInfo fcinfo, int n, const struct varlena *kept)
{
	struct varlena *arg;
	bool		same;

	if (n == 0 || PG_ARGISNULL(n))
		return kept == NULL;
	if (kept == NULL)
		return false;
	arg = PG_GETARG_VARLENA_PP(n);
	same = SliceEqual(SliceOfVarlena(arg), SliceOfVarlena(kept));
	PG_FREE_IF_COPY(arg, n);
	return same;
}

static bool
ArgumentsAreKept(FunctionCallInfo fcinfo, const CallSite *site,
				 const int *arguments)
{
	if (site->constant)
		return true;
	for (int i = 0; i < CALL_ARGUMENTS; i++)
	{
		if (!ArgumentIsKept(fcinfo, arguments[i], site->kept[i]))
			return false;
	}
	return true;
}

static void
KeepArguments(FunctionCallInfo fcinfo, CallSite *site, const int *arguments)
{
	for (int i = 0; i < CALL_ARGUMENTS; i++)
	{
		int			n = arguments[i];

		/*
		 * Copy with a full header, which has the alignment that jsonb needs.
		 */
		site->kept[i] = n == 0 || PG_ARGISNULL(n) ? NULL :
			PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(n));
	}
}

static ExprBindings *
BindArguments(const CallSite *site)
{
	struct varlena *values = site->kept[1];
	Jsonb	   *names = (Jsonb *) site->kept[2];
	ExprBindings *b = ExprBindingsCreate(values ? ItemRoot(values) :
										 MISSING_VALUE, NULL);

	if (names)
		ExprBindingsAddNames(b, &names->root);
	(void) ExprBindingsCheck(b, names != NULL);
	return b;
}

static BoundCall
BindExpression(const CallSite *site, ExprKind kind)
{
	ExprBindings *b = BindArguments(site);
	const ExprTree *expr = ExprParse(kind, VARDATA_ANY(site->kept[0]),
									 VARSIZE_ANY_EXHDR(site->kept[0]), NULL);
	BoundCall	bound = {0};

	if (kind == EXPR_UPDATE)
		bound.tree = UpdateBind(expr, b);
	else if (kind == EXPR_PROJECTION)
	{
		bound.tree = ProjectionBind(expr, b);
		NameSetAddPaths(&bound.needed, bound.tree, NULL);
	}
	else
	{
		bound.tree = ConditionBind(kind, expr, b);
		NameSetAddPaths(&bound.needed, NULL, bound.tree);
	}
	NameSetFinish(&bound.needed);
	(void) ExprBindingsCheckUnused(b);
	return bound;
}

const BoundCall *
CallSiteBind(FunctionCallInfo fcinfo, ExprKind kind,
			 const CallArguments *arguments)
{
	int			numbers[CALL_ARGUMENTS] = {
		arguments->text, arguments->values, arguments->names
	};
	CallSite   *site = fcinfo->flinfo->fn_extra;
	MemoryContext old;

	if (site == NULL)
		site = CallSiteCreate(fcinfo, numbers);
	if (site->bound.tree && ArgumentsAreKept(fcinfo, site, numbers))
		return &site->bound;

	/* If binding fails, the site is left unbound. */
	site->bound.tree = NULL;
	MemoryContextReset(site->context);
	old = MemoryContextSwitchTo(site->context);
	KeepArguments(fcinfo, site, numbers);
	site->bound = BindExpression(site, kind);
	MemoryContextSwitchTo(old);
	return &site->bound;
}
