/*
 * read_support.c
 *	  Planner support of dynamo.query and dynamo.scan: row and cost estimates,
 *	  and calls without what is at its default.
 *
 * Where the table's name is a constant, the estimate comes from the table: a
 * query gives the partition that its condition names if the value is known,
 * else the average one, a part of it if the sort key is constrained; a scan
 * gives everything.  Filters and limits reduce it.
 * Nothing is estimated, and the functions' fixed numbers apply, where the
 * caller may not see all rows, or where anything is not as it should be: a
 * planner support function must not fail.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "fmgr.h"
#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/plancat.h"
#include "storage/lockdefs.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "catalog/objects.h"
#include "catalog/table.h"
#include "compat.h"
#include "sql/key_estimate.h"

#define SORT_RANGE_FRACTION	0.25	/* of a partition, a range of sort keys */
#define FILTER_FRACTION		0.3333
#define ROWS_OF_PAGE		20	/* of partitions, whose pages are not known together */
#define DESCENT_PAGES		2.0 /* uncached pages on the way into an index */

/* The arguments that matter; -1: the function has no such argument. */
typedef struct ReadArguments
{
	int			key_condition;
	int			values;
	int			names;
	int			index_name;
	int			filter;
	int			max_items;
	int			total_segments;
	int			forward;
} ReadArguments;

static const ReadArguments query_arguments = {1, 2, 3, 4, 8, 6, -1, 5};
static const ReadArguments scan_arguments = {-1, -1, -1, 4, 1, 6, 9, -1};

typedef struct ReadEstimate
{
	double		read;			/* rows read */
	double		returned;
	double		pages;			/* of the table, when all of it is read */
} ReadEstimate;

/* ---- arguments ---- */

/* A constant argument that is not null, or NULL. */
static const Const *
ConstArgument(const FuncExpr *call, int n)
{
	const Node *arg;

	if (n < 0 || n >= list_length(call->args))
		return NULL;
	arg = list_nth(call->args, n);
	if (!IsA(arg, Const) || ((const Const *) arg)->constisnull)
		return NULL;
	return (const Const *) arg;
}

static char *
TextArgument(const FuncExpr *call, int n)
{
	const Const *arg = ConstArgument(call, n);

	return arg == NULL ? NULL : TextDatumGetCString(arg->constvalue);
}

static Node *
NodeArgument(const FuncExpr *call, int n)
{
	return (n < 0 || n >= list_length(call->args)) ? NULL : list_nth(call->args, n);
}

/* Whether an argument is given, if not known as what. */
static bool
HasArgument(const FuncExpr *call, int n)
{
	const Node *arg = NodeArgument(call, n);

	return arg != NULL && !(IsA(arg, Const) && ((const Const *) arg)->constisnull);
}

/* ---- statistics ---- */

/* Distinct values and null fraction of a column; false without statistics. */
static bool
ColumnStatistics(Relation rel, AttrNumber attnum, double tuples,
				 double *distinct, double *nullfrac)
{
	HeapTuple	tuple = SearchColumnStatistics(rel, attnum);
	Form_pg_statistic stats;

	if (!HeapTupleIsValid(tuple))
		return false;
	stats = (Form_pg_statistic) GETSTRUCT(tuple);
	*nullfrac = stats->stanullfrac;
	*distinct = stats->stadistinct < 0 ? -stats->stadistinct * tuples : stats->stadistinct;
	ReleaseSysCache(tuple);
	return *distinct >= 1;
}

/* Rows with these attributes, and rows for one value of them. */
static bool
EntriesOfAttributes(Relation rel, const TableDef *def, const int *attributes, int n,
					double tuples, double *entries, double *partition)
{
	double		distinct = 1;

	*entries = tuples;
	for (int i = 0; i < n; i++)
	{
		double		values;
		double		nullfrac;

		if (!ColumnStatistics(rel, def->attributes[attributes[i]].attnum, tuples,
							  &values, &nullfrac))
			return false;
		distinct *= values;
		*entries = Min(*entries, tuples * (1.0 - nullfrac));
	}
	*partition = *entries / Max(Min(distinct, *entries), 1.0);
	return true;
}

