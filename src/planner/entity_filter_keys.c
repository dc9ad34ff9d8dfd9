/*
 * entity_filter_keys.c
 *	  Conditions on a key that comparisons of its parts imply.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "extension_objects.h"
#include "planner/begins_with.h"
#include "planner/entity_entries.h"
#include "planner/entity_filter.h"

static Expr *
TextConst(Slice s)
{
	return (Expr *) makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1,
							  PointerGetDatum(cstring_to_text_with_len(s.data, s.len)), false, false);
}

/*
 * Creates compose_key(template, name, value, ...) of the known parts, or
 * compose_keys(...) if one value is an array; NULL if the function does not
 * exist.
 */
static Expr *
ComposeCall(const Template *t, List *parts, bool array)
{
	Oid			types[] = {TEXTOID, ANYOID};
	Oid			function = ExtensionFunctionOid(INTERNAL_SCHEMA, array ? "compose_keys" : "compose_key", types, 2);

	if (!OidIsValid(function))
		return NULL;
	return (Expr *) makeFuncExpr(function, array ? TEXTARRAYOID : TEXTOID, lcons(TextConst(t->source), parts),
								 DEFAULT_COLLATION_OID, DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL);
}

void
FilterMoveOut(Addition *a, Node **quals, int depth)
{
	if (quals != NULL && (a->quals == NULL || depth > a->depth))
	{
		a->quals = quals;
		a->depth = depth;
	}
}

/*
 * Finds the comparison that gives a part; an array is used if no other part of
 * the key has one.
 */
static const Comparison *
FindEquality(const Filter *f, const KeyPlan *plan, const TemplatePart *part, bool arrays)
{
	bool		base = plan->key->base;
	const Comparison *c = part->nsteps != 1 ? NULL : FilterFindComparison(f, part, BTEqualStrategyNumber, false, base);

	if (c == NULL && part->nsteps == 1 && arrays && !plan->array)
		c = FilterFindComparison(f, part, BTEqualStrategyNumber, true, base);
	return c;
}

/*
 * Whether equal keys have equal attributes, which is false for truncated
 * times.
 */
static bool
KeyTells(const Template *t, int piece)
{
	return t->pieces[piece].part->kind != PART_TIME && PieceTellsAttribute(t, piece);
}

/* Finds the values of leading parts; returns whether they are the whole key. */
static bool
PlanParts(const Filter *f, const Template *t, KeyPlan *plan, bool arrays)
{
	for (plan->known = 0; plan->known < t->npieces; plan->known++)
	{
		const TemplatePart *part = t->pieces[plan->known].part;
		const Comparison *c;

		if (part == NULL)
			continue;
		c = FindEquality(f, plan, part, arrays);
		if (c == NULL)
			return false;
		plan->array |= c->array;
		plan->parts = lappend(plan->parts, TextConst(part->name));
		plan->parts = lappend(plan->parts, copyObject(c->value));
		if (KeyTells(t, plan->known))
			plan->told = lappend(plan->told, unconstify(Comparison *, c));
		FilterMoveOut(&plan->place, c->quals, c->depth);
	}
	return true;
}

Var *
FilterKeyColumn(const Filter *f, int attribute)
{
	const Var  *table = linitial(f->call->args);
	Var		   *column;

	if (f->entries != NULL)
		return EntryColumn(f->root, f->def, f->entries, attribute, table);
	column = copyObject(unconstify(Var *, table));
	column->varattno = column->varattnosyn = f->def->attributes[attribute].attnum;
	column->vartype = TEXTOID;
	column->varcollid = C_COLLATION_OID;
	return column;
}

bool
FilterPlanKey(const Filter *f, const ComposedKey *key, KeyPlan *plan)
{
	int			attribute = TableDefAttribute(f->def, key->attribute);
	KeyPlan		whole;

	plan->key = key;
	if (attribute < 0 || f->def->attributes[attribute].type != VALUE_S)
		return false;
	plan->column = FilterKeyColumn(f, attribute);
	whole = *plan;
	if (!PlanParts(f, key->template, &whole, true))
		return PlanParts(f, key->template, plan, false);
	*plan = whole;
	return true;
}

