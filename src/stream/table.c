/*
 * table.c
 *	  The rows of a stream's table.
 *
 * They are written with the access method's own calls, as the entries of
 * index tables are.  stream.h says what the lock around number and row is for.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/index.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/xid8.h"

#include "catalog/objects.h"
#include "catalog/owner.h"
#include "compat.h"
#include "stream/stream.h"

/* ---- locks: the stream's table as an object, with subobjects ---- */

#define NUMBER_SUBOBJECT	2
#define TRIM_SUBOBJECT		3

static void
SetTag(LOCKTAG *tag, Oid stream, int subobject)
{
	SET_LOCKTAG_OBJECT(*tag, MyDatabaseId, RelationRelationId, stream, subobject);
}

void
StreamWaitForWriters(Oid stream)
{
	LOCKTAG		tag;

	SetTag(&tag, stream, NUMBER_SUBOBJECT);
	(void) LockAcquire(&tag, ExclusiveLock, false, false);
	LockRelease(&tag, ExclusiveLock, false);
}

bool
StreamLockForTrim(Oid stream, bool wait)
{
	LOCKTAG		tag;

	SetTag(&tag, stream, TRIM_SUBOBJECT);
	return LockAcquire(&tag, ExclusiveLock, false, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

/* ---- what is remembered of streams ---- */

/* A relation that was found to be a stream's table. */
typedef struct StreamEntry
{
	Oid			stream;			/* hash key */
	Oid			sequence;
	IndexInfo	info;			/* of the primary key; has nothing in memory of its own */
	int64		trimmed;		/* up to here once, as a row showed; or 0 */
	TransactionId trimmed_by;	/* that wrote the row, and committed */
} StreamEntry;

static HTAB *entries;

static void
ForgetStream(Datum arg, Oid relid)
{
	HASH_SEQ_STATUS status;
	StreamEntry *entry;

	hash_seq_init(&status, entries);
	while ((entry = hash_seq_search(&status)) != NULL)
	{
		if (!OidIsValid(relid) || entry->stream == relid || entry->sequence == relid)
			hash_search(entries, &entry->stream, HASH_REMOVE, NULL);
	}
}

static void
InitEntries(void)
{
	HASHCTL		ctl = {0};

	ctl.keysize = sizeof(Oid);
	ctl.entrysize = sizeof(StreamEntry);
	entries = hash_create("dynamo streams", 16, &ctl, HASH_ELEM | HASH_BLOBS);
	CacheRegisterRelcacheCallback(ForgetStream, (Datum) 0);
}

/* InvalidOid if there is not one: then nothing is appended. */
static Oid
SequenceOf(Relation stream)
{
	List	   *owned = getOwnedSequences(RelationGetRelid(stream));

	return list_length(owned) == 1 ? linitial_oid(owned) : InvalidOid;
}

/* The entry of an open stream; NULL if the relation is none. */
static const StreamEntry *
FindEntry(Relation stream)
{
	Oid			relid = RelationGetRelid(stream);
	StreamEntry *entry;
	StreamEntry new;
	Relation	pkey;

	if (entries == NULL)
		InitEntries();
	entry = hash_search(entries, &relid, HASH_FIND, NULL);
	if (entry != NULL)
		return entry;
	if (!IsStreamTable(stream))
		return NULL;
	memset(&new, 0, sizeof(new));
	new.stream = relid;
	new.sequence = SequenceOf(stream);
	pkey = index_open(PrimaryKeyIndex(stream), RowExclusiveLock);
	new.info = *BuildIndexInfo(pkey);
	index_close(pkey, NoLock);
	entry = hash_search(entries, &relid, HASH_ENTER, NULL);
	*entry = new;
	return entry;
}

/*
 * A snapshot that sees what that transaction did sees nothing before the
 * number: there are only the entries of rows that it deleted.
 */
int64
StreamTrimmedOnce(Oid stream, Snapshot snapshot)
{
	const StreamEntry *entry = entries == NULL ? NULL :
		hash_search(entries, &stream, HASH_FIND, NULL);

	return entry != NULL && TransactionIdPrecedes(entry->trimmed_by, snapshot->xmin) ?
		entry->trimmed : STREAM_BEGINNING;
}

void
StreamSawTrimmed(Oid stream, int64 number, TransactionId xid)
{
	StreamEntry *entry = entries == NULL ? NULL :
		hash_search(entries, &stream, HASH_FIND, NULL);

	if (entry == NULL || TransactionIdIsCurrentTransactionId(xid))
		return;
	entry->trimmed = number;
	entry->trimmed_by = xid;
}

/* ---- opening ---- */

/* Whether its primary key is the number, by which it is read. */
static bool
HasNumberKey(Relation rel)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(PrimaryKeyIndex(rel)));
	Form_pg_index form;
	bool		fits;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_index) GETSTRUCT(tuple);
	fits = form->indnkeyatts == 1 && form->indkey.values[0] == STREAM_NUMBER && form->indisvalid;
	ReleaseSysCache(tuple);
	return fits;
}

