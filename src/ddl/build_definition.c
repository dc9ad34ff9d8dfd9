/*
 * build_definition.c
 *	  Builds the definition of a table, with the service's checks.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "ddl/ddl.h"
#include "errors.h"
#include "table/link.h"
#include "table/object_names.h"

#define MAX_NON_KEY_PER_TABLE	100

int			max_global_indexes = 20;
int			max_local_indexes = 5;
int			max_vector_indexes = 5;

void
DdlInit(void)
{
	DefineCustomIntVariable("dynamo.max_global_indexes",
							"Maximum number of global secondary indexes of a table.",
							NULL, &max_global_indexes, 20, 0, 1000,
							PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.max_local_indexes",
							"Maximum number of local secondary indexes of a table.",
							NULL, &max_local_indexes, 5, 0, 1000,
							PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.max_vector_indexes",
							"Maximum number of vector indexes of a table.",
							NULL, &max_vector_indexes, 5, 0, 1000,
							PGC_USERSET, 0, NULL, NULL, NULL);
}

/* ---- keys ---- */

void
CheckNameOfAttribute(Slice name)
{
	if (name.len == 0)
		InvalidParameter("Empty attribute name");
	if (name.len > KEY_MAX_NAME)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("1 validation error detected: Value '%s' at 'attributeName' failed to satisfy constraint: Member must have length less than or equal to 255",
						name.data)));
	if (memchr(name.data, '\0', name.len) != NULL)
		InvalidParameter("The name of a key attribute contains U+0000");
}

