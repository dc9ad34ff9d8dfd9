/*
 * access_key_table.c
 *	  Reads and writes the table of access keys below SQL.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "replication/logicalworker.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "extension_objects.h"
#include "http/access_key_table.h"
#include "http/secret.h"
#include "security/settings_owner.h"
#include "store/raw_table.h"
#include "table/distribution.h"

#define ACCESS_KEY_TABLE	"access_key_secrets"

/* A sweep ends after this many keys of existing roles, or this many keys in all. */
#define SWEPT_LIVE_KEYS		16
#define SWEPT_KEYS			1000

enum
{
	COLUMN_ID = 1,
	COLUMN_SECRET,
	COLUMN_ROLE,
	COLUMN_CREATED_AT,
	COLUMN_ROTATED_AT,
	COLUMN_PREVIOUS_SECRET,
	COLUMN_PREVIOUS_UNTIL,
	COLUMNS = COLUMN_PREVIOUS_UNTIL
};

/* ---- the table ---- */

bool
AccessKeyTableExists(void)
{
	return OidIsValid(OwnTableOid(ACCESS_KEY_TABLE));
}

Relation
AccessKeyTableOpen(LOCKMODE lock)
{
	Oid			relid = OwnTableOid(ACCESS_KEY_TABLE);

	/* it may be dropped before it is locked */
	Relation	rel = OidIsValid(relid) ? try_table_open(relid, lock) : NULL;

	if (rel != NULL)
		RequireLocalRows(rel, "Call undistribute_table.");
	return rel;
}

Relation
AccessKeyTableOpenNow(void)
{
	Oid			relid = OwnTableOid(ACCESS_KEY_TABLE);

	if (!OidIsValid(relid))
		return NULL;
	if (!ConditionalLockRelationOid(relid, AccessShareLock))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("the table of access keys is locked by another session")));
	return try_table_open(relid, NoLock);
}

/* ---- finding rows ---- */

/* A scan of the keys in the order of their ids; id may be NULL. */
static SysScanDesc
BeginAccessKeyScan(Relation rel, Relation index, ScanKeyData *key, StrategyNumber strategy,
				   RegProcedure compare, const char *id)
{
	if (id != NULL)
		ScanKeyInit(key, COLUMN_ID, strategy, compare, CStringGetTextDatum(id));
	return systable_beginscan_ordered(rel, index, NULL, id != NULL ? 1 : 0, key);
}

static Datum
GetAccessKeyColumn(Relation rel, HeapTuple tuple, int column)
{
	bool		isnull;

	return heap_getattr(tuple, column, RelationGetDescr(rel), &isnull);
}

/* A copy of the key's row; NULL if there is none. */
static HeapTuple
FindAccessKeyRow(Relation rel, const char *id)
{
	Relation	index = index_open(PrimaryKeyIndex(rel), AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan = BeginAccessKeyScan(rel, index, &key, BTEqualStrategyNumber, F_TEXTEQ, id);
	HeapTuple	tuple = systable_getnext_ordered(scan, ForwardScanDirection);

	if (HeapTupleIsValid(tuple))
		tuple = heap_copytuple(tuple);
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	return tuple;
}

/* Fills in a row from its tuple, which is not copied. */
static void
FillAccessKeyRow(Relation rel, HeapTuple tuple, AccessKeyRow *row)
{
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS];

	heap_deform_tuple(tuple, RelationGetDescr(rel), values, nulls);
	*row = (AccessKeyRow) {
		.tuple = tuple,
		.role = DatumGetObjectId(values[COLUMN_ROLE - 1]),
		.secret = (Secret *) DatumGetPointer(values[COLUMN_SECRET - 1])
	};
	if (nulls[COLUMN_PREVIOUS_SECRET - 1] || nulls[COLUMN_PREVIOUS_UNTIL - 1])
		return;
	row->previous_until = DatumGetTimestampTz(values[COLUMN_PREVIOUS_UNTIL - 1]);
	if (row->previous_until > GetCurrentTimestamp())
		row->previous = (Secret *) DatumGetPointer(values[COLUMN_PREVIOUS_SECRET - 1]);
}

bool
AccessKeyRead(Relation rel, const char *id, AccessKeyRow *row)
{
	HeapTuple	tuple = FindAccessKeyRow(rel, id);

	if (!HeapTupleIsValid(tuple))
		return false;
	FillAccessKeyRow(rel, tuple, row);
	return true;
}

