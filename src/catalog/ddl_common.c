/*
 * ddl_common.c
 *	  What creating tables and creating indexes have in common: building a
 *	  definition, checking it in the service's words, storing it.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/ddl.h"
#include "catalog/names.h"
#include "catalog/objects.h"
#include "errors.h"

#define MAX_NON_KEY_PER_INDEX	20
#define MAX_NON_KEY_PER_TABLE	100

int			max_global_indexes = 20;
int			max_local_indexes = 5;

void
DdlInit(void)
{
	DefineCustomIntVariable("dynamo.max_global_indexes",
							"Global secondary indexes a table may have.",
							NULL, &max_global_indexes, 20, 0, 1000,
							PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.max_local_indexes",
							"Local secondary indexes a table may have.",
							NULL, &max_local_indexes, 5, 0, 1000,
							PGC_USERSET, 0, NULL, NULL, NULL);
}

static void InvalidParameters(const char *format,...)
			pg_attribute_printf(1, 2) pg_attribute_noreturn();

static void
InvalidParameters(const char *format,...)
{
	va_list		args;
	char	   *text;

	va_start(args, format);
	text = DynamoFormat(format, args);
	va_end(args);
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg(DYNAMO_INVALID_PARAMETERS "%s", text)));
}

/* ---- keys ---- */

static void
CheckAttributeName(Slice name)
{
	if (name.len == 0)
		InvalidParameters("Empty attribute name");
	if (name.len > KEY_MAX_NAME)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("1 validation error detected: Value '%s' at 'attributeName' failed to satisfy constraint: Member must have length less than or equal to 255",
						name.data)));
	if (memchr(name.data, '\0', name.len) != NULL)
		InvalidParameters("The name of a key attribute contains U+0000");
}

