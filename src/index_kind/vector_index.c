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

#include "index_kind/index_kinds.h"
#include "store/scan.h"
#include "table/index_relation.h"
#include "vector/hnsw.h"
#include "vector/sketch_index.h"

static bool
HasVector(int shards, const VectorDef *vector)
{
	return vector != NULL;
}

/* ---- a new index ---- */

static void
CheckVectorCount(const TableDef *def)
{
	int			n = 1;

	for (int i = 0; i < def->nindexes; i++)
		n += def->indexes[i].kind == &vector_index;
	if (n > max_vector_indexes)
		InvalidParameter("VectorIndex count exceeds the per-table limit of %d", max_vector_indexes);
}

/* All vector indexes of an attribute must have the same dimensions. */
static void
CheckDimensions(const TableDef *def, const VectorDef *vector)
{
	if (vector->dimensions < 1 || vector->dimensions > VECTOR_MAX_DIMENSIONS)
		InvalidParameter("Number of dimensions must be between 1 and %d inclusive.", VECTOR_MAX_DIMENSIONS);
	for (int i = 0; i < def->nindexes; i++)
	{
		const VectorDef *other = def->indexes[i].vector;

		if (other != NULL && SliceEqual(other->attribute, vector->attribute) &&
			other->dimensions != vector->dimensions)
			InvalidParameter("Conflicting attribute definition for '%s'. All VectorIndexes on the same vector attribute must use the same dimensions.",
							 vector->attribute.data);
	}
}

/* A filter attribute must not be declared with two types. */
static void
CheckFilterType(const TableDef *def, const VectorFilter *filter)
{
	int			known = TableDefAttribute(def, filter->name);
	const VectorFilter *other = NULL;

	for (int i = 0; i < def->nindexes && other == NULL; i++)
		other = def->indexes[i].vector != NULL ? VectorFilterFind(def->indexes[i].vector, filter->name) : NULL;
	if ((known >= 0 && def->attributes[known].type != filter->type) ||
		(other != NULL && other->type != filter->type))
		InvalidParameter("Attribute %s is defined with two types", filter->name.data);
}

static void
CheckSearchSchema(const TableDef *def, const CreateIndexSpec *spec)
{
	const VectorDef *vector = spec->vector;
	const KeyAttribute *hash = spec->key.npartition > 0 ? &spec->key.attributes[0] : NULL;

	if (hash != NULL)
		CheckNameOfAttribute(hash->name);
	if (hash != NULL && SliceEqual(hash->name, vector->attribute))
		InvalidParameter("The vector attribute cannot be in the SearchSchema: %s", hash->name.data);
	for (int i = 0; i < vector->nfilters; i++)
	{
		Slice		name = vector->filters[i].name;

		CheckNameOfAttribute(name);
		if (SliceEqual(name, vector->attribute))
			InvalidParameter("The vector attribute cannot be in the SearchSchema: %s", name.data);
		if (VectorFilterFind(vector, name) != &vector->filters[i] ||
			(hash != NULL && SliceEqual(hash->name, name)))
			InvalidParameter("Duplicate attribute in SearchSchema: %s", name.data);
		CheckFilterType(def, &vector->filters[i]);
	}
}

static void
CheckHnsw(const VectorDef *vector)
{
	if (vector->dimensions > HNSW_MAX_DIMENSIONS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("method \"hnsw\" is limited to %d dimensions", HNSW_MAX_DIMENSIONS),
				 errhint("Use method \"exact\".")));
	if (!OidIsValid(FindHnswClass(vector->distance)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("method \"hnsw\" needs the extension \"vector\""),
				 errhint("Install pgvector 0.8 or later, and CREATE EXTENSION vector.")));
}

static void
CheckVectorSpec(const TableDef *def, const CreateIndexSpec *spec)
{
	CheckNameOfAttribute(spec->vector->attribute);
	CheckVectorCount(def);
	CheckDimensions(def, spec->vector);
	CheckSearchSchema(def, spec);
	CheckSpecProjection(def, spec);
	if (spec->vector->hnsw)
		CheckHnsw(spec->vector);
}

/* ---- items ---- */

/* Whether an item has a vector that the index can contain. */
static bool
HasUsableVector(const IndexDef *index, ValueRef item)
{
	float	   *vector = VectorOfItem(index->vector, item);

	if (vector == NULL)
		return false;
	pfree(vector);
	return true;
}

static const char *
ViolationOfItem(const IndexDef *index, ValueRef item)
{
	return VectorViolation(index->vector, item);
}

static bool
CheckVectorOfItem(const IndexDef *index, ValueRef item, ValueRef old, Problem *problem)
{
	return VectorCheckItem(index->vector, index->name, item, old, problem);
}

static bool
NotePartitionKey(const IndexDef *index, const AttributeDef *attr, KeyFault what, ValueType actual,
				 Problem *problem)
{
	if (what == KEY_TYPE_MISMATCH)
		return VectorNoteType(index->name, attr->name, attr->type, actual, problem);
	return NoteInvalid(problem, DYNAMO_INVALID_PARAMETERS
					   "Aggregate size for HASH key attributes exceeds the maximum of %d bytes", KEY_MAX_PARTITION);
}

/* ---- entries ---- */

