/*
 * pattern_range.c
 *	  The range of keys that an access pattern reads, and the kinds of items that
 *	  can be in it.
 *
 * Of each key the range determines the first pieces of a template.  What follows them
 * can be any text: the bounds of a range are texts, between which are also keys that
 * no value of the compared part composes.  So a kind of items is only outside of the
 * range if its keys differ in what is known; whatever is not known overlaps.
 */
#include "postgres.h"

#include "errors.h"
#include "pattern/pattern.h"

/* ---- the range of a key ---- */

static const PatternKey *
FindPatternKey(const AccessPattern *pattern, Slice attribute)
{
	for (int i = 0; i < pattern->nkeys; i++)
	{
		if (SliceIs(attribute, pattern->keys[i].attribute))
			return &pattern->keys[i];
	}
	return NULL;
}

/* The number of pieces that the first parts of a template, and the text around them, are. */
static int
CountKnownPieces(const Template *t, int nparts)
{
	int			known = 0;

	while (known < t->npieces && (t->pieces[known].part == NULL || nparts-- > 0))
		known++;
	return known;
}

PatternRange
PatternRangeOf(const AccessPattern *pattern, const PatternTarget *target, int attribute)
{
	const PatternKey *key = FindPatternKey(pattern, target->key->attributes[attribute].name);
	const PatternValue *value = key == NULL ? NULL : &key->values[0];
	bool		same;
	const Template *t = PatternCommonTemplate(target, &target->key->attributes[attribute], &same);
	PatternRange range = {0};
	int			nparts = value == NULL ? 0 : list_length(value->parts);

	if (t == NULL)
	{
		if (value != NULL)
			range.constant = value->constant;
		return range;
	}
	/* neither the compared part of a range nor a part that may be absent is known */
	if (value != NULL && value->template != NULL && value->comparison >= KEY_BEGINS_WITH_PART)
		nparts--;
	while (nparts > 0 && ((const char *) list_nth(value->parts, nparts - 1))[0] == ':')
		nparts--;
	range.known = value == NULL ? 0 : CountKnownPieces(t, nparts);
	range.whole = key != NULL && key->op == KEY_EQ;
	return range;
}

/* ---- which keys are in it ---- */

static TemplatePart any_text = {.kind = PART_TEXT, .any = true};

/* The first pieces of a template and, if it has more, any text of at least one character. */
static Template *
MakeBeginning(const Template *t, int known, bool more)
{
	Template   *beginning = palloc0(sizeof(Template));

	beginning->pieces = palloc0(sizeof(TemplatePiece) * (known + 1));
	memcpy(beginning->pieces, t->pieces, sizeof(TemplatePiece) * known);
	beginning->npieces = known;
	beginning->marked = Min(t->marked, known);
	if (more)
	{
		beginning->marked = Min(beginning->marked, beginning->npieces);
		beginning->pieces[beginning->npieces++].part = &any_text;
	}
	return beginning;
}

static bool
Overlap(const Template *a, const Template *b)
{
	StringInfoData example;
	bool		overlap;

	initStringInfo(&example);
	overlap = TemplatesOverlap(a, b, &example);
	pfree(example.data);
	return overlap;
}

/* Whether a key of template other may begin with these pieces of a template. */
static bool
MayBegin(const Template *other, const Template *t, int known, bool whole)
{
	const TemplatePart *last = known == 0 ? NULL : t->pieces[known - 1].part;

	if (!whole && last != NULL && last->kind == PART_TEXT)
		return Overlap(other, MakeBeginning(t, known - 1, true));
	return (known > 0 && Overlap(other, MakeBeginning(t, known, false))) ||
		(!whole && Overlap(other, MakeBeginning(t, known, true)));
}

