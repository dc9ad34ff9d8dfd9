/*
 * entity_view_old_row.c
 *	  Leaves out of the old row of a view what its user may not read.
 *
 * UPDATE and DELETE give the view's trigger the whole old row, whatever columns
 * the user has rights to.  A column that cannot be computed, because the item has
 * an attribute of another type, would raise an error that contains its value.
 * Columns that the user may not read, and that the statement does not name, are
 * therefore null in the old row, and in the new one, so that their attributes do
 * not change.  Columns that come from key columns stay: the trigger finds the
 * item by them.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "table/distribution.h"
#include "table/objects.h"
#include "view/entity_view.h"

/* Whether a relation is a view with our trigger whose rows are on this server. */
static bool
IsLocalEntityView(Oid relid)
{
	Relation	view = table_open(relid, NoLock);
	Oid			table = view->trigdesc == NULL ? InvalidOid : EntityViewTable(view);
	bool		found = OidIsValid(table) && HasTriggerOf(view, DynamoFunctionOid(FUNCTION_ENTITY_VIEW_WRITE)) &&
		!RelationIsDistributed(table);

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

/* Whether the statement names a column, or the whole row. */
static bool
IsNamed(const PermissionsNode *perms, AttrNumber column)
{
	return bms_is_member(column - FirstLowInvalidHeapAttributeNumber, perms->selectedCols) ||
		bms_is_member(InvalidAttrNumber - FirstLowInvalidHeapAttributeNumber, perms->selectedCols);
}

static void
HideColumns(const RangeTblEntry *view, const PermissionsNode *perms, const Query *rows)
{
	Oid			user = OidIsValid(perms->checkAsUser) ? perms->checkAsUser : GetUserId();
	ListCell   *cell;

	if (pg_class_aclcheck(view->relid, user, ACL_SELECT) == ACLCHECK_OK)
		return;
	foreach(cell, rows->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);
		Node	   *expr = (Node *) entry->expr;

		if (!entry->resjunk && !IsNamed(perms, entry->resno) && ReadsItem(expr, NULL) &&
			pg_attribute_aclcheck(view->relid, entry->resno, user, ACL_SELECT) != ACLCHECK_OK)
			entry->expr = (Expr *) makeNullConst(exprType(expr), exprTypmod(expr), exprCollation(expr));
	}
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

		if (entry->resjunk && IsA(entry->expr, Var) && strcmp(entry->resname, ENTITY_OLD_ROW) == 0)
			return castNode(Var, entry->expr)->varno;
	}
	return 0;
}

static bool
HideInStatement(const Query *query)
{
	RangeTblEntry *view;
	const RangeTblEntry *rows;
	int			number;

	if (query->resultRelation == 0 || query->commandType == CMD_INSERT)
		return false;
	view = rt_fetch(query->resultRelation, query->rtable);
	if (view->relkind != RELKIND_VIEW || !IsLocalEntityView(view->relid))
		return false;
	number = FindOldRows(query);
	rows = number == 0 ? NULL : rt_fetch(number, query->rtable);
	if (rows != NULL && rows->rtekind == RTE_SUBQUERY)
		HideColumns(view, GetPermissionsNode(query, view), rows->subquery);
	return true;
}

bool
EntityViewHideColumns(const Query *query)
{
	bool		hides = HideInStatement(query);
	ListCell   *cell;

	foreach(cell, query->cteList)
	{
		const Node *with = lfirst_node(CommonTableExpr, cell)->ctequery;

		if (query->hasModifyingCTE && IsA(with, Query))
			hides |= HideInStatement((const Query *) with);
	}
	return hides;
}
