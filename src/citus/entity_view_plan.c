/*
 * entity_view_plan.c
 *	  Plans UPDATE and DELETE of entity views of tables that Citus distributes.
 *
 * Such a statement reads the rows of the view, and calls its INSTEAD OF trigger for
 * each.  Citus plans it as a change of a distributed table, and fails.  Here the rows
 * are read by a SELECT, which Citus plans, and the rest of the plan is what PostgreSQL
 * makes of such a statement:
 *
 *	ModifyTable (the view)
 *	  ->  Result: the new values, and the old row of the view
 *			->  the plan of SELECT: the new values, and the columns of the old row
 *
 * The library is loaded after Citus, so that its hook is called before that of Citus.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "commands/trigger.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "citus/entity_view_nodes.h"
#include "compat.h"
#include "extension_objects.h"
#include "table/distribution.h"
#include "view/entity_view.h"

static planner_hook_type next_planner = NULL;

/* ---- which statements ---- */

/* Whether a relation is a view with our trigger, of a distributed table. */
static bool
IsViewOfDistributed(Oid relid)
{
	Relation	view = table_open(relid, NoLock);
	Oid			table = view->trigdesc != NULL && view->trigdesc->trig_update_instead_row ? EntityViewTable(view) : InvalidOid;
	bool		found = OidIsValid(table) && RelationIsDistributed(table) &&
		HasTriggerOf(view, SystemFunctionOid(FUNCTION_ENTITY_VIEW_WRITE));

	table_close(view, NoLock);
	return found;
}

static bool
WritesViewOfDistributed(const Query *query)
{
	const RangeTblEntry *rte;

	if (query->resultRelation == 0 || query->commandType == CMD_INSERT)
		return false;
	rte = rt_fetch(query->resultRelation, query->rtable);
	return rte->relkind == RELKIND_VIEW && IsViewOfDistributed(rte->relid);
}

static void
RefuseStatement(const Query *query, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s an entity view is not supported on distributed tables", what),
			 errdetail("Citus distributes the table of view \"%s\".",
					   get_rel_name(rt_fetch(query->resultRelation, query->rtable)->relid)),
			 errhint("Use simple UPDATE and DELETE statements, or the functions.")));
}

/* Refuses what the plan below could not do. */
static void
CheckPlannable(const Query *query)
{
	ListCell   *cell;

	if (query->commandType == CMD_MERGE)
		RefuseStatement(query, "MERGE into");
	if (query->hasModifyingCTE)
		RefuseStatement(query, "a statement in WITH that writes, with");
	if (query->withCheckOptions != NIL)
		RefuseStatement(query, "writing through a view with CHECK OPTION on");
	if (contain_subplans((Node *) query->returningList) ||
		!bms_is_subset(pull_varnos(NULL, (Node *) query->returningList), bms_make_singleton(query->resultRelation)))
		RefuseStatement(query, "RETURNING of columns of other tables with");
	foreach(cell, query->targetList)
	{
		const Node *value = (const Node *) lfirst_node(TargetEntry, cell)->expr;

		if (IsA(value, Param) && ((const Param *) value)->paramkind == PARAM_MULTIEXPR)
			RefuseStatement(query, "setting several columns from a subquery of");
	}
}

/* Statements in WITH are not planned by themselves. */
static void
CheckWith(const Query *query)
{
	ListCell   *cell;

	foreach(cell, query->cteList)
	{
		const Query *inner = castNode(Query, lfirst_node(CommonTableExpr, cell)->ctequery);

		if (WritesViewOfDistributed(inner))
			RefuseStatement(inner, "a statement in WITH that writes");
	}
}

/* ---- the SELECT ---- */

/* Returns the place of the view's old row among the tables of a statement. */
static int
OldRowOf(const Query *query)
{
	const TargetEntry *last = llast_node(TargetEntry, query->targetList);

	if (!last->resjunk || !IsA(last->expr, Var) || strcmp(last->resname, ENTITY_OLD_ROW) != 0)
		elog(ERROR, "statement on a view has no old row");
	return castNode(Var, last->expr)->varno;
}

