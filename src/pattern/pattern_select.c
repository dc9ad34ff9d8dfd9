/*
 * pattern_select.c
 *	  Plans "SELECT pattern(...)" as "SELECT p FROM pattern(...) p".
 *
 * PostgreSQL puts a function's query into that of the caller only in FROM.  In a select list
 * it plans and starts the query for each execution of the statement, which takes four times
 * the time of a read of ten items.  Without other tables the two statements have the same
 * result, also if the function is not what its comment says.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_language_d.h"
#include "catalog/pg_proc.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

#include "compat.h"
#include "pattern/pattern.h"

static planner_hook_type next_planner = NULL;

/* Whether the body of a function begins as that of a pattern. */
static bool
HasPatternBody(HeapTuple function)
{
	bool		isnull;
	Datum		body = SysCacheGetAttr(PROCOID, function, Anum_pg_proc_prosrc, &isnull);
	text	   *start;

	if (isnull)
		return false;
	start = DatumGetTextPSlice(body, 0, sizeof(PATTERN_RECORD_BEGIN) - 1);
	return VARSIZE_ANY_EXHDR(start) == sizeof(PATTERN_RECORD_BEGIN) - 1 &&
		memcmp(VARDATA_ANY(start), PATTERN_RECORD_BEGIN, sizeof(PATTERN_RECORD_BEGIN) - 1) == 0;
}

/*
 * Whether a function is a pattern whose query PostgreSQL can put into that of the caller;
 * else it would materialize the rows.
 */
static bool
IsPattern(Oid funcid)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(funcid));
	Form_pg_proc form;
	bool		is;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_proc) GETSTRUCT(tuple);
	is = form->prolang == SQLlanguageId && form->proretset && !form->prosecdef && !form->proisstrict &&
		form->provolatile != PROVOLATILE_VOLATILE &&
		heap_attisnull(tuple, Anum_pg_proc_proconfig, NULL) && HasPatternBody(tuple) &&
		FunctionAclCheck(funcid, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK;
	ReleaseSysCache(tuple);
	return is;
}

/* The only set-returning expression of a select list, if it is a call of a pattern. */
static TargetEntry *
FindCall(const Query *query)
{
	TargetEntry *found = NULL;
	ListCell   *cell;

	foreach(cell, query->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (!expression_returns_set((Node *) entry->expr))
			continue;
		if (found != NULL || !IsA(entry->expr, FuncExpr))
			return NULL;
		found = entry;
	}
	if (found == NULL || expression_returns_set((Node *) castNode(FuncExpr, found->expr)->args) ||
		!IsPattern(castNode(FuncExpr, found->expr)->funcid))
		return NULL;
	return found;
}

/* A volatile condition is evaluated once if there are no tables; it must not be for each row. */
static bool
SelectsWithoutTables(const Query *query)
{
	return query->commandType == CMD_SELECT && query->hasTargetSRFs && query->rtable == NIL &&
		query->setOperations == NULL && query->groupClause == NIL && query->groupingSets == NIL &&
		query->havingQual == NULL && query->distinctClause == NIL && !query->hasAggs &&
		!query->hasWindowFuncs && query->rowMarks == NIL && !contain_volatile_functions(query->jointree->quals);
}

/* The names of the columns of a function in FROM; sets the type of its rows. */
static List *
RowColumnNames(Node *call, const char *name, TypeFuncClass *class)
{
	TupleDesc	desc;
	Oid			type;
	List	   *names = NIL;

	*class = get_expr_result_type(call, &type, &desc);
	if (*class == TYPEFUNC_SCALAR)
		return list_make1(makeString(pstrdup(name)));
	if (*class != TYPEFUNC_COMPOSITE)
		return NIL;
	for (int i = 0; i < desc->natts; i++)
		names = lappend(names, makeString(TupleDescAttr(desc, i)->attisdropped ? pstrdup("") :
										  pstrdup(NameStr(TupleDescAttr(desc, i)->attname))));
	return names;
}

/* Moves the call into FROM, and refers to its rows in the select list. */
static void
MoveCall(Query *query, TargetEntry *entry)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	RangeTblFunction *function = makeNode(RangeTblFunction);
	RangeTblRef *ref = makeNode(RangeTblRef);
	const char *name = entry->resname != NULL ? entry->resname : "pattern";
	TypeFuncClass class;
	List	   *names = RowColumnNames((Node *) entry->expr, name, &class);

	if (names == NIL)
		return;
	function->funcexpr = (Node *) entry->expr;
	function->funccolcount = list_length(names);
	rte->rtekind = RTE_FUNCTION;
	rte->functions = list_make1(function);
	rte->eref = makeAlias(name, names);
	rte->inFromCl = true;
	query->rtable = list_make1(rte);
	ref->rtindex = 1;
	query->jointree->fromlist = list_make1(ref);
	entry->expr = (Expr *) makeVar(1, class == TYPEFUNC_SCALAR ? 1 : InvalidAttrNumber, exprType(function->funcexpr),
								   exprTypmod(function->funcexpr), exprCollation(function->funcexpr), 0);
	query->hasTargetSRFs = false;
}

static PlannedStmt *
PlanSelect(PLANNER_PARAMETERS)
{
	TargetEntry *call = SelectsWithoutTables(query) ? FindCall(query) : NULL;

	if (call != NULL)
		MoveCall(query, call);
	return next_planner != NULL ? next_planner(PLANNER_ARGUMENTS) :
		standard_planner(PLANNER_ARGUMENTS);
}

void
PatternSelectInit(void)
{
	next_planner = planner_hook;
	planner_hook = PlanSelect;
}
