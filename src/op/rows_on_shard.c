/*
 * rows_on_shard.c
 *	  dynamo.rows_on_shard: reads rows of one partition key, of a shard or of several keys for
 *	  another node of Citus.
 *
 * Anybody may call it: it returns what a query returns to the caller, but only from a
 * shard of this server.
 */
#include "postgres.h"

#include "fmgr.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"

#include "citus/shards.h"
#include "errors.h"
#include "item/io.h"
#include "op/get.h"
#include "op/on_shard.h"
#include "op/op.h"
#include "store/node_row.h"
#include "store/partition.h"
#include "store/segment.h"

/* Where a batch ends. */
typedef struct BatchLimit
{
	int			rows;			/* 0: none */
	int			bytes;
} BatchLimit;

/* A range, and what it consists of. */
typedef struct RowsRange
{
	TableDef   *def;
	const KeySchema *schema;	/* of the table or the index */
	ScanRange	scan;
	KeyCondition condition;
	SegmentSlice shard;			/* if there is no condition */
	bool		elsewhere;		/* this table has no such shard */
} RowsRange;

/* ---- the range ---- */

static const char *
RangeTypeName(ValueType type)
{
	return type == VALUE_M ? "map" : type == VALUE_L ? "list" : "string";
}

/* A member of the range; MISSING_VALUE if it is absent. */
static ValueRef
RangeMember(ValueRef range, const char *name, ValueType type)
{
	ValueRef	member = AttributeFind(range, name, strlen(name));

	if (!ValueIsMissing(member) && ValueTypeOf(member) != type)
		InvalidArgument("%s of the range must be a %s", name, RangeTypeName(type));
	return member;
}

/* The columns that an order of rows has. */
static int
CountColumns(const RowsRange *r)
{
	return r->scan.index != NULL ? r->scan.index->nentry : KeyCount(r->schema);
}

static const AttributeDef *
RangeAttribute(const RowsRange *r, int i)
{
	return r->scan.index != NULL ? EntryAttribute(r->def, r->scan.index, i) : TableKeyAttribute(r->def, i);
}

static char *
TextOfString(ValueRef string)
{
	Slice		text = ValuePayload(string);

	return pnstrdup(text.data, text.len);
}

static bool
HasAttribute(ValueRef map, const AttributeDef *attr)
{
	return !ValueIsMissing(AttributeFind(map, attr->name.data, attr->name.len));
}

/* A value with the type of an attribute, which can be stored in its column. */
static ValueRef
RangeValue(ValueRef member, const AttributeDef *attr)
{
	ValueRef	v = AttributeFind(member, attr->name.data, attr->name.len);

	(void) KeyValueToDatum(attr, v);
	return v;
}

static void
ReadTest(KeyTest *test, const AttributeDef *attr, KeyOperator operator, ValueRef range)
{
	test->op = operator;
	if (operator == KEY_NONE)
		return;
	if (operator == KEY_BEGINS_WITH && attr->type == VALUE_N)
		InvalidArgument("attribute %s is a number", attr->name.data);
	test->value = RangeValue(RangeMember(range, RANGE_KEY, VALUE_M), attr);
	if (operator == KEY_BETWEEN)
		test->upper = RangeValue(RangeMember(range, RANGE_UPPER, VALUE_M), attr);
}

/*
 * The comparison of a key attribute; see node_row.h.  The first attribute behind the
 * partition key must be there if there is a comparison.
 */
static KeyOperator
OperatorOfAttribute(const RowsRange *r, int i, KeyOperator operator, ValueRef key)
{
	int			npartition = r->schema->npartition;

	if (i < npartition)
		return KEY_EQ;
	if (i > npartition && !HasAttribute(key, RangeAttribute(r, i)))
		return KEY_NONE;
	return i + 1 < KeyCount(r->schema) && HasAttribute(key, RangeAttribute(r, i + 1)) ? KEY_EQ : operator;
}

static void
ReadCondition(RowsRange *r, ValueRef range, KeyOperator operator)
{
	ValueRef	key = RangeMember(range, RANGE_KEY, VALUE_M);

	r->condition.ntests = KeyCount(r->schema);
	for (int i = 0; i < r->condition.ntests; i++)
		ReadTest(&r->condition.tests[i], RangeAttribute(r, i), OperatorOfAttribute(r, i, operator, key), range);
	r->scan.condition = &r->condition;
}

/* Whether the start is in the shard, or there is none. */
static bool
StartsInShard(const RowsRange *r)
{
	const AttributeDef *attr = TableKeyAttribute(r->def, 0);

	return ValueIsMissing(r->scan.start) ||
		ShardOfKey(r->def, KeyValueToDatum(attr, RangeValue(r->scan.start, attr))) == r->shard.first_shard;
}

/* The whole shard with a number, which may have been split since. */
static void
ReadShard(RowsRange *r, ValueRef number)
{
	int			position = -1;

	if (ShardsInOrder(r->def) > 0)
		position = FindShardNumber(ShardsOfTable(r->def), strtoi64(TextOfString(number), NULL, 10));
	r->shard = (SegmentSlice) {.def = r->def, .first_shard = position, .end_shard = position + 1};
	r->scan.segment = &r->shard;
	r->elsewhere = position < 0 || !StartsInShard(r);
}

