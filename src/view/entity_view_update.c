/*
 * entity_view_update.c
 *	  UPDATE of an entity view as an UPDATE of its table.
 *
 * An INSTEAD OF trigger gets whole rows: each row of the view is made, found again in the
 * table and locked.  Where nothing but our trigger takes part, the planner is given
 *
 *	UPDATE table t SET item = dynamo_internal.set_columns(view, table, entity, t.item,
 *	  'attribute', old value, new value, ...) WHERE (condition of the view) AND ...
 *
 * in place of the statement on the view.  As in any UPDATE of a table, PostgreSQL waits for
 * a concurrent change and evaluates the statement again.  set_columns does what the trigger
 * does: it changes the attributes whose values differ, and refuses an item that the view
 * would not show.  The table's own trigger composes and derives the keys.
 *
 * The old values are the expressions of entity_view_old_row.c.  The trigger remains for
 * statements and tables that TakesStatement() excludes.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "rewrite/rewriteManip.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "extension_objects.h"
#include "item/convert.h"
#include "table/object_names.h"
#include "view/attribute.h"
#include "view/entity_view_row.h"

/* Arguments of set_columns before the columns, and of each column. */
#define SET_COLUMNS			"set_columns"
#define SET_COLUMNS_NARGS	4
#define ARGS_OF_COLUMN		3

/* ---- planning: may the table be updated instead? ---- */

/* Whether an UPDATE of the table has no other effects than the trigger of a view of it. */
static bool
TakesUpdates(Relation table)
{
	TupleConstr *constr = RelationGetDescr(table)->constr;

	return table->rd_rel->relkind == RELKIND_RELATION && !table->rd_rel->relrowsecurity && table->rd_rules == NULL &&
		!has_subclass(RelationGetRelid(table)) && (constr == NULL || !constr->has_generated_stored);
}

/* Whether each row of a view's query is one of its only table, and is computed from it alone. */
static bool
IsRowOfTable(Query *rows, Oid table)
{
	RangeTblEntry *base;

	if (rows->hasSubLinks || view_query_is_auto_updatable(rows, false) != NULL ||
		contain_volatile_functions((Node *) rows->targetList))
		return false;
	base = rt_fetch(linitial_node(RangeTblRef, rows->jointree->fromlist)->rtindex, rows->rtable);
	return base->rtekind == RTE_RELATION && base->relid == table && base->securityQuals == NIL;
}

/* SET (a, b) = (SELECT ...) has more junk than the old row, and is left to the trigger. */
static bool
HasOtherJunk(const Query *query)
{
	ListCell   *cell;
	int			n = 0;

	foreach(cell, query->targetList)
		n += lfirst_node(TargetEntry, cell)->resjunk;
	return n != 1;
}

static bool
TakesStatement(const Query *query, const RangeTblEntry *rows, Relation view, Relation table)
{
	return query->commandType == CMD_UPDATE && query->withCheckOptions == NIL && !HasOtherJunk(query) &&
		RelationHasSecurityInvoker(view) && !rows->security_barrier && rows->securityQuals == NIL &&
		rt_fetch(query->resultRelation, query->rtable)->securityQuals == NIL &&
		TakesUpdates(table) && IsRowOfTable(rows->subquery, RelationGetRelid(table));
}

/* ---- planning: the new value of the item ---- */

static Node *
TextConstant(Slice text)
{
	if (text.data == NULL)
		return (Node *) makeNullConst(TEXTOID, -1, DEFAULT_COLLATION_OID);
	return (Node *) makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, PointerGetDatum(SliceToText(text)), false, false);
}

static Node *
OidConstant(Oid oid)
{
	return (Node *) makeConst(OIDOID, -1, InvalidOid, sizeof(Oid), ObjectIdGetDatum(oid), false, true);
}

/* Whether a call of set_columns can have so many columns. */
static bool
FitsIntoCall(Bitmapset *columns)
{
	return SET_COLUMNS_NARGS + ARGS_OF_COLUMN * bms_num_members(columns) <= FUNC_MAX_ARGS;
}

/* Whether no column is elsewhere than in the view's definition, and all that an UPDATE sets are of attributes. */
static bool
SetsAttributes(Relation view, Bitmapset *columns)
{
	const EntityViewDef *def = EntityViewDefOf(view);

	for (int i = 0; i < RelationGetDescr(view)->natts; i++)
	{
		int			defined = EntityColumnNumber(def, NameStr(TupleDescAttr(RelationGetDescr(view), i)->attname));

		if (defined >= 0 && defined != i)
			return false;
		if (EntityColumnAttribute(def, i).data == NULL && bms_is_member(i + 1 - FirstLowInvalidHeapAttributeNumber, columns))
			return false;
	}
	return true;
}

