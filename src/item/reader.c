/*
 * reader.c
 *	  Views of encoded items and values: open a container, find an element.
 *
 * Nothing is copied.  Offsets are trusted here, because stored bytes come from
 * the builder or have been checked by ValueFormatProblem.
 */
#include "postgres.h"

#include "item/format.h"
#include "item/item.h"

static const char *const type_names[VALUE_TYPE_COUNT] = {
	"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"
};

ValueRef
ItemRoot(const struct varlena *item)
{
	const uint8 *bytes = (const uint8 *) VARDATA_ANY(item);
	uint32		len = VARSIZE_ANY_EXHDR(item);

	if (unlikely(len < 2 || bytes[0] != ITEM_VERSION))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("unknown item format version %d",
						len > 0 ? bytes[0] : 0)));
	return (ValueRef) {bytes + 1, len - 1};
}

void
ContainerOpen(ValueRef v, Container *c)
{
	const uint8 *p = v.data + 1;

	c->type = ValueTypeOf(v);
	Assert(c->type >= VALUE_L);
	c->width = 1 << ((v.data[0] & VALUE_TAG_WIDTH_MASK) >> VALUE_TAG_WIDTH_SHIFT);
	c->count = FormatReadVarint(&p);
	c->ends = p;
	c->elements = p + (size_t) c->count * c->width;
}

Slice
ContainerSlice(const Container *c, uint32 i)
{
	return FormatElement(c, i);
}

ValueRef
ListElement(const Container *c, uint32 i)
{
	Slice		s = FormatElement(c, i);

	Assert(c->type == VALUE_L);
	return (ValueRef) {(const uint8 *) s.data, s.len};
}

ValueRef
MapEntry(const Container *c, uint32 i, Slice *name)
{
	return FormatMapEntry(c, i, name);
}

/* Only names longer than this are compared by a call of memcmp. */
#define INLINE_COMPARE_MAX	16

/*
 * SliceCompare for names, which are short and often start with the same bytes.
 */
static inline int
CompareShortNames(Slice a, Slice b)
{
	uint32		shorter = Min(a.len, b.len);

	if (unlikely(shorter > INLINE_COMPARE_MAX))
		return SliceCompare(a, b);
	for (uint32 i = 0; i < shorter; i++)
	{
		if (a.data[i] != b.data[i])
			return (int) (uint8) a.data[i] - (int) (uint8) b.data[i];
	}
	return (int) a.len - (int) b.len;
}

/*
 * MapFind in a map whose offsets have this width, which is a constant after
 * inlining.
 */
static pg_attribute_always_inline ValueRef
FindWithWidth(const Container *c, uint32 width, Slice wanted)
{
	uint32		low = 0;
	uint32		high = c->count;

	while (low < high)
	{
		uint32		middle = (low + high) / 2;
		uint32		start = middle == 0 ? 0 : FormatReadOffset(c->ends, width, middle - 1);
		const uint8 *p = c->elements + start;
		Slice		found;
		int			order;

		found.len = FormatReadVarint(&p);
		found.data = (const char *) p;
		order = CompareShortNames(wanted, found);
		if (order == 0)
		{
			const uint8 *end = c->elements + FormatReadOffset(c->ends, width, middle);

			p += found.len;
			return (ValueRef) {p, (uint32) (end - p)};
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return MISSING_VALUE;
}

ValueRef
MapFind(const Container *c, const char *name, uint32 len)
{
	Slice		wanted = {name, len};

	Assert(c->type == VALUE_M);
	if (likely(c->width == 1))
		return FindWithWidth(c, 1, wanted);
	if (c->width == 2)
		return FindWithWidth(c, 2, wanted);
	return FindWithWidth(c, 4, wanted);
}

ValueRef
AttributeFind(ValueRef item, const char *name, uint32 len)
{
	Container	c;

	if (ValueIsMissing(item) || ValueTypeOf(item) != VALUE_M)
		return MISSING_VALUE;
	ContainerOpen(item, &c);
	return MapFind(&c, name, len);
}

/* ---- positions ---- */

/* The sort key of element i: its name, or the member itself. */
static inline Slice
ElementKey(const Container *c, uint32 i)
{
	Slice		name;

	if (c->type != VALUE_M)
		return FormatElement(c, i);
	(void) FormatMapEntry(c, i, &name);
	return name;
}

static bool
FindPosition(const Container *c, Slice key, uint32 *position)
{
	uint32		low = 0;
	uint32		high = c->count;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;
		int			order = SliceCompare(key, ElementKey(c, middle));

		if (order == 0)
		{
			*position = middle;
			return true;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	*position = low;
	return false;
}

bool
MapPosition(const Container *c, Slice name, uint32 *position)
{
	Assert(c->type == VALUE_M);
	return FindPosition(c, name, position);
}

bool
SetPosition(const Container *c, Slice member, uint32 *position)
{
	Assert(ValueTypeIsSet(c->type));
	return FindPosition(c, member, position);
}

bool
SetContains(const Container *set, Slice member)
{
	uint32		position;

	return SetPosition(set, member, &position);
}

/* ---- names of types ---- */

const char *
ValueTypeName(ValueType type)
{
	return type < VALUE_TYPE_COUNT ? type_names[type] : "?";
}

int
ValueTypeFromName(const char *name, uint32 len)
{
	if (len == 1)
		return ValueTypeFromLetter(name[0]);
	for (int i = 0; i < VALUE_TYPE_COUNT; i++)
	{
		if (strlen(type_names[i]) == len && memcmp(type_names[i], name, len) == 0)
			return i;
	}
	return -1;
}
