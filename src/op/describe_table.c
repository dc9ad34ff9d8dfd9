/*
 * describe_table.c
 *	  dynamo.describe_table and dynamo.table_relation: a table's definition and
 *	  size for SQL users, with DescribeTable's members in snake_case.
 *
 * Like the system catalogs, they are available to every role, but counts and
 * sizes are null for roles that may not read the whole table.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/table.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "errors.h"
#include "extension_objects.h"
#include "store/count_rows.h"
#include "stream/stream_definition.h"
#include "table/index_relation.h"
#include "table/table.h"
#include "table/table_name.h"

/*
 * Calls one of PostgreSQL's size functions; 0 if the relation has just been
 * dropped.
 */
static int64
SizeOf(PGFunction function, Oid relid)
{
	LOCAL_FCINFO(fcinfo, 1);
	Datum		size;

	InitFunctionCallInfoData(*fcinfo, NULL, 1, InvalidOid, NULL, NULL);
	fcinfo->args[0].value = ObjectIdGetDatum(relid);
	fcinfo->args[0].isnull = false;
	size = function(fcinfo);
	return fcinfo->isnull ? 0 : DatumGetInt64(size);
}

/*
 * Appends the numbers of items and bytes of a table or index; null if not
 * visible.
 */
static void
AppendCounts(StringInfo out, bool visible, Oid relid, const char *size_name)
{
	if (!visible)
		appendStringInfo(out, "\"item_count\": null, \"%s\": null", size_name);
	else
		appendStringInfo(out, "\"item_count\": " INT64_FORMAT ", \"%s\": " INT64_FORMAT,
						 CountRelation(relid).rows, size_name,
						 OidIsValid(relid) ? SizeOf(pg_total_relation_size, relid) : 0);
}

static void
AppendMember(StringInfo out, const char *name, const char *value)
{
	appendStringInfo(out, "\"%s\": ", name);
	escape_json(out, value);
	appendStringInfoString(out, ", ");
}

/* The name of a relation, which may have been dropped meanwhile, or that of its definition. */
static void
AppendRelation(StringInfo out, Oid relid, const char *defined)
{
	const char *name = OidIsValid(relid) ? get_rel_name(relid) : NULL;

	AppendMember(out, "relation", name != NULL ? name : defined);
}

static void
AppendKeySchema(StringInfo out, const KeySchema *key)
{
	appendStringInfoString(out, "\"key_schema\": [");
	for (int i = 0; i < KeyCount(key); i++)
	{
		appendStringInfoString(out, i > 0 ? ", {\"attribute_name\": " : "{\"attribute_name\": ");
		escape_json(out, key->attributes[i].name.data);
		appendStringInfo(out, ", \"key_type\": \"%s\"}",
						 i < key->npartition ? "HASH" : "RANGE");
	}
	appendStringInfoChar(out, ']');
}

/* Appends the attributes sorted by name, as the service returns them. */
static void
AppendAttributes(StringInfo out, const TableDef *def)
{
	AttributeDef *sorted = palloc(sizeof(AttributeDef) * def->nattributes);

	memcpy(sorted, def->attributes, sizeof(AttributeDef) * def->nattributes);
	qsort(sorted, def->nattributes, sizeof(AttributeDef), CompareBySlice);
	appendStringInfoString(out, "\"attribute_definitions\": [");
	for (int i = 0; i < def->nattributes; i++)
	{
		appendStringInfoString(out, i > 0 ? ", {" : "{");
		AppendMember(out, "attribute_name", sorted[i].name.data);
		AppendMember(out, "column_name", sorted[i].column);
		appendStringInfo(out, "\"attribute_type\": \"%s\"}", ValueTypeName(sorted[i].type));
	}
	appendStringInfoChar(out, ']');
}

static void
AppendProjection(StringInfo out, const IndexDef *index)
{
	static const char *const names[] = {"ALL", "KEYS_ONLY", "INCLUDE"};

	appendStringInfo(out, "\"projection\": {\"projection_type\": \"%s\"", names[index->projected]);
	for (int i = 0; i < index->nnon_key; i++)
	{
		appendStringInfoString(out, i == 0 ? ", \"non_key_attributes\": [" : ", ");
		escape_json(out, index->non_key[i].data);
	}
	appendStringInfoString(out, index->nnon_key > 0 ? "]}" : "}");
}