static void
AddCondition(List **additions, KeyPlan *plan, Expr *clause)
{
	Addition   *a = palloc(sizeof(Addition));

	*a = plan->place;
	a->clause = clause;
	*additions = lappend(*additions, a);
}

static Expr *
CompareKey(KeyPlan *plan, Oid operator, Expr *bound)
{
	return make_opclause(operator, BOOLOID, false, (Expr *) copyObject(plan->column), bound,
						 InvalidOid, plan->column->varcollid);
}

/* Returns the literal with which a template begins, which may be empty. */
static Slice
LiteralBeginning(const Template *t)
{
	return t->pieces[0].part == NULL ? t->pieces[0].text : (Slice) {"", 0};
}

/* Creates column = ANY (keys). */
static Expr *
CompareWithKeys(const KeyPlan *plan, Expr *keys)
{
	ScalarArrayOpExpr *any = makeNode(ScalarArrayOpExpr);

	any->opno = TextEqualOperator;
	any->opfuncid = get_opcode(TextEqualOperator);
	any->useOr = true;
	any->inputcollid = plan->column->varcollid;
	any->args = list_make2(copyObject(plan->column), keys);
	any->location = -1;
	return (Expr *) any;
}

/*
 * Whether the query reads only the filter's table, so that no join can use a
 * comparison.
 */
static bool
IsOnlyTable(const Filter *f)
{
	Node	   *node = (Node *) f->root->parse->jointree;

	while (IsA(node, FromExpr) && list_length(((FromExpr *) node)->fromlist) == 1)
		node = linitial(((FromExpr *) node)->fromlist);
	return IsA(node, RangeTblRef);
}

/*
 * Whether the query sorts or groups by the compared expression, which is
 * unnecessary if it is constant.
 */
static bool
IsSortedBy(const Filter *f, Node *shown)
{
	ListCell   *cell;

	foreach(cell, f->root->parse->targetList)
	{
		TargetEntry *entry = lfirst(cell);

		if (entry->ressortgroupref != 0 && equal(entry->expr, shown))
			return true;
	}
	return false;
}

/*
 * Collects the comparisons that an equality of a key replaces.  Those beside
 * the filter cannot be replaced, because the planner may have simplified them
 * already.
 */
static List *
ImpliedComparisons(const Filter *f, const KeyPlan *plan)
{
	List	   *implied = NIL;
	ListCell   *cell;

	if (!plan->key->base || plan->array || plan->place.depth == 0 || !IsOnlyTable(f))
		return NIL;
	foreach(cell, plan->told)
	{
		const Comparison *c = lfirst(cell);

		if (c->quals == plan->place.quals && !IsA(*c->quals, List) && !IsSortedBy(f, c->shown))
			implied = lappend(implied, c->qual);
	}
	return implied;
}

void
FilterAddEquality(const Filter *f, List **additions, KeyPlan *plan)
{
	Expr	   *key = plan->parts == NIL ? TextConst(plan->key->template->pieces[0].text) :
		ComposeCall(plan->key->template, plan->parts, plan->array);

	if (key == NULL)
		return;
	plan->place.implies = ImpliedComparisons(f, plan);
	AddCondition(additions, plan, plan->array ? CompareWithKeys(plan, key) : CompareKey(plan, TextEqualOperator, key));
}

/*
 * Returns the prefix of a key that the known parts determine; NULL if it is
 * empty.
 */
static Expr *
KnownBeginning(const KeyPlan *plan)
{
	Slice		literal = LiteralBeginning(plan->key->template);

	if (plan->parts != NIL)
		return ComposeCall(plan->key->template, copyObject(plan->parts), false);
	return literal.len > 0 ? TextConst(literal) : NULL;
}

