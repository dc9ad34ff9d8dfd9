/*
 * builder.h
 *	  Builds items and values.
 *
 * All items and values are created by this builder.  It is fed from the
 * outside in, with map names and set members in any order.  It sorts, rejects
 * duplicates, limits the depth and writes the canonical format of item.h.
 *
 *	b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);
 *	ItemBuilderBeginMap(b);
 *	ItemBuilderName(b, "PK", 2);
 *	ItemBuilderString(b, "a", 1);
 *	ItemBuilderEnd(b);
 *	item = ItemBuilderFinish(b);
 *
 * Memory is allocated in the context that is current at Create.  There is one
 * value at the top; a map is an item.
 *
 * Problems of a value are raised with the service's messages, or noted in the
 * Problem that the builder was given.  After a noted problem the builder
 * ignores further input and builds nothing.
 */
#ifndef DYNAMO_BUILDER_H
#define DYNAMO_BUILDER_H

#include "lib/stringinfo.h"

#include "exported.h"
#include "item/item.h"
#include "problem.h"

/* How to handle a name that a map already has. */
typedef enum DuplicateName
{
	DUPLICATE_NAME_LAST,		/* the last one wins, as in JSON objects */
	DUPLICATE_NAME_ERROR
} DuplicateName;

/*
 * Returns the current byte position, counted from 1, of a source that is being
 * read.
 */
typedef uint32 (*BuilderPosition) (const void *source);

/* One element of an open container. */
typedef struct BuilderEntry
{
	uint32		start;			/* start in the buffer */
	uint32		end;			/* used only while sorting */
	uint32		key;			/* sort key: name or member */
	uint32		key_len;
} BuilderEntry;

/* One open container. */
typedef struct BuilderFrame
{
	ValueType	type;
	bool		sorted;			/* its elements were added in order, without
								 * duplicates */
	bool		named;			/* map: the name of the next value is set */
	uint32		start;			/* start of its elements */
	uint32		first_entry;
} BuilderFrame;

/*
 * In which words problems of values are told.  The service has new ones in some
 * operations.
 */
typedef enum ValueWords
{
	VALUE_WORDS_SQL,			/* in SQL functions */
	VALUE_WORDS_OLD,
	VALUE_WORDS_NEW
} ValueWords;

/*
 * Private to builder.c and builder_error.c.  It is defined here so that a
 * builder can be a local variable, which saves its allocation for many small
 * items.
 */
typedef struct ItemBuilder
{
	MemoryContext context;
	int			depth;			/* nested containers around and in the value */
	int			outer_depth;	/* nested containers around the value */
	DuplicateName duplicates;
	BuilderPosition position;
	const void *source;
	Problem    *problem;		/* NULL to raise problems */
	ValueWords	words;

	uint8	   *bytes;
	uint32		len;
	uint32		capacity;

	BuilderEntry *entries;
	uint32		nentries;
	uint32		entries_capacity;

	/*
	 * The open containers, and a set in the innermost one.  Negative after a
	 * problem: nothing more is built.
	 */
	int			nframes;
	BuilderFrame frames[ITEM_MAX_DEPTH + 2];	/* one more, of values of expressions */

	BuilderEntry initial_entries[64];
	uint8		initial_bytes[1024];
} ItemBuilder;

/*
 * Creates a builder in the current memory context.  depth is the number of
 * containers that will surround the value (0 for an item, 1 for an attribute
 * value), for the nesting limit.
 */
extern DYNAMO_EXPORT ItemBuilder *ItemBuilderCreate(int depth, DuplicateName duplicates);

/* Initializes a builder in a local variable; and frees its allocations. */
extern DYNAMO_EXPORT void ItemBuilderInit(ItemBuilder *b, int depth, DuplicateName duplicates);
extern DYNAMO_EXPORT void ItemBuilderRelease(ItemBuilder *b);

/* Allocates room for this many bytes at once. */
extern void ItemBuilderReserve(ItemBuilder *b, Size bytes);

static inline bool
ItemBuilderHasFailed(const ItemBuilder *b)
{
	return b->nframes < 0;
}

/*
 * Notes or raises a problem, depending on the builder.  Nothing more is built.
 */
extern DYNAMO_EXPORT void ItemBuilderNote(ItemBuilder *b, const Problem *found);

/* Sets the source whose position is added to the DETAIL of errors. */
extern void ItemBuilderSetSource(ItemBuilder *b, BuilderPosition position,
								 const void *source);

/*
 * Appends the builder's position, such as "attribute a.b[2], byte 17", or
 * nothing if neither is known.  It is the position of the next value or, if
 * "ended", of the last value added.
 */
extern void ItemBuilderAppendPlace(const ItemBuilder *b, bool ended, StringInfo out);

/* Start a map or list, in place of a value. */
extern DYNAMO_EXPORT void ItemBuilderBeginMap(ItemBuilder *b);
extern DYNAMO_EXPORT void ItemBuilderBeginList(ItemBuilder *b);

/*
 * Starts a set; type is VALUE_SS, VALUE_NS or VALUE_BS.  Members are added
 * with String, Number, Binary.
 */
extern DYNAMO_EXPORT void ItemBuilderBeginSet(ItemBuilder *b, ValueType type);

/* Ends the innermost open map, list or set. */
extern DYNAMO_EXPORT void ItemBuilderEnd(ItemBuilder *b);

/* Sets the name of the next value in a map. */
extern DYNAMO_EXPORT void ItemBuilderName(ItemBuilder *b, const char *name, uint32 len);

/* Add bytes, which are copied; those of a string must be valid UTF-8. */
extern DYNAMO_EXPORT void ItemBuilderString(ItemBuilder *b, const char *text, uint32 len);
extern DYNAMO_EXPORT void ItemBuilderBinary(ItemBuilder *b, const char *bytes, uint32 len);

/* Adds a number in the service's syntax; has the errors of number.h. */
extern DYNAMO_EXPORT void ItemBuilderNumberText(ItemBuilder *b, const char *text, uint32 len);

/* Adds an encoded number. */
extern DYNAMO_EXPORT void ItemBuilderNumber(ItemBuilder *b, const uint8 *encoded, uint32 len);
extern DYNAMO_EXPORT void ItemBuilderBool(ItemBuilder *b, bool value);
extern DYNAMO_EXPORT void ItemBuilderNull(ItemBuilder *b);

/* Adds a NULL; as in JSON, {"NULL": false} is an error. */
extern void ItemBuilderNullFlag(ItemBuilder *b, bool flag);

/* Copies an encoded value of any type. */
extern DYNAMO_EXPORT void ItemBuilderValue(ItemBuilder *b, ValueRef v);

/* Add a member to a map, unless the text or the value is missing. */
extern DYNAMO_EXPORT void ItemBuilderStringMember(ItemBuilder *b, const char *name, Slice text);
extern void ItemBuilderMember(ItemBuilder *b, const char *name, ValueRef v);

/* Adds the names and values of a map to the present one. */
extern DYNAMO_EXPORT void ItemBuilderMembers(ItemBuilder *b, ValueRef map);

/*
 * Returns the finished varlena, palloc'd in the builder's context with its
 * exact size.  NULL if a problem was noted.
 */
extern DYNAMO_EXPORT struct varlena *ItemBuilderFinish(ItemBuilder *b);

/* Returns a palloc'd value of type S. */
extern ValueRef ValueOfString(Slice text);

/* Returns a separate varlena for one encoded value. */
extern DYNAMO_EXPORT struct varlena *ValueCopy(ValueRef v);

#endif							/* DYNAMO_BUILDER_H */
