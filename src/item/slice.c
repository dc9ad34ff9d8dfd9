/*
 * slice.c
 *	  Reads attributes of a stored item without reading all of a large item.
 *
 * A large item is compressed, stored out of line, or both.  Its attributes are
 * sorted by name, after the table of their ends, so that the first bytes of
 * the item show whether they contain an attribute.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "fmgr.h"

#include "item/format.h"
#include "item/item.h"
#include "item/slice.h"
#include "item/splice.h"

/*
 * The number of bytes to read first, and the minimum size of an item for which
 * this is worthwhile.
 */
#define FIRST_SLICE		2000
#define LEAST_SIZE		(4 * FIRST_SLICE)

typedef enum FoundInSlice
{
	FOUND,						/* entry i has the name */
	NOT_THERE,					/* the item has no such attribute */
	BEYOND						/* the slice ends before the answer */
} FoundInSlice;

/*
 * Opens the table of an item's attributes, if the first bytes contain all of
 * it.
 */
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

/*
 * Returns the name of entry i, if the first "available" bytes contain all of
 * it.
 */
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
	uint32		beyond = c->count;	/* names from here on are not in the
									 * slice */

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
	return AttributeFind(DatumGetValue(item), name.data, name.len);
}

/* Whether reading a part of an item can be cheaper than reading all of it. */
static bool
IsLarge(Datum item)
{
	struct varlena *stored = (struct varlena *) DatumGetPointer(item);

	return (VARATT_IS_EXTERNAL(stored) || VARATT_IS_COMPRESSED(stored)) &&
		toast_raw_datum_size(item) >= LEAST_SIZE;
}

/* The first bytes of a large item. */
typedef struct ItemPart
{
	Datum		item;
	struct varlena *read;		/* palloc'd */
	const uint8 *bytes;			/* its data */
	uint32		available;		/* bytes of the elements that were read */
	Container	c;
} ItemPart;

static bool
OpenPart(Datum item, ItemPart *part)
{
	uint32		len;

	part->item = item;
	part->read = PG_DETOAST_DATUM_SLICE(item, 0, FIRST_SLICE);
	part->bytes = (const uint8 *) VARDATA_ANY(part->read);
	len = VARSIZE_ANY_EXHDR(part->read);
	if (!OpenSlice(part->bytes, len, &part->c))
		return false;
	part->available = len - (uint32) (part->c.elements - part->bytes);
	return true;
}

/*
 * Reads the item up to the end of attribute i, unless that much was already
 * read.
 */
static void
ExtendPart(ItemPart *part, uint32 i)
{
	uint32		end = FormatReadOffset(part->c.ends, part->c.width, i);
	uint32		elements = (uint32) (part->c.elements - part->bytes);
	uint32		ends = (uint32) (part->c.ends - part->bytes);
	struct varlena *longer;

	if (end <= part->available)
		return;
	longer = PG_DETOAST_DATUM_SLICE(part->item, 0, elements + end);
	if (VARSIZE_ANY_EXHDR(longer) < elements + end)
		elog(ERROR, "item is shorter than its table says");
	pfree(part->read);
	part->read = longer;
	part->bytes = (const uint8 *) VARDATA_ANY(longer);
	part->available = end;
	part->c.ends = part->bytes + ends;
	part->c.elements = part->bytes + elements;
}

static ValueRef
FindInLarge(Datum item, Slice name)
{
	ItemPart	part;
	uint32		i;

	if (!OpenPart(item, &part))
		return FindInWhole(item, name);
	switch (FindInSlice(&part.c, part.available, name, &i))
	{
		case NOT_THERE:
			return MISSING_VALUE;
		case BEYOND:
			return FindInWhole(item, name);
		case FOUND:
			break;
	}
	ExtendPart(&part, i);
	return FormatMapEntry(&part.c, i, &name);
}

ValueRef
ItemDatumAttribute(Datum item, const char *name, uint32 len)
{
	Slice		wanted = {name, len};

	return IsLarge(item) ? FindInLarge(item, wanted) : FindInWhole(item, wanted);
}

/*
 * Finds the entries with these names, in the order of the names.  False if the
 * part does not show for every name whether it exists.
 */
static bool
FindEntries(const ItemPart *part, const Slice *names, int n, uint32 *entries, int *found)
{
	*found = 0;
	for (int i = 0; i < n; i++)
	{
		switch (FindInSlice(&part->c, part->available, names[i], &entries[*found]))
		{
			case FOUND:
				(*found)++;
				break;
			case BEYOND:
				return false;
			case NOT_THERE:
				break;
		}
	}
	return true;
}

static struct varlena *
ItemOfEntries(const Container *c, const uint32 *entries, int n)
{
	SpliceEdit *edits = palloc0(Max(n, 1) * sizeof(SpliceEdit));
	struct varlena *item;

	for (int i = 0; i < n; i++)
	{
		ValueRef	value = FormatMapEntry(c, entries[i], &edits[i].name);

		edits[i].inserts = true;
		edits[i].bytes = (Slice) {(const char *) value.data, value.len};
	}
	item = ItemSplice(NULL, edits, n);
	pfree(edits);
	return item;
}

/*
 * Returns the part of the item that is read first.  NULL if it does not show
 * for every name whether it exists.
 */
static struct varlena *
ReadFirstPart(Datum item, const Slice *names, int n)
{
	ItemPart	part;
	uint32	   *entries = palloc(n * sizeof(uint32));
	struct varlena *result = NULL;
	int			found;

	if (OpenPart(item, &part) && FindEntries(&part, names, n, entries, &found))
	{
		if (found > 0)
			ExtendPart(&part, entries[found - 1]);
		result = ItemOfEntries(&part.c, entries, found);
	}
	pfree(part.read);
	pfree(entries);
	return result;
}

/*
 * These functions free everything but their results, because scans call them
 * for each row.
 */

static struct varlena *
PartOfLarge(Datum item, const Slice *names, int n)
{
	return n > 0 && IsLarge(item) ? ReadFirstPart(item, names, n) : NULL;
}

struct varlena *
ItemDatumPart(Datum item, const Slice *names, int n)
{
	struct varlena *part = PartOfLarge(item, names, n);

	return part != NULL ? part : PG_DETOAST_DATUM_COPY(item);
}

struct varlena *
ItemDatumPartPacked(Datum item, const Slice *names, int n)
{
	struct varlena *part = PartOfLarge(item, names, n);

	return part != NULL ? part : (struct varlena *) PG_DETOAST_DATUM_PACKED(item);
}
