/*
 * ddl_relation.c
 *	  Creating the relations that hold secondary indexes.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/ddl.h"
#include "catalog/limits.h"
#include "catalog/names.h"
#include "catalog/objects.h"

/* Room for entries whose projection changes; keys never change in place. */
#define INDEX_FILLFACTOR	90

/* "a", "b": the columns of an entry. */
static char *
EntryColumns(const TableDef *def, const IndexDef *index)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < index->nentry; i++)
		appendStringInfo(&out, "%s%s", i > 0 ? ", " : "",
						 quote_identifier(def->attributes[index->entry[i]].column));
	return out.data;
}

static bool
IsTableKey(const TableDef *def, int attribute)
{
	for (int i = 0; i < def->key.npartition + def->key.nsort; i++)
	{
		if (def->key_attributes[i] == attribute)
			return true;
	}
	return false;
}

/*
 * WHERE the partition attributes are there; those of the table's key always
 * are.  Sort attributes are not in it: a plain query on the partition alone
 * could not use the index otherwise.
 */
static char *
SparsePredicate(const TableDef *def, const IndexDef *index, bool limited)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < index->key.npartition; i++)
	{
		if (IsTableKey(def, index->attributes[i]))
			continue;
		appendStringInfo(&out, "%s%s IS NOT NULL", out.len > 0 ? " AND " : " WHERE ",
						 quote_identifier(def->attributes[index->attributes[i]].column));
	}
	if (limited)
	{
		appendStringInfoString(&out, out.len > 0 ? " AND " : " WHERE ");
		AppendLimits(&out, def, index);
	}
	return out.data;
}

char *
InlineIndexStatement(Oid relid, const TableDef *def, const IndexDef *index,
					 bool limited, bool concurrently)
{
	return psprintf("CREATE INDEX %s%s ON %s USING btree (%s)%s",
					concurrently ? "CONCURRENTLY " : "",
					quote_identifier(index->relation),
					QualifiedName(get_rel_namespace(relid), get_rel_name(relid)),
					EntryColumns(def, index), SparsePredicate(def, index, limited));
}

/* ---- index tables ---- */

static char *
IndexTableColumns(const TableDef *def, const IndexDef *index)
{
	StringInfoData out;

	initStringInfo(&out);
	if (index->shards > 0)
		appendStringInfo(&out, "%s pg_catalog.int4 NOT NULL, ", SHARD_COLUMN);
	for (int i = 0; i < index->nentry; i++)
		appendStringInfo(&out, "%s NOT NULL, ", ColumnClause(&def->attributes[index->entry[i]]));
	appendStringInfo(&out, "%s %s.item NOT NULL, PRIMARY KEY (%s%s)",
					 ITEM_COLUMN, DYNAMO_SCHEMA, EntryColumns(def, index),
					 index->shards > 0 ? ", " SHARD_COLUMN : "");
	return out.data;
}

/* An index table and its shards belong to whom the table belongs to. */
static void
GiveToOwner(const char *relation, Oid owner)
{
	if (owner != GetUserId())
		RunStatement("ALTER TABLE %s OWNER TO %s", relation,
					 quote_identifier(GetUserNameFromId(owner, false)));
}

void
MatchPersistence(Oid relid, Oid index_table)
{
	char		persistence = get_rel_persistence(relid);

	if (get_rel_relkind(index_table) != RELKIND_RELATION ||
		persistence == get_rel_persistence(index_table) ||
		persistence == RELPERSISTENCE_TEMP)
		return;
	RunStatement("ALTER TABLE %s SET %s",
				 QualifiedName(get_rel_namespace(index_table), get_rel_name(index_table)),
				 persistence == RELPERSISTENCE_UNLOGGED ? "UNLOGGED" : "LOGGED");
}

bool
HasRowSecurity(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	bool		result;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", relid);
	result = ((Form_pg_class) GETSTRUCT(tuple))->relrowsecurity;
	ReleaseSysCache(tuple);
	return result;
}

void
MatchRowSecurity(Oid relid, Oid index_table)
{
	bool		wanted = HasRowSecurity(relid);

	if (wanted != HasRowSecurity(index_table))
		RunStatement("ALTER TABLE %s %s ROW LEVEL SECURITY",
					 QualifiedName(get_rel_namespace(index_table), get_rel_name(index_table)),
					 wanted ? "ENABLE" : "DISABLE");
}

static void
CreateShards(Oid relid, Oid schema, const char *table, const IndexDef *index, Oid owner)
{
	for (int i = 0; i < index->shards; i++)
	{
		const char *name = ChooseIndexRelation(schema, index->relation, psprintf("%d", i));
		char	   *shard = QualifiedName(schema, name);

		RunStatement("CREATE TABLE %s PARTITION OF %s FOR VALUES IN (%d) WITH (fillfactor = %d)",
					 shard, table, i, INDEX_FILLFACTOR);
		GiveToOwner(shard, owner);
		MatchPersistence(relid, get_relname_relid(name, schema));
		MatchRowSecurity(relid, get_relname_relid(name, schema));
	}
}

static void
CreateIndexTable(Oid relid, const TableDef *def, const IndexDef *index)
{
	Oid			schema = get_rel_namespace(relid);
	char	   *table = QualifiedName(schema, index->relation);

	if (index->shards > 0)
		RunStatement("CREATE TABLE %s (%s) PARTITION BY LIST (%s)", table,
					 IndexTableColumns(def, index), SHARD_COLUMN);
	else
		RunStatement("CREATE TABLE %s (%s) WITH (fillfactor = %d)", table,
					 IndexTableColumns(def, index), INDEX_FILLFACTOR);
	GiveToOwner(table, RelationOwner(relid));
	MatchPersistence(relid, get_relname_relid(index->relation, schema));
	MatchRowSecurity(relid, get_relname_relid(index->relation, schema));
	CreateShards(relid, schema, table, index, RelationOwner(relid));
	StoreGuards(get_relname_relid(index->relation, schema), get_rel_name(relid), index->name);
}

void
CreateIndexRelation(Oid relid, const TableDef *def, const IndexDef *index, bool limited)
{
	if (index->storage == STORAGE_TABLE)
		CreateIndexTable(relid, def, index);
	else
		RunStatement("%s", InlineIndexStatement(relid, def, index, limited, false));
}
