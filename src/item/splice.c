/*
 * splice.c
 *	  Copies containers and changes some of their elements.
 *
 * There are two passes.  The first one adds up counts and bytes, which
 * determine the width of the offset table; the second one writes.  Between two
 * edits the old elements are one run of bytes, whose ends all move by the same
 * distance.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "item/format.h"
#include "item/splice.h"

#define ITEM_HEADER	(VARHDRSZ + 1)	/* varlena header and version */

typedef struct Splice
{
	ValueType	type;
	const Container *old;		/* NULL if empty */
	uint32		count;			/* number of elements in the new container */
	uint32		body;			/* size of the new elements */
	uint32		width;
	uint8	   *ends;			/* next entry of the offset table to write */
	uint8	   *elements;		/* first byte of the new elements */
	uint8	   *p;				/* next byte to write */
} Splice;

/* Where old element i starts; i may be the count. */
static uint32
OldStart(const Container *old, uint32 i)
{
	return i == 0 ? 0 : FormatReadOffset(old->ends, old->width, i - 1);
}

static uint32
EditSize(const Splice *s, const SpliceEdit *e)
{
	uint32		size = e->bytes.len;

	if (s->type == VALUE_M)
		size += FormatVarintSize(e->name.len) + e->name.len;
	return size;
}

static void
MeasureSplice(Splice *s, const SpliceEdit *edits, uint32 nedits)
{
	uint64		body = 0;

	if (s->old)
	{
		s->count = s->old->count;
		body = OldStart(s->old, s->count);
	}
	for (uint32 i = 0; i < nedits; i++)
	{
		const SpliceEdit *e = &edits[i];

		if (e->removes)
		{
			s->count--;
			body -= OldStart(s->old, e->position + 1) -
				OldStart(s->old, e->position);
		}
		if (e->inserts)
		{
			s->count++;
			body += EditSize(s, e);
		}
	}
	if (body > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("attribute value is too large")));
	s->body = (uint32) body;
}

static inline void
WriteEnd(Splice *s)
{
	s->ends = FormatWriteOffset(s->ends, s->width,
								(uint32) (s->p - s->elements));
}

/* Copies the old elements from "from" up to, but not including, "to". */
static void
CopyRun(Splice *s, uint32 from, uint32 to)
{
	uint32		start;
	uint32		shift;

	if (from >= to)
		return;
	start = OldStart(s->old, from);
	/* Unsigned arithmetic also handles moves backwards. */
	shift = (uint32) (s->p - s->elements) - start;
	for (uint32 i = from; i < to; i++)
		s->ends = FormatWriteOffset(s->ends, s->width,
									OldStart(s->old, i + 1) + shift);
	start = OldStart(s->old, to) - start;
	memcpy(s->p, s->old->elements + OldStart(s->old, from), start);
	s->p += start;
}

static void
WriteElement(Splice *s, const SpliceEdit *e)
{
	if (s->type == VALUE_M)
	{
		s->p = FormatWriteVarint(s->p, e->name.len);
		memcpy(s->p, e->name.data, e->name.len);
		s->p += e->name.len;
	}
	memcpy(s->p, e->bytes.data, e->bytes.len);
	s->p += e->bytes.len;
	WriteEnd(s);
}

static void
WriteElements(Splice *s, const SpliceEdit *edits, uint32 nedits)
{
	uint32		done = 0;		/* number of old elements copied or removed */

	for (uint32 i = 0; i < nedits; i++)
	{
		const SpliceEdit *e = &edits[i];

		CopyRun(s, done, e->position);
		done = e->position;
		if (e->inserts)
			WriteElement(s, e);
		if (e->removes)
			done++;
	}
	if (s->old)
		CopyRun(s, done, s->old->count);
}

/*
 * Returns the new encoded value.  The allocation starts this many bytes before
 * it.
 */
static ValueRef
SpliceWithRoom(ValueType type, const Container *old,
			   const SpliceEdit *edits, uint32 nedits, uint32 room)
{
	Splice		s = {.type = type, .old = old};
	uint32		bits;
	uint32		size;
	uint8	   *value;

	MeasureSplice(&s, edits, nedits);
	bits = FormatWidthBits(s.body);
	s.width = 1 << bits;
	size = 1 + FormatVarintSize(s.count) + s.count * s.width + s.body;

	value = (uint8 *) palloc(room + size) + room;
	value[0] = (uint8) (type | bits << VALUE_TAG_WIDTH_SHIFT);
	s.ends = FormatWriteVarint(value + 1, s.count);
	s.elements = s.p = s.ends + s.count * s.width;
	WriteElements(&s, edits, nedits);
	Assert(s.p == value + size);
	return (ValueRef) {value, size};
}

ValueRef
ContainerSplice(ValueType type, const Container *old,
				const SpliceEdit *edits, uint32 nedits)
{
	return SpliceWithRoom(type, old, edits, nedits, 0);
}

struct varlena *
ItemSplice(const Container *old, const SpliceEdit *edits, uint32 nedits)
{
	ValueRef	v = SpliceWithRoom(VALUE_M, old, edits, nedits, ITEM_HEADER);
	struct varlena *item = (struct varlena *) (v.data - ITEM_HEADER);

	SET_VARSIZE(item, ITEM_HEADER + v.len);
	*(uint8 *) VARDATA(item) = ITEM_VERSION;
	return item;
}