/* Appends the names of the columns that an UPDATE sets, their old and their new values. */
static List *
AppendColumns(List *args, const List *targets, Bitmapset *columns, const List *old, const EntityViewDef *def)
{
	ListCell   *cell;

	foreach(cell, targets)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (entry->resjunk || !bms_is_member(entry->resno - FirstLowInvalidHeapAttributeNumber, columns))
			continue;
		args = lappend(args, TextConstant(EntityColumnAttribute(def, entry->resno - 1)));
		args = lappend(args, copyObject(list_nth_node(TargetEntry, old, entry->resno - 1)->expr));
		args = lappend(args, entry->expr);
	}
	return args;
}

static Oid
SetColumnsFunction(void)
{
	Oid			types[] = {OIDOID, OIDOID, TEXTOID, ItemTypeOid(), ANYOID};

	return ExtensionFunctionOid(INTERNAL_SCHEMA, SET_COLUMNS, types, SET_COLUMNS_NARGS + 1);
}

/* The target list of the table's UPDATE; targets are those of the view's. */
static List *
TableTargets(const List *targets, Bitmapset *columns, const List *old, int rows, Relation view, Relation table)
{
	AttrNumber	attnum = get_attnum(RelationGetRelid(table), ITEM_COLUMN);
	const EntityViewDef *def = EntityViewDefOf(view);
	List	   *args = list_make4(OidConstant(RelationGetRelid(view)), OidConstant(RelationGetRelid(table)), TextConstant(def->entity),
								  makeVar(rows, attnum, ItemTypeOid(), -1, InvalidOid, 0));
	FuncExpr   *call = makeFuncExpr(SetColumnsFunction(), ItemTypeOid(), AppendColumns(args, targets, columns, old, def),
									InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);

	return list_make1(makeTargetEntry((Expr *) call, attnum, pstrdup(ITEM_COLUMN), false));
}

/* ---- planning: the statement ---- */

/* Puts the table into the query in place of the subquery that reads the view's rows. */
static void
PlaceTable(Query *query, int rows, Relation table)
{
	Query	   *subquery = rt_fetch(rows, query->rtable)->subquery;
	RangeTblEntry *base = rt_fetch(linitial_node(RangeTblRef, subquery->jointree->fromlist)->rtindex, subquery->rtable);
	PermissionsNode *reads = GetPermissionsNode(subquery, base);
	RangeTblEntry *target = copyObject(base);
	PermissionsNode *perms;

	ForgetPermissionsNode(target);
	perms = AddPermissionsNode(query, target);
	perms->requiredPerms = reads->requiredPerms | ACL_UPDATE;
	perms->checkAsUser = reads->checkAsUser;
	perms->selectedCols = bms_copy(reads->selectedCols);
	perms->updatedCols = bms_make_singleton(get_attnum(RelationGetRelid(table), ITEM_COLUMN) - FirstLowInvalidHeapAttributeNumber);
	target->rellockmode = RowExclusiveLock;
	lfirst(list_nth_cell(query->rtable, rows - 1)) = target;
	query->resultRelation = rows;
}

/* Returns a part of the view's query, with the table's number in the statement. */
static Node *
PartOfView(const Query *subquery, const void *part, int rows)
{
	Node	   *copy = copyObject((Node *) part);

	ChangeVarNodes(copy, linitial_node(RangeTblRef, subquery->jointree->fromlist)->rtindex, rows, 0);
	return copy;
}

/*
 * Adds the condition of the view where it would be if the planner had pulled up the view,
 * below the statement's own: planner support of the condition expects it there.
 */
static void
AddViewQuals(Query *query, int rows, Node *quals)
{
	ListCell   *cell;

	foreach(cell, query->jointree->fromlist)
	{
		RangeTblRef *ref = lfirst(cell);

		if (IsA(ref, RangeTblRef) && ref->rtindex == rows)
		{
			lfirst(cell) = makeFromExpr(list_make1(ref), quals);
			return;
		}
	}
	AddQual(query, quals);
}

/*
 * Makes the UPDATE of a view one of its table.  Columns of the view in RETURNING belong to
 * the written relation, and show the table's new row; all others show the old one.
 */
