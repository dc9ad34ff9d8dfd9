/*
 * scan_range.c
 *	  Converts the range to tests on the columns of a btree.
 *
 * A key condition becomes equality tests of the leading columns and at most a
 * lower and an upper bound of the next one.  An exclusive start key becomes a
 * row comparison of the columns that are not fixed.  It implies the bound on
 * its side, because the caller has checked that the start key satisfies the
 * condition.  It replaces that bound, so that the scan starts at the start
 * key.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/rel.h"

#include "item/number.h"
#include "item/prefix.h"
#include "store/scan.h"
#include "store/segment.h"
#include "table/placement.h"

/* ---- columns ---- */

/* Adds the columns of the index, then those of the table, each once. */
static void
AddScanColumns(ScanKeys *keys, const TableDef *def, const IndexDef *index)
{
	const KeySchema *key = index != NULL ? &index->key : &def->key;
	const int  *attributes = index != NULL ? index->entry : def->key_attributes;

	keys->schema = key;
	keys->ncolumns = index != NULL ? index->nentry : KeyCount(key);
	for (int i = 0; i < keys->ncolumns; i++)
		keys->columns[i] = &def->attributes[attributes[i]];
}

/* ---- tests ---- */

static void
AddTest(ScanKeys *keys, int column, StrategyNumber strategy, Datum value)
{
	ScanTest   *test = &keys->tests[keys->ntests++];

	test->column = column;
	test->strategy = strategy;
	test->value = value;
}

static void
AddPrefixBound(ScanKeys *keys, int column, ValueRef prefix)
{
	const AttributeDef *attr = keys->columns[column];
	Datum		datum = KeyValueToDatum(attr, prefix);
	struct varlena *bound;

	if (attr->type == VALUE_S)
		bound = PrefixUpperText((struct varlena *) DatumGetPointer(datum));
	else
		bound = PrefixUpperBytea((struct varlena *) DatumGetPointer(datum));
	if (bound != NULL)
		AddTest(keys, column, BTLessStrategyNumber, PointerGetDatum(bound));
}

static StrategyNumber
LowerStrategy(KeyOperator op)
{
	switch (op)
	{
		case KEY_GT:
			return BTGreaterStrategyNumber;
		case KEY_GE:
		case KEY_BETWEEN:
		case KEY_BEGINS_WITH:
			return BTGreaterEqualStrategyNumber;
		default:
			return InvalidStrategy;
	}
}

/* Adds the lower bound of a test, if it has one. */
static void
AddLower(ScanKeys *keys, int column, const KeyTest *test)
{
	StrategyNumber strategy = LowerStrategy(test->op);

	if (strategy != InvalidStrategy)
		AddTest(keys, column, strategy,
				KeyValueToDatum(keys->columns[column], test->value));
}

/* Adds the upper bound of a test, if it has one. */
static void
AddUpper(ScanKeys *keys, int column, const KeyTest *test)
{
	const AttributeDef *attr = keys->columns[column];

	switch (test->op)
	{
		case KEY_LT:
			AddTest(keys, column, BTLessStrategyNumber,
					KeyValueToDatum(attr, test->value));
			break;
		case KEY_LE:
			AddTest(keys, column, BTLessEqualStrategyNumber,
					KeyValueToDatum(attr, test->value));
			break;
		case KEY_BETWEEN:
			AddTest(keys, column, BTLessEqualStrategyNumber,
					KeyValueToDatum(attr, test->upper));
			break;
		case KEY_BEGINS_WITH:
			AddPrefixBound(keys, column, test->value);
			break;
		default:
			break;
	}
}

/*
 * Adds the tests of a condition.  from_start: a start key replaces the bound
 * on its side.
 */
static void
AddTests(ScanKeys *keys, const KeyCondition *condition, bool from_start)
{
	for (int i = 0; i < condition->ntests; i++)
	{
		const KeyTest *test = &condition->tests[i];

		if (test->op == KEY_NONE)
			break;
		if (test->op == KEY_EQ)
		{
			AddTest(keys, i, BTEqualStrategyNumber,
					KeyValueToDatum(keys->columns[i], test->value));
			keys->nfixed = i + 1;
			continue;
		}
		if (!from_start || !keys->forward)
			AddLower(keys, i, test);
		if (!from_start || keys->forward)
			AddUpper(keys, i, test);
		break;
	}
}

static bool
ColumnTested(const ScanKeys *keys, int column)
{
	for (int i = 0; i < keys->ntests; i++)
	{
		if (keys->tests[i].column == column)
			return true;
	}
	return false;
}

/*
 * Requires every key attribute of an inline index.  The btree's predicate does
 * this for the partition attributes only, and only if the planner can prove
 * it.
 */
static void
AddNotNull(ScanKeys *keys, const IndexDef *index)
{
	int			nkey = KeyCount(&index->key);

	for (int i = 0; i < nkey; i++)
	{
		if (!ColumnTested(keys, i))
			keys->notnull[keys->nnotnull++] = i;
	}
}

