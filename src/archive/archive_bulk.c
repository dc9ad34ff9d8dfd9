/*
 * archive_bulk.c
 *	  Puts the items of files in many transactions, each item with its own condition.
 *
 * The lines of the files are put in batches.  A batch is one transaction, together
 * with the position that has been reached, so that a worker that was lost is
 * followed by one that goes on from there: no line is put twice, and none is left
 * out.  A batch with a line that fails is put again in halves, as an import does.
 *
 * Reports are appended to files as they arise.  How long these are is stored with
 * the batch: what a transaction that did not commit has appended is cut off by the
 * next one.
 *
 *	<prefix>/AWSDynamoDB/<id>/error.lines				as they arise
 *							 /error/1.json.gz			at the end
 *							 /condition-check-failure/1.json.gz
 *							 /manifest-summary.json
 */
#include "postgres.h"

#include <sys/stat.h>
#include <unistd.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "archive/archive.h"
#include "archive/archive_filter.h"
#include "archive/archive_worker.h"
#include "errors.h"
#include "item/json.h"
#include "op/write.h"
#include "security/settings_owner.h"
#include "subtransaction.h"
#include "transfer/bulk.h"
#include "transfer/export_tree.h"
#include "transfer/files.h"
#include "transfer/input.h"
#include "transfer/output.h"

#define BATCH_LINES		1000
#define BATCH_BYTES		(1024 * 1024)

#define ERROR_REPORT		"error"
#define CONDITION_REPORT	"condition-check-failure"

typedef struct BulkLine
{
	char	   *text;
	uint32		len;
	int64		number;			/* in the file, from 1 */
} BulkLine;

/* What some lines have done. */
typedef struct BulkResult
{
	int64		put;
	int64		put_bytes;
	int64		units;
	int64		unmet;			/* conditions */
	int64		errors;
	StringInfoData error_lines;
	StringInfoData unmet_lines;
} BulkResult;

typedef struct BulkRunState
{
	Job		   *job;
	MemoryContext context;
	MemoryContext batch_context;	/* the lines of a batch; reset after each */
	MemoryContext line_context;
	char	   *output;			/* directory of the reports */
	const char *key;			/* of the current file, below its bucket */
	Store		store;
	BulkLine   *lines;
	int			nlines;
	Size		batch_bytes;
	int64		bytes_before;	/* of the files before the current one */
	bool		cancelled;
} BulkRunState;

/* ---- one line ---- */

typedef struct BulkPut
{
	PreparedWrite write;
	bool		met;
	struct varlena *existing;	/* if the condition was not met: the item, or NULL */
} BulkPut;

static struct varlena *
ReadItemMember(JsonReader *r)
{
	ItemBuilder *builder = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);

	ReadItemJson(r, builder);
	return ItemBuilderFinish(builder);
}

/* Reads {"Item": {...}, "ConditionExpression": ..., ...}. */
static void
ReadBulkLine(const BulkLine *line, WriteOp *op)
{
	JsonReader	r;
	Slice		name;

	memset(op, 0, sizeof(*op));
	op->kind = WRITE_KIND_PUT;
	op->args.values = MISSING_VALUE;
	JsonReaderInit(&r, line->text, line->len);
	JsonBeginObject(&r);
	while (JsonNextMember(&r, &name))
	{
		if (SliceIs(name, "Item"))
			op->datum = ReadItemMember(&r);
		else if (JsonPeek(&r) == JSON_NULL)
			JsonSkipValue(&r);
		else if (SliceIs(name, "ConditionExpression"))
			op->condition = (ExprText) {true, JsonString(&r)};
		else if (!ReadExprMember(&r, name, &op->args))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					 errmsg("unknown member \"%.*s\" of a record", (int) name.len, name.data)));
	}
	JsonEnd(&r);
	if (op->datum == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("record has no member \"Item\"")));
	op->item = ItemRoot(op->datum);
}

static WriteAction
DecideBulkPut(void *arg, ValueRef old, struct varlena **item)
{
	BulkPut    *put = arg;

	put->met = WriteCondition(&put->write, old);
	put->existing = put->met || ValueIsMissing(old) ? NULL : ValueCopy(old);
	return put->met ? WriteApply(&put->write, old, item, NULL) : WRITE_NOTHING;
}