void
CheckKeySchema(const KeySchema *key, int max_partition, int max_sort)
{
	int			n = KeyCount(key);

	if (key->npartition == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")));
	if (key->npartition > max_partition)
		InvalidParameter("The KeySchema exceeds the maximum allowed number of HASH key attributes");
	if (key->nsort > max_sort)
		InvalidParameter("The KeySchema exceeds the maximum allowed number of RANGE key attributes");
	for (int i = 0; i < n; i++)
	{
		CheckNameOfAttribute(key->attributes[i].name);
		for (int j = 0; j < i; j++)
		{
			if (SliceCompare(key->attributes[i].name, key->attributes[j].name) != 0)
				continue;
			ereport(ERROR,
					(errcode(ERRCODE_DYNAMO_VALIDATION),
					 n == 2 ?
					 errmsg("Both the Hash Key and the Range Key element in the KeySchema have the same name") :
					 errmsg("The KeySchema contains multiple key attributes with the same name")));
		}
	}
}

/* Chooses a column name that no other attribute of the definition has. */
static const char *
ChooseColumn(const TableDef *def, Slice attribute)
{
	char	   *base = ColumnNameFor(attribute);
	char	   *column = base;

	for (int suffix = 1;; suffix++)
	{
		bool		taken = false;

		for (int i = 0; i < def->nattributes; i++)
			taken |= strcmp(def->attributes[i].column, column) == 0;
		if (!taken)
			return column;
		column = psprintf("attr_%d_%016llx", suffix,
						  (unsigned long long) StableHash(attribute.data, attribute.len, 0));
	}
}

int
AddAttribute(TableDef *def, const KeyAttribute *key)
{
	int			a = TableDefAttribute(def, key->name);
	AttributeDef *attr;

	if (a >= 0)
	{
		if (def->attributes[a].type != key->type)
			InvalidParameter("Attribute %s is defined with types %s and %s",
							 key->name.data, ValueTypeName(def->attributes[a].type),
							 ValueTypeName(key->type));
		return a;
	}
	a = def->nattributes++;
	def->attributes = def->attributes == NULL ?
		palloc(sizeof(AttributeDef)) :
		repalloc(def->attributes, sizeof(AttributeDef) * def->nattributes);
	attr = &def->attributes[a];
	attr->name.data = pnstrdup(key->name.data, key->name.len);
	attr->name.len = key->name.len;
	attr->type = key->type;
	def->nattributes = a;		/* not searched yet */
	attr->column = ChooseColumn(def, attr->name);
	def->nattributes = a + 1;
	attr->attnum = InvalidAttrNumber;
	return a;
}

/* ---- indexes ---- */

static void
CheckIndexCount(const TableDef *def, bool local)
{
	int			n = 1;

	for (int i = 0; i < def->nindexes; i++)
		n += def->indexes[i].local == local && def->indexes[i].replaces == NULL &&
			def->indexes[i].kind->secondary;
	if (local && n > max_local_indexes)
		InvalidParameter("Number of LocalSecondaryIndexes exceeds per-table limit of %d",
						 max_local_indexes);
	if (!local && n > max_global_indexes)
		InvalidParameter("GlobalSecondaryIndex count exceeds the per-table limit of %d",
						 max_global_indexes);
}

static void
CheckNewLocalIndex(const TableDef *def, const CreateIndexSpec *spec)
{
	const KeySchema *key = &spec->key;

	if (def->key.nsort == 0)
		InvalidParameter("Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex");
	if (key->npartition > 1)
		InvalidParameter("The KeySchema exceeds the maximum allowed number of HASH key attributes");
	if (key->nsort > 1)
		InvalidParameter("The KeySchema exceeds the maximum allowed number of RANGE key attributes");
	if (key->nsort == 0)
		InvalidParameter("Index KeySchema does not have a range key for index: %s", spec->name);
	if (SliceCompare(key->attributes[0].name, def->key.attributes[0].name) != 0)
		InvalidParameter("Index KeySchema does not have the same leading hash key as table KeySchema for index: %s. index hash key: %s, table hash key: %s",
						 spec->name, key->attributes[0].name.data,
						 def->key.attributes[0].name.data);
}

void
CheckSpecProjection(const TableDef *def, const CreateIndexSpec *spec)
{
	int			total = spec->nnon_key;

	if (spec->projected == PROJECTED_INCLUDE && spec->nnon_key == 0)
		InvalidParameter("ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
	if (spec->projected != PROJECTED_INCLUDE && spec->nnon_key > 0)
		InvalidParameter("ProjectionType is %s, but NonKeyAttributes is specified",
						 spec->projected == PROJECTED_ALL ? "ALL" : "KEYS_ONLY");
	for (int i = 0; i < spec->nnon_key; i++)
	{
		CheckNameOfAttribute(spec->non_key[i]);
		for (int j = 0; j < i; j++)
		{
			if (SliceCompare(spec->non_key[i], spec->non_key[j]) == 0)
				InvalidParameter("Duplicate element in NonKeyAttributes: %s",
								 spec->non_key[i].data);
		}
	}
	for (int i = 0; i < def->nindexes; i++)
	{
		if (strcmp(def->indexes[i].name, spec->name) != 0)
			total += def->indexes[i].nnon_key;
	}
	if (spec->nnon_key > MAX_NON_KEY_PER_INDEX)
		InvalidParameter("Number of NonKeyAttributes exceeds the per-index limit of %d",
						 MAX_NON_KEY_PER_INDEX);
	if (total > MAX_NON_KEY_PER_TABLE)
		InvalidParameter("Number of NonKeyAttributes exceeds the per-table limit of %d",
						 MAX_NON_KEY_PER_TABLE);
}

static void
CheckNewShards(const CreateIndexSpec *spec)
{
	if (spec->shards > 0 && !spec->kind->in_parts)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a sharded index needs storage \"table\""),
				 errdetail("The shards are partitions of an index table.")));
	if (spec->shards > 0 && spec->local)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a local index cannot be sharded")));
	if (spec->shards == 0 && spec->shard_by.data != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("shard_by requires the number of shards")));
	if (spec->shard_by.data != NULL)
		CheckNameOfAttribute(spec->shard_by);
}

