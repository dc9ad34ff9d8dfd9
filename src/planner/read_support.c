/*
 * read_support.c
 *	  Planner support of dynamo.query and dynamo.scan: estimates of rows and
 *	  cost, and removal of default arguments from calls.
 *
 * If the table name is a constant, the estimate comes from the table.  A query
 * returns the partition in its condition if the planner knows the value,
 * otherwise a partition of average size; a condition on the sort key reduces
 * this to a part of the partition.  A scan returns everything.  Filters and
 * limits reduce the estimate.
 *
 * A planner support function must not fail.  There is no estimate if the
 * caller may not see all rows or if any argument is unusual; the fixed numbers
 * of the functions' definitions then apply.
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

#include "compat.h"
#include "extension_objects.h"
#include "planner/key_estimate.h"
#include "table/table.h"

#define SORT_RANGE_FRACTION	0.25	/* assumed fraction of a partition in a range of sort keys */
#define FILTER_FRACTION		0.3333
#define ROWS_OF_PAGE		20	/* assumed for partitions, whose pages are not known together */
#define DESCENT_PAGES		2.0 /* uncached pages on the way into an index */

/*
 * The numbers of the relevant arguments; -1 if the function has no such
 * argument.
 */
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
	double		read;			/* number of rows that are read */
	double		returned;
	double		pages;			/* pages of the table, if it is read completely */
} ReadEstimate;

/* ---- arguments ---- */

/* A constant argument that is not null; otherwise NULL. */
static const Const *
GetConstArgument(const FuncExpr *call, int n)
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
GetTextArgument(const FuncExpr *call, int n)
{
	const Const *arg = GetConstArgument(call, n);

	return arg == NULL ? NULL : TextDatumGetCString(arg->constvalue);
}

static Node *
GetNodeArgument(const FuncExpr *call, int n)
{
	return (n < 0 || n >= list_length(call->args)) ? NULL : list_nth(call->args, n);
}

/* Whether an argument is given, even if its value is not known. */
static bool
HasArgument(const FuncExpr *call, int n)
{
	const Node *arg = GetNodeArgument(call, n);

	return arg != NULL && !(IsA(arg, Const) && ((const Const *) arg)->constisnull);
}

/* ---- statistics ---- */

/*
 * The distinct values and null fraction of a column; false without statistics.
 */
static bool
ReadColumnStatistics(Relation rel, AttrNumber attnum, double tuples,
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

/*
 * Estimates the rows that have these attributes, and the rows for one value of
 * them.
 */
static bool
EstimateEntries(Relation rel, const TableDef *def, const int *attributes, int n,
					double tuples, double *entries, double *partition)
{
	double		distinct = 1;

	*entries = tuples;
	for (int i = 0; i < n; i++)
	{
		double		values;
		double		nullfrac;

		if (!ReadColumnStatistics(rel, def->attributes[attributes[i]].attnum, tuples,
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
 * The rows of a partition that satisfy a key condition.  The condition is not
 * parsed; the execution reports its errors.
 */
static double
EstimateConditionRows(const char *condition, double partition, bool has_sort)
{
	if (condition == NULL || !has_sort || strcasestr(condition, " AND ") == NULL)
		return partition;
	if (strcasestr(condition, "begins_with") != NULL ||
		strcasestr(condition, " BETWEEN ") != NULL ||
		strpbrk(condition, "<>") != NULL)
		return Max(partition * SORT_RANGE_FRACTION, 1.0);
	return 1.0;
}

/*
 * The rows of a query's partition; average is the size of an unknown
 * partition.
 */
static double
EstimatePartitionRows(PlannerInfo *root, const FuncExpr *call, const ReadArguments *args, Relation rel,
				const TableDef *def, const int *attributes, int n, double tuples, double average)
{
	KeyArguments key = {
		root, GetTextArgument(call, args->key_condition),
		GetNodeArgument(call, args->values), GetNodeArgument(call, args->names)
	};
	double		fraction = KeyFraction(&key, rel, def, attributes, n, tuples);

	return fraction < 0 ? average : tuples * fraction;
}

static bool
EstimateRead(PlannerInfo *root, const FuncExpr *call, const ReadArguments *args, Relation rel,
			 const TableDef *def, ReadEstimate *estimate)
{
	char	   *index_name = GetTextArgument(call, args->index_name);
	const IndexDef *index = index_name != NULL ? TableDefIndex(def, index_name) : NULL;
	const KeySchema *key = index != NULL ? &index->key : &def->key;
	const int  *attributes = index != NULL ? index->attributes : def->key_attributes;
	BlockNumber pages;
	double		tuples;
	double		allvisfrac;
	double		entries;
	double		partition;

	if (HasArgument(call, args->index_name) && (index == NULL || !index->kind->secondary))
		return false;
	estimate_rel_size(rel, NULL, &pages, &tuples, &allvisfrac);
	if (tuples < 0)
		return false;			/* a partitioned table that was never analyzed */
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
	if (!EstimateEntries(rel, def, attributes, key->npartition, tuples, &entries, &partition))
		return false;
	if (args->key_condition < 0)
	{
		estimate->read = entries;
		return true;
	}
	partition = EstimatePartitionRows(root, call, args, rel, def, attributes, key->npartition,
								tuples, partition);
	estimate->read = EstimateConditionRows(GetTextArgument(call, args->key_condition), partition,
									 key->nsort > 0);
	return true;
}

/* Applies filters, segments and limits to an estimate. */
static void
ReduceEstimate(const FuncExpr *call, const ReadArguments *args, ReadEstimate *estimate)
{
	const Const *segments = GetConstArgument(call, args->total_segments);
	const Const *limit = GetConstArgument(call, args->max_items);
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

/* Returns the table of the call if it is a constant: a name, or a regclass. */
static Oid
FindTable(const FuncExpr *call)
{
	const Const *arg = GetConstArgument(call, 0);

	if (arg == NULL)
		return InvalidOid;
	return arg->consttype == REGCLASSOID ? DatumGetObjectId(arg->constvalue) :
		TableNameTryResolve(TextDatumGetCString(arg->constvalue));
}

static bool
EstimateCall(PlannerInfo *root, Node *node, const ReadArguments *args, ReadEstimate *estimate)
{
	const FuncExpr *call = (const FuncExpr *) node;
	Oid			relid;
	Relation	rel;
	bool		result = false;

	if (node == NULL || !IsA(node, FuncExpr))
		return false;
	relid = FindTable(call);
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

/* Whether an argument has a value that is equivalent to its absence. */
static bool
IsDefault(const FuncExpr *call, const ReadArguments *args, int n)
{
	const Const *arg = list_nth(call->args, n);

	if (!IsA(arg, Const))
		return false;
	return arg->constisnull || (n == args->forward && DatumGetBool(arg->constvalue));
}

/*
 * Returns the call without trailing arguments that have their defaults, or
 * NULL if there are none.  The executor compiles every argument of a
 * set-returning function at each execution, including constants, at a cost of
 * about a thousand instructions each.  The planner adds the defaults to a call
 * after parsing.
 */
static Node *
RemoveDefaults(FuncExpr *call, const ReadArguments *args)
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

/* The cost of one index descent and a range, or of all pages in order. */
static Cost
ComputeReadCost(const ReadEstimate *estimate, bool whole)
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
		return RemoveDefaults(((SupportRequestSimplify *) request)->fcall, args);
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
		req->per_tuple = ComputeReadCost(&estimate, args == &scan_arguments);
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
