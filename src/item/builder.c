/*
 * builder.c
 *	  Makes encoded items and values.
 *
 * Bytes are appended to one buffer as they arrive.  Every open container has a
 * frame, and every element of an open container has an entry with its start
 * and its sort key.  When a container ends, its count and its offset table are
 * known; the elements are then moved up to make room for them, and sorted
 * first if they were not added in order:
 *
 *	  ... | name | elements of the open map           |
 *	  ... | name | tag count ends | elements          |
 *
 * An element moves at most once per level, and there are few levels.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "errors.h"
#include "item/builder.h"
#include "item/builder_error.h"
#include "item/format.h"
#include "item/number.h"
#include "shuffle.h"

/* The bytes before the encoded value in the finished varlena. */
#define PROLOGUE		(VARHDRSZ + 1)

/* ---- making and emptying ---- */

void
ItemBuilderInit(ItemBuilder *b, int depth, DuplicateName duplicates)
{
	b->context = CurrentMemoryContext;
	b->outer_depth = depth;
	b->duplicates = duplicates;
	b->position = NULL;
	b->source = NULL;
	b->problem = NULL;
	b->words = VALUE_WORDS_SQL;
	b->bytes = b->initial_bytes;
	b->capacity = lengthof(b->initial_bytes);
	b->entries = b->initial_entries;
	b->entries_capacity = lengthof(b->initial_entries);
	b->depth = b->outer_depth;
	b->len = PROLOGUE;
	b->nentries = 0;
	b->nframes = 0;
}

ItemBuilder *
ItemBuilderCreate(int depth, DuplicateName duplicates)
{
	ItemBuilder *b = palloc(sizeof(ItemBuilder));

	ItemBuilderInit(b, depth, duplicates);
	return b;
}

void
ItemBuilderRelease(ItemBuilder *b)
{
	if (b->bytes != b->initial_bytes)
		pfree(b->bytes);
	if (b->entries != b->initial_entries)
		pfree(b->entries);
}

void
ItemBuilderSetSource(ItemBuilder *b, BuilderPosition position, const void *source)
{
	b->position = position;
	b->source = source;
}

/* ---- room ---- */

static void
GrowBytes(ItemBuilder *b, Size needed)
{
	Size		capacity = b->capacity;
	uint8	   *bytes;

	if (needed > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("item is too large"),
				 errdetail("The item would have more than %zu bytes.", MaxAllocSize)));
	while (capacity < needed)
		capacity = Min(capacity * 2, MaxAllocSize);

	bytes = MemoryContextAlloc(b->context, capacity);
	memcpy(bytes, b->bytes, b->len);
	if (b->bytes != b->initial_bytes)
		pfree(b->bytes);
	b->bytes = bytes;
	b->capacity = (uint32) capacity;
}

static inline void
EnsureBytes(ItemBuilder *b, Size more)
{
	if (unlikely(b->len + more > b->capacity))
		GrowBytes(b, b->len + more);
}

void
ItemBuilderReserve(ItemBuilder *b, Size bytes)
{
	EnsureBytes(b, bytes);
}

static void
GrowEntries(ItemBuilder *b)
{
	Size		capacity = (Size) b->entries_capacity * 2;
	BuilderEntry *entries;

	entries = MemoryContextAllocHuge(b->context, capacity * sizeof(BuilderEntry));
	memcpy(entries, b->entries, b->nentries * sizeof(BuilderEntry));
	if (b->entries != b->initial_entries)
		pfree(b->entries);
	b->entries = entries;
	b->entries_capacity = (uint32) capacity;
}

static inline BuilderEntry *
PushEntry(ItemBuilder *b)
{
	if (unlikely(b->nentries == b->entries_capacity))
		GrowEntries(b);
	b->entries[b->nentries].start = b->len;
	return &b->entries[b->nentries++];
}

/* ---- values ---- */

/*
 * Called before every value: makes the entry of a list's element.  The entry
 * of a map's element was made with its name.  False if a problem has ended the
 * building.
 */
static inline bool
BeginValue(ItemBuilder *b)
{
	BuilderFrame *f;

	if (unlikely(b->nframes <= 0))
		return !ItemBuilderHasFailed(b);

	f = &b->frames[b->nframes - 1];
	if (f->type == VALUE_L)
		PushEntry(b);
	else
	{
		Assert(f->type == VALUE_M && f->named);
		f->named = false;
	}
	return true;
}

