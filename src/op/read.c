/*
 * read.c
 *	  Query and Scan: opens a read with the service's order of checks, and
 *	  reads row by row.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "errors.h"
#include "expr/build_tree.h"
#include "expr/name_set.h"
#include "op/call_bindings.h"
#include "op/note_key.h"
#include "op/read.h"
#include "store/elsewhere.h"
#include "table/key_parts.h"
#include "table/table_name.h"

/* ---- opening ---- */

static Condition *
JoinFilters(Condition *a, Condition *b)
{
	Condition **both;

	if (a == NULL || b == NULL)
		return a == NULL ? b : a;
	both = palloc(2 * sizeof(Condition *));
	both[0] = a;
	both[1] = b;
	return ConditionBuildJoin(true, both, 2);
}

/*
 * Binds the expressions without the table.  Restrictions of key conditions are
 * checked last, because all other expression errors are more important.
 */
static void
BindReadExpressions(Reader *r)
{
	const ReadOp *op = r->op;
	bool		values = op->key_condition.given || op->filter.given;
	const ExprTree *key_expr = NULL;
	Condition  *key_condition = NULL;
	ExprBindings *b;

	b = OpBindings(&op->args, values || op->projection.given, values,
				   op->query ? "FilterExpression and KeyConditionExpression are null"
				   : "FilterExpression is null");
	r->filter = op->built_filter;
	r->projection = op->built_projection;
	if (op->key_condition.given)
	{
		key_expr = OpParse(EXPR_KEY_CONDITION, &op->key_condition);
		key_condition = ConditionBind(EXPR_KEY_CONDITION, key_expr, b);
	}
	if (op->filter.given)
		r->filter = JoinFilters(r->filter, ConditionBind(EXPR_FILTER, OpParse(EXPR_FILTER, &op->filter), b));
	if (op->projection.given)
		r->projection = ProjectionBind(OpParse(EXPR_PROJECTION, &op->projection), b);
	if (b != NULL)
		(void) ExprBindingsCheckUnused(b);
	if (key_condition != NULL)
		r->key_clauses = KeyConditionClauses(key_expr, key_condition, NULL);
}

static void
OpenIndex(Reader *r)
{
	const ReadOp *op = r->op;
	const TableDef *def = r->store.def;

	r->key = &def->key;
	if (op->index_name == NULL)
		return;
	r->index = TableDefIndexForRead(def, op->index_name, op->query);
	r->key = &r->index->key;
	if (op->consistent && !r->index->local)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("Consistent reads are not supported on global secondary indexes")));
}

/* Returns the projection of an item to the attributes of its index entry. */
static Projection *
EntryProjection(const TableDef *def, const IndexDef *index)
{
	Slice	   *names = palloc(sizeof(Slice) * (index->nentry + index->nnon_key));
	int			n = 0;

	for (int i = 0; i < index->nentry; i++)
		names[n++] = EntryAttribute(def, index, i)->name;
	for (int i = 0; i < index->nnon_key; i++)
		names[n++] = index->non_key[i];
	return ProjectionOfNames(names, n);
}

/* Determines how rows of this index become results. */
static void
PlanRows(Reader *r)
{
	const ReadOp *op = r->op;
	const IndexDef *index = r->index;
	bool		returns;
	bool		filters;

	if (index == NULL || index->projected == PROJECTED_ALL)
		return;
	returns = ReturnsUnprojected(r);
	filters = FiltersUnprojected(r);
	r->fetch = op->select == SELECT_ALL_ATTRIBUTES ||
		(index->local && (returns || (filters && !op->filter_projected)));
	r->filter_entry = filters && (r->fetch ? op->filter_projected : index->kind->whole_items);
	if (index->kind->whole_items || r->fetch)
	{
		r->entry_projection = EntryProjection(r->store.def, index);
		r->return_entry = r->projection == NULL && op->select != SELECT_ALL_ATTRIBUTES;
	}
}

/* Whether rows are returned as they are stored. */
static bool
RowsAsStored(const Reader *r)
{
	return r->filter == NULL && r->projection == NULL &&
		r->entry_projection == NULL && !r->op->sizes;
}

/*
 * Returns the attributes that are needed of each row; an empty set means the
 * whole row, for example if sizes are requested.  The key attributes are
 * needed for positions and for the order of rows.
 */
static NameSet
NeededAttributes(const Reader *r)
{
	NameSet		needed = {NULL, 0, 0};
	const int  *attributes;
	int			n;

	if (r->projection == NULL || r->op->sizes || r->fetch)
		return needed;
	NameSetAddPaths(&needed, r->projection, r->filter);
	attributes = PositionAttributes(r, &n);
	for (int i = 0; i < n; i++)
		NameSetAdd(&needed, r->store.def->attributes[attributes[i]].name);
	NameSetFinish(&needed);
	return needed;
}

/* The filter, for other nodes that have rows; MISSING_VALUE if all rows are needed here. */
static ValueRef
FilterElsewhere(const Reader *r)
{
	const ReadOp *op = r->op;

	if (!op->matches_only || !op->filter.given || !r->store.def->distributed || r->fetch || r->filter_entry)
		return MISSING_VALUE;
	return elsewhere->filter(&op->filter, &op->args);
}

static StoreScan *
BeginScan(Reader *r)
{
	NameSet		needed = NeededAttributes(r);
	ScanRange	range = {
		.index = r->index,
		.condition = r->condition,
		.forward = r->op->forward,
		.start = r->op->start,
		.shard = ShardOfRead(r),
		.segment = r->segment,
		.needed = needed.names,
		.nneeded = needed.n,
		.rows = r->op->rows,
		.filter = FilterElsewhere(r),
	};

	return StoreScanBegin(&r->store, &range);
}

