/*
 * entity_write.c
 *	  dynamo.entity_view_write: the INSTEAD OF trigger of entity views.
 *
 * A row of the view is a part of an item.  INSERT makes an item of its
 * columns; UPDATE locks the item, changes the attributes whose columns
 * changed and keeps all others, those the view does not show included; DELETE
 * deletes it.  All with plain statements on the table, as the caller, so that
 * privileges, row security, triggers and constraints of the table apply.
 *
 * Memory: what a statement needs for all its rows (Writer) lives in the
 * trigger function's own context, the work on one row in the caller's.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/rel.h"

#include "catalog/objects.h"
#include "compat.h"
#include "errors.h"
#include "item/builder.h"
#include "sql/attribute.h"
#include "sql/entity.h"
#include "sql/plans.h"
#include "sql/template.h"

typedef enum WriterPlan
{
	PLAN_INSERT,
	PLAN_READ,
	PLAN_LOCK,
	PLAN_UPDATE,
	PLAN_DELETE
} WriterPlan;

#define PLAN_COUNT		5

typedef struct Writer
{
	MemoryContext context;
	EntityDef  *def;
	Oid			table;
	Slice	   *attributes;		/* of the view's columns; data NULL: none */
	SPIPlanPtr	plans[PLAN_COUNT];
} Writer;

/* One row under way. */
typedef struct RowWrite
{
	const Writer *writer;
	Relation	view;
	const TableDef *table;
	HeapTuple	old;			/* rows of the view, or NULL */
	HeapTuple	new;
} RowWrite;

/* ---- the writer of a statement ---- */

/*
 * The table that the view selects from: what its query names first.  Anybody
 * can put our trigger on a view of another kind.
 */
static Oid
TableOfView(Relation view)
{
	Query	   *query = get_view_query(view);
	Node	   *from = query->jointree->fromlist == NIL ? NULL : linitial(query->jointree->fromlist);
	RangeTblEntry *rte = NULL;

	if (from != NULL && IsA(from, RangeTblRef))
		rte = rt_fetch(((RangeTblRef *) from)->rtindex, query->rtable);
	if (rte == NULL || rte->rtekind != RTE_RELATION)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is no entity view", RelationGetRelationName(view))));
	return rte->relid;
}

static Writer *
CreateWriter(const TriggerData *trigger)
{
	Writer	   *writer = palloc0(sizeof(Writer));
	TupleDesc	desc = RelationGetDescr(trigger->tg_relation);

	if (trigger->tg_trigger->tgnargs != 1)
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo.%s needs a definition", FUNCTION_ENTITY_VIEW_WRITE),
				 errhint("Create the view with dynamo.create_entity_view.")));
	writer->context = CurrentMemoryContext;
	writer->def = EntityDefRead(trigger->tg_trigger->tgargs[0]);
	writer->table = TableOfView(trigger->tg_relation);
	writer->attributes = palloc(sizeof(Slice) * desc->natts);
	for (int i = 0; i < desc->natts; i++)
		writer->attributes[i] = EntityColumnAttribute(writer->def,
													  NameStr(TupleDescAttr(desc, i)->attname));
	return writer;
}

static Writer *
GetWriter(FmgrInfo *flinfo, const TriggerData *trigger)
{
	if (flinfo->fn_extra == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(flinfo->fn_mcxt);

		flinfo->fn_extra = CreateWriter(trigger);
		MemoryContextSwitchTo(caller);
	}
	return flinfo->fn_extra;
}

/* ---- statements on the table ---- */

/* Appends "WHERE key = $first AND ..."; the types of the parameters are set. */
static void
AppendKeyCondition(StringInfo sql, const TableDef *table, int first, Oid *types)
{
	for (int i = 0; i < table->key.npartition + table->key.nsort; i++)
	{
		const AttributeDef *attr = &table->attributes[table->key_attributes[i]];

		appendStringInfo(sql, "%s %s OPERATOR(pg_catalog.=) $%d",
						 i == 0 ? " WHERE" : " AND",
						 quote_identifier(attr->column), first + i);
		types[first + i - 1] = KeyColumnType(attr->type);
	}
}

