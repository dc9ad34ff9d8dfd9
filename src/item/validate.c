/*
 * validate.c
 *	  Checks whether bytes from a client are an encoded value.
 *
 * Checks everything that readers trust, and that the encoding is canonical,
 * since equality compares bytes.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "item/format.h"
#include "item/item.h"
#include "item/number.h"

static const char *CheckValue(ValueRef v, int depth);

/* Whether a text is ASCII; not asked of long ones, for which the server's check is as fast. */
static bool
IsShortAscii(Slice s)
{
	uint8		bits = 0;

	if (s.len > 16)
		return false;
	for (uint32 i = 0; i < s.len; i++)
		bits |= (uint8) s.data[i];
	return bits < 0x80;
}

static const char *
CheckText(Slice s)
{
	const char *p = s.data;
	const char *end = s.data + s.len;

	if (IsShortAscii(s))
		return NULL;
	/* NUL is valid in items, but the server's check stops there. */
	while (p < end)
	{
		p += pg_encoding_verifymbstr(PG_UTF8, p, (int) (end - p));
		if (p < end && *p != '\0')
			return "text is not valid UTF-8";
		p++;
	}
	return NULL;
}

/* Reads a varint that must end before "end" and have the minimum size. */
static bool
ReadVarintChecked(const uint8 **p, const uint8 *end, uint32 *value)
{
	uint64		result = 0;

	for (int i = 0; i < FORMAT_MAX_VARINT && *p < end; i++)
	{
		uint8		byte = *(*p)++;

		result |= (uint64) (byte & 0x7F) << (7 * i);
		if (byte < 0x80)
		{
			*value = (uint32) result;
			return result <= PG_UINT32_MAX && (i == 0 || byte != 0);
		}
	}
	return false;
}

/* Opens a container whose sizes are not trusted. */
static const char *
OpenChecked(ValueRef v, Container *c)
{
	const uint8 *p = v.data + 1;
	const uint8 *end = v.data + v.len;
	uint32		width_bits = (v.data[0] & VALUE_TAG_WIDTH_MASK) >> VALUE_TAG_WIDTH_SHIFT;
	uint32		previous = 0;

	if (width_bits > 2 || !ReadVarintChecked(&p, end, &c->count))
		return "container header is malformed";
	c->type = ValueTypeOf(v);
	c->width = 1 << width_bits;
	if (c->count > (Size) (end - p) / c->width)
		return "offset table is cut off";
	c->ends = p;
	c->elements = p + (Size) c->count * c->width;

	for (uint32 i = 0; i < c->count; i++)
	{
		uint32		offset = FormatReadOffset(c->ends, c->width, i);

		if (offset < previous)
			return "offsets are not ascending";
		previous = offset;
	}
	if (previous != (Size) (end - c->elements))
		return "offsets do not match the length";
	if (FormatWidthBits(previous) != width_bits)
		return "offset table is not of least width";
	return NULL;
}

/* Splits entry i of a map whose bytes are not trusted. */
static const char *
SplitEntry(const Container *c, uint32 i, Slice *name, ValueRef *value)
{
	Slice		s = ContainerSlice(c, i);
	const uint8 *p = (const uint8 *) s.data;
	const uint8 *end = p + s.len;

	if (!ReadVarintChecked(&p, end, &name->len) || name->len > (Size) (end - p))
		return "attribute name is cut off";
	if (name->len == 0 || name->len > ITEM_MAX_NAME)
		return "attribute name is empty or too long";
	name->data = (const char *) p;
	value->data = p + name->len;
	value->len = (uint32) (end - value->data);
	return CheckText(*name);
}

static const char *
CheckMap(const Container *c, int depth)
{
	Slice		previous = MISSING_SLICE;

	for (uint32 i = 0; i < c->count; i++)
	{
		Slice		name;
		ValueRef	value;
		const char *problem = SplitEntry(c, i, &name, &value);

		CHECK_FOR_INTERRUPTS();
		if (problem == NULL && i > 0 && SliceCompare(previous, name) >= 0)
			problem = "attribute names are not in order";
		if (problem == NULL)
			problem = CheckValue(value, depth);
		if (problem != NULL)
			return problem;
		previous = name;
	}
	return NULL;
}

static const char *
CheckList(const Container *c, int depth)
{
	for (uint32 i = 0; i < c->count; i++)
	{
		const char *problem = CheckValue(ListElement(c, i), depth);

		CHECK_FOR_INTERRUPTS();
		if (problem != NULL)
			return problem;
	}
	return NULL;
}

static const char *
CheckNumber(Slice s)
{
	if (!NumberIsValid((const uint8 *) s.data, s.len))
		return "number is malformed";
	return NULL;
}

static const char *
CheckSet(const Container *c)
{
	if (c->count == 0)
		return "set is empty";
	for (uint32 i = 0; i < c->count; i++)
	{
		Slice		member = ContainerSlice(c, i);
		const char *problem = NULL;

		CHECK_FOR_INTERRUPTS();
		if (c->type == VALUE_SS)
			problem = CheckText(member);
		else if (c->type == VALUE_NS)
			problem = CheckNumber(member);
		if (problem == NULL && i > 0 && SliceCompare(ContainerSlice(c, i - 1), member) >= 0)
			problem = "set members are not in order";
		if (problem != NULL)
			return problem;
	}
	return NULL;
}

static const char *
CheckContainer(ValueRef v, int depth)
{
	Container	c;
	const char *problem = OpenChecked(v, &c);

	if (problem != NULL)
		return problem;
	if (ValueTypeIsSet(c.type))
		return CheckSet(&c);

	check_stack_depth();
	if (depth >= ITEM_MAX_DEPTH)
		return "nesting is too deep";
	return c.type == VALUE_M ? CheckMap(&c, depth + 1) : CheckList(&c, depth + 1);
}

/* Checks a value without payload, which consists of its tag only. */
static const char *
CheckTagOnly(ValueRef v)
{
	uint8		allowed = VALUE_TAG_TYPE_MASK;

	if (ValueTypeOf(v) == VALUE_BOOL)
		allowed |= VALUE_TAG_TRUE;
	if (v.len != 1)
		return "value has bytes too many";
	if ((v.data[0] & ~allowed) != 0)
		return "tag has unknown bits";
	return NULL;
}

static const char *
CheckValue(ValueRef v, int depth)
{
	ValueType	type;

	if (v.len == 0)
		return "value is cut off";
	type = ValueTypeOf(v);
	if (type >= VALUE_TYPE_COUNT)
		return "type is unknown";
	if ((v.data[0] & VALUE_TAG_RESERVED) != 0)
		return "tag has unknown bits";
	if (type <= VALUE_B && v.data[0] != type)
		return "tag has unknown bits";

	switch (type)
	{
		case VALUE_S:
			return CheckText(ValuePayload(v));
		case VALUE_N:
			return CheckNumber(ValuePayload(v));
		case VALUE_B:
			return NULL;
		case VALUE_BOOL:
		case VALUE_NULL:
			return CheckTagOnly(v);
		default:
			return CheckContainer(v, depth);
	}
}

const char *
ValueFormatProblem(ValueRef v, int depth)
{
	return CheckValue(v, depth);
}
