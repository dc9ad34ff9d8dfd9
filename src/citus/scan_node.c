/*
 * scan_node.c
 *	  Reads a range of one partition key, or a shard, on another node of Citus.
 *
 * The other node reads the range on its shard and returns the rows in batches: only those
 * that match the filter, and only the needed attributes, if nothing else is needed here.
 * Each batch is a call of its own, with a snapshot of its own, which starts after the last
 * row of the one before.  If a call is not possible, statements of Citus read the rest.
 */
#include "postgres.h"

#include "access/xact.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "citus/node_row.h"
#include "citus/remote.h"
#include "item/builder.h"
#include "item/io.h"
#include "store/scan.h"

/* The first batch is small, because most reads need few rows. */
#define FIRST_BATCH_BYTES	(32 * 1024)
#define FIRST_SHARD_BYTES	(256 * 1024)	/* of a whole shard */

typedef struct NodeSource
{
	ScanSource	source;
	const Store *store;
	Relation	rel;			/* the table or the index table, and whose privileges it needs */
	Oid			rights;
	const ScanRange *range;
	const ScanKeys *keys;
	Snapshot	snapshot;
	NodeCall	call;
	MemoryContext context;		/* of the source */

	MemoryContext batch_context;
	NodeValues	parts;			/* of the batch */
	StringInfoData part;		/* the present one; rows follow its cursor */
	int64		rows;			/* of the first batch; 0: as many as fit */
	int			bytes;			/* of the next batch */
	bool		more;			/* there may be rows after the batch */

	struct varlena *item;		/* the current one, in the batch; NULL before the first */
	MemoryContext last_context; /* the last one of the batch before */
	bool		moved;			/* the other node does not have the shard */
	ScanSource *rest;			/* reads what follows; or NULL */
	Snapshot	newer;			/* of that; NULL: the same */
} NodeSource;

/* ---- the range ---- */

static void
AddAttributeValue(ItemBuilder *b, const AttributeDef *attr, ValueRef v)
{
	ItemBuilderName(b, attr->name.data, attr->name.len);
	ItemBuilderValue(b, v);
}

static void
BeginMember(ItemBuilder *b, const char *name)
{
	ItemBuilderName(b, name, strlen(name));
	ItemBuilderBeginMap(b);
}

static void
AddRangeTests(ItemBuilder *b, const NodeSource *s)
{
	const KeyCondition *condition = s->range->condition;

	BeginMember(b, RANGE_KEY);
	for (int i = 0; i < condition->ntests && condition->tests[i].op != KEY_NONE; i++)
		AddAttributeValue(b, s->keys->columns[i], condition->tests[i].value);
	ItemBuilderEnd(b);
	BeginMember(b, RANGE_UPPER);
	for (int i = 0; i < condition->ntests; i++)
	{
		if (condition->tests[i].op == KEY_BETWEEN)
			AddAttributeValue(b, s->keys->columns[i], condition->tests[i].upper);
	}
	ItemBuilderEnd(b);
}

static void
AddStartKey(ItemBuilder *b, const NodeSource *s, ValueRef start)
{
	BeginMember(b, RANGE_START);
	for (int i = 0; i < s->keys->ncolumns; i++)
	{
		const AttributeDef *attr = s->keys->columns[i];

		AddAttributeValue(b, attr, AttributeFind(start, attr->name.data, attr->name.len));
	}
	ItemBuilderEnd(b);
}

static void
AddNeeded(ItemBuilder *b, const ScanRange *range)
{
	ItemBuilderName(b, RANGE_NEEDED, strlen(RANGE_NEEDED));
	ItemBuilderBeginList(b);
	for (int i = 0; i < range->nneeded; i++)
		ItemBuilderString(b, range->needed[i].data, range->needed[i].len);
	ItemBuilderEnd(b);
}

/* The range, without the rows that have been read. */
static void
SendRange(StringInfo out, const NodeSource *s)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	ValueRef	start = s->keys->nstart > 0 ? s->range->start : MISSING_VALUE;

	if (s->item != NULL)
		start = ItemRoot(s->item);
	ItemBuilderBeginMap(b);
	if (s->range->index != NULL)
		ItemBuilderStringMember(b, RANGE_INDEX, SliceOf(s->range->index->name));
	if (s->range->condition != NULL)
		AddRangeTests(b, s);
	else
		ItemBuilderStringMember(b, RANGE_SHARD, SliceOf(psprintf(INT64_FORMAT, s->call.shard)));
	if (!ValueIsMissing(start))
		AddStartKey(b, s, start);
	if (!ValueIsMissing(s->range->filter))
		ItemBuilderMembers(b, s->range->filter);
	if (s->range->nneeded > 0)
		AddNeeded(b, s->range);
	ItemBuilderEnd(b);
	initStringInfo(out);
	ItemSend(out, ItemRoot(ItemBuilderFinish(b)));
}

