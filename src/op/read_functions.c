/*
 * read_functions.c
 *	  The SQL functions dynamo.query, dynamo.scan and their pages.
 *
 * The set-returning functions return one item per call.  A caller who stops
 * early (LIMIT over a select list) thereby ends the scan: the executor calls
 * EndRead.  In FROM, PostgreSQL reads a function to its end.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "op/read.h"
#include "op/sql_args.h"

/* ---- arguments ---- */

static void
InitReadOp(ReadOp *op, bool query, FunctionCallInfo fcinfo)
{
	memset(op, 0, sizeof(*op));
	op->query = query;
	op->table_name = ArgTableName(fcinfo, 0);
	op->forward = true;
	op->shard = -1;
}

/* Returns a count argument; NULL is 0. */
static int64
ArgCount(FunctionCallInfo fcinfo, int n, const char *name)
{
	int32		count;

	if (ArgIsNull(fcinfo, n))
		return 0;
	count = PG_GETARG_INT32(n);
	if (count < 1)
		ModelError(psprintf("%d", count), name,
				   "Member must have value greater than or equal to 1");
	return count;
}

static void
ArgShard(FunctionCallInfo fcinfo, int shard, ReadOp *op)
{
	if (!ArgIsNull(fcinfo, shard))
	{
		op->shard = PG_GETARG_INT32(shard);
		if (op->shard < 0)
			ModelError(psprintf("%d", op->shard), "shard",
					   "Member must have value greater than or equal to 0");
	}
	op->shard_value = ArgItem(fcinfo, shard + 1, NULL);
}

/* Returns an argument that must be in a range, Segment or TotalSegments. */
static int64
ArgRange(FunctionCallInfo fcinfo, int n, const char *name, int64 low, int64 high)
{
	int64		value = PG_GETARG_INT32(n);

	if (value < low)
		ModelError(psprintf(INT64_FORMAT, value), name,
				   psprintf("Member must have value greater than or equal to " INT64_FORMAT, low));
	if (value > high)
		ModelError(psprintf(INT64_FORMAT, value), name,
				   psprintf("Member must have value less than or equal to " INT64_FORMAT, high));
	return value;
}

static void
ArgSegments(FunctionCallInfo fcinfo, int segment, ReadOp *op)
{
	int			total = segment + 1;

	op->segment_given = !ArgIsNull(fcinfo, segment);
	op->total_segments_given = !ArgIsNull(fcinfo, total);
	if (op->segment_given)
		op->segment = ArgRange(fcinfo, segment, "segment", 0, 999999);
	if (op->total_segments_given)
		op->total_segments = ArgRange(fcinfo, total, "totalSegments", 1, 1000000);
}

static SelectKind
ArgSelect(FunctionCallInfo fcinfo, int n)
{
	SelectKind	kind;
	const char *text;

	if (ArgIsNull(fcinfo, n))
		return SELECT_DEFAULT;
	text = ArgString(fcinfo, n);
	if (!SelectKindFromText(SliceOf(text), &kind))
		ModelError(text, "select", SELECT_KIND_SET);
	return kind;
}

/*
 * query(table_name, key_condition_expression, expression_attribute_values,
 *		 expression_attribute_names, index_name, scan_index_forward,
 *		 max_items or page_size, exclusive_start_key, filter_expression,
 *		 projection_expression, shard, shard_value)
 */
enum
{
	QUERY_KEY_CONDITION = 1,
	QUERY_VALUES,
	QUERY_NAMES,
	QUERY_INDEX,
	QUERY_FORWARD,
	QUERY_COUNT,
	QUERY_START,
	QUERY_FILTER,
	QUERY_PROJECTION,
	QUERY_SHARD,
	QUERY_SHARD_VALUE,
	QUERY_SELECT				/* query_page only */
};

