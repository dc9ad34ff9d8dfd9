/*
 * import.c
 *	  dynamo.import_items and dynamo.import_lines: import lines into a
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
#include "item/builder.h"
#include "security/owner.h"
#include "store/store.h"
#include "subtransaction.h"
#include "table/key_parts.h"
#include "table/moves.h"
#include "table/table_name.h"
#include "transfer/bulk.h"
#include "transfer/change_line.h"
#include "transfer/files.h"
#include "transfer/import.h"
#include "transfer/source.h"

#define BATCH_LINES			1000
#define BATCH_BYTES			(1024 * 1024)
#define SHOWN_PROBLEMS		10	/* bad lines that get a notice each */

/* ---- the context of errors ---- */

static void
AddLineContext(void *arg)
{
	const Import *import = arg;

	if (import->current == NULL)
		return;
	if (import->many_files)
		errcontext("line " INT64_FORMAT " of file \"%s\"", import->current->number, import->current->file);
	else
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
ReportImportProgress(const Import *import)
{
	BulkProgressUpdate(import->bytes, import->imported, import->failed);
}

static void
StartProgress(const Import *import)
{
	BulkProgressStart(RelationGetRelid(import->store->rel), true,
					  import->from_file, import->bytes_total);
	ReportImportProgress(import);
}

/* Lines to import in one subtransaction. */
typedef struct Lines
{
	Import	   *import;
	const ImportLine *lines;
	int			n;
} Lines;

static void
PutLines(void *arg)
{
	const Lines *lines = arg;

	for (int i = 0; i < lines->n; i++)
		PutImportLine(lines->import, &lines->lines[i]);
	PutKept(lines->import);
	StoreClosePartitions(lines->import->store);
}

/*
 * Imports lines in a subtransaction.  Returns NULL, or the data error that
 * rolled it back; other errors are raised.
 */
static ErrorData *
TryLines(Import *import, const ImportLine *lines, int n)
{
	Lines		all = {import, lines, n};
	ErrorData  *error = TryInSubtransaction(PutLines, &all);

	if (error != NULL)
	{
		StoreForgetPartitions(import->store);
		import->current = NULL;
		MemoryContextReset(import->line_context);
		import->nitems = 0;
		MemoryContextReset(import->items_context);
		StartProgress(import);	/* the rollback has ended progress reporting */
		if (!IsErrorOfData(error->sqlerrcode))
			ReThrowError(error);
	}
	return error;
}

static void
SkipFailedLine(Import *import, const ImportLine *line, const ErrorData *error)
{
	import->failed++;
	if (import->failed <= SHOWN_PROBLEMS)
		ereport(import->notice_level,
				(import->many_files ?
				 errmsg("line " INT64_FORMAT " of file \"%s\" skipped: %s",
						line->number, line->file, error->message) :
				 errmsg("line " INT64_FORMAT " skipped: %s", line->number, error->message),
				 error->detail != NULL ? errdetail_internal("%s", error->detail) : 0,
				 errdetail_log("Details are sent only to the client.")));
	else if (import->failed == SHOWN_PROBLEMS + 1)
		ereport(import->notice_level, (errmsg("further skipped lines are counted but not reported")));
}

/* Recursion is limited to the number of times that a batch can be halved. */
static void
ImportSkippingErrors(Import *import, const ImportLine *lines, int n)
{
	ErrorData  *error = TryLines(import, lines, n);

	if (error == NULL)
		import->imported += n;
	else if (n == 1)
	{
		SkipFailedLine(import, lines, error);
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
			PutImportLine(import, &import->batch[i]);
		PutKept(import);
		import->imported += import->nbatch;
	}
	import->nbatch = 0;
	import->batch_bytes = 0;
	MemoryContextReset(import->batch_context);
	ReportImportProgress(import);
}

static bool
IsBlankLine(const char *text, Size len)
{
	while (len > 0 && memchr(" \t\r\n", text[len - 1], 4) != NULL)
		len--;
	return len == 0;
}

static void
AddToBatch(Import *import, const char *file, int64 number, const char *text, Size len)
{
	ImportLine *line = &import->batch[import->nbatch];
	char	   *copy;

	copy = MemoryContextAlloc(import->batch_context, len);
	memcpy(copy, text, len);
	line->text = copy;
	line->len = len;
	line->number = number;
	line->file = file;
	import->nbatch++;
	import->batch_bytes += len;
	if (import->nbatch == BATCH_LINES || import->batch_bytes >= BATCH_BYTES)
		ImportBatch(import);
}

/* Takes the next line of a file.  A blank one, of which it returns false, only counts in line numbers. */
static bool
TakeLine(Import *import, const char **text, Size *len)
{
	import->line_number++;
	import->bytes += *len;
	SkipByteOrderMark(text, len);
	if (IsBlankLine(*text, *len))
		return false;
	import->lines++;
	return true;
}

static void
AddImportLine(Import *import, const char *text, Size len)
{
	if (TakeLine(import, &text, &len))
		AddToBatch(import, import->file_name, import->line_number, text, len);
}

/* ---- an import ---- */

void
ImportBegin(Import *import)
{
	import->line_context = AllocSetContextCreate(CurrentMemoryContext,
												 "dynamo import line", ALLOCSET_DEFAULT_SIZES);
	import->batch_context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo import batch", ALLOCSET_DEFAULT_SIZES);
	import->batch = palloc(sizeof(ImportLine) * BATCH_LINES);
	import->by_statement = ImportsByStatement(import) && !import->changes;
	import->items_context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo imported items", ALLOCSET_DEFAULT_SIZES);
	import->items = palloc(sizeof(ImportedItem) * BATCH_LINES);
	OwnerScopeEnterForMaintenance(&import->scope, import->store->rel->rd_rel->relowner);
	StartProgress(import);
	import->callback.callback = AddLineContext;
	import->callback.arg = import;
	import->callback.previous = error_context_stack;
	error_context_stack = &import->callback;
}

void
ImportEnd(Import *import)
{
	ImportBatch(import);
	pgstat_progress_end_command();
	error_context_stack = import->callback.previous;
	OwnerScopeLeave(&import->scope);
}

/* Reads a line of JSON, or a CSV record, which may have several lines. */
static bool
ReadImportRecord(const Import *import, InputFile *input, StringInfo text)
{
	bool		open = false;
	int			known = 0;		/* bytes whose quotes were counted */

	resetStringInfo(text);
	while (InputLine(input, text) && text->len > known && import->csv != NULL)
	{
		const char *line = text->data + known;
		Size		len = text->len - known;

		if (known == 0)
			SkipByteOrderMark(&line, &len);	/* a quote after it opens a field */
		open = CsvIsOpen(import->csv, line, (int) len, open);
		known = text->len;
		if (!open)
			break;
	}
	return text->len > 0;
}

/* The first record of a CSV file, unless the names are known otherwise. */
static void
ReadCsvHeader(Import *import, InputFile *input, StringInfo text)
{
	const char *line;
	Size		len;

	if (!ReadImportRecord(import, input, text))
		return;
	import->line_number++;
	line = text->data;
	len = text->len;
	SkipByteOrderMark(&line, &len);
	CsvReadNames(import->csv, line, len);
}

void
ImportFile(Import *import, FILE *file, const char *name, InputCompression compression)
{
	InputFile  *input = InputBegin(file, name, compression);
	bool		header = import->csv != NULL && import->csv->nnames == 0;
	StringInfoData text;

	initStringInfo(&text);
	import->line_number = 0;
	import->lines = 0;
	import->file_name = name;
	if (header)
		ReadCsvHeader(import, input, &text);
	while (ReadImportRecord(import, input, &text))
		AddImportLine(import, text.data, text.len);
	ImportBatch(import);		/* with the names of this file */
	if (header)
		import->csv->nnames = 0;
	pfree(text.data);
	InputEnd(input);
}

/* ---- sources ---- */

/* A file that was cut at the end of a line has all that a checksum is not there to miss. */
static void
CheckLines(const Import *import, const SourceFile *file)
{
	if (file->items >= 0 && import->lines != file->items)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("data file \"%s\" has " INT64_FORMAT " items instead of " INT64_FORMAT,
						file->path, import->lines, file->items),
				 errdetail("The manifest of its export tells how many it must have."),
				 errhint("Copy the export again, with all of its files.")));
}

