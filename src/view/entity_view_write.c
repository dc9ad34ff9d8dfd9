/*
 * entity_view_write.c
 *	  dynamo_system.entity_view_write: the INSTEAD OF trigger of entity views.
 *
 * A row of the view is a part of an item.  INSERT makes an item of the
 * columns.  UPDATE locks the item, changes the attributes whose columns have
 * changed, and keeps all others, including those the view does not show.
 * DELETE deletes the item; on a table that is not distributed, views as they are created
 * leave it to PostgreSQL.
 *
 * The effects are those of plain statements on the table by the caller, or by
 * the owner if the view uses the owner's rights (entity_view_rights.c): their
 * privileges, row security, triggers and constraints apply.  If possible the
 * store's direct path is used, otherwise statements.
 *
 * Memory: the data of a statement for all its rows (EntityWriter) lives in the
 * trigger function's own context, the data of one row in the caller's.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "extension_objects.h"
#include "security/owner.h"
#include "store/plan.h"
#include "table/moves.h"
#include "view/attribute.h"
#include "view/entity_view_row.h"

typedef enum WriterPlan
{
	PLAN_INSERT,
	PLAN_READ,
	PLAN_LOCK,
	PLAN_UPDATE,
	PLAN_DELETE
} WriterPlan;

#define PLAN_COUNT		5

typedef struct WriterStatement
{
	char	   *sql;			/* NULL if not made yet */
	int			nargs;
	Oid			types[3];
} WriterStatement;

typedef struct EntityWriter
{
	MemoryContext context;
	const EntityViewDef *def;
	Oid			table;
	bool		as_owner;		/* writes with the rights of the view's owner */
	Oid			role;			/* with whose rights, as of StorePlanAs */
	Slice	   *attributes;		/* by view column; data may be NULL */
	WriterStatement statements[PLAN_COUNT];
} EntityWriter;

/* ---- the writer of a statement ---- */

/*
 * Returns the table of a view.  Raises an error for other views, because any user
 * can put the trigger on them.
 */
static Oid
TableOfView(Relation view)
{
	Oid			table = EntityViewTable(view);

	if (!OidIsValid(table))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not an entity view", RelationGetRelationName(view))));
	return table;
}

/*
 * Returns the attribute of a view's column.  Columns are identified by
 * position, which ALTER VIEW ... RENAME COLUMN does not change.  If a name in
 * the definition is at another position, the view was made by hand or names
 * were exchanged.  It is then unknown what is meant.
 */
static Slice
ColumnMeaning(const EntityViewDef *def, Relation view, int column)
{
	const char *name = NameStr(TupleDescAttr(RelationGetDescr(view), column)->attname);
	int			defined = EntityColumnNumber(def, name);

	if (defined >= 0 && defined != column)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" of view \"%s\" is not at the position in the view's definition",
						name, RelationGetRelationName(view)),
				 errhint("Use dynamo.create_entity_view to create the view again.")));
	return EntityColumnAttribute(def, column);
}

static EntityWriter *
CreateWriter(const TriggerData *trigger)
{
	EntityWriter *writer = palloc0(sizeof(EntityWriter));
	TupleDesc	desc = RelationGetDescr(trigger->tg_relation);

	if (trigger->tg_trigger->tgnargs != 1)
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg(SYSTEM_SCHEMA ".%s requires a definition", FUNCTION_ENTITY_VIEW_WRITE),
				 errhint("Create the view with dynamo.create_entity_view.")));
	writer->context = CurrentMemoryContext;
	writer->def = EntityViewDefRecall(trigger->tg_trigger->tgargs[0]);
	writer->table = TableOfView(trigger->tg_relation);
	writer->as_owner = EntityViewUsesOwner(trigger->tg_relation, trigger->tg_trigger, writer->table);
	writer->role = writer->as_owner ? trigger->tg_relation->rd_rel->relowner : InvalidOid;
	writer->attributes = palloc(sizeof(Slice) * desc->natts);
	for (int i = 0; i < desc->natts; i++)
		writer->attributes[i] = ColumnMeaning(writer->def, trigger->tg_relation, i);
	return writer;
}

static EntityWriter *
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

/*
 * Appends "WHERE key = $first AND ..." and sets the types of the parameters.
 */