/* values: the argument with the values; negative if they are set otherwise. */
static void
QueryOpWith(FunctionCallInfo fcinfo, ReadOp *op, int values)
{
	InitReadOp(op, true, fcinfo);
	op->key_condition = ArgExpr(fcinfo, QUERY_KEY_CONDITION);
	op->args = ArgExprArgs(fcinfo, values, QUERY_NAMES);
	op->index_name = ArgString(fcinfo, QUERY_INDEX);
	op->forward = ArgIsNull(fcinfo, QUERY_FORWARD) || PG_GETARG_BOOL(QUERY_FORWARD);
	op->start = ArgItem(fcinfo, QUERY_START, NULL);
	op->filter = ArgExpr(fcinfo, QUERY_FILTER);
	op->projection = ArgExpr(fcinfo, QUERY_PROJECTION);
	ArgShard(fcinfo, QUERY_SHARD, op);
}

static void
QueryOp(FunctionCallInfo fcinfo, ReadOp *op)
{
	QueryOpWith(fcinfo, op, QUERY_VALUES);
}

/*
 * scan(table_name, filter_expression, expression_attribute_values,
 *		expression_attribute_names, index_name, projection_expression,
 *		max_items or page_size, exclusive_start_key, segment, total_segments)
 */
enum
{
	SCAN_FILTER = 1,
	SCAN_VALUES,
	SCAN_NAMES,
	SCAN_INDEX,
	SCAN_PROJECTION,
	SCAN_COUNT,
	SCAN_START,
	SCAN_SEGMENT,
	SCAN_TOTAL_SEGMENTS,
	SCAN_SELECT					/* scan_page only */
};

static void
ScanOp(FunctionCallInfo fcinfo, ReadOp *op)
{
	InitReadOp(op, false, fcinfo);
	op->filter = ArgExpr(fcinfo, SCAN_FILTER);
	op->args = ArgExprArgs(fcinfo, SCAN_VALUES, SCAN_NAMES);
	op->index_name = ArgString(fcinfo, SCAN_INDEX);
	op->projection = ArgExpr(fcinfo, SCAN_PROJECTION);
	op->start = ArgItem(fcinfo, SCAN_START, NULL);
	ArgSegments(fcinfo, SCAN_SEGMENT, op);
}

/* ---- sets of items ---- */

/* A running call of query or scan, in flinfo->fn_extra. */
typedef struct SetRead
{
	FmgrInfo   *flinfo;
	ReadOp		op;
	Reader	   *reader;
	int64		remaining;		/* number of items to return; -1 for all */
	MemoryContext context;		/* the memory of the call */
} SetRead;

static void
EndRead(Datum arg)
{
	SetRead    *read = (SetRead *) DatumGetPointer(arg);

	read->flinfo->fn_extra = NULL;
	ReaderClose(read->reader);
	MemoryContextDelete(read->context);
}

typedef void (*MakeReadOp) (FunctionCallInfo fcinfo, ReadOp *op);

/*
 * Starts a read.  It is not inlined, so that the calls for further items need
 * small stack frames.
 */
static pg_noinline SetRead *
BeginRead(FunctionCallInfo fcinfo, MakeReadOp make_op, int count_arg)
{
	ReturnSetInfo *rsinfo = RequireValuePerCall(fcinfo);
	MemoryContext context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt,
												  "dynamo read",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	SetRead    *read = palloc0(sizeof(SetRead));
	int64		max_items = ArgCount(fcinfo, count_arg, "max_items");

	read->flinfo = fcinfo->flinfo;
	read->context = context;
	read->remaining = max_items > 0 ? max_items : -1;
	make_op(fcinfo, &read->op);
	read->op.matches_only = true;
	read->op.rows = read->op.filter.given ? 0 : max_items;
	read->reader = ReaderOpen(&read->op);
	MemoryContextSwitchTo(old);

	fcinfo->flinfo->fn_extra = read;
	RegisterExprContextCallback(rsinfo->econtext, EndRead, PointerGetDatum(read));
	return read;
}

/* Returns the next item, or NULL at the end. */
static struct varlena *
NextMatch(SetRead *read)
{
	ReadRow		row;

	if (read->remaining == 0)
		return NULL;
	while (ReaderNext(read->reader, &row))
	{
		if (!row.matched)
			continue;
		if (read->remaining > 0)
			read->remaining--;
		return row.item;
	}
	return NULL;
}

