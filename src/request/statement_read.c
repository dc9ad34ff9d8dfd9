/*
 * statement_read.c
 *	  Executes SELECT as a query of one or several partitions, or as a scan.
 */
#include "postgres.h"

#include "errors.h"
#include "request/named_read.h"
#include "request/params.h"
#include "request/statement.h"
#include "request/wording.h"
#include "table/key_parts.h"

/* A SELECT and the key of the table or index that it reads. */
typedef struct Selection
{
	const PreparedStatement *s;
	const KeySchema *key;		/* key of the table or index */
	StatementRange range;
	ReadOp		op;
	bool		descending;		/* partitions are read in descending order */
	bool		merged;			/* rows are ordered by their sort attributes */
} Selection;

/* ---- ORDER BY ---- */

static int
KeyPosition(const KeySchema *key, Slice name)
{
	for (int i = 0; i < KeyCount(key); i++)
	{
		if (SliceCompare(key->attributes[i].name, name) == 0)
			return i;
	}
	InvalidRequest(WORDING_ORDER_NO_KEY, (int) name.len, name.data);
}

/*
 * Checks that ORDER BY names sort attributes in the order of the key, all in
 * one direction; attributes with one value may be omitted.  *next is the first
 * attribute that may follow.
 */
static void
OrderBySort(Selection *sel, const StatementOrder *order, int position, int *next, bool first)
{
	position -= sel->key->npartition;
	while (*next < position && *next < sel->range.ntests &&
		   sel->range.tests[*next].op == KEY_EQ)
		(*next)++;
	if (position != *next || (!first && sel->op.forward == order->descending))
		InvalidRequest(WORDING_ORDER_OF_KEY);
	sel->op.forward = !order->descending;
	(*next)++;
}

static void
OrderByPartition(Selection *sel, const StatementOrder *order, int *npartition)
{
	if (*npartition > 0 && sel->descending != order->descending)
		InvalidRequest(WORDING_ORDER_OF_KEY);
	sel->descending = order->descending;
	(*npartition)++;
}

static void
PlanOrder(Selection *sel)
{
	const BoundStatement *bound = &sel->s->bound;
	int			npartition = 0;
	int			next_sort = 0;
	bool		sorted = false;

	sel->op.forward = true;
	if (bound->norder > 0 && sel->range.npartitions == 0)
		InvalidRequest(WORDING_ORDER_NO_PARTITION);
	for (int i = 0; i < bound->norder; i++)
	{
		const StatementOrder *order = &bound->order[i];
		int			position = KeyPosition(sel->key, order->attribute);

		if (position < sel->key->npartition)
			OrderByPartition(sel, order, &npartition);
		else
		{
			OrderBySort(sel, order, position, &next_sort, !sorted);
			sorted = true;
		}
		if (i == 0)
			sel->merged = position >= sel->key->npartition;
	}
}

/* ---- what is read ---- */

/*
 * Sets the tests of the partition attributes, then those of the sort
 * attributes.
 */
static void
PlanTests(Selection *sel)
{
	ReadOp	   *op = &sel->op;
	int			npartition = sel->key->npartition;

	op->query = true;
	op->key_tests_given = true;
	op->nkey_tests = npartition + sel->range.ntests;
	for (int i = 0; i < op->nkey_tests; i++)
	{
		op->key_attributes[i] = sel->key->attributes[i].name;
		op->key_tests[i] = i < npartition ?
			(KeyTest) {KEY_EQ, sel->range.partitions[0][i], MISSING_VALUE} :
			sel->range.tests[i - npartition];
	}
}

/* Whether a read that goes on behind an item goes on within a range. */
static bool
StartsInRange(const Selection *sel, const KeyTest *tests, int n)
{
	for (int i = 0; !ValueIsMissing(sel->op.start) && i < n; i++)
	{
		Slice		name = sel->key->attributes[i].name;
		ValueRef	v = AttributeFind(sel->op.start, name.data, name.len);

		if (ValueIsMissing(v) || ValueTypeOf(v) != VALUE_S || !KeyTestMatches(&tests[i], v))
			return false;
	}
	return true;
}

/*
 * Sets tests of the keys that all items have which meet the condition, by the parts of their
 * entity's keys, so that not everything is read.  A scan also reads the items of a range in
 * the order of their sort keys, and so can go on where this has ended, and the reverse.
 */
