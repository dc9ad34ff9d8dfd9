/*
 * make_table.c
 *	  Creates and drops tables.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_type_d.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "ddl/build_lock.h"
#include "ddl/ddl.h"
#include "ddl/feature.h"
#include "errors.h"
#include "table/distribution.h"
#include "table/index_relation.h"
#include "table/object_names.h"
#include "table/table_id.h"
#include "table/table_name.h"

/* Items are UTF-8, and key attributes become text without conversion. */
static void
CheckEncoding(void)
{
	if (GetDatabaseEncoding() != PG_UTF8)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dynamo needs a database with encoding UTF8"),
				 errdetail("The encoding of this database is %s.", GetDatabaseEncodingName())));
}

static void
CheckFillfactor(int fillfactor)
{
	if (fillfactor < 10 || fillfactor > 100)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("fillfactor must be between 10 and 100")));
}

/* Returns the definition of a new table. */
static TableDef *
DefineTable(const CreateTableSpec *spec, Oid schema, const char *relation_name)
{
	TableDef   *def = palloc0(sizeof(TableDef));

	CheckKeySchema(&spec->key, 1, 1);
	def->id = NewTableId();
	def->key = spec->key;
	for (int i = 0; i < KeyCount(&spec->key); i++)
	{
		def->key_attributes[i] = AddAttribute(def, &spec->key.attributes[i]);
		def->key.attributes[i].name = TableKeyAttribute(def, i)->name;
	}
	for (int i = 0; i < spec->nindexes; i++)
		AddIndex(def, schema, relation_name, &spec->indexes[i]);
	if (strcmp(relation_name, spec->name) != 0)
		def->long_name = spec->name;
	return def;
}

void
CheckTableSpec(const CreateTableSpec *spec)
{
	(void) DefineTable(spec, InvalidOid, RelationNameFor(spec->name));
}

static void
CreateRelation(const char *table, const TableDef *def, const char *storage)
{
	int			nkey = KeyCount(&def->key);
	StringInfoData columns;
	StringInfoData key;

	initStringInfo(&columns);
	initStringInfo(&key);
	for (int i = 0; i < def->nattributes; i++)
		appendStringInfo(&columns, "%s%s, ", ColumnClause(&def->attributes[i]),
						 i < nkey ? " NOT NULL" : "");
	for (int i = 0; i < nkey; i++)
		appendStringInfo(&key, "%s%s", i > 0 ? ", " : "",
						 quote_identifier(TableKeyAttribute(def, i)->column));
	RunStatement("CREATE TABLE %s (%s%s %s.item NOT NULL, PRIMARY KEY (%s)) %s",
				 table, columns.data, ITEM_COLUMN, "dynamo", key.data, storage);
}

/* The clause of CREATE TABLE after the columns. */
static const char *
StorageClause(const TableDef *def, const CreateTableSpec *spec)
{
	if (spec->partitions > 0)
		return psprintf("PARTITION BY HASH (%s)", quote_identifier(TableKeyAttribute(def, 0)->column));
	return psprintf("WITH (fillfactor = %d)", spec->fillfactor);
}

static void
CreatePartitions(Oid relid, const TableDef *def, const CreateTableSpec *spec)
{
	Oid			schema = get_rel_namespace(relid);
	const char *relation_name = get_rel_name(relid);

	for (int i = 0; i < spec->partitions; i++)
	{
		const char *name = ChooseIndexRelation(def, schema, relation_name, psprintf("p%d", i));

		RunStatement("CREATE TABLE %s PARTITION OF %s FOR VALUES WITH (MODULUS %d, REMAINDER %d) "
					 "WITH (fillfactor = %d)",
					 QualifiedName(schema, name), QualifiedName(schema, relation_name),
					 spec->partitions, i, spec->fillfactor);
	}
}

static void FailTableExists(const char *name) pg_attribute_noreturn();

