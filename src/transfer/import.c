/*
 * import.c
 *	  dynamo.import_items and dynamo.import_lines: import JSON lines into a
 *	  table.
 *
 * An imported item replaces an item with the same key.  All triggers and
 * constraints of the table apply.  A superuser, or any other user with the
 * rights of the table's owner, imports as the owner, who wrote the triggers.
 * An import is one transaction.
 *
 * Without skip_errors the first invalid line ends the import.  With
 * skip_errors lines are imported in batches, each in a subtransaction.  A
 * failed batch is imported again in halves, down to the invalid line.  Valid
 * lines therefore add almost no cost, and an invalid line costs a few
 * subtransactions.
 */
#include "postgres.h"

#include <sys/stat.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/array.h"
#include "utils/backend_progress.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "errors.h"
#include "store/store.h"
#include "subtransaction.h"
#include "table/owner.h"
#include "transfer/bulk.h"

#define BATCH_LINES			1000
#define BATCH_BYTES			(1024 * 1024)
#define SHOWN_PROBLEMS		10	/* bad lines that get a notice each */

typedef struct Line
{
	const char *text;
	uint32		len;
	int64		number;			/* counted from 1 */
} Line;

typedef struct Import
{
	Store		store;
	OwnerScope	scope;
	bool		from_file;
	bool		skip_errors;
	int64		bytes_total;
	int64		bytes;
	int64		imported;
	int64		failed;
	const Line *current;		/* for the context of errors */

	MemoryContext line_context; /* the item of one line; reset after each */
	MemoryContext batch_context;	/* the lines of a batch; reset after each */
	Line	   *batch;
	int			nbatch;
	Size		batch_bytes;
	int64		line_number;
} Import;

/* ---- one line ---- */

static WriteAction
DecidePut(void *arg, ValueRef old, struct varlena **item)
{
	*item = arg;
	return WRITE_PUT;
}

static struct varlena *
ComposeImported(const Import *import, struct varlena *item)
{
	struct varlena *composed;

	(void) ComposeEntityKeys(import->store.def, ItemRoot(item), MISSING_VALUE, false,
							 StoreItemIsFinal(&import->store), &composed, NULL);
	return composed != NULL ? composed : item;
}

static void
ImportLine(Import *import, const Line *line)
{
	MemoryContext caller = MemoryContextSwitchTo(import->line_context);
	struct varlena *item;
	struct varlena *stored;
	RowKey		key;

	CHECK_FOR_INTERRUPTS();
	import->current = line;
	item = ItemFromExportLine(line->text, line->len);
	item = ComposeImported(import, item);
	(void) CheckItemKeys(import->store.def, ItemRoot(item), NULL, NULL);
	CheckItemSize(ItemRoot(item));
	(void) RowKeyFromItem(import->store.def, ItemRoot(item), &key, NULL);
	StoreWrite(&import->store, &key, false, DecidePut, item, &stored);

	import->current = NULL;
	MemoryContextSwitchTo(caller);
	MemoryContextReset(import->line_context);
}

static void
AddLineContext(void *arg)
{
	const Import *import = arg;

	if (import->current != NULL)
		errcontext("line " INT64_FORMAT " of the import", import->current->number);
}

/* ---- batches ---- */

/*
 * Whether an error is caused by a line, rather than by the server or the
 * caller.
 */
static bool
IsErrorOfData(int sqlstate)
{
	return sqlstate == ERRCODE_DYNAMO_VALIDATION ||
		sqlstate == ERRCODE_DYNAMO_SERIALIZATION ||
		sqlstate == ERRCODE_PROGRAM_LIMIT_EXCEEDED ||
		ERRCODE_TO_CATEGORY(sqlstate) == ERRCODE_DATA_EXCEPTION ||
		ERRCODE_TO_CATEGORY(sqlstate) == ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION;
}

static void
ReportProgress(const Import *import)
{
	BulkProgressUpdate(import->bytes, import->imported, import->failed);
}