static void
ImportSource(Import *import, const Source *source, InputCompression compression)
{
	ListCell   *cell;

	foreach(cell, source->files)
	{
		const SourceFile *file = lfirst(cell);
		FILE	   *open = OpenRegularFile(file->path);

		ImportFile(import, open, file->path, compression);
		CloseServerFile(open, file->path);
		CheckLines(import, file);
	}
}

/* Adds the lines of a file to those that are sorted. */
static void
SortFile(Import *import, ChangeSort *sort, int number, const SourceFile *file, InputCompression compression)
{
	FILE	   *open = OpenRegularFile(file->path);
	InputFile  *input = InputBegin(open, file->path, compression);
	StringInfoData line;

	initStringInfo(&line);
	import->line_number = 0;
	import->lines = 0;
	while (InputLine(input, &line))
	{
		const char *text = line.data;
		Size		len = line.len;

		if (TakeLine(import, &text, &len))
			ChangeSortAdd(sort, number, import->line_number, text, len);
		resetStringInfo(&line);
	}
	pfree(line.data);
	InputEnd(input);
	CloseServerFile(open, file->path);
	CheckLines(import, file);
}

static void
ImportChanges(Import *import, const Source *source, InputCompression compression)
{
	ChangeSort *sort = ChangeSortBegin();
	int			n = list_length(source->files);
	int			file;
	int64		number;
	const char *text;
	Size		len;

	for (int i = 0; i < n; i++)
		SortFile(import, sort, i, list_nth(source->files, i), compression);
	ChangeSortPerform(sort);
	while (ChangeSortNext(sort, &file, &number, &text, &len))
		AddToBatch(import, ((const SourceFile *) list_nth(source->files, file))->path, number, text, len);
	ImportBatch(import);
	ChangeSortEnd(sort);
}

