/*
 * read_partitions.c
 *	  One page of a query of several partitions, either one after another or
 *	  merged by their sort attributes.
 *
 * A page starts after the row that was read last, in any partition.  If
 * partitions are read one after another, this is a start within its partition.
 * If they are merged, every other partition starts at the sort attributes of
 * that row, and skips its rows that precede the row.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "errors.h"
#include "op/read.h"

/* A partition of a merged read. */
typedef struct Source
{
	int			rank;			/* its position in the order of partitions */
	ReadOp		op;
	Reader	   *reader;			/* NULL if not open, or at the end */
	ReadRow		row;			/* the next row */
	ValueRef	sort[KEY_MAX_ATTRIBUTES];	/* sort attributes of this row */

	/*
	 * If the partition starts with a wider test than the key condition's, this
	 * is the original test.  The partition ends at the first row that fails
	 * it.
	 */
	int			test_attribute;	/* position in the key, or 0 */
	KeyTest		test;
} Source;

typedef struct Merge
{
	const PartitionsOp *p;
	int			start_rank;		/* partition of the start, or -1 */
	ValueRef	start_sort[KEY_MAX_ATTRIBUTES]; /* sort key of the start */
	Source	   *sources;
} Merge;

static void
RaiseOutsideBoundaries(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("The provided starting key is outside query boundaries based on provided conditions")));
}

static ValueRef
PartitionStartValue(const PartitionsOp *p, int attribute)
{
	Slice		name = p->key->attributes[attribute].name;

	return AttributeFind(p->op->start, name.data, name.len);
}

/* ---- the order of partitions ---- */

static int
ComparePartitions(const void *a, const void *b, void *arg)
{
	const PartitionRange *x = (const PartitionRange *) a;
	const PartitionRange *y = (const PartitionRange *) b;
	const PartitionsOp *p = (const PartitionsOp *) arg;
	int			order = 0;

	for (int i = 0; i < p->key->npartition && order == 0; i++)
		order = ValueCompare(x->partition[i], y->partition[i]);
	for (int i = p->key->npartition; x->tests != NULL && i < p->op->nkey_tests && order == 0; i++)
		order = ValueCompare(x->tests[i - p->key->npartition].value, y->tests[i - p->key->npartition].value);
	return p->descending ? -order : order;
}

/* Whether a partition contains the start. */
static bool
ContainsStart(const PartitionsOp *p, const PartitionRange *range)
{
	int			npartition = p->key->npartition;

	for (int i = 0; i < npartition; i++)
	{
		ValueRef	value = PartitionStartValue(p, i);

		if (ValueIsMissing(value) || !ValueEqual(range->partition[i], value))
			return false;
	}
	for (int i = npartition; range->tests != NULL && i < p->op->nkey_tests; i++)
	{
		const KeyTest *test = &range->tests[i - npartition];
		ValueRef	value = PartitionStartValue(p, i);

		if (ValueIsMissing(value) || ValueTypeOf(value) != p->key->attributes[i].type || !KeyTestMatches(test, value))
			return false;
	}
	return true;
}

/* Returns the partition that contains the start; -1 if there is no start. */
static int
StartRank(const PartitionsOp *p)
{
	if (ValueIsMissing(p->op->start))
		return -1;
	for (int i = 0; i < p->npartitions; i++)
	{
		if (ContainsStart(p, &p->partitions[i]))
			return i;
	}
	RaiseOutsideBoundaries();
	return -1;
}

/* Returns the query of one partition, from its beginning. */
static ReadOp
MakePartitionOp(const PartitionsOp *p, int rank)
{
	const PartitionRange *range = &p->partitions[rank];
	ReadOp		op = *p->op;

	op.sizes = true;
	op.start = MISSING_VALUE;
	for (int i = 0; i < p->key->npartition; i++)
		op.key_tests[i] = (KeyTest) {KEY_EQ, range->partition[i], MISSING_VALUE};
	for (int i = p->key->npartition; range->tests != NULL && i < op.nkey_tests; i++)
		op.key_tests[i] = range->tests[i - p->key->npartition];
	return op;
}

/* ---- one after the other ---- */

/*
 * Whether each partition has one row, as in a table without sort key.  Such a
 * partition is never read from a start inside it.
 */
static bool
HaveOneRow(const PartitionsOp *p)
{
	return p->op->index_name == NULL && p->key->nsort == 0;
}

/*
 * Reads a partition; returns whether the page is full.  ends: no position
 * follows the last row.
 */
static bool
ReadPartition(const ReadOp *op, PageBuilder *builder, bool ends)
{
	Reader	   *reader = ReaderOpen(op);
	ReadRow		row;
	bool		full = false;

	PageReader(builder, reader);
	builder->page->index_local = reader->index != NULL && reader->index->local;
	while (!full && ReaderNext(reader, &row))
		full = PageAdd(builder, &row);
	if (full && !ends)
		builder->page->last_key = ReaderPosition(reader);
	ReaderClose(reader);
	return full;
}

static void
ReadInSequence(const PartitionsOp *p, PageBuilder *builder)
{
	int			start = StartRank(p);
	int			first = start >= 0 && HaveOneRow(p) ? start + 1 : Max(start, 0);
	bool		full = false;

	for (int i = first; i < p->npartitions && !full; i++)
	{
		ReadOp		op = MakePartitionOp(p, i);

		CHECK_FOR_INTERRUPTS();
		if (i == start)
			op.start = p->op->start;
		full = ReadPartition(&op, builder, HaveOneRow(p) && i == p->npartitions - 1);
	}
}

