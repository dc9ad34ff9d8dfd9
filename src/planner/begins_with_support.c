/*
 * begins_with_support.c
 *	  Planner support of dynamo.begins_with(text, text) and (bytea, bytea).
 *
 * "column begins with prefix" becomes the index condition
 *
 *	column >= prefix AND column < upper bound of prefix
 *
 * for any prefix that the index scan can compute: a constant, a parameter of a
 * generic plan, a column of another table in a nested loop.  The bound of a
 * constant is computed here, and omitted if there is none.  Otherwise the
 * bound is a call of dynamo_system.prefix_upper, which then never returns NULL.
 *
 * The range is exact, not lossy: in byte order it contains only values with
 * the prefix.  If a constant has no upper bound, all values above it have the
 * prefix.
 *
 * Selectivity comes from the column's statistics, as for a range.  For a
 * prefix that is a column of another table, it is the average over the values
 * in that column's statistics.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

#include "compat.h"
#include "extension_objects.h"
#include "planner/begins_with.h"
#include "table/collation.h"

/*
 * Maximum number of most common values, and of histogram bounds, of a prefix
 * column over which selectivity is averaged.
 */
#define SAMPLED_VALUES		20

/* The operators for ranges in the byte order of a type. */
typedef struct RangeOperators
{
	Oid			equal;
	Oid			less;
	Oid			greater_equal;
} RangeOperators;

static const RangeOperators text_operators = {
	TextEqualOperator, TextLessOperator, TextGreaterEqualOperator
};
static const RangeOperators text_pattern_operators = {
	TextEqualOperator, TextPatternLessOperator, TextPatternGreaterEqualOperator
};
static const RangeOperators bytea_operators = {
	ByteaEqualOperator, ByteaLessOperator, ByteaGreaterEqualOperator
};

/* ---- index conditions ---- */

/*
 * The operators by which an index column orders values of a type by bytes;
 * NULL if the index has another order.
 */
static const RangeOperators *
IndexRangeOperators(Oid type, Oid opfamily, Oid collation)
{
	const RangeOperators *ops;

	if (type == BYTEAOID)
		ops = &bytea_operators;
	else if (type != TEXTOID || GetDatabaseEncoding() != PG_UTF8)
		return NULL;
	else if (op_in_opfamily(TextPatternLessOperator, opfamily))
		ops = &text_pattern_operators;
	else if (CollationOrdersByBytes(collation))
		ops = &text_operators;
	else
		return NULL;

	if (!op_in_opfamily(ops->less, opfamily) ||
		!op_in_opfamily(ops->greater_equal, opfamily))
		return NULL;
	return ops;
}

/* The upper bound of a constant prefix; NULL if there is none. */
static Const *
ConstPrefixUpper(const Const *prefix)
{
	struct varlena *value = PG_DETOAST_DATUM_PACKED(prefix->constvalue);
	struct varlena *upper = (prefix->consttype == BYTEAOID) ?
		PrefixUpperBytea(value) : PrefixUpperText(value);

	if (upper == NULL)
		return NULL;
	return makeConst(prefix->consttype, -1, prefix->constcollid, -1,
					 PointerGetDatum(upper), false, false);
}

/*
 * Returns a call of dynamo_system.prefix_upper(type); NULL if that function has been
 * dropped.
 */
static Expr *
MakePrefixUpperCall(Oid type, Expr *prefix)
{
	Oid			collation = exprCollation((Node *) prefix);
	Oid			function = ExtensionFunctionOid(SYSTEM_SCHEMA, "prefix_upper", &type, 1);

	if (!OidIsValid(function))
		return NULL;
	return (Expr *) makeFuncExpr(function, type, list_make1(prefix),
								 collation, collation, PREFIX_UPPER_IN_PLAN);
}

static List *
MakePrefixRange(const RangeOperators *ops, Oid collation, Expr *column, Expr *prefix)
{
	Expr	   *upper;
	List	   *range;

	if (IsA(prefix, Const))
		upper = (Expr *) ConstPrefixUpper((Const *) prefix);
	else
	{
		upper = MakePrefixUpperCall(exprType((Node *) prefix), prefix);
		if (upper == NULL)
			return NIL;
	}

	range = list_make1(make_opclause(ops->greater_equal, BOOLOID, false,
									 column, prefix, InvalidOid, collation));
	if (upper != NULL)
		range = lappend(range, make_opclause(ops->less, BOOLOID, false,
											 column, upper, InvalidOid, collation));
	return range;
}

