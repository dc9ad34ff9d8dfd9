/*
 * expired.c
 *	  Finds items whose time to live has passed, oldest first.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_index.h"
#include "catalog/pg_opfamily_d.h"
#include "catalog/pg_type_d.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "nodes/nodes.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "compat.h"
#include "store/expired.h"
#include "store/plan.h"
#include "store/scan.h"
#include "store/store.h"
#include "table/object_names.h"

/*
 * The test for an expired row; every statement's first two parameters are the
 * bounds.
 */
#define IS_EXPIRED \
	TTL_COLUMN " OPERATOR(pg_catalog.>=) $1 AND " TTL_COLUMN " OPERATOR(pg_catalog.<=) $2"

/* ---- positions ---- */

void
ExpiredPositionKeep(ExpiredPosition *kept, const ExpiredPosition *position,
					MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	ExpiredPosition copy = *position;

	for (int i = 0; i < EXPIRED_KEYS; i++)
	{
		if (DatumGetPointer(position->key[i]) != NULL)
			copy.key[i] = datumCopy(position->key[i], false, -1);
		if (DatumGetPointer(kept->key[i]) != NULL)
			pfree(DatumGetPointer(kept->key[i]));
	}
	*kept = copy;
	MemoryContextSwitchTo(old);
}

static uint64
HashDatum(uint64 hash, Datum value)
{
	struct varlena *bytes = PG_DETOAST_DATUM_PACKED(value);

	return hash_bytes_extended((const unsigned char *) VARDATA_ANY(bytes),
							   (int) VARSIZE_ANY_EXHDR(bytes), hash);
}

/* ---- by the index on the time of expiry ---- */

/*
 * Whether the index contains all rows that have an expiry time.  Its predicate is taken as it is
 * stored: RelationGetIndexPredicate() would simplify it, and so execute functions of the owner.
 */
static bool
HasAllTimes(Relation index, AttrNumber attnum)
{
	bool		isnull;
	Datum		predicate = SysCacheGetAttr(INDEXRELID, index->rd_indextuple, Anum_pg_index_indpred,
											&isnull);
	const NullTest *test;

	if (isnull)
		return true;
	test = stringToNode(TextDatumGetCString(predicate));
	return IsA(test, NullTest) && test->nulltesttype == IS_NOT_NULL && IsA(test->arg, Var) &&
		((const Var *) test->arg)->varattno == attnum;
}

static bool
IsExpiryIndex(Relation index, AttrNumber attnum)
{
	return index->rd_rel->relam == BTREE_AM_OID && IndexIsUsable(index) &&
		index->rd_index->indkey.values[0] == attnum &&
		index->rd_opfamily[0] == INTEGER_BTREE_FAM_OID &&
		index->rd_indoption[0] == 0 &&
		HasAllTimes(index, attnum);
}

/* Opens the index on the expiry time; NULL if no such index can be read. */
static Relation
OpenExpiryIndex(Relation rel, const TableDef *def)
{
	List	   *indexes = RelationGetIndexList(rel);
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		if (IsExpiryIndex(index, def->ttl_attnum))
			return index;
		index_close(index, NoLock);
	}
	return NULL;
}

static int
CompareEntry(int64 seconds, ItemPointer entry, const ExpiredPosition *position)
{
	if (seconds != position->seconds)
		return seconds < position->seconds ? -1 : 1;
	return ItemPointerCompare(entry, unconstify(ItemPointerData *, &position->entry));
}

static IndexScanDesc
BeginExpiryScan(const ExpiredSearch *s, Relation index, Snapshot snapshot)
{
	ScanKeyData keys[2];
	IndexScanDesc scan = BeginIndexScan(s->rel, index, snapshot, 2);
	int64		first = s->after.set ? Max(s->oldest, s->after.seconds) : s->oldest;
	int64		last = s->upto.set ? Min(s->newest, s->upto.seconds) : s->newest;

	ScanKeyInit(&keys[0], 1, BTGreaterEqualStrategyNumber, F_INT8GE, Int64GetDatum(first));
	ScanKeyInit(&keys[1], 1, BTLessEqualStrategyNumber, F_INT8LE, Int64GetDatum(last));
	scan->xs_want_itup = true;	/* for the expiry time */
	index_rescan(scan, keys, 2, NULL, 0);
	return scan;
}

