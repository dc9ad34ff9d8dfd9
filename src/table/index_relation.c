/*
 * index_relation.c
 *	  Finds and opens the relations of secondary indexes.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "extension_objects.h"
#include "table/distribution.h"
#include "table/index_relation.h"
#include "table/limits.h"
#include "table/link.h"

/* ---- btrees of a table ---- */

/*
 * Whether a btree belongs to the table and its key consists of the columns of
 * an entry.
 */
static bool
HasEntryColumns(Form_pg_index form, Oid table, const TableDef *def, const IndexDef *index)
{
	bool		fits = form->indrelid == table && form->indnkeyatts == index->nentry;

	for (int i = 0; fits && i < index->nentry; i++)
		fits = form->indkey.values[i] ==
			get_attnum(table, EntryAttribute(def, index, i)->column);
	return fits;
}

bool
InlineIndexFits(const TableDef *def, const IndexDef *index, Oid btree)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(btree));
	bool		fits;

	if (!HeapTupleIsValid(tuple))
		return false;
	fits = HasEntryColumns((Form_pg_index) GETSTRUCT(tuple), def->relid, def, index);
	ReleaseSysCache(tuple);
	return fits;
}

/* Whether a btree has the name of one of the relations in the definition. */
static bool
HasDefinedName(const TableDef *def, Oid btree)
{
	const char *name = get_rel_name(btree);

	return name == NULL || TableDefIndexOfRelation(def, name) != NULL;
}

/* Whether a btree with another name could be that of an index. */
static bool
CouldHoldIndex(Form_pg_index form, Oid table, const TableDef *def, const IndexDef *index)
{
	return index->status == INDEX_ACTIVE && form->indisvalid && !form->indisunique &&
		HasEntryColumns(form, table, def, index) && !HasDefinedName(def, form->indexrelid) &&
		HasIndexPredicate(form->indexrelid, table, def, index);
}

static bool
RelationHasName(Oid relid, const char *name)
{
	const char *found = get_rel_name(relid);

	return found != NULL && strcmp(found, name) == 0;
}

/* Returns the btree with the index's name; otherwise one that could be it. */
Oid
FindInlineBtree(Oid table, const TableDef *def, const IndexDef *index)
{
	Relation	rel = table_open(IndexRelationId, AccessShareLock);
	Oid			found = InvalidOid;
	Oid			other = InvalidOid;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_index_indrelid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(table));
	scan = systable_beginscan(rel, IndexIndrelidIndexId, true, NULL, 1, &key);
	while (!OidIsValid(found) && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_index form = (Form_pg_index) GETSTRUCT(tuple);

		if (RelationHasName(form->indexrelid, index->relation))
			found = form->indexrelid;
		else if (!OidIsValid(other) && CouldHoldIndex(form, table, def, index))
			other = form->indexrelid;
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return OidIsValid(found) ? found : other;
}

/* ---- finding ---- */

/*
 * Returns the linked index table.  It must not be the table itself or a
 * partition.  It must not be partitioned by an expression either, which is
 * code of its owner.
 */
Oid
FindIndexTable(Oid table, const TableDef *def, const IndexDef *index)
{
	Oid			relid = FindLinked(table, index->relation);

	if (!OidIsValid(relid) || relid == table || get_rel_relispartition(relid) ||
		!HaveSameOwner(relid, table) || IsPartitionedByExpression(relid))
		return InvalidOid;
	WatchLinkedTable(relid);
	return relid;
}

/* Stores the OID of a relation in a cached definition. */
static void
RememberRelation(const TableDef *def, const IndexDef *index, Oid relid, uint64 changes)
{
	IndexDef   *known = unconstify(IndexDef *, index);

	if (!def->cached || !OidIsValid(relid))
		return;
	known->relid = relid;
	known->found_at = changes;
	known->verified = false;
	known->verified_shards = NULL;
	known->places = NULL;
}

/*
 * Whether the stored OID is valid.  Changes of the table, such as a change of
 * its owner, reset def->cached, but changes of the root of a partition do not.
 */
static bool
RelationIsKnown(const TableDef *def, const IndexDef *index)
{
	return def->cached && OidIsValid(index->relid) && index->found_at == linked_table_changes &&
		(TableDefRoot(def) == def->relid || HaveSameOwner(index->relid, def->root));
}

Oid
FindIndexRelation(const TableDef *def, const IndexDef *index)
{
	Oid			table = TableDefRoot(def);
	uint64		changes = linked_table_changes;
	Oid			relid;

	if (RelationIsKnown(def, index))
		return index->relid;
	relid = index->kind->find(table, def, index);
	RememberRelation(def, index, relid, changes);
	return relid;
}

static void MissingRelationError(const TableDef *def, const IndexDef *index) pg_attribute_noreturn();

static void
MissingRelationError(const TableDef *def, const IndexDef *index)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("index \"%s\" of table \"%s\" lacks its relation \"%s\"",
					index->name, get_rel_name(TableDefRoot(def)), index->relation),
			 errhint("Use dynamo.reindex to rebuild it.")));
}

Oid
IndexDefRelation(const TableDef *def, const IndexDef *index)
{
	Oid			relid = FindIndexRelation(def, index);

	if (!OidIsValid(relid))
		MissingRelationError(def, index);
	return relid;
}

