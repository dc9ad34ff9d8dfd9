/*
 * rows_on_shard.c
 *	  dynamo_system.rows_on_shard: reads rows of one partition key, of a shard or of several keys for
 *	  another node of Citus.
 *
 * Anybody may call it: it returns what a query returns to the caller, but only from a
 * shard of this server.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "fmgr.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "citus/node_row.h"
#include "citus/on_shard.h"
#include "citus/shards.h"
#include "errors.h"
#include "expr/name_set.h"
#include "item/io.h"
#include "op/get.h"
#include "op/op.h"
#include "op/sql_args.h"
#include "store/partition.h"
#include "store/segment.h"

/* A range, and what it consists of. */
typedef struct RowsRange
{
	TableDef   *def;
	const KeySchema *schema;	/* of the table or the index */
	ScanRange	scan;
	KeyCondition condition;
	SegmentSlice shard;			/* if there is no condition */
	Condition  *filter;			/* NULL if there is none */
	Projection *projection;		/* NULL for whole items */
	bool		elsewhere;		/* this table has no such shard */
} RowsRange;

/*
 * A call in progress, in flinfo->fn_extra.  The answer consists of parts, because a large
 * value would be allocated and copied three times before it is sent.
 */
#define PART_BYTES	(7 * 1024)
#define PARTS_BYTES	(48 * 1024) /* of those that are read at once */

typedef struct RowsCall
{
	FmgrInfo   *flinfo;
	MemoryContext context;		/* the memory of the call */
	Store		store;
	RowsRange	range;
	StoreScan  *scan;			/* of the range; NULL if keys are read */
	MemoryContext row_context;	/* of a row of the scan */
	Container	keys;
	uint32		key;			/* number of the next one */
	int			rows;			/* as many may follow; 0 or less: any number */
	int			bytes;
	bool		ended;
	StringInfoData parts;		/* varlenas, from the cursor on */
} RowsCall;

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
ReadRangeCondition(RowsRange *r, ValueRef range, KeyOperator operator)
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
ReadWholeShard(RowsRange *r, ValueRef number)
{
	int			position = -1;

	if (ShardsInOrder(r->def) > 0)
		position = FindShardNumber(ShardsOfTable(r->def), strtoi64(TextOfString(number), NULL, 10));
	r->shard = (SegmentSlice) {.def = r->def, .first_shard = position, .end_shard = position + 1};
	r->scan.segment = &r->shard;
	r->elsewhere = position < 0 || !StartsInShard(r);
}

/* The keys and the filter need some attributes in any case. */
static void
ReadNeeded(RowsRange *r, ValueRef names)
{
	NameSet		needed = {NULL, 0, 0};
	Container	list;

	ContainerOpen(names, &list);
	for (uint32 i = 0; i < list.count; i++)
	{
		ValueRef	name = ListElement(&list, i);

		if (ValueTypeOf(name) != VALUE_S)
			InvalidArgument("%s of the range must contain strings", RANGE_NEEDED);
		NameSetAdd(&needed, ValuePayload(name));
	}
	if (needed.n == 0)
		return;
	for (int i = 0; i < CountColumns(r); i++)
		NameSetAdd(&needed, RangeAttribute(r, i)->name);
	NameSetAddPaths(&needed, NULL, r->filter);
	NameSetFinish(&needed);
	r->scan.needed = needed.names;
	r->scan.nneeded = needed.n;
	r->projection = ProjectionOfNames(needed.names, needed.n);
}

/* What of the rows is returned. */
static void
ReadChoice(RowsRange *r, ValueRef range)
{
	ValueRef	filter = RangeMember(range, RANGE_FILTER, VALUE_S);
	ValueRef	needed = RangeMember(range, RANGE_NEEDED, VALUE_L);

	if (!ValueIsMissing(filter))
		r->filter = FilterOfShard(range, filter, RangeMember(range, RANGE_NAMES, VALUE_M));
	if (!ValueIsMissing(needed))
		ReadNeeded(r, needed);
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
	ReadChoice(r, range);
	if (ValueIsMissing(shard))
		ReadRangeCondition(r, range, operator);
	else
		ReadWholeShard(r, shard);
}

