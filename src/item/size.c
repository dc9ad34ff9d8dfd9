/*
 * size.c
 *	  Sizes by the service's rules, which apply to item limits and capacity.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "errors.h"
#include "item/format.h"
#include "item/item.h"

#define CONTAINER_OVERHEAD	3	/* of a list or map */
#define ELEMENT_OVERHEAD	1	/* of each of its elements */

static uint64
SetSize(ValueRef v)
{
	Container	c;

	/*
	 * The size is that of the members: an encoded number has its service size.
	 */
	ContainerOpen(v, &c);
	return v.len - (c.elements - v.data);
}

/* The size of a value that is an element of a container, most of which are scalars. */
static inline uint64
SizeOfElement(const uint8 *value, const uint8 *end)
{
	ValueRef	v = {value, (uint32) (end - value)};
	ValueType	type = ValueTypeOf(v);

	if (likely(type <= VALUE_B))
		return v.len - 1;
	return type <= VALUE_NULL ? 1 : ValueSize(v);
}

static uint64
ListSize(ValueRef v)
{
	Container	c;
	uint64		size;
	const uint8 *p;

	check_stack_depth();
	ContainerOpen(v, &c);
	size = CONTAINER_OVERHEAD + (uint64) ELEMENT_OVERHEAD * c.count;
	p = c.elements;
	for (uint32 i = 0; i < c.count; i++)
	{
		const uint8 *end = c.elements + FormatReadOffset(c.ends, c.width, i);

		size += SizeOfElement(p, end);
		p = end;
	}
	return size;
}

/* The size of names and values; the compiler makes a loop for each width. */
static inline uint64
SizeOfEntries(const Container *c, uint32 width)
{
	uint64		size = 0;
	const uint8 *p = c->elements;

	for (uint32 i = 0; i < c->count; i++)
	{
		const uint8 *end = c->elements + FormatReadOffset(c->ends, width, i);
		uint32		name = FormatReadVarint(&p);

		size += name + SizeOfElement(p + name, end);
		p = end;
	}
	return size;
}

/*
 * The size of names and values of all entries, and the overhead of each.  Reads the bytes
 * itself: every operation needs the size of its items.
 */
static uint64
EntriesSize(ValueRef v, uint32 overhead)
{
	Container	c;
	uint64		size;

	check_stack_depth();
	ContainerOpen(v, &c);
	size = (uint64) overhead * c.count;
	if (c.width == 1)
		return size + SizeOfEntries(&c, 1);
	return size + (c.width == 2 ? SizeOfEntries(&c, 2) : SizeOfEntries(&c, 4));
}

uint64
ValueSize(ValueRef v)
{
	switch (ValueTypeOf(v))
	{
		case VALUE_S:
		case VALUE_N:
		case VALUE_B:
			return v.len - 1;
		case VALUE_BOOL:
		case VALUE_NULL:
			return 1;
		case VALUE_L:
			return ListSize(v);
		case VALUE_M:
			return CONTAINER_OVERHEAD + EntriesSize(v, ELEMENT_OVERHEAD);
		default:
			return SetSize(v);
	}
}

uint64
ItemSize(ValueRef item)
{
	return EntriesSize(item, 0);
}

void
CheckItemSize(ValueRef item)
{
	uint64		size;

	/*
	 * An encoded element takes at least three quarters of its size by the
	 * service's rules (an empty list: 3 bytes with its offset, instead of 4),
	 * so most items need no walk.
	 */
	if (item.len <= ITEM_MAX_SIZE / 2)
		return;

	size = ItemSize(item);
	if (size > ITEM_MAX_SIZE)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("Item size has exceeded the maximum allowed size"),
				 errdetail("The item has " UINT64_FORMAT " bytes; the limit is %d.",
						   size, ITEM_MAX_SIZE)));
}