/* ---- the estimate ---- */

/*
 * The part of a partition that a key condition leaves.  The expression is not
 * parsed: it may be wrong, which is for the execution to say.
 */
static double
RowsOfCondition(const char *condition, double partition, bool has_sort)
{
	if (condition == NULL || !has_sort || strcasestr(condition, " AND ") == NULL)
		return partition;
	if (strcasestr(condition, "begins_with") != NULL ||
		strcasestr(condition, " BETWEEN ") != NULL ||
		strpbrk(condition, "<>") != NULL)
		return Max(partition * SORT_RANGE_FRACTION, 1.0);
	return 1.0;
}

/* The rows of the partition of a query; average: those of one unknown. */
static double
RowsOfPartition(PlannerInfo *root, const FuncExpr *call, const ReadArguments *args, Relation rel,
				const TableDef *def, const int *attributes, int n, double tuples, double average)
{
	KeyArguments key = {
		root, TextArgument(call, args->key_condition),
		NodeArgument(call, args->values), NodeArgument(call, args->names)
	};
	double		fraction = KeyFraction(&key, rel, def, attributes, n, tuples);

	return fraction < 0 ? average : tuples * fraction;
}

static bool
EstimateRead(PlannerInfo *root, const FuncExpr *call, const ReadArguments *args, Relation rel,
			 const TableDef *def, ReadEstimate *estimate)
{
	char	   *index_name = TextArgument(call, args->index_name);
	const IndexDef *index = index_name != NULL ? TableDefIndex(def, index_name) : NULL;
	const KeySchema *key = index != NULL ? &index->key : &def->key;
	const int  *attributes = index != NULL ? index->attributes : def->key_attributes;
	BlockNumber pages;
	double		tuples;
	double		allvisfrac;
	double		entries;
	double		partition;

	if (HasArgument(call, args->index_name) && index == NULL)
		return false;
	estimate_rel_size(rel, NULL, &pages, &tuples, &allvisfrac);
	if (tuples < 0)
		return false;			/* partitioned, and never analyzed */
	estimate->pages = rel->rd_rel->relkind == RELKIND_RELATION ? pages : tuples / ROWS_OF_PAGE;
	if (index == NULL && args->key_condition < 0)
	{
		estimate->read = tuples;
		return true;
	}
	if (index == NULL && key->nsort == 0)
	{
		estimate->read = 1;
		return true;
	}
	if (!EntriesOfAttributes(rel, def, attributes, key->npartition, tuples, &entries, &partition))
		return false;
	if (args->key_condition < 0)
	{
		estimate->read = entries;
		return true;
	}
	partition = RowsOfPartition(root, call, args, rel, def, attributes, key->npartition,
								tuples, partition);
	estimate->read = RowsOfCondition(TextArgument(call, args->key_condition), partition,
									 key->nsort > 0);
	return true;
}

/* Filters, segments and limits. */
static void
ReduceEstimate(const FuncExpr *call, const ReadArguments *args, ReadEstimate *estimate)
{
	const Const *segments = ConstArgument(call, args->total_segments);
	const Const *limit = ConstArgument(call, args->max_items);
	double		fraction = HasArgument(call, args->filter) ? FILTER_FRACTION : 1.0;

	if (segments != NULL && DatumGetInt32(segments->constvalue) > 0)
	{
		estimate->read /= DatumGetInt32(segments->constvalue);
		estimate->pages /= DatumGetInt32(segments->constvalue);
	}
	if (limit != NULL && DatumGetInt32(limit->constvalue) > 0)
	{
		double		enough = DatumGetInt32(limit->constvalue) / fraction;

		if (enough < estimate->read)
		{
			estimate->pages *= enough / estimate->read;
			estimate->read = enough;
		}
	}
	estimate->returned = clamp_row_est(estimate->read * fraction);
}