/* ---- rows ---- */

/* Rows are aligned from the header of their part on, which has the same size as theirs. */
static void
AlignRow(StringInfo out)
{
	appendStringInfoSpaces(out, INTALIGN(out->len) - out->len);
}

static void
AddItemToPart(StringInfo out, ValueRef item)
{
	AlignRow(out);
	ItemSendSized(out, item);
}

static void
AddEmptyRow(StringInfo out)
{
	AlignRow(out);
	pq_sendint32(out, 0);
}

/* Appends the row of a key; false if it is not on a shard of this server. */
static bool
AddRowOfKey(StringInfo out, Store *store, ValueRef key)
{
	RowKey		row;
	Store	   *shard;
	struct varlena *item;

	(void) GetBindKey(store->def, key, &row, NULL);
	shard = StoreOfKey(store, &row);
	if (!shard->direct)
		return false;
	item = StoreGet(shard, &row);
	if (item != NULL)
		AddItemToPart(out, ItemRoot(item));
	else
		AddEmptyRow(out);
	return true;
}

/* Appends the next row of the scan that matches the filter; false if there is none. */
static bool
AddRowOfScan(RowsCall *call)
{
	const RowsRange *range = &call->range;
	struct varlena *item;

	do
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(call->row_context);
		if (!StoreScanNext(call->scan, &item))
			return false;
	} while (range->filter != NULL && !ConditionMatches(range->filter, ItemRoot(item)));
	StoreScanCheck(call->scan);
	if (range->projection != NULL)
		item = ProjectionApply(range->projection, ItemRoot(item));
	AddItemToPart(&call->parts, ItemRoot(item));
	return true;
}

/* Appends the next row; false if there is none. */
static bool
AddNextRow(RowsCall *call)
{
	MemoryContext old;
	bool		added;

	if (call->scan == NULL)
	{
		CHECK_FOR_INTERRUPTS();
		return call->key < call->keys.count &&
			AddRowOfKey(&call->parts, &call->store, ListElement(&call->keys, call->key++));
	}
	old = MemoryContextSwitchTo(call->row_context);
	added = AddRowOfScan(call);
	MemoryContextSwitchTo(old);
	return added;
}

/* ---- parts ---- */

/* Begins a part; its varlena is complete when its size is set. */
static int
BeginPart(StringInfo parts, NodeStatus status)
{
	int			at = INTALIGN(parts->len);

	appendStringInfoSpaces(parts, at + VARHDRSZ - parts->len);
	appendStringInfoChar(parts, status);
	return at;
}

static void
ReadOnePart(RowsCall *call)
{
	StringInfo	parts = &call->parts;
	int			at = BeginPart(parts, NODE_DONE);
	bool		more = true;

	appendStringInfoChar(parts, 0);
	while (!call->ended && parts->len - at < PART_BYTES)
	{
		more = AddNextRow(call);
		call->ended = !more || --call->rows == 0 || parts->len - at >= call->bytes;
	}
	parts->data[at + VARHDRSZ + 1] = more;
	SET_VARSIZE(parts->data + at, parts->len - at);
	call->bytes -= parts->len - at;
}

/* Reads several parts at once, because sending each of them would wake the other node. */
static void
ReadSomeParts(RowsCall *call)
{
	MemoryContext old = MemoryContextSwitchTo(call->context);

	resetStringInfo(&call->parts);
	call->parts.cursor = 0;
	while (!call->ended && call->parts.len < PARTS_BYTES)
		ReadOnePart(call);
	MemoryContextSwitchTo(old);
}

/* Returns the next part, valid until the next call; NULL at the end. */
static struct varlena *
NextPart(RowsCall *call)
{
	StringInfo	parts = &call->parts;
	struct varlena *part;

	if (parts->cursor >= parts->len)
	{
		if (call->ended)
			return NULL;
		ReadSomeParts(call);
	}
	part = (struct varlena *) (parts->data + parts->cursor);
	parts->cursor = INTALIGN(parts->cursor + VARSIZE(part));
	return part;
}