static TargetEntry *
Column(Expr *value, List *before, const char *prefix)
{
	int			n = list_length(before) + 1;

	return makeTargetEntry(value, n, psprintf("%s%d", prefix, n), false);
}

/* The new values, in the order of the statement, and the columns of the old row. */
static List *
SelectedColumns(const Query *query, TupleDesc view)
{
	int			old = OldRowOf(query);
	List	   *columns = NIL;
	ListCell   *cell;

	foreach(cell, query->targetList)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (!entry->resjunk)
			columns = lappend(columns, Column(copyObject(entry->expr), columns, "new"));
	}
	for (int i = 0; i < view->natts; i++)
	{
		Form_pg_attribute attr = TupleDescAttr(view, i);
		Var		   *var = makeVar(old, i + 1, attr->atttypid, attr->atttypmod, attr->attcollation, 0);

		columns = lappend(columns, Column((Expr *) var, columns, "old"));
	}
	return columns;
}

/* Lets Citus name all tables: a view that is written, and one whose rule is executed, have no name. */
static void
ShowTables(Query *select)
{
	ListCell   *cell;

	foreach(cell, select->jointree->fromlist)
	{
		if (IsA(lfirst(cell), RangeTblRef))
			rt_fetch(lfirst_node(RangeTblRef, cell)->rtindex, select->rtable)->inFromCl = true;
	}
}

static Query *
SelectOf(const Query *query, TupleDesc view)
{
	Query	   *select = copyObject(unconstify(Query *, query));
	RangeTblEntry *nothing = makeNode(RangeTblEntry);

	nothing->rtekind = RTE_RESULT;
	nothing->eref = makeAlias("*RESULT*", NIL);
	lfirst(list_nth_cell(select->rtable, query->resultRelation - 1)) = nothing;
	ShowTables(select);
	select->commandType = CMD_SELECT;
	select->resultRelation = 0;
	select->targetList = SelectedColumns(query, view);
	select->returningList = NIL;
	return select;
}

/* ---- the plan above it ---- */

static Var *
Selected(const Plan *plan, int column)
{
	const TargetEntry *entry = list_nth_node(TargetEntry, plan->targetlist, column);

	return makeVar(OUTER_VAR, column + 1, exprType((Node *) entry->expr), exprTypmod((Node *) entry->expr),
				   exprCollation((Node *) entry->expr), 0);
}

static void
Above(Plan *plan, Plan *below)
{
	plan->startup_cost = below->startup_cost;
	plan->total_cost = below->total_cost;
	plan->plan_rows = below->plan_rows;
	plan->plan_width = below->plan_width;
	plan->lefttree = below;
	plan->extParam = bms_copy(below->extParam);
	plan->allParam = bms_copy(below->allParam);
}

/* Puts the columns of the old row, which follow nnew new values, into one. */
static Plan *
MakeResult(Plan *below, int nnew, Relation view)
{
	TupleDesc	desc = RelationGetDescr(view);
	Result	   *result = makeNode(Result);
	RowExpr    *old = makeNode(RowExpr);
	List	  **columns = &result->plan.targetlist;

	for (int i = 0; i < nnew; i++)
		*columns = lappend(*columns, makeTargetEntry((Expr *) Selected(below, i), i + 1, NULL, false));
	for (int i = 0; i < desc->natts; i++)
	{
		old->args = lappend(old->args, Selected(below, nnew + i));
		old->colnames = lappend(old->colnames, makeString(pstrdup(NameStr(TupleDescAttr(desc, i)->attname))));
	}
	old->row_typeid = view->rd_rel->reltype;
	old->row_format = COERCE_IMPLICIT_CAST;
	old->location = -1;
	*columns = lappend(*columns, makeTargetEntry((Expr *) old, nnew + 1, ENTITY_OLD_ROW, true));
	Above(&result->plan, below);
	return &result->plan;
}

