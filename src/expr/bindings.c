/*
 * bindings.c
 *	  Expression attribute names and values, and which of them were used.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "errors.h"
#include "expr/bind.h"
#include "shuffle.h"

/* Up to this many names are searched linearly. */
#define FEW_NAMES	8

typedef struct BoundName
{
	Slice		placeholder;
	Slice		name;
	bool		used;
} BoundName;

struct ExprBindings
{
	Problem    *problem;
	int			nnames;
	int			capacity;
	BoundName  *names;			/* as given */
	BoundName **sorted;			/* by placeholder; NULL until needed */
	bool		values_given;
	Container	values;			/* the map */
	bool	   *values_used;	/* by position in the map */
	const ValueRef *positions;	/* of a statement, instead of the map */
};

ExprBindings *
ExprBindingsCreate(ValueRef values, Problem *problem)
{
	ExprBindings *b = palloc0(sizeof(ExprBindings));

	b->problem = problem;
	if (!ValueIsMissing(values))
	{
		b->values_given = true;
		ContainerOpen(values, &b->values);
		b->values_used = palloc0(Max(b->values.count, 1) * sizeof(bool));
	}
	return b;
}

ExprBindings *
ExprBindingsOfPositions(const ValueRef *values, Problem *problem)
{
	ExprBindings *b = palloc0(sizeof(ExprBindings));

	b->problem = problem;
	b->positions = values;
	return b;
}

Problem *
ExprBindingsProblem(const ExprBindings *b)
{
	return b->problem;
}

ValueRef
ExprBindingsAtPosition(const ExprBindings *b, int position)
{
	return b->positions[position];
}

void
ExprBindingsAddName(ExprBindings *b, Slice placeholder, Slice name)
{
	if (b->nnames == b->capacity)
	{
		b->capacity = Max(4, b->capacity * 2);
		b->names = b->names ?
			repalloc(b->names, b->capacity * sizeof(BoundName)) :
			palloc(b->capacity * sizeof(BoundName));
		b->sorted = NULL;
	}
	b->names[b->nnames++] = (BoundName) {placeholder, name, false};
}

bool
ExprBindingsAddMap(ExprBindings *b, ValueRef names)
{
	Container	map;

	if (ValueIsMissing(names))
		return true;
	ContainerOpen(names, &map);
	for (uint32 i = 0; i < map.count; i++)
	{
		Slice		placeholder;
		ValueRef	name = MapEntry(&map, i, &placeholder);

		if (ValueTypeOf(name) != VALUE_S)
			return false;
		ExprBindingsAddName(b, placeholder, ValuePayload(name));
	}
	return true;
}

/* ---- lookup ---- */

static void
SortNames(ExprBindings *b)
{
	b->sorted = palloc(b->nnames * sizeof(BoundName *));
	for (int i = 0; i < b->nnames; i++)
		b->sorted[i] = &b->names[i];
	Shuffle(b->sorted, b->nnames, sizeof(BoundName *));
	qsort(b->sorted, b->nnames, sizeof(BoundName *), ComparePointersBySlice);
}

static BoundName *
SearchSorted(ExprBindings *b, Slice placeholder)
{
	BoundName	key = {placeholder};
	BoundName  *pkey = &key;
	BoundName **found;

	if (b->sorted == NULL)
		SortNames(b);
	found = bsearch(&pkey, b->sorted, b->nnames, sizeof(BoundName *),
					ComparePointersBySlice);
	return found ? *found : NULL;
}

static BoundName *
SearchNames(ExprBindings *b, Slice placeholder)
{
	if (b->nnames > FEW_NAMES)
		return SearchSorted(b, placeholder);
	for (int i = 0; i < b->nnames; i++)
	{
		if (SliceEqual(b->names[i].placeholder, placeholder))
			return &b->names[i];
	}
	return NULL;
}

bool
ExprBindingsFindName(ExprBindings *b, Slice placeholder, Slice *name)
{
	BoundName  *found = SearchNames(b, placeholder);

	if (found == NULL)
		return false;
	found->used = true;
	*name = found->name;
	return true;
}

bool
ExprBindingsFindValue(ExprBindings *b, Slice placeholder, ValueRef *value)
{
	uint32		low = 0;
	uint32		high = b->values_given ? b->values.count : 0;

	while (low < high)
	{
		uint32		mid = low + (high - low) / 2;
		Slice		name;
		ValueRef	v = MapEntry(&b->values, mid, &name);
		int			order = SliceCompare(placeholder, name);

		if (order == 0)
		{
			b->values_used[mid] = true;
			*value = v;
			return true;
		}
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return false;
}

/* ---- checks ---- */

bool
ExprCheckNotEmpty(const char *parameter, uint32 count, Problem *problem)
{
	return count > 0 || NoteInvalid(problem, "%s must not be empty", parameter);
}

static bool
IsPlaceholder(Slice s, char sigil)
{
	if (s.len < 2 || s.len > EXPR_MAX_PLACEHOLDER || s.data[0] != sigil)
		return false;
	for (uint32 i = 1; i < s.len; i++)
	{
		char		c = s.data[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			  (c >= '0' && c <= '9') || c == '_'))
			return false;
	}
	return true;
}

