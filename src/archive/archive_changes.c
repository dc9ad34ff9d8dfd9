/*
 * archive_changes.c
 *	  Incremental exports: what has changed in a table between two times.
 *
 * Records are sorted by the keys of their items, on disk if they are many.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/tuplesort.h"

#include "archive/archive_changes.h"
#include "archive/archive_past.h"
#include "compat.h"
#include "errors.h"
#include "item/json.h"
#include "security/settings_owner.h"
#include "stream/stream.h"

enum
{
	CHANGE_KEYS = 1,
	CHANGE_NUMBER,
	CHANGE_TIME,
	CHANGE_NEW,
	CHANGE_OLD,
	CHANGE_COLUMNS = CHANGE_OLD
};

#define CHANGE_SORT_KEYS	CHANGE_NUMBER

/* The records, as they are collected. */
typedef struct Changes
{
	int64		until;
	Tuplesortstate *state;
	TupleTableSlot *input;
	TupleTableSlot *output;
	MemoryContext context;		/* of one record */
} Changes;

/* What has become of an item; images are NULL where there was none. */
typedef struct NetChange
{
	struct varlena *keys;		/* NULL before the first item */
	struct varlena *before;
	struct varlena *after;
	int64		time;
	MemoryContext context;		/* of all of these */
} NetChange;

/* ---- collecting ---- */

static void
BeginChanges(Changes *changes, int64 until)
{
	AttrNumber	columns[] = {CHANGE_KEYS, CHANGE_NUMBER};
	Oid			operators[] = {ByteaLessOperator, Int8LessOperator};
	Oid			collations[] = {InvalidOid, InvalidOid};
	bool		nulls_first[] = {false, false};
	TupleDesc	desc = CreateTemplateTupleDesc(CHANGE_COLUMNS);

	TupleDescInitEntry(desc, CHANGE_KEYS, "keys", BYTEAOID, -1, 0);
	TupleDescInitEntry(desc, CHANGE_NUMBER, "number", INT8OID, -1, 0);
	TupleDescInitEntry(desc, CHANGE_TIME, "time", INT8OID, -1, 0);
	TupleDescInitEntry(desc, CHANGE_NEW, "new_item", BYTEAOID, -1, 0);
	TupleDescInitEntry(desc, CHANGE_OLD, "old_item", BYTEAOID, -1, 0);
	CompleteTupleDesc(desc);
	changes->until = until;
	changes->state = tuplesort_begin_heap(desc, CHANGE_SORT_KEYS, columns, operators, collations, nulls_first,
										  maintenance_work_mem, NULL, TUPLESORT_NONE);
	changes->input = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	changes->output = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	changes->context = AllocSetContextCreate(CurrentMemoryContext, "dynamo change", ALLOCSET_DEFAULT_SIZES);
}

static void
EndChanges(Changes *changes)
{
	ExecDropSingleTupleTableSlot(changes->input);
	ExecDropSingleTupleTableSlot(changes->output);
	tuplesort_end(changes->state);
	MemoryContextDelete(changes->context);
}

/* An item has the bytes of a bytea. */
static void
SetImage(TupleTableSlot *slot, int column, Datum item, bool present)
{
	slot->tts_isnull[column - 1] = !present;
	slot->tts_values[column - 1] = present ? PointerGetDatum(PG_DETOAST_DATUM(item)) : (Datum) 0;
}

static void
TakeChange(void *arg, const StreamRecord *record)
{
	Changes    *changes = arg;
	TupleTableSlot *slot = changes->input;
	MemoryContext caller;

	CHECK_FOR_INTERRUPTS();
	if (record->created_at + EPOCH_SHIFT >= changes->until)
		return;
	caller = MemoryContextSwitchTo(changes->context);
	ExecClearTuple(slot);
	if (!record->has_keys || (!record->has_new && !record->has_old))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("record %s of the stream has no keys or no image", SequenceNumberText(record->number))));
	SetImage(slot, CHANGE_KEYS, record->keys, true);
	slot->tts_isnull[CHANGE_NUMBER - 1] = false;
	slot->tts_values[CHANGE_NUMBER - 1] = Int64GetDatum(record->number);
	slot->tts_isnull[CHANGE_TIME - 1] = false;
	slot->tts_values[CHANGE_TIME - 1] = Int64GetDatum(record->created_at + EPOCH_SHIFT);
	SetImage(slot, CHANGE_NEW, record->new_item, record->has_new);
	SetImage(slot, CHANGE_OLD, record->old_item, record->has_old);
	ExecStoreVirtualTuple(slot);
	MemoryContextSwitchTo(caller);
	tuplesort_puttupleslot(changes->state, slot);
	ExecClearTuple(slot);
	MemoryContextReset(changes->context);
}

/* ---- writing ---- */

static void
AppendImage(StringInfo line, const char *name, struct varlena *item)
{
	if (item == NULL)
		return;
	appendStringInfo(line, ",\"%s\":", name);
	ItemToJson(line, ItemRoot(item));
}