static void
AddStart(ScanKeys *keys, ValueRef start)
{
	keys->nstart = keys->ncolumns - keys->nfixed;
	keys->empty = keys->nstart == 0;

	for (int i = 0; i < keys->nstart; i++)
	{
		const AttributeDef *attr = keys->columns[keys->nfixed + i];
		ValueRef	v = AttributeFind(start, attr->name.data, attr->name.len);

		keys->start[i] = KeyValueToDatum(attr, v);
	}
}

/* Sets the values of a bound; false if there is none. */
static bool
SetBound(const ScanKeys *keys, const ValueRef *bound, Datum *values)
{
	for (int i = 0; bound != NULL && i < keys->schema->npartition; i++)
		values[i] = KeyValueToDatum(keys->columns[i], bound[i]);
	return bound != NULL;
}

/*
 * Adds the bounds of a segment.  A start key replaces the lower bound, because
 * scans of segments go forward.
 */
static void
AddSegment(ScanKeys *keys, const SegmentSlice *segment, bool from_start)
{
	keys->segment = segment;
	keys->has_lower = !from_start && SetBound(keys, SegmentLower(segment), keys->lower);
	keys->has_upper = SetBound(keys, SegmentUpper(segment), keys->upper);
}

void
ScanKeysInit(ScanKeys *keys, const TableDef *def, const ScanRange *range)
{
	bool		from_start = !ValueIsMissing(range->start);

	memset(keys, 0, sizeof(ScanKeys));
	keys->forward = range->forward;
	keys->needed = range->needed;
	keys->nneeded = range->nneeded;

	AddScanColumns(keys, def, range->index);
	if (range->condition != NULL)
		AddTests(keys, range->condition, from_start);
	if (range->index != NULL && !range->index->kind->own_entries)
		AddNotNull(keys, range->index);
	if (from_start)
		AddStart(keys, range->start);
	if (range->segment != NULL && range->segment->def == NULL)
		AddSegment(keys, range->segment, from_start);
}

/* ---- segments ---- */

SegmentSlice *
StoreSegment(Store *store, const IndexDef *index, uint32 segment, uint32 total_segments)
{
	SegmentSlice *slice = palloc0(sizeof(SegmentSlice));
	SegmentMap *map;

	if (placement->shards_in_order(store->def) > 0)
	{
		slice->def = store->def;
		placement->shards_of_segment(store->def, segment, total_segments, &slice->first_shard, &slice->end_shard);
		return slice;
	}
	if (StoreSegmentsAreRanges() && !StoreHidesRows(store))
	{
		SegmentsKeep(RelationGetRelid(store->rel));
		map = SegmentMapRead(store->rel, store->def, index);
	}
	else
		map = SegmentMapWhole(index != NULL ? &index->key : &store->def->key);
	SegmentSliceInit(slice, map, segment, total_segments);
	return slice;
}

/* Whether the shard with a key is in a segment of a distributed table. */
static bool
ShardInSegment(const SegmentSlice *segment, ValueRef item)
{
	const AttributeDef *attr = TableKeyAttribute(segment->def, 0);
	ValueRef	v = AttributeFind(item, attr->name.data, attr->name.len);
	int			shard = placement->shard_of_key(segment->def, KeyValueToDatum(attr, v));

	return shard >= segment->first_shard && shard < segment->end_shard;
}

bool
KeyInSegment(const SegmentSlice *segment, const KeySchema *key, ValueRef item)
{
	Slice		payloads[KEY_MAX_ATTRIBUTES];

	if (segment->def != NULL)
		return ShardInSegment(segment, item);
	for (int i = 0; i < key->npartition; i++)
	{
		Slice		name = key->attributes[i].name;

		payloads[i] = ValuePayload(AttributeFind(item, name.data, name.len));
	}
	return SegmentHas(segment, payloads);
}

/*
 * Returns the payload that a column's value has in an item; false if no item
 * can contain it.
 */
static bool
ColumnPayload(ValueType type, Datum datum, uint8 *number, Slice *payload)
{
	if (type == VALUE_N)
	{
		payload->data = (const char *) number;
		return NumberFromNumeric(DatumGetNumeric(datum), number, &payload->len) == NUMBER_OK;
	}
	*payload = SliceOfVarlena(PG_DETOAST_DATUM_PACKED(datum));
	return true;
}

bool
ColumnsInSegment(const ScanKeys *keys, const Datum *values, const bool *nulls,
				 const char **problem)
{
	uint8		numbers[KEY_MAX_ATTRIBUTES][NUMBER_MAX_BYTES];
	Slice		payloads[KEY_MAX_ATTRIBUTES];

	*problem = NULL;
	for (int i = 0; i < keys->schema->npartition; i++)
	{
		if (nulls[i] || !ColumnPayload(keys->columns[i]->type, values[i], numbers[i], &payloads[i]))
		{
			*problem = ColumnProblem(keys->columns[i], values[i], nulls[i]);
			return false;
		}
	}
	return SegmentHas(keys->segment, payloads);
}