static inline bool
IsInSet(const ItemBuilder *b)
{
	return b->nframes > 0 && ValueTypeIsSet(b->frames[b->nframes - 1].type);
}

/* Whether the newest entry of a frame is greater than the one before it. */
static inline bool
NewestInOrder(const ItemBuilder *b, const BuilderFrame *f)
{
	const BuilderEntry *e = &b->entries[b->nentries - 1];
	Slice		before;
	Slice		newest;

	if (b->nentries - f->first_entry < 2)
		return true;
	newest = (Slice) {(const char *) b->bytes + e->key, e->key_len};
	e--;
	before = (Slice) {(const char *) b->bytes + e->key, e->key_len};
	return SliceCompare(before, newest) < 0;
}

/* Adds a member of a set: its bytes are both the element and its sort key. */
static void
AddMember(ItemBuilder *b, ValueType type, const void *bytes, uint32 len)
{
	BuilderFrame *f = &b->frames[b->nframes - 1];
	BuilderEntry *e;

	Assert(f->type == type);
	EnsureBytes(b, len);
	e = PushEntry(b);
	e->key = b->len;
	e->key_len = len;
	memcpy(b->bytes + b->len, bytes, len);
	b->len += len;
	if (f->sorted)
		f->sorted = NewestInOrder(b, f);
}

/* Adds a scalar with a payload. */
static inline void
AddScalar(ItemBuilder *b, ValueType type, const void *bytes, uint32 len)
{
	if (!BeginValue(b))
		return;
	EnsureBytes(b, (Size) len + 1);
	b->bytes[b->len] = (uint8) type;
	memcpy(b->bytes + b->len + 1, bytes, len);
	b->len += len + 1;
}

void
ItemBuilderString(ItemBuilder *b, const char *text, uint32 len)
{
	if (IsInSet(b))
		AddMember(b, VALUE_SS, text, len);
	else
		AddScalar(b, VALUE_S, text, len);
}

void
ItemBuilderBinary(ItemBuilder *b, const char *bytes, uint32 len)
{
	if (IsInSet(b))
		AddMember(b, VALUE_BS, bytes, len);
	else
		AddScalar(b, VALUE_B, bytes, len);
}

void
ItemBuilderNumber(ItemBuilder *b, const uint8 *encoded, uint32 len)
{
	if (IsInSet(b))
		AddMember(b, VALUE_NS, encoded, len);
	else
		AddScalar(b, VALUE_N, encoded, len);
}

void
ItemBuilderNumberText(ItemBuilder *b, const char *text, uint32 len)
{
	uint8		encoded[NUMBER_MAX_BYTES];
	uint32		encoded_len;
	NumberStatus status = NumberFromText(text, len, encoded, &encoded_len);

	if (likely(status == NUMBER_OK))
		ItemBuilderNumber(b, encoded, encoded_len);
	else
		ItemBuilderBadNumber(b, status, IsInSet(b), (Slice) {text, len});
}

/* Adds a value that consists of its tag only. */
static void
AddTag(ItemBuilder *b, uint8 tag)
{
	if (!BeginValue(b))
		return;
	EnsureBytes(b, 1);
	b->bytes[b->len++] = tag;
}

void
ItemBuilderBool(ItemBuilder *b, bool value)
{
	AddTag(b, value ? VALUE_BOOL | VALUE_TAG_TRUE : VALUE_BOOL);
}

void
ItemBuilderNull(ItemBuilder *b)
{
	AddTag(b, VALUE_NULL);
}

void
ItemBuilderNullFlag(ItemBuilder *b, bool flag)
{
	if (!flag)
		ItemBuilderError(b, DYNAMO_INVALID_PARAMETERS
						 "Null attribute value types must have the value of true");
	else
		ItemBuilderNull(b);
}

/* The number of nested containers in v, including v. */
static int
ContainerDepth(ValueRef v)
{
	ValueType	type = ValueTypeOf(v);
	int			deepest = 0;
	Container	c;

	if (type != VALUE_L && type != VALUE_M)
		return 0;

	check_stack_depth();
	ContainerOpen(v, &c);
	for (uint32 i = 0; i < c.count; i++)
	{
		Slice		name;
		ValueRef	element = type == VALUE_L ? ListElement(&c, i) : MapEntry(&c, i, &name);
		int			depth = ContainerDepth(element);

		if (depth > deepest)
			deepest = depth;
	}
	return deepest + 1;
}