static void
AppendWhereKey(StringInfo sql, const TableDef *table, int first, Oid *types)
{
	for (int i = 0; i < KeyCount(&table->key); i++)
	{
		const AttributeDef *attr = TableKeyAttribute(table, i);

		appendStringInfo(sql, "%s %s OPERATOR(pg_catalog.=) $%d",
						 i == 0 ? " WHERE" : " AND",
						 quote_identifier(attr->column), first + i);
		types[first + i - 1] = KeyColumnType(attr->type);
	}
}

/*
 * The item is returned if the table's entity composes keys, which the result
 * must show.
 */
static void
AppendReturning(StringInfo sql, const EntityWriter *writer)
{
	if (writer->def->entity.data != NULL)
		appendStringInfoString(sql, " RETURNING item");
}

/* Before a row has its key columns, its partition or shard cannot be found. */
static bool
NeedsKeyColumns(const TableDef *table)
{
	return table->distributed || get_rel_relkind(table->relid) == RELKIND_PARTITIONED_TABLE;
}

/* The parameters are the item, and the key columns if they are needed. */
static void
AppendInsert(StringInfo sql, const char *name, const TableDef *table, WriterStatement *statement)
{
	int			nkeys = NeedsKeyColumns(table) ? KeyCount(&table->key) : 0;

	appendStringInfo(sql, "INSERT INTO %s (item", name);
	for (int i = 0; i < nkeys; i++)
	{
		statement->types[i + 1] = KeyColumnType(TableKeyAttribute(table, i)->type);
		appendStringInfo(sql, ", %s", quote_identifier(TableKeyAttribute(table, i)->column));
	}
	appendStringInfoString(sql, ") VALUES ($1");
	for (int i = 0; i < nkeys; i++)
		appendStringInfo(sql, ", $%d", i + 2);
	appendStringInfoChar(sql, ')');
	statement->nargs = nkeys + 1;
}

static void
MakeStatement(const EntityWriter *writer, const TableDef *table, WriterPlan which,
			  WriterStatement *statement)
{
	char	   *name = RelationSqlName(writer->table);
	int			nkeys = KeyCount(&table->key);
	StringInfoData sql;

	statement->types[0] = ItemTypeOid();
	statement->nargs = nkeys;
	initStringInfo(&sql);
	switch (which)
	{
		case PLAN_INSERT:
			AppendInsert(&sql, name, table, statement);
			AppendReturning(&sql, writer);
			break;
		case PLAN_READ:
		case PLAN_LOCK:
			appendStringInfo(&sql, "SELECT item FROM %s", name);
			AppendWhereKey(&sql, table, 1, statement->types);
			if (which == PLAN_LOCK)
				appendStringInfoString(&sql, " FOR NO KEY UPDATE");
			break;
		case PLAN_UPDATE:
			appendStringInfo(&sql, "UPDATE %s SET item = $1", name);
			AppendWhereKey(&sql, table, 2, statement->types);
			statement->nargs++;
			AppendReturning(&sql, writer);
			break;
		case PLAN_DELETE:
			appendStringInfo(&sql, "DELETE FROM %s", name);
			AppendWhereKey(&sql, table, 1, statement->types);
			break;
	}
	statement->sql = sql.data;
}

/*
 * The plan outlives the statement on the view, because the next one needs it
 * again.
 */
static SPIPlanPtr
GetPlan(EntityWriter *writer, const TableDef *table, WriterPlan which)
{
	WriterStatement *statement = &writer->statements[which];

	if (statement->sql == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(writer->context);

		MakeStatement(writer, table, which, statement);
		MemoryContextSwitchTo(caller);
	}
	return StorePlanAs(statement->sql, statement->nargs, statement->types, writer->role);
}

/*
 * Executes a plan.  PLAN_READ uses the active snapshot, which is that of the
 * statement on the view.
 */
static uint64
ExecutePlan(const EntityRow *row, WriterPlan which, Datum *args)
{
	int			result = SPI_execute_plan(GetPlan(row->writer, row->table, which),
										  args, NULL, which == PLAN_READ, 0);

	if (result < 0)
		elog(ERROR, "SPI_execute_plan failed: %s", SPI_result_code_string(result));
	return SPI_processed;
}

/* ---- the three events ---- */

/* Returns the item that the last statement has stored. */
static struct varlena *
WrittenItem(const EntityRow *row, struct varlena *given)
{
	return row->def->entity.data == NULL ? given : PG_DETOAST_DATUM_PACKED(StatementItem(0));
}

