/*
 * slice.c
 *	  One attribute of a stored item, without reading all of a large one.
 *
 * A large item is compressed, or stored out of line, or both.  Its attributes
 * stand in order of their names and the table of their ends comes first, so
 * that its first bytes tell whether an attribute is among them.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "fmgr.h"

#include "item/format.h"
#include "item/item.h"
#include "item/slice.h"

/* What is read first, and the least size of an item that is worth it. */
#define FIRST_SLICE		2000
#define LEAST_SIZE		(4 * FIRST_SLICE)

typedef enum FoundInSlice
{
	FOUND,						/* entry i is it */
	NOT_THERE,					/* the item has no such attribute */
	BEYOND						/* the slice does not tell */
} FoundInSlice;

/* The table of an item's attributes, if it is in its first bytes. */
static bool
OpenSlice(const uint8 *bytes, uint32 len, Container *c)
{
	const uint8 *p = bytes + 2;

	if (len < 2 + FORMAT_MAX_VARINT || bytes[0] != ITEM_VERSION ||
		(bytes[1] & VALUE_TAG_TYPE_MASK) != VALUE_M)
		return false;
	c->type = VALUE_M;
	c->width = 1 << ((bytes[1] & VALUE_TAG_WIDTH_MASK) >> VALUE_TAG_WIDTH_SHIFT);
	c->count = FormatReadVarint(&p);
	c->ends = p;
	c->elements = p + (Size) c->count * c->width;
	return c->elements <= bytes + len;
}

/* The name of entry i, if all of it is in the first "available" bytes. */
static bool
NameInSlice(const Container *c, uint32 available, uint32 i, Slice *name)
{
	uint32		start = i == 0 ? 0 : FormatReadOffset(c->ends, c->width, i - 1);
	const uint8 *p = c->elements + start;

	if (start + FORMAT_MAX_VARINT > available)
		return false;
	name->len = FormatReadVarint(&p);
	name->data = (const char *) p;
	return p + name->len <= c->elements + available;
}

/*
 * Looks for a name among the entries whose names are in the first "available"
 * bytes of the elements.
 */
static FoundInSlice
FindInSlice(const Container *c, uint32 available, Slice wanted, uint32 *i)
{
	uint32		low = 0;
	uint32		high = c->count;
	uint32		beyond = c->count;	/* from here on names are not there */

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;
		Slice		name;
		int			order;

		if (!NameInSlice(c, available, middle, &name))
		{
			beyond = middle;
			high = middle;
			continue;
		}
		order = SliceCompare(wanted, name);
		if (order == 0)
		{
			*i = middle;
			return FOUND;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low == beyond && beyond < c->count ? BEYOND : NOT_THERE;
}

static ValueRef
FindInWhole(Datum item, Slice name)
{
	return AttributeFind(ItemRoot((struct varlena *) PG_DETOAST_DATUM_PACKED(item)),
						 name.data, name.len);
}

/* Reads as much of a large item as ends with its attribute i. */
static ValueRef
ReadUpTo(Datum item, const Container *c, const uint8 *bytes, uint32 i)
{
	uint32		end = FormatReadOffset(c->ends, c->width, i);
	uint32		elements = (uint32) (c->elements - bytes);
	struct varlena *part = PG_DETOAST_DATUM_SLICE(item, 0, elements + end);
	const uint8 *start = (const uint8 *) VARDATA_ANY(part);
	Container	longer = *c;
	Slice		name;

	if (VARSIZE_ANY_EXHDR(part) < elements + end)
		elog(ERROR, "item is shorter than its table says");
	longer.ends = start + (c->ends - bytes);
	longer.elements = start + elements;
	return FormatMapEntry(&longer, i, &name);
}

static ValueRef
FindInLarge(Datum item, Slice name)
{
	struct varlena *part = PG_DETOAST_DATUM_SLICE(item, 0, FIRST_SLICE);
	const uint8 *bytes = (const uint8 *) VARDATA_ANY(part);
	uint32		len = VARSIZE_ANY_EXHDR(part);
	uint32		available;
	Container	c;
	uint32		i;

	if (!OpenSlice(bytes, len, &c))
		return FindInWhole(item, name);

	available = len - (uint32) (c.elements - bytes);
	switch (FindInSlice(&c, available, name, &i))
	{
		case NOT_THERE:
			return MISSING_VALUE;
		case BEYOND:
			return FindInWhole(item, name);
		case FOUND:
			break;
	}
	if (FormatReadOffset(c.ends, c.width, i) <= available)
		return FormatMapEntry(&c, i, &name);
	return ReadUpTo(item, &c, bytes, i);
}

ValueRef
ItemDatumAttribute(Datum item, const char *name, uint32 len)
{
	struct varlena *stored = (struct varlena *) DatumGetPointer(item);
	Slice		wanted = {name, len};

	if ((VARATT_IS_EXTERNAL(stored) || VARATT_IS_COMPRESSED(stored)) &&
		toast_raw_datum_size(item) >= LEAST_SIZE)
		return FindInLarge(item, wanted);
	return FindInWhole(item, wanted);
}
