/*
 * scan_sql.c
 *	  Reads a range in a btree's order with SQL statements.
 *
 * It serves relations that the direct path does not support (row security,
 * partitions, a distributed engine, ...), and tests compare the direct path
 * with it.  Rows are fetched in batches.  Each batch is a separate statement
 * that starts after the last row of the previous batch; all use the scan's
 * snapshot.  Nothing stays open between calls, and a caller that stops early
 * has read little more than it used.
 *
 *	  SELECT item, "PK", "SK" FROM "s"."t"
 *	  WHERE "PK" = $1 AND ("SK") > ($2) ORDER BY "PK", "SK" LIMIT $3
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "security/owner.h"
#include "store/plan.h"
#include "store/scan.h"
#include "store/segment.h"
#include "table/distribution.h"
#include "table/limits.h"
#include "table/object_names.h"

/* The first batch is small, because most reads need few rows. */
#define FIRST_BATCH		16
#define LARGEST_BATCH	256

/* Tests, start, bounds of the segment, shard and limit. */
#define MAX_PARAMETERS	(SCAN_MAX_TESTS + 3 * SCAN_MAX_COLUMNS + 2)

typedef struct SqlSource
{
	ScanSource	source;
	Relation	rel;
	int			shard;
	Oid			rights;
	const ScanKeys *keys;
	Snapshot	snapshot;

	MemoryContext batch_context;	/* rows of the batch */
	struct varlena **items;
	Datum	   *values;			/* key columns of all rows, row by row */
	bool	   *nulls;
	int			nitems;
	int			next;			/* position in items */
	int			batch_size;
	bool		exhausted;		/* there is no row after the current batch */

	bool		has_start;		/* the next batch has a start */
	Datum		start[SCAN_MAX_COLUMNS];
} SqlSource;

/* A statement under construction. */
typedef struct Statement
{
	StringInfoData sql;
	int			nparams;
	Oid			types[MAX_PARAMETERS];
	Datum		values[MAX_PARAMETERS];
	const char *joint;			/* keyword before the next condition */
} Statement;

/* ---- statements ---- */

static void
AddParameter(Statement *st, Oid type, Datum value)
{
	st->types[st->nparams] = type;
	st->values[st->nparams] = value;
	st->nparams++;
	appendStringInfo(&st->sql, "$%d", st->nparams);
}

static void
AddJoint(Statement *st)
{
	appendStringInfoString(&st->sql, st->joint);
	st->joint = " AND ";
}

static const char *
OperatorName(StrategyNumber strategy)
{
	static const char *const names[BTMaxStrategyNumber] = {"<", "<=", "=", ">=", ">"};

	return names[strategy - 1];
}

static void
AddTestCondition(Statement *st, const ScanKeys *keys, const ScanTest *test)
{
	const AttributeDef *attr = keys->columns[test->column];

	AddJoint(st);
	appendStringInfo(&st->sql, "%s OPERATOR(pg_catalog.%s) ",
					 quote_identifier(attr->column), OperatorName(test->strategy));
	AddParameter(st, KeyColumnType(attr->type), test->value);
}

/* Appends: ROW(columns from this one on) operator ROW(values) */
static void
AddRowCondition(Statement *st, const ScanKeys *keys, int column, int n,
				const char *operator, const Datum *values)
{
	AddJoint(st);
	appendStringInfoString(&st->sql, "ROW(");
	for (int i = column; i < column + n; i++)
		appendStringInfo(&st->sql, "%s%s", i > column ? ", " : "",
						 quote_identifier(keys->columns[i]->column));
	appendStringInfo(&st->sql, ") OPERATOR(pg_catalog.%s) ROW(", operator);
	for (int i = 0; i < n; i++)
	{
		if (i > 0)
			appendStringInfoString(&st->sql, ", ");
		AddParameter(st, KeyColumnType(keys->columns[column + i]->type), values[i]);
	}
	appendStringInfoChar(&st->sql, ')');
}

/*
 * Appends the bounds of the segment.  Later batches have a start in place of
 * the lower bound.
 */
static void
AddSegmentConditions(Statement *st, const SqlSource *s)
{
	const ScanKeys *keys = s->keys;

	if (keys->has_lower && !s->has_start)
		AddRowCondition(st, keys, 0, keys->schema->npartition, ">=", keys->lower);
	if (keys->has_upper)
		AddRowCondition(st, keys, 0, keys->schema->npartition, "<", keys->upper);
}

