/*
 * scan_direct.c
 *	  Reads a range of a btree with the executor's own primitives.
 *
 * Does what an index scan node would do, without a plan: builds scan keys and
 * fetches one row at a time from the heap with the registered snapshot.  The
 * index access method takes the predicate locks that SERIALIZABLE needs.
 * Pins, references and the snapshot belong to the current resource owner,
 * which releases them after an error.
 *
 * Items are returned in place, on the page that the slot keeps pinned until
 * the next call.  Only toasted or compressed items are copied.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/skey.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "catalog/pg_index.h"
#include "catalog/pg_opfamily_d.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/snapmgr.h"

#include "item/slice.h"
#include "store/scan.h"
#include "store/segment.h"
#include "table/limits.h"

/*
 * The btree operator family of numeric, for which the catalog headers define
 * no symbol.
 */
#define NUMERIC_BTREE_FAM_OID	1988

/* The default btree operators of each type of key columns. */
static const struct KeyOperators
{
	Oid			opfamily;
	RegProcedure operators[BTMaxStrategyNumber];	/* by strategy - 1 */
	RegProcedure compare;
}			key_operators[] = {
	[VALUE_S] = {
		TEXT_BTREE_FAM_OID,
		{F_TEXT_LT, F_TEXT_LE, F_TEXTEQ, F_TEXT_GE, F_TEXT_GT},
		F_BTTEXTCMP
	},
	[VALUE_N] = {
		NUMERIC_BTREE_FAM_OID,
		{F_NUMERIC_LT, F_NUMERIC_LE, F_NUMERIC_EQ, F_NUMERIC_GE, F_NUMERIC_GT},
		F_NUMERIC_CMP
	},
	[VALUE_B] = {
		BYTEA_BTREE_FAM_OID,
		{F_BYTEALT, F_BYTEALE, F_BYTEAEQ, F_BYTEAGE, F_BYTEAGT},
		F_BYTEACMP
	},
};

typedef struct DirectSource
{
	ScanSource	source;
	const ScanKeys *keys;
	IndexScanDesc scan;
	ScanDirection direction;
	TupleTableSlot *slot;
	AttrNumber	item_attnum;
	MemoryContext context;		/* contains detoasted items */
	struct varlena *detoasted;	/* the last detoasted item */
	MemoryContext entry_context;	/* NULL: no segments */
} DirectSource;

/* ---- whether an index can be read ---- */

bool
IndexIsUsable(Relation index)
{
	if (!index->rd_index->indisvalid)
		return false;
	return !index->rd_index->indcheckxmin ||
		TransactionIdPrecedes(HeapTupleHeaderGetXmin(index->rd_indextuple->t_data),
							  TransactionXmin);
}

/* Whether a column of the index is the expected one. */
static bool
ColumnMatches(Relation index, int column, const AttributeDef *attr)
{
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(index), column);

	/*
	 * The operator family of text also contains name.  An expression has no
	 * column.
	 */
	return att->atttypid == KeyColumnType(attr->type) &&
		index->rd_index->indkey.values[column] > 0 &&
		strcmp(NameStr(att->attname), attr->column) == 0;
}

/* Whether a column of a row is a key column of the index. */
static bool
IsKeyColumn(Relation index, AttrNumber attnum)
{
	for (int i = 0; i < IndexRelationGetNumberOfKeyAttributes(index); i++)
	{
		if (index->rd_index->indkey.values[i] == attnum)
			return true;
	}
	return false;
}

/*
 * Whether a clause is "column IS NOT NULL" for a key column, or the size limit
 * of keys.
 */
static bool
ClauseIsOurs(Relation index, const Node *clause)
{
	const NullTest *test = (const NullTest *) clause;

	if (ClauseTestsLimits(clause))
		return true;
	return IsA(clause, NullTest) && test->nulltesttype == IS_NOT_NULL && IsA(test->arg, Var) &&
		IsKeyColumn(index, ((const Var *) test->arg)->varattno);
}

/*
 * Whether the predicate of an index excludes only the rows that indexes of the
 * extension exclude; a user's index may have any predicate.  Reading a
 * predicate evaluates its constant parts as the current user, as planning a
 * statement does.
 */
static bool
PredicateIsOurs(Relation index)
{
	ListCell   *cell;

	if (heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL))
		return true;
	if (index->rd_indpred == NIL)
		(void) RelationGetIndexPredicate(index);
	foreach(cell, index->rd_indpred)
	{
		if (!ClauseIsOurs(index, lfirst(cell)))
			return false;
	}
	return true;
}