/* ---- batches ---- */

/* The comparison of the last attribute that the condition has, behind the partition key. */
static KeyOperator
LastOperator(const NodeSource *s)
{
	const KeyCondition *condition = s->range->condition;
	KeyOperator operator = KEY_NONE;

	for (int i = s->keys->schema->npartition; condition != NULL && i < condition->ntests; i++)
	{
		if (condition->tests[i].op == KEY_NONE)
			break;
		operator = condition->tests[i].op;
	}
	return operator;
}

static void
SetScanCall(NodeSource *s, const StringInfoData *range)
{
	Relation	rel = s->store->rel;

	s->call.function = LINK_ROWS;
	s->call.args[0] = NodeText(get_namespace_name(RelationGetNamespace(rel)));
	s->call.args[1] = NodeText(RelationGetRelationName(rel));
	s->call.args[2] = NodeBytes(range);
	s->call.args[3] = NodeInteger(LastOperator(s));
	s->call.args[4] = NodeInteger(s->keys->forward ? 1 : -1);
	s->call.args[5] = NodeInteger((int32) Min(s->rows, PG_INT32_MAX));
	s->call.args[6] = NodeInteger(s->bytes);
}

bool
NodeReceivePart(NodeValues *parts, StringInfo part, bool *more)
{
	Slice		value = NodeNextValue(parts);

	*part = (StringInfoData) {.data = unconstify(char *, value.data), .len = (int) value.len};
	if (value.data == NULL || pq_getmsgbyte(part) != NODE_DONE)
		return false;
	*more = pq_getmsgbyte(part) != 0;
	return true;
}

/* Begins the first part of a result; false if the node does not have the shard. */
static bool
ReadBatch(NodeSource *s, PGresult *result)
{
	NodeValuesInit(&s->parts, result);
	s->moved = !NodeReceivePart(&s->parts, &s->part, &s->more);
	s->rows = 0;
	s->bytes = Min(s->bytes * 4, LARGEST_BATCH_BYTES);
	return !s->moved;
}

/* Keeps the current item, which is the last one of its batch. */
static void
KeepLastItem(NodeSource *s)
{
	MemoryContext old;

	if (s->item == NULL)
		return;
	MemoryContextReset(s->last_context);
	old = MemoryContextSwitchTo(s->last_context);
	s->item = ValueCopy(ItemRoot(s->item));
	MemoryContextSwitchTo(old);
}

/* Reads the next batch; false if the other node does not read it. */
static bool
FetchNodeBatch(NodeSource *s)
{
	MemoryContext old;
	StringInfoData range;
	PGresult   *result;
	bool		done;

	CHECK_FOR_INTERRUPTS();
	RemoteCheckNesting();
	KeepLastItem(s);
	MemoryContextReset(s->batch_context);
	old = MemoryContextSwitchTo(s->batch_context);
	SendRange(&range, s);
	SetScanCall(s, &range);
	done = NodeCallRead(&s->call, &result) && ReadBatch(s, result);
	MemoryContextSwitchTo(old);
	return done;
}

/* The place of the next row in a result; *len is the length of its item. */
static char *
NextNodeRow(StringInfo in, uint32 *len)
{
	int			at = INTALIGN(in->cursor);

	(void) pq_getmsgbytes(in, at - in->cursor);
	*len = pq_getmsgint(in, sizeof(*len));
	(void) pq_getmsgbytes(in, (int) *len);
	return in->data + at;
}

struct varlena *
NodeReceiveRow(StringInfo in)
{
	uint32		len;
	const char *place = NextNodeRow(in, &len);

	return len > 0 ? ItemReceive((Slice) {place + sizeof(len), len}) : NULL;
}

/* The length of an item becomes the header of its varlena. */
static void
ReadNextItem(NodeSource *s)
{
	uint32		len;
	struct varlena *place = (struct varlena *) NextNodeRow(&s->part, &len);

	s->item = ItemReceiveInPlace(place, len);
}

/* ---- the rest ---- */

/* A value of the current item, in a column; false if there is none. */
static bool
ColumnOfItem(const NodeSource *s, int column, Datum *value)
{
	const AttributeDef *attr = s->keys->columns[column];
	ValueRef	v = AttributeFind(ItemRoot(s->item), attr->name.data, attr->name.len);

	if (ValueIsMissing(v) || ValueTypeOf(v) != attr->type)
		return false;
	*value = KeyValueToDatum(attr, v);
	return true;
}