static void
ReportUnmet(BulkResult *result, const WriteOp *op, const struct varlena *existing)
{
	StringInfo	out = &result->unmet_lines;

	appendStringInfoString(out, "{\"Item\":");
	ItemToJson(out, op->item);
	if (existing != NULL)
	{
		appendStringInfoString(out, ",\"ExistingItem\":");
		ItemToJson(out, ItemRoot(unconstify(struct varlena *, existing)));
	}
	appendStringInfoString(out, "}\n");
}

static void
PutBulkLine(BulkRunState *state, const BulkLine *line, BulkResult *result)
{
	BulkPut		put = {.met = true};
	WriteOp		op;
	struct varlena *stored;
	uint64		size;

	CHECK_FOR_INTERRUPTS();
	ReadBulkLine(line, &op);
	CheckItemSize(op.item);
	WriteBind(&put.write, &op);
	(void) WriteCompose(&put.write, &state->store, NULL);
	(void) WriteBindTable(&put.write, NULL);
	WriteBring(&put.write, &state->store);
	if (put.write.condition != NULL)
		(void) StoreWrite(&state->store, &put.write.key, true, DecideBulkPut, &put, &stored);
	else
		(void) StorePut(&state->store, &put.write.key, put.write.need_old, DecideBulkPut, &put, &stored);
	size = ItemSize(op.item);
	result->units += (int64) (size + 1023) / 1024;
	if (put.met)
	{
		result->put++;
		result->put_bytes += (int64) size;
		return;
	}
	result->unmet++;
	ReportUnmet(result, &op, put.existing);
}

/* ---- some lines ---- */

typedef struct BulkLines
{
	BulkRunState *state;
	const BulkLine *lines;
	int			n;
	BulkResult *result;
} BulkLines;

static void
InitResult(BulkResult *result)
{
	memset(result, 0, sizeof(*result));
	initStringInfo(&result->error_lines);
	initStringInfo(&result->unmet_lines);
}

static void
AddResult(BulkResult *sum, const BulkResult *result)
{
	sum->put += result->put;
	sum->put_bytes += result->put_bytes;
	sum->units += result->units;
	sum->unmet += result->unmet;
	appendBinaryStringInfo(&sum->unmet_lines, result->unmet_lines.data, result->unmet_lines.len);
}

static void
PutBulkLines(void *arg)
{
	const BulkLines *some = arg;

	for (int i = 0; i < some->n; i++)
	{
		MemoryContext caller = MemoryContextSwitchTo(some->state->line_context);

		PutBulkLine(some->state, &some->lines[i], some->result);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(some->state->line_context);
	}
	StoreClosePartitions(&some->state->store);
}

static bool
IsErrorOfLine(int sqlstate)
{
	return sqlstate == ERRCODE_DYNAMO_VALIDATION ||
		sqlstate == ERRCODE_DYNAMO_SERIALIZATION ||
		sqlstate == ERRCODE_PROGRAM_LIMIT_EXCEEDED ||
		sqlstate == ERRCODE_RAISE_EXCEPTION ||
		ERRCODE_TO_CATEGORY(sqlstate) == ERRCODE_DATA_EXCEPTION ||
		ERRCODE_TO_CATEGORY(sqlstate) == ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION;
}

static void
ReportError(const BulkRunState *state, BulkResult *sum, const BulkLine *line, const char *message)
{
	StringInfo	out = &sum->error_lines;

	sum->errors++;
	appendStringInfoString(out, "{\"itemS3Pointer\":{\"bucket\":");
	JsonAppendString(out, state->job->bucket, strlen(state->job->bucket));
	appendStringInfoString(out, ",\"key\":");
	JsonAppendString(out, state->key, strlen(state->key));
	appendStringInfo(out, ",\"itemIndex\":" INT64_FORMAT "},\"errorMessages\":[", line->number - 1);
	JsonAppendString(out, message, strlen(message));
	appendStringInfoString(out, "]}\n");
}