/* Returns a new item with its keys, and sets the values of their columns. */
static struct varlena *
ComposeKey(const EntityRow *row, struct varlena *item, RowKey *key)
{
	struct varlena *composed;

	(void) ComposeEntityKeys(row->table, ItemRoot(item), MISSING_VALUE, false, true, &composed, NULL);
	if (composed != NULL)
		item = composed;
	(void) CheckItemKeys(row->table, ItemRoot(item), NULL, NULL);
	(void) RowKeyFromItem(row->table, ItemRoot(item), key, NULL);
	return item;
}

static HeapTuple
InsertRow(const EntityRow *row)
{
	struct varlena *item = EntityRowItem(row, MISSING_VALUE);
	RowKey		key = {0};
	Datum		args[3];

	if (NeedsKeyColumns(row->table))
		item = ComposeKey(row, item, &key);
	args[0] = PointerGetDatum(item);
	memcpy(args + 1, key.values, sizeof(key.values));
	if (ExecutePlan(row, PLAN_INSERT, args) == 0)
		return NULL;
	return EntityResultRow(row, WrittenItem(row, item));
}

/*
 * Returns the item with a key, by PLAN_READ or PLAN_LOCK; NULL if there is
 * none.
 */
static struct varlena *
FetchItemByPlan(const EntityRow *row, WriterPlan which, Datum *key)
{
	if (ExecutePlan(row, which, key) == 0)
		return NULL;
	return PG_DETOAST_DATUM_PACKED(StatementItem(0));
}

/*
 * Returns the item as other transactions have left it, without changes that
 * this transaction has made since the statement on the view began.  NULL if
 * there is none.
 */
static struct varlena *
FetchOfOthers(const EntityRow *row, Datum *key)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());	/* a copy */
	struct varlena *item;

	snapshot->curcid = GetActiveSnapshot()->curcid;
	PushActiveSnapshot(snapshot);
	item = FetchItemByPlan(row, PLAN_READ, key);
	PopActiveSnapshot();
	UnregisterSnapshot(snapshot);
	return item;
}

/*
 * The item may have changed since the statement read it: by others, in READ COMMITTED, or by
 * the statement itself.  For a table, PostgreSQL would evaluate the statement again, or leave
 * the row out.  A trigger cannot do this, so it is an error if the statement depends on what
 * has changed.
 */
static void
CheckUnchanged(const EntityRow *row, ValueRef locked, Datum *key)
{
	struct varlena *item = FetchItemByPlan(row, PLAN_READ, key);
	struct varlena *others = row->new == NULL ? NULL : IsolationUsesXactSnapshot() ? item : FetchOfOthers(row, key);
	RowKey		other;

	if (item == NULL && MoveOtherKey(row->table, locked, &other))
		item = FetchItemByPlan(row, PLAN_READ, other.values);
	if (item != NULL)
		EntityRowCheckUnchanged(row, ItemRoot(item), locked, others != NULL ? ItemRoot(others) : locked);
}

/*
 * The same for a distributed table.  No snapshot shows what the statement has read on
 * another node, so the old row is compared with what the view now shows.
 */
static void
CheckStillShown(const EntityRow *row, const struct varlena *item)
{
	int			column = EntityRowChanged(row, item);

	if (column >= 0)
		EntityRowChangedError(row->attributes[column]);
}

/*
 * Raises an error if an item that was deleted is not in the view any more; it
 * is too late to skip it.
 */
static void
CheckStillOfKind(const EntityRow *row, ValueRef deleted)
{
	if (!EntityViewShows(row->def, row->table, deleted))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent update"),
				 errdetail("Another transaction has changed the item so that view \"%s\" does not show it.",
						   RelationGetRelationName(row->view)),
				 errhint("Repeat the transaction.")));
}

/*
 * Returns the locked item of the old row; NULL if it does not exist any more
 * or is no longer in the view.  shown: the statement on the view has read this
 * version.
 */
static struct varlena *
CheckLocked(const EntityRow *row, struct varlena *item, bool shown, Datum *key)
{
	if (item == NULL || !EntityViewShows(row->def, row->table, ItemRoot(item)))
		return NULL;
	if (!shown && row->table->distributed)
		CheckStillShown(row, item);
	else if (!shown && (row->new != NULL || !IsolationUsesXactSnapshot()))
		CheckUnchanged(row, ItemRoot(item), key);
	return item;
}

/*
 * Raises an error if an item of a distributed table gets another key: another shard,
 * perhaps on another node, would have to take it.
 */