static void
WriteNetChange(Export *export, const Job *job, const NetChange *net)
{
	StringInfo	line = &export->line;

	if (net->keys == NULL)
		return;
	resetStringInfo(line);
	appendStringInfo(line, "{\"Metadata\":{\"WriteTimestampMicros\":\"" INT64_FORMAT "\"}", net->time);
	AppendImage(line, "Keys", net->keys);
	AppendImage(line, "NewImage", net->after);
	if (strcmp(job->images, IMAGES_BOTH) == 0)
		AppendImage(line, "OldImage", net->before);
	appendStringInfoString(line, "}\n");
	export->write(export->arg, line->data, line->len);
	export->items++;
	export->bytes += line->len;
}

/* Returns a copy of an image of the sorted record; NULL if it has none. */
static struct varlena *
CopyImage(TupleTableSlot *slot, int column, MemoryContext context)
{
	bool		isnull;
	Datum		image = slot_getattr(slot, column, &isnull);
	MemoryContext caller;
	struct varlena *copy;

	if (isnull)
		return NULL;
	caller = MemoryContextSwitchTo(context);
	copy = PG_DETOAST_DATUM_COPY(image);
	MemoryContextSwitchTo(caller);
	return copy;
}

static bool
IsOfKeys(TupleTableSlot *slot, const struct varlena *keys)
{
	bool		isnull;
	struct varlena *bytes = (struct varlena *) DatumGetPointer(slot_getattr(slot, CHANGE_KEYS, &isnull));

	return keys != NULL && VARSIZE_ANY_EXHDR(bytes) == VARSIZE_ANY_EXHDR(keys) &&
		memcmp(VARDATA_ANY(bytes), VARDATA_ANY(keys), VARSIZE_ANY_EXHDR(keys)) == 0;
}

/* Adds the next record, which is of the same item or begins another one. */
static void
AddChange(Export *export, const Job *job, NetChange *net, TupleTableSlot *slot)
{
	bool		isnull;

	if (!IsOfKeys(slot, net->keys))
	{
		WriteNetChange(export, job, net);
		MemoryContextReset(net->context);
		net->keys = CopyImage(slot, CHANGE_KEYS, net->context);
		net->before = CopyImage(slot, CHANGE_OLD, net->context);
		net->after = NULL;
	}
	if (net->after != NULL)
		pfree(net->after);
	net->after = CopyImage(slot, CHANGE_NEW, net->context);
	net->time = DatumGetInt64(slot_getattr(slot, CHANGE_TIME, &isnull));
}

static void
WriteChanges(Export *export, const Job *job, Changes *changes)
{
	NetChange	net = {0};

	net.context = AllocSetContextCreate(CurrentMemoryContext, "dynamo net change", ALLOCSET_DEFAULT_SIZES);
	tuplesort_performsort(changes->state);
	while (tuplesort_gettupleslot(changes->state, true, false, changes->output, NULL))
	{
		CHECK_FOR_INTERRUPTS();
		AddChange(export, job, &net, changes->output);
	}
	WriteNetChange(export, job, &net);
	MemoryContextDelete(net.context);
}

/* ---- the stream ---- */

void
CheckChangesAreRecorded(Relation rel)
{
	TableStream stream;

	if (TableStreamOf(rel, &stream) && !StreamViewHasNew(stream.view))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("Invalid Request: an incremental export needs a stream with the view type NEW_AND_OLD_IMAGES, and that of the table has %s",
						stream.view)));
}

/* Waits for the transactions that may have written records of the time to export. */
static void
WaitForRecorders(Relation records)
{
	LOCKTAG		tag;

	SET_LOCKTAG_RELATION(tag, MyDatabaseId, RelationGetRelid(records));
	WaitForLockers(tag, ShareLock, false);
}

static void
RaiseChangesAreLost(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_INVALID_EXPORT_TIME),
			 errmsg("The changes of the table since ExportFromTime are not recorded any more")));
}

void
ChangesExport(const Job *job, const Store *store, Export *export)
{
	TableStream stream;
	Relation	records = PastRecordsOpen(store->rel, &stream);
	Snapshot	snapshot;
	Changes		changes;

	CheckChangesAreRecorded(store->rel);
	if (records == NULL)
		RaiseChangesAreLost();
	WaitForRecorders(records);
	snapshot = RegisterSnapshot(GetLatestSnapshot());
	if (PastRecordsSince(records, &stream, snapshot) > job->since)
		RaiseChangesAreLost();
	initStringInfo(&export->line);
	export->begin(export->arg);
	BeginChanges(&changes, job->moment);
	StreamReadBack(records, snapshot, job->since - EPOCH_SHIFT - 1, TakeChange, &changes);
	WriteChanges(export, job, &changes);
	EndChanges(&changes);
	UnregisterSnapshot(snapshot);
	table_close(records, NoLock);
}
