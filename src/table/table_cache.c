/*
 * table_cache.c
 *	  The backend's cache of table definitions.
 *
 * It is a hash table with relations as keys.  A relcache invalidation only
 * removes the entry.  A definition in use (refcount > 0) continues to exist
 * outside the hash table until its last user releases it.  Definitions that
 * remain pinned after an error are unpinned when the subtransaction in which
 * all of that happened is rolled back, or else at the end of the transaction.
 *
 * The invalidation callback performs no lookups.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "lib/ilist.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/syscache.h"

#include "compat.h"
#include "errors.h"
#include "extension_objects.h"
#include "table/collation.h"
#include "table/distribution.h"
#include "table/object_names.h"
#include "table/relation_change.h"
#include "table/table.h"
#include "table/table_name.h"

typedef struct CacheEntry
{
	Oid			relid;			/* hash key */
	TableDef   *def;
} CacheEntry;

static HTAB *definitions;		/* contains CacheEntry */
static MemoryContext cache_context;
static dlist_head pinned = DLIST_STATIC_INIT(pinned);	/* TableDefs with refcount > 0 */

/* Counts invalidations, to detect one during a load. */
static uint64 invalidations;

/* OIDs of linked tables about which facts are cached. */
static HTAB *watched;

uint64		linked_table_changes;

/* ---- lifetime ---- */

static void
FreeUnused(TableDef *def)
{
	if (def->refcount == 0 && !def->cached)
		MemoryContextDelete(def->context);
}

static void
RemoveCacheEntry(CacheEntry *entry)
{
	TableDef   *def = entry->def;

	hash_search(definitions, &entry->relid, HASH_REMOVE, NULL);
	def->cached = false;
	FreeUnused(def);
}

void
WatchLinkedTable(Oid relid)
{
	(void) hash_search(watched, &relid, HASH_ENTER, NULL);
}

static void
InvalidateRelation(Oid relid)
{
	CacheEntry *entry;

	invalidations++;
	if (!OidIsValid(relid) || hash_search(watched, &relid, HASH_REMOVE, NULL) != NULL)
		linked_table_changes++;
	if (OidIsValid(relid))
	{
		entry = hash_search(definitions, &relid, HASH_FIND, NULL);
		if (entry != NULL)
			RemoveCacheEntry(entry);
	}
	else
	{
		HASH_SEQ_STATUS status;

		hash_seq_init(&status, definitions);
		while ((entry = hash_seq_search(&status)) != NULL)
			RemoveCacheEntry(entry);
	}
}

static void
Unpin(TableDef *def)
{
	dlist_delete(&def->pinned);
	def->refcount = 0;
	FreeUnused(def);
}

/*
 * Errors skip TableDefRelease, so all definitions are unpinned at the end of
 * the transaction.
 */
static void
UnpinAll(XactEvent event, void *arg)
{
	dlist_mutable_iter iter;

	if (dlist_is_empty(&pinned) || event == XACT_EVENT_PRE_COMMIT ||
		event == XACT_EVENT_PARALLEL_PRE_COMMIT || event == XACT_EVENT_PRE_PREPARE)
		return;
	dlist_foreach_modify(iter, &pinned)
		Unpin(dlist_container(TableDef, pinned, iter.cur));
}

/*
 * A rollback unpins definitions that were not pinned before the subtransaction: its code
 * uses them no more.
 */
static void
UnpinRolledBack(SubXactEvent event, SubTransactionId self, SubTransactionId parent, void *arg)
{
	dlist_mutable_iter iter;

	if (dlist_is_empty(&pinned) || (event != SUBXACT_EVENT_ABORT_SUB && event != SUBXACT_EVENT_COMMIT_SUB))
		return;
	dlist_foreach_modify(iter, &pinned)
	{
		TableDef   *def = dlist_container(TableDef, pinned, iter.cur);

		if (def->pinned_by != self)
			continue;
		if (event == SUBXACT_EVENT_COMMIT_SUB)
			def->pinned_by = parent;
		else
			Unpin(def);
	}
}

