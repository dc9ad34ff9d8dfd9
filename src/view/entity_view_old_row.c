/*
 * entity_view_old_row.c
 *	  Leaves out of the old row of a view what the statement does not need.
 *
 * UPDATE and DELETE give the view's trigger the whole old row.  A column whose
 * attribute cannot be cast to its type would fail, though the statement does not
 * read it, and the error would show its value to a user who may not read it.  Our
 * trigger finds the item by its key columns, and compares the new row with the old
 * one to tell what the statement has set.  Therefore,
 *
 * - a column that the statement neither reads nor sets is null in the old row, and
 *	 so in the new one: its attribute does not change;
 * - a column that it sets, and does not read, is that of dynamo_internal.old_attribute,
 *	 which differs from the new value if the attribute cannot be cast.
 *
 * Columns that come from key columns stay.  If the view has other triggers, which may
 * read the row, only columns are null that the user may not read.
 *
 * Then the statement becomes an UPDATE of the table if it can (entity_view_update.c).
 *
 * If the table is distributed, the row is compared with the item that is locked later:
 * a column that the statement neither reads nor sets is only null if it cannot be cast.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "extension_objects.h"
#include "table/distribution.h"
#include "view/entity_view.h"
#include "view/typed_attribute.h"

static planner_hook_type next_planner = NULL;

/* A statement on a view, and its columns as the members of sets. */
typedef struct OldRow
{
	Query	   *query;
	RangeTblEntry *view;
	const PermissionsNode *perms;
	int			rows;			/* number of the subquery that reads the view's rows */
	int			depth;			/* of the query that a walker is in */
	Bitmapset  *read;			/* attribute numbers that the statement reads */
	Bitmapset  *returned;		/* those that it returns: as they are set, if they are */
	bool		alone;			/* the view has no trigger but ours */
	bool		distributed;	/* its table is */
} OldRow;

/* Whether the written relation is a view with our trigger; sets what is known of it. */
static bool
IsEntityView(OldRow *old)
{
	Relation	view = table_open(old->view->relid, NoLock);
	Oid			table = view->trigdesc == NULL ? InvalidOid : EntityViewTable(view);
	bool		found = OidIsValid(table) && HasTriggerOf(view, SystemFunctionOid(FUNCTION_ENTITY_VIEW_WRITE));

	old->alone = found && view->trigdesc->numtriggers == 1;
	old->distributed = found && RelationIsDistributed(table);
	table_close(view, NoLock);
	return found;
}

/* Whether an expression reads an item; an expression_tree_walker. */
static bool
ReadsItem(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->vartype == ItemTypeOid();
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, ReadsItem, context, 0);
	return expression_tree_walker(node, ReadsItem, context);
}

/* ---- the columns that a statement reads ---- */

static bool
IsOldRow(const Node *node)
{
	const TargetEntry *entry = (const TargetEntry *) node;

	return IsA(node, TargetEntry) && entry->resjunk && entry->resname != NULL && strcmp(entry->resname, ENTITY_OLD_ROW) == 0;
}

static void
AddRead(OldRow *old, const Var *var)
{
	bool		returned = (int) var->varno == old->query->resultRelation && !VarIsOfOldRow(var);
	int			member = var->varattno - FirstLowInvalidHeapAttributeNumber;

	if (returned && old->query->commandType == CMD_UPDATE)
		old->returned = bms_add_member(old->returned, member);
	else
		old->read = bms_add_member(old->read, member);
}

/* Collects the columns of the view that expressions read; a walker. */
static bool
CollectRead(Node *node, void *context)
{
	OldRow	   *old = context;

	if (node == NULL || (old->depth == 0 && IsOldRow(node)))
		return false;
	if (IsA(node, Var))
	{
		const Var  *var = (const Var *) node;

		if ((int) var->varlevelsup == old->depth && ((int) var->varno == old->rows || (int) var->varno == old->query->resultRelation))
			AddRead(old, var);
		return false;
	}
	if (IsA(node, Query))
	{
		bool		stops;

		old->depth++;
		stops = query_tree_walker((Query *) node, CollectRead, context, QTW_IGNORE_JOINALIASES);
		old->depth--;
		return stops;
	}
	return expression_tree_walker(node, CollectRead, context);
}