static void
NodePlace(ScanSource *source, RowPlace *place)
{
	const NodeSource *s = (const NodeSource *) source;
	Datum		values[SCAN_MAX_COLUMNS];
	bool		nulls[SCAN_MAX_COLUMNS];

	if (s->rest != NULL)
	{
		s->rest->methods->place(s->rest, place);
		return;
	}
	for (int i = 0; i < s->keys->ncolumns; i++)
		nulls[i] = !ColumnOfItem(s, i, &values[i]);
	place->relid = RelationGetRelid(s->rel);
	ItemPointerSetInvalid(&place->tid);
	place->key = KeyColumnsText(s->keys->columns, s->keys->ncolumns, values, nulls);
}

static void
InvalidNodeRow(NodeSource *s, const AttributeDef *attr)
{
	RowPlace	place;

	NodePlace(&s->source, &place);
	InvalidRowError(&place, ColumnProblem(attr, (Datum) 0, true));
}

/*
 * Reads what follows the current item by statements of Citus.  If the shard was moved,
 * even to this server, the snapshot need not see the rows in their new place.
 */
static void
BeginRest(NodeSource *s)
{
	MemoryContext old = MemoryContextSwitchTo(s->context);
	ScanKeys   *keys = palloc(sizeof(ScanKeys));

	if (s->moved && IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to the move of a shard of table \"%s\"",
						RelationGetRelationName(s->store->rel))));
	if (s->moved)
		s->newer = RegisterSnapshot(GetLatestSnapshot());
	*keys = *s->keys;
	if (s->item != NULL)
		keys->nstart = keys->ncolumns - keys->nfixed;
	for (int i = 0; s->item != NULL && i < keys->nstart; i++)
	{
		if (!ColumnOfItem(s, keys->nfixed + i, &keys->start[i]))
			InvalidNodeRow(s, keys->columns[keys->nfixed + i]);
	}
	s->rest = SqlScanBegin(s->rel, -1, s->rights, keys, s->newer != NULL ? s->newer : s->snapshot);
	MemoryContextSwitchTo(old);
}

/* ---- the source ---- */

static struct varlena *
NodeNext(ScanSource *source)
{
	NodeSource *s = (NodeSource *) source;

	while (s->rest == NULL)
	{
		if (s->part.cursor < s->part.len)
		{
			ReadNextItem(s);
			return s->item;
		}
		if (NodeReceivePart(&s->parts, &s->part, &s->more))
			continue;
		if (!s->more)
			return NULL;
		if (!FetchNodeBatch(s))
			BeginRest(s);
	}
	return s->rest->methods->next(s->rest);
}

static Datum
NodeColumn(ScanSource *source, int column, bool *isnull)
{
	const NodeSource *s = (const NodeSource *) source;
	Datum		value = (Datum) 0;

	if (s->rest != NULL)
		return s->rest->methods->column(s->rest, column, isnull);
	*isnull = !ColumnOfItem(s, column, &value);
	return value;
}

static void
NodeEnd(ScanSource *source)
{
	NodeSource *s = (NodeSource *) source;

	if (s->rest != NULL)
		s->rest->methods->end(s->rest);
	if (s->newer != NULL)
		UnregisterSnapshot(s->newer);
	MemoryContextDelete(s->batch_context);
	MemoryContextDelete(s->last_context);
}

static const ScanSourceMethods node_methods = {NodeNext, NodeColumn, NodePlace, NodeEnd};

ScanSource *
NodeScanBegin(const Store *store, const ScanShard *shard, const ScanRange *range, const ScanKeys *keys,
			  Snapshot snapshot)
{
	NodeCall	call;
	NodeSource *s;

	if (!FindOtherNode(store, shard->map, shard->position, &call))
		return NULL;
	s = palloc0(sizeof(NodeSource));
	s->source.methods = &node_methods;
	s->store = store;
	s->rel = shard->rel;
	s->rights = shard->rights;
	s->range = range;
	s->keys = keys;
	s->snapshot = snapshot;
	s->call = call;
	s->context = CurrentMemoryContext;
	s->batch_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo batch", ALLOCSET_DEFAULT_SIZES);
	s->last_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo item", ALLOCSET_SMALL_SIZES);
	s->rows = range->rows;
	s->bytes = range->condition != NULL ? FIRST_BATCH_BYTES : FIRST_SHARD_BYTES;
	s->more = true;
	return &s->source;
}