/* The item of an entry lacks the vector, and has all filter attributes. */
static bool
ProjectsAttribute(const IndexDef *index, Slice name, bool *projects)
{
	*projects = !SliceEqual(index->vector->attribute, name);
	return !*projects || VectorFilterFind(index->vector, name) != NULL;
}

static void
AddVector(const TableDef *def, const IndexDef *index, ValueRef item, EntryKey *key)
{
	key->vector = VectorOfItem(index->vector, item);
	key->present = key->vector != NULL;
}

static void
FormVector(const IndexDef *index, const EntryKey *key, Datum *before, Datum *beside)
{
	*beside = VectorToArray(key->vector, index->vector->dimensions);
}

static uint64
BytesOfVector(const IndexDef *index)
{
	return sizeof(float) * index->vector->dimensions;
}

static bool
HasSameVector(const IndexDef *index, const EntryKey *a, const EntryKey *b)
{
	return memcmp(a->vector, b->vector, BytesOfVector(index)) == 0;
}

static bool
EntryHasVector(EntryTable *t, const EntryKey *key)
{
	bool		isnull;
	bool		copy;
	Datum		stored = slot_getattr(t->own.slot, RelationGetDescr(t->own.rel)->natts - 1, &isnull);
	const float *vector = isnull ? NULL : VectorOfArray(stored, t->index->vector->dimensions, &copy);

	return vector != NULL && memcmp(vector, key->vector, BytesOfVector(t->index)) == 0;
}

/* ---- cost ---- */

static uint64
SizeOfVector(const IndexDef *index)
{
	return index->vector->attribute.len + BytesOfVector(index);
}

static bool
VectorChanges(const IndexDef *index, ValueRef old_item, ValueRef new_item)
{
	return memcmp(VectorOfItem(index->vector, old_item), VectorOfItem(index->vector, new_item),
				  BytesOfVector(index)) != 0;
}

/* Whether another vector index before this one has the same attribute. */
static bool
AttributeIsCounted(const TableDef *def, int index)
{
	for (int i = 0; i < index; i++)
	{
		if (def->indexes[i].vector != NULL &&
			SliceEqual(def->indexes[i].vector->attribute, def->indexes[index].vector->attribute))
			return true;
	}
	return false;
}

/*
 * In the attribute of a vector index a number takes four bytes, however many digits it
 * has.  Source: the example of consumed capacity in the service's documentation of vector
 * search.
 */
static int64
SizeChange(const TableDef *def, int i, ValueRef item)
{
	const IndexDef *index = &def->indexes[i];
	ValueRef	value = AttributeFind(item, index->vector->attribute.data, index->vector->attribute.len);
	Container	list;

	if (AttributeIsCounted(def, i) || ValueIsMissing(value) || ValueTypeOf(value) != VALUE_L)
		return 0;
	ContainerOpen(value, &list);
	if (list.count != (uint32) index->vector->dimensions)
		return 0;
	return (int64) BytesOfVector(index) - (int64) ValueSize(value);
}

/* ---- the description ---- */

/* Appends the partition attribute and the filter attributes. */
static void
DescribeSearchSchema(const IndexDef *index, StringInfo out)
{
	int			n = index->key.npartition;

	appendStringInfoString(out, "\"search_schema\": [");
	for (int i = 0; i < n + index->vector->nfilters; i++)
	{
		Slice		name = i < n ? index->key.attributes[i].name : index->vector->filters[i - n].name;

		appendStringInfoString(out, i > 0 ? ", {" : "{");
		DescribeText(out, "attribute_name", name.data);
		appendStringInfo(out, "\"element_type\": \"%s\"}", i < n ? "HASH" : "INLINE_FILTER");
	}
	appendStringInfoString(out, "], ");
}

static void
DescribeVector(const IndexDef *index, StringInfo out)
{
	DescribeText(out, "vector_attribute", index->vector->attribute.data);
	appendStringInfo(out, "\"dimensions\": %d, ", index->vector->dimensions);
	DescribeText(out, "distance_function", VectorDistanceName(index->vector->distance));
	DescribeText(out, "method", index->vector->hnsw ? "hnsw" : "exact");
	DescribeSearchSchema(index, out);
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
	.check_spec = CheckVectorSpec,
	.has_item = HasUsableVector,
	.violation = ViolationOfItem,
	.check_item = CheckVectorOfItem,
	.note_key = NotePartitionKey,
	.projects = ProjectsAttribute,
	.complete_key = AddVector,
	.form_entry = FormVector,
	.same_beside = HasSameVector,
	.has_beside = EntryHasVector,
	.beside_differs = "The vector differs.",
	.size_beside = SizeOfVector,
	.beside_changes = VectorChanges,
	.size_change = SizeChange,
	.describe = DescribeVector,
	.create = CreateIndexTable,
	.table_clauses = VectorClauses,
	.complete_table = SetVectorStorage,
	.before_emptying = DropHnsw,
	.before_filling = CreateMissingSketches,
	.after_filling = CreateHnsw,
	.find = FindIndexTable,
	.begin_scan = ScanEntries,
	.is_newer = EntriesAreNewer,
	.fill = FillEntries,
	.rebuild = RebuildEntries,
	.plan = PlanHnsw,
	.build_statements = HnswStatements,
	.verify_relation = VerifyVectorTable,
	.verify = VerifyTable,
};