bool
DirectScanPossible(Relation index, const ScanKeys *keys)
{
	if (!IndexIsUsable(index) || !PredicateIsOurs(index) ||
		IndexRelationGetNumberOfKeyAttributes(index) < keys->ncolumns)
		return false;

	for (int i = 0; i < keys->ncolumns; i++)
	{
		if (index->rd_opfamily[i] != key_operators[keys->columns[i]->type].opfamily ||
			index->rd_indoption[i] != 0 ||
			!ColumnMatches(index, i, keys->columns[i]))
			return false;
	}
	return true;
}

/* ---- scan keys ---- */

void
KeyScanKey(ScanKey key, Relation index, int column,
		   ValueType type, StrategyNumber strategy, Datum value)
{
	ScanKeyEntryInitialize(key, 0, column + 1, strategy, InvalidOid,
						   index->rd_indcollation[column],
						   key_operators[type].operators[strategy - 1],
						   value);
}

static void
InitNotNullKey(ScanKey key, int column)
{
	ScanKeyEntryInitialize(key, SK_ISNULL | SK_SEARCHNOTNULL, column + 1,
						   InvalidStrategy, InvalidOid, InvalidOid, InvalidOid,
						   (Datum) 0);
}

/* Returns scan keys for the members of a row; the last one is marked. */
static ScanKey
RowMembers(Relation index, const ScanKeys *keys, int column, int n,
		   StrategyNumber strategy, const Datum *values)
{
	ScanKey		members = palloc(sizeof(ScanKeyData) * n);

	for (int i = 0; i < n; i++)
		ScanKeyEntryInitialize(&members[i], SK_ROW_MEMBER, column + i + 1, strategy,
							   InvalidOid, index->rd_indcollation[column + i],
							   key_operators[keys->columns[column + i]->type].compare,
							   values[i]);
	members[n - 1].sk_flags |= SK_ROW_END;
	return members;
}

/* Makes a scan key for: ROW(columns from this one on) strategy ROW(values) */
static void
RowComparison(ScanKey key, Relation index, const ScanKeys *keys, int column, int n,
			  StrategyNumber strategy, const Datum *values)
{
	if (n == 1)
	{
		KeyScanKey(key, index, column, keys->columns[column]->type, strategy, values[0]);
		return;
	}
	memset(key, 0, sizeof(ScanKeyData));
	key->sk_flags = SK_ROW_HEADER;
	key->sk_attno = column + 1;
	key->sk_strategy = strategy;
	key->sk_argument = PointerGetDatum(RowMembers(index, keys, column, n, strategy, values));
}

static bool
ColumnNotNull(const ScanKeys *keys, int column)
{
	for (int i = 0; i < keys->nnotnull; i++)
	{
		if (keys->notnull[i] == column)
			return true;
	}
	return false;
}

/* Makes the scan keys, in the order of the index's columns. */
static int
BuildScanKeys(ScanKey out, Relation index, const ScanKeys *keys)
{
	int			npartition = keys->schema->npartition;
	int			n = 0;
	int			test = 0;

	if (keys->has_lower)
		RowComparison(&out[n++], index, keys, 0, npartition, BTGreaterEqualStrategyNumber, keys->lower);
	if (keys->has_upper)
		RowComparison(&out[n++], index, keys, 0, npartition, BTLessStrategyNumber, keys->upper);
	for (int column = 0; column < keys->ncolumns; column++)
	{
		for (; test < keys->ntests && keys->tests[test].column == column; test++)
			KeyScanKey(&out[n++], index, column, keys->columns[column]->type,
						  keys->tests[test].strategy, keys->tests[test].value);
		if (keys->nstart > 0 && keys->nfixed == column)
			RowComparison(&out[n++], index, keys, column, keys->nstart,
						  keys->forward ? BTGreaterStrategyNumber : BTLessStrategyNumber,
						  keys->start);
		if (ColumnNotNull(keys, column))
			InitNotNullKey(&out[n++], column);
	}
	return n;
}

/* ---- rows ---- */

/*
 * Whether an index entry is in the segment, so that rows of other segments are
 * not fetched.  Millions of entries may be skipped between two calls of the
 * source.
 */
