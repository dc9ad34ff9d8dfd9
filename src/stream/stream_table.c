/*
 * stream_table.c
 *	  The rows of a stream's table.
 *
 * stream.h explains the lock for taking a number and inserting its row.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_sequence.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/xid8.h"

#include "compat.h"
#include "extension_objects.h"
#include "object_locks.h"
#include "stream/stream.h"
#include "table/distribution.h"
#include "table/relation_change.h"

/* ---- locks on the stream's table as an object ---- */

static void
SetStreamTag(LOCKTAG *tag, Oid stream, ObjectLock lock)
{
	SET_LOCKTAG_OBJECT(*tag, MyDatabaseId, RelationRelationId, stream, lock);
}

void
StreamWaitForWriters(Oid stream)
{
	LOCKTAG		tag;

	SetStreamTag(&tag, stream, LOCK_OF_STREAM_NUMBERS);
	(void) LockAcquire(&tag, ExclusiveLock, false, false);
	LockRelease(&tag, ExclusiveLock, false);
}

bool
StreamLockForTrim(Oid stream, bool wait)
{
	LOCKTAG		tag;

	SetStreamTag(&tag, stream, LOCK_OF_TRIM);
	return LockAcquire(&tag, ExclusiveLock, false, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

/* ---- cached facts about streams ---- */

/* A relation that is known to be a stream's table, or a shard of one. */
typedef struct StreamEntry
{
	Oid			stream;			/* hash key */
	Oid			sequence;
	bool		counts_up;		/* nothing is appended otherwise */
	int64		trimmed;		/* trimmed up to this number according to a row; or 0 */
	TransactionId trimmed_by;	/* wrote that row and committed */
} StreamEntry;

static HTAB *entries;

static void
ForgetStream(Oid relid)
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
InitStreamEntries(void)
{
	const HASHCTL ctl = {.keysize = sizeof(Oid), .entrysize = sizeof(StreamEntry)};

	entries = hash_create("dynamo streams", 16, &ctl, HASH_ELEM | HASH_BLOBS);
	OnRelationChange(ForgetStream);
}

/*
 * Whether each number of a sequence is greater than all before.  A session that keeps a
 * cache of numbers would write some that readers have passed.
 */
static bool
CountsUp(Oid sequence)
{
	HeapTuple	tuple = SearchSysCache1(SEQRELID, ObjectIdGetDatum(sequence));
	Form_pg_sequence form;
	bool		counts_up;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_sequence) GETSTRUCT(tuple);
	counts_up = form->seqincrement > 0 && form->seqcache == 1 && !form->seqcycle;
	ReleaseSysCache(tuple);
	return counts_up;
}

/*
 * The stream's sequence; InvalidOid if there is not exactly one, so that
 * nothing is appended.
 */
static Oid
FindSequence(Relation stream)
{
	List	   *owned = getOwnedSequences(RelationGetRelid(stream));

	return list_length(owned) == 1 ? linitial_oid(owned) : InvalidOid;
}

bool
StreamIsSharded(Relation stream)
{
	return RelationGetDescr(stream)->natts > STREAM_NCOLUMNS;
}

/*
 * Refuses to write to a stream's table that has been distributed by hand, and to one whose
 * records were in shards and are not, as after a restore: each shard has numbers of its own.
 */
static void
CheckStreamPlace(Relation stream)
{
	if (!StreamIsSharded(stream) || RelationIsDistributed(RelationGetRelid(stream)))
		RequireLocalRows(stream, "Use dynamo.disable_stream to end the stream.");
	else if (!OidIsValid(DistributedTableOf(stream)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("stream \"%s\" of a distributed table is not distributed", RelationGetRelationName(stream)),
				 errhint("Use dynamo.disable_stream to end the stream.")));
}

/* The entry of an open stream; NULL if the relation is not a stream. */
static const StreamEntry *
FindStreamEntry(Relation stream)
{
	Oid			relid = RelationGetRelid(stream);
	StreamEntry *entry;
	StreamEntry new;

	if (entries == NULL)
		InitStreamEntries();
	entry = hash_search(entries, &relid, HASH_FIND, NULL);
	if (entry != NULL)
		return entry;
	if (!IsStreamTable(stream))
		return NULL;
	CheckStreamPlace(stream);
	memset(&new, 0, sizeof(new));
	new.stream = relid;
	new.sequence = StreamIsSharded(stream) ? InvalidOid : FindSequence(stream);
	new.counts_up = CountsUp(new.sequence);
	entry = hash_search(entries, &relid, HASH_ENTER, NULL);
	*entry = new;
	return entry;
}

/*
 * A snapshot that sees that transaction sees nothing before the number, only
 * index entries of rows that the transaction deleted.
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

/*
 * Whether the primary key consists of the number, by which the stream is read, and of a
 * distributed table also of the partition key.
 */
static bool
HasNumberKey(Relation rel, bool sharded)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(PrimaryKeyIndex(rel)));
	Form_pg_index form;
	bool		fits;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_index) GETSTRUCT(tuple);
	fits = form->indnatts == (sharded ? 2 : 1) && form->indnkeyatts == form->indnatts &&
		form->indkey.values[0] == STREAM_NUMBER && form->indisvalid;
	if (fits && sharded)
		fits = form->indkey.values[1] == STREAM_PARTITION_KEY;
	ReleaseSysCache(tuple);
	return fits;
}

