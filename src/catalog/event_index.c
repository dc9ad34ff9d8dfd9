/*
 * event_index.c
 *	  Index tables and btrees under ordinary DDL: whose they are, and what
 *	  follows what.
 *
 * Index tables follow their table to another schema, owner, name and
 * persistence; definitions follow the names of index tables and of btrees.
 * An index table's guard names its table and index, the definition of the
 * table names the index table: only where both agree do we act.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/ddl.h"
#include "catalog/event.h"
#include "catalog/objects.h"

/* ---- whose an index table is ---- */

bool
IsTable(Oid relid)
{
	char		kind = get_rel_relkind(relid);

	return kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE;
}

bool
HasName(Oid relid, const char *name)
{
	const char *found = get_rel_name(relid);

	return found != NULL && strcmp(found, name) == 0;
}

bool
FindGuard(Oid relid, char **table_name, char **index_name)
{
	Oid			function = DynamoFunctionOid(FUNCTION_GUARD_INDEX);
	Relation	rel = try_table_open(relid, AccessShareLock);
	bool		found = false;

	if (rel == NULL)
		return false;
	for (int i = 0; !found && rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
	{
		Trigger    *trigger = &rel->trigdesc->triggers[i];

		if (trigger->tgfoid != function || trigger->tgnargs != 2)
			continue;
		*table_name = pstrdup(trigger->tgargs[0]);
		*index_name = pstrdup(trigger->tgargs[1]);
		found = true;
	}
	table_close(rel, AccessShareLock);
	return found;
}

/* The definition a table has, unchecked: it may not fit any more. */
static TableDef *
WrittenDefinition(Oid relid)
{
	Relation	rel = IsTable(relid) ? try_table_open(relid, AccessShareLock) : NULL;
	TableDef   *def = NULL;

	if (rel != NULL)
	{
		def = TableDefCopy(rel);
		table_close(rel, AccessShareLock);
	}
	return def;
}

bool
FindHeldIndex(Oid relid, HeldIndex *held)
{
	char	   *table_name;
	const TableDef *def;
	const IndexDef *index;

	if (get_rel_relispartition(relid))
		relid = get_partition_parent(relid, true);
	if (!IsTable(relid) || !FindGuard(relid, &table_name, &held->index_name))
		return false;
	held->index_table = relid;
	held->table = get_relname_relid(table_name, get_rel_namespace(relid));
	def = OidIsValid(held->table) ? WrittenDefinition(held->table) : NULL;
	index = def != NULL ? TableDefIndex(def, held->index_name) : NULL;
	return index != NULL && index->storage == STORAGE_TABLE &&
		HasName(relid, index->relation);
}

/* ---- index tables follow their table ---- */

/*
 * The index table of an index, in the schema of its table or, when the table
 * has just been moved, where it was left: where no table of that name is.
 */
static Oid
FindIndexTable(Oid relid, const IndexDef *index)
{
	Oid			found = get_relname_relid(index->relation, get_rel_namespace(relid));

	if (OidIsValid(found))
		return found;
	if (SPI_execute_with_args("SELECT c.oid FROM pg_catalog.pg_class c "
							  "JOIN pg_catalog.pg_trigger t ON t.tgrelid OPERATOR(pg_catalog.=) c.oid "
							  "WHERE c.relname OPERATOR(pg_catalog.=) $1 "
							  "AND t.tgfoid OPERATOR(pg_catalog.=) $2 "
							  "AND c.relowner OPERATOR(pg_catalog.=) $4 "
							  "AND NOT EXISTS (SELECT FROM pg_catalog.pg_class b "
							  "WHERE b.relnamespace OPERATOR(pg_catalog.=) c.relnamespace "
							  "AND b.relname OPERATOR(pg_catalog.=) $3)",
							  4, (Oid[]) {NAMEOID, OIDOID, NAMEOID, OIDOID},
							  (Datum[])
							  {
								  DirectFunctionCall1(namein, CStringGetDatum(index->relation)),
								  ObjectIdGetDatum(DynamoFunctionOid(FUNCTION_GUARD_INDEX)),
								  DirectFunctionCall1(namein, CStringGetDatum(get_rel_name(relid))),
								  ObjectIdGetDatum(RelationOwner(relid))
							  },
							  NULL, false, 2) == SPI_OK_SELECT && SPI_processed > 0)
	{
		bool		isnull;

		found = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[0],
											   SPI_tuptable->tupdesc, 1, &isnull));
	}
	return found;
}

