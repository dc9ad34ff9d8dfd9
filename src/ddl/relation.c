/*
 * relation.c
 *	  Creates the relations of secondary indexes.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/heaptoast.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "ddl/ddl.h"
#include "extension_objects.h"
#include "table/limits.h"
#include "table/link.h"
#include "table/object_names.h"
#include "vector/hnsw.h"
#include "vector/sketch_index.h"

/*
 * Leaves room for entries whose projection changes; keys never change in
 * place.
 */
#define INDEX_FILLFACTOR	90

/* Rows with vectors are so long that no other version fits on their page. */
#define VECTOR_FILLFACTOR	100

/* Returns the columns of an entry: "a", "b". */
static char *
EntryColumns(const TableDef *def, const IndexDef *index)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < index->nentry; i++)
		appendStringInfo(&out, "%s%s", i > 0 ? ", " : "",
						 quote_identifier(EntryAttribute(def, index, i)->column));
	return out.data;
}

static bool
IsTableKey(const TableDef *def, int attribute)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		if (def->key_attributes[i] == attribute)
			return true;
	}
	return false;
}

/*
 * Returns the predicate that requires the partition attributes that are not
 * part of the table's key.  Sort attributes are not included, because a query
 * on the partition alone could then not use the index.
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
		appendStringInfo(&out, "%s NOT NULL, ", ColumnClause(EntryAttribute(def, index, i)));
	if (index->vector != NULL)
		appendStringInfo(&out, "%s pg_catalog.float4[] NOT NULL, ", VECTOR_COLUMN);
	appendStringInfo(&out, "%s %s.item NOT NULL, PRIMARY KEY (%s%s)",
					 ITEM_COLUMN, DYNAMO_SCHEMA, EntryColumns(def, index),
					 index->shards > 0 ? ", " SHARD_COLUMN : "");
	return out.data;
}

/* Gives an index table and its shards the owner of the table. */
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

Oid
CreateTableBeside(Oid relid, const char *name, const char *clauses)
{
	Oid			schema = get_rel_namespace(relid);
	Oid			created;

	RunStatement("CREATE TABLE %s %s", QualifiedName(schema, name), clauses);
	created = get_relname_relid(name, schema);
	GiveToOwner(QualifiedName(schema, name), RelationOwner(relid));
	MatchPersistence(relid, created);
	MatchRowSecurity(relid, created);
	return created;
}

static void
CreateShards(Oid relid, Oid index_table, const TableDef *def, const IndexDef *index)
{
	Oid			schema = get_rel_namespace(relid);
	const char *table = QualifiedName(schema, get_rel_name(index_table));

	for (int i = 0; i < index->shards; i++)
		(void) CreateTableBeside(relid,
								 ChooseIndexRelation(def, schema, index->relation, psprintf("%d", i)),
								 psprintf("PARTITION OF %s FOR VALUES IN (%d) WITH (fillfactor = %d)",
										  table, i, INDEX_FILLFACTOR));
}

/* Bytes of a row beside a vector that is to stay in it. */
#define BESIDE_VECTOR	1024
#define LARGEST_ROW		8160	/* the maximum of toast_tuple_target */

/*
 * Whether rows contain their vectors.  A search reads all of them, and reading
 * them from another place would take several times as long.
 */
static bool
RowsContainVectors(const VectorDef *vector)
{
	return sizeof(float) * vector->dimensions + BESIDE_VECTOR <= LARGEST_ROW;
}

/*
 * Returns the storage parameters of an index table.  Without a projected item
 * that is long, the row of a vector index is as long as its vector.
 */
static char *
StorageParameters(const IndexDef *index)
{
	if (index->vector == NULL)
		return psprintf("WITH (fillfactor = %d)", INDEX_FILLFACTOR);
	if (!RowsContainVectors(index->vector))
		return psprintf("WITH (fillfactor = %d)", VECTOR_FILLFACTOR);
	return psprintf("WITH (fillfactor = %d, toast_tuple_target = %d)", VECTOR_FILLFACTOR,
					(int) Max(sizeof(float) * index->vector->dimensions + BESIDE_VECTOR, TOAST_TUPLE_TARGET));
}

/*
 * The numbers of a vector hardly compress.  MAIN leaves them in the row.
 * Without a target of 0, ANALYZE would count the elements of 30,000 vectors.
 */