/* ---- verifying ---- */

static bool
HasColumns(Relation rel, const TableDef *def, const IndexDef *index)
{
	TupleDesc	desc = RelationGetDescr(rel);
	int			first = index->kind->before != NULL ? 1 : 0;
	const IndexColumn *beside = index->kind->beside;

	if (desc->natts != first + index->nentry + (beside != NULL ? 1 : 0) + 1)
		return false;
	for (int i = 0; i < index->nentry; i++)
	{
		if (TupleDescAttr(desc, first + i)->atttypid !=
			KeyColumnType(EntryAttribute(def, index, i)->type))
			return false;
	}
	return (beside == NULL || TupleDescAttr(desc, desc->natts - 2)->atttypid == beside->typid) &&
		TupleDescAttr(desc, desc->natts - 1)->atttypid == ItemTypeOid();
}

/*
 * Whether the primary key has the columns of an entry, followed by the shard
 * if there are shards.
 */
static bool
HasPrimaryKey(Relation rel, const IndexDef *index)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID,
										ObjectIdGetDatum(PrimaryKeyIndex(rel)));
	Form_pg_index form;
	int			first = index->kind->before != NULL ? 1 : 0;
	bool		fits;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_index) GETSTRUCT(tuple);
	fits = form->indnatts == index->nentry + first && form->indnkeyatts == form->indnatts &&
		form->indisready;
	for (int i = 0; fits && i < index->nentry; i++)
		fits = form->indkey.values[i] == first + i + 1;
	if (first == 1)
		fits &= form->indkey.values[index->nentry] == 1;
	ReleaseSysCache(tuple);
	return fits;
}

static bool
HasEntryShape(Relation rel, const TableDef *def, const IndexDef *index)
{
	return HasColumns(rel, def, index) && HasPrimaryKey(rel, index);
}

bool
IsIndexTable(Relation rel, const TableDef *def, const IndexDef *index)
{
	char		kind = index->kind->in_parts ? RELKIND_PARTITIONED_TABLE : RELKIND_RELATION;

	return rel->rd_rel->relkind == kind &&
		HasTriggerOf(rel, SystemFunctionOid(FUNCTION_GUARD_INDEX)) &&
		HasEntryShape(rel, def, index);
}

static void
FailNotIndexTable(Relation rel, const TableDef *def, const IndexDef *index)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("\"%s\" is not the index table of index \"%s\" of table \"%s\"",
					RelationGetRelationName(rel), index->name, get_rel_name(TableDefRoot(def))),
			 errdetail("An index table must have the owner of its table, the columns and primary key of its index, and the trigger dynamo_system.guard_index."),
			 errhint("Use dynamo.reindex to rebuild it.")));
}

/* ---- opening ---- */

/*
 * Opens the relation.  After the lock is granted, the index must still have
 * the same relation.
 */
Relation
IndexRelationTryOpen(const TableDef *def, const IndexDef *index, LOCKMODE lockmode)
{
	for (;;)
	{
		Oid			relid = FindIndexRelation(def, index);

		if (!OidIsValid(relid))
			return NULL;
		LockRelationOid(relid, lockmode);
		CHECK_FOR_INTERRUPTS();
		if (FindIndexRelation(def, index) == relid)
			return relation_open(relid, NoLock);
		UnlockRelationOid(relid, lockmode);
	}
}

Relation
IndexTableOpen(const TableDef *def, const IndexDef *index, LOCKMODE lockmode)
{
	Relation	rel = IndexRelationTryOpen(def, index, lockmode);

	if (rel == NULL)
		MissingRelationError(def, index);
	if (RelationIsKnown(def, index) && index->verified)
		return rel;
	if (!IsIndexTable(rel, def, index))
		FailNotIndexTable(rel, def, index);
	if (!def->distributed)
		RequireLocalRows(rel, "Use dynamo.drop_index, and create the index again.");
	if (index->kind->in_parts)
		CheckIndexShards(rel, index);
	if (RelationIsKnown(def, index))
		unconstify(IndexDef *, index)->verified = true;
	return rel;
}

static void
RememberShard(const TableDef *def, const IndexDef *index, Oid relid, int shard)
{
	MemoryContext old;

	WatchLinkedTable(relid);
	if (!RelationIsKnown(def, index))
		return;
	old = MemoryContextSwitchTo(def->context);
	unconstify(IndexDef *, index)->verified_shards = bms_add_member(index->verified_shards, shard);
	MemoryContextSwitchTo(old);
}

Relation
IndexShardOpen(Relation index_table, const TableDef *def, const IndexDef *index, int shard,
			   LOCKMODE lockmode)
{
	Oid			relid = IndexShardRelation(index_table, index, shard);
	Relation	rel = table_open(relid, lockmode);

	if (RelationIsKnown(def, index) && bms_is_member(shard, index->verified_shards))
		return rel;
	if (rel->rd_rel->relkind != RELKIND_RELATION ||
		rel->rd_rel->relowner != index_table->rd_rel->relowner || !HasEntryShape(rel, def, index))
		FailNotIndexTable(rel, def, index);
	RequireLocalRows(rel, "Use dynamo.drop_index, and create the index again.");
	RememberShard(def, index, relid, shard);
	return rel;
}