void
ImportSources(Import *import, const List *sources, InputCompression compression)
{
	ListCell   *cell;

	import->many_files = true;
	import->changes = SourcesHaveChanges(sources);
	import->bytes_total = SourcesSize(sources);
	ImportBegin(import);
	foreach(cell, sources)
	{
		const Source *source = lfirst(cell);

		import->changes = source->changes;
		if (source->changes)
			ImportChanges(import, source, compression);
		else
			ImportSource(import, source, compression);
	}
	ImportEnd(import);
}

/* ---- the functions ---- */

/* Returns the result (imported, failed). */
static Datum
ImportResult(const Import *import, FunctionCallInfo fcinfo)
{
	TupleDesc	desc;
	Datum		values[2];
	bool		nulls[2] = {false, false};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = Int64GetDatum(import->imported);
	values[1] = Int64GetDatum(import->failed);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}

static int64
GetFileSize(FILE *file)
{
	struct stat status;

	return fstat(fileno(file), &status) == 0 ? status.st_size : 0;
}

static void
ImportOneFile(Import *import, const char *name)
{
	FILE	   *file = OpenServerFile(name, false);

	import->bytes_total = GetFileSize(file);
	ImportBegin(import);
	ImportFile(import, file, name, INPUT_DETECTED);
	ImportEnd(import);
	CloseServerFile(file, name);
}

/* What a path leads to; NIL for a single file. */
static List *
FindSources(const char *path)
{
	char	   *directory = pstrdup(path);

	if (!IsDirectory(path))
		return NIL;
	if (!is_absolute_path(path))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("relative path not allowed for a server directory")));
	canonicalize_path(directory);
	return SourcesOfDirectory(directory, NOTICE);
}

/* import_items(table_name text, file_name text, skip_errors boolean) */
DYNAMO_FUNCTION(dynamo_import_items);
Datum
dynamo_import_items(PG_FUNCTION_ARGS)
{
	char	   *file_name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	List	   *sources;
	Store		store;
	Import		import = {
		.store = &store,
		.from_file = true,
		.skip_errors = PG_GETARG_BOOL(2),
		.notice_level = NOTICE
	};

	CheckServerFilePrivilege(false);
	sources = FindSources(file_name);
	StoreOpen(&store, TableArgument(fcinfo, 0),
			  ACL_INSERT | ACL_UPDATE | (SourcesHaveChanges(sources) ? ACL_DELETE : 0));
	if (sources != NIL)
	{
		SourcesVerify(sources);
		ImportSources(&import, sources, INPUT_DETECTED);
	}
	else
		ImportOneFile(&import, file_name);
	StoreClose(&store);
	return ImportResult(&import, fcinfo);
}

/* import_lines(table_name text, lines text[], skip_errors boolean) */
DYNAMO_FUNCTION(dynamo_import_lines);
Datum
dynamo_import_lines(PG_FUNCTION_ARGS)
{
	Store		store;
	Import		import = {
		.store = &store,
		.skip_errors = PG_GETARG_BOOL(2),
		.notice_level = NOTICE
	};
	Datum	   *lines;
	bool	   *nulls;
	int			n;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), TEXTOID, -1, false, TYPALIGN_INT,
					  &lines, &nulls, &n);
	StoreOpen(&store, TableArgument(fcinfo, 0), ACL_INSERT | ACL_UPDATE);
	ImportBegin(&import);
	for (int i = 0; i < n; i++)
	{
		text	   *line = nulls[i] ? NULL : DatumGetTextPP(lines[i]);

		if (line != NULL)
			AddImportLine(&import, VARDATA_ANY(line), VARSIZE_ANY_EXHDR(line));
		else
			AddImportLine(&import, "", 0);
	}
	ImportEnd(&import);
	StoreClose(&store);
	return ImportResult(&import, fcinfo);
}
