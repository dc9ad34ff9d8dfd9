/*
 * find_stream.c
 *	  Finds a stream by the names of its table and its label.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"

#include "stream/stream.h"
#include "table/link.h"
#include "table/table_name.h"

/* ---- lookup ---- */

/* Whose streams a name means. */
typedef struct StreamOwner
{
	const char *schema;			/* NULL if the search path decides */
	const char *table;
	Oid			owner;			/* invalid if the table does not exist any more */
	Oid			enabled;		/* the enabled stream, if it has the label */
} StreamOwner;

/* The enabled stream of a table, if it has the label. */
static Oid
FindEnabledStream(Relation rel, const char *label)
{
	TableStream stream;

	if (RelationIsDynamoTable(rel) && TableStreamOf(rel, &stream) &&
		(label == NULL || strcmp(label, stream.label) == 0))
		return FindStreamRelation(RelationGetRelid(rel), stream.relation);
	return InvalidOid;
}

/* Only the owner of a table has streams of it. */
static void
SetOwner(StreamOwner *o, Relation rel, const char *label)
{
	TableDef   *def = RelationIsDynamoTable(rel) ? TableDefCopy(rel) : NULL;

	o->schema = get_namespace_name(RelationGetNamespace(rel));
	o->table = def != NULL && def->long_name != NULL ? def->long_name : pstrdup(RelationGetRelationName(rel));
	o->owner = rel->rd_rel->relowner;
	o->enabled = FindEnabledStream(rel, label);
}

static StreamOwner
FindStreamOwner(const char *table_name, const char *label)
{
	StreamOwner o = {NULL};
	TableNameParts parts;
	TableNameParts other;
	Relation	rel = TableNameOpen(table_name, AccessShareLock, true);

	if (rel != NULL)
	{
		SetOwner(&o, rel, label);
		table_close(rel, NoLock);
		return o;
	}
	(void) TableNameSplit(table_name, &parts, &other);
	o.schema = parts.schema;
	o.table = parts.table;
	return o;
}

/*
 * The streams of a table in a schema, or in the search path; of those of several
 * schemas, the ones of the first.
 */
static const char *const streams_query =
"SELECT s.stream_relation::pg_catalog.oid FROM dynamo.streams s "
"JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) s.stream_relation::pg_catalog.oid "
"WHERE s.table_name OPERATOR(pg_catalog.=) $1 AND ($2 IS NULL OR s.label OPERATOR(pg_catalog.=) $2) "
"AND CASE WHEN $3 IS NULL THEN pg_catalog.pg_table_is_visible(c.oid) ELSE s.schema_name::pg_catalog.text OPERATOR(pg_catalog.=) $3 END "
"AND ($4 IS NULL OR c.relowner OPERATOR(pg_catalog.=) $4) "
"ORDER BY pg_catalog.array_position(pg_catalog.current_schemas(true), s.schema_name), s.label DESC";

static NullableDatum
TextOrNull(const char *text)
{
	NullableDatum result = {.isnull = text == NULL};

	if (text != NULL)
		result.value = CStringGetTextDatum(text);
	return result;
}

/* SPI is connected. */
static List *
SelectStreams(const StreamOwner *o, const char *label)
{
	NullableDatum args[] = {TextOrNull(o->table), TextOrNull(label), TextOrNull(o->schema),
	{.value = ObjectIdGetDatum(o->owner), .isnull = !OidIsValid(o->owner)}};
	Datum		values[lengthof(args)];
	char		nulls[lengthof(args) + 1] = {0};
	List	   *streams = NIL;

	for (size_t i = 0; i < lengthof(args); i++)
	{
		values[i] = args[i].value;
		nulls[i] = args[i].isnull ? 'n' : ' ';
	}
	if (SPI_execute_with_args(streams_query, lengthof(args), (Oid[]) {TEXTOID, TEXTOID, TEXTOID, OIDOID}, values,
							  nulls, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read dynamo.streams");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;
		Oid			stream = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));

		if (o->schema != NULL || NameMayMean(stream))
			streams = lappend_oid(streams, stream);
	}
	return streams;
}

List *
StreamsOfName(const char *table_name)
{
	StreamOwner o = FindStreamOwner(table_name, NULL);

	return SelectStreams(&o, NULL);
}

/* The stream of a table with the label, or its latest. */
static Oid
FindStream(const char *table_name, const char *label)
{
	StreamOwner o = FindStreamOwner(table_name, label);
	List	   *streams;
	Oid			found = InvalidOid;

	if (OidIsValid(o.enabled))
		return o.enabled;
	SPI_connect();
	streams = SelectStreams(&o, label);
	if (streams != NIL)
		found = linitial_oid(streams);
	SPI_finish();
	return found;
}

Relation
StreamOpen(const char *table_name, const char *label, StreamDef *def)
{
	Oid			relid = FindStream(table_name, label);
	Relation	rel;

	rel = OidIsValid(relid) ? try_table_open(relid, AccessShareLock) : NULL;
	if (rel == NULL)
		return NULL;
	if (IsStreamTable(rel) && StreamDefOf(rel, def) &&
		(label == NULL || strcmp(label, def->label) == 0))
		return rel;
	table_close(rel, NoLock);
	return NULL;
}

/* ---- privileges ---- */

static void
CheckSelectPrivilege(Oid relid)
{
	AclResult	result = pg_class_aclcheck(relid, GetUserId(), ACL_SELECT);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_TABLE, get_rel_name(relid));
}

void
CheckStreamPrivileges(Relation stream, const StreamDef *def)
{
	char	   *label;
	Oid			relid = LinkedTable(stream, &label);

	/* the stream of a dropped table has its row security, which has no policies */
	if (!HaveSameOwner(relid, RelationGetRelid(stream)))
		relid = RelationGetRelid(stream);
	CheckSelectPrivilege(relid);
	if (check_enable_rls(relid, InvalidOid, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot read the stream of table \"%s\" under row security",
						def->table),
				 errdetail("A stream contains the changes of all rows.")));
}