static SPIPlanPtr
GetPlan(Writer *writer, const TableDef *table, WriterPlan which)
{
	char	   *name = RelationSqlName(writer->table);
	Oid			types[3] = {ItemTypeOid()};
	int			nkeys = table->key.npartition + table->key.nsort;
	int			nargs = nkeys;
	StringInfoData sql;

	if (writer->plans[which] != NULL)
		return writer->plans[which];

	initStringInfo(&sql);
	switch (which)
	{
		case PLAN_INSERT:
			appendStringInfo(&sql, "INSERT INTO %s (item) VALUES ($1)", name);
			nargs = 1;
			break;
		case PLAN_READ:
		case PLAN_LOCK:
			appendStringInfo(&sql, "SELECT item FROM %s", name);
			AppendKeyCondition(&sql, table, 1, types);
			if (which == PLAN_LOCK)
				appendStringInfoString(&sql, " FOR NO KEY UPDATE");
			break;
		case PLAN_UPDATE:
			appendStringInfo(&sql, "UPDATE %s SET item = $1", name);
			AppendKeyCondition(&sql, table, 2, types);
			nargs++;
			break;
		case PLAN_DELETE:
			appendStringInfo(&sql, "DELETE FROM %s", name);
			AppendKeyCondition(&sql, table, 1, types);
			break;
	}
	writer->plans[which] = PrepareForContext(writer->context, sql.data, nargs, types);
	return writer->plans[which];
}

/* PLAN_READ reads under the snapshot of the statement on the view. */
static uint64
ExecutePlan(const RowWrite *row, WriterPlan which, Datum *args)
{
	int			result = SPI_execute_plan(GetPlan(unconstify(Writer *, row->writer), row->table, which),
										  args, NULL, which == PLAN_READ, 0);

	if (result < 0)
		elog(ERROR, "SPI_execute_plan failed: %s", SPI_result_code_string(result));
	return SPI_processed;
}

/* ---- columns and attributes ---- */

static Oid
ColumnType(const RowWrite *row, int column)
{
	return TupleDescAttr(RelationGetDescr(row->view), column)->atttypid;
}

/*
 * The attribute value in a column of a row; NULL for null.  before: the value
 * that it replaces, or missing.
 */
static struct varlena *
ColumnAttribute(const RowWrite *row, HeapTuple tuple, int column, ValueRef before)
{
	bool		isnull;
	Datum		datum = heap_getattr(tuple, column + 1, RelationGetDescr(row->view), &isnull);

	return isnull ? NULL : AttributeFromDatum(datum, ColumnType(row, column), before);
}

static int
ColumnOfAttribute(const RowWrite *row, Slice attribute)
{
	for (int i = 0; i < RelationGetDescr(row->view)->natts; i++)
	{
		if (row->writer->attributes[i].data != NULL &&
			SliceCompare(row->writer->attributes[i], attribute) == 0)
			return i;
	}
	return -1;
}

/* Whether the statement gave the column a value of its own. */
static bool
ColumnSupplied(const RowWrite *row, int column)
{
	TupleDesc	desc = RelationGetDescr(row->view);
	Form_pg_attribute att = TupleDescAttr(desc, column);
	bool		isnull;
	bool		old_null;
	Datum		datum = heap_getattr(row->new, column + 1, desc, &isnull);
	Datum		before;

	if (row->old == NULL)
		return !isnull;
	before = heap_getattr(row->old, column + 1, desc, &old_null);
	if (isnull || old_null)
		return isnull != old_null;
	return !datum_image_eq(datum, before, att->attbyval, att->attlen);
}