/* ---- merged ---- */

/* Compares rows by their sort attributes, in the direction of the read. */
static int
CompareSort(const PartitionsOp *p, const ValueRef *a, const ValueRef *b)
{
	for (int i = 0; i < p->key->nsort; i++)
	{
		int			order = ValueCompare(a[i], b[i]);

		if (order != 0)
			return p->op->forward ? order : -order;
	}
	return 0;
}

/*
 * Makes a partition begin at the sort attributes of the start, as closely as a
 * key condition can express it.  A range that does not contain them is read as it is.
 */
static void
BeginAtStart(const Merge *m, Source *s)
{
	const KeySchema *key = m->p->key;
	ReadOp	   *op = &s->op;
	int			i = key->npartition;

	for (; i < op->nkey_tests; i++)
	{
		if (!KeyTestMatches(&op->key_tests[i], m->start_sort[i - key->npartition]))
			return;
		if (op->key_tests[i].op != KEY_EQ)
			break;
	}
	if (i == KeyCount(key))
		return;
	if (i < op->nkey_tests)
	{
		s->test_attribute = i;
		s->test = op->key_tests[i];
	}
	op->nkey_tests = i + 1;
	op->key_attributes[i] = key->attributes[i].name;
	op->key_tests[i] = (KeyTest) {op->forward ? KEY_GE : KEY_LE,
		m->start_sort[i - key->npartition], MISSING_VALUE};
}

/* Whether a row of a partition precedes or is the start. */
static bool
IsBeforeStart(const Merge *m, const Source *s)
{
	int			order;

	if (m->start_rank < 0 || m->start_rank == s->rank)
		return false;
	order = CompareSort(m->p, s->sort, m->start_sort);
	return order < 0 || (order == 0 && s->rank < m->start_rank);
}

static void
EndSource(Source *s)
{
	ReaderClose(s->reader);
	s->reader = NULL;
}

/* Reads the next row of a partition, or closes the partition at its end. */
static void
AdvancePartition(const Merge *m, Source *s)
{
	do
	{
		CHECK_FOR_INTERRUPTS();
		if (!ReaderNext(s->reader, &s->row))
		{
			EndSource(s);
			return;
		}
		for (int i = 0; i < m->p->key->nsort; i++)
			s->sort[i] = ReaderKey(s->reader, m->p->key->npartition + i);
	} while (IsBeforeStart(m, s));
	if (s->test_attribute > 0 &&
		!KeyTestMatches(&s->test, s->sort[s->test_attribute - m->p->key->npartition]))
		EndSource(s);
}

static void
OpenSource(const Merge *m, int rank)
{
	Source	   *s = &m->sources[rank];

	s->rank = rank;
	s->op = MakePartitionOp(m->p, rank);
	if (m->start_rank == rank)
		s->op.start = m->p->op->start;
	else if (m->start_rank >= 0)
		BeginAtStart(m, s);
	s->reader = ReaderOpen(&s->op);
}

/*
 * Opens all partitions, first the one of the start, because that checks the
 * start.
 */
static void
OpenSources(Merge *m)
{
	if (m->start_rank >= 0)
	{
		OpenSource(m, m->start_rank);
		for (int i = 0; i < m->p->key->nsort; i++)
			m->start_sort[i] = PartitionStartValue(m->p, m->p->key->npartition + i);
	}
	for (int i = 0; i < m->p->npartitions; i++)
	{
		if (i != m->start_rank)
			OpenSource(m, i);
	}
}

/* Returns the partition with the next row; NULL at the end. */
static Source *
NextSource(const Merge *m)
{
	Source	   *next = NULL;

	for (int i = 0; i < m->p->npartitions; i++)
	{
		Source	   *s = &m->sources[i];

		if (s->reader != NULL &&
			(next == NULL || CompareSort(m->p, s->sort, next->sort) < 0))
			next = s;
	}
	return next;
}

static void
ReadMerged(const PartitionsOp *p, PageBuilder *builder)
{
	Merge		m = {.p = p, .start_rank = StartRank(p)};
	Source	   *s;

	m.sources = palloc0(p->npartitions * sizeof(Source));
	OpenSources(&m);
	PageReader(builder, m.sources[0].reader);
	builder->page->index_local = m.sources[0].reader->index != NULL &&
		m.sources[0].reader->index->local;
	for (int i = 0; i < p->npartitions; i++)
		AdvancePartition(&m, &m.sources[i]);
	while ((s = NextSource(&m)) != NULL)
	{
		if (PageAdd(builder, &s->row))
		{
			builder->page->last_key = ReaderPosition(s->reader);
			break;
		}
		AdvancePartition(&m, s);
	}
	for (int i = 0; i < p->npartitions; i++)
	{
		if (m.sources[i].reader != NULL)
			EndSource(&m.sources[i]);
	}
}

void
ReadPartitionsPage(const PartitionsOp *p, int64 limit, ReadPageResult *page)
{
	PageBuilder builder;

	qsort_arg(p->partitions, p->npartitions, sizeof(p->partitions[0]),
			  ComparePartitions, unconstify(PartitionsOp *, p));
	PageBegin(&builder, page, p->op, limit);
	if (p->merged)
		ReadMerged(p, &builder);
	else
		ReadInSequence(p, &builder);
	PageEnd(&builder, p->op);
}