static void
SetVectorStorage(Oid index_table, const IndexDef *index)
{
	RunStatement("ALTER TABLE %s ALTER COLUMN %s SET STORAGE %s, ALTER COLUMN %s SET STATISTICS 0",
				 QualifiedName(get_rel_namespace(index_table), get_rel_name(index_table)),
				 VECTOR_COLUMN, RowsContainVectors(index->vector) ? "MAIN" : "EXTERNAL", VECTOR_COLUMN);
}

/* Its sketches need no statistics either. */
static void
CreateSketchIndex(Oid index_table, const TableDef *def, const IndexDef *index)
{
	bool		has_partitions = index->key.npartition > 0;
	const AttributeDef *partition = has_partitions ? EntryAttribute(def, index, 0) : NULL;
	Relation	rel;
	Oid			created;

	RunStatement("CREATE INDEX ON %s %s",
				 QualifiedName(get_rel_namespace(index_table), get_rel_name(index_table)),
				 partition != NULL ? SketchClause(partition->column, partition->type) : SketchClause(NULL, VALUE_N));
	rel = table_open(index_table, NoLock);
	created = FindSketchIndex(rel, has_partitions);
	table_close(rel, NoLock);
	if (!OidIsValid(created))
		elog(ERROR, "the btree of sketches was not created");
	RunStatement("ALTER INDEX %s ALTER COLUMN %d SET STATISTICS 0",
				 QualifiedName(get_rel_namespace(created), get_rel_name(created)),
				 has_partitions ? 2 : 1);
}

void
StoreSketches(Oid index_table, const TableDef *def, const IndexDef *index)
{
	Relation	rel;
	bool		missing;

	if (index->vector == NULL || index->vector->dimensions > SKETCH_MAX_DIMENSIONS)
		return;
	rel = table_open(index_table, NoLock);
	missing = !OidIsValid(FindSketchIndex(rel, index->key.npartition > 0));
	table_close(rel, NoLock);
	if (missing)
		CreateSketchIndex(index_table, def, index);
}

void
DropHnsw(Oid index_table)
{
	Relation	rel = table_open(index_table, NoLock);
	Oid			found[] = {FindHnswIndex(rel, true), FindHnswIndex(rel, false)};

	table_close(rel, NoLock);
	for (size_t i = 0; i < lengthof(found); i++)
	{
		if (OidIsValid(found[i]))
			DropIndexRelation(found[i]);
	}
}

char *
HnswStatement(Oid index_table, const IndexDef *index, bool concurrently)
{
	const VectorDef *vector = index->vector;
	Oid			opclass = vector != NULL && vector->hnsw ? FindHnswClass(vector->distance) : InvalidOid;

	if (!OidIsValid(opclass))
		return NULL;
	return psprintf("CREATE INDEX %sON %s %s", concurrently ? "CONCURRENTLY " : "",
					QualifiedName(get_rel_namespace(index_table), get_rel_name(index_table)),
					HnswClause(opclass, vector->dimensions));
}

void
StoreHnsw(Oid index_table, const IndexDef *index)
{
	char	   *statement = HnswStatement(index_table, index, false);

	if (statement != NULL)
		RunStatement("%s", statement);
}

static void
CreateIndexTable(Oid relid, const TableDef *def, const IndexDef *index)
{
	const char *storage = index->shards > 0 ? "PARTITION BY LIST (" SHARD_COLUMN ")" :
		StorageParameters(index);
	Oid			index_table = CreateTableBeside(relid, index->relation,
												psprintf("(%s) %s", IndexTableColumns(def, index),
														 storage));

	CreateShards(relid, index_table, def, index);
	if (index->vector != NULL)
		SetVectorStorage(index_table, index);
	StoreGuards(index_table);
	StoreLink(index_table, relid, index->relation);
	StoreSketches(index_table, def, index);
}

void
CreateIndexRelation(Oid relid, const TableDef *def, const IndexDef *index, bool limited)
{
	if (index->kind->own_entries)
		CreateIndexTable(relid, def, index);
	else
		RunStatement("%s", InlineIndexStatement(relid, def, index, limited, false));
}

void
DropIndexRelation(Oid relid)
{
	char		kind = get_rel_relkind(relid);

	RunStatement("DROP %s %s",
				 kind == RELKIND_INDEX || kind == RELKIND_PARTITIONED_INDEX ? "INDEX" : "TABLE",
				 QualifiedName(get_rel_namespace(relid), get_rel_name(relid)));
}
