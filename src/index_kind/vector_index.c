/*
 * vector_index.c
 *	  Vector indexes: an index table with the vector of each item, which search/ finds by
 *	  their distance.
 *
 * A btree of sketches beside the entries makes exact searches faster.  With the method
 * "hnsw" there is also an HNSW index, by pgvector; it is built when the table has its
 * entries.
 */
#include "postgres.h"

#include "access/heaptoast.h"
#include "access/table.h"
#include "catalog/pg_type_d.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "extension_objects.h"
#include "index_kind/index_kinds.h"
#include "table/index_relation.h"
#include "vector/hnsw.h"
#include "vector/sketch_index.h"

static bool
HasVector(int shards, const VectorDef *vector)
{
	return vector != NULL;
}

/* ---- the table ---- */

static const IndexColumn vector_column = {VECTOR_COLUMN, "pg_catalog.float4[]", FLOAT4ARRAYOID};

/* Rows with vectors are so long that no other version fits on their page. */
#define VECTOR_FILLFACTOR	100

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
VectorClauses(const IndexDef *index)
{
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
SetVectorStorage(Oid relid, Oid index_table, const TableDef *def, const IndexDef *index)
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

static void
CreateMissingSketches(Oid index_table, const TableDef *def, const IndexDef *index)
{
	Relation	rel;
	bool		missing;

	if (index->vector->dimensions > SKETCH_MAX_DIMENSIONS)
		return;
	rel = table_open(index_table, NoLock);
	missing = !OidIsValid(FindSketchIndex(rel, index->key.npartition > 0));
	table_close(rel, NoLock);
	if (missing)
		CreateSketchIndex(index_table, def, index);
}

/* ---- the HNSW index ---- */

static void
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

/* Returns the statement that creates it; NULL without one, or without pgvector. */
static char *
HnswStatement(Oid index_table, const IndexDef *index, bool concurrently)
{
	const VectorDef *vector = index->vector;
	Oid			opclass = vector->hnsw ? FindHnswClass(vector->distance) : InvalidOid;

	if (!OidIsValid(opclass))
		return NULL;
	return psprintf("CREATE INDEX %sON %s %s", concurrently ? "CONCURRENTLY " : "",
					QualifiedName(get_rel_namespace(index_table), get_rel_name(index_table)),
					HnswClause(opclass, vector->dimensions));
}

static void
CreateHnsw(Oid index_table, const IndexDef *index)
{
	char	   *statement = HnswStatement(index_table, index, false);

	if (statement != NULL)
		RunStatement("%s", statement);
}

static bool
PlanHnsw(const TableDef *def, const IndexDef *index, ConcurrentBuild *build)
{
	Relation	rel = IndexTableOpen(def, index, AccessShareLock);

	build->drop = DropIndexStatement(FindHnswIndex(rel, false));
	build->create = HnswStatement(RelationGetRelid(rel), index, true);
	build->done = build->create == NULL || OidIsValid(FindHnswIndex(rel, true));
	table_close(rel, NoLock);
	return true;
}

static List *
HnswStatements(const TableDef *def, const IndexDef *index)
{
	Relation	rel = IndexTableOpen(def, index, AccessShareLock);
	char	   *create = HnswStatement(RelationGetRelid(rel), index, true);
	Oid			unfinished = FindHnswIndex(rel, false);
	List	   *statements = NIL;

	if (create != NULL && OidIsValid(unfinished))
		statements = lappend(statements, psprintf("DROP INDEX CONCURRENTLY IF EXISTS %s",
												  QualifiedName(get_rel_namespace(unfinished), get_rel_name(unfinished))));
	if (create != NULL)
		statements = lappend(statements, create);
	table_close(rel, NoLock);
	return statements;
}

/* ---- verifying ---- */

static bool
VerifyVectorTable(Verification *v, Relation rel)
{
	if (!VerifyShape(v, rel))
		return false;
	if (v->index->vector->hnsw && !OidIsValid(FindHnswIndex(rel, true)))
		ReportProblem(v, "HNSW index missing", NO_ITEM, "Searches of the index are exact.");
	return true;
}

const IndexKind vector_index = {
	.storage = "table",
	.has_parameters = HasVector,
	.own_entries = true,
	.beside = &vector_column,
	.undistributable = "a vector index",
	.create = CreateIndexTable,
	.table_clauses = VectorClauses,
	.complete_table = SetVectorStorage,
	.before_emptying = DropHnsw,
	.before_filling = CreateMissingSketches,
	.after_filling = CreateHnsw,
	.fill = FillEntries,
	.rebuild = RebuildEntries,
	.plan = PlanHnsw,
	.build_statements = HnswStatements,
	.verify_relation = VerifyVectorTable,
	.verify = VerifyTable,
};