/* Whether a set of attribute numbers has a column, or the whole row. */
static bool
HasColumn(const Bitmapset *columns, AttrNumber column)
{
	return bms_is_member(column - FirstLowInvalidHeapAttributeNumber, columns) ||
		bms_is_member(InvalidAttrNumber - FirstLowInvalidHeapAttributeNumber, columns);
}

static bool
IsSet(const OldRow *old, AttrNumber column)
{
	return bms_is_member(column - FirstLowInvalidHeapAttributeNumber, old->perms->updatedCols);
}

static bool
ReadsColumn(const OldRow *old, AttrNumber column)
{
	return HasColumn(old->read, column) || (HasColumn(old->returned, column) && !IsSet(old, column));
}

static bool
MayRead(const OldRow *old, AttrNumber column)
{
	Oid			user = OidIsValid(old->perms->checkAsUser) ? old->perms->checkAsUser : GetUserId();

	return pg_class_aclcheck(old->view->relid, user, ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck(old->view->relid, column, user, ACL_SELECT) == ACLCHECK_OK;
}

/* ---- columns that the statement sets ---- */

/* Whether an expression depends on more than constants and parameters; an expression_tree_walker. */
static bool
IsNoConstant(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) || IsA(node, SubLink) || (IsA(node, Param) && ((Param *) node)->paramkind != PARAM_EXTERN))
		return true;
	return expression_tree_walker(node, IsNoConstant, context);
}

/* Returns the value that an UPDATE sets; NULL if it can differ from row to row. */
static Node *
FindSetValue(const OldRow *old, AttrNumber column)
{
	ListCell   *cell;

	foreach(cell, old->query->commandType == CMD_UPDATE ? old->query->targetList : NIL)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (!entry->resjunk && entry->resno == column)
			return IsNoConstant((Node *) entry->expr, NULL) || contain_volatile_functions((Node *) entry->expr) ?
				NULL : (Node *) entry->expr;
	}
	return NULL;
}

static bool
IsTypedAttribute(Oid function)
{
	const char *name = get_func_name(function);

	return name != NULL && strncmp(name, TYPED_ATTRIBUTE, strlen(TYPED_ATTRIBUTE)) == 0 &&
		get_func_namespace(function) == get_namespace_oid(SYSTEM_SCHEMA, true);
}

/* The function that is to replace one with nargs arguments: with another argument, or the same. */
static Oid
FindOldAttribute(int nargs, bool removes)
{
	Oid			types[] = {OIDOID, ItemTypeOid(), TEXTOID, ANYELEMENTOID, INT4OID, TEXTOID, BOOLOID};

	if (!removes)
		return ExtensionFunctionOid(SYSTEM_SCHEMA, TYPED_ATTRIBUTE_OR_NULL, types, nargs);
	if (nargs == TYPED_ATTRIBUTE_NARGS)
		types[nargs] = BOOLOID;
	return ExtensionFunctionOid(INTERNAL_SCHEMA, OLD_ATTRIBUTE, types, nargs + 1);
}

/*
 * Replaces the functions of views by the one of old rows; the context is the test whether
 * the column is removed, or NULL for the function that returns null.
 */
static Node *
MakeOldAttribute(Node *node, void *removes)
{
	FuncExpr   *call = (FuncExpr *) node;
	Oid			function;

	if (node == NULL)
		return NULL;
	if (!IsA(node, FuncExpr) || !IsTypedAttribute(call->funcid))
		return expression_tree_mutator(node, MakeOldAttribute, removes);
	function = FindOldAttribute(list_length(call->args), removes != NULL);
	if (!OidIsValid(function))
		return node;
	call = copyObject(call);
	call->funcid = function;
	if (removes != NULL)
		call->args = lappend(call->args, copyObject(removes));
	ReplaceTypeArgument(call);
	return (Node *) call;
}

/* A length has been applied to a value already, and must not be applied to what stands for one. */
static Node *
WithoutLength(Node *expr)
{
	Node	   *arg = IsA(expr, FuncExpr) && exprIsLengthCoercion(expr, NULL) ? linitial(((FuncExpr *) expr)->args) : NULL;

	return arg != NULL && IsA(arg, FuncExpr) && IsTypedAttribute(((FuncExpr *) arg)->funcid) ? arg : expr;
}