void
FilterAddPrefix(List **additions, KeyPlan *plan)
{
	Oid			types[] = {TEXTOID, TEXTOID};
	Oid			function = ExtensionFunctionOid(DYNAMO_SCHEMA, "begins_with", types, 2);
	Expr	   *prefix = KnownBeginning(plan);

	if (prefix != NULL && OidIsValid(function))
		AddCondition(additions, plan,
					 (Expr *) makeFuncExpr(function, BOOLOID, list_make2(copyObject(plan->column), prefix),
										   InvalidOid, plan->column->varcollid, COERCE_EXPLICIT_CALL));
}

static Expr *
PrefixUpper(Expr *prefix)
{
	Oid			types[] = {TEXTOID};
	Oid			function = ExtensionFunctionOid(SYSTEM_SCHEMA, "prefix_upper", types, 1);

	return !OidIsValid(function) ? NULL :
		(Expr *) makeFuncExpr(function, TEXTOID, list_make1(prefix), DEFAULT_COLLATION_OID,
							  DEFAULT_COLLATION_OID, PREFIX_UPPER_IN_PLAN);
}

/*
 * Returns the beginning of the keys in a range whose bound does not fit the format.  If
 * it is empty there is no text above it; numbers and times are ASCII.
 */
static Expr *
BeginningWithoutBound(const KeyPlan *plan, bool upper)
{
	Slice		literal = LiteralBeginning(plan->key->template);

	if (plan->parts != NIL)
		return KnownBeginning(plan);
	return TextConst(upper && literal.len == 0 ? SliceOf("\x7f") : literal);
}

/*
 * Adds a bound of an ordered part: the prefix with the value or, if the value
 * does not fit the format, without it.
 */
static void
AddBound(const Filter *f, List **additions, KeyPlan *plan, const TemplatePart *part, int strategy)
{
	const Comparison *c = FilterFindComparison(f, part, strategy, false, plan->key->base);
	bool		lower = strategy == BTGreaterStrategyNumber || strategy == BTGreaterEqualStrategyNumber;
	KeyPlan		bounded = *plan;
	Expr	   *with;
	Expr	   *without;
	CoalesceExpr *bound;

	if (c == NULL)
		return;
	FilterMoveOut(&bounded.place, c->quals, c->depth);
	with = ComposeCall(plan->key->template,
					   lappend(lappend(copyObject(plan->parts), TextConst(part->name)), copyObject(c->value)), false);
	without = BeginningWithoutBound(plan, lower == part->descending);
	if (with == NULL || without == NULL)
		return;
	bound = makeNode(CoalesceExpr);
	bound->coalescetype = TEXTOID;
	bound->coalescecollid = DEFAULT_COLLATION_OID;
	bound->args = list_make2(with, without);
	bound->location = -1;
	if (lower != part->descending)
		AddCondition(additions, &bounded, CompareKey(plan, TextGreaterEqualOperator, (Expr *) bound));
	else if (PrefixUpper((Expr *) bound) != NULL)
		AddCondition(additions, &bounded, CompareKey(plan, TextLessOperator, PrefixUpper((Expr *) bound)));
}

bool
FilterAddRange(const Filter *f, List **additions, KeyPlan *plan)
{
	const TemplatePart *part = plan->key->template->pieces[plan->known].part;
	int			before = list_length(*additions);
	int			bounds;

	if (PartIsOrdered(part) && part->nsteps == 1)
	{
		for (int strategy = BTLessStrategyNumber; strategy <= BTGreaterStrategyNumber; strategy++)
		{
			if (strategy != BTEqualStrategyNumber)
				AddBound(f, additions, plan, part, strategy);
		}
	}
	bounds = list_length(*additions) - before;
	if (bounds < 2)				/* the unbounded side gets the prefix */
		FilterAddPrefix(additions, plan);
	return bounds > 0 || plan->parts != NIL;
}