void
TableCacheInit(void)
{
	HASHCTL		ctl = {0};

	cache_context = AllocSetContextCreate(TopMemoryContext, "dynamo table cache",
										  ALLOCSET_DEFAULT_SIZES);
	ctl.keysize = sizeof(Oid);
	ctl.entrysize = sizeof(CacheEntry);
	ctl.hcxt = cache_context;
	definitions = hash_create("dynamo tables", 64, &ctl,
							  HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	ctl.entrysize = sizeof(Oid);
	watched = hash_create("watched tables", 64, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	OnRelationChange(InvalidateRelation);
	RegisterXactCallback(UnpinAll, NULL);
	RegisterSubXactCallback(UnpinRolledBack, NULL);
}

/*
 * Returns the subtransaction with which what is pinned now ends.  A cursor of an outer one
 * that is fetched from survives the current one.
 */
static SubTransactionId
PinningSubtransaction(void)
{
	SubTransactionId current = GetCurrentSubTransactionId();

	if (current == TopSubTransactionId)
		return current;
	for (ResourceOwner owner = CurrentResourceOwner; owner != NULL; owner = ResourceOwnerGetParent(owner))
	{
		if (owner == CurTransactionResourceOwner)
			return current;
	}
	return TopSubTransactionId;
}

static void
PinDefinition(TableDef *def)
{
	SubTransactionId by = PinningSubtransaction();

	if (def->refcount++ == 0)
	{
		dlist_push_tail(&pinned, &def->pinned);
		def->pinned_by = by;
	}
	else
		def->pinned_by = Min(def->pinned_by, by);
}

void
TableDefRelease(TableDef *def)
{
	Assert(def->refcount > 0);
	if (--def->refcount > 0)
		return;
	dlist_delete(&def->pinned);
	FreeUnused(def);
}

/* ---- loading ---- */

/*
 * Returns the key trigger of a relation, found by its function, or NULL.  A
 * trigger that a partition has inherited takes precedence over its own one.
 */
static const Trigger *
FindKeyTrigger(Relation rel)
{
	const Trigger *found = NULL;
	Oid			function;

	if (rel->trigdesc == NULL)
		return NULL;

	/*
	 * The lookup may rebuild the relcache entry, so trigdesc is read after it.
	 */
	function = SystemFunctionOid(FUNCTION_DERIVE_KEYS);
	if (!OidIsValid(function) || rel->trigdesc == NULL)
		return NULL;
	for (int i = 0; i < rel->trigdesc->numtriggers; i++)
	{
		const Trigger *trigger = &rel->trigdesc->triggers[i];

		if (trigger->tgfoid == function && trigger->tgnargs == 1 &&
			(found == NULL || trigger->tgisclone))
			found = trigger;
	}
	return found;
}

bool
TriggerChangesRows(int16 type)
{
	return TRIGGER_FOR_ROW(type) && TRIGGER_FOR_BEFORE(type) &&
		(TRIGGER_FOR_INSERT(type) || TRIGGER_FOR_UPDATE(type));
}

/* Relies on the order of triggers by name, which is their firing order. */
List *
FindLaterTriggers(Relation rel)
{
	const Trigger *key_trigger = FindKeyTrigger(rel);
	const Trigger *end = key_trigger == NULL ? NULL :
		rel->trigdesc->triggers + rel->trigdesc->numtriggers;
	List	   *names = NIL;

	for (const Trigger *t = key_trigger; t != end; t++)
	{
		if (t != key_trigger && TriggerChangesRows(t->tgtype))
			names = lappend(names, pstrdup(t->tgname));
	}
	return names;
}

/* Whether a trigger is maintain_indexes for every row that is inserted or updated. */
static bool
IsRowMaintenance(const Trigger *t, Oid function)
{
	return t->tgfoid == function && TRIGGER_FOR_ROW(t->tgtype) && TRIGGER_FOR_INSERT(t->tgtype) &&
		TRIGGER_FOR_UPDATE(t->tgtype) && t->tgenabled == TRIGGER_FIRES_ALWAYS &&
		t->tgqual == NULL && t->tgnattr == 0;
}

bool
HasRowMaintenance(Relation rel)
{
	Oid			function = SystemFunctionOid(FUNCTION_MAINTAIN_INDEXES);

	for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
	{
		if (IsRowMaintenance(&rel->trigdesc->triggers[i], function))
			return true;
	}
	return false;
}

bool
RelationIsDynamoTable(Relation rel)
{
	return hash_search(definitions, &RelationGetRelid(rel), HASH_FIND, NULL) != NULL ||
		FindKeyTrigger(rel) != NULL;
}

Oid
KeyColumnType(ValueType type)
{
	if (type == VALUE_S)
		return TEXTOID;
	return type == VALUE_N ? NUMERICOID : BYTEAOID;
}

static AttrNumber
FindColumn(Relation rel, const char *column, const char *holds, Oid type)
{
	AttrNumber	attnum = get_attnum(RelationGetRelid(rel), column);
	Form_pg_attribute column_attribute;

	if (attnum <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("table \"%s\" has no column \"%s\" for %s",
						RelationGetRelationName(rel), column, holds),
				 errhint("Key columns cannot be renamed or dropped while their table or index exists. Restore the name of the column; to drop an index, call dynamo.drop_index.")));
	column_attribute = TupleDescAttr(RelationGetDescr(rel), attnum - 1);
	if (column_attribute->attgenerated != '\0')
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" of table \"%s\" for %s must not be generated",
						column, RelationGetRelationName(rel), holds)));
	if ((OidIsValid(type) && column_attribute->atttypid != type) ||
		column_attribute->atttypmod >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of table \"%s\" differs in type from %s",
						column, RelationGetRelationName(rel), holds)));
	if (type == TEXTOID && !CollationOrdersByBytes(column_attribute->attcollation))
		ereport(ERROR,
				(errcode(ERRCODE_COLLATION_MISMATCH),
				 errmsg("column \"%s\" of table \"%s\" is ordered differently from %s",
						column, RelationGetRelationName(rel), holds),
				 errdetail("Keys are ordered by bytes."),
				 errhint("The column must be of type text COLLATE \"C\".")));
	return attnum;
}