/* ---- the call ---- */

static KeyOperator
ArgOperator(FunctionCallInfo fcinfo, int n)
{
	int			operator = PG_GETARG_INT32(n);

	if (operator < KEY_NONE || operator > KEY_BEGINS_WITH)
		InvalidArgument("key_operator must be between %d and %d", KEY_NONE, KEY_BEGINS_WITH);
	return (KeyOperator) operator;
}

static void
OpenKeys(ValueRef keys, Container *list)
{
	ContainerOpen(keys, list);
	for (uint32 i = 0; i < list->count; i++)
	{
		if (ValueTypeOf(ListElement(list, i)) != VALUE_M)
			InvalidArgument("%s of the range must be maps", RANGE_KEYS);
	}
}

/* Begins to read the range; false if it is not on a shard of this server. */
static bool
BeginRange(RowsCall *call, ValueRef given, KeyOperator operator)
{
	RowsRange  *range = &call->range;
	ValueRef	keys = RangeMember(given, RANGE_KEYS, VALUE_L);

	range->def = call->store.def;
	if (!ValueIsMissing(keys))
	{
		OpenKeys(keys, &call->keys);
		return StoreIsForNode(&call->store);
	}
	ReadRange(range, given, operator);
	if (!StoreIsForNode(&call->store) || range->elsewhere)
		return false;
	call->row_context = AllocSetContextCreate(call->context, "dynamo row", ALLOCSET_DEFAULT_SIZES);
	call->scan = StoreScanBegin(&call->store, &range->scan);
	return StoreScanIsDirect(call->scan);
}

static void
EndCall(Datum arg)
{
	RowsCall   *call = (RowsCall *) DatumGetPointer(arg);

	call->flinfo->fn_extra = NULL;
	if (call->scan != NULL)
		StoreScanEnd(call->scan);
	StoreClose(&call->store);
	MemoryContextDelete(call->context);
}

static void
ReadRowsArguments(RowsCall *call, FunctionCallInfo fcinfo)
{
	struct varlena *item = ItemReceive(SliceOfVarlena(PG_GETARG_BYTEA_PP(2)));
	KeyOperator operator = ArgOperator(fcinfo, 3);

	call->range.scan.forward = PG_GETARG_INT32(4) >= 0;
	call->rows = PG_GETARG_INT32(5);
	call->bytes = Min(PG_GETARG_INT32(6), READ_PAGE_SIZE);
	initStringInfo(&call->parts);
	OnShardOpen(&call->store, PG_GETARG_TEXT_PP(0), PG_GETARG_TEXT_PP(1), ACL_SELECT);
	call->ended = !BeginRange(call, ItemRoot(item), operator);
	if (call->ended)
	{
		(void) BeginPart(&call->parts, NODE_ELSEWHERE);
		SET_VARSIZE(call->parts.data, call->parts.len);
	}
}

static RowsCall *
BeginCall(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *rsinfo = RequireValuePerCall(fcinfo);
	MemoryContext context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "dynamo rows",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	RowsCall   *call = palloc0(sizeof(RowsCall));

	call->flinfo = fcinfo->flinfo;
	call->context = context;
	ReadRowsArguments(call, fcinfo);
	MemoryContextSwitchTo(old);
	fcinfo->flinfo->fn_extra = call;
	RegisterExprContextCallback(rsinfo->econtext, EndCall, PointerGetDatum(call));
	return call;
}

DYNAMO_FUNCTION(dynamo_rows_on_shard);
Datum
dynamo_rows_on_shard(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	RowsCall   *call = fcinfo->flinfo->fn_extra;
	struct varlena *part;

	if (call == NULL)
		call = BeginCall(fcinfo);
	part = NextPart(call);
	if (part != NULL)
	{
		rsinfo->isDone = ExprMultipleResult;
		PG_RETURN_POINTER(part);
	}
	UnregisterExprContextCallback(rsinfo->econtext, EndCall, PointerGetDatum(call));
	EndCall(PointerGetDatum(call));
	rsinfo->isDone = ExprEndResult;
	PG_RETURN_NULL();
}