/* The parameters that name the old row's key. */
static void
OldKeyArguments(const RowWrite *row, Datum *args)
{
	for (int i = 0; i < row->table->key.npartition + row->table->key.nsort; i++)
	{
		const AttributeDef *attr = &row->table->attributes[row->table->key_attributes[i]];
		int			column = ColumnOfAttribute(row, attr->name);
		struct varlena *value = (column < 0) ? NULL : ColumnAttribute(row, row->old, column, MISSING_VALUE);

		if (value == NULL || ValueTypeOf(ItemRoot(value)) != attr->type)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("view \"%s\" does not show key attribute %s of its table as it is",
							RelationGetRelationName(row->view), attr->name.data)));
		args[i] = KeyValueToDatum(attr, ItemRoot(value));
	}
}

/* ---- the new item ---- */

static void
AddEntries(ItemBuilder *builder, ValueRef map)
{
	Container	entries;

	if (ValueIsMissing(map))
		return;
	ContainerOpen(map, &entries);
	for (uint32 i = 0; i < entries.count; i++)
	{
		Slice		name;
		ValueRef	value = MapEntry(&entries, i, &name);

		ItemBuilderName(builder, name.data, name.len);
		ItemBuilderValue(builder, value);
	}
}

/* An attribute that the statement sets to null is removed. */
static bool
IsRemoved(const RowWrite *row, Slice name)
{
	int			column = ColumnOfAttribute(row, name);

	return column >= 0 && ColumnSupplied(row, column) &&
		ColumnAttribute(row, row->new, column, MISSING_VALUE) == NULL;
}

static void
AddKeptEntries(const RowWrite *row, ItemBuilder *builder, ValueRef item)
{
	Container	entries;

	ContainerOpen(item, &entries);
	for (uint32 i = 0; i < entries.count; i++)
	{
		Slice		name;
		ValueRef	value = MapEntry(&entries, i, &name);

		if (IsRemoved(row, name))
			continue;
		ItemBuilderName(builder, name.data, name.len);
		ItemBuilderValue(builder, value);
	}
}

static void
AddColumns(const RowWrite *row, ItemBuilder *builder, ValueRef locked)
{
	for (int i = 0; i < RelationGetDescr(row->view)->natts; i++)
	{
		Slice		name = row->writer->attributes[i];
		struct varlena *value;

		if (name.data == NULL || !ColumnSupplied(row, i) ||
			EntityTemplate(row->writer->def, name).data != NULL)
			continue;
		value = ColumnAttribute(row, row->new, i,
								AttributeFind(locked, name.data, name.len));
		if (value == NULL)
			continue;
		ItemBuilderName(builder, name.data, name.len);
		ItemBuilderValue(builder, ItemRoot(value));
	}
}

/* The item with the row's columns; locked: the item before, or missing. */
static struct varlena *
MergeColumns(const RowWrite *row, ValueRef locked)
{
	ItemBuilder *builder = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);

	ItemBuilderBeginMap(builder);
	if (ValueIsMissing(locked))
		AddEntries(builder, row->writer->def->attributes);
	else
		AddKeptEntries(row, builder, locked);
	AddColumns(row, builder, locked);
	ItemBuilderEnd(builder);
	return ItemBuilderFinish(builder);
}

/* A composed key is what the template makes it: nobody else sets it. */
static void
CheckSuppliedKey(const RowWrite *row, Slice attribute, const StringInfo key)
{
	int			column = ColumnOfAttribute(row, attribute);
	struct varlena *value;

	if (column < 0 || !ColumnSupplied(row, column))
		return;
	value = ColumnAttribute(row, row->new, column, MISSING_VALUE);
	if (value == NULL ||
		SliceCompare(ValuePayload(ItemRoot(value)), (Slice) {key->data, key->len}) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("column \"%s\" of view \"%s\" contradicts the template of its key",
						NameStr(TupleDescAttr(RelationGetDescr(row->view), column)->attname),
						RelationGetRelationName(row->view)),
				 errhint("Leave the column out: it is composed of other attributes.")));
}

static bool
IsTableKey(const TableDef *table, Slice name)
{
	for (int i = 0; i < table->key.npartition + table->key.nsort; i++)
	{
		if (SliceCompare(table->key.attributes[i].name, name) == 0)
			return true;
	}
	return false;
}

