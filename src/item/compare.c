/*
 * compare.c
 *	  Equality, order and hash of values.
 *
 * A value has exactly one encoding, so equality compares bytes and the hash
 * hashes bytes.  The order walks the structure, because the bytes of a
 * container start with its sizes.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"

#include "item/item.h"

bool
ValueEqual(ValueRef a, ValueRef b)
{
	if (ValueIsMissing(a) || ValueIsMissing(b))
		return false;
	return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

/* Compares element i of two containers of the same type. */
static int
CompareElements(const Container *a, const Container *b, uint32 i)
{
	if (a->type == VALUE_L)
		return ValueCompare(ListElement(a, i), ListElement(b, i));

	if (a->type == VALUE_M)
	{
		Slice		name_a;
		Slice		name_b;
		ValueRef	value_a = MapEntry(a, i, &name_a);
		ValueRef	value_b = MapEntry(b, i, &name_b);
		int			order = SliceCompare(name_a, name_b);

		return order != 0 ? order : ValueCompare(value_a, value_b);
	}

	return SliceCompare(ContainerSlice(a, i), ContainerSlice(b, i));
}

static int
CompareContainers(ValueRef a, ValueRef b)
{
	Container	ca;
	Container	cb;
	uint32		common;

	check_stack_depth();
	ContainerOpen(a, &ca);
	ContainerOpen(b, &cb);
	common = Min(ca.count, cb.count);

	for (uint32 i = 0; i < common; i++)
	{
		int			order = CompareElements(&ca, &cb, i);

		if (order != 0)
			return order;
	}
	return ca.count < cb.count ? -1 : ca.count > cb.count;
}

int
ValueCompare(ValueRef a, ValueRef b)
{
	ValueType	type_a = ValueTypeOf(a);
	ValueType	type_b = ValueTypeOf(b);

	if (type_a != type_b)
		return type_a < type_b ? -1 : 1;

	switch (type_a)
	{
		case VALUE_S:
		case VALUE_N:
		case VALUE_B:
			return SliceCompare(ValuePayload(a), ValuePayload(b));
		case VALUE_BOOL:
			return (int) ValueBool(a) - (int) ValueBool(b);
		case VALUE_NULL:
			return 0;
		default:
			return CompareContainers(a, b);
	}
}

uint64
ValueHash(ValueRef v, uint64 seed)
{
	return hash_bytes_extended(v.data, v.len, seed);
}
