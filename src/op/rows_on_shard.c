/*
 * rows_on_shard.c
 *	  dynamo.rows_on_shard: reads rows of one partition key for another node of Citus.
 *
 * Anybody may call it: it returns what a query returns to the caller, but only from a
 * shard of this server.
 */
#include "postgres.h"

#include "fmgr.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"

#include "errors.h"
#include "item/io.h"
#include "op/on_shard.h"
#include "op/op.h"
#include "store/node_row.h"
#include "store/partition.h"

/* Where a batch ends. */
typedef struct BatchLimit
{
	int			rows;			/* 0: none */
	int			bytes;
} BatchLimit;

/* ---- the range ---- */

/* A map of the range; MISSING_VALUE if it is absent. */
static ValueRef
RangeMember(ValueRef range, const char *name)
{
	ValueRef	member = AttributeFind(range, name, strlen(name));

	if (!ValueIsMissing(member) && ValueTypeOf(member) != VALUE_M)
		InvalidArgument("%s of the range must be a map", name);
	return member;
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
	test->value = RangeValue(RangeMember(range, RANGE_KEY), attr);
	if (operator == KEY_BETWEEN)
		test->upper = RangeValue(RangeMember(range, RANGE_UPPER), attr);
}

static void
ReadRange(const TableDef *def, ValueRef range, KeyOperator operator, KeyCondition *condition,
		  ScanRange *scan)
{
	condition->ntests = KeyCount(&def->key);
	for (int i = 0; i < condition->ntests; i++)
		ReadTest(&condition->tests[i], TableKeyAttribute(def, i), i == 0 ? KEY_EQ : operator, range);
	scan->condition = condition;
	scan->shard = -1;
	scan->start = RangeMember(range, RANGE_START);
	for (int i = 0; !ValueIsMissing(scan->start) && i < condition->ntests; i++)
		(void) RangeValue(scan->start, TableKeyAttribute(def, i));
}

/* ---- the rows ---- */

static void
AddRow(StringInfo out, ValueRef item)
{
	int			at = out->len;
	uint32		len;

	pq_sendint32(out, 0);
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
	Datum		key = KeyValueToDatum(TableKeyAttribute(store->def, 0), range->condition->tests[0].value);
	StoreScan  *scan;
	bool		direct;
	int			at;

	if (!StoreOfValues(store, &key, 1)->direct)
		return false;
	scan = StoreScanBegin(store, range);
	direct = StoreScanIsDirect(scan);
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

/* ---- the function ---- */

static KeyOperator
ArgOperator(FunctionCallInfo fcinfo, int n)
{
	int			operator = PG_GETARG_INT32(n);

	if (operator < KEY_NONE || operator > KEY_BEGINS_WITH)
		InvalidArgument("key_operator must be between %d and %d", KEY_NONE, KEY_BEGINS_WITH);
	return (KeyOperator) operator;
}

DYNAMO_FUNCTION(dynamo_rows_on_shard);
Datum
dynamo_rows_on_shard(PG_FUNCTION_ARGS)
{
	struct varlena *item = OnShardItem(PG_GETARG_BYTEA_PP(2));
	KeyOperator operator = ArgOperator(fcinfo, 3);
	BatchLimit	limit = {PG_GETARG_INT32(5), Min(PG_GETARG_INT32(6), READ_PAGE_SIZE)};
	ScanRange	range = {.forward = PG_GETARG_INT32(4) >= 0};
	KeyCondition condition;
	StringInfoData answer;
	Store		store;

	initStringInfo(&answer);
	appendStringInfoSpaces(&answer, VARHDRSZ);
	OnShardOpen(&store, PG_GETARG_TEXT_PP(0), PG_GETARG_TEXT_PP(1), ACL_SELECT);
	ReadRange(store.def, ItemRoot(item), operator, &condition, &range);
	if (!StoreIsForNode(&store) || !ReadRows(&answer, &store, &range, &limit))
		appendStringInfoChar(&answer, NODE_ELSEWHERE);
	StoreClose(&store);
	SET_VARSIZE(answer.data, answer.len);
	PG_RETURN_POINTER(answer.data);
}