/* The columns that an UPDATE sets, in the order of its new values. */
static List *
UpdatedColumns(const Query *query)
{
	List	   *columns = NIL;
	ListCell   *cell;

	foreach(cell, query->targetList)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (!entry->resjunk)
			columns = lappend_int(columns, entry->resno);
	}
	return columns;
}

/* Adds the view to the tables of a plan, as the one that is written; returns its number. */
static int
AddView(PlannedStmt *plan, const Query *query)
{
	RangeTblEntry *rte = copyObject(rt_fetch(query->resultRelation, query->rtable));
	int			number = list_length(plan->rtable) + 1;

	CopyPermissionsNode(plan, query, rte);
	plan->rtable = lappend(plan->rtable, rte);
	SetResultOfPlan(plan, number);
	plan->relationOids = lappend_oid(plan->relationOids, rte->relid);
	KeepTableOfPlan(plan, number);
	return number;
}

/* Returns RETURNING of a statement as the executor evaluates it. */
static List *
ReturningOf(const Query *query, int view)
{
	List	   *returning = copyObject(query->returningList);
	ListCell   *cell;

	ChangeVarNodes((Node *) returning, query->resultRelation, view, 0);
	foreach(cell, returning)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		entry->expr = expression_planner(entry->expr);
	}
	return returning;
}

static void
AddModifyTable(PlannedStmt *plan, const Query *query, Relation view)
{
	ModifyTable *modify = makeNode(ModifyTable);
	List	   *set = UpdatedColumns(query);
	int			number = AddView(plan, query);

	modify->operation = query->commandType;
	modify->canSetTag = query->canSetTag;
	modify->nominalRelation = number;
	modify->resultRelations = list_make1_int(number);
	modify->fdwPrivLists = list_make1(NIL);
	modify->onConflictAction = ONCONFLICT_NONE;
	if (query->commandType == CMD_UPDATE)
		modify->updateColnosLists = list_make1(set);
	if (query->returningList != NIL)
	{
		modify->returningLists = list_make1(ReturningOf(query, number));
		modify->plan.targetlist = copyObject(linitial(modify->returningLists));
	}
	/* a number of its own, which nothing uses */
	modify->epqParam = list_length(plan->paramExecTypes);
	plan->paramExecTypes = lappend_oid(plan->paramExecTypes, InvalidOid);

	Above(&modify->plan, MakeResult(plan->planTree, list_length(set), view));
	plan->planTree = &modify->plan;
	plan->commandType = query->commandType;
	plan->canSetTag = query->canSetTag;
	plan->hasReturning = query->returningList != NIL;
}

/* ---- the hook ---- */

static PlannedStmt *
CallNext(PLANNER_PARAMETERS)
{
	return next_planner != NULL ? next_planner(PLANNER_ARGUMENTS) :
		standard_planner(PLANNER_ARGUMENTS);
}

static PlannedStmt *
PlanViewWrite(PLANNER_PARAMETERS)
{
	Relation	view = table_open(rt_fetch(query->resultRelation, query->rtable)->relid, NoLock);
	PlannedStmt *plan;

	CheckPlannable(query);
	(void) EntityViewHideColumns(query);
	/* its rows are written, which parallel mode does not allow */
	plan = CallNext(PLANNER_ARGUMENTS_OF(SelectOf(query, RelationGetDescr(view)), options & ~CURSOR_OPT_PARALLEL_OK));
	AddModifyTable(plan, query, view);
	table_close(view, NoLock);
	return plan;
}

static PlannedStmt *
PlanStatement(PLANNER_PARAMETERS)
{
	if (query->hasModifyingCTE)
		CheckWith(query);
	return WritesViewOfDistributed(query) ? PlanViewWrite(PLANNER_ARGUMENTS) :
		CallNext(PLANNER_ARGUMENTS);
}

void
PlanOfViewsInit(void)
{
	next_planner = planner_hook;
	planner_hook = PlanStatement;
}