static bool
MayBeInRangeOf(const PatternTarget *target, int attribute, const PatternRange *range, const Entity *other)
{
	const KeyAttribute *key = &target->key->attributes[attribute];
	const Template *o = PatternTemplate(target, other, key);
	TemplatePiece piece = {.text = range->constant == NULL ? (Slice) {"", 0} : SliceOf(range->constant)};
	Template	constant = {.npieces = 1, .pieces = &piece, .marked = 1};
	bool		same;
	const Template *t;

	if (o == NULL)
		return true;
	if (range->constant != NULL)
		return MayBegin(o, &constant, 1, range->whole);
	t = PatternCommonTemplate(target, key, &same);
	return t == NULL || range->known == 0 || MayBegin(o, t, Min(range->known, t->npieces), range->whole);
}

/*
 * Whether items of an entity may be in the index.  They may not if the entity has
 * neither a template nor an attribute for any of the index's keys.
 */
static bool
IsInIndex(const PatternTarget *target, const Entity *entity)
{
	for (int i = 0; target->index != NULL && i < KeyCount(target->key); i++)
	{
		Slice		name = target->key->attributes[i].name;

		if (EntityAttributeFind(entity, name) != NULL || EntityKeyFind(entity, name) != NULL)
			return true;
	}
	return target->index == NULL;
}

static bool
IsWantedEntity(const PatternTarget *target, const Entity *entity)
{
	for (int i = 0; i < target->nentities; i++)
	{
		if (target->entities[i] == entity)
			return true;
	}
	return false;
}

List *
PatternOthersInRange(const PatternTarget *target, const PatternRange *ranges)
{
	const EntitySet *set = target->table->entities;
	List	   *others = NIL;

	for (int i = 0; target->nentities > 0 && i < set->count; i++)
	{
		const Entity *e = &set->entities[i];
		bool		in_range = !IsWantedEntity(target, e) && IsInIndex(target, e);

		for (int j = 0; in_range && j < KeyCount(target->key); j++)
			in_range = MayBeInRangeOf(target, j, &ranges[j], e);
		if (in_range)
			others = lappend(others, unconstify(Entity *, e));
	}
	return others;
}

/* ---- a filter by kind ---- */

/* Returns an entity without type attribute; NULL if there is none. */
static const Entity *
FindUntyped(const Entity *const *entities, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (entities[i]->type_attribute.data == NULL)
			return entities[i];
	}
	return NULL;
}

static void
RefuseUntyped(const Entity *wanted, const Entity *other)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the range also contains items of entity \"%.*s\", but entity \"%.*s\" has no type attribute to distinguish them",
					(int) other->name.len, other->name.data, (int) wanted->name.len, wanted->name.data),
			 errdetail("A request filters by attributes, not by keys."),
			 errhint("Ask for the rows of a view, declare one of the two entities with a type attribute, or choose keys that distinguish them.")));
}

void
PatternPlanKind(AccessPattern *pattern, const PatternTarget *target)
{
	PatternRange ranges[KEY_MAX_ATTRIBUTES];
	List	   *others;
	const Entity **filtered = target->entities;
	int			n = target->nentities;
	const Entity *untyped = FindUntyped(filtered, n);

	for (int i = 0; i < KeyCount(target->key); i++)
		ranges[i] = PatternRangeOf(pattern, target, i);
	others = PatternOthersInRange(target, ranges);
	if (others == NIL)
		return;
	if (untyped != NULL)
	{
		n = list_length(others);
		filtered = palloc(sizeof(Entity *) * n);
		for (int i = 0; i < n; i++)
			filtered[i] = list_nth(others, i);
		if (FindUntyped(filtered, n) != NULL && pattern->view == NULL)
			RefuseUntyped(untyped, FindUntyped(filtered, n));
		pattern->by_key = FindUntyped(filtered, n) != NULL;
		if (pattern->by_key)
			return;
		pattern->excludes = true;
	}
	pattern->kind_attribute = pnstrdup(filtered[0]->type_attribute.data, filtered[0]->type_attribute.len);
	for (int i = 0; i < n; i++)
	{
		pattern->kinds = lappend(pattern->kinds, pnstrdup(filtered[i]->type_value.data, filtered[i]->type_value.len));
		if (filtered[i]->other_type.data != NULL)
			pattern->kinds = lappend(pattern->kinds, pnstrdup(filtered[i]->other_type.data, filtered[i]->other_type.len));
	}
}
