/*
 * export.c
 *	  dynamo.export_items: a table's items as JSON lines in a server file.
 *
 * The rows come through an ordinary cursor, so that privileges, row security
 * and tables of other access methods are PostgreSQL's business.
 */
#include "postgres.h"

#include "access/table.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/backend_progress.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "catalog/table.h"
#include "compat.h"
#include "sql/bulk.h"
#include "store/plan.h"

#define FETCH_ROWS	1000

/*
 * A cursor over the items of the locked table.  It is not told to be read-only,
 * so that it takes a snapshot of its own: the statement's may be from before a
 * table that we have waited for.
 */
static Portal
OpenItemCursor(Oid relid)
{
	SPIPlanPtr	plan = SPI_prepare(psprintf("SELECT item FROM %s", RelationSqlName(relid)),
								   0, NULL);

	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	return SPI_cursor_open(NULL, plan, NULL, NULL, false);
}

static void
WriteLine(FILE *file, const char *file_name, StringInfo line, Datum item)
{
	resetStringInfo(line);
	ItemToExportLine(line, ItemRoot((struct varlena *) PG_DETOAST_DATUM_PACKED(item)));
	appendStringInfoChar(line, '\n');
	if (fwrite(line->data, 1, line->len, file) != (size_t) line->len)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not write to file \"%s\": %m", file_name)));
}

/* Writes the rows just fetched; returns how many bytes. */
static int64
WriteFetchedRows(FILE *file, const char *file_name, StringInfo line,
				 MemoryContext row_context)
{
	int64		bytes = 0;

	for (uint64 i = 0; i < SPI_processed; i++)
	{
		MemoryContext caller = MemoryContextSwitchTo(row_context);
		bool		isnull;
		Datum		item = SPI_getbinval(SPI_tuptable->vals[i],
										 SPI_tuptable->tupdesc, 1, &isnull);

		CHECK_FOR_INTERRUPTS();
		if (!isnull)
		{
			WriteLine(file, file_name, line, item);
			bytes += line->len;
		}
		MemoryContextSwitchTo(caller);
		MemoryContextReset(row_context);
	}
	return bytes;
}

/* export_items(table_name text, file_name text) returns bigint */
DYNAMO_FUNCTION(dynamo_export_items);
Datum
dynamo_export_items(PG_FUNCTION_ARGS)
{
	char	   *file_name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	Relation	rel = TableNameOpen(text_to_cstring(PG_GETARG_TEXT_PP(0)), AccessShareLock, false);
	Oid			relid = RelationGetRelid(rel);
	FILE	   *file;
	int64		bytes = 0;
	int64		items = 0;
	StringInfoData line;
	MemoryContext row_context;
	Portal		cursor;

	TableDefRelease(TableDefAcquire(rel));	/* a dynamo table it must be */
	initStringInfo(&line);
	row_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo export row",
										ALLOCSET_DEFAULT_SIZES);
	SPI_connect();
	cursor = OpenItemCursor(relid); /* privileges first: the file is overwritten */
	file = OpenServerFile(file_name, true);
	BulkProgressStart(relid, false, true, 0);
	for (;;)
	{
		SPI_cursor_fetch(cursor, true, FETCH_ROWS);
		if (SPI_processed == 0)
			break;
		items += SPI_processed;
		bytes += WriteFetchedRows(file, file_name, &line, row_context);
		SPI_freetuptable(SPI_tuptable);
		BulkProgressUpdate(bytes, items, 0);
	}
	SPI_cursor_close(cursor);
	SPI_finish();
	pgstat_progress_end_command();
	CloseServerFile(file, file_name);
	table_close(rel, NoLock);
	PG_RETURN_INT64(items);
}