void
CheckSecondaryIndex(const TableDef *def, const CreateIndexSpec *spec)
{
	CheckIndexCount(def, spec->local);
	CheckKeySchema(&spec->key, KEY_MAX_ATTRIBUTES / 2, KEY_MAX_ATTRIBUTES / 2);
	if (spec->local)
		CheckNewLocalIndex(def, spec);
	CheckSpecProjection(def, spec);
	CheckNewShards(spec);
}

static void
CheckIndexSpec(const TableDef *def, const CreateIndexSpec *spec)
{
	CheckResourceName(spec->name, "indexName");
	if (TableDefIndex(def, spec->name) != NULL)
		InvalidParameter("Duplicate index name: %s", spec->name);
	spec->kind->check_spec(def, spec);
}

static bool
IsIndexNameTaken(const TableDef *def, Oid schema, const char *name)
{
	return TableDefIndexOfRelation(def, name) != NULL || IsNameTaken(schema, def->relid, name);
}

const char *
ChooseIndexRelation(const TableDef *def, Oid schema, const char *relation_name,
					const char *index_name)
{
	char	   *base = IndexRelationNameFor(relation_name, index_name);
	char	   *name = base;

	for (int suffix = 1; IsIndexNameTaken(def, schema, name); suffix++)
		name = IndexRelationNameFor(base, psprintf("r%d", suffix));
	return name;
}

/* Returns room for another index.  The caller fills it in and counts it. */
static IndexDef *
AppendIndexDef(TableDef *def)
{
	IndexDef   *index;

	def->indexes = def->indexes == NULL ? palloc(sizeof(IndexDef)) :
		repalloc(def->indexes, sizeof(IndexDef) * (def->nindexes + 1));
	index = &def->indexes[def->nindexes];
	memset(index, 0, sizeof(IndexDef));
	return index;
}

void
CheckIndexShape(const TableDef *def, const CreateIndexSpec *spec)
{
	CheckSpecProjection(def, spec);
	CheckNewShards(spec);
}

void
SetIndexShape(IndexDef *index, const CreateIndexSpec *spec)
{
	index->projected = spec->projected;
	index->nnon_key = spec->nnon_key;
	index->non_key = spec->non_key;
	index->kind = spec->kind;
	index->shards = spec->shards;
	index->shard_by = spec->shard_by;
}

IndexDef *
AddIndex(TableDef *def, Oid schema, const char *relation_name,
		 const CreateIndexSpec *spec)
{
	IndexDef   *index;

	CheckIndexSpec(def, spec);
	index = AppendIndexDef(def);
	index->name = pstrdup(spec->name);
	index->local = spec->local;
	index->key = spec->key;
	for (int i = 0; i < KeyCount(&spec->key); i++)
	{
		KeyAttribute *attr = &index->key.attributes[i];
		int			known = spec->untyped[i] ? TableDefAttribute(def, attr->name) : -1;

		if (known >= 0)
			attr->type = def->attributes[known].type;
		index->attributes[i] = AddAttribute(def, attr);
		attr->name = def->attributes[index->attributes[i]].name;
	}
	SetIndexShape(index, spec);
	index->vector = spec->vector;
	index->relation = ChooseIndexRelation(def, schema, relation_name, spec->name);
	index->status = INDEX_ACTIVE;
	IndexDefComplete(def, index);
	def->has_local |= index->local;
	def->checks_items |= index->kind->check_item != NULL;
	def->nindexes++;
	return index;
}

IndexDef *
AddReplacement(TableDef *def, Oid schema, const char *relation_name,
			   const CreateIndexSpec *spec)
{
	IndexDef   *index = AppendIndexDef(def);

	*index = *TableDefIndex(def, spec->name);
	index->replaces = index->name;
	index->name = psprintf("%s" REPLACEMENT_SUFFIX, spec->name);
	SetIndexShape(index, spec);
	index->relation = ChooseIndexRelation(def, schema, relation_name, spec->name);
	index->status = INDEX_CREATING;
	def->nindexes++;
	return index;
}
