/*
 * archive_past.c
 *	  Copies a table as it was at a time.
 *
 * The source is read as its owner, like a table of which a backup is made.
 */
#include "postgres.h"

#include "access/table.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "archive/archive_past.h"
#include "errors.h"
#include "extension_objects.h"
#include "security/owner.h"
#include "security/settings_owner.h"
#include "stream/stream.h"
#include "transfer/export.h"

/* Trimming tells a time to a second. */
#define TRIM_MARGIN		USECS_PER_SEC

Relation
PastRecordsOpen(Relation rel, TableStream *stream)
{
	Oid			relid;

	if (!TableStreamOf(rel, stream) || !StreamViewHasOld(stream->view))
		return NULL;
	relid = FindStreamRelation(RelationGetRelid(rel), stream->relation);
	return OidIsValid(relid) ? try_table_open(relid, AccessShareLock) : NULL;
}

int64
PastRecordsSince(Relation records, const TableStream *stream, Snapshot snapshot)
{
	TimestampTz trimmed = StreamReachesBackTo(records, snapshot);
	int64		since = StreamTimeFromText(stream->label);

	return trimmed == DT_NOBEGIN ? since : Max(since, trimmed + EPOCH_SHIFT + TRIM_MARGIN);
}

bool
PastIsRecorded(Relation rel, int64 *since)
{
	TableStream stream;
	Relation	records = PastRecordsOpen(rel, &stream);
	Snapshot	snapshot;

	if (records == NULL)
		return false;
	snapshot = RegisterSnapshot(GetLatestSnapshot());
	*since = PastRecordsSince(records, &stream, snapshot);
	UnregisterSnapshot(snapshot);
	table_close(records, NoLock);
	return true;
}

/* ---- copying ---- */

static void
BeginPast(void *arg)
{
}

static void
CopyPresent(void *arg, struct varlena *item)
{
	Import	   *import = arg;

	ImportPut(import, item);
	import->imported++;
}

static struct varlena *
RecordedItem(const StreamRecord *record, Datum item, bool present)
{
	if (!present)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("record %s of the stream has no old image", SequenceNumberText(record->number))));
	return PG_DETOAST_DATUM(item);
}

/* What is undone must be there, or the stream is not that of the table. */
static void
UndoChange(void *arg, const StreamRecord *record)
{
	Import	   *import = arg;

	if (record->event == STREAM_INSERT)
	{
		if (!ImportDelete(import, RecordedItem(record, record->keys, record->has_keys)))
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("record %s of the stream has an item that the table does not have",
							SequenceNumberText(record->number))));
		import->imported--;
		return;
	}
	ImportPut(import, RecordedItem(record, record->old_item, record->has_old));
	if (record->event != STREAM_MODIFY)
		import->imported++;
}

/* Opens the records since a job's moment; NULL if it wants the present. */
static Relation
OpenChanges(const Job *job, const Store *source)
{
	TableStream stream;
	Relation	records;

	if (job->moment == 0)
		return NULL;
	records = PastRecordsOpen(source->rel, &stream);

	if (records == NULL || PastRecordsSince(records, &stream, StoreSnapshot(source)) > job->moment)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_INVALID_RESTORE_TIME),
				 errmsg("The changes of the table since the time to restore are not recorded any more")));
	return records;
}

static void
OpenPast(const Job *job, OwnerScope *scope, Store *source)
{
	Oid			relid = (Oid) job->source;
	Oid			owner;

	LockRelationOid(relid, AccessShareLock);
	if (get_rel_name(relid) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_TABLE_NOT_FOUND),
				 errmsg("Table not found: %s", job->table_arn)));
	owner = RelationOwner(relid);
	if (!has_privs_of_role(JobOwner(job), owner))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_ACCESS_DENIED),
				 errmsg("The owner of the source table has changed")));
	OwnerScopeEnter(scope, owner);
	StoreOpenRelation(source, relid, ACL_SELECT);
	CheckRestored(source->def);
	StoreAwaitRewrites(source);
}

void
PastCopy(const Job *job, Import *import)
{
	Export		items = {.begin = BeginPast, .take = CopyPresent, .arg = import};
	OwnerScope	scope;
	OwnerScope	target_scope;
	Store		source;
	Relation	changes;

	OpenPast(job, &scope, &source);
	changes = OpenChanges(job, &source);
	OwnerScopeEnter(&target_scope, import->store->rel->rd_rel->relowner);
	import->changes = true;
	ImportBegin(import);
	ExportItems(&items, &source);
	if (changes != NULL)
	{
		StreamReadBack(changes, StoreSnapshot(&source), job->moment - EPOCH_SHIFT, UndoChange, import);
		table_close(changes, NoLock);
	}
	ImportEnd(import);
	OwnerScopeLeave(&target_scope);
	StoreClose(&source);
	OwnerScopeLeave(&scope);
}
