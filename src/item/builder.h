/*
 * builder.h
 *	  The one way to make items and values.
 *
 * A builder is fed from the outside in, in any order of map names and set
 * members; it sorts, rejects duplicates, bounds depth and writes the
 * canonical format of item.h.
 *
 *		b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);
 *		ItemBuilderBeginMap(b);
 *		ItemBuilderName(b, "PK", 2);
 *		ItemBuilderString(b, "a", 1);
 *		ItemBuilderEnd(b);
 *		item = ItemBuilderFinish(b);
 *
 * Memory is the context current at Create.  Errors are raised with ereport,
 * in the service's words.  One value at the top; a map is an item.
 */
#ifndef DYNAMO_BUILDER_H
#define DYNAMO_BUILDER_H

#include "lib/stringinfo.h"

#include "item/item.h"

/* What to do with a name that a map already has. */
typedef enum DuplicateName
{
	DUPLICATE_NAME_LAST,		/* the last one wins, as in JSON objects */
	DUPLICATE_NAME_ERROR
} DuplicateName;

/* The byte, counted from 1, at which a source that is being read stands. */
typedef uint32 (*BuilderPosition) (const void *source);

/* One element of an open container. */
typedef struct BuilderEntry
{
	uint32		start;			/* where it starts in the buffer */
	uint32		end;			/* used only while sorting */
	uint32		key;			/* what it is sorted by: name or member */
	uint32		key_len;
} BuilderEntry;

/* One open container. */
typedef struct BuilderFrame
{
	ValueType	type;
	bool		sorted;			/* its elements came in order, without
								 * duplicates */
	bool		named;			/* map: the name of the next value is there */
	uint32		start;			/* where its elements start */
	uint32		first_entry;
} BuilderFrame;

/*
 * Private to builder.c and builder_error.c; here so that a builder can be a
 * local variable, which spares its allocation where items are small and many.
 */
typedef struct ItemBuilder
{
	MemoryContext context;
	int			depth;			/* containers around and of the value */
	int			outer_depth;	/* containers around it */
	DuplicateName duplicates;
	BuilderPosition position;
	const void *source;

	uint8	   *bytes;
	uint32		len;
	uint32		capacity;

	BuilderEntry *entries;
	uint32		nentries;
	uint32		entries_capacity;

	/* containers in containers, and a set in the innermost */
	int			nframes;
	BuilderFrame frames[ITEM_MAX_DEPTH + 1];

	BuilderEntry initial_entries[64];
	uint8		initial_bytes[1024];
} ItemBuilder;

/*
 * Makes a builder in the current memory context.  depth: containers that
 * will surround the built value (0 for an item, 1 for an attribute value),
 * for the nesting limit.
 */
extern ItemBuilder *ItemBuilderCreate(int depth, DuplicateName duplicates);

/* The same for one that is a local variable; and what it has allocated back. */
extern void ItemBuilderInit(ItemBuilder *b, int depth, DuplicateName duplicates);
extern void ItemBuilderRelease(ItemBuilder *b);

/* Makes room for this many bytes at once. */
extern void ItemBuilderReserve(ItemBuilder *b, Size bytes);

/* Tells where the source is, for the DETAIL of errors. */
extern void ItemBuilderSetSource(ItemBuilder *b, BuilderPosition position,
								 const void *source);

/*
 * Appends where the builder stands, as "attribute a.b[2], byte 17", or
 * nothing if it knows neither: at the value that comes next or, if "ended",
 * at the one that was added last.
 */
extern void ItemBuilderAppendPlace(const ItemBuilder *b, bool ended, StringInfo out);

/* Begin a map or list, where a value may come. */
extern void ItemBuilderBeginMap(ItemBuilder *b);
extern void ItemBuilderBeginList(ItemBuilder *b);

/* type: VALUE_SS, VALUE_NS or VALUE_BS.  Members: String, Number, Binary. */
extern void ItemBuilderBeginSet(ItemBuilder *b, ValueType type);

/* Ends the innermost open map, list or set. */
extern void ItemBuilderEnd(ItemBuilder *b);

/* The name of the next value, inside a map. */
extern void ItemBuilderName(ItemBuilder *b, const char *name, uint32 len);

/* Bytes that are copied; those of a string are valid UTF-8. */
extern void ItemBuilderString(ItemBuilder *b, const char *text, uint32 len);
extern void ItemBuilderBinary(ItemBuilder *b, const char *bytes, uint32 len);

/* A number in the syntax of the service; any error of number.h. */
extern void ItemBuilderNumberText(ItemBuilder *b, const char *text, uint32 len);

/* A number already encoded. */
extern void ItemBuilderNumber(ItemBuilder *b, const uint8 *encoded, uint32 len);
extern void ItemBuilderBool(ItemBuilder *b, bool value);
extern void ItemBuilderNull(ItemBuilder *b);

/* As JSON has it: {"NULL": false} is an error. */
extern void ItemBuilderNullFlag(ItemBuilder *b, bool flag);

/* Copies an encoded value of any type. */
extern void ItemBuilderValue(ItemBuilder *b, ValueRef v);

/*
 * The finished varlena, palloc'd in the builder's context, exactly sized.
 */
extern struct varlena *ItemBuilderFinish(ItemBuilder *b);

/* A varlena of its own for one encoded value. */
extern struct varlena *ValueCopy(ValueRef v);

#endif							/* DYNAMO_BUILDER_H */