static void
FailTableExists(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_RESOURCE_IN_USE),
			 errmsg("Table already exists: %s", name)));
}

/* Whether another session has created a relation with the name meanwhile. */
static bool
IsTaken(int sqlstate)
{
	return sqlstate == ERRCODE_DUPLICATE_TABLE || sqlstate == ERRCODE_DUPLICATE_OBJECT ||
		sqlstate == ERRCODE_UNIQUE_VIOLATION;	/* of a catalog */
}

/*
 * Another session may create a relation with the name after it was looked up.
 * PostgreSQL reports that by an error only, which is caught here.  No
 * subtransaction is needed, because another error is raised in its place.
 */
static void
CreateRelationOnce(const char *table, const TableDef *def, const CreateTableSpec *spec)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		CreateRelation(table, def, StorageClause(def, spec));
	}
	PG_CATCH();
	{
		if (!IsTaken(geterrcode()))
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		FailTableExists(spec->name);
	}
	PG_END_TRY();
}

/* Creates a table whose name has no parts, in a schema or in the first of the search path. */
static Oid
CreateIn(const char *schema_name, const CreateTableSpec *spec)
{
	char	   *relation_name = RelationNameFor(spec->name);
	TableDef   *def;
	Oid			schema;
	Oid			relid = InvalidOid;

	schema = RangeVarGetAndCheckCreationNamespace(makeRangeVar(unconstify(char *, schema_name), relation_name, -1),
												  NoLock, &relid);
	def = DefineTable(spec, schema, relation_name);
	if (OidIsValid(relid))
		FailTableExists(spec->name);
	CheckTableCanBeCreated(schema);
	SPI_connect();
	CreateRelationOnce(QualifiedName(schema, relation_name), def, spec);
	relid = get_relname_relid(relation_name, schema);
	CreatePartitions(relid, def, spec);
	for (int i = 0; i < def->nindexes; i++)
		def->indexes[i].kind->create(relid, def, &def->indexes[i], false);
	StoreDefinition(relid, def);
	CommandCounterIncrement();
	CALL_FEATURES(begin_table, relid);
	SPI_finish();
	return relid;
}

Oid
TableCreate(const CreateTableSpec *given)
{
	CreateTableSpec spec = *given;
	TableNameParts parts = TableNameToCreate(given->name);

	spec.name = parts.table;
	CheckEncoding();
	CheckResourceName(spec.name, "tableName");
	CheckFillfactor(spec.fillfactor);
	return CreateIn(parts.schema, &spec);
}

/* Returns a table and its index tables as a list for DROP TABLE. */
static char *
TablesToDrop(Relation rel)
{
	TableDef   *def = TableDefAcquire(rel);
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoString(&out, QualifiedName(RelationGetNamespace(rel),
											   RelationGetRelationName(rel)));
	for (int i = 0; i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];
		Oid			found = index->kind->own_entries ? FindIndexRelation(def, index) : InvalidOid;

		if (OidIsValid(found))
			appendStringInfo(&out, ", %s", QualifiedName(get_rel_namespace(found), get_rel_name(found)));
	}
	TableDefRelease(def);
	return out.data;
}

void
TableDrop(const char *table_name)
{
	Relation	rel = OpenTableForDrop(table_name, AccessShareLock);
	Oid			relid = RelationGetRelid(rel);
	char	   *tables;

	/* A builder can hold a lock for a long time. */
	table_close(rel, AccessShareLock);
	BuildStopAndLock(relid);
	rel = OpenTableForDrop(table_name, AccessExclusiveLock);
	relid = RelationGetRelid(rel);
	CALL_FEATURES(check_drop, relid, list_make1_oid(relid));
	tables = TablesToDrop(rel);
	table_close(rel, NoLock);
	DistributedDdlHere(relid);
	SPI_connect();
	CALL_FEATURES(leave_table, relid);
	RunStatement("DROP TABLE %s", tables);
	SPI_finish();
}