/*
 * The item with its composed keys.  The key of an index is left out when an
 * attribute that it needs is missing, so that the item is not in that index.
 */
static struct varlena *
ComposeKeys(const RowWrite *row, struct varlena *item)
{
	ItemBuilder *builder = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);
	ValueRef	root = ItemRoot(item);
	Container	keys;
	Container	entries;

	if (ValueIsMissing(row->writer->def->keys))
		return item;
	ItemBuilderBeginMap(builder);
	ContainerOpen(root, &entries);
	for (uint32 i = 0; i < entries.count; i++)
	{
		Slice		name;
		ValueRef	value = MapEntry(&entries, i, &name);

		if (EntityTemplate(row->writer->def, name).data != NULL)
			continue;
		ItemBuilderName(builder, name.data, name.len);
		ItemBuilderValue(builder, value);
	}

	ContainerOpen(row->writer->def->keys, &keys);
	for (uint32 i = 0; i < keys.count; i++)
	{
		Slice		name;
		Slice		template = ValuePayload(MapEntry(&keys, i, &name));
		Slice		missing;
		StringInfoData key;

		initStringInfo(&key);
		if (TemplateRender(template, root, &key, &missing))
		{
			CheckSuppliedKey(row, name, &key);
			ItemBuilderName(builder, name.data, name.len);
			ItemBuilderString(builder, key.data, key.len);
		}
		else if (IsTableKey(row->table, name))
			ereport(ERROR,
					(errcode(ERRCODE_NOT_NULL_VIOLATION),
					 errmsg("key attribute %.*s of view \"%s\" needs attribute %.*s",
							(int) name.len, name.data, RelationGetRelationName(row->view),
							(int) missing.len, missing.data),
					 errdetail("Its template is %.*s.", (int) template.len, template.data)));
	}
	ItemBuilderEnd(builder);
	return ItemBuilderFinish(builder);
}

static void
CheckKind(const RowWrite *row, const struct varlena *item)
{
	if (!EntityMatches(row->writer->def, row->table, ItemRoot(item)))
		ereport(ERROR,
				(errcode(ERRCODE_WITH_CHECK_OPTION_VIOLATION),
				 errmsg("new row would not be in view \"%s\"",
						RelationGetRelationName(row->view)),
				 errdetail("The item is not of the kind that the view shows.")));
}

/* The row as it now is in the view, for RETURNING: composed keys filled in. */
static HeapTuple
ResultRow(const RowWrite *row, const struct varlena *item)
{
	TupleDesc	desc = RelationGetDescr(row->view);
	HeapTuple	result = row->new;

	for (int i = 0; i < desc->natts; i++)
	{
		Slice		name = row->writer->attributes[i];
		int			column = i + 1;
		bool		isnull = false;
		ValueRef	value;
		Datum		key;

		if (name.data == NULL || EntityTemplate(row->writer->def, name).data == NULL ||
			ColumnType(row, i) != TEXTOID)
			continue;
		value = AttributeFind(ItemRoot(item), name.data, name.len);
		isnull = ValueIsMissing(value);
		key = isnull ? (Datum) 0 :
			PointerGetDatum(cstring_to_text_with_len(ValuePayload(value).data,
													 ValuePayload(value).len));
		result = heap_modify_tuple_by_cols(result, desc, 1, &column, &key, &isnull);
	}
	return result;
}

/* ---- the three events ---- */

static HeapTuple
InsertRow(const RowWrite *row)
{
	struct varlena *item = ComposeKeys(row, MergeColumns(row, MISSING_VALUE));
	Datum		args[1] = {PointerGetDatum(item)};

	CheckKind(row, item);
	if (ExecutePlan(row, PLAN_INSERT, args) == 0)
		return NULL;
	return ResultRow(row, item);
}

/* The item at a key, by PLAN_READ or PLAN_LOCK; NULL if there is none. */
static struct varlena *
FetchItem(const RowWrite *row, WriterPlan which, Datum *key)
{
	bool		isnull;

	if (ExecutePlan(row, which, key) == 0)
		return NULL;
	return PG_DETOAST_DATUM_PACKED(SPI_getbinval(SPI_tuptable->vals[0],
												 SPI_tuptable->tupdesc, 1, &isnull));
}