static bool
MayFollow(Oid relid, Oid follower, bool named)
{
	Oid			owner = RelationOwner(follower);

	return owner == RelationOwner(relid) ||
		(named && former_table.relid == relid && former_table.owner == owner);
}

bool
FollowTable(Oid relid, Oid follower, bool named)
{
	Oid			schema = get_rel_namespace(follower);
	char	   *name = get_rel_name(follower);

	if (!MayFollow(relid, follower, named))
		return false;
	if (schema != get_rel_namespace(relid))
	{
		RunStatement("ALTER TABLE %s SET SCHEMA %s", QualifiedName(schema, name),
					 quote_identifier(get_namespace_name(get_rel_namespace(relid))));
		schema = get_rel_namespace(relid);
	}
	if (RelationOwner(follower) != RelationOwner(relid))
		RunStatement("ALTER TABLE %s OWNER TO %s", QualifiedName(schema, name),
					 quote_identifier(GetUserNameFromId(RelationOwner(relid), false)));
	MatchPersistence(relid, follower);
	MatchRowSecurity(relid, follower);
	return true;
}

static bool
FollowWithShards(Oid relid, Oid index_table, bool named)
{
	List	   *shards = find_inheritance_children(index_table, AccessShareLock);
	ListCell   *cell;

	foreach(cell, shards)
		(void) FollowTable(relid, lfirst_oid(cell), named);
	return FollowTable(relid, index_table, named);
}

/* An index table has a guard, or it was dropped or is not restored yet. */
static void
FollowIndexTable(Oid relid, const IndexDef *index)
{
	Oid			index_table = FindIndexTable(relid, index);
	char	   *table_name;
	char	   *index_name;
	bool		named;

	if (!OidIsValid(index_table) || !IsTable(index_table) ||
		!FindGuard(index_table, &table_name, &index_name))
		return;
	named = strcmp(table_name, get_rel_name(relid)) == 0;
	if (FollowWithShards(relid, index_table, named) && !named)
		StoreGuards(index_table, get_rel_name(relid), index->name);
}

void
IndexTablesFollow(Oid relid, const TableDef *def)
{
	for (int i = 0; i < def->nindexes; i++)
	{
		if (def->indexes[i].storage == STORAGE_TABLE)
			FollowIndexTable(relid, &def->indexes[i]);
	}
}

/* ---- definitions follow names ---- */

TableDef *
CopyDefinition(Oid relid)
{
	Relation	rel = table_open(relid, AccessShareLock);
	TableDef   *copy = NULL;

	if (rel->trigdesc != NULL && RelationIsDynamoTable(rel))
	{
		TableDef   *def = TableDefAcquire(rel);

		copy = TableDefParse(TableDefPrint(def));
		copy->relid = relid;
		TableDefRelease(def);
	}
	table_close(rel, AccessShareLock);
	return copy;
}

/* An index was renamed: an inline index that lost its name has a new one. */
void
AdoptIndexName(Oid relid, Oid index_relid)
{
	TableDef   *def = CopyDefinition(relid);

	for (int i = 0; def != NULL && i < def->nindexes; i++)
	{
		IndexDef   *index = &def->indexes[i];

		if (index->storage != STORAGE_INLINE || index->status != INDEX_ACTIVE ||
			OidIsValid(get_relname_relid(index->relation, get_rel_namespace(relid))) ||
			!InlineIndexFits(def, index, index_relid))
			continue;
		index->relation = get_rel_name(index_relid);
		StoreDefinition(relid, def);
		return;
	}
}

/* An index table was altered: the definition takes its name over. */
void
AdoptIndexTable(Oid index_table)
{
	char	   *table_name;
	char	   *index_name;
	Oid			relid;
	TableDef   *def;
	IndexDef   *index;

	if (!FindGuard(index_table, &table_name, &index_name))
		return;
	relid = get_relname_relid(table_name, get_rel_namespace(index_table));
	def = OidIsValid(relid) ? CopyDefinition(relid) : NULL;
	index = def != NULL ? unconstify(IndexDef *, TableDefIndex(def, index_name)) : NULL;
	if (index == NULL || RelationOwner(index_table) != RelationOwner(relid) ||
		OidIsValid(get_relname_relid(index->relation, get_rel_namespace(relid))))
		return;
	index->relation = get_rel_name(index_table);
	StoreDefinition(relid, def);
}