bool
AccessKeyLock(Relation rel, const char *id, AccessKeyRow *row)
{
	HeapTuple	tuple = FindAccessKeyRow(rel, id);
	bool		locked;
	RawTable	t;

	if (!HeapTupleIsValid(tuple))
		return false;
	RawTableBegin(&t, rel);
	locked = RawTableLock(&t, &tuple->t_self, SnapshotAny, t.slot, LockWaitBlock) == TM_Ok;
	if (locked)
		FillAccessKeyRow(rel, ExecCopySlotHeapTuple(t.slot), row);
	RawTableEnd(&t);
	return locked;
}

/* ---- writing rows ---- */

/* Makes the change visible, and lets workers read cached keys again. */
static void
AnnounceWrite(Relation rel)
{
	CacheInvalidateRelcache(rel);
	CommandCounterIncrement();
}

/* Encrypted with the current key, if there is one. */
static Secret *
NewSecret(const char *id, const char *text)
{
	SecretKey	key;
	bool		encrypted = SecretKeyCurrent(&key);
	Secret	   *secret = SecretMake(id, text, encrypted ? &key : NULL);

	explicit_bzero(&key, sizeof(key));
	return secret;
}

bool
AccessKeyInsert(Relation rel, const char *id, const char *secret, Oid role)
{
	Datum		values[COLUMNS] = {0};
	bool		nulls[COLUMNS];
	RawTable	t;

	if (HeapTupleIsValid(FindAccessKeyRow(rel, id)))
		return false;
	for (int i = 0; i < COLUMNS; i++)
		nulls[i] = i >= COLUMN_CREATED_AT;
	values[COLUMN_ID - 1] = CStringGetTextDatum(id);
	values[COLUMN_SECRET - 1] = PointerGetDatum(NewSecret(id, secret));
	values[COLUMN_ROLE - 1] = ObjectIdGetDatum(role);
	values[COLUMN_CREATED_AT - 1] = TimestampTzGetDatum(GetCurrentTransactionStartTimestamp());
	RawTableBegin(&t, rel);
	RawTableForm(&t, values, nulls);
	RawTableInsert(&t);
	RawTableEnd(&t);
	AnnounceWrite(rel);
	return true;
}

void
AccessKeyDelete(Relation rel, const AccessKeyRow *row)
{
	simple_table_tuple_delete(rel, &row->tuple->t_self, SnapshotAny);
	AnnounceWrite(rel);
}

/* Replaces a tuple. */
static void
UpdateAccessKeyRow(RawTable *t, HeapTuple tuple, const Datum *values, const bool *nulls)
{
	RawTableForm(t, values, nulls);
	RawTableUpdate(t, &tuple->t_self, SnapshotAny);
}

/* Replaces a locked row. */
static void
UpdateLockedRow(Relation rel, const AccessKeyRow *row, const Datum *values, const bool *nulls)
{
	RawTable	t;

	RawTableBegin(&t, rel);
	UpdateAccessKeyRow(&t, row->tuple, values, nulls);
	RawTableEnd(&t);
	AnnounceWrite(rel);
}

static void
SetPrevious(Datum *values, bool *nulls, Secret *secret, TimestampTz until)
{
	values[COLUMN_PREVIOUS_SECRET - 1] = PointerGetDatum(secret);
	values[COLUMN_PREVIOUS_UNTIL - 1] = TimestampTzGetDatum(until);
	nulls[COLUMN_PREVIOUS_SECRET - 1] = nulls[COLUMN_PREVIOUS_UNTIL - 1] = secret == NULL;
}

/* Keeps the previous secret as it is stored: the id with which it is encrypted is the same. */
void
AccessKeyRotate(Relation rel, const AccessKeyRow *row, const char *id, const char *secret,
				TimestampTz previous_until)
{
	bool		keep = previous_until > GetCurrentTimestamp();
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS];

	heap_deform_tuple(row->tuple, RelationGetDescr(rel), values, nulls);
	values[COLUMN_SECRET - 1] = PointerGetDatum(NewSecret(id, secret));
	values[COLUMN_ROTATED_AT - 1] = TimestampTzGetDatum(GetCurrentTransactionStartTimestamp());
	nulls[COLUMN_ROTATED_AT - 1] = false;
	SetPrevious(values, nulls, keep ? row->secret : NULL, previous_until);
	UpdateLockedRow(rel, row, values, nulls);
}