bool
IsStreamTable(Relation rel)
{
	TupleDesc	desc = RelationGetDescr(rel);
	const Oid	types[STREAM_NCOLUMNS] = {
		INT8OID, TIMESTAMPTZOID, XID8OID, CHAROID, InvalidOid, InvalidOid, InvalidOid
	};
	Oid			item = ItemTypeOid();

	if (rel->rd_rel->relkind != RELKIND_RELATION || desc->natts != STREAM_NCOLUMNS ||
		!HasNumberKey(rel) || !HasTriggerOf(rel, DynamoFunctionOid(FUNCTION_GUARD_STREAM)))
		return false;
	for (int i = 0; i < STREAM_NCOLUMNS; i++)
	{
		if (TupleDescAttr(desc, i)->atttypid != (OidIsValid(types[i]) ? types[i] : item))
			return false;
	}
	return true;
}

static void StreamIsMissing(Oid table, const char *stream_name) pg_attribute_noreturn();

static void
StreamIsMissing(Oid table, const char *stream_name)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("\"%s\" is not the stream of table \"%s\"",
					stream_name, get_rel_name(table)),
			 errdetail("A stream has its table's schema and owner, its own columns and the trigger dynamo.guard_stream."),
			 errhint("Use dynamo.disable_stream to go on without it.")));
}

/*
 * Indexes that its owner has added are written through the executor, as the
 * owner, whose expressions they may have.
 */
static void
OpenOtherIndexes(StreamTable *t)
{
	OwnerScope	scope;

	OwnerScopeEnter(&scope, t->rel->rd_rel->relowner);
	t->estate = CreateExecutorState();
	t->result = makeNode(ResultRelInfo);
	InitResultRelInfo(t->result, t->rel, 0, NULL, 0);
	ExecOpenIndices(t->result, false);
	OwnerScopeLeave(&scope);
}

void
StreamTableOpen(StreamTable *t, const TableDef *table, const char *stream_name)
{
	Oid			root = TableDefRoot(table);
	Oid			relid = get_relname_relid(stream_name, get_rel_namespace(root));

	t->rel = OidIsValid(relid) ? try_table_open(relid, RowExclusiveLock) : NULL;
	if (t->rel == NULL || FindEntry(t->rel) == NULL ||
		t->rel->rd_rel->relowner != RelationOwner(root))
		StreamIsMissing(root, stream_name);
	StreamTableInit(t, t->rel);
}

void
StreamTableInit(StreamTable *t, Relation stream)
{
	const StreamEntry *entry = FindEntry(stream);

	if (entry == NULL)
		elog(ERROR, "relation \"%s\" is no stream", RelationGetRelationName(stream));
	t->rel = stream;
	t->sequence = entry->sequence;
	t->info = palloc(sizeof(IndexInfo));
	*t->info = entry->info;
	t->info->ii_Context = CurrentMemoryContext;
	t->pkey = index_open(PrimaryKeyIndex(t->rel), RowExclusiveLock);
	t->slot = table_slot_create(t->rel, NULL);
	t->estate = NULL;
	if (HasOtherIndexes(t->rel))
		OpenOtherIndexes(t);
}

