/*
 * export.c
 *	  dynamo.export_items: writes a table's items as JSON lines to a server
 *	  file or, as the service does, to files below a directory.
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
#include "extension_objects.h"
#include "security/owner.h"
#include "security/settings_owner.h"
#include "store/plan.h"
#include "store/store.h"
#include "table/table_name.h"
#include "transfer/bulk.h"
#include "transfer/export.h"
#include "transfer/export_tree.h"
#include "transfer/files.h"

/* Number of items between progress reports, and per fetch of a cursor. */
#define FETCH_ROWS	1000

static void
BeginExport(Export *export, Oid relid)
{
	MemoryContext caller = MemoryContextSwitchTo(export->context);

	export->begin(export->arg);
	MemoryContextSwitchTo(caller);
	BulkProgressStart(relid, false, true, 0);
}

static void
WriteLine(Export *export, Datum datum)
{
	StringInfo	line = &export->line;
	struct varlena *item = (struct varlena *) PG_DETOAST_DATUM_PACKED(datum);

	if (export->take != NULL)
	{
		export->take(export->arg, item);
		export->bytes += VARSIZE_ANY(item);
		return;
	}
	resetStringInfo(line);
	ItemToExportLine(line, ItemRoot(item));
	appendStringInfoChar(line, '\n');
	MemoryContextSwitchTo(export->context);
	export->write(export->arg, line->data, line->len);
	export->bytes += line->len;
}

static void
ExportItem(Export *export, Datum item, bool isnull)
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
	TableScanDesc scan = BeginTableScan(store->rel, StoreSnapshot(store));

	BeginExport(export, RelationGetRelid(store->rel));
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		bool		isnull;
		Datum		item = slot_getattr(slot, store->def->item_attnum, &isnull);

		ExportItem(export, item, isnull);
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
	OwnerScopeEnterForMaintenance(&scope, store->rel->rd_rel->relowner);
	cursor = OpenItemCursor(store);	/* raises errors before the file is overwritten */
	BeginExport(export, RelationGetRelid(store->rel));
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

			ExportItem(export, item, isnull);
		}
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(cursor);
	OwnerScopeLeave(&scope);
	SPI_finish();
}

void
ExportItems(Export *export, const Store *store)
{
	export->context = CurrentMemoryContext;
	initStringInfo(&export->line);
	export->row_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo export row",
												ALLOCSET_DEFAULT_SIZES);
	if (store->direct)
		ExportRows(export, store);
	else
		ExportResult(export, store);
	pgstat_progress_end_command();
}

/* ---- to a file ---- */

typedef struct FileTarget
{
	const char *name;
	FILE	   *file;
} FileTarget;

static void
OpenTarget(void *arg)
{
	FileTarget *target = arg;

	target->file = OpenServerFile(target->name, true);
}

static void
WriteToFile(void *arg, const char *line, int len)
{
	FileTarget *target = arg;

	if (fwrite(line, 1, len, target->file) != (size_t) len)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not write to file \"%s\": %m", target->name)));
}

static int64
ExportToFile(const Store *store, const char *name)
{
	FileTarget	target = {.name = name};
	Export		export = {.begin = OpenTarget, .write = WriteToFile, .arg = &target};

	ExportItems(&export, store);
	CloseServerFile(target.file, name);
	return export.items;
}

/* ---- to a directory, as the service does ---- */

typedef struct DirectoryTarget
{
	const char *directory;
	char	   *id;
	ExportTree	tree;
} DirectoryTarget;

static void
BeginTree(void *arg)
{
	DirectoryTarget *target = arg;

	TreeBegin(&target->tree, target->directory, "", target->id, false);
}

static void
WriteToTree(void *arg, const char *line, int len)
{
	DirectoryTarget *target = arg;

	TreeLine(&target->tree, line, len);
}

static int64
ExportToDirectory(const Store *store, const char *directory)
{
	int64		now = SettingsTime();
	TreeSummary summary = {.started = now, .exported = now};
	DirectoryTarget target = {.directory = directory, .id = TreeNewId(now)};
	Export		export = {.begin = BeginTree, .write = WriteToTree, .arg = &target};

	if (!is_absolute_path(directory))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("relative path not allowed for a server directory")));
	PG_TRY();
	{
		ExportItems(&export, store);
		TreeEnd(&target.tree, &summary);
	}
	PG_CATCH();
	{
		TreeRemove(&target.tree);
		PG_RE_THROW();
	}
	PG_END_TRY();
	return export.items;
}

/* export_items(table_name text, file_name text) returns bigint */
DYNAMO_FUNCTION(dynamo_export_items);
Datum
dynamo_export_items(PG_FUNCTION_ARGS)
{
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	Store		store;
	int64		items;

	StoreOpen(&store, TableArgument(fcinfo, 0), ACL_SELECT);
	CheckServerFilePrivilege(true);
	StoreAwaitRewrites(&store);
	items = IsDirectory(name) ? ExportToDirectory(&store, name) : ExportToFile(&store, name);
	StoreClose(&store);
	PG_RETURN_INT64(items);
}