void
AccessKeyDropPrevious(Relation rel, const AccessKeyRow *row)
{
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS];

	heap_deform_tuple(row->tuple, RelationGetDescr(rel), values, nulls);
	SetPrevious(values, nulls, NULL, 0);
	UpdateLockedRow(rel, row, values, nulls);
}

/* Copies of all rows. */
static List *
ReadRows(Relation rel)
{
	SysScanDesc scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	List	   *rows = NIL;
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		rows = lappend(rows, heap_copytuple(tuple));
	systable_endscan(scan);
	return rows;
}

/* A secret encrypted with a key; NULL if there is none. */
static Secret *
EncryptSecret(const Secret *secret, const char *id, const SecretKey *key)
{
	char	   *text = secret != NULL ? SecretText(secret, id) : NULL;
	Secret	   *encrypted;

	if (text == NULL)
		return NULL;
	encrypted = SecretMake(id, text, key);
	explicit_bzero(text, strlen(text));
	return encrypted;
}

/* Encrypts the secrets of one row; false if it has none. */
static bool
EncryptRow(RawTable *t, HeapTuple tuple, const SecretKey *key)
{
	const char *id = TextDatumGetCString(GetAccessKeyColumn(t->rel, tuple, COLUMN_ID));
	AccessKeyRow row;
	Secret	   *secret;
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS];

	FillAccessKeyRow(t->rel, tuple, &row);
	secret = EncryptSecret(row.secret, id, key);
	if (secret == NULL)
		return false;
	heap_deform_tuple(tuple, RelationGetDescr(t->rel), values, nulls);
	values[COLUMN_SECRET - 1] = PointerGetDatum(secret);
	SetPrevious(values, nulls, EncryptSecret(row.previous, id, key), row.previous_until);
	UpdateAccessKeyRow(t, tuple, values, nulls);
	return true;
}

int64
AccessKeysEncrypt(Relation rel, const SecretKey *key)
{
	List	   *rows = ReadRows(rel);
	int64		encrypted = 0;
	RawTable	t;
	ListCell   *cell;

	RawTableBegin(&t, rel);
	foreach(cell, rows)
		encrypted += EncryptRow(&t, lfirst(cell), key);
	RawTableEnd(&t);
	AnnounceWrite(rel);
	return encrypted;
}

typedef struct Sweep
{
	int			live;
	int			keys;
} Sweep;

static bool
HasSweepBudget(const Sweep *sweep)
{
	return sweep->live < SWEPT_LIVE_KEYS && sweep->keys < SWEPT_KEYS;
}

/* Goes over the keys after an id, or from the first one. */
static void
SweepKeysAfter(Relation rel, const char *id, Sweep *sweep)
{
	Relation	index = index_open(PrimaryKeyIndex(rel), AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan = BeginAccessKeyScan(rel, index, &key, BTGreaterStrategyNumber, F_TEXT_GT, id);
	HeapTuple	tuple;

	while (HasSweepBudget(sweep) &&
		   HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
	{
		if (SearchSysCacheExists1(AUTHOID, GetAccessKeyColumn(rel, tuple, COLUMN_ROLE)))
			sweep->live++;
		else
			(void) TryDeleteRow(rel, &tuple->t_self, SnapshotAny, false);
		sweep->keys++;
	}
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
}

void
AccessKeysSweep(Relation rel, const char *id)
{
	Sweep		sweep = {0};

	SweepKeysAfter(rel, id, &sweep);
	SweepKeysAfter(rel, NULL, &sweep);
	AnnounceWrite(rel);
}

/* ---- what SQL writes ---- */

/*
 * Refuses a statement.  Skips rows of logical replication, which belong to another
 * server: an error would stop the replication of all tables.
 */
DYNAMO_FUNCTION(dynamo_guard_access_keys);
Datum
dynamo_guard_access_keys(PG_FUNCTION_ARGS)
{
	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo_internal.guard_access_keys must be a trigger")));
	if (!IsLogicalWorker() || !TRIGGER_FIRED_FOR_ROW(((TriggerData *) fcinfo->context)->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("access keys cannot be changed by statements"),
				 errhint("Use dynamo.create_access_key(), dynamo.rotate_access_key() and dynamo.drop_access_key().")));
	return PointerGetDatum(NULL);
}