static Datum
ReturnItems(FunctionCallInfo fcinfo, MakeReadOp make_op, int count_arg)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	SetRead    *read = fcinfo->flinfo->fn_extra;
	struct varlena *item;

	if (read == NULL)
		read = BeginRead(fcinfo, make_op, count_arg);
	item = NextMatch(read);
	if (item != NULL)
	{
		rsinfo->isDone = ExprMultipleResult;
		PG_RETURN_POINTER(item);
	}

	UnregisterExprContextCallback(rsinfo->econtext, EndRead, PointerGetDatum(read));
	EndRead(PointerGetDatum(read));
	rsinfo->isDone = ExprEndResult;
	PG_RETURN_NULL();
}

DYNAMO_FUNCTION(dynamo_query);
Datum
dynamo_query(PG_FUNCTION_ARGS)
{
	return ReturnItems(fcinfo, QueryOp, QUERY_COUNT);
}

DYNAMO_FUNCTION(dynamo_scan);
Datum
dynamo_scan(PG_FUNCTION_ARGS)
{
	return ReturnItems(fcinfo, ScanOp, SCAN_COUNT);
}

/* ---- pages ---- */

static Datum
ItemArray(const ReadPageResult *page, Oid array_type)
{
	Oid			item_type = get_element_type(array_type);
	Datum	   *items = palloc(sizeof(Datum) * Max(page->count, 1));
	int16		typlen;
	bool		typbyval;
	char		typalign;

	for (int i = 0; i < page->count; i++)
		items[i] = PointerGetDatum(page->items[i]);
	get_typlenbyvalalign(item_type, &typlen, &typbyval, &typalign);
	return PointerGetDatum(construct_array(items, page->count, item_type,
										   typlen, typbyval, typalign));
}

/* Returns the row (items, count, scanned_count, last_evaluated_key). */
static Datum
PageTuple(FunctionCallInfo fcinfo, const ReadPageResult *page)
{
	TupleDesc	desc;
	Datum		values[4];
	bool		nulls[4] = {false};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	nulls[0] = page->items == NULL;
	if (!nulls[0])
		values[0] = ItemArray(page, TupleDescAttr(desc, 0)->atttypid);
	values[1] = Int32GetDatum(page->count);
	values[2] = Int32GetDatum(page->scanned_count);
	nulls[3] = page->last_key == NULL;
	values[3] = PointerGetDatum(page->last_key);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}

DYNAMO_FUNCTION(dynamo_query_page);
Datum
dynamo_query_page(PG_FUNCTION_ARGS)
{
	int64		limit = ArgCount(fcinfo, QUERY_COUNT, "limit");
	ReadOp		op;
	ReadPageResult page;

	QueryOp(fcinfo, &op);
	op.select = ArgSelect(fcinfo, QUERY_SELECT);
	ReadPage(&op, limit, &page);
	return PageTuple(fcinfo, &page);
}

DYNAMO_FUNCTION(dynamo_scan_page);
Datum
dynamo_scan_page(PG_FUNCTION_ARGS)
{
	int64		limit = ArgCount(fcinfo, SCAN_COUNT, "limit");
	ReadOp		op;
	ReadPageResult page;

	ScanOp(fcinfo, &op);
	op.select = ArgSelect(fcinfo, SCAN_SELECT);
	ReadPage(&op, limit, &page);
	return PageTuple(fcinfo, &page);
}

/* ---- several queries as one ---- */

/*
 * query_each(table_name, key_condition_expression, expression_attribute_values dynamo.item[],
 *		 expression_attribute_names, index_name, scan_index_forward,
 *		 max_items or page_size, exclusive_start_key, filter_expression,
 *		 projection_expression)
 */
typedef struct EachRead
{
	ReadOp		op;
	int			n;
	ValueRef   *values;
	MemoryContext context;		/* of the page */
	ReadPageResult page;
	int			next;			/* item of the page */
	int64		remaining;		/* number of items to return; -1 for all */
	bool		ended;			/* no page follows */
} EachRead;

