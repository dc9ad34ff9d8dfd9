/*
 * read_each.c
 *	  One page of several queries that differ in the values of their key conditions.
 *
 * Ranges of one partition are read one after another, which is the order of their sort
 * attributes; ranges of several partitions are merged.
 */
#include "postgres.h"

#include "op/call_bindings.h"
#include "op/read.h"

/* Returns the tests of the key condition with these values. */
static const KeyTest *
TestsOfQuery(const ReadOp *op, ValueRef values, const KeySchema *key)
{
	const ExprTree *expr = OpParse(EXPR_KEY_CONDITION, &op->key_condition);
	ExprArgs	args = op->args;
	Condition  *condition;

	args.values = values;
	condition = ConditionBind(EXPR_KEY_CONDITION, expr, OpBindings(&args, true, true, NULL));
	return KeyConditionMatch(KeyConditionClauses(expr, condition, NULL), key)->tests;
}

static bool
TestsEqual(const KeyTest *a, const KeyTest *b, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (a[i].op != b[i].op || !ValueEqual(a[i].value, b[i].value) ||
			(a[i].op == KEY_BETWEEN && !ValueEqual(a[i].upper, b[i].upper)))
			return false;
	}
	return true;
}

/* Sets the tests of the read to those of one query. */
static void
SetTests(ReadOp *op, const KeySchema *key, const KeyTest *tests)
{
	op->key_tests_given = true;
	for (int i = 0; i < KeyCount(key) && tests[i].op != KEY_NONE; i++)
	{
		op->key_attributes[i] = key->attributes[i].name;
		op->key_tests[i] = tests[i];
		op->nkey_tests = i + 1;
	}
}

/* Adds a range unless there is one like it; sets merged if partitions differ. */
static void
AddReadRange(PartitionsOp *p, const KeyTest *tests)
{
	int			npartition = p->key->npartition;
	PartitionRange *range = &p->partitions[p->npartitions];

	for (int i = 0; i < npartition; i++)
		range->partition[i] = tests[i].value;
	range->tests = tests + npartition;
	for (int i = 0; i < p->npartitions; i++)
	{
		bool		same = true;

		for (int j = 0; j < npartition && same; j++)
			same = ValueEqual(p->partitions[i].partition[j], range->partition[j]);
		if (same && TestsEqual(p->partitions[i].tests, range->tests, p->op->nkey_tests - npartition))
			return;
		p->merged |= !same && p->key->nsort > 0;
	}
	p->npartitions++;
}

void
ReadEachPage(const ReadOp *op, const ValueRef *values, int n, int64 limit, ReadPageResult *page)
{
	ReadOp		read = *op;
	PartitionsOp p = {.op = &read, .descending = !op->forward};
	Store		store;

	/* who may not read the table learns nothing, not even that there is nothing */
	StoreOpen(&store, op->table_name, ACL_SELECT);
	memset(page, 0, sizeof(*page));
	p.key = op->index_name == NULL ? &store.def->key : &TableDefIndexForRead(store.def, op->index_name, true)->key;
	p.partitions = palloc0(sizeof(PartitionRange) * Max(n, 1));
	for (int i = 0; i < n; i++)
	{
		const KeyTest *tests = TestsOfQuery(op, values[i], p.key);

		if (i == 0)
			SetTests(&read, p.key, tests);
		AddReadRange(&p, tests);
	}
	if (n > 0)
	{
		read.args.values = values[0];
		ReadPartitionsPage(&p, limit, page);
	}
	StoreClose(&store);
}