static void
MakeTableUpdate(Query *query, int rows, const List *shown, Relation view, Relation table)
{
	RangeTblEntry *written = rt_fetch(query->resultRelation, query->rtable);
	Bitmapset  *columns = GetPermissionsNode(query, written)->updatedCols;
	Query	   *subquery = rt_fetch(rows, query->rtable)->subquery;
	List	   *old = (List *) PartOfView(subquery, subquery->targetList, rows);
	List	   *new = (List *) PartOfView(subquery, shown, rows);
	Node	   *quals = PartOfView(subquery, subquery->jointree->quals, rows);
	int			number = query->resultRelation;

	query->targetList = list_delete_last(query->targetList);	/* the old row */
	*query = *(Query *) ReplaceVarsByTargets((Node *) query, rows, written, old, rows, NULL);
	query->targetList = TableTargets(query->targetList, columns, old, rows, view, table);
	query->returningList = (List *) ReplaceVarsByTargets((Node *) query->returningList, number, written, new, rows,
														 &query->hasSubLinks);
	PlaceTable(query, rows, table);
	AddViewQuals(query, rows, quals);
}

bool
EntityViewUpdateTable(Query *query, int rows, const List *shown)
{
	RangeTblEntry *written = rt_fetch(query->resultRelation, query->rtable);
	Relation	view = table_open(written->relid, NoLock);
	Relation	table = table_open(EntityViewTable(view), NoLock);
	bool		takes = TakesStatement(query, rt_fetch(rows, query->rtable), view, table) &&
		OidIsValid(SetColumnsFunction()) &&
		FitsIntoCall(GetPermissionsNode(query, written)->updatedCols) &&
		SetsAttributes(view, GetPermissionsNode(query, written)->updatedCols);

	if (takes)
	{
		LockRelation(table, RowExclusiveLock);
		MakeTableUpdate(query, rows, shown, view, table);
	}
	table_close(table, NoLock);
	table_close(view, NoLock);
	return takes;
}

/* ---- executing ---- */

static void
CheckColumnArguments(FunctionCallInfo fcinfo)
{
	bool		valid = (PG_NARGS() - SET_COLUMNS_NARGS) % ARGS_OF_COLUMN == 0;

	for (int i = SET_COLUMNS_NARGS; valid && i < PG_NARGS(); i += ARGS_OF_COLUMN)
	{
		Oid			type = get_fn_expr_argtype(fcinfo->flinfo, i + 1);

		valid = get_fn_expr_argtype(fcinfo->flinfo, i) == TEXTOID && !PG_ARGISNULL(i) &&
			OidIsValid(type) && type == get_fn_expr_argtype(fcinfo->flinfo, i + 2) && TypeCanHoldAttribute(type);
	}
	if (!valid)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("columns must be names of type text, each with an old and a new value of one type")));
}

/* Sets *column to the new value of a column; returns whether it differs from the old one. */
static bool
ReadColumnArgument(FunctionCallInfo fcinfo, int i, SetColumn *column)
{
	int16		length;
	bool		by_value;

	column->attribute = SliceOfVarlena(PG_GETARG_TEXT_PP(i));
	column->type = get_fn_expr_argtype(fcinfo->flinfo, i + 1);
	column->value = PG_GETARG_DATUM(i + 2);
	column->isnull = PG_ARGISNULL(i + 2);
	if (PG_ARGISNULL(i + 1) || column->isnull)
		return PG_ARGISNULL(i + 1) != column->isnull;
	get_typlenbyval(column->type, &length, &by_value);
	return !datum_image_eq(PG_GETARG_DATUM(i + 1), column->value, by_value, length);
}

/* Returns the item with the changed columns. */
static struct varlena *
SetItemColumns(FunctionCallInfo fcinfo, TableDef *table)
{
	EntityViewDef def = {.entity = PG_ARGISNULL(2) ? MISSING_SLICE : SliceOfVarlena(PG_GETARG_TEXT_PP(2))};
	EntityRow	row = {.def = &def, .table = table, .view_oid = PG_GETARG_OID(0)};
	SetColumn  *columns = palloc(sizeof(SetColumn) * PG_NARGS());
	int			n = 0;

	for (int i = SET_COLUMNS_NARGS; i < PG_NARGS(); i += ARGS_OF_COLUMN)
		n += ReadColumnArgument(fcinfo, i, &columns[n]);
	return EntityItemWithColumns(&row, columns, n, PG_GETARG_VALUE(3));
}

/*
 * set_columns(view oid, relation oid, entity text, item dynamo.item, VARIADIC columns "any")
 * returns dynamo.item
 */
DYNAMO_FUNCTION(dynamo_set_columns);
Datum
dynamo_set_columns(PG_FUNCTION_ARGS)
{
	Relation	rel;
	TableDef   *table;
	struct varlena *item;

	CheckColumnArguments(fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(3))
		PG_RETURN_NULL();
	rel = table_open(PG_GETARG_OID(1), AccessShareLock);
	table = TableDefAcquire(rel);
	item = SetItemColumns(fcinfo, table);
	TableDefRelease(table);
	table_close(rel, NoLock);
	PG_RETURN_POINTER(item);
}
