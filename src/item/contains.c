/*
 * contains.c
 *	  Containment of items, a @> b, as in jsonb.
 *
 * A map contains another map if it has all its entries and each value contains
 * the other's value.  A list contains another list if each element of the
 * other is contained in one of its elements.  A set contains its subsets of
 * the same type.  A scalar contains its equal.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "compat.h"
#include "item/item.h"

static bool ValueContains(ValueRef a, ValueRef b);

static bool
MapContains(const Container *a, const Container *b)
{
	for (uint32 i = 0; i < b->count; i++)
	{
		Slice		name;
		ValueRef	wanted = MapEntry(b, i, &name);
		ValueRef	found = MapFind(a, name.data, name.len);

		if (ValueIsMissing(found) || !ValueContains(found, wanted))
			return false;
	}
	return true;
}

static bool
ListContains(const Container *a, const Container *b)
{
	for (uint32 i = 0; i < b->count; i++)
	{
		ValueRef	wanted = ListElement(b, i);
		bool		found = false;

		CHECK_FOR_INTERRUPTS();
		for (uint32 j = 0; j < a->count && !found; j++)
			found = ValueContains(ListElement(a, j), wanted);
		if (!found)
			return false;
	}
	return true;
}

static bool
SetContainsSet(const Container *a, const Container *b)
{
	if (b->count > a->count)
		return false;
	for (uint32 i = 0; i < b->count; i++)
	{
		if (!SetContains(a, ContainerSlice(b, i)))
			return false;
	}
	return true;
}

static bool
ValueContains(ValueRef a, ValueRef b)
{
	Container	outer;
	Container	inner;

	check_stack_depth();
	if (ValueTypeOf(a) != ValueTypeOf(b))
		return false;
	if (ValueTypeOf(b) < VALUE_L)
		return ValueEqual(a, b);

	ContainerOpen(a, &outer);
	ContainerOpen(b, &inner);
	if (ValueTypeOf(b) == VALUE_M)
		return MapContains(&outer, &inner);
	if (ValueTypeOf(b) == VALUE_L)
		return ListContains(&outer, &inner);
	return SetContainsSet(&outer, &inner);
}

DYNAMO_FUNCTION(dynamo_item_contains);
Datum
dynamo_item_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(ValueContains(PG_GETARG_VALUE(0), PG_GETARG_VALUE(1)));
}

DYNAMO_FUNCTION(dynamo_item_contained);
Datum
dynamo_item_contained(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(ValueContains(PG_GETARG_VALUE(1), PG_GETARG_VALUE(0)));
}