/* Matches the key condition with the key; one on parts may come with a filter. */
static void
MatchKeyCondition(Reader *r)
{
	PartsCondition parts;

	if (!KeyConditionByParts(r->store.def, r->index, r->key_clauses, &parts))
	{
		r->condition = KeyConditionMatch(r->key_clauses, r->key);
		return;
	}
	r->condition = parts.key;
	r->filter = JoinFilters(r->filter, parts.filter);
}

Reader *
ReaderOpen(const ReadOp *op)
{
	Reader	   *r = palloc0(sizeof(Reader));

	r->op = op;
	CheckReadParameters(op);
	BindReadExpressions(r);

	StoreOpen(&r->store, op->table_name, ACL_SELECT);
	if (op->of_node)
		StoreServeNode(&r->store);
	OpenIndex(r);
	CheckShards(r);
	if (op->segment_given)
		r->segment = StoreSegment(&r->store, r->index, (uint32) op->segment,
								  (uint32) op->total_segments);
	if (!ValueIsMissing(op->start))
		CheckStartKey(r);
	if (op->key_tests_given)
		r->condition = KeyConditionBuild(op->key_attributes, op->key_tests,
										 op->nkey_tests, r->key);
	else if (r->key_clauses != NULL)
		MatchKeyCondition(r);
	if (r->condition != NULL)
	{
		CheckConditionValues(r);
		NotePartition(r->store.def, r->index, r->condition);
	}
	if (!ValueIsMissing(op->start))
		CheckStartPosition(r);
	CheckReadPaths(r);

	PlanRows(r);
	if (!RowsAsStored(r))
		r->row_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo row",
											   ALLOCSET_DEFAULT_SIZES);
	r->scan = BeginScan(r);
	return r;
}

/* ---- rows ---- */

/* Whether the table's item is fetched for each entry. */
static bool
FetchesItems(const Reader *r)
{
	return r->fetch && !r->index->kind->whole_items;
}

/* Fetches the table's item for the current entry of an index table. */
static struct varlena *
FetchItem(Reader *r)
{
	RowKey		key;

	StoreScanRowKey(r->scan, &key);
	return StoreGet(&r->store, &key);
}

/* Measures what was read: the entry, and the item if it had to be fetched. */
static void
MeasureRow(const Reader *r, ValueRef stored, ValueRef whole, ReadRow *row)
{
	if (r->entry_projection != NULL && r->index->kind->whole_items)
		row->size = ItemSize(ItemRoot(ProjectionApply(r->entry_projection, stored)));
	else
		row->size = ItemSize(stored);
	row->fetched_size = r->fetch ? ItemSize(whole) : 0;
}

static struct varlena *
ProjectRow(const Reader *r, struct varlena *item)
{
	if (r->projection != NULL)
		return ProjectionApply(r->projection, ItemRoot(item));
	if (r->return_entry)
		return ProjectionApply(r->entry_projection, ItemRoot(item));
	return item;
}

static bool
MatchesFilter(const Reader *r, ValueRef item)
{
	if (r->filter == NULL)
		return true;
	if (r->filter_entry)
		item = ItemRoot(ProjectionApply(r->entry_projection, item));
	return ConditionMatches(r->filter, item);
}

/*
 * Returns false if the table has no item for the entry that this user may see.
 */
static bool
EvaluateRow(Reader *r, ReadRow *row)
{
	struct varlena *item = r->stored;

	if (FetchesItems(r))
	{
		item = FetchItem(r);
		if (item == NULL)
			return false;
	}
	if (r->op->sizes)
		MeasureRow(r, ReaderRow(r), ItemRoot(item), row);
	row->matched = MatchesFilter(r, ItemRoot(item));
	if (row->matched && r->op->select != SELECT_COUNT)
		row->item = ProjectRow(r, item);
	return true;
}

bool
ReaderNext(Reader *r, ReadRow *row)
{
	MemoryContext old;
	bool		found;

	memset(row, 0, sizeof(ReadRow));
	do
	{
		if (!StoreScanNext(r->scan, &r->stored))
			return false;
		if (r->row_context == NULL)
		{
			row->matched = true;
			row->item = r->stored;
			return true;
		}
		MemoryContextReset(r->row_context);
		old = MemoryContextSwitchTo(r->row_context);
		found = EvaluateRow(r, row);
		MemoryContextSwitchTo(old);
	} while (!found);
	return true;
}

ValueRef
ReaderKey(const Reader *r, int attribute)
{
	return StoreScanKey(r->scan, attribute);
}

struct varlena *
ReaderPosition(const Reader *r)
{
	return StoreScanPosition(r->scan);
}

static void
DescribeIndex(const IndexDef *index, StringInfo out)
{
	static const char *const projected[] = {"all attributes", "keys only", "some attributes"};

	appendStringInfo(out, ", index %s (%s, %s, %s)", index->name,
					 index->local ? "local" : "global",
					 index->kind->storage,
					 projected[index->projected]);
}

void
ReaderDescribe(const Reader *r, StringInfo out)
{
	appendStringInfo(out, "table: %s", TableNameForMessage(r->op->table_name));
	if (r->index != NULL)
		DescribeIndex(r->index, out);
	StoreScanDescribe(r->scan, out);
	if (r->filter != NULL)
		appendStringInfoString(out, "\nfilter: applied to every item that is read");
	if (FetchesItems(r))
		appendStringInfoString(out, "\nfetch: the item of every index entry, from the table");
}

void
ReaderClose(Reader *r)
{
	StoreScanEnd(r->scan);
	StoreClose(&r->store);
	if (r->row_context != NULL)
		MemoryContextDelete(r->row_context);
}