static void
CheckStaysInPlace(const EntityRow *row, struct varlena *item, ValueRef before, const RowKey *key)
{
	struct varlena *composed;

	if (!row->table->distributed)
		return;
	(void) ComposeEntityKeys(row->table, ItemRoot(item), before, false, false, &composed, NULL);
	for (int i = 0; i < KeyCount(&row->table->key); i++)
	{
		const AttributeDef *attr = TableKeyAttribute(row->table, i);
		ValueRef	v = AttributeFind(ItemRoot(composed != NULL ? composed : item), attr->name.data, attr->name.len);

		if (ValueIsMissing(v) || !ValueEqual(v, key->attributes[i]))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("cannot change key attribute \"%s\" of an item of distributed table \"%s\"",
							attr->name.data, get_rel_name(row->table->relid)),
					 errhint("Delete the item, and insert it with its new key.")));
	}
}

/*
 * Locks and updates the item; returns the new item, or NULL if none was
 * stored.
 */
static struct varlena *
UpdateDirectly(const EntityRow *row, Store *store, RowKey *key)
{
	RowLock		lock;
	struct varlena *item = StoreLockPresent(store, key, &lock);
	ReplacedItem replaced;
	struct varlena *stored;

	item = CheckLocked(row, item, lock.shown, key->values);
	if (item == NULL)
		return NULL;
	replaced.item = ItemRoot(item);
	item = EntityRowItem(row, replaced.item);
	CheckStaysInPlace(row, item, replaced.item, key);
	if (StoreItemIsFinal(store))
	{
		struct varlena *composed;

		(void) ComposeEntityKeys(store->def, ItemRoot(item), replaced.item, false, true, &composed, NULL);
		if (composed != NULL)
			item = composed;
		CheckItemSize(ItemRoot(item));
		(void) CheckItemKeys(store->def, ItemRoot(item), &replaced, NULL);
		MoveCheckNew(store->rel, store->def, ItemRoot(item), replaced.item);
	}
	if (StoreWriteLocked(store, key, &lock, WRITE_PUT, item, &stored) == WRITE_NOTHING)
		return NULL;
	return item;
}

static struct varlena *
UpdateBySql(const EntityRow *row, RowKey *key)
{
	struct varlena *item = FetchItemByPlan(row, PLAN_LOCK, key->values);
	ValueRef	before;
	Datum		args[3];

	item = CheckLocked(row, item, false, key->values);
	if (item == NULL)
		return NULL;
	before = ItemRoot(item);
	item = EntityRowItem(row, before);
	CheckStaysInPlace(row, item, before, key);
	args[0] = PointerGetDatum(item);
	memcpy(args + 1, key->values, sizeof(key->values));
	return ExecutePlan(row, PLAN_UPDATE, args) == 0 ? NULL : WrittenItem(row, item);
}

static HeapTuple
UpdateRow(const EntityRow *row)
{
	RowKey		key;
	Store		store;
	struct varlena *item;

	EntityOldKey(row, &key);
	StoreOpenAs(&store, row->writer->table, ACL_SELECT | ACL_UPDATE, row->writer->role, false);
	if (TableMoves(store.def))
		(void) move_methods->bring(&store, &key, true);
	item = store.direct || store.direct_partitions ? UpdateDirectly(row, &store, &key) : UpdateBySql(row, &key);
	StoreClose(&store);
	return item == NULL ? NULL : EntityResultRow(row, item);
}

/*
 * Checks the item of a deletion, which no other transaction can change any
 * more.  Changes made by triggers of this statement do not prevent the
 * deletion.  shown is as in CheckLocked.
 */
static void
CheckDeleted(const EntityRow *row, bool shown, Datum *key)
{
	struct varlena *item;

	if (shown || IsolationUsesXactSnapshot())
		return;
	item = FetchOfOthers(row, key);
	if (item == NULL)
		return;
	CheckStillOfKind(row, ItemRoot(item));
	CheckUnchanged(row, ItemRoot(item), key);
}

/* The same for a distributed table, for the locked item. */
static void
CheckDeletedFromShard(const EntityRow *row, const struct varlena *item, bool shown)
{
	if (shown)
		return;
	CheckStillOfKind(row, ItemRoot(item));
	CheckStillShown(row, item);
}