static void
PlanPartsRange(Selection *sel)
{
	const PreparedStatement *s = sel->s;
	const IndexDef *index = sel->op.index_name == NULL ? NULL : TableDefIndex(s->def, sel->op.index_name);
	ReadOp	   *op = &sel->op;
	int			n;

	/* a scan of an index with shards reads one after the other */
	if (s->def->entities == NULL || s->bound.where == NULL || (index != NULL && index->shards > 0))
		return;
	n = KeyPartsRange(s->def, index, ItemRoot(StatementEqualities(s->bound.where)), op->key_tests);
	if (n == 0 || !StartsInRange(sel, op->key_tests, n))
		return;
	op->query = true;
	op->key_tests_given = true;
	op->nkey_tests = n;
	for (int i = 0; i < n; i++)
		op->key_attributes[i] = sel->key->attributes[i].name;
}

/* Sets the index to read, if there is one. */
static void
PlanIndex(Selection *sel)
{
	const PreparedStatement *s = sel->s;
	const Slice *name = &s->bound.index;

	if (name->data == NULL)
		return;
	sel->op.index_name = pnstrdup(name->data, name->len);
	if (TableDefIndex(s->def, sel->op.index_name) == NULL)
		InvalidRequest(WORDING_NO_INDEX);
	if (sel->op.consistent && !TableDefIndex(s->def, sel->op.index_name)->local)
		InvalidRequest(WORDING_STATEMENT_CONSISTENT);
	sel->key = &TableDefIndexForRead(s->def, sel->op.index_name, false)->key;
	if (sel->key->npartition > 1 || KeyCount(sel->key) > sel->key->npartition + 1)
		InvalidRequest(WORDING_MULTI_ATTRIBUTE);
}

static void
PlanSelection(Selection *sel)
{
	const PreparedStatement *s = sel->s;
	const BoundStatement *bound = &s->bound;
	Slice		token = FieldSlice(s->input, "NextToken");
	ReadOp	   *op = &sel->op;

	sel->key = &s->def->key;
	PlanIndex(sel);
	(void) StatementCheckBranches(bound->where, sel->key, NULL);
	(void) StatementRangeOf(bound->where, sel->key, &sel->range, NULL);
	PlanOrder(sel);
	op->start = token.data != NULL ? ItemRoot(NextTokenRead(s, token)) : MISSING_VALUE;
	if (sel->range.npartitions > 0)
		PlanTests(sel);
	else
		PlanPartsRange(sel);
	op->args.values = MISSING_VALUE;
	op->built_filter = sel->range.filter;
	op->built_projection = bound->projection;
	op->filter_on_keys = true;
	op->filter_projected = true;
	op->shard = -1;
	op->shard_value = MISSING_VALUE;
}

/*
 * Reads the only row of a full key, which costs less than a query.  Returns
 * false if a query must answer, which has messages of its own, can end at a
 * limit and has an order.  So does one of a condition that has not all parts of an
 * entity's key, or that items with other keys may meet.
 */
static bool
ReadFullKey(const Selection *sel, int64 limit, ReadPageResult *page)
{
	const PreparedStatement *s = sel->s;
	Problem		problem = NO_PROBLEM;
	GetOp		get;
	GetResult  *result;
	bool		by_parts;

	if (limit > 0 || s->bound.norder > 0 || FieldMember(s->input, "NextToken") != NULL ||
		!StatementGet(s, &get, &by_parts) || (by_parts ? !KeyPartsFixItem(s->def, get.key) : get.built_filter != NULL))
		return false;
	/* a scan, which answers otherwise, sees the attributes */
	if (by_parts)
		get.built_filter = s->bound.where;
	result = palloc(sizeof(GetResult));
	get.consistent = sel->op.consistent;
	get.sizes = FieldCapacity(s->input) != CAPACITY_NONE;
	if (!GetItem(&get, result, &problem))
		return false;
	memset(page, 0, sizeof(*page));
	page->count = result->item != NULL;
	page->scanned_count = page->count;
	page->items = &result->item;
	page->size = result->size;
	return true;
}

static PartitionRange *
SelectedPartitions(const Selection *sel)
{
	PartitionRange *ranges = palloc0(sizeof(PartitionRange) * Max(sel->range.npartitions, 1));

	for (int i = 0; i < sel->range.npartitions; i++)
		memcpy(ranges[i].partition, sel->range.partitions[i], sizeof(ranges[i].partition));
	return ranges;
}