static void
ReadRange(RowsRange *r, ValueRef range, KeyOperator operator)
{
	ValueRef	index = RangeMember(range, RANGE_INDEX, VALUE_S);
	ValueRef	shard = RangeMember(range, RANGE_SHARD, VALUE_S);

	r->schema = &r->def->key;
	if (!ValueIsMissing(index))
	{
		r->scan.index = TableDefIndexForRead(r->def, TextOfString(index), true);
		r->schema = &r->scan.index->key;
	}
	r->scan.shard = -1;
	r->scan.start = RangeMember(range, RANGE_START, VALUE_M);
	for (int i = 0; !ValueIsMissing(r->scan.start) && i < CountColumns(r); i++)
		(void) RangeValue(r->scan.start, RangeAttribute(r, i));
	if (ValueIsMissing(shard))
		ReadCondition(r, range, operator);
	else
		ReadShard(r, shard);
}

/* ---- the rows ---- */

/* Rows are aligned from the header of the result on, which has the same size as theirs. */
static int
AddEmptyRow(StringInfo out)
{
	int			at = INTALIGN(out->len);

	appendStringInfoSpaces(out, at - out->len);
	pq_sendint32(out, 0);
	return at;
}

static void
AddRow(StringInfo out, ValueRef item)
{
	int			at = AddEmptyRow(out);
	uint32		len;

	ItemSend(out, item);
	len = pg_hton32((uint32) (out->len - at) - sizeof(uint32));
	memcpy(out->data + at, &len, sizeof(uint32));
}

/* Appends the rows of a batch; returns whether there may be more. */
static bool
AddRows(StringInfo out, StoreScan *scan, const BatchLimit *limit)
{
	struct varlena *item;
	int			n = 0;

	while (StoreScanNext(scan, &item))
	{
		CHECK_FOR_INTERRUPTS();
		StoreScanCheck(scan);
		AddRow(out, ItemRoot(item));
		if (++n == limit->rows || out->len >= limit->bytes)
			return true;
	}
	return false;
}

/* Appends status and rows; false if the range is not on a shard of this server. */
static bool
ReadRows(StringInfo out, Store *store, const ScanRange *range, const BatchLimit *limit)
{
	StoreScan  *scan = StoreScanBegin(store, range);
	bool		direct = StoreScanIsDirect(scan);
	int			at;

	if (direct)
	{
		appendStringInfoChar(out, NODE_DONE);
		at = out->len;
		appendStringInfoChar(out, 0);
		out->data[at] = AddRows(out, scan, limit);
	}
	StoreScanEnd(scan);
	return direct;
}

/* ---- rows of keys ---- */

/* Appends the row of a key; false if it is not on a shard of this server. */
static bool
AddRowOfKey(StringInfo out, Store *store, ValueRef key)
{
	RowKey		row;
	struct varlena *item;

	(void) GetBindKey(store->def, key, &row, NULL);
	if (!StoreOfKey(store, &row)->direct)
		return false;
	item = StoreGet(store, &row);
	if (item != NULL)
		AddRow(out, ItemRoot(item));
	else
		AddEmptyRow(out);
	return true;
}

/* Appends status and rows of as many keys as fit; false if one is not on a shard of this server. */
static bool
ReadKeys(StringInfo out, Store *store, ValueRef keys, const BatchLimit *limit)
{
	Container	list;

	ContainerOpen(keys, &list);
	appendStringInfoChar(out, NODE_DONE);
	appendStringInfoChar(out, 0);
	for (uint32 i = 0; i < list.count && out->len < limit->bytes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!AddRowOfKey(out, store, ListElement(&list, i)))
			return false;
	}
	return true;
}

/* ---- the function ---- */

static KeyOperator
ArgOperator(FunctionCallInfo fcinfo, int n)
{
	int			operator = PG_GETARG_INT32(n);

	if (operator < KEY_NONE || operator > KEY_BEGINS_WITH)
		InvalidArgument("key_operator must be between %d and %d", KEY_NONE, KEY_BEGINS_WITH);
	return (KeyOperator) operator;
}

static bool
ReadAnswer(StringInfo out, Store *store, RowsRange *range, const BatchLimit *limit, ValueRef given,
		   KeyOperator operator)
{
	ValueRef	keys = RangeMember(given, RANGE_KEYS, VALUE_L);

	if (!ValueIsMissing(keys))
		return StoreIsForNode(store) && ReadKeys(out, store, keys, limit);
	ReadRange(range, given, operator);
	return StoreIsForNode(store) && !range->elsewhere && ReadRows(out, store, &range->scan, limit);
}

DYNAMO_FUNCTION(dynamo_rows_on_shard);
Datum
dynamo_rows_on_shard(PG_FUNCTION_ARGS)
{
	struct varlena *item = OnShardItem(PG_GETARG_BYTEA_PP(2));
	KeyOperator operator = ArgOperator(fcinfo, 3);
	BatchLimit	limit = {PG_GETARG_INT32(5), Min(PG_GETARG_INT32(6), READ_PAGE_SIZE)};
	RowsRange	range = {.scan.forward = PG_GETARG_INT32(4) >= 0};
	StringInfoData answer;
	Store		store;

	initStringInfo(&answer);
	appendStringInfoSpaces(&answer, VARHDRSZ);
	OnShardOpen(&store, PG_GETARG_TEXT_PP(0), PG_GETARG_TEXT_PP(1), ACL_SELECT);
	range.def = store.def;
	if (!ReadAnswer(&answer, &store, &range, &limit, ItemRoot(item), operator))
	{
		answer.len = VARHDRSZ;
		appendStringInfoChar(&answer, NODE_ELSEWHERE);
	}
	StoreClose(&store);
	SET_VARSIZE(answer.data, answer.len);
	PG_RETURN_POINTER(answer.data);
}