static void
AddConditions(Statement *st, const SqlSource *s)
{
	const ScanKeys *keys = s->keys;

	st->joint = " WHERE ";
	if (s->shard >= 0)
	{
		AddJoint(st);
		appendStringInfoString(&st->sql, SHARD_COLUMN " OPERATOR(pg_catalog.=) ");
		AddParameter(st, INT4OID, Int32GetDatum(s->shard));
	}
	if (keys->shard_column != NULL)
	{
		AddJoint(st);
		appendStringInfo(&st->sql, "%s OPERATOR(dynamo.=%%) ", quote_identifier(keys->shard_column->column));
		AddParameter(st, KeyColumnType(keys->shard_column->type), keys->shard_key);
	}
	for (int i = 0; i < keys->ntests; i++)
		AddTestCondition(st, keys, &keys->tests[i]);
	for (int i = 0; i < keys->nnotnull; i++)
	{
		AddJoint(st);
		appendStringInfo(&st->sql, "%s IS NOT NULL",
						 quote_identifier(keys->columns[keys->notnull[i]]->column));
	}
	if (keys->limited != NULL)
	{
		AddJoint(st);
		AppendLimits(&st->sql, keys->def, keys->limited);
	}
	AddSegmentConditions(st, s);
	if (s->has_start)
		AddRowCondition(st, keys, keys->nfixed, keys->ncolumns - keys->nfixed,
						keys->forward ? ">" : "<", s->start);
}

static void
AddOrder(Statement *st, const ScanKeys *keys)
{
	appendStringInfoString(&st->sql, " ORDER BY ");
	for (int i = 0; i < keys->ncolumns; i++)
		appendStringInfo(&st->sql, "%s%s%s", i > 0 ? ", " : "",
						 quote_identifier(keys->columns[i]->column),
						 keys->forward ? "" : " DESC");
}

static void
BuildStatement(Statement *st, const SqlSource *s)
{
	st->nparams = 0;
	initStringInfo(&st->sql);
	appendStringInfoString(&st->sql, "SELECT " ITEM_COLUMN);
	for (int i = 0; i < s->keys->ncolumns; i++)
		appendStringInfo(&st->sql, ", %s", quote_identifier(s->keys->columns[i]->column));
	appendStringInfoString(&st->sql, " FROM ");
	AppendRelationName(&st->sql, s->rel);
	AddConditions(st, s);
	AddOrder(st, s->keys);
	appendStringInfoString(&st->sql, " LIMIT ");
	AddParameter(st, INT8OID, Int64GetDatum(s->batch_size));
}

/* ---- batches ---- */

static void
GetRowPlace(const SqlSource *s, int row, RowPlace *place)
{
	int			first = row * s->keys->ncolumns;

	place->relid = RelationGetRelid(s->rel);
	ItemPointerSetInvalid(&place->tid);
	place->key = KeyColumnsText(s->keys->columns, s->keys->ncolumns,
								s->values + first, s->nulls + first);
}

static void InvalidSqlRow(const SqlSource *s, int row, const char *problem) pg_attribute_noreturn();

static void
InvalidSqlRow(const SqlSource *s, int row, const char *problem)
{
	RowPlace	place;

	GetRowPlace(s, row, &place);
	InvalidRowError(&place, problem);
}

/* Copies the key columns of a row out of SPI's memory. */
static void
KeepColumns(SqlSource *s, int row)
{
	int			n = s->keys->ncolumns;

	for (int i = 0; i < n; i++)
	{
		Datum		value = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc,
										  i + 2, &s->nulls[row * n + i]);

		s->values[row * n + i] = s->nulls[row * n + i] ? (Datum) 0 :
			PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
	}
}

/* Copies the items and key columns of all rows of the last statement. */
static void
KeepRows(SqlSource *s)
{
	MemoryContext old;

	for (int i = 0; i < s->keys->ncolumns; i++)
		StatementCheckColumn(i + 2, KeyColumnType(s->keys->columns[i]->type));
	MemoryContextReset(s->batch_context);
	old = MemoryContextSwitchTo(s->batch_context);
	s->nitems = (int) SPI_processed;
	s->items = palloc(sizeof(struct varlena *) * Max(s->nitems, 1));
	s->values = palloc(sizeof(Datum) * Max(s->nitems, 1) * s->keys->ncolumns);
	s->nulls = palloc(sizeof(bool) * Max(s->nitems, 1) * s->keys->ncolumns);
	for (int i = 0; i < s->nitems; i++)
	{
		s->items[i] = PG_DETOAST_DATUM_COPY(StatementItem(i));
		KeepColumns(s, i);
	}
	MemoryContextSwitchTo(old);
	s->next = 0;
}

