/*
 * entity_filter_lacking.c
 *	  Admits items that lack the key of an index because a part is an empty text.
 *
 * Conditions on the key would not find them if they are compared with a value
 * that turns out to be an empty text.  All conditions on the key together
 * become one arm of an OR, and may_lack_key the other.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "nodes/makefuncs.h"

#include "compat.h"
#include "planner/entity_filter.h"
#include "planner/may_lack_key.h"

/*
 * Adds the values that may be empty texts and are compared with parts of a key;
 * moves the place of the condition to where they are.
 */
static void
CollectUncertain(const Filter *f, const ComposedKey *key, List **values, Addition *place)
{
	for (int i = 0; i < 2 * key->template->npieces; i++)
	{
		const TemplatePart *part = key->template->pieces[i / 2].part;
		const Comparison *c = part == NULL ? NULL :
			FilterFindComparison(f, part, BTEqualStrategyNumber, i % 2 == 1, false);

		if (c == NULL || c->empty != EMPTY_MAYBE)
			continue;
		*values = lappend(*values, copyObject(c->value));
		FilterMoveOut(place, c->quals, c->depth);
	}
}

List *
FilterAdmitLacking(const Filter *f, const KeySchema *schema, List *additions)
{
	Addition   *either = palloc0(sizeof(Addition));
	List	   *values = NIL;
	List	   *clauses = NIL;
	Expr	   *lacking;
	ListCell   *cell;

	for (int i = 0; i < KeyCount(schema); i++)
	{
		const ComposedKey *key = EntityKeyFind(f->entity, schema->attributes[i].name);

		if (key != NULL && !key->base)
			CollectUncertain(f, key, &values, either);
	}
	if (values == NIL)
		return additions;
	lacking = MayLackKeyCall(FilterKeyColumn(f, f->def->key_attributes[0]), values);
	if (lacking == NULL)
		return NIL;
	foreach(cell, additions)
	{
		Addition   *a = lfirst(cell);

		clauses = lappend(clauses, a->clause);
		FilterMoveOut(either, a->quals, a->depth);
	}
	either->clause = make_orclause(list_make2(make_ands_explicit(clauses), lacking));
	return list_make1(either);
}