/*
 * In READ COMMITTED the item may have changed since the statement read it,
 * and what the statement set its columns to may have been computed from it
 * (total = total + 1).  PostgreSQL would compute it again for a table; a
 * trigger cannot, so that a change of the same attribute is an error.
 */
static void
CheckUnchanged(const RowWrite *row, ValueRef locked, Datum *key)
{
	struct varlena *item = FetchItem(row, PLAN_READ, key);

	if (item == NULL)
		return;
	for (int i = 0; i < RelationGetDescr(row->view)->natts; i++)
	{
		Slice		name = row->writer->attributes[i];
		ValueRef	before;
		ValueRef	now;

		if (name.data == NULL || !ColumnSupplied(row, i))
			continue;
		before = AttributeFind(ItemRoot(item), name.data, name.len);
		now = AttributeFind(locked, name.data, name.len);
		if (ValueIsMissing(before) ? !ValueIsMissing(now) : !ValueEqual(before, now))
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("could not serialize access due to concurrent update"),
					 errdetail("Attribute %.*s was changed by another transaction.",
							   (int) name.len, name.data),
					 errhint("Try again.")));
	}
}

/* Locks the old row's item; NULL if it is gone or no longer of the kind. */
static struct varlena *
LockItem(const RowWrite *row, Datum *key)
{
	struct varlena *item = FetchItem(row, PLAN_LOCK, key);

	if (item == NULL || !EntityMatches(row->writer->def, row->table, ItemRoot(item)))
		return NULL;
	if (!IsolationUsesXactSnapshot())
		CheckUnchanged(row, ItemRoot(item), key);
	return item;
}

static HeapTuple
UpdateRow(const RowWrite *row)
{
	Datum		args[3];
	struct varlena *item;

	OldKeyArguments(row, args + 1);
	item = LockItem(row, args + 1);
	if (item == NULL)
		return NULL;
	item = ComposeKeys(row, MergeColumns(row, ItemRoot(item)));
	CheckKind(row, item);
	args[0] = PointerGetDatum(item);
	if (ExecutePlan(row, PLAN_UPDATE, args) == 0)
		return NULL;
	return ResultRow(row, item);
}

static HeapTuple
DeleteRow(const RowWrite *row)
{
	Datum		args[2];

	OldKeyArguments(row, args);
	if (ExecutePlan(row, PLAN_DELETE, args) == 0)
		return NULL;
	return row->old;
}

/* ---- the trigger ---- */

static HeapTuple
WriteRow(RowWrite *row, const TriggerData *trigger)
{
	if (TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
	{
		row->new = trigger->tg_trigtuple;
		return InsertRow(row);
	}
	row->old = trigger->tg_trigtuple;
	if (TRIGGER_FIRED_BY_DELETE(trigger->tg_event))
		return DeleteRow(row);
	row->new = trigger->tg_newtuple;
	return UpdateRow(row);
}

DYNAMO_FUNCTION(dynamo_entity_view_write);
Datum
dynamo_entity_view_write(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	RowWrite	row = {0};
	HeapTuple	result;
	TableDef   *table;
	Relation	rel;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_INSTEAD(trigger->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(trigger->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo.%s must be an INSTEAD OF row trigger", FUNCTION_ENTITY_VIEW_WRITE)));

	SPI_connect();
	row.writer = GetWriter(fcinfo->flinfo, trigger);
	row.view = trigger->tg_relation;
	rel = table_open(row.writer->table, AccessShareLock);
	table = TableDefAcquire(rel);
	row.table = table;

	result = WriteRow(&row, trigger);
	if (result != NULL && result != trigger->tg_trigtuple && result != trigger->tg_newtuple)
		result = SPI_copytuple(result);

	TableDefRelease(table);
	table_close(rel, NoLock);
	SPI_finish();
	return PointerGetDatum(result);
}