static bool
EntryInSegment(const DirectSource *s)
{
	MemoryContext old = MemoryContextSwitchTo(s->entry_context);
	Datum		values[SCAN_MAX_COLUMNS];
	bool		nulls[SCAN_MAX_COLUMNS];
	const char *problem;
	bool		inside;

	for (int i = 0; i < s->keys->schema->npartition; i++)
		values[i] = index_getattr(s->scan->xs_itup, i + 1, s->scan->xs_itupdesc, &nulls[i]);
	inside = ColumnsInSegment(s->keys, values, nulls, &problem);
	if (problem != NULL)
	{
		RowPlace	place = {RelationGetRelid(s->scan->heapRelation), s->scan->xs_heaptid, NULL};

		InvalidRowError(&place, problem);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(s->entry_context);
	return inside;
}

/*
 * Moves to the next entry.  The memory in which the index keeps dead entries
 * must live as long as the scan.
 */
static bool
NextEntry(DirectSource *s)
{
	MemoryContext old = MemoryContextSwitchTo(s->context);
	bool		found = index_getnext_tid(s->scan, s->direction) != NULL;

	MemoryContextSwitchTo(old);
	return found;
}

static bool
NextRow(DirectSource *s)
{
	MemoryContext old = MemoryContextSwitchTo(s->context);
	bool		found = index_getnext_slot(s->scan, s->direction, s->slot);

	MemoryContextSwitchTo(old);
	return found;
}

static bool
FindNextInSegment(DirectSource *s)
{
	while (NextEntry(s))
	{
		CHECK_FOR_INTERRUPTS();
		if (EntryInSegment(s) && index_fetch_heap(s->scan, s->slot))
			return true;
	}
	return false;
}

static struct varlena *
DirectNext(ScanSource *source)
{
	DirectSource *s = (DirectSource *) source;
	struct varlena *stored;

	CHECK_FOR_INTERRUPTS();
	if (!(s->entry_context != NULL ? FindNextInSegment(s) : NextRow(s)))
		return NULL;

	if (s->detoasted != NULL)
	{
		pfree(s->detoasted);
		s->detoasted = NULL;
	}
	stored = (struct varlena *) DatumGetPointer(SlotItem(s->slot, s->item_attnum));
	if (VARATT_IS_EXTERNAL(stored) || VARATT_IS_COMPRESSED(stored))
	{
		MemoryContext old = MemoryContextSwitchTo(s->context);

		s->detoasted = stored = ItemDatumPart(PointerGetDatum(stored), s->keys->needed,
											  s->keys->nneeded);
		MemoryContextSwitchTo(old);
	}
	return stored;
}

static Datum
DirectColumn(ScanSource *source, int column, bool *isnull)
{
	DirectSource *s = (DirectSource *) source;

	return slot_getattr(s->slot, s->scan->indexRelation->rd_index->indkey.values[column], isnull);
}

static void
DirectPlace(ScanSource *source, RowPlace *place)
{
	DirectSource *s = (DirectSource *) source;

	*place = (RowPlace) {RelationGetRelid(s->scan->heapRelation), s->slot->tts_tid, NULL};
}

static void
DirectScanEnd(ScanSource *source)
{
	DirectSource *s = (DirectSource *) source;

	index_endscan(s->scan);
	ExecDropSingleTupleTableSlot(s->slot);
	if (s->entry_context != NULL)
		MemoryContextDelete(s->entry_context);
}

static const ScanSourceMethods direct_methods = {DirectNext, DirectColumn, DirectPlace, DirectScanEnd};

ScanSource *
DirectScanBegin(Relation rel, Relation index, AttrNumber item_attnum,
				const ScanKeys *keys, Snapshot snapshot)
{
	DirectSource *s = palloc0(sizeof(DirectSource));
	ScanKeyData scankeys[SCAN_MAX_TESTS + SCAN_MAX_COLUMNS + 3];
	int			nkeys = BuildScanKeys(scankeys, index, keys);

	s->source.methods = &direct_methods;
	s->keys = keys;
	s->direction = keys->forward ? ForwardScanDirection : BackwardScanDirection;
	s->item_attnum = item_attnum;
	s->context = CurrentMemoryContext;
	if (keys->segment != NULL && !SegmentIsWhole(keys->segment))
		s->entry_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo index entry",
												 ALLOCSET_SMALL_SIZES);
	s->slot = table_slot_create(rel, NULL);
	s->scan = BeginIndexScan(rel, index, snapshot, nkeys);
	s->scan->xs_want_itup = s->entry_context != NULL;
	index_rescan(s->scan, scankeys, nkeys, NULL, 0);
	return &s->source;
}
