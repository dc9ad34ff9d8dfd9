/*
 * archive_bulk.c
 *	  Puts the items of files in many transactions, each item with its own condition.
 *
 * The lines of the files are put in batches.  A batch is one transaction, together
 * with the position that has been reached, so that a worker that was lost is
 * followed by one that goes on from there: no line is put twice, and none is left
 * out.  A batch with a line that fails is put again in halves, as an import does; one
 * that others were in the way of, as in a deadlock, is put again as a whole.
 *
 * Reports are appended to files as they arise (archive_report.h).
 */
#include "postgres.h"

#include <sys/stat.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "archive/archive.h"
#include "archive/archive_filter.h"
#include "archive/archive_report.h"
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

#define BATCH_LINES		1000
#define BATCH_BYTES		(1024 * 1024)

/* After so many lines the worker looks whether the operation is cancelled, even if it puts none. */
#define LINES_UNTIL_LOOK	(1000 * 1000)

/* The items of conditions that were not met can be larger than their lines: a transaction ends after so many bytes. */
#define REPORT_BYTES	(16 * 1024 * 1024)

/* The pause after a batch that others were in the way of, in milliseconds. */
#define BUSY_MILLISECONDS	100

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
	int			taken;			/* of these, until a report was long */
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
FreeResult(const BulkResult *result)
{
	pfree(result->error_lines.data);
	pfree(result->unmet_lines.data);
}