/* Recursion is limited to the number of times that a batch can be halved. */
static void
PutSkippingErrors(BulkRunState *state, const BulkLine *lines, int n, BulkResult *sum)
{
	BulkResult	result;
	BulkLines	some = {state, lines, n, &result};
	ErrorData  *error;

	if (n == 0)
		return;
	InitResult(&result);
	error = TryInSubtransaction(PutBulkLines, &some);
	if (error == NULL)
	{
		AddResult(sum, &result);
		return;
	}
	StoreForgetPartitions(&state->store);
	MemoryContextReset(state->line_context);
	if (!IsErrorOfLine(error->sqlerrcode))
		ReThrowError(error);
	if (n == 1)
		ReportError(state, sum, lines, error->message);
	else
	{
		PutSkippingErrors(state, lines, n / 2, sum);
		PutSkippingErrors(state, lines + n / 2, n - n / 2, sum);
	}
}

/* ---- reports ---- */

static bool
IsReported(const Job *job, const char *category)
{
	return job->outputs != NULL && strstr(job->outputs, psprintf("%s,", category)) != NULL;
}

static char *
LinesFile(const BulkRunState *state, const char *report)
{
	return psprintf("%s/%s.lines", state->output, report);
}

static void ReportFileError(const char *path) pg_attribute_noreturn();

static void
ReportFileError(const char *path)
{
	ereport(ERROR,
			(errcode_for_file_access(),
			 errmsg("could not write file \"%s\": %m", path)));
}

/* Appends to a report behind what committed batches have written. */
static void
AppendReport(const BulkRunState *state, const char *report, int64 *length, const StringInfoData *text)
{
	char	   *path = LinesFile(state, report);
	struct stat status;
	FILE	   *file;

	if (text->len == 0)
		return;
	if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a regular file", path)));
	file = AllocateFile(path, *length > 0 ? "r+b" : "wb");
	if (file == NULL || ftruncate(fileno(file), (off_t) *length) != 0 || fseeko(file, (off_t) *length, SEEK_SET) != 0 ||
		fwrite(text->data, 1, text->len, file) != (size_t) text->len || fflush(file) != 0 || pg_fsync(fileno(file)) != 0)
		ReportFileError(path);
	if (FreeFile(file) != 0)
		ReportFileError(path);
	*length += text->len;
}

/* Makes the compressed file of a report; an earlier worker may have begun it. */
static void
CompressReport(const BulkRunState *state, const char *report, int64 length)
{
	char	   *directory = psprintf("%s/%s", state->output, report);
	char	   *path = psprintf("%s/1.json.gz", directory);
	char	   *chunk = palloc(INPUT_BUFFER);
	OutputFile *output;
	FILE	   *file;

	if (length == 0)
		return;
	TreeDirectory(directory);
	if (unlink(path) != 0 && errno != ENOENT)
		ReportFileError(path);
	file = OpenRegularFile(LinesFile(state, report));
	output = OutputCreate(path, true);
	while (length > 0)
	{
		size_t		n = fread(chunk, 1, (size_t) Min(length, INPUT_BUFFER), file);

		if (n == 0)
			ReportFileError(LinesFile(state, report));
		OutputWrite(output, chunk, n);
		length -= (int64) n;
	}
	OutputClose(output, NULL);
	FreeFile(file);
}

static void
WriteBulkManifest(const BulkRunState *state)
{
	const Job  *job = state->job;
	char	   *path = psprintf("%s/manifest-summary.json", state->output);
	StringInfoData out;
	OutputFile *output;

	initStringInfo(&out);
	appendStringInfoString(&out, "{\"bulkOperationArn\":");
	JsonAppendString(&out, job->arn, strlen(job->arn));
	appendStringInfo(&out, ",\"processedItemCount\":" INT64_FORMAT ",\"failedItemCount\":" INT64_FORMAT
					 ",\"conditionCheckFailureCount\":" INT64_FORMAT "}\n",
					 job->processed, job->errors, job->processed - job->items - job->errors);
	if (unlink(path) != 0 && errno != ENOENT)
		ReportFileError(path);
	output = OutputCreate(path, false);
	OutputWrite(output, out.data, out.len);
	OutputClose(output, NULL);
}

