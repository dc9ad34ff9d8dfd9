/*
 * kind.c
 *	  The stored form of a kind of items, and whether an item is of it.
 */
#include "postgres.h"

#include "entity/template.h"
#include "item/json.h"
#include "view/kind.h"

/* ---- reading a definition ---- */

void
StoredError(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("invalid definition of items"),
			 errdetail("%s", detail)));
}

ValueRef
StoredMember(ValueRef v, const char *name, ValueType type)
{
	ValueRef	found = AttributeFind(v, name, strlen(name));

	if (!ValueIsMissing(found) && ValueTypeOf(found) != type)
		StoredError(psprintf("Member \"%s\" has type %s, not %s.", name,
								 ValueTypeName(ValueTypeOf(found)), ValueTypeName(type)));
	return found;
}

Slice
StoredString(ValueRef v, const char *name)
{
	ValueRef	found = StoredMember(v, name, VALUE_S);

	return ValueIsMissing(found) ? MISSING_SLICE : ValuePayload(found);
}

/* Returns a member that is a map of strings. */
static ValueRef
StringsMember(ValueRef v, const char *name)
{
	ValueRef	found = StoredMember(v, name, VALUE_M);
	Container	entries;

	if (ValueIsMissing(found))
		return found;
	ContainerOpen(found, &entries);
	for (uint32 i = 0; i < entries.count; i++)
	{
		Slice		entry;

		if (ValueTypeOf(MapEntry(&entries, i, &entry)) != VALUE_S)
			StoredError(psprintf("Member \"%s\" is not a string: %.*s.",
									 name, (int) entry.len, entry.data));
	}
	return found;
}

static ValueRef
TemplatesMember(ValueRef v, const char *name)
{
	ValueRef	found = StringsMember(v, name);
	Container	entries;

	if (ValueIsMissing(found))
		return found;
	ContainerOpen(found, &entries);
	for (uint32 i = 0; i < entries.count; i++)
	{
		Slice		entry;
		const char *problem;

		if (TemplateRead(ValuePayload(MapEntry(&entries, i, &entry)), &problem) == NULL)
			StoredError(psprintf("The template of \"%.*s\" is malformed: %s.",
									 (int) entry.len, entry.data, problem));
	}
	return found;
}

ItemKind *
KindRead(const char *text)
{
	ValueRef	root = ItemRoot(ItemFromJson(text, strlen(text), NULL));
	ItemKind   *kind = palloc0(sizeof(ItemKind));

	kind->keys = TemplatesMember(root, "keys");
	kind->prefix = StringsMember(root, "prefix");
	kind->attributes = StoredMember(root, "attributes", VALUE_M);
	kind->condition = StoredString(root, "condition");
	kind->values = StoredMember(root, "values", VALUE_M);
	kind->names = StringsMember(root, "names");
	return kind;
}

Slice
KindTemplate(const ItemKind *kind, Slice attribute)
{
	ValueRef	found = AttributeFind(kind->keys, attribute.data, attribute.len);

	return ValueIsMissing(found) ? MISSING_SLICE : ValuePayload(found);
}

/* ---- matching ---- */

static bool
HasAttributes(const ItemKind *kind, ValueRef item)
{
	Container	wanted;

	if (ValueIsMissing(kind->attributes))
		return true;
	ContainerOpen(kind->attributes, &wanted);
	for (uint32 i = 0; i < wanted.count; i++)
	{
		Slice		name;
		ValueRef	value = MapEntry(&wanted, i, &name);

		if (!ValueEqual(AttributeFind(item, name.data, name.len), value))
			return false;
	}
	return true;
}

static bool
HasPrefixes(const ItemKind *kind, ValueRef item)
{
	Container	wanted;

	if (ValueIsMissing(kind->prefix))
		return true;
	ContainerOpen(kind->prefix, &wanted);
	for (uint32 i = 0; i < wanted.count; i++)
	{
		Slice		name;
		Slice		prefix = ValuePayload(MapEntry(&wanted, i, &name));
		ValueRef	value = AttributeFind(item, name.data, name.len);

		if (ValueIsMissing(value) || ValueTypeOf(value) != VALUE_S ||
			!SliceBeginsWith(ValuePayload(value), prefix))
			return false;
	}
	return true;
}

static Condition *
BindCondition(const ItemKind *kind, ExprBindings **bindings)
{
	*bindings = ExprBindingsCreate(kind->values, NULL);
	(void) ExprBindingsAddMap(*bindings, kind->names);
	(void) ExprBindingsCheck(*bindings, !ValueIsMissing(kind->names));
	return ConditionBind(EXPR_CONDITION,
						 ExprParse(EXPR_CONDITION, kind->condition.data, kind->condition.len, NULL),
						 *bindings);
}

void
KindCheckCondition(const ItemKind *kind)
{
	ExprBindings *bindings;

	BindCondition(kind, &bindings);
	(void) ExprBindingsCheckUnused(bindings);
}

static bool
MeetsCondition(const ItemKind *kind, ValueRef item)
{
	ExprBindings *bindings;

	return kind->condition.data == NULL ||
		ConditionMatches(BindCondition(kind, &bindings), item);
}

bool
KindHasItem(const ItemKind *kind, ValueRef item)
{
	return HasAttributes(kind, item) && HasPrefixes(kind, item) &&
		MeetsCondition(kind, item);
}