static void
StartProgress(const Import *import)
{
	BulkProgressStart(RelationGetRelid(import->store.rel), true,
					  import->from_file, import->bytes_total);
	ReportProgress(import);
}

/* Lines to import in one subtransaction. */
typedef struct Lines
{
	Import	   *import;
	const Line *lines;
	int			n;
} Lines;

static void
ImportLines(void *arg)
{
	const Lines *lines = arg;

	for (int i = 0; i < lines->n; i++)
		ImportLine(lines->import, &lines->lines[i]);
}

/*
 * Imports lines in a subtransaction.  Returns NULL, or the data error that
 * rolled it back; other errors are raised.
 */
static ErrorData *
TryLines(Import *import, const Line *lines, int n)
{
	Lines		all = {import, lines, n};
	ErrorData  *error = TryInSubtransaction(ImportLines, &all);

	if (error != NULL)
	{
		import->current = NULL;
		MemoryContextReset(import->line_context);
		StartProgress(import);	/* the rollback has ended progress reporting */
		if (!IsErrorOfData(error->sqlerrcode))
			ReThrowError(error);
	}
	return error;
}

static void
SkipLine(Import *import, const Line *line, const ErrorData *error)
{
	import->failed++;
	if (import->failed <= SHOWN_PROBLEMS)
		ereport(NOTICE,
				(errmsg("line " INT64_FORMAT " skipped: %s", line->number, error->message),
				 error->detail != NULL ? errdetail_internal("%s", error->detail) : 0,
				 errdetail_log("Details are sent only to the client.")));
	else if (import->failed == SHOWN_PROBLEMS + 1)
		ereport(NOTICE, (errmsg("further skipped lines are counted but not reported")));
}

/* Recursion is limited to the number of times that a batch can be halved. */
static void
ImportSkippingErrors(Import *import, const Line *lines, int n)
{
	ErrorData  *error = TryLines(import, lines, n);

	if (error == NULL)
		import->imported += n;
	else if (n == 1)
	{
		SkipLine(import, lines, error);
		FreeErrorData(error);
	}
	else
	{
		FreeErrorData(error);
		ImportSkippingErrors(import, lines, n / 2);
		ImportSkippingErrors(import, lines + n / 2, n - n / 2);
	}
}

static void
ImportBatch(Import *import)
{
	if (import->skip_errors)
		ImportSkippingErrors(import, import->batch, import->nbatch);
	else
	{
		for (int i = 0; i < import->nbatch; i++)
			ImportLine(import, &import->batch[i]);
		import->imported += import->nbatch;
	}
	import->nbatch = 0;
	import->batch_bytes = 0;
	MemoryContextReset(import->batch_context);
	ReportProgress(import);
}

static bool
IsBlank(const char *text, Size len)
{
	while (len > 0 && memchr(" \t\r\n", text[len - 1], 4) != NULL)
		len--;
	return len == 0;
}

/* Adds a line to the batch.  Blank lines only count in line numbers. */
static void
AddLine(Import *import, const char *text, Size len)
{
	Line	   *line = &import->batch[import->nbatch];
	char	   *copy;

	import->line_number++;
	import->bytes += len;
	SkipByteOrderMark(&text, &len);
	if (IsBlank(text, len))
		return;

	copy = MemoryContextAlloc(import->batch_context, len);
	memcpy(copy, text, len);
	line->text = copy;
	line->len = len;
	line->number = import->line_number;
	import->nbatch++;
	import->batch_bytes += len;
	if (import->nbatch == BATCH_LINES || import->batch_bytes >= BATCH_BYTES)
		ImportBatch(import);
}

/* ---- the functions ---- */