static void
TakeRow(const ExpiredSearch *s, IndexScanDesc scan, int64 seconds, ItemPointer entry,
		TupleTableSlot *slot, ExpiredRow *row)
{
	ItemPointer tid = palloc(sizeof(ItemPointerData));

	memset(row, 0, sizeof(ExpiredRow));
	row->position.set = true;
	row->position.seconds = seconds;
	row->position.entry = *entry;
	*tid = slot->tts_tid;
	row->columns[0] = PointerGetDatum(tid);
	for (int i = 0; i < KeyCount(&s->def->key); i++)
	{
		bool		isnull;
		Datum		value = slot_getattr(slot, TableKeyAttribute(s->def, i)->attnum, &isnull);

		row->id = isnull ? row->id : HashDatum(row->id, value);
	}
}

/*
 * Returns the rows of a scan after one position, up to and including the
 * other.
 */
static int
TakeRows(const ExpiredSearch *s, IndexScanDesc scan, TupleTableSlot *slot, ExpiredRow *rows)
{
	int			n = 0;

	while (n < s->limit && index_getnext_tid(scan, ForwardScanDirection) != NULL)
	{
		ItemPointerData entry = scan->xs_heaptid;
		bool		isnull;
		int64		seconds = DatumGetInt64(index_getattr(scan->xs_itup, 1,
														  scan->xs_itupdesc, &isnull));

		CHECK_FOR_INTERRUPTS();
		if (s->after.set && CompareEntry(seconds, &entry, &s->after) <= 0)
			continue;
		if (s->upto.set && CompareEntry(seconds, &entry, &s->upto) > 0)
			break;
		if (index_fetch_heap(scan, slot))
			TakeRow(s, scan, seconds, &entry, slot, &rows[n++]);
	}
	return n;
}

static void
FindByIndex(const ExpiredSearch *s, Relation index, ExpiredRows *found)
{
	Snapshot	snapshot = RegisterSnapshot(GetTransactionSnapshot());
	TupleTableSlot *slot = table_slot_create(s->rel, NULL);
	IndexScanDesc scan = BeginExpiryScan(s, index, snapshot);
	const char *table = RelationSqlName(RelationGetRelid(s->rel));

	found->n = TakeRows(s, scan, slot, found->rows);
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	UnregisterSnapshot(snapshot);
	found->ncolumns = 1;
	found->types[0] = TIDOID;
	found->delete_sql = psprintf("DELETE FROM ONLY %s WHERE ctid OPERATOR(pg_catalog.=) ANY (ARRAY("
								 "SELECT ctid FROM ONLY %s WHERE ctid OPERATOR(pg_catalog.=) ANY ($3) "
								 "AND " IS_EXPIRED " FOR UPDATE SKIP LOCKED))", table, table);
}

/* ---- by a statement ---- */

/* A statement under construction. */
typedef struct Statement
{
	StringInfoData sql;
	int			nargs;
	Oid			types[2 + 2 * (1 + EXPIRED_KEYS)];
	Datum		values[2 + 2 * (1 + EXPIRED_KEYS)];
} Statement;

static void
AddArgument(Statement *q, Oid type, Datum value)
{
	q->types[q->nargs] = type;
	q->values[q->nargs++] = value;
}

/* Returns the columns of the key: "PK", "SK". */
static char *
KeyColumns(const TableDef *def)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < KeyCount(&def->key); i++)
		appendStringInfo(&out, "%s%s", i > 0 ? ", " : "",
						 quote_identifier(TableKeyAttribute(def, i)->column));
	return out.data;
}

/* Appends: AND ROW(time, key) > ROW(those of the position) */
static void
AddPosition(Statement *q, const TableDef *def, const char *operator, const ExpiredPosition *position)
{
	if (!position->set)
		return;
	appendStringInfo(&q->sql, " AND ROW(" TTL_COLUMN ", %s) OPERATOR(pg_catalog.%s) ROW($%d",
					 KeyColumns(def), operator, q->nargs + 1);
	AddArgument(q, INT8OID, Int64GetDatum(position->seconds));
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		appendStringInfo(&q->sql, ", $%d", q->nargs + 1);
		AddArgument(q, KeyColumnType(TableKeyAttribute(def, i)->type), position->key[i]);
	}
	appendStringInfoChar(&q->sql, ')');
}