static void
EachOp(FunctionCallInfo fcinfo, EachRead *read)
{
	Datum	   *items = NULL;
	bool	   *nulls;

	QueryOpWith(fcinfo, &read->op, -1);
	if (!read->op.key_condition.given)
		ModelError(NULL, "keyConditionExpression", "Member must not be null");
	if (!PG_ARGISNULL(QUERY_VALUES))
		deconstruct_array(PG_GETARG_ARRAYTYPE_P(QUERY_VALUES), ARR_ELEMTYPE(PG_GETARG_ARRAYTYPE_P(QUERY_VALUES)),
						  -1, false, TYPALIGN_INT, &items, &nulls, &read->n);
	if (read->n > EXPR_MAX_IN_OPERANDS)
		ModelError(psprintf("%d", read->n), "expressionAttributeValues", psprintf("Member must have length less than or equal to %d", EXPR_MAX_IN_OPERANDS));
	read->values = palloc(sizeof(ValueRef) * Max(read->n, 1));
	for (int i = 0; i < read->n; i++)
		read->values[i] = nulls[i] ? MISSING_VALUE : DatumGetValue(items[i]);
}

/* Reads the next page; returns false at the end. */
static bool
NextEachPage(EachRead *read)
{
	MemoryContext old;

	if (read->ended)
		return false;
	MemoryContextReset(read->context);
	old = MemoryContextSwitchTo(read->context);
	ReadEachPage(&read->op, read->values, read->n, read->op.filter.given ? 0 : Max(read->remaining, 0), &read->page);
	MemoryContextSwitchTo(old);
	read->next = 0;
	read->ended = read->page.last_key == NULL;
	return true;
}

/* Makes the next page begin behind this one. */
static void
BeginBehind(EachRead *read, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);

	if (!read->ended)
		read->op.start = ItemRoot((struct varlena *) DatumGetPointer(datumCopy(PointerGetDatum(read->page.last_key), false, -1)));
	MemoryContextSwitchTo(old);
}

static struct varlena *
NextOfEach(EachRead *read, MemoryContext context)
{
	if (read->remaining == 0)
		return NULL;
	while (read->next == read->page.count)
	{
		if (!NextEachPage(read))
			return NULL;
		BeginBehind(read, context);
	}
	if (read->remaining > 0)
		read->remaining--;
	return read->page.items[read->next++];
}

DYNAMO_FUNCTION(dynamo_query_each);
Datum
dynamo_query_each(PG_FUNCTION_ARGS)
{
	FuncCallContext *call;
	struct varlena *item;
	EachRead   *read;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;
		int64		max_items;

		call = SRF_FIRSTCALL_INIT();
		old = MemoryContextSwitchTo(call->multi_call_memory_ctx);
		call->user_fctx = read = palloc0(sizeof(EachRead));
		read->context = AllocSetContextCreate(call->multi_call_memory_ctx, "dynamo page", ALLOCSET_DEFAULT_SIZES);
		max_items = ArgCount(fcinfo, QUERY_COUNT, "max_items");
		read->remaining = max_items > 0 ? max_items : -1;
		EachOp(fcinfo, read);
		MemoryContextSwitchTo(old);
	}
	call = SRF_PERCALL_SETUP();
	read = call->user_fctx;
	item = NextOfEach(read, call->multi_call_memory_ctx);
	if (item == NULL)
		SRF_RETURN_DONE(call);
	SRF_RETURN_NEXT(call, PointerGetDatum(item));
}

DYNAMO_FUNCTION(dynamo_query_each_page);
Datum
dynamo_query_each_page(PG_FUNCTION_ARGS)
{
	int64		limit = ArgCount(fcinfo, QUERY_COUNT, "limit");
	EachRead	read = {0};

	EachOp(fcinfo, &read);
	ReadEachPage(&read.op, read.values, read.n, limit, &read.page);
	if (read.page.items == NULL)
		read.page.items = palloc0(sizeof(struct varlena *));
	return PageTuple(fcinfo, &read.page);
}

/* ---- explain ---- */

DYNAMO_FUNCTION(dynamo_explain_query);
Datum
dynamo_explain_query(PG_FUNCTION_ARGS)
{
	ReadOp		op;
	Reader	   *reader;
	StringInfoData out;

	QueryOp(fcinfo, &op);
	reader = ReaderOpen(&op);
	initStringInfo(&out);
	ReaderDescribe(reader, &out);
	ReaderClose(reader);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}