void
ItemBuilderValue(ItemBuilder *b, ValueRef v)
{
	Assert(!IsInSet(b));
	if (unlikely(ContainerDepth(v) + b->depth > ITEM_MAX_DEPTH))
		ItemBuilderTooDeep(b);
	if (!BeginValue(b))
		return;
	EnsureBytes(b, v.len);
	memcpy(b->bytes + b->len, v.data, v.len);
	b->len += v.len;
}

void
ItemBuilderMembers(ItemBuilder *b, ValueRef map)
{
	Container	members;

	ContainerOpen(map, &members);
	for (uint32 i = 0; i < members.count; i++)
	{
		Slice		name;
		ValueRef	value = MapEntry(&members, i, &name);

		ItemBuilderName(b, name.data, name.len);
		ItemBuilderValue(b, value);
	}
}

/* ---- containers ---- */

static void
PushFrame(ItemBuilder *b, ValueType type)
{
	BuilderFrame *f;

	if (!ValueTypeIsSet(type) && b->depth++ >= ITEM_MAX_DEPTH)
		ItemBuilderTooDeep(b);
	if (!BeginValue(b))
		return;
	Assert(b->nframes < (int) lengthof(b->frames));
	f = &b->frames[b->nframes++];
	f->type = type;
	f->sorted = true;
	f->named = false;
	f->start = b->len;
	f->first_entry = b->nentries;
}

void
ItemBuilderBeginMap(ItemBuilder *b)
{
	PushFrame(b, VALUE_M);
}

void
ItemBuilderBeginList(ItemBuilder *b)
{
	PushFrame(b, VALUE_L);
}

void
ItemBuilderBeginSet(ItemBuilder *b, ValueType type)
{
	Assert(ValueTypeIsSet(type));
	PushFrame(b, type);
}

void
ItemBuilderName(ItemBuilder *b, const char *name, uint32 len)
{
	BuilderFrame *f;
	BuilderEntry *e;
	uint8	   *p;

	if (unlikely(len - 1 >= ITEM_MAX_NAME)) /* true also for an empty name */
		ItemBuilderBadName(b, len);
	if (unlikely(ItemBuilderHasFailed(b)))
		return;
	f = &b->frames[b->nframes - 1];
	Assert(b->nframes > 0 && f->type == VALUE_M && !f->named);

	EnsureBytes(b, (Size) len + FORMAT_MAX_VARINT);
	e = PushEntry(b);
	p = FormatWriteVarint(b->bytes + b->len, len);
	memcpy(p, name, len);
	e->key = (uint32) (p - b->bytes);
	e->key_len = len;
	b->len = e->key + len;
	f->named = true;
	if (f->sorted)
		f->sorted = NewestInOrder(b, f);
}

void
ItemBuilderStringMember(ItemBuilder *b, const char *name, Slice text)
{
	if (text.data == NULL)
		return;
	ItemBuilderName(b, name, strlen(name));
	ItemBuilderString(b, text.data, text.len);
}

void
ItemBuilderMember(ItemBuilder *b, const char *name, ValueRef v)
{
	if (ValueIsMissing(v))
		return;
	ItemBuilderName(b, name, strlen(name));
	ItemBuilderValue(b, v);
}

static inline int
CompareBuilderEntries(const BuilderEntry *x, const BuilderEntry *y, const char *bytes)
{
	int			order = SliceCompare((Slice) {bytes + x->key, x->key_len},
									 (Slice) {bytes + y->key, y->key_len});

	/* Keep the order of arrival, so that the last of equal names wins. */
	if (order == 0)
		return x->start < y->start ? -1 : 1;
	return order;
}

#define ST_SORT SortByKey
#define ST_ELEMENT_TYPE BuilderEntry
#define ST_COMPARE(a, b, bytes) CompareBuilderEntries(a, b, bytes)
#define ST_COMPARE_ARG_TYPE const char
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

static bool
EntriesHaveSameKey(const ItemBuilder *b, const BuilderEntry *x, const BuilderEntry *y)
{
	return x->key_len == y->key_len &&
		memcmp(b->bytes + x->key, b->bytes + y->key, x->key_len) == 0;
}

/*
 * Sorts the entries of a frame by key and drops all but the last of each
 * name; returns how many remain.
 */
