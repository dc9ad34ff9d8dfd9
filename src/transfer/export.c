/*
 * export.c
 *	  dynamo.export_items: writes a table's items as JSON lines to a server
 *	  file.
 *
 * Like COPY, the export reads the rows of a plain table without planning a
 * statement: planning evaluates expressions of indexes and policies, which the
 * table's owner wrote, and the exporting user may have rights that the owner
 * lacks.  Other tables are read through an ordinary cursor, because of row
 * security and other access methods.  A user with the rights of the owner then
 * reads the table as the owner.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/backend_progress.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "store/plan.h"
#include "store/store.h"
#include "table/objects.h"
#include "table/owner.h"
#include "transfer/bulk.h"

/* Number of items between progress reports, and per fetch of a cursor. */
#define FETCH_ROWS	1000

typedef struct Export
{
	const char *file_name;
	FILE	   *file;
	StringInfoData line;
	MemoryContext row_context;
	int64		items;
	int64		bytes;
} Export;

static void
OpenFile(Export *export, Oid relid)
{
	export->file = OpenServerFile(export->file_name, true);
	BulkProgressStart(relid, false, true, 0);
}

static void
WriteLine(Export *export, Datum item)
{
	StringInfo	line = &export->line;

	resetStringInfo(line);
	ItemToExportLine(line, ItemRoot((struct varlena *) PG_DETOAST_DATUM_PACKED(item)));
	appendStringInfoChar(line, '\n');
	if (fwrite(line->data, 1, line->len, export->file) != (size_t) line->len)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not write to file \"%s\": %m", export->file_name)));
	export->bytes += line->len;
}

static void
WriteItem(Export *export, Datum item, bool isnull)
{
	MemoryContext caller = MemoryContextSwitchTo(export->row_context);

	CHECK_FOR_INTERRUPTS();
	if (!isnull)
		WriteLine(export, item);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(export->row_context);
	if (++export->items % FETCH_ROWS == 0)
		BulkProgressUpdate(export->bytes, export->items, 0);
}

/* Exports all rows of a plain table. */
static void
ExportRows(Export *export, const Store *store)
{
	TupleTableSlot *slot = table_slot_create(store->rel, NULL);
	TableScanDesc scan = table_beginscan(store->rel, StoreSnapshot(store), 0, NULL);

	OpenFile(export, RelationGetRelid(store->rel));
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		bool		isnull;
		Datum		item = slot_getattr(slot, store->def->item_attnum, &isnull);

		WriteItem(export, item, isnull);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
}

/*
 * Opens a cursor over the items of a table; it sees the same rows as a direct
 * read.
 */
static Portal
OpenItemCursor(const Store *store)
{
	SPIPlanPtr	plan = SPI_prepare(psprintf("SELECT item FROM %s",
											RelationSqlName(RelationGetRelid(store->rel))),
								   0, NULL);
	Portal		cursor;

	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	PushActiveSnapshot(StoreSnapshot(store));
	cursor = SPI_cursor_open(NULL, plan, NULL, NULL, true);
	PopActiveSnapshot();
	return cursor;
}

/* Exports the items through a cursor. */
static void
ExportResult(Export *export, const Store *store)
{
	OwnerScope	scope;
	Portal		cursor;

	SPI_connect();
	OwnerScopeEnterForStatement(&scope, store->rel->rd_rel->relowner);
	cursor = OpenItemCursor(store);	/* raises errors before the file is overwritten */
	OpenFile(export, RelationGetRelid(store->rel));
	for (;;)
	{
		SPI_cursor_fetch(cursor, true, FETCH_ROWS);
		if (SPI_processed == 0)
			break;
		StatementCheckColumn(1, ItemTypeOid());
		for (uint64 i = 0; i < SPI_processed; i++)
		{
			bool		isnull;
			Datum		item = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull);

			WriteItem(export, item, isnull);
		}
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(cursor);
	OwnerScopeLeave(&scope);
	SPI_finish();
}

/* export_items(table_name text, file_name text) returns bigint */
DYNAMO_FUNCTION(dynamo_export_items);
Datum
dynamo_export_items(PG_FUNCTION_ARGS)
{
	Export		export = {.file_name = text_to_cstring(PG_GETARG_TEXT_PP(1))};
	Store		store;

	StoreOpen(&store, text_to_cstring(PG_GETARG_TEXT_PP(0)), ACL_SELECT);
	CheckServerFilePrivilege(true);
	initStringInfo(&export.line);
	export.row_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo export row",
											   ALLOCSET_DEFAULT_SIZES);
	if (store.direct)
		ExportRows(&export, &store);
	else
		ExportResult(&export, &store);
	pgstat_progress_end_command();
	CloseServerFile(export.file, export.file_name);
	StoreClose(&store);
	PG_RETURN_INT64(export.items);
}