void
StreamTableRelease(StreamTable *t)
{
	if (t->estate != NULL)
	{
		ExecCloseIndices(t->result);
		FreeExecutorState(t->estate);
	}
	ExecDropSingleTupleTableSlot(t->slot);
	index_close(t->pkey, NoLock);
}

void
StreamTableClose(StreamTable *t)
{
	StreamTableRelease(t);
	table_close(t->rel, NoLock);
}

/* ---- writing ---- */

static void
SetColumn(TupleTableSlot *slot, StreamColumn column, Datum value, bool isnull)
{
	slot->tts_values[column - 1] = value;
	slot->tts_isnull[column - 1] = isnull;
}

static void
FormRow(StreamTable *t, int64 number, const StreamRow *row)
{
	TupleTableSlot *slot = t->slot;
	FullTransactionId next = ReadNextFullTransactionId();

	ExecClearTuple(slot);
	SetColumn(slot, STREAM_NUMBER, Int64GetDatum(number), false);
	SetColumn(slot, STREAM_CREATED_AT, TimestampTzGetDatum(GetCurrentTimestamp()), false);
	SetColumn(slot, STREAM_HORIZON, FullTransactionIdGetDatum(next), false);
	SetColumn(slot, STREAM_EVENT, CharGetDatum(row->event), false);
	SetColumn(slot, STREAM_KEYS, row->keys, row->event == STREAM_TRIMMED);
	SetColumn(slot, STREAM_NEW_ITEM, row->new_item, !row->has_new);
	SetColumn(slot, STREAM_OLD_ITEM, row->old_item, !row->has_old);
	ExecStoreVirtualTuple(slot);
}

static void
InsertRow(StreamTable *t, int64 number)
{
	Datum		value = Int64GetDatum(number);
	bool		isnull = false;
	OwnerScope	scope;

	simple_table_tuple_insert(t->rel, t->slot);
	if (t->estate == NULL)
	{
		index_insert(t->pkey, &value, &isnull, &t->slot->tts_tid, t->rel,
					 UNIQUE_CHECK_YES, false, t->info);
		return;
	}
	OwnerScopeEnter(&scope, t->rel->rd_rel->relowner);
	InsertIndexTuples(t->result, t->slot, t->estate);
	ResetPerTupleExprContext(t->estate);
	OwnerScopeLeave(&scope);
}

/* Our last record. */
static Oid	appended_stream = InvalidOid;
static int64 appended_number;

int64
StreamLastAppended(Oid stream)
{
	return stream == appended_stream ? appended_number : 0;
}

int64
StreamAppend(StreamTable *t, const StreamRow *row)
{
	LOCKTAG		tag;
	int64		number;

	if (!OidIsValid(t->sequence))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("stream \"%s\" has not one sequence for its numbers",
						RelationGetRelationName(t->rel))));

	/* the horizon is above the id of whoever takes a number: have one first */
	(void) GetCurrentTransactionId();
	SetTag(&tag, RelationGetRelid(t->rel), NUMBER_SUBOBJECT);
	(void) LockAcquire(&tag, ShareLock, false, false);
	number = nextval_internal(t->sequence, false);
	FormRow(t, number, row);
	InsertRow(t, number);
	LockRelease(&tag, ShareLock, false);
	appended_stream = RelationGetRelid(t->rel);
	appended_number = number;
	return number;
}

void
StreamAppendTrimmed(StreamTable *t, int64 number)
{
	StreamRow	row = {STREAM_TRIMMED, false, false, (Datum) 0, (Datum) 0, (Datum) 0};

	FormRow(t, number, &row);
	InsertRow(t, number);
}