static void
BuildQuery(Statement *q, const ExpiredSearch *s)
{
	int64		first = s->after.set ? Max(s->oldest, s->after.seconds) : s->oldest;
	char	   *keys = KeyColumns(s->def);

	q->nargs = 0;
	AddArgument(q, INT8OID, Int64GetDatum(first));
	AddArgument(q, INT8OID, Int64GetDatum(s->newest));
	initStringInfo(&q->sql);
	appendStringInfo(&q->sql, "SELECT " TTL_COLUMN ", %s FROM %s WHERE " IS_EXPIRED,
					 keys, RelationSqlName(RelationGetRelid(s->rel)));
	for (int i = 0; i < KeyCount(&s->def->key); i++)	/* a foreign table may have nulls */
		appendStringInfo(&q->sql, " AND %s IS NOT NULL",
						 quote_identifier(TableKeyAttribute(s->def, i)->column));
	AddPosition(q, s->def, ">", &s->after);
	AddPosition(q, s->def, "<=", &s->upto);
	appendStringInfo(&q->sql, " ORDER BY " TTL_COLUMN ", %s LIMIT %d", keys, s->limit);
}

static void
TakeTuple(const ExpiredSearch *s, HeapTuple tuple, TupleDesc desc, ExpiredRow *row)
{
	bool		isnull;

	memset(row, 0, sizeof(ExpiredRow));
	row->position.set = true;
	row->position.seconds = DatumGetInt64(SPI_getbinval(tuple, desc, 1, &isnull));
	for (int i = 0; i < KeyCount(&s->def->key); i++)
	{
		Datum		value = SPI_getbinval(tuple, desc, i + 2, &isnull);

		row->position.key[i] = row->columns[i] = datumCopy(value, false, -1);
		row->id = HashDatum(row->id, value);
	}
}

static char *
DeleteByKey(const ExpiredSearch *s)
{
	char	   *keys = KeyColumns(s->def);
	const char *table = RelationSqlName(RelationGetRelid(s->rel));
	bool		sort = KeyCount(&s->def->key) > 1;

	return psprintf("DELETE FROM %s WHERE (%s) OPERATOR(pg_catalog.=) ANY ("
					"SELECT %s FROM %s WHERE (%s) OPERATOR(pg_catalog.=) ANY ("
					"SELECT * FROM ROWS FROM (pg_catalog.unnest($3)%s)) "
					"AND " IS_EXPIRED " FOR UPDATE SKIP LOCKED)",
					table, keys, keys, table, keys, sort ? ", pg_catalog.unnest($4)" : "");
}

static void
FindByStatement(const ExpiredSearch *s, ExpiredRows *found)
{
	Statement	q;
	SPIPlanPtr	plan;

	BuildQuery(&q, s);
	plan = StorePlanAs(q.sql.data, q.nargs, q.types, s->rights);
	if (SPI_execute_plan(plan, q.values, NULL, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not find expired items");
	StatementCheckColumn(1, INT8OID);
	for (int i = 0; i < KeyCount(&s->def->key); i++)
		StatementCheckColumn(i + 2, KeyColumnType(TableKeyAttribute(s->def, i)->type));
	found->n = (int) SPI_processed;
	for (int i = 0; i < found->n; i++)
		TakeTuple(s, SPI_tuptable->vals[i], SPI_tuptable->tupdesc, &found->rows[i]);
	SPI_freetuptable(SPI_tuptable);
	found->ncolumns = KeyCount(&s->def->key);
	for (int i = 0; i < found->ncolumns; i++)
		found->types[i] = KeyColumnType(TableKeyAttribute(s->def, i)->type);
	found->delete_sql = DeleteByKey(s);
}

/* ---- either ---- */

bool
ExpiredOldest(Relation rel, const TableDef *def, int64 newest, int64 *seconds)
{
	ExpiredSearch search = {
		.rel = rel, .def = def, .oldest = newest - OLDEST_SECONDS, .newest = newest, .limit = 1,
	};
	ExpiredRows found = {0};
	Relation	index = NULL;

	if (!rel->rd_rel->relhassubclass && RelationIsLocalHeap(rel, def))
		index = OpenExpiryIndex(rel, def);
	if (index == NULL)
		return false;
	found.rows = palloc(sizeof(ExpiredRow));
	FindByIndex(&search, index, &found);
	index_close(index, NoLock);
	*seconds = found.n > 0 ? found.rows[0].position.seconds : newest;
	return true;
}

void
ExpiredFind(const ExpiredSearch *s, ExpiredRows *found)
{
	Relation	index = NULL;

	found->rows = palloc(sizeof(ExpiredRow) * s->limit);
	if (!s->rel->rd_rel->relhassubclass && RelationIsLocalHeap(s->rel, s->def))
		index = OpenExpiryIndex(s->rel, s->def);
	if (index == NULL)
	{
		FindByStatement(s, found);
		return;
	}
	FindByIndex(s, index, found);
	index_close(index, NoLock);
}