static bool
DeleteDirectly(const EntityRow *row, Store *store, RowKey *key)
{
	RowLock		lock;
	struct varlena *item = StoreLockPresent(store, key, &lock);
	struct varlena *stored;

	if (item == NULL)
		return false;
	if (row->table->distributed)
		CheckDeletedFromShard(row, item, lock.shown);
	else
		CheckDeleted(row, lock.shown, key->values);
	return StoreWriteLocked(store, key, &lock, WRITE_DELETE, NULL, &stored) == WRITE_DELETE;
}

static bool
DeleteBySql(const EntityRow *row, RowKey *key)
{
	if (row->table->distributed)
	{
		struct varlena *item = FetchItemByPlan(row, PLAN_LOCK, key->values);

		if (item != NULL)
			CheckDeletedFromShard(row, item, false);
		return item != NULL && ExecutePlan(row, PLAN_DELETE, key->values) > 0;
	}
	if (ExecutePlan(row, PLAN_DELETE, key->values) == 0)
		return false;
	CheckDeleted(row, false, key->values);
	return true;
}

static HeapTuple
DeleteRow(const EntityRow *row)
{
	RowKey		key;
	Store		store;
	bool		deleted;

	EntityOldKey(row, &key);
	StoreOpenAs(&store, row->writer->table, ACL_SELECT | ACL_DELETE, row->writer->role, false);
	deleted = store.direct || store.direct_partitions ? DeleteDirectly(row, &store, &key) : DeleteBySql(row, &key);
	StoreClose(&store);
	return deleted ? row->old : NULL;
}

/* ---- the trigger ---- */

static HeapTuple
WriteEntityRow(EntityRow *row, const TriggerData *trigger)
{
	if (TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
	{
		row->new = trigger->tg_trigtuple;
		EntityRowDeform(row);
		return InsertRow(row);
	}
	row->old = trigger->tg_trigtuple;
	if (TRIGGER_FIRED_BY_UPDATE(trigger->tg_event))
		row->new = trigger->tg_newtuple;
	EntityRowDeform(row);
	return row->new != NULL ? UpdateRow(row) : DeleteRow(row);
}

/* Writes a row of a distributed table; rights to other nodes' shards are checked as the current user. */
static HeapTuple
WriteDistributedRow(EntityRow *row, const TriggerData *trigger)
{
	OwnerScope	scope;
	HeapTuple	result;

	OwnerScopeEnterForView(&scope, row->writer->role);
	result = WriteEntityRow(row, trigger);
	OwnerScopeLeave(&scope);
	return result;
}

/*
 * Writes with the rights of the view's owner.  The details of errors may show
 * what the user may not read.
 */
static HeapTuple
WriteRowAsOwner(EntityRow *row, const TriggerData *trigger)
{
	MemoryContext context = CurrentMemoryContext;
	bool		reads = pg_class_aclcheck(row->writer->table, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
	HeapTuple	result = NULL;

	PG_TRY();
	{
		result = row->table->distributed ? WriteDistributedRow(row, trigger) : WriteEntityRow(row, trigger);
	}
	PG_CATCH();
	{
		if (reads)
			PG_RE_THROW();
		(void) MemoryContextSwitchTo(context);
		EntityViewHideDetail();
	}
	PG_END_TRY();
	return result;
}

/* Writes the row with the table as it is now. */
static HeapTuple
WriteTable(EntityRow *row, const TriggerData *trigger)
{
	Relation	rel = table_open(row->writer->table, AccessShareLock);
	TableDef   *table = TableDefAcquire(rel);
	HeapTuple	result;

	row->table = table;
	result = row->writer->as_owner ? WriteRowAsOwner(row, trigger) : WriteEntityRow(row, trigger);
	TableDefRelease(table);
	table_close(rel, NoLock);
	return result;
}

DYNAMO_FUNCTION(dynamo_entity_view_write);
Datum
dynamo_entity_view_write(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	EntityRow	row = {0};
	HeapTuple	result;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_INSTEAD(trigger->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(trigger->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg(SYSTEM_SCHEMA ".%s must be an INSTEAD OF row trigger", FUNCTION_ENTITY_VIEW_WRITE)));

	SPI_connect();
	row.writer = GetWriter(fcinfo->flinfo, trigger);
	row.def = row.writer->def;
	row.attributes = row.writer->attributes;
	row.view = trigger->tg_relation;
	row.view_oid = RelationGetRelid(row.view);
	result = WriteTable(&row, trigger);
	if (result != NULL && result != trigger->tg_trigtuple && result != trigger->tg_newtuple)
		result = SPI_copytuple(result);
	SPI_finish();
	return PointerGetDatum(result);
}