static void
PutBulkLines(void *arg)
{
	BulkLines  *some = arg;

	for (some->taken = 0; some->taken < some->n && some->result->unmet_lines.len < REPORT_BYTES; some->taken++)
	{
		MemoryContext caller = MemoryContextSwitchTo(some->state->line_context);

		PutBulkLine(some->state, &some->lines[some->taken], some->result);
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

/*
 * Returns how many of the lines were taken: not all, if a report is long.  Recursion is limited
 * to the number of times that a batch can be halved.
 */
static int
PutSkippingErrors(BulkRunState *state, const BulkLine *lines, int n, BulkResult *sum)
{
	BulkResult	result;
	BulkLines	some = {state, lines, n, 0, &result};
	ErrorData  *error;
	int			taken;

	if (n == 0 || sum->unmet_lines.len >= REPORT_BYTES)
		return 0;
	InitResult(&result);
	error = TryInSubtransaction(PutBulkLines, &some);
	if (error == NULL)
		AddResult(sum, &result);
	FreeResult(&result);
	if (error == NULL)
		return some.taken;
	StoreForgetPartitions(&state->store);
	MemoryContextReset(state->line_context);
	if (!IsErrorOfLine(error->sqlerrcode))
		ReThrowError(error);
	if (n == 1)
	{
		ReportError(state, sum, lines, error->message);
		return 1;
	}
	taken = PutSkippingErrors(state, lines, n / 2, sum);
	return taken < n / 2 ? taken : taken + PutSkippingErrors(state, lines + n / 2, n - n / 2, sum);
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

static void
PauseBulk(long milliseconds)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, milliseconds, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
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
		PauseBulk((long) Min(wait, 1000));
		wait = (double) units * 1000 / (double) job->units - (double) (GetCurrentTimestamp() - began) / 1000;
	}
}

/* A step of TryInSubtransaction. */
static void
PutBatch(void *arg)
{
	BulkLines  *batch = arg;

	batch->taken = PutSkippingErrors(batch->state, batch->lines, batch->n, batch->result);
}

/* Puts lines into the table; false if others were in the way, and none is put. */
static bool
PutIntoTable(BulkLines *batch)
{
	BulkRunState *state = batch->state;
	OwnerScope	scope;
	ErrorData  *error;

	InitResult(batch->result);
	JobEnterTable(state->job, &scope, &state->store, ACL_SELECT | ACL_INSERT | ACL_UPDATE);
	error = TryInSubtransaction(PutBatch, batch);
	if (error != NULL)
		StoreForgetPartitions(&state->store);
	JobLeaveTable(&scope, &state->store);
	if (error != NULL && !ErrorMayPass(error))
		ReThrowError(error);
	return error == NULL;
}

/* Counts and reports what a batch has done, and stores that the file was read up to a line. */
static void
StoreProgress(BulkRunState *state, const BulkResult *sum, const char *path, int64 line, int64 bytes)
{
	Job		   *job = state->job;

	CountResult(job, sum);
	if (ReportIsWanted(job, "ERROR"))
		ReportAppend(state->output, ERROR_REPORT, &job->error_bytes, &sum->error_lines);
	if (ReportIsWanted(job, "CONDITION_CHECK_FAILURE"))
		ReportAppend(state->output, CONDITION_REPORT, &job->condition_bytes, &sum->unmet_lines);
	job->file = MemoryContextStrdup(state->context, path);
	job->line = line;
	job->bytes = bytes;
	job->attempts = 0;
	JobProgress(job);
}

/* In a transaction. */
static bool
IsCancelled(const Job *job)
{
	const Job  *stored = JobRead(job->id);

	return stored == NULL || !JobHasStatus(stored, JOB_RUNNING);
}

/* Between the transactions that put lines, which can be far apart: lines are empty, or were put before. */
static void
NoteCancellation(BulkRunState *state)
{
	BeginJobTransaction();
	state->cancelled = IsCancelled(state->job);
	CommitJobTransaction();
	MemoryContextSwitchTo(state->context);
}

/* One transaction, which puts the lines from one on; returns how many of them. */
static int
CommitLines(BulkRunState *state, int from, const char *path, int64 line, int64 bytes)
{
	TimestampTz began = GetCurrentTimestamp();
	BulkResult	sum;
	BulkLines	batch = {state, state->lines + from, state->nlines - from, 0, &sum};
	int64		units = 0;
	bool		busy = false;

	BeginJobTransaction();
	MemoryContextSwitchTo(state->batch_context);
	state->cancelled = IsCancelled(state->job);
	if (!state->cancelled)
	{
		busy = !PutIntoTable(&batch);
		if (busy)
			batch.taken = 0;
		else
			StoreProgress(state, &sum, path, batch.taken < batch.n ? batch.lines[batch.taken - 1].number : line, bytes);
		units = busy ? 0 : sum.units;
		FreeResult(&sum);
	}
	CommitJobTransaction();
	MemoryContextSwitchTo(state->context);
	if (busy)
		PauseBulk(BUSY_MILLISECONDS);
	AwaitUnits(state->job, units, began);
	return batch.taken;
}

/* Puts the lines of a batch; they have been read when the file was read up to a line. */
static void
CommitBatch(BulkRunState *state, const char *path, int64 line, int64 bytes)
{
	int			taken = 0;

	do
		taken += CommitLines(state, taken, path, line, bytes);
	while (taken < state->nlines && !state->cancelled);
	MemoryContextReset(state->batch_context);
	state->nlines = 0;
	state->batch_bytes = 0;
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
		if (number % LINES_UNTIL_LOOK == 0)
			NoteCancellation(state);
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

/*
 * Whether a file is a report or a manifest, by the part of its path below the prefix: those of
 * operations lie there if input and output have one prefix.  A prefix that names the folder of an
 * operation reads its reports.
 */
static bool
IsReport(const char *path)
{
	const char *top = strstr(path, "/" TREE_TOP "/");
	const char *id = top == NULL ? NULL : top + strlen("/" TREE_TOP "/");
	const char *name = id == NULL ? NULL : strchr(id, '/');

	if (name == NULL || strncmp(id, TREE_DATA "/", strlen(TREE_DATA "/")) == 0)
		return false;
	name++;
	return strchr(name, '/') == NULL || strncmp(name, ERROR_REPORT "/", strlen(ERROR_REPORT "/")) == 0 ||
		strncmp(name, CONDITION_REPORT "/", strlen(CONDITION_REPORT "/")) == 0;
}

/* Leaves out reports, also those that an earlier worker of this operation has begun. */
static List *
WithoutReports(const BulkRunState *state, const char *directory, List *files)
{
	char	   *own = psprintf("%s/", state->output);
	ListCell   *cell;

	foreach(cell, files)
	{
		const char *path = lfirst(cell);

		if (strncmp(path, own, strlen(own)) == 0 || IsReport(path + strlen(directory)))
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
	if (directory != NULL)
		files = WithoutReports(state, directory, files);
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
	ReportsFinish(job, state->output);
	job->status = state->cancelled ? JOB_CANCELLED : JOB_COMPLETED;
	job->ended = SettingsTime();
	if (state->cancelled)
	{
		job->failure_code = "Cancelled";
		job->failure_message = "The bulk operation was cancelled. Items that were written remain.";
	}
	JobUpdate(job);
	CommitJobTransaction();
	ReportsRemoveLines(state->output);
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