static void
ReadSelection(Selection *sel, int64 limit, ReadPageResult *page)
{
	PartitionsOp partitions;

	PlanSelection(sel);
	partitions = (PartitionsOp) {
		.op = &sel->op,
		.key = sel->key,
		.npartitions = sel->range.npartitions,
		.partitions = SelectedPartitions(sel),
		.descending = sel->descending,
		.merged = sel->merged && sel->range.npartitions > 1,
	};
	if (partitions.npartitions > 0)
		ReadPartitionsPage(&partitions, limit, page);
	else
		ReadPage(&sel->op, limit, page);
}

/* ---- access patterns ---- */

/* The name of the access pattern that stands for an index of the table; data is NULL if there is none. */
static Slice
NameOfPattern(const PreparedStatement *s)
{
	Slice		name = NamedQueryName(s->bound.index);

	if (name.data == NULL || TableDefIndex(s->def, pnstrdup(s->bound.index.data, s->bound.index.len)) != NULL)
		return MISSING_SLICE;
	return name;
}

/* What a pattern determines itself. */
static void
CheckPatternStatement(const PreparedStatement *s, const NamedRead *read)
{
	if (s->bound.norder > 0)
		InvalidRequest("ORDER BY cannot be used with an access pattern, which has its own order");
	if (s->bound.projection != NULL && read->op.projection.given)
		InvalidRequest("SELECT * is required with this access pattern, which has its own projection");
}

/* A PathVisitor: a parameter is no attribute that a filter could test. */
static bool
RefuseParameter(Slice name, bool nested, void *arg)
{
	const NamedQuery *query = arg;

	for (int i = 0; i < query->nparameters; i++)
	{
		if (SliceEqual(name, query->parameters[i]))
			InvalidRequest("Parameter %.*s of the access pattern can only be made equal to one value, joined by AND",
						   (int) name.len, name.data);
	}
	return true;
}

/* Equalities of parameters are their values; what else WHERE says is a filter. */
static void
ReadPattern(const PreparedStatement *s, Slice name, int64 limit, NamedRead *read, ReadPageResult *page)
{
	Slice		token = FieldSlice(s->input, "NextToken");
	struct varlena *parameters;
	Condition  *rest;

	NamedReadBegin(read, s->table_name, name);
	StatementTakeEqualities(s->bound.where, read->query->parameters, read->query->nparameters, &parameters, &rest);
	if (rest != NULL)
		ConditionVisitPaths(rest, RefuseParameter, read->query);
	NamedReadPlan(read, ItemRoot(parameters));
	CheckPatternStatement(s, read);
	NamedReadSetPage(read, limit, NULL);
	read->op.built_filter = rest;
	read->op.built_projection = s->bound.projection;
	read->op.filter_on_keys = true;
	read->op.consistent = FieldConsistentRead(s->input);
	if (token.data != NULL)
		read->op.start = ItemRoot(NextTokenRead(s, token));
	NamedReadPage(read, page);
	NamedReadEnd(read);
}

/* ---- the answer ---- */

static void
AnswerSelect(const PreparedStatement *s, const ReadOp *op, const ReadPageResult *page, Writer *out)
{
	WriterName(out, "Items");
	WriterBeginList(out);
	for (int i = 0; i < page->count; i++)
		WriterItem(out, page->items[i]);
	WriterEndList(out);
	if (page->last_key != NULL)
	{
		WriterStringMember(out, "NextToken", NextTokenMake(s, page->last_key));
		WriterItemMember(out, "LastEvaluatedKey", page->last_key);
	}
	WriterPageCapacity(out, FieldCapacity(s->input), op, page);
}

void
StatementRead(const PreparedStatement *s, Writer *out)
{
	Selection	sel = {.s = s};
	int64		limit = FieldInteger(s->input, "Limit", 0);
	Slice		pattern = NameOfPattern(s);
	ReadPageResult page;
	NamedRead	read;

	if (pattern.data != NULL)
	{
		ReadPattern(s, pattern, limit, &read, &page);
		AnswerSelect(s, &read.op, &page, out);
		return;
	}
	sel.op.table_name = s->table_name;
	sel.op.consistent = FieldConsistentRead(s->input);
	if (!ReadFullKey(&sel, limit, &page))
		ReadSelection(&sel, limit, &page);
	AnswerSelect(s, &sel.op, &page, out);
}
