/*
 * find.c
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

/* ---- lookup ---- */

/* The enabled stream of an existing table, if it has the label. */
static Oid
FindEnabledStream(const char *table_name, const char *label)
{
	Relation	rel = TableNameOpen(table_name, AccessShareLock, true);
	TableStream stream;
	Oid			found = InvalidOid;

	if (rel == NULL)
		return InvalidOid;
	if (RelationIsDynamoTable(rel) && TableStreamOf(rel, &stream) &&
		(label == NULL || strcmp(label, stream.label) == 0))
		found = FindStreamRelation(RelationGetRelid(rel), stream.relation);
	table_close(rel, NoLock);
	return found;
}

/*
 * Any stream of a table name: "shop" in the schemas of search_path, or
 * "schema.shop".
 */
static const char *const any_stream =
"SELECT s.stream_relation::pg_catalog.oid FROM dynamo.streams s "
"WHERE (s.table_name OPERATOR(pg_catalog.=) $1 AND pg_catalog.pg_table_is_visible(s.stream_relation) "
"       OR s.schema_name::pg_catalog.text OPERATOR(pg_catalog.||) '.' OPERATOR(pg_catalog.||) s.table_name "
"          OPERATOR(pg_catalog.=) $1) "
"AND ($2 IS NULL OR s.label OPERATOR(pg_catalog.=) $2) "
"ORDER BY s.label DESC LIMIT 1";

static Oid
FindAnyStream(const char *table_name, const char *label)
{
	Datum		values[2] = {CStringGetTextDatum(table_name), (Datum) 0};
	bool		isnull;
	Oid			found = InvalidOid;

	if (label != NULL)
		values[1] = CStringGetTextDatum(label);
	SPI_connect();
	if (SPI_execute_with_args(any_stream, 2, (Oid[]) {TEXTOID, TEXTOID}, values,
							  label != NULL ? NULL : " n", true, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not read dynamo.streams");
	if (SPI_processed > 0)
		found = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc,
											   1, &isnull));
	SPI_finish();
	return found;
}

Relation
StreamOpen(const char *table_name, const char *label, StreamDef *def)
{
	Oid			relid = FindEnabledStream(table_name, label);
	Relation	rel;

	if (!OidIsValid(relid))
		relid = FindAnyStream(table_name, label);
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
CheckSelect(Oid relid)
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

	if (!HaveSameOwner(relid, RelationGetRelid(stream)))
	{
		CheckSelect(RelationGetRelid(stream));
		return;
	}
	CheckSelect(relid);
	if (check_enable_rls(relid, InvalidOid, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot read the stream of table \"%s\" under row security",
						def->table),
				 errdetail("A stream contains the changes of all rows.")));
}