/*
 * Starts the next batch after the last row of this one.  The position consists
 * of columns, which determine the order of rows, whatever the item contains.
 */
static void
KeepStart(SqlSource *s)
{
	const ScanKeys *keys = s->keys;
	int			last = (s->nitems - 1) * keys->ncolumns;

	for (int i = keys->nfixed; i < keys->ncolumns; i++)
	{
		if (s->nulls[last + i])
			InvalidSqlRow(s, s->nitems - 1, ColumnProblem(keys->columns[i], (Datum) 0, true));
		s->start[i - keys->nfixed] = s->values[last + i];
	}
	s->has_start = true;
}

static void
RunScanStatement(SqlSource *s)
{
	Statement	st;
	SPIPlanPtr	plan;
	int			rc;

	BuildStatement(&st, s);
	plan = StorePlanAs(st.sql.data, st.nparams, st.types, s->rights);
	rc = SPI_execute_snapshot(plan, st.values, NULL, s->snapshot,
							  InvalidSnapshot, true, false, 0);
	if (rc != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_snapshot failed: %s", SPI_result_code_string(rc));
}

/*
 * A distributed index table is read as its owner: the statement is sent to other
 * nodes in the name of the current user.
 */
static bool
ReadsAsOwner(const SqlSource *s)
{
	return s->rights == PLAN_ALL_ROWS && RelationIsDistributed(RelationGetRelid(s->rel));
}

static void
FetchBatch(SqlSource *s)
{
	bool		as_owner = ReadsAsOwner(s);
	OwnerScope	scope;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");

	if (as_owner)
		OwnerScopeEnter(&scope, s->rel->rd_rel->relowner);
	RunScanStatement(s);
	if (as_owner)
		OwnerScopeLeave(&scope);

	KeepRows(s);
	s->exhausted = s->nitems < s->batch_size ||
		s->keys->nfixed == s->keys->ncolumns;
	if (!s->exhausted)
		KeepStart(s);
	s->batch_size = Min(s->batch_size * 4, LARGEST_BATCH);
	SPI_finish();
}

static Datum
SqlColumn(ScanSource *source, int column, bool *isnull)
{
	const SqlSource *s = (const SqlSource *) source;
	int			i = (s->next - 1) * s->keys->ncolumns + column;

	*isnull = s->nulls[i];
	return s->values[i];
}

static void
SqlPlace(ScanSource *source, RowPlace *place)
{
	const SqlSource *s = (const SqlSource *) source;

	GetRowPlace(s, s->next - 1, place);
}

/* Whether the current row is in the segment. */
static bool
RowInSegment(SqlSource *s)
{
	int			first = (s->next - 1) * s->keys->ncolumns;
	const char *problem;
	bool		inside = ColumnsInSegment(s->keys, s->values + first, s->nulls + first, &problem);

	if (problem != NULL)
		InvalidSqlRow(s, s->next - 1, problem);
	return inside;
}

static struct varlena *
SqlNext(ScanSource *source)
{
	SqlSource  *s = (SqlSource *) source;

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		while (s->next < s->nitems)
		{
			struct varlena *item = s->items[s->next++];

			if (s->keys->segment == NULL || SegmentIsWhole(s->keys->segment) || RowInSegment(s))
				return item;
		}
		if (s->exhausted)
			return NULL;
		FetchBatch(s);
	}
}

static void
SqlEnd(ScanSource *source)
{
	MemoryContextDelete(((SqlSource *) source)->batch_context);
}

static const ScanSourceMethods sql_methods = {SqlNext, SqlColumn, SqlPlace, SqlEnd};

ScanSource *
SqlScanBegin(Relation rel, int shard, Oid rights, const ScanKeys *keys,
			 Snapshot snapshot)
{
	SqlSource  *s = palloc0(sizeof(SqlSource));

	s->source.methods = &sql_methods;
	s->rel = rel;
	s->shard = shard;
	s->rights = rights;
	s->keys = keys;
	s->snapshot = snapshot;
	s->batch_size = FIRST_BATCH;
	s->batch_context = AllocSetContextCreate(CurrentMemoryContext,
											 "dynamo batch", ALLOCSET_DEFAULT_SIZES);
	s->has_start = keys->nstart > 0;
	memcpy(s->start, keys->start, sizeof(Datum) * keys->nstart);
	return &s->source;
}
