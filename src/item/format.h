/*
 * format.h
 *	  Primitives of the byte format of item.h, for code that reads and writes
 *	  it: varints, offset tables, elements.  Private to item/.
 */
#ifndef DYNAMO_FORMAT_H
#define DYNAMO_FORMAT_H

#include "item/item.h"

#define FORMAT_MAX_VARINT	5	/* bytes of a varint of 32 bits */

/* Reads a varint at *p and advances *p. */
static inline uint32
FormatReadVarint(const uint8 **p)
{
	uint32		value = *(*p)++;

	if (unlikely(value >= 0x80))
	{
		int			shift = 7;
		uint8		byte;

		value &= 0x7F;
		do
		{
			byte = *(*p)++;
			value |= (uint32) (byte & 0x7F) << shift;
			shift += 7;
		} while (byte >= 0x80 && shift < 35);
	}
	return value;
}

static inline uint32
FormatVarintSize(uint32 value)
{
	uint32		size = 1;

	while (value >= 0x80)
	{
		value >>= 7;
		size++;
	}
	return size;
}

/* Writes a varint; returns the position after it. */
static inline uint8 *
FormatWriteVarint(uint8 *p, uint32 value)
{
	while (unlikely(value >= 0x80))
	{
		*p++ = (uint8) (value | 0x80);
		value >>= 7;
	}
	*p++ = (uint8) value;
	return p;
}

/* Returns entry i of an offset table with entries of this width (1, 2, 4). */
static inline uint32
FormatReadOffset(const uint8 *table, uint32 width, uint32 i)
{
	const uint8 *p = table + (size_t) i * width;

	if (likely(width == 1))
		return *p;
	if (width == 2)
		return p[0] | (uint32) p[1] << 8;
	return p[0] | (uint32) p[1] << 8 | (uint32) p[2] << 16 | (uint32) p[3] << 24;
}

/* Writes a table entry; returns the position after it. */
static inline uint8 *
FormatWriteOffset(uint8 *p, uint32 width, uint32 offset)
{
	*p++ = (uint8) offset;
	if (width >= 2)
		*p++ = (uint8) (offset >> 8);
	if (width == 4)
	{
		*p++ = (uint8) (offset >> 16);
		*p++ = (uint8) (offset >> 24);
	}
	return p;
}

/* The two tag bits for the width needed by this offset. */
static inline uint32
FormatWidthBits(uint32 last_end)
{
	if (last_end <= PG_UINT8_MAX)
		return 0;
	return last_end <= PG_UINT16_MAX ? 1 : 2;
}

/* Returns element i of a container (ContainerSlice). */
static inline Slice
FormatElement(const Container *c, uint32 i)
{
	uint32		start = i == 0 ? 0 : FormatReadOffset(c->ends, c->width, i - 1);

	Assert(i < c->count);
	return (Slice) {(const char *) c->elements + start,
		FormatReadOffset(c->ends, c->width, i) - start};
}

/* Returns entry i of a map (MapEntry). */
static inline ValueRef
FormatMapEntry(const Container *c, uint32 i, Slice *name)
{
	Slice		s = FormatElement(c, i);
	const uint8 *p = (const uint8 *) s.data;

	Assert(c->type == VALUE_M);
	name->len = FormatReadVarint(&p);
	name->data = (const char *) p;
	p += name->len;
	return (ValueRef) {p, (uint32) ((const uint8 *) s.data + s.len - p)};
}

#endif							/* DYNAMO_FORMAT_H */
