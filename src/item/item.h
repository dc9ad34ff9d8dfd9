/*
 * item.h
 *	  The byte format of items and values, and its reader.
 *
 * dynamo.item and dynamo.value have the same varlena format:
 *
 *	varlena header | version byte | encoded value
 *
 * An item is a value whose encoded value is a map; the two SQL types are
 * binary-compatible in that direction.  The version byte is ITEM_VERSION;
 * readers reject all other versions.
 *
 * An encoded value is a tag byte and a payload.  Its length is known from its
 * container (the varlena, or the offset table of a list or map), so that
 * scalars need no length:
 *
 *	tag			bits 0-3	ValueType
 *				bits 4-5	BOOL: 1 = true.  Containers and sets: width of
 *							the offset table's entries, 0 = 1 byte,
 *							1 = 2 bytes, 2 = 4 bytes (little endian)
 *				bits 6-7	reserved, zero
 *
 *	S, B		the bytes
 *	N			the encoded number (number.h); memcmp gives numeric order
 *	BOOL, NULL	nothing
 *	L M SS NS BS
 *				count		varint
 *				ends		count entries: the end of element i, counted
 *							from the byte after this table
 *				elements
 *
 *	element of L	an encoded value
 *	element of M	name length (varint), name, encoded value
 *	element of SS, BS	the bytes
 *	element of NS	the encoded number
 *
 * varint: 7 bits per byte, low bits first, high bit set in all but the last
 * byte.
 *
 * The encoding is canonical: equal values have equal bytes.  Map entries are
 * in byte order of their names, members of SS and BS in byte order, members of
 * NS in numeric order.  Numbers are normalized, table entries have the
 * smallest width for the last end, and varints have the smallest number of
 * bytes.  Equality is therefore memcmp.
 *
 * The offset table contains ends rather than lengths so that an attribute of a
 * map is found by binary search without reading others, a nested path is
 * followed level by level, and a list element is found in one step.  Nothing
 * is aligned, because items are read in place from a heap page with a 1-byte
 * varlena header, and padding would cost more than unaligned loads.
 *
 * item/ does not depend on tables, transactions or SPI and can be linked into
 * a program without a server (test/fuzz).
 */
#ifndef DYNAMO_ITEM_H
#define DYNAMO_ITEM_H

#include "compat.h"
#include "exported.h"

#define ITEM_VERSION		1

#define ITEM_MAX_DEPTH		32	/* containers, the item itself included */
#define ITEM_TOO_DEEP \
	"Nesting Levels have exceeded supported limits: " \
	"Attributes in the item have nested levels beyond supported limit"
#define ITEM_VERY_DEEP		63	/* beyond it the service says more in its old words */
#define ITEM_MAX_SIZE		409600	/* by ItemSize's rules, names included */
#define ITEM_MAX_NAME		65535	/* bytes of an attribute name */
#define KEY_MAX_NAME		255 /* bytes of a key attribute's name */
#define KEY_MAX_PARTITION	2048	/* bytes of a partition key value */
#define KEY_MAX_SORT		1024	/* bytes of a sort key value */

/* Stored on disk: append only. */
typedef enum ValueType
{
	VALUE_S = 0,
	VALUE_N = 1,
	VALUE_B = 2,
	VALUE_BOOL = 3,
	VALUE_NULL = 4,
	VALUE_L = 5,
	VALUE_M = 6,
	VALUE_SS = 7,
	VALUE_NS = 8,
	VALUE_BS = 9
} ValueType;

#define VALUE_TYPE_COUNT	10

#define VALUE_TAG_TYPE_MASK		0x0F
#define VALUE_TAG_TRUE			0x10
#define VALUE_TAG_WIDTH_SHIFT	4
#define VALUE_TAG_WIDTH_MASK	0x30
#define VALUE_TAG_RESERVED		0xC0

/* Bytes owned by another object; not NUL-terminated. */
typedef struct Slice
{
	const char *data;
	uint32		len;
} Slice;

static inline Slice
SliceOf(const char *text)
{
	return (Slice) {text, (uint32) strlen(text)};
}

/*
 * The content of a text, bytea, item or value that is neither compressed nor
 * external.
 */
static inline Slice
SliceOfVarlena(const struct varlena *v)
{
	return (Slice) {VARDATA_ANY(v), VARSIZE_ANY_EXHDR(v)};
}