static bool
IsKeyColumnType(Oid type)
{
	return type == TEXTOID || type == NUMERICOID || type == BYTEAOID;
}

bool
IsStreamTable(Relation rel)
{
	bool		sharded = StreamIsSharded(rel);
	TupleDesc	desc = RelationGetDescr(rel);
	const Oid	types[STREAM_NCOLUMNS] = {
		INT8OID, TIMESTAMPTZOID, XID8OID, CHAROID, InvalidOid, InvalidOid, InvalidOid
	};
	Oid			item = ItemTypeOid();

	if (rel->rd_rel->relkind != RELKIND_RELATION ||
		desc->natts != (sharded ? STREAM_MAX_COLUMNS : STREAM_NCOLUMNS) ||
		!HasNumberKey(rel, sharded) || !HasTriggerOf(rel, SystemFunctionOid(FUNCTION_GUARD_STREAM)))
		return false;
	for (int i = 0; i < STREAM_NCOLUMNS; i++)
	{
		if (TupleDescAttr(desc, i)->atttypid != (OidIsValid(types[i]) ? types[i] : item))
			return false;
	}
	return !sharded || IsKeyColumnType(TupleDescAttr(desc, STREAM_PARTITION_KEY - 1)->atttypid);
}

static void RaiseMissingStream(Oid table, const char *stream_name) pg_attribute_noreturn();

static void
RaiseMissingStream(Oid table, const char *stream_name)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("\"%s\" is not the stream of table \"%s\"",
					stream_name, get_rel_name(table)),
			 errdetail("A stream must have the schema and owner of its table, the columns of a stream, and the trigger dynamo_system.guard_stream."),
			 errhint("Use dynamo.disable_stream to continue without the stream.")));
}

void
StreamTableOpen(StreamTable *t, Relation source, const TableDef *table, const char *stream_name)
{
	Oid			root = TableDefRoot(table);
	Oid			relid = FindStreamOf(source, table, stream_name);

	Relation	rel = OidIsValid(relid) ? try_table_open(relid, RowExclusiveLock) : NULL;

	if (rel == NULL || FindStreamEntry(rel) == NULL || rel->rd_rel->relowner != RelationOwner(root) ||
		(StreamIsSharded(rel) && TupleDescAttr(RelationGetDescr(rel), STREAM_PARTITION_KEY - 1)->atttypid !=
		 KeyColumnType(TableKeyAttribute(table, 0)->type)))
	{
		RefuseShard(source, "a stream of one server");
		RaiseMissingStream(root, stream_name);
	}
	StreamTableInit(t, rel);
}