void
CheckKeySchema(const KeySchema *key, int max_partition, int max_sort)
{
	int			n = key->npartition + key->nsort;

	if (key->npartition == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")));
	if (key->npartition > max_partition)
		InvalidParameters("The KeySchema exceeds the maximum allowed number of HASH key attributes");
	if (key->nsort > max_sort)
		InvalidParameters("The KeySchema exceeds the maximum allowed number of RANGE key attributes");
	for (int i = 0; i < n; i++)
	{
		CheckAttributeName(key->attributes[i].name);
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

/* A column name no other attribute of the definition has. */
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
			InvalidParameters("Attribute %s is defined with types %s and %s",
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
	def->nattributes = a;		/* not itself in the search */
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
		n += def->indexes[i].local == local && def->indexes[i].replaces == NULL;
	if (local && n > max_local_indexes)
		InvalidParameters("Number of LocalSecondaryIndexes exceeds per-table limit of %d",
						  max_local_indexes);
	if (!local && n > max_global_indexes)
		InvalidParameters("GlobalSecondaryIndex count exceeds the per-table limit of %d",
						  max_global_indexes);
}

static void
CheckLocalIndex(const TableDef *def, const CreateIndexSpec *spec)
{
	const KeySchema *key = &spec->key;

	if (def->key.nsort == 0)
		InvalidParameters("Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex");
	if (key->npartition > 1)
		InvalidParameters("The KeySchema exceeds the maximum allowed number of HASH key attributes");
	if (key->nsort > 1)
		InvalidParameters("The KeySchema exceeds the maximum allowed number of RANGE key attributes");
	if (key->nsort == 0)
		InvalidParameters("Index KeySchema does not have a range key for index: %s", spec->name);
	if (SliceCompare(key->attributes[0].name, def->key.attributes[0].name) != 0)
		InvalidParameters("Index KeySchema does not have the same leading hash key as table KeySchema for index: %s. index hash key: %s, table hash key: %s",
						  spec->name, key->attributes[0].name.data,
						  def->key.attributes[0].name.data);
}

static void
CheckProjection(const TableDef *def, const CreateIndexSpec *spec)
{
	int			total = spec->nnon_key;

	if (spec->projected == PROJECTED_INCLUDE && spec->nnon_key == 0)
		InvalidParameters("ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
	if (spec->projected != PROJECTED_INCLUDE && spec->nnon_key > 0)
		InvalidParameters("ProjectionType is %s, but NonKeyAttributes is specified",
						  spec->projected == PROJECTED_ALL ? "ALL" : "KEYS_ONLY");
	for (int i = 0; i < spec->nnon_key; i++)
	{
		CheckAttributeName(spec->non_key[i]);
		for (int j = 0; j < i; j++)
		{
			if (SliceCompare(spec->non_key[i], spec->non_key[j]) == 0)
				InvalidParameters("Duplicate element in NonKeyAttributes: %s",
								  spec->non_key[i].data);
		}
	}
	for (int i = 0; i < def->nindexes; i++)
	{
		if (strcmp(def->indexes[i].name, spec->name) != 0)
			total += def->indexes[i].nnon_key;
	}
	if (spec->nnon_key > MAX_NON_KEY_PER_INDEX)
		InvalidParameters("Number of NonKeyAttributes exceeds the per-index limit of %d",
						  MAX_NON_KEY_PER_INDEX);
	if (total > MAX_NON_KEY_PER_TABLE)
		InvalidParameters("Number of NonKeyAttributes exceeds the per-table limit of %d",
						  MAX_NON_KEY_PER_TABLE);
}

static void
CheckShards(const CreateIndexSpec *spec)
{
	if (spec->shards > 0 && spec->storage != STORAGE_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a sharded index needs storage \"table\""),
				 errdetail("Shards are partitions of an index table.")));
	if (spec->shards > 0 && spec->local)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a local index cannot be sharded")));
	if (spec->shards == 0 && spec->shard_by.data != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("shard_by needs a number of shards")));
	if (spec->shard_by.data != NULL)
		CheckAttributeName(spec->shard_by);
}

static void
CheckIndexSpec(const TableDef *def, const CreateIndexSpec *spec)
{
	CheckResourceName(spec->name, "indexName");
	if (TableDefIndex(def, spec->name) != NULL)
		InvalidParameters("Duplicate index name: %s", spec->name);
	CheckIndexCount(def, spec->local);
	CheckKeySchema(&spec->key, KEY_MAX_ATTRIBUTES / 2, KEY_MAX_ATTRIBUTES / 2);
	if (spec->local)
		CheckLocalIndex(def, spec);
	CheckProjection(def, spec);
	CheckShards(spec);
}

const char *
ChooseIndexRelation(Oid schema, const char *relation_name, const char *index_name)
{
	char	   *base = IndexRelationNameFor(relation_name, index_name);
	char	   *name = base;

	for (int suffix = 1; OidIsValid(get_relname_relid(name, schema)); suffix++)
		name = IndexRelationNameFor(base, psprintf("r%d", suffix));
	return name;
}

/* Room for one more index; it counts when the caller has filled it in. */
static IndexDef *
AppendIndex(TableDef *def)
{
	IndexDef   *index;

	def->indexes = def->indexes == NULL ? palloc(sizeof(IndexDef)) :
		repalloc(def->indexes, sizeof(IndexDef) * (def->nindexes + 1));
	index = &def->indexes[def->nindexes];
	memset(index, 0, sizeof(IndexDef));
	return index;
}

IndexDef *
AddIndex(TableDef *def, Oid schema, const char *relation_name,
		 const CreateIndexSpec *spec)
{
	IndexDef   *index;

	CheckIndexSpec(def, spec);
	index = AppendIndex(def);
	index->name = pstrdup(spec->name);
	index->local = spec->local;
	index->key = spec->key;
	for (int i = 0; i < spec->key.npartition + spec->key.nsort; i++)
	{
		index->attributes[i] = AddAttribute(def, &spec->key.attributes[i]);
		index->key.attributes[i].name = def->attributes[index->attributes[i]].name;
	}
	index->projected = spec->projected;
	index->nnon_key = spec->nnon_key;
	index->non_key = spec->non_key;
	index->storage = spec->storage;
	index->shards = spec->shards;
	index->shard_by = spec->shard_by;
	index->relation = ChooseIndexRelation(schema, relation_name, spec->name);
	index->status = INDEX_ACTIVE;
	IndexDefComplete(def, index);
	def->has_local |= index->local;
	def->nindexes++;
	return index;
}

void
CheckIndexShape(const TableDef *def, const CreateIndexSpec *spec)
{
	CheckProjection(def, spec);
	CheckShards(spec);
}

IndexDef *
AddReplacement(TableDef *def, Oid schema, const char *relation_name,
			   const CreateIndexSpec *spec)
{
	IndexDef   *index = AppendIndex(def);

	*index = *TableDefIndex(def, spec->name);
	index->replaces = index->name;
	index->name = psprintf("%s" REPLACEMENT_SUFFIX, spec->name);
	index->projected = spec->projected;
	index->nnon_key = spec->nnon_key;
	index->non_key = spec->non_key;
	index->storage = spec->storage;
	index->shards = spec->shards;
	index->shard_by = spec->shard_by;
	index->relation = ChooseIndexRelation(schema, relation_name, spec->name);
	index->status = INDEX_CREATING;
	def->nindexes++;
	return index;
}

/* ---- statements ---- */

static bool statement_is_ours = false;

bool
StatementIsOurs(void)
{
	return statement_is_ours;
}

static void
Execute(const char *sql)
{
	bool		was_ours = statement_is_ours;

	statement_is_ours = true;
	PG_TRY();
	{
		int			result = SPI_execute(sql, false, 0);

		if (result < 0)
			elog(ERROR, "statement failed: %s: %s", SPI_result_code_string(result), sql);
	}
	PG_FINALLY();
	{
		statement_is_ours = was_ours;
	}
	PG_END_TRY();
}

void
RunStatement(const char *format,...)
{
	va_list		args;
	char	   *sql;

	va_start(args, format);
	sql = DynamoFormat(format, args);
	va_end(args);
	Execute(sql);
	pfree(sql);
}

char *
QualifiedName(Oid schema, const char *name)
{
	return quote_qualified_identifier(get_namespace_name(schema), name);
}

char *
ColumnClause(const AttributeDef *attr)
{
	const char *type = "pg_catalog.bytea";

	if (attr->type == VALUE_S)
		type = "pg_catalog.text COLLATE pg_catalog.\"C\"";
	else if (attr->type == VALUE_N)
		type = "pg_catalog.numeric";
	return psprintf("%s %s", quote_identifier(attr->column), type);
}

void
StoreTrigger(const char *table, const char *name, const char *when,
			 const char *function, const char *argument)
{
	RunStatement("CREATE OR REPLACE TRIGGER %s %s EXECUTE FUNCTION %s.%s(%s)",
				 quote_identifier(name), psprintf(when, table),
				 DYNAMO_SCHEMA, function, argument);
	RunStatement("ALTER TABLE %s ENABLE ALWAYS TRIGGER %s", table, quote_identifier(name));
}

static bool
HasTrigger(Oid relid, const char *name)
{
	return OidIsValid(get_trigger_oid(relid, name, true));
}

void
DropTrigger(Oid relid, const char *table, const char *name)
{
	if (HasTrigger(relid, name))
		RunStatement("DROP TRIGGER %s ON %s", quote_identifier(name), table);
}

bool
HasIndexTables(const TableDef *def)
{
	for (int i = 0; i < def->nindexes; i++)
	{
		if (def->indexes[i].storage == STORAGE_TABLE)
			return true;
	}
	return false;
}

static void
StoreTruncation(Oid relid, bool needed)
{
	char	   *table = QualifiedName(get_rel_namespace(relid), get_rel_name(relid));

	if (needed)
		StoreTrigger(table, TRIGGER_TRUNCATE_INDEXES, "AFTER TRUNCATE ON %s FOR EACH STATEMENT",
					 FUNCTION_MAINTAIN_INDEXES, "");
	else
		DropTrigger(relid, table, TRIGGER_TRUNCATE_INDEXES);
}

void
StorePartitionTriggers(Oid partition)
{
	Oid			root = llast_oid(get_partition_ancestors(partition));
	Relation	rel = table_open(root, AccessShareLock);
	const TableDef *def = TableDefCopy(rel);

	table_close(rel, AccessShareLock);
	if (def != NULL && HasIndexTables(def) && !HasTrigger(partition, TRIGGER_TRUNCATE_INDEXES))
		StoreTruncation(partition, true);
}

/*
 * Index tables, if there are any, are maintained by two triggers.  PostgreSQL
 * gives partitions that on rows, not that on statements.
 */
static void
StoreMaintenance(Oid relid, const char *table, const TableDef *def)
{
	bool		needed = HasIndexTables(def);
	ListCell   *cell;

	if (needed)
		StoreTrigger(table, TRIGGER_MAINTAIN_INDEXES,
					 "AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW",
					 FUNCTION_MAINTAIN_INDEXES, "");
	else
		DropTrigger(relid, table, TRIGGER_MAINTAIN_INDEXES);
	StoreTruncation(relid, needed);
	if (get_rel_relkind(relid) != RELKIND_PARTITIONED_TABLE)
		return;
	foreach(cell, find_all_inheritors(relid, AccessShareLock, NULL))
	{
		if (lfirst_oid(cell) != relid && get_rel_relkind(lfirst_oid(cell)) != RELKIND_FOREIGN_TABLE)
			StoreTruncation(lfirst_oid(cell), needed);
	}
}

void
StoreDefinition(Oid relid, const TableDef *def)
{
	char	   *table = QualifiedName(get_rel_namespace(relid), get_rel_name(relid));

	StoreTrigger(table, TRIGGER_DERIVE_KEYS, "BEFORE INSERT OR UPDATE ON %s FOR EACH ROW",
				 FUNCTION_DERIVE_KEYS, quote_literal_cstr(TableDefPrint(def)));
	StoreMaintenance(relid, table, def);
}

static void
GuardTruncate(Oid relid, const char *argument)
{
	StoreTrigger(QualifiedName(get_rel_namespace(relid), get_rel_name(relid)),
				 TRIGGER_GUARD_TRUNCATE, "BEFORE TRUNCATE ON %s FOR EACH STATEMENT",
				 FUNCTION_GUARD_INDEX, argument);
}

void
StoreGuards(Oid index_table, const char *table_name, const char *index_name)
{
	char	   *table = QualifiedName(get_rel_namespace(index_table),
									  get_rel_name(index_table));
	char	   *argument = psprintf("%s, %s", quote_literal_cstr(table_name),
									quote_literal_cstr(index_name));
	ListCell   *cell;

	StoreTrigger(table, TRIGGER_GUARD_INDEX,
				 "BEFORE INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW",
				 FUNCTION_GUARD_INDEX, argument);
	GuardTruncate(index_table, argument);

	/* PostgreSQL gives shards the triggers on rows, not those on statements */
	foreach(cell, find_inheritance_children(index_table, AccessShareLock))
		GuardTruncate(lfirst_oid(cell), argument);
}

Relation
OpenTableForDdl(const char *table_name, LOCKMODE lockmode)
{
	Oid			relid = TableNameResolve(table_name, true);
	Relation	rel = OidIsValid(relid) ? try_table_open(relid, lockmode) : NULL;

	if (rel == NULL || !RelationIsDynamoTable(rel))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: Table: %s not found", table_name)));
	if (!RelationOwnercheck(relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(rel));
	return rel;
}