/* Requires NOT NULL for columns that are read without a null test. */
static void
RequireNotNull(Relation rel, AttrNumber attnum)
{
	if (!ColumnIsNotNull(RelationGetDescr(rel), attnum))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" of table \"%s\" must be NOT NULL",
						NameStr(TupleDescAttr(RelationGetDescr(rel), attnum - 1)->attname),
						RelationGetRelationName(rel)),
				 errdetail("Every row of a dynamo table must have an item and its key.")));
}

static void
ResolveColumns(Relation rel, TableDef *def)
{
	for (int i = 0; i < def->nattributes; i++)
	{
		AttributeDef *attr = &def->attributes[i];

		attr->attnum = FindColumn(rel, attr->column,
								  psprintf("key attribute %s", attr->name.data),
								  KeyColumnType(attr->type));
		attr->compression = TupleDescAttr(RelationGetDescr(rel), attr->attnum - 1)->attcompression;
	}
	def->item_type = ItemTypeOid();
	def->item_attnum = FindColumn(rel, ITEM_COLUMN, "the item", def->item_type);
	RequireNotNull(rel, def->item_attnum);
	for (int i = 0; i < KeyCount(&def->key); i++)
		RequireNotNull(rel, TableKeyAttribute(def, i)->attnum);
	if (def->ttl.data != NULL)
		def->ttl_attnum = FindColumn(rel, TTL_COLUMN, "the time to live", INT8OID);
}

/* Returns the primary key, if it has the key's columns. */
static Oid
FindPrimaryKey(Relation rel, const TableDef *def)
{
	int			nkey = KeyCount(&def->key);
	Oid			relid;
	HeapTuple	tuple;
	Form_pg_index form;

	relid = PrimaryKeyIndex(rel);
	if (!OidIsValid(relid))
		return InvalidOid;
	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(relid));
	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	form = (Form_pg_index) GETSTRUCT(tuple);
	if (!form->indisvalid || !form->indimmediate || form->indnkeyatts != nkey)
		relid = InvalidOid;
	for (int i = 0; OidIsValid(relid) && i < nkey; i++)
	{
		if (form->indkey.values[i] != TableKeyAttribute(def, i)->attnum)
			relid = InvalidOid;
	}
	ReleaseSysCache(tuple);
	return relid;
}