static void
FinishReports(const BulkRunState *state)
{
	CompressReport(state, ERROR_REPORT, state->job->error_bytes);
	CompressReport(state, CONDITION_REPORT, state->job->condition_bytes);
	WriteBulkManifest(state);
}

static void
RemoveLines(const BulkRunState *state)
{
	(void) unlink(LinesFile(state, ERROR_REPORT));
	(void) unlink(LinesFile(state, CONDITION_REPORT));
}

/* ---- batches ---- */

static void
CountResult(Job *job, const BulkResult *sum)
{
	job->items += sum->put;
	job->put_bytes += sum->put_bytes;
	job->errors += sum->errors;
	job->processed += sum->put + sum->errors + sum->unmet;
}

/* Waits so that no more is written in a second than the operation may. */
static void
AwaitUnits(const Job *job, int64 units, TimestampTz began)
{
	double		wait;

	if (job->units == 0)
		return;
	wait = (double) units * 1000 / (double) job->units - (double) (GetCurrentTimestamp() - began) / 1000;
	while (wait >= 1)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, (long) Min(wait, 1000), PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		wait = (double) units * 1000 / (double) job->units - (double) (GetCurrentTimestamp() - began) / 1000;
	}
}

/* Puts the lines of a batch, and stores with them that the file was read up to a line. */
static void
CommitBatch(BulkRunState *state, const char *path, int64 line, int64 bytes)
{
	TimestampTz began = GetCurrentTimestamp();
	Job		   *job = state->job;
	const Job  *stored;
	OwnerScope	scope;
	BulkResult	sum;

	BeginJobTransaction();
	MemoryContextSwitchTo(state->batch_context);
	stored = JobRead(job->id);
	state->cancelled = stored == NULL || !JobHasStatus(stored, JOB_RUNNING);
	InitResult(&sum);
	if (!state->cancelled)
	{
		JobEnterTable(job, &scope, &state->store, ACL_SELECT | ACL_INSERT | ACL_UPDATE);
		PutSkippingErrors(state, state->lines, state->nlines, &sum);
		JobLeaveTable(&scope, &state->store);
		CountResult(job, &sum);
		if (IsReported(job, "ERROR"))
			AppendReport(state, ERROR_REPORT, &job->error_bytes, &sum.error_lines);
		if (IsReported(job, "CONDITION_CHECK_FAILURE"))
			AppendReport(state, CONDITION_REPORT, &job->condition_bytes, &sum.unmet_lines);
		job->file = MemoryContextStrdup(state->context, path);
		job->line = line;
		job->bytes = bytes;
		JobProgress(job);
	}
	CommitJobTransaction();
	MemoryContextSwitchTo(state->context);
	MemoryContextReset(state->batch_context);
	state->nlines = 0;
	state->batch_bytes = 0;
	AwaitUnits(job, sum.units, began);
}

static void
AddBulkLine(BulkRunState *state, const char *text, Size len, int64 number)
{
	BulkLine   *line = &state->lines[state->nlines++];

	line->text = MemoryContextAlloc(state->batch_context, len + 1);
	memcpy(line->text, text, len);
	line->len = (uint32) len;
	line->number = number;
	state->batch_bytes += len;
}

/* ---- files ---- */

static bool
IsEmptyBulkLine(const char *text, Size len)
{
	while (len > 0 && memchr(" \t\r\n", text[len - 1], 4) != NULL)
		len--;
	return len == 0;
}

/*
 * The end of a transaction would close a file of AllocateFile.  This one is closed at
 * the end of the worker after an error.
 */
static FILE *
OpenAcrossTransactions(const char *path)
{
	struct stat status;
	FILE	   *file;

	if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode) || (file = fopen(path, PG_BINARY_R)) == NULL)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not open file \"%s\": %m", path)));
	return file;
}

