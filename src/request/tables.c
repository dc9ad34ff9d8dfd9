/*
 * tables.c
 *	  DescribeTable, DeleteTable and ListTables.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "errors.h"
#include "index/build.h"
#include "request/description.h"
#include "request/operation.h"
#include "request/params.h"
#include "request/table_params.h"

#define LIST_LIMIT	100

void
DescribeTableRequest(Request *request)
{
	Transition	transition = {NULL};
	OpenedTable table;

	TableOpen(&table, FieldTableName(request->input), AccessShareLock);
	BuildIfPending(table.rel, table.def);
	WriterName(request->out, "Table");
	WriterTable(request->out, &table, &transition);
	TableClose(&table);
}

static void
CheckNotBuilding(const char *name)
{
	OpenedTable table;
	bool		building;

	TableOpen(&table, name, AccessShareLock);
	building = HasPendingBuild(table.def);
	TableClose(&table);
	if (building)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_IN_USE),
				 errmsg("Attempt to change a resource which is still in use: Cannot delete table while indexes are being created, updated, or deleted.")));
}

/* The answer describes the table as it was; it is gone when it arrives. */
void
DeleteTableRequest(Request *request)
{
	const char *name = FieldTableName(request->input);
	OpenedTable table;

	CheckNotBuilding(name);
	TableOpen(&table, name, AccessExclusiveLock);
	if (table.settings->deletion_protection)
		InvalidRequest("Resource cannot be deleted as it is currently protected against deletion. "
					   "Disable deletion protection first.");
	if (TableIsChanging(&table))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_IN_USE),
				 errmsg("Attempt to change a resource which is still in use: "
						"Cannot delete table while indexes are being created, updated, or deleted.")));
	WriterName(request->out, "TableDescription");
	WriterDeletedTable(request->out, &table);
	TableClose(&table);
	TableDrop(name);
}

/* ---- ListTables ---- */

/*
 * Tables that a name without a schema finds, which is how requests name them,
 * in the order of their names after the one given.
 */
static void
SelectTables(const char *after, int64 limit)
{
	Oid			types[] = {TEXTOID, INT8OID};
	Datum		values[] = {CStringGetTextDatum(after), Int64GetDatum(limit)};
	int			result;

	result = SPI_execute_with_args("SELECT table_name FROM dynamo.tables "
								   "WHERE pg_catalog.pg_table_is_visible(relation) "
								   "AND table_name COLLATE \"C\" OPERATOR(pg_catalog.>) $1 "
								   "ORDER BY table_name COLLATE \"C\" LIMIT $2",
								   2, types, values, NULL, true, 0);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "could not read dynamo.tables: %s", SPI_result_code_string(result));
}

void
ListTablesRequest(Request *request)
{
	const char *start = FieldString(request->input, "ExclusiveStartTableName");
	int64		limit = FieldInteger(request->input, "Limit", LIST_LIMIT);
	Writer	   *out = request->out;
	char	   *name = NULL;

	WriterName(out, "TableNames");
	WriterBeginList(out);
	SPI_connect();
	/* one more than asked for tells whether there are more */
	SelectTables(start != NULL ? start : "", limit + 1);
	for (int64 i = 0; i < (int64) SPI_processed && i < limit; i++)
	{
		name = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1);
		WriterString(out, name);
	}
	WriterEndList(out);
	if ((int64) SPI_processed > limit)
		WriterStringMember(out, "LastEvaluatedTableName", name);
	SPI_finish();
}