static Node *
BeginsWithCondition(SupportRequestIndexCondition *req)
{
	FuncExpr   *call = (FuncExpr *) req->node;
	const RangeOperators *ops;
	Expr	   *column;
	Expr	   *prefix;
	List	   *range;

	if (!is_funcclause(req->node) || req->indexarg != 0 ||
		list_length(call->args) != 2)
		return NULL;
	column = linitial(call->args);
	prefix = lsecond(call->args);

	if (IsA(prefix, Const) && ((Const *) prefix)->constisnull)
		return NULL;
	if (!is_pseudo_constant_for_index(req->root, (Node *) prefix, req->index))
		return NULL;
	ops = IndexRangeOperators(exprType((Node *) column), req->opfamily,
							  req->indexcollation);
	if (ops == NULL)
		return NULL;

	range = MakePrefixRange(ops, req->indexcollation, column, prefix);
	if (range != NIL)
		req->lossy = false;
	return (Node *) range;
}

/* ---- selectivity ---- */

/*
 * The fraction of the histogram's values that have a prefix: the difference
 * between the fractions below its upper bound and below the prefix.  Negative
 * if there is no histogram.
 */
static double
HistogramPrefixFraction(PlannerInfo *root, VariableStatData *vardata,
						const RangeOperators *ops, Oid collation, const Const *prefix)
{
	const Const *upper = ConstPrefixUpper(prefix);
	double		at_least;
	double		below = 1.0;
	FmgrInfo	proc;

	fmgr_info(get_opcode(ops->greater_equal), &proc);
	at_least = ineq_histogram_selectivity(root, vardata, ops->greater_equal,
										  &proc, true, true, collation,
										  prefix->constvalue, prefix->consttype);
	if (at_least < 0 || upper == NULL)
		return at_least;

	fmgr_info(get_opcode(ops->less), &proc);
	below = ineq_histogram_selectivity(root, vardata, ops->less,
									   &proc, false, false, collation,
									   upper->constvalue, upper->consttype);
	return Max(at_least + below - 1.0, 0.0);
}

/*
 * The fraction of a column's rows with a known prefix: exact for the most
 * common values, from the histogram for the others.  At least the fraction of
 * one value, since a long prefix matches about one value.
 */
static double
ConstPrefixSelectivity(PlannerInfo *root, VariableStatData *vardata,
					   Oid begins_with, const Const *prefix)
{
	const RangeOperators *ops = (prefix->consttype == BYTEAOID) ?
		&bytea_operators : &text_operators;
	Oid			collation = exprCollation(vardata->var);
	double		nullfrac = 0.0;
	double		common;
	double		common_matching;
	double		others;
	double		one_value;
	double		result;
	FmgrInfo	proc;

	if (HeapTupleIsValid(vardata->statsTuple))
		nullfrac = ((Form_pg_statistic) GETSTRUCT(vardata->statsTuple))->stanullfrac;
	if (VARSIZE_ANY_EXHDR(PG_DETOAST_DATUM_PACKED(prefix->constvalue)) == 0)
		return 1.0 - nullfrac;

	fmgr_info(begins_with, &proc);
	common_matching = mcv_selectivity(vardata, &proc, collation,
									  prefix->constvalue, true, &common);
	others = HistogramPrefixFraction(root, vardata, ops, collation, prefix);
	if (others < 0)
		others = DEFAULT_MATCH_SEL;
	result = common_matching + others * (1.0 - nullfrac - common);

	one_value = var_eq_const(vardata, ops->equal, collation,
							 prefix->constvalue, false, true, false);
	result = Max(result, one_value);
	CLAMP_PROBABILITY(result);
	return result;
}