static void
ImportBegin(Import *import, const char *table_name, bool skip_errors,
			bool from_file, int64 bytes_total)
{
	memset(import, 0, sizeof(Import));
	import->skip_errors = skip_errors;
	import->from_file = from_file;
	import->bytes_total = bytes_total;
	import->line_context = AllocSetContextCreate(CurrentMemoryContext,
												 "dynamo import line", ALLOCSET_DEFAULT_SIZES);
	import->batch_context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo import batch", ALLOCSET_DEFAULT_SIZES);
	import->batch = palloc(sizeof(Line) * BATCH_LINES);
	StoreOpen(&import->store, table_name, ACL_INSERT | ACL_UPDATE);
	OwnerScopeEnterForStatement(&import->scope, import->store.rel->rd_rel->relowner);
	StartProgress(import);
}

/* Imports the remaining lines and returns the result (imported, failed). */
static Datum
ImportEnd(Import *import, FunctionCallInfo fcinfo)
{
	TupleDesc	desc;
	Datum		values[2];
	bool		nulls[2] = {false, false};

	ImportBatch(import);
	pgstat_progress_end_command();
	OwnerScopeLeave(&import->scope);
	StoreClose(&import->store);

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = Int64GetDatum(import->imported);
	values[1] = Int64GetDatum(import->failed);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}

static void
PushLineContext(ErrorContextCallback *callback, Import *import)
{
	callback->callback = AddLineContext;
	callback->arg = import;
	callback->previous = error_context_stack;
	error_context_stack = callback;
}

static int64
GetFileSize(FILE *file)
{
	struct stat status;

	return fstat(fileno(file), &status) == 0 ? status.st_size : 0;
}

/* DynamoDB exports compressed files. */
static void
CheckNotCompressed(const StringInfoData *first_line, const char *file_name)
{
	if (first_line->len >= 2 && memcmp(first_line->data, "\x1F\x8B", 2) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("file \"%s\" is compressed", file_name),
				 errhint("Unpack it with gunzip.")));
}

/* import_items(table_name text, file_name text, skip_errors boolean) */
DYNAMO_FUNCTION(dynamo_import_items);
Datum
dynamo_import_items(PG_FUNCTION_ARGS)
{
	char	   *table_name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	char	   *file_name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	FILE	   *file;
	LineReader *reader = palloc0(sizeof(LineReader));
	ErrorContextCallback callback;
	StringInfoData line;
	Import		import;
	Datum		result;

	CheckServerFilePrivilege(false);
	file = OpenServerFile(file_name, false);
	reader->file = file;
	ImportBegin(&import, table_name, PG_GETARG_BOOL(2), true, GetFileSize(file));
	PushLineContext(&callback, &import);

	initStringInfo(&line);
	while (ReadLine(reader, &line))
	{
		if (import.line_number == 0)
			CheckNotCompressed(&line, file_name);
		AddLine(&import, line.data, line.len);
		resetStringInfo(&line);
	}
	if (ferror(file))
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read file \"%s\": %m", file_name)));

	result = ImportEnd(&import, fcinfo);
	error_context_stack = callback.previous;
	CloseServerFile(file, file_name);
	return result;
}

/* import_lines(table_name text, lines text[], skip_errors boolean) */
DYNAMO_FUNCTION(dynamo_import_lines);
Datum
dynamo_import_lines(PG_FUNCTION_ARGS)
{
	char	   *table_name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	ErrorContextCallback callback;
	Datum	   *lines;
	bool	   *nulls;
	int			n;
	Import		import;
	Datum		result;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), TEXTOID, -1, false, TYPALIGN_INT,
					  &lines, &nulls, &n);
	ImportBegin(&import, table_name, PG_GETARG_BOOL(2), false, 0);
	PushLineContext(&callback, &import);

	for (int i = 0; i < n; i++)
	{
		text	   *line = nulls[i] ? NULL : DatumGetTextPP(lines[i]);

		if (line != NULL)
			AddLine(&import, VARDATA_ANY(line), VARSIZE_ANY_EXHDR(line));
		else
			AddLine(&import, "", 0);
	}

	result = ImportEnd(&import, fcinfo);
	error_context_stack = callback.previous;
	return result;
}