static bool
EstimateCall(PlannerInfo *root, Node *node, const ReadArguments *args, ReadEstimate *estimate)
{
	const FuncExpr *call = (const FuncExpr *) node;
	char	   *table_name;
	Oid			relid;
	Relation	rel;
	bool		result = false;

	if (node == NULL || !IsA(node, FuncExpr))
		return false;
	table_name = TextArgument(call, 0);
	relid = table_name == NULL ? InvalidOid : TableNameResolve(table_name, true);
	if (!OidIsValid(relid) || !MaySeeAllRows(relid))
		return false;
	rel = try_table_open(relid, AccessShareLock);
	if (rel == NULL)
		return false;

	if ((rel->rd_rel->relkind == RELKIND_RELATION ||
		 rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE) && RelationIsDynamoTable(rel))
	{
		TableDef   *def = TableDefAcquire(rel);

		result = EstimateRead(root, call, args, rel, def, estimate);
		if (result)
			ReduceEstimate(call, args, estimate);
		TableDefRelease(def);
	}
	table_close(rel, AccessShareLock);
	return result;
}

/* ---- defaults ---- */

/* Whether an argument is what the functions take for one that is not there. */
static bool
IsDefault(const FuncExpr *call, const ReadArguments *args, int n)
{
	const Const *arg = list_nth(call->args, n);

	if (!IsA(arg, Const))
		return false;
	return arg->constisnull || (n == args->forward && DatumGetBool(arg->constvalue));
}

/*
 * The call without the arguments at its end that are at their defaults, or
 * NULL if it has none.  The executor compiles every argument of a
 * set-returning function, constants too, at each execution: about a thousand
 * instructions each.  The planner has just added them to a call that the
 * parser had left as we leave it.
 */
static Node *
WithoutDefaults(FuncExpr *call, const ReadArguments *args)
{
	int			n = list_length(call->args);
	FuncExpr   *shorter;

	while (n > 1 && IsDefault(call, args, n - 1))
		n--;
	if (n == list_length(call->args))
		return NULL;
	shorter = makeNode(FuncExpr);
	*shorter = *call;
	shorter->args = list_truncate(list_copy(call->args), n);
	return (Node *) shorter;
}

/* ---- the support functions ---- */

/* One descent and a range of an index, or all pages in order. */
static Cost
ReadCost(const ReadEstimate *estimate, bool whole)
{
	Cost		cpu = estimate->read * (cpu_tuple_cost + cpu_index_tuple_cost + cpu_operator_cost) +
		estimate->returned * 10 * cpu_operator_cost;

	if (whole)
		return cpu + estimate->pages * seq_page_cost;
	return cpu + (DESCENT_PAGES + Min(estimate->read, estimate->pages) / 10) * random_page_cost;
}

static Node *
SupportRead(Node *request, const ReadArguments *args)
{
	ReadEstimate estimate = {0};

	if (IsA(request, SupportRequestSimplify))
		return WithoutDefaults(((SupportRequestSimplify *) request)->fcall, args);
	if (IsA(request, SupportRequestRows))
	{
		SupportRequestRows *req = (SupportRequestRows *) request;

		if (!EstimateCall(req->root, req->node, args, &estimate))
			return NULL;
		req->rows = estimate.returned;
		return request;
	}
	if (IsA(request, SupportRequestCost))
	{
		SupportRequestCost *req = (SupportRequestCost *) request;

		if (!EstimateCall(req->root, req->node, args, &estimate))
			return NULL;
		req->startup = 0;
		req->per_tuple = ReadCost(&estimate, args == &scan_arguments);
		return request;
	}
	return NULL;
}

DYNAMO_FUNCTION(dynamo_query_support);
Datum
dynamo_query_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(SupportRead((Node *) PG_GETARG_POINTER(0), &query_arguments));
}

DYNAMO_FUNCTION(dynamo_scan_support);
Datum
dynamo_scan_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(SupportRead((Node *) PG_GETARG_POINTER(0), &scan_arguments));
}