/* The sum of the selectivities of n evenly spaced values of the slot. */
static double
SumOverValues(PlannerInfo *root, VariableStatData *vardata, Oid begins_with,
			  Oid type, const AttStatsSlot *slot, const float4 *weights, int n)
{
	double		sum = 0.0;

	for (int i = 0; i < n; i++)
	{
		int			place = (int) ((int64) i * slot->nvalues / n);
		Const	   *prefix = makeConst(type, -1, slot->stacoll, -1,
									   slot->values[place], false, false);
		double		selectivity = ConstPrefixSelectivity(root, vardata, begins_with, prefix);

		sum += selectivity * (weights != NULL ? weights[place] : 1.0 / n);
	}
	return sum;
}

/*
 * The average selectivity of the prefixes in a column of another table: its
 * most common values by frequency, its histogram bounds for the rest.
 * Negative if there are no statistics.
 */
static double
ColumnPrefixSelectivity(PlannerInfo *root, VariableStatData *vardata,
						Oid begins_with, VariableStatData *prefixes)
{
	AttStatsSlot slot;
	double		common = 0.0;
	double		result = -1.0;
	Form_pg_statistic stats;

	if (!HeapTupleIsValid(prefixes->statsTuple) ||
		!statistic_proc_security_check(prefixes, begins_with))
		return -1.0;
	stats = (Form_pg_statistic) GETSTRUCT(prefixes->statsTuple);

	if (get_attstatsslot(&slot, prefixes->statsTuple, STATISTIC_KIND_MCV, InvalidOid,
						 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
	{
		int			n = Min(Min(slot.nvalues, slot.nnumbers), SAMPLED_VALUES);

		/* The values are sorted by frequency: use the first ones. */
		slot.nvalues = n;
		result = SumOverValues(root, vardata, begins_with, prefixes->vartype,
							   &slot, slot.numbers, n);
		for (int i = 0; i < n; i++)
			common += slot.numbers[i];
		free_attstatsslot(&slot);
	}
	if (get_attstatsslot(&slot, prefixes->statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid,
						 ATTSTATSSLOT_VALUES))
	{
		double		others = SumOverValues(root, vardata, begins_with, prefixes->vartype,
										   &slot, NULL, Min(slot.nvalues, SAMPLED_VALUES));

		result = Max(result, 0.0) + others * Max(1.0 - common - stats->stanullfrac, 0.0);
		free_attstatsslot(&slot);
	}
	return result;
}

/*
 * The selectivity of a prefix that is a parameter or comes from another table.
 */
static double
UnknownPrefixSelectivity(PlannerInfo *root, VariableStatData *vardata,
						 Oid begins_with, Node *prefix)
{
	VariableStatData prefixes;
	double		result = -1.0;

	examine_variable(root, prefix, 0, &prefixes);
	if (prefixes.rel != NULL)
		result = ColumnPrefixSelectivity(root, vardata, begins_with, &prefixes);
	ReleaseVariableStats(prefixes);

	return (result < 0) ? DEFAULT_MATCH_SEL : Min(result, 1.0);
}

static Node *
SupportSelectivity(SupportRequestSelectivity *req)
{
	VariableStatData vardata;
	Node	   *prefix;

	if (list_length(req->args) != 2)
		return NULL;
	prefix = estimate_expression_value(req->root, lsecond(req->args));

	examine_variable(req->root, linitial(req->args),
					 req->is_join ? 0 : req->varRelid, &vardata);
	if (vardata.rel == NULL)
		req->selectivity = DEFAULT_MATCH_SEL;
	else if (!IsA(prefix, Const))
		req->selectivity = UnknownPrefixSelectivity(req->root, &vardata,
													req->funcid, prefix);
	else if (((Const *) prefix)->constisnull)
		req->selectivity = 0.0;
	else
		req->selectivity = ConstPrefixSelectivity(req->root, &vardata,
												  req->funcid, (Const *) prefix);
	ReleaseVariableStats(vardata);
	return (Node *) req;
}

DYNAMO_FUNCTION(dynamo_begins_with_support);
Datum
dynamo_begins_with_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	Node	   *answer = NULL;

	if (IsA(request, SupportRequestIndexCondition))
		answer = BeginsWithCondition((SupportRequestIndexCondition *) request);
	else if (IsA(request, SupportRequestSelectivity))
		answer = SupportSelectivity((SupportRequestSelectivity *) request);
	PG_RETURN_POINTER(answer);
}
