/*
 * entity_filter_items.c
 *	  What the comparisons of a query tell about the items that it can return.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "item/builder.h"
#include "planner/entity_filter.h"

/* The constants that the query compares attributes with. */
typedef struct KnownAttributes
{
	const Filter *filter;
	ItemBuilder *item;
	bool		complete;		/* all names in the condition are among them */
} KnownAttributes;

/*
 * Returns a comparison with a constant that determines an attribute of the
 * item exactly; NULL if there is none.
 */
static const Comparison *
ExactlyKnown(const Filter *f, Slice name)
{
	const EntityAttribute *declared = EntityAttributeFind(f->entity, name);
	TemplatePart part = {.name = name, .nsteps = 1};
	const Comparison *c;

	if (declared == NULL || declared->holds < 0 || EntityKeyTells(f->entity, name))
		return NULL;
	c = FilterFindComparison(f, &part, BTEqualStrategyNumber, false, false);
	return c != NULL && IsA(c->value, Const) && !((Const *) c->value)->constisnull ? c : NULL;
}

/* Adds a constant text, number or uuid to an item. */
static void
AddConst(ItemBuilder *item, const Const *value)
{
	Oid			output;
	bool		varlena;
	char	   *text;

	getTypeOutputInfo(value->consttype, &output, &varlena);
	text = OidOutputFunctionCall(output, value->constvalue);
	if (value->consttype == TEXTOID || value->consttype == VARCHAROID || value->consttype == UUIDOID)
		ItemBuilderString(item, text, strlen(text));
	else
		ItemBuilderNumberText(item, text, strlen(text));
}

/* A PathVisitor. */
static bool
AddKnownAttribute(Slice name, bool nested, void *arg)
{
	KnownAttributes *known = arg;
	const Comparison *c = nested ? NULL : ExactlyKnown(known->filter, name);

	known->complete &= c != NULL;
	if (c != NULL)
	{
		ItemBuilderName(known->item, name.data, name.len);
		AddConst(known->item, (Const *) c->value);
	}
	return known->complete;
}

bool
FilterImpliesCondition(const Filter *f, const ComposedKey *key)
{
	KnownAttributes known = {.filter = f, .complete = true};

	if (key->condition == NULL)
		return true;
	known.item = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);
	ItemBuilderBeginMap(known.item);
	ConditionVisitPaths(key->condition, AddKnownAttribute, &known);
	ItemBuilderEnd(known.item);
	return known.complete && ConditionMatches(key->condition, ItemRoot(ItemBuilderFinish(known.item)));
}

/*
 * Whether all items that the query can return have a part: it is in the table's
 * key, required, or compared.
 */
static bool
IsSurelyThere(const Filter *f, const TemplatePart *part)
{
	const EntityAttribute *declared = EntityAttributeFind(f->entity, part->name);
	bool		there = EntityKeyTells(f->entity, part->name) || (declared != NULL && declared->required) ||
		FilterFindComparison(f, part, BTEqualStrategyNumber, false, false) != NULL ||
		FilterFindComparison(f, part, BTEqualStrategyNumber, true, false) != NULL;

	for (int strategy = BTLessStrategyNumber; strategy <= BTGreaterStrategyNumber && PartIsOrdered(part); strategy++)
		there |= FilterFindComparison(f, part, strategy, false, false) != NULL;
	return there;
}

/* An attribute without a template must be an attribute of the item itself. */
bool
FilterImpliesAttribute(const Filter *f, Slice attribute)
{
	const ComposedKey *key = EntityKeyFind(f->entity, attribute);
	const TemplatePart plain = {.name = attribute, .nsteps = 1};

	if (KeySchemaHas(&f->def->key, attribute))
		return true;
	if (key == NULL)
		return !EntityKeyTells(f->entity, attribute) && IsSurelyThere(f, &plain);
	if (!FilterImpliesCondition(f, key))
		return false;
	for (int i = 0; i < key->template->npieces; i++)
	{
		const TemplatePart *part = key->template->pieces[i].part;

		if (part != NULL && (part->nsteps != 1 || !IsSurelyThere(f, part)))
			return false;
	}
	return true;
}