/* The data of an empty slice may be NULL, which memcmp does not accept. */
static inline bool
SliceEqual(Slice a, Slice b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline bool
SliceIs(Slice s, const char *text)
{
	return SliceEqual(s, SliceOf(text));
}

static inline bool
SliceBeginsWith(Slice s, Slice prefix)
{
	return prefix.len == 0 || (s.len >= prefix.len && memcmp(s.data, prefix.data, prefix.len) == 0);
}

/* Compares two slices by bytes: memcmp, then length. */
static inline int
SliceCompare(Slice a, Slice b)
{
	int			order;

	/* Most pairs differ in the first byte, and this is cheaper than a call. */
	if (a.len > 0 && b.len > 0 && a.data[0] != b.data[0])
		return (uint8) a.data[0] < (uint8) b.data[0] ? -1 : 1;

	order = a.len > 0 && b.len > 0 ? memcmp(a.data, b.data, Min(a.len, b.len)) : 0;
	if (order != 0)
		return order;
	return a.len < b.len ? -1 : a.len > b.len;
}

/*
 * Comparators for qsort and bsearch: of elements that start with a Slice, and
 * of pointers to such elements.
 */
static inline int
CompareBySlice(const void *a, const void *b)
{
	return SliceCompare(*(const Slice *) a, *(const Slice *) b);
}

static inline int
ComparePointersBySlice(const void *a, const void *b)
{
	return CompareBySlice(*(const void *const *) a, *(const void *const *) b);
}

/*
 * A view of one encoded value, tag included, in memory owned by another object
 * and valid as long as that memory.  data is NULL for a missing value.
 */
typedef struct ValueRef
{
	const uint8 *data;
	uint32		len;
} ValueRef;

/* An opened L, M, SS, NS or BS. */
typedef struct Container
{
	ValueType	type;
	uint32		count;
	uint32		width;			/* bytes in one entry of the offset table */
	const uint8 *ends;			/* the offset table */
	const uint8 *elements;		/* base of its entries */
} Container;

#define MISSING_VALUE	((ValueRef) {NULL, 0})
#define MISSING_SLICE	((Slice) {NULL, 0})

/*
 * Returns a stored item or value; and argument n of a function that takes one.
 */
#define DatumGetValue(datum) \
	ItemRoot((struct varlena *) PG_DETOAST_DATUM_PACKED(datum))
#define PG_GETARG_VALUE(n)	DatumGetValue(PG_GETARG_DATUM(n))

static inline bool
ValueIsMissing(ValueRef v)
{
	return v.data == NULL;
}

static inline ValueType
ValueTypeOf(ValueRef v)
{
	return (ValueType) (v.data[0] & VALUE_TAG_TYPE_MASK);
}

static inline bool
ValueBool(ValueRef v)
{
	return (v.data[0] & VALUE_TAG_TRUE) != 0;
}

/* The payload: text of an S, bytes of a B, the encoded number of an N. */
static inline Slice
ValuePayload(ValueRef v)
{
	return (Slice) {(const char *) v.data + 1, v.len - 1};
}

static inline bool
ValueTypeIsSet(ValueType t)
{
	return t == VALUE_SS || t == VALUE_NS || t == VALUE_BS;
}

/* S, N or B: the types of key attributes. */
static inline bool
ValueTypeIsKey(ValueType t)
{
	return t <= VALUE_B;
}

/* ---- reader.c ---- */

/*
 * Returns the encoded value of a detoasted item or value, which may have a
 * 1-byte header.  Raises ERRCODE_DATA_CORRUPTED for an unknown version.
 */
extern DYNAMO_EXPORT ValueRef ItemRoot(const struct varlena *item);

/* Opens a container or set; v must be one. */
extern DYNAMO_EXPORT void ContainerOpen(ValueRef v, Container *c);

/*
 * Returns element i (0-based, < count) as raw bytes: a set member's payload.
 */
extern Slice ContainerSlice(const Container *c, uint32 i);

/* Returns element i of a list. */
extern DYNAMO_EXPORT ValueRef ListElement(const Container *c, uint32 i);

/* Returns entry i of a map, in name order, and sets *name. */
extern DYNAMO_EXPORT ValueRef MapEntry(const Container *c, uint32 i, Slice *name);

/* Returns the value of the named entry, or MISSING_VALUE.  O(log n). */
extern ValueRef MapFind(const Container *c, const char *name, uint32 len);

/* Returns an attribute of an item; MISSING_VALUE if v is missing. */
extern DYNAMO_EXPORT ValueRef AttributeFind(ValueRef item, const char *name, uint32 len);

/* Whether a set has this member (payload bytes, as from ValuePayload). */
extern bool SetContains(const Container *set, Slice member);

/*
 * Whether a map has an entry with this name, or a set this member; *position
 * is its position or insertion point.
 */
extern bool MapPosition(const Container *c, Slice name, uint32 *position);
extern bool SetPosition(const Container *c, Slice member, uint32 *position);

/* The names of types, "S", "N", ...; and the type for a name, or -1. */
extern DYNAMO_EXPORT const char *ValueTypeName(ValueType type);
extern DYNAMO_EXPORT int	ValueTypeFromName(const char *name, uint32 len);

/* The same for a name of one letter, as most types have. */
static inline int
ValueTypeFromLetter(char letter)
{
	switch (letter)
	{
		case 'S':
			return VALUE_S;
		case 'N':
			return VALUE_N;
		case 'B':
			return VALUE_B;
		case 'L':
			return VALUE_L;
		case 'M':
			return VALUE_M;
		default:
			return -1;
	}
}

/* ---- compare.c ---- */

/* Deep equality: same type and content.  A missing value equals nothing. */
extern DYNAMO_EXPORT bool ValueEqual(ValueRef a, ValueRef b);

/*
 * Compares values in a total order that is consistent with ValueEqual: by
 * type, then S and B by bytes, N by value, containers element by element.
 */
extern DYNAMO_EXPORT int	ValueCompare(ValueRef a, ValueRef b);

/* Returns the same hash for equal values. */
extern DYNAMO_EXPORT uint64 ValueHash(ValueRef v, uint64 seed);

/* ---- size.c ---- */

/* The size of a value in bytes by the service's rules, without a name. */
extern DYNAMO_EXPORT uint64 ValueSize(ValueRef v);

/*
 * The size of an item by the service's rules: names and values of all
 * attributes.
 */
extern DYNAMO_EXPORT uint64 ItemSize(ValueRef item);

/*
 * Raises ERRCODE_DYNAMO_VALIDATION, "Item size has exceeded the maximum
 * allowed size", if the item is larger than ITEM_MAX_SIZE.
 */
extern DYNAMO_EXPORT void CheckItemSize(ValueRef item);

/* ---- validate.c ---- */

/*
 * Checks that bytes are a well-formed, canonical encoded value: bounds, order,
 * canonical numbers, UTF-8, and at most ITEM_MAX_DEPTH containers, including
 * depth surrounding ones.  For received bytes and tests.  Returns NULL or the
 * error (static text).
 */
extern DYNAMO_EXPORT const char *ValueFormatProblem(ValueRef v, int depth);

#endif							/* DYNAMO_ITEM_H */