static bool
CheckPlaceholder(const char *parameter, Slice s, char sigil, Problem *problem)
{
	return IsPlaceholder(s, sigil) || ProblemNote(problem, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.rank = EXPR_PLACEHOLDER_RANK,
		.message = psprintf("%s contains invalid key: Syntax error; key: \"%.*s\"",
							parameter, (int) s.len, s.data),
		.hint = psprintf("A key consists of \"%c\" followed by 1 to %d letters, digits or underscores.",
						 sigil, EXPR_MAX_PLACEHOLDER - 1)
	});
}

bool
ExprCheckName(Slice placeholder, Slice name, Problem *problem)
{
	if (!CheckPlaceholder("ExpressionAttributeNames", placeholder, '#', problem))
		return false;
	if (name.len > 0 && name.len <= ITEM_MAX_NAME)
		return true;
	return NoteInvalid(problem, "ExpressionAttributeNames contains invalid value: %s for key %.*s",
					   name.len == 0 ? "Empty attribute name" : "Attribute name is too long",
					   (int) placeholder.len, placeholder.data);
}

bool
ExprCheckValueKey(Slice placeholder, Problem *problem)
{
	return CheckPlaceholder("ExpressionAttributeValues", placeholder, ':', problem);
}

/* Checks the names and adds their sizes. */
static bool
CheckNames(const ExprBindings *b, uint64 *size)
{
	for (int i = 0; i < b->nnames; i++)
	{
		if (!ExprCheckName(b->names[i].placeholder, b->names[i].name, b->problem))
			return false;
		*size += b->names[i].placeholder.len + b->names[i].name.len;
	}
	return true;
}

/* Checks the keys of the values and adds the sizes of both. */
static bool
CheckValues(const ExprBindings *b, uint64 *size)
{
	for (uint32 i = 0; i < b->values.count; i++)
	{
		Slice		name;
		ValueRef	v = MapEntry(&b->values, i, &name);

		if (!ExprCheckValueKey(name, b->problem))
			return false;
		*size += name.len + v.len;
	}
	return true;
}

bool
ExprBindingsCheck(const ExprBindings *b, bool names_given)
{
	uint64		size = 0;

	if (names_given && !ExprCheckNotEmpty("ExpressionAttributeNames", b->nnames, b->problem))
		return false;
	if (b->values_given &&
		!ExprCheckNotEmpty("ExpressionAttributeValues", b->values.count, b->problem))
		return false;
	if (!CheckNames(b, &size) || !CheckValues(b, &size))
		return false;
	return size <= EXPR_MAX_BINDINGS_SIZE ||
		NoteInvalid(b->problem, "ExpressionAttributeNames and ExpressionAttributeValues have exceeded the maximum allowed size of %d bytes",
					EXPR_MAX_BINDINGS_SIZE);
}

/* ---- unused ---- */

static void
AppendUnusedName(StringInfo keys, Slice key)
{
	if (keys->len > 0)
		appendStringInfoString(keys, ", ");
	appendBinaryStringInfo(keys, key.data, key.len);
}

/* The hint says how an expression would have used it. */
static bool
NoteIfAny(const ExprBindings *b, const char *parameter, const char *hint, const StringInfoData *keys)
{
	return keys->len == 0 || ProblemNote(b->problem, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.message = psprintf("Value provided in %s unused in expressions: keys: {%s}", parameter, keys->data),
		.hint = hint
	});
}

static bool
HasUnused(const ExprBindings *b)
{
	for (int i = 0; i < b->nnames; i++)
	{
		if (!b->names[i].used)
			return true;
	}
	for (uint32 i = 0; i < b->values.count; i++)
	{
		if (!b->values_used[i])
			return true;
	}
	return false;
}

bool
ExprBindingsCheckUnused(const ExprBindings *b)
{
	StringInfoData keys;

	if (!HasUnused(b))
		return true;
	initStringInfo(&keys);
	for (int i = 0; i < b->nnames; i++)
	{
		if (!b->names[i].used)
			AppendUnusedName(&keys, b->names[i].placeholder);
	}
	if (!NoteIfAny(b, "ExpressionAttributeNames", "In an expression the name has its \"#\", too, as in #name = :value.", &keys))
		return false;
	for (uint32 i = 0; i < b->values.count; i++)
	{
		Slice		name;

		(void) MapEntry(&b->values, i, &name);
		if (!b->values_used[i])
			AppendUnusedName(&keys, name);
	}
	return NoteIfAny(b, "ExpressionAttributeValues", "In an expression the value has its colon, too, as in name = :value.", &keys);
}
