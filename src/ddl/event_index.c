/*
 * event_index.c
 *	  Index tables under ordinary DDL: finds their tables, and changes them
 *	  together.
 *
 * Index tables get the schema, owner and persistence of their table.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "ddl/ddl.h"
#include "ddl/event.h"
#include "extension_objects.h"
#include "table/distribution.h"
#include "table/link.h"

/* ---- the table of an index table ---- */

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

/*
 * Returns a table's definition without checks: it may not fit the table any
 * more.
 */
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

/*
 * Returns the index that an index table contains, and its table; NULL if it is
 * not an index table.
 */
static const IndexDef *
IndexOfTable(Relation index_table, Oid *table)
{
	char	   *label;
	const TableDef *def;
	const IndexDef *index;

	*table = LinkedTable(index_table, &label);
	if (!HaveSameOwner(*table, RelationGetRelid(index_table)))
		return NULL;
	def = WrittenDefinition(*table);
	index = def != NULL ? TableDefIndexOfRelation(def, label) : NULL;
	return index != NULL && index->kind->own_entries ? index : NULL;
}

static bool
IsLinked(Oid relid)
{
	Relation	rel = IsTable(relid) ? try_table_open(relid, AccessShareLock) : NULL;
	char	   *label;
	bool		linked = rel != NULL && OidIsValid(LinkedTable(rel, &label));

	if (rel != NULL)
		table_close(rel, AccessShareLock);
	return linked;
}

/* A shard has a clone of the link of its index table: tables of other partitions are not waited for. */
bool
FindHeldIndex(Oid relid, HeldIndex *held)
{
	Relation	rel;
	const IndexDef *index;

	if (get_rel_relispartition(relid))
	{
		if (!IsLinked(relid))
			return false;
		relid = get_partition_parent(relid, true);
	}
	rel = IsTable(relid) ? try_table_open(relid, AccessShareLock) : NULL;
	if (rel == NULL)
		return false;
	index = IndexOfTable(rel, &held->table);
	table_close(rel, AccessShareLock);
	held->index_table = relid;
	held->index_name = index != NULL ? index->name : NULL;
	return index != NULL;
}

/* ---- index tables follow their table ---- */

static bool
IsBehindTable(Oid relid, Oid follower)
{
	return get_rel_namespace(follower) != get_rel_namespace(relid) ||
		RelationOwner(follower) != RelationOwner(relid) ||
		get_rel_persistence(follower) != get_rel_persistence(relid) ||
		HasRowSecurity(follower) != HasRowSecurity(relid);
}

static void
MakeFollow(Oid relid, Oid follower)
{
	Oid			schema = get_rel_namespace(relid);
	char	   *name = get_rel_name(follower);

	if (get_rel_namespace(follower) != schema)
		RunStatement("ALTER TABLE %s SET SCHEMA %s", QualifiedName(get_rel_namespace(follower), name),
					 quote_identifier(get_namespace_name(schema)));
	if (RelationOwner(follower) != RelationOwner(relid))
		RunStatement("ALTER TABLE %s OWNER TO %s", QualifiedName(schema, name),
					 quote_identifier(GetUserNameFromId(RelationOwner(relid), false)));
	MatchPersistence(relid, follower);
	MatchRowSecurity(relid, follower);
}

void
FollowTable(Oid relid, Oid follower)
{
	int			level;

	if (!RelationOwnercheck(follower, GetUserId()) || !IsBehindTable(relid, follower))
		return;
	level = SessionIsOfNode() ? 0 : DistributedDdlBegin(follower);
	MakeFollow(relid, follower);
	DistributedDdlEnd(level);
}

static void
FollowWithShards(Oid relid, Oid index_table)
{
	ListCell   *cell;

	foreach(cell, find_inheritance_children(index_table, AccessShareLock))
		FollowTable(relid, lfirst_oid(cell));
	FollowTable(relid, index_table);
}

/* So does the change table of a distributed table. */
static void
ChangeTableFollows(Oid relid, const TableDef *def, const List *links)
{
	Oid			changes = HasIndexTables(def) ? LinkedAs(links, CHANGES_LABEL) : InvalidOid;

	if (OidIsValid(changes) && !IsPartitionedByExpression(changes))
		FollowTable(relid, changes);
}

/* A missing index table was dropped, or has not been restored yet. */
void
IndexTablesFollow(Oid relid, const TableDef *def)
{
	const List *links = HasIndexTables(def) ? LinksOf(relid) : NIL;

	ChangeTableFollows(relid, def, links);
	for (int i = 0; i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];
		Oid			index_table = index->kind->own_entries ?
			LinkedAs(links, index->relation) : InvalidOid;

		if (OidIsValid(index_table) && !IsPartitionedByExpression(index_table))
			FollowWithShards(relid, index_table);
	}
}

/* ---- tables that are altered with others ---- */

/* The tables of a composite type (ALTER TABLE ... OF). */
static EventPlan tables_of_type = {
"SELECT t.oid FROM pg_catalog.pg_class t "
"JOIN pg_catalog.pg_class c ON c.reltype OPERATOR(pg_catalog.=) t.reloftype "
"WHERE c.oid OPERATOR(pg_catalog.=) ANY ($1) AND c.relkind OPERATOR(pg_catalog.=) 'c'::pg_catalog.\"char\""
};

static List *
TablesOfType(Oid relid)
{
	EventQueryOf(&tables_of_type, relid);
	return ResultOids();
}

List *
TablesAlteredWith(Oid relid)
{
	bool		is_type = get_rel_relkind(relid) == RELKIND_COMPOSITE_TYPE;
	List	   *tables = is_type ? TablesOfType(relid) : list_make1_oid(relid);
	List	   *altered = NIL;
	ListCell   *cell;

	foreach(cell, tables)
	{
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_PARTITIONED_TABLE)
			altered = lappend_oid(altered, lfirst_oid(cell));
		else
			altered = list_concat(altered, find_all_inheritors(lfirst_oid(cell), NoLock, NULL));
	}
	return is_type ? altered : list_delete_oid(altered, relid);
}

/* ---- definitions ---- */

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