static Expr *
OldExpression(const OldRow *old, const TargetEntry *entry)
{
	Node	   *value = FindSetValue(old, entry->resno);
	NullTest   *removes;

	if (value == NULL)
		return entry->expr;
	removes = makeNode(NullTest);
	removes->arg = copyObject((Expr *) value);
	removes->nulltesttype = IS_NULL;
	removes->argisrow = false;
	removes->location = -1;
	return (Expr *) MakeOldAttribute(WithoutLength((Node *) entry->expr), removes);
}

/* ---- the old row ---- */

static void
HideColumn(const OldRow *old, TargetEntry *entry)
{
	Node	   *expr = (Node *) entry->expr;
	bool		hides = old->alone ? !ReadsColumn(old, entry->resno) : !HasColumn(old->perms->selectedCols, entry->resno) && !MayRead(old, entry->resno);

	if (entry->resjunk || !hides || !ReadsItem(expr, NULL))
		return;
	if (old->distributed)
		entry->expr = IsSet(old, entry->resno) ? entry->expr : (Expr *) MakeOldAttribute(expr, NULL);
	else if (old->alone && IsSet(old, entry->resno))
		entry->expr = OldExpression(old, entry);
	else
		entry->expr = (Expr *) makeNullConst(exprType(expr), exprTypmod(expr), exprCollation(expr));
}

/* Returns the number of the subquery that reads the view's rows; 0 if there is none. */
static int
FindOldRows(const Query *query)
{
	ListCell   *cell;

	if (query->commandType == CMD_MERGE)
		return MergeTargetOf(query);
	foreach(cell, query->targetList)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (IsOldRow((const Node *) entry) && IsA(entry->expr, Var))
			return castNode(Var, entry->expr)->varno;
	}
	return 0;
}

/* Returns whether the plan of a statement depends on the user. */
static bool
HideInStatement(Query *query)
{
	OldRow		old = {.query = query, .rows = FindOldRows(query)};
	RangeTblEntry *rows;
	List	   *shown;
	ListCell   *cell;

	if (query->resultRelation == 0 || query->commandType == CMD_INSERT)
		return false;
	old.view = rt_fetch(query->resultRelation, query->rtable);
	if (old.view->relkind != RELKIND_VIEW || !IsEntityView(&old) || (old.distributed && !old.alone))
		return false;
	rows = old.rows == 0 ? NULL : rt_fetch(old.rows, query->rtable);
	if (rows == NULL || rows->rtekind != RTE_SUBQUERY)
		return false;
	old.perms = GetPermissionsNode(query, old.view);
	if (old.alone)
		(void) query_tree_walker(query, CollectRead, &old, QTW_IGNORE_JOINALIASES);
	shown = copyObject(rows->subquery->targetList);
	foreach(cell, rows->subquery->targetList)
		HideColumn(&old, lfirst_node(TargetEntry, cell));
	if (old.alone && !old.distributed)
		(void) EntityViewUpdateTable(query, old.rows, shown);
	return !old.alone;
}

bool
EntityViewHideColumns(Query *query)
{
	bool		by_user = HideInStatement(query);
	ListCell   *cell;

	foreach(cell, query->cteList)
	{
		Node	   *with = lfirst_node(CommonTableExpr, cell)->ctequery;

		if (query->hasModifyingCTE && IsA(with, Query))
			by_user |= HideInStatement((Query *) with);
	}
	return by_user;
}

/* ---- the planner ---- */

static PlannedStmt *
PlanQuery(PLANNER_PARAMETERS)
{
	bool		by_role = EntityViewHideColumns(query);
	PlannedStmt *plan = next_planner != NULL ? next_planner(PLANNER_ARGUMENTS) :
		standard_planner(PLANNER_ARGUMENTS);

	plan->dependsOnRole |= by_role;
	return plan;
}

void
EntityViewPlanInit(void)
{
	next_planner = planner_hook;
	planner_hook = PlanQuery;
}