static Bitmapset *
AddColumn(Bitmapset *columns, AttrNumber attnum)
{
	return bms_add_member(columns, attnum - FirstLowInvalidHeapAttributeNumber);
}

/* Sets the columns that every operation uses, for privilege checks. */
static void
SetColumnSets(TableDef *def)
{
	MemoryContext old = MemoryContextSwitchTo(def->context);

	def->item_column = AddColumn(NULL, def->item_attnum);
	def->row_columns = AddColumn(NULL, def->item_attnum);
	for (int i = 0; i < KeyCount(&def->key); i++)
		def->row_columns = AddColumn(def->row_columns,
									 TableKeyAttribute(def, i)->attnum);
	MemoryContextSwitchTo(old);
}

/*
 * Whether the entries of index tables, if there are any, are maintained by a
 * trigger.
 */
static bool
IsMaintained(Relation rel, const TableDef *def)
{
	Oid			function = SystemFunctionOid(FUNCTION_MAINTAIN_INDEXES);
	bool		needed = false;

	for (int i = 0; i < def->nindexes; i++)
		needed |= def->indexes[i].kind->own_entries;
	for (int i = 0; needed && rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
	{
		const Trigger *trigger = &rel->trigdesc->triggers[i];

		if (trigger->tgfoid == function && TRIGGER_FOR_ROW(trigger->tgtype) &&
			trigger->tgenabled != TRIGGER_DISABLED)
			return true;
	}
	return !needed;
}

/*
 * Whether maintain_indexes is the only trigger that fires after a row or a
 * statement of INSERT, UPDATE or DELETE, and fires for each row at once.
 */
static bool
IsOnlyMaintained(Relation rel)
{
	const Trigger *found = NULL;

	for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
	{
		const Trigger *trigger = &rel->trigdesc->triggers[i];

		if (!TRIGGER_FOR_AFTER(trigger->tgtype) || TRIGGER_FOR_TRUNCATE(trigger->tgtype))
			continue;
		if (found != NULL)
			return false;
		found = trigger;
	}
	return found != NULL && IsRowMaintenance(found, SystemFunctionOid(FUNCTION_MAINTAIN_INDEXES)) &&
		TRIGGER_FOR_DELETE(found->tgtype) && !found->tgdeferrable;
}

void
CheckMaintained(const TableDef *def)
{
	if (def->unmaintained)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index tables of table \"%s\" are not maintained", get_rel_name(def->relid)),
				 errdetail("The trigger \"%s\" is missing or disabled.", TRIGGER_MAINTAIN_INDEXES),
				 errhint("Use dynamo.reindex for each of its index tables.")));
}

void
CheckRestored(const TableDef *def)
{
	if (def->restoring)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: Table: %s is being restored", get_rel_name(def->relid)),
				 errdetail("It has no items until its restore has ended."),
				 errhint("If the restore has failed, drop the table and restore it again.")));
}

static void
SetLaterTrigger(Relation rel, TableDef *def)
{
	List	   *names = FindLaterTriggers(rel);

	if (names == NIL)
		return;
	def->later_trigger = MemoryContextStrdup(def->context, linitial(names));
	def->checked_later = HasRowMaintenance(rel);
}

/* ---- stored definitions ---- */

/*
 * Returns the row of a trigger that a snapshot shows, or NULL.  Without a
 * snapshot, the current row.
 */