static uint32
SortEntries(ItemBuilder *b, const BuilderFrame *f)
{
	BuilderEntry *entries = b->entries + f->first_entry;
	uint32		n = b->nentries - f->first_entry;
	uint32		kept = 0;

	/*
	 * Until the entries are sorted, an element ends where the next one starts.
	 */
	for (uint32 i = 0; i < n; i++)
		entries[i].end = i + 1 < n ? entries[i + 1].start : b->len;
	Shuffle(entries, n, sizeof(BuilderEntry));
	SortByKey(entries, n, (const char *) b->bytes);

	for (uint32 i = 0; i < n; i++)
	{
		if (i + 1 == n || !EntriesHaveSameKey(b, &entries[i], &entries[i + 1]))
			entries[kept++] = entries[i];
		else if (ValueTypeIsSet(f->type))
		{
			ItemBuilderDuplicateMember(b, f);
			break;
		}
		else if (b->duplicates == DUPLICATE_NAME_ERROR)
			ItemBuilderDuplicateName(b, &entries[i]);
	}
	return kept;
}

/* Sorts the elements of a map or set that were added out of order. */
static void
SortElements(ItemBuilder *b, const BuilderFrame *f)
{
	BuilderEntry *entries = b->entries + f->first_entry;
	uint32		total = b->len - f->start;
	uint32		n = SortEntries(b, f);
	uint8	   *copy;

	if (ItemBuilderHasFailed(b))
		return;
	copy = MemoryContextAlloc(b->context, total);
	memcpy(copy, b->bytes + f->start, total);
	b->len = f->start;
	for (uint32 i = 0; i < n; i++)
	{
		uint32		len = entries[i].end - entries[i].start;

		memcpy(b->bytes + b->len, copy + (entries[i].start - f->start), len);
		entries[i].start = b->len;
		b->len += len;
	}
	b->nentries = f->first_entry + n;
	pfree(copy);
}

/* Writes tag, count and offset table before the elements of a frame. */
static void
WriteContainerHeader(ItemBuilder *b, const BuilderFrame *f)
{
	const BuilderEntry *entries = b->entries + f->first_entry;
	uint32		n = b->nentries - f->first_entry;
	uint32		total = b->len - f->start;
	uint32		width_bits = FormatWidthBits(total);
	uint32		width = 1 << width_bits;
	Size		header = 1 + FormatVarintSize(n) + (Size) n * width;
	uint8	   *p;

	EnsureBytes(b, header);
	p = b->bytes + f->start;
	memmove(p + header, p, total);
	b->len += (uint32) header;

	*p++ = (uint8) (f->type | width_bits << VALUE_TAG_WIDTH_SHIFT);
	p = FormatWriteVarint(p, n);
	for (uint32 i = 1; i < n; i++)
		p = FormatWriteOffset(p, width, entries[i].start - f->start);
	if (n > 0)
		FormatWriteOffset(p, width, total);
}

void
ItemBuilderEnd(ItemBuilder *b)
{
	BuilderFrame *f;

	if (unlikely(ItemBuilderHasFailed(b)))
	{
		b->depth--;
		return;
	}
	f = &b->frames[b->nframes - 1];
	Assert(b->nframes > 0 && !f->named);
	if (!ValueTypeIsSet(f->type))
		b->depth--;
	else if (b->nentries == f->first_entry)
		ItemBuilderEmptySet(b, f->type);
	if (!f->sorted)
		SortElements(b, f);
	if (unlikely(ItemBuilderHasFailed(b)))
		return;
	WriteContainerHeader(b, f);
	b->nentries = f->first_entry;
	b->nframes--;
}

struct varlena *
ItemBuilderFinish(ItemBuilder *b)
{
	struct varlena *result;

	if (ItemBuilderHasFailed(b))
		return NULL;
	Assert(b->nframes == 0 && b->len > PROLOGUE);
	result = MemoryContextAlloc(b->context, b->len);
	memcpy(result, b->bytes, b->len);
	SET_VARSIZE(result, b->len);
	((uint8 *) VARDATA(result))[0] = ITEM_VERSION;
	return result;
}

ValueRef
ValueOfString(Slice text)
{
	ItemBuilder b;
	ValueRef	value;

	ItemBuilderInit(&b, 1, DUPLICATE_NAME_LAST);
	ItemBuilderString(&b, text.data, text.len);
	value = ItemRoot(ItemBuilderFinish(&b));
	ItemBuilderRelease(&b);
	return value;
}

struct varlena *
ValueCopy(ValueRef v)
{
	struct varlena *result = palloc(PROLOGUE + (Size) v.len);

	SET_VARSIZE(result, PROLOGUE + v.len);
	((uint8 *) VARDATA(result))[0] = ITEM_VERSION;
	memcpy(VARDATA(result) + 1, v.data, v.len);
	return result;
}