void
StreamTableInit(StreamTable *t, Relation stream)
{
	const StreamEntry *entry = FindStreamEntry(stream);

	if (entry == NULL)
		elog(ERROR, "relation \"%s\" is not a stream", RelationGetRelationName(stream));
	t->sequence = entry->counts_up ? entry->sequence : InvalidOid;
	RawTableBegin(&t->own, stream);
}

void
StreamTableRelease(StreamTable *t)
{
	RawTableEnd(&t->own);
}

void
StreamTableClose(StreamTable *t)
{
	StreamTableRelease(t);
	table_close(t->own.rel, NoLock);
}

/* ---- writing ---- */

static void
FormRow(StreamTable *t, int64 number, const StreamRow *row)
{
	FullTransactionId next = ReadNextFullTransactionId();
	const Datum values[STREAM_MAX_COLUMNS] = {
		[STREAM_NUMBER - 1] = Int64GetDatum(number),
		[STREAM_CREATED_AT - 1] = TimestampTzGetDatum(GetCurrentTimestamp()),
		[STREAM_HORIZON - 1] = FullTransactionIdGetDatum(next),
		[STREAM_EVENT - 1] = CharGetDatum(row->event),
		[STREAM_KEYS - 1] = row->keys,
		[STREAM_NEW_ITEM - 1] = row->new_item,
		[STREAM_OLD_ITEM - 1] = row->old_item,
		[STREAM_PARTITION_KEY - 1] = row->partition_key
	};
	const bool	nulls[STREAM_MAX_COLUMNS] = {
		[STREAM_KEYS - 1] = row->event == STREAM_TRIMMED,
		[STREAM_NEW_ITEM - 1] = !row->has_new,
		[STREAM_OLD_ITEM - 1] = !row->has_old
	};

	RawTableForm(&t->own, values, nulls);
}

/* The last record of this session. */
static Oid	appended_stream = InvalidOid;
static int64 appended_number;

int64
StreamLastAppended(Oid stream)
{
	return stream == appended_stream ? appended_number : 0;
}

static int64
TakeNumber(StreamTable *t)
{
	return StreamIsSharded(t->own.rel) ? StreamLastNumber(t->own.rel) + 1 : nextval_internal(t->sequence, false);
}

int64
StreamAppend(StreamTable *t, const StreamRow *row)
{
	LOCKMODE	mode = StreamIsSharded(t->own.rel) ? ExclusiveLock : ShareLock;
	LOCKTAG		tag;
	int64		number;

	if (!StreamIsSharded(t->own.rel) && !OidIsValid(t->sequence))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("stream \"%s\" does not own a sequence that counts up",
						RelationGetRelationName(t->own.rel)),
				 errdetail("Numbers must increase, in all sessions: the sequence must have a positive increment, CACHE 1 and NO CYCLE."),
				 errhint("Use dynamo.disable_stream to continue without the stream.")));

	/*
	 * The horizon must be above the id of every transaction that takes a
	 * number, so assign an id first.
	 */
	(void) GetCurrentTransactionId();
	SetStreamTag(&tag, RelationGetRelid(t->own.rel), LOCK_OF_STREAM_NUMBERS);
	(void) LockAcquire(&tag, mode, false, false);
	number = TakeNumber(t);
	FormRow(t, number, row);
	RawTableInsert(&t->own);
	LockRelease(&tag, mode, false);
	appended_stream = RelationGetRelid(t->own.rel);
	appended_number = number;
	return number;
}

void
StreamAppendTrimmed(StreamTable *t, int64 number, Datum partition_key)
{
	StreamRow	row = {.event = STREAM_TRIMMED, .partition_key = partition_key};

	FormRow(t, number, &row);
	RawTableInsert(&t->own);
}