static HeapTuple
ReadTriggerRow(Oid oid, Snapshot snapshot)
{
	Relation	rel = table_open(TriggerRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_trigger_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(oid));
	scan = systable_beginscan(rel, TriggerOidIndexId, true, snapshot, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		tuple = heap_copytuple(tuple);
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return tuple;
}

static TransactionId
TriggerWriter(Oid oid)
{
	HeapTuple	tuple = ReadTriggerRow(oid, NULL);

	return HeapTupleIsValid(tuple) ? HeapTupleHeaderGetXmin(tuple->t_data) : InvalidTransactionId;
}

TableDef *
TableDefSeenBy(const TableDef *def, Snapshot snapshot)
{
	Relation	rel = table_open(TriggerRelationId, AccessShareLock);
	HeapTuple	tuple = ReadTriggerRow(def->trigger, snapshot);
	Datum		arguments = (Datum) 0;
	bool		isnull = true;

	if (HeapTupleIsValid(tuple))
		arguments = heap_getattr(tuple, Anum_pg_trigger_tgargs, RelationGetDescr(rel), &isnull);
	table_close(rel, AccessShareLock);
	if (isnull || ((Form_pg_trigger) GETSTRUCT(tuple))->tgnargs != 1)
		return NULL;
	return TableDefParse(VARDATA_ANY(DatumGetByteaPP(arguments)));
}

bool
IndexWasActive(const TableDef *def, const IndexDef *index, Snapshot snapshot)
{
	const TableDef *seen = TableDefSeenBy(def, snapshot);
	const IndexDef *was = seen == NULL ? NULL : TableDefIndex(seen, index->name);

	return was != NULL && was->status == INDEX_ACTIVE && strcmp(was->relation, index->relation) == 0;
}

static TableDef *
LoadDefinition(Relation rel)
{
	const Trigger *trigger = FindKeyTrigger(rel);
	Oid			oid;
	TableDef   *def;

	if (trigger == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found"),
				 errdetail("\"%s\" is not a dynamo table.", RelationGetRelationName(rel))));
	oid = trigger->tgoid;
	def = TableDefParse(pstrdup(trigger->tgargs[0]));
	def->trigger = oid;
	def->defined = TriggerWriter(oid);
	def->relid = RelationGetRelid(rel);
	def->root = rel->rd_rel->relispartition ? PartitionRoot(def->relid) : def->relid;
	ResolveColumns(rel, def);
	SetColumnSets(def);
	def->unmaintained = !IsMaintained(rel, def);
	def->only_maintained = IsOnlyMaintained(rel);
	SetLaterTrigger(rel, def);
	def->distributed = RelationIsDistributed(def->relid);
	def->undistributable = def->distributed ? FindUndistributable(rel, def) : NULL;
	def->written = CatalogRowWriter(RELOID, def->relid);
	def->primary_key = FindPrimaryKey(rel, def);
	def->copies_function = SystemFunctionOid(FUNCTION_KEEP_COPIES);
	return def;
}

TableDef *
TableDefCopy(Relation rel)
{
	const Trigger *trigger = FindKeyTrigger(rel);
	TableDef   *def = trigger != NULL ? TableDefTryParse(pstrdup(trigger->tgargs[0])) : NULL;

	if (def != NULL)
		def->relid = RelationGetRelid(rel);
	return def;
}

static void
CacheDefinition(TableDef *def)
{
	CacheEntry *entry;
	bool		found;

	MemoryContextSetParent(def->context, cache_context);
	entry = hash_search(definitions, &def->relid, HASH_ENTER, &found);
	if (found)
	{
		entry->def->cached = false;
		FreeUnused(entry->def);
	}
	entry->def = def;
	def->cached = true;
}

TableDef *
TableDefAcquire(Relation rel)
{
	Oid			relid = RelationGetRelid(rel);
	CacheEntry *entry = hash_search(definitions, &relid, HASH_FIND, NULL);
	TableDef   *def;
	uint64		before;

	if (entry != NULL)
	{
		PinDefinition(entry->def);
		return entry->def;
	}
	before = invalidations;
	def = LoadDefinition(rel);

	/*
	 * If invalidations arrived during the load, the definition may be
	 * outdated.  It is valid for this caller because of its lock, but it is
	 * not cached.
	 */
	if (before == invalidations)
		CacheDefinition(def);
	else
		MemoryContextSetParent(def->context, cache_context);
	PinDefinition(def);
	return def;
}

TableDef *
TableDefAcquireCached(Oid relid)
{
	CacheEntry *entry = hash_search(definitions, &relid, HASH_FIND, NULL);

	if (entry == NULL)
		return NULL;
	PinDefinition(entry->def);
	return entry->def;
}