static void
AppendIndexDescription(StringInfo out, const TableDef *def, const IndexDef *index)
{
	static const char *const states[] = {"CREATING", "ACTIVE", "DELETING"};
	/* An index that is being created may have no relation yet. */
	Oid			relid = FindIndexRelation(def, index);

	if (index->status == INDEX_ACTIVE && !OidIsValid(relid))
		(void) IndexDefRelation(def, index);	/* raises an error */

	appendStringInfoChar(out, '{');
	AppendMember(out, "index_name", index->name);
	AppendMember(out, "index_status", states[index->status]);
	AppendRelation(out, relid, index->relation);
	AppendMember(out, "storage", index->kind->storage);
	if (index->kind->describe != NULL)
		index->kind->describe(index, out);
	if (index->kind->secondary)
	{
		AppendKeySchema(out, &index->key);
		appendStringInfoString(out, ", ");
	}
	AppendProjection(out, index);
	appendStringInfoString(out, ", ");
	AppendCounts(out, MaySeeAllRows(def->relid), relid, "index_size_bytes");
	appendStringInfoChar(out, '}');
}

static void
AppendIndexes(StringInfo out, const TableDef *def, bool local, bool vectors, const char *member)
{
	int			n = 0;

	for (int i = 0; i < def->nindexes; i++)
	{
		if (def->indexes[i].local != local || def->indexes[i].replaces != NULL ||
			def->indexes[i].kind->secondary == vectors)
			continue;
		if (n++ == 0)
			appendStringInfo(out, ", \"%s\": [", member);
		else
			appendStringInfoString(out, ", ");
		AppendIndexDescription(out, def, &def->indexes[i]);
	}
	if (n > 0)
		appendStringInfoChar(out, ']');
}

static void
AppendStream(StringInfo out, Relation rel)
{
	TableStream stream;
	Oid			relid;

	if (!TableStreamOf(rel, &stream))
		return;
	relid = FindStreamRelation(RelationGetRelid(rel), stream.relation);
	appendStringInfoString(out, ", \"stream\": {");
	AppendMember(out, "label", stream.label);
	AppendRelation(out, relid, stream.relation);
	appendStringInfoString(out, "\"view_type\": ");
	escape_json(out, stream.view);
	appendStringInfoChar(out, '}');
}

static Datum
PrintDescription(Relation rel, const TableDef *def)
{
	Oid			relid = RelationGetRelid(rel);
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	AppendMember(&out, "table_name",
				 def->long_name ? def->long_name : RelationGetRelationName(rel));
	AppendMember(&out, "table_status", "ACTIVE");
	AppendMember(&out, "schema_name", get_namespace_name(RelationGetNamespace(rel)));
	AppendMember(&out, "relation", RelationGetRelationName(rel));
	AppendKeySchema(&out, &def->key);
	appendStringInfoString(&out, ", ");
	AppendAttributes(&out, def);
	appendStringInfoString(&out, ", ");
	AppendCounts(&out, MaySeeAllRows(relid), relid, "table_size_bytes");
	AppendIndexes(&out, def, false, false, "global_secondary_indexes");
	AppendIndexes(&out, def, true, false, "local_secondary_indexes");
	AppendIndexes(&out, def, false, true, "vector_indexes");
	AppendStream(&out, rel);
	appendStringInfoChar(&out, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(out.data));
}

DYNAMO_FUNCTION(dynamo_describe_table);

Datum
dynamo_describe_table(PG_FUNCTION_ARGS)
{
	char	   *name = TableArgument(fcinfo, 0);
	Relation	rel = TableNameOpen(name, AccessShareLock, true);
	TableDef   *def;
	Datum		result;

	if (rel == NULL || !RelationIsDynamoTable(rel))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: Table: %s not found", TableNameForMessage(name))));
	def = TableDefAcquire(rel);
	result = PrintDescription(rel, def);
	TableDefRelease(def);
	table_close(rel, AccessShareLock);
	return result;
}

DYNAMO_FUNCTION(dynamo_table_relation);

Datum
dynamo_table_relation(PG_FUNCTION_ARGS)
{
	PG_RETURN_OID(TableNameResolve(TableArgument(fcinfo, 0), false));
}

DYNAMO_FUNCTION(dynamo_index_relation);

Datum
dynamo_index_relation(PG_FUNCTION_ARGS)
{
	Relation	rel = try_relation_open(PG_GETARG_OID(0), AccessShareLock);
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	TableDef   *def = rel != NULL && RelationIsDynamoTable(rel) ? TableDefCopy(rel) : NULL;
	const IndexDef *index = def != NULL ? TableDefIndex(def, name) : NULL;
	Oid			found = index != NULL ? FindIndexRelation(def, index) : InvalidOid;

	if (rel != NULL)
		relation_close(rel, AccessShareLock);
	if (!OidIsValid(found))
		PG_RETURN_NULL();
	PG_RETURN_OID(found);
}
