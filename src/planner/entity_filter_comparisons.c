/*
 * entity_filter_comparisons.c
 *	  The comparisons of key parts in a query on an entity view.
 *
 * The view shows each part by an expression, which the filter names.  Only
 * comparisons of types whose equality is that of the composed text count.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "planner/entity_filter.h"
#include "planner/may_lack_key.h"

/* Returns an expression without what compares a varchar as text, for example. */
static Node *
WithoutRelabel(Node *expression)
{
	while (expression != NULL && IsA(expression, RelabelType))
		expression = (Node *) ((RelabelType *) expression)->arg;
	return expression;
}

/*
 * Returns the name of the part that an expression shows; NULL if there is
 * none.
 */
static const char *
PartShown(const Filter *f, Node *expression)
{
	for (int i = FIRST_PART_ARGUMENT; i + 1 < list_length(f->call->args); i += 2)
	{
		Const	   *name = list_nth(f->call->args, i);
		Node	   *shown = WithoutRelabel(list_nth(f->call->args, i + 1));

		if (IsA(name, Const) && !name->constisnull && equal(shown, WithoutRelabel(expression)))
			return TextDatumGetCString(name->constvalue);
	}
	return NULL;
}

static Oid
ComparedType(const Comparison *c)
{
	Oid			type = exprType((Node *) c->value);

	return c->array ? get_element_type(type) : type;
}

/*
 * Whether a numeric(p, s) shows every number that a part can be without
 * rounding.
 */
static bool
ShowsAllDecimals(const TemplatePart *part, int32 typmod)
{
	int			scale = (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;

	return part->kind == PART_NUMBER && part->decimals <= scale;
}

/*
 * Whether two values of the compared types are equal exactly if they compose
 * the same text of a part, as the entity declares it.
 */
static bool
EqualityIsOfText(const Filter *f, const TemplatePart *part, const Comparison *c)
{
	const EntityAttribute *declared = EntityAttributeFind(f->entity, part->name);
	int			holds = declared == NULL ? -1 : declared->holds;
	int32		typmod = exprTypmod(WithoutRelabel(c->shown));
	Oid			value_type = ComparedType(c);

	if (typmod >= 0 && !(exprType(c->shown) == NUMERICOID && ShowsAllDecimals(part, typmod)))
		return false;
	switch (exprType(c->shown))
	{
		case UUIDOID:
			return declared != NULL && declared->uuid && value_type == UUIDOID;
		case TEXTOID:
		case VARCHAROID:
			return holds == VALUE_S && (value_type == TEXTOID || value_type == VARCHAROID);
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return holds == VALUE_N && (value_type == INT2OID || value_type == INT4OID || value_type == INT8OID);
		case NUMERICOID:
			return holds == VALUE_N && value_type == NUMERICOID;
		case TIMESTAMPTZOID:
		case TIMESTAMPOID:
			return holds < 0 && part->kind == PART_TIME && value_type == exprType(c->shown);
		case DATEOID:
			return holds < 0 && part->kind == PART_TIME && part->unit == TIME_DATE && value_type == DATEOID;
	}
	return false;
}

/*
 * Whether the value that a part is compared with can be an empty text, and an
 * item can have such a part.
 */
static Emptiness
EmptinessOf(const Filter *f, const char *part, Node *value)
{
	const EntityAttribute *declared = EntityAttributeFind(f->entity, SliceOf(part));
	const Const *known = (const Const *) eval_const_expressions(f->root, copyObject(value));
	Oid			type = exprType(value);

	if (IsA(known, Const))
		return !known->constisnull && IsEmptyText(known->constvalue, known->consttype) ? EMPTY_SURELY : EMPTY_NEVER;
	if (declared != NULL && declared->required)
		return EMPTY_NEVER;
	return type == TEXTOID || type == VARCHAROID || type == TEXTARRAYOID || type == VARCHARARRAYOID ?
		EMPTY_MAYBE : EMPTY_NEVER;
}

/* Whether a value can be compared with a key instead. */
static bool
IsUsableValue(const Filter *f, Node *value)
{
	return !contain_subplans(value) && !contain_volatile_functions(value) &&
		!contain_agg_clause(value) && !bms_is_member(f->varno, pull_varnos(f->root, value));
}

/*
 * Returns the btree strategy by which an operator compares values of a type; 0
 * if there is none.
 */
static int
StrategyOf(Oid operator, Oid collation, Oid type)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY);

	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		return 0;
	return OidIsValid(entry->btree_opf) ? get_op_opfamily_strategy(operator, entry->btree_opf) : 0;
}

/* The position of an operator, and whether its right operand is an array. */
typedef struct OperatorPlace
{
	Oid			collation;
	bool		array;
	Node	   *qual;
	Node	  **quals;
	int			depth;
} OperatorPlace;

/* Adds a comparison if the left operand is a part and the right one a value. */
static bool
AddComparison(Filter *f, const OperatorPlace *place, Oid operator, Node *shown, Node *value)
{
	Comparison	c = {
		.part = OidIsValid(operator) ? PartShown(f, shown) : NULL,
		.array = place->array,
		.shown = shown,
		.value = (Expr *) value,
		.qual = place->qual,
		.quals = place->quals,
		.depth = place->depth
	};

	if (c.part == NULL || !IsUsableValue(f, value))
		return false;
	c.strategy = StrategyOf(operator, place->collation, exprType(shown));
	if (c.strategy == 0 || (c.array && c.strategy != BTEqualStrategyNumber))
		return false;
	c.empty = EmptinessOf(f, c.part, value);
	f->comparisons = lappend(f->comparisons, memcpy(palloc(sizeof(c)), &c, sizeof(c)));
	return true;
}

/* Adds a comparison if a qual is one. */
static void
AddQual(Filter *f, Node *qual, Node **quals, int depth)
{
	OperatorPlace place = {.qual = qual, .quals = quals, .depth = depth};

	if (IsA(qual, OpExpr) && list_length(((OpExpr *) qual)->args) == 2)
	{
		OpExpr	   *op = (OpExpr *) qual;

		place.collation = op->inputcollid;
		if (!AddComparison(f, &place, op->opno, linitial(op->args), lsecond(op->args)))
			(void) AddComparison(f, &place, get_commutator(op->opno), lsecond(op->args), linitial(op->args));
	}
	else if (IsA(qual, ScalarArrayOpExpr) && ((ScalarArrayOpExpr *) qual)->useOr)
	{
		ScalarArrayOpExpr *op = (ScalarArrayOpExpr *) qual;

		place.collation = op->inputcollid;
		place.array = true;
		(void) AddComparison(f, &place, op->opno, linitial(op->args), lsecond(op->args));
	}
}

void
FilterCollectComparisons(Filter *f)
{
	ListCell   *place;
	int			depth = 0;

	foreach(place, f->path)
	{
		Node	  **quals = lfirst(place);
		ListCell   *cell;

		foreach(cell, QualConjuncts(*quals))
			AddQual(f, lfirst(cell), quals, depth);
		depth++;
	}
}

const Comparison *
FilterFindComparison(const Filter *f, const TemplatePart *part, int strategy, bool array, bool base)
{
	ListCell   *cell;

	foreach(cell, f->comparisons)
	{
		const Comparison *c = lfirst(cell);

		if (c->strategy == strategy && c->array == array && (base || c->empty <= f->usable) &&
			SliceIs(part->name, c->part) && EqualityIsOfText(f, part, c))
			return c;
	}
	return NULL;
}