static void
PutFile(BulkRunState *state, const char *path, InputCompression compression)
{
	Job		   *job = state->job;
	FILE	   *file = OpenAcrossTransactions(path);
	InputFile  *input = InputBegin(file, path, compression);
	int64		taken = job->file != NULL && strcmp(job->file, path) == 0 ? job->line : 0;
	int64		number = 0;
	StringInfoData line;

	initStringInfo(&line);
	while (!state->cancelled && InputLine(input, &line))
	{
		const char *text = line.data;
		Size		len = line.len;

		SkipByteOrderMark(&text, &len);
		if (++number > taken && !IsEmptyBulkLine(text, len))
			AddBulkLine(state, text, len, number);
		resetStringInfo(&line);
		if (state->nlines == BATCH_LINES || state->batch_bytes >= BATCH_BYTES)
			CommitBatch(state, path, number, state->bytes_before + input->bytes);
	}
	if (!state->cancelled)
		CommitBatch(state, path, PG_INT64_MAX, state->bytes_before + input->bytes);
	pfree(line.data);
	InputEnd(input);
	fclose(file);
}

static int64
BytesOfFile(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 ? status.st_size : 0;
}

/* Leaves out reports of this operation, which an earlier worker may have begun beside the files. */
static List *
WithoutReports(const BulkRunState *state, List *files)
{
	char	   *reports = psprintf("%s/", state->output);
	ListCell   *cell;

	foreach(cell, files)
	{
		if (strncmp(lfirst(cell), reports, strlen(reports)) == 0)
			files = foreach_delete_current(files, cell);
	}
	return files;
}

/* Finds the files, and makes the directory of the reports. */
static List *
PrepareBulk(BulkRunState *state)
{
	Job		   *job = state->job;
	MemoryContext caller;
	List	   *files = NIL;
	char	   *directory;
	char	   *rest;
	ListCell   *cell;

	BeginJobTransaction();
	caller = MemoryContextSwitchTo(state->context);
	directory = PlaceToRead(job->directory, job->bucket, job->prefix, &rest);
	if (directory != NULL)
		files = FilesBelow(directory, rest);
	state->output = psprintf("%s/" TREE_TOP, PlaceToWrite(job->directory, job->output_bucket, job->output_prefix));
	TreeDirectory(state->output);
	state->output = psprintf("%s/%s", state->output, job->id);
	TreeDirectory(state->output);
	files = WithoutReports(state, files);
	job->expected = 0;
	foreach(cell, files)
		job->expected += BytesOfFile(lfirst(cell));
	JobProgress(job);
	MemoryContextSwitchTo(caller);
	CommitJobTransaction();
	MemoryContextSwitchTo(state->context);
	return files;
}

static void
EndBulk(BulkRunState *state)
{
	Job		   *job = state->job;

	BeginJobTransaction();
	MemoryContextSwitchTo(state->batch_context);
	FinishReports(state);
	job->status = state->cancelled ? JOB_CANCELLED : JOB_COMPLETED;
	job->ended = SettingsTime();
	if (state->cancelled)
	{
		job->failure_code = "Cancelled";
		job->failure_message = "The bulk operation was cancelled. Items that were written remain.";
	}
	JobUpdate(job);
	CommitJobTransaction();
	RemoveLines(state);
}

void
BulkRun(Job *job, MemoryContext context)
{
	BulkRunState state = {.job = job, .context = context};
	Size		bucket;
	List	   *files;
	ListCell   *cell;

	MemoryContextSwitchTo(context);
	state.batch_context = AllocSetContextCreate(context, "dynamo bulk batch", ALLOCSET_DEFAULT_SIZES);
	state.line_context = AllocSetContextCreate(context, "dynamo bulk line", ALLOCSET_DEFAULT_SIZES);
	state.lines = palloc(sizeof(BulkLine) * BATCH_LINES);
	state.cancelled = JobHasStatus(job, JOB_CANCELLING);
	files = PrepareBulk(&state);
	bucket = strlen(job->directory) + 1 + strlen(job->bucket) + 1;
	foreach(cell, files)
	{
		const char *path = lfirst(cell);
		int			order = job->file != NULL ? strcmp(path, job->file) : 1;

		state.key = path + bucket;
		if (!state.cancelled && (order > 0 || (order == 0 && job->line != PG_INT64_MAX)))
			PutFile(&state, path, InputCompressionOf(job->compression));
		state.bytes_before += BytesOfFile(path);
	}
	EndBulk(&state);
}
