/*
 * maybe_item.h
 *	  An item or value that there may not be.
 *
 * A row stored by hand may have an item without the key's attributes, or columns
 * with values that no item can contain.  Functions that return the key of a row or
 * item return a MaybeItem, which must be opened before it is used: it cannot be
 * mistaken for a key.
 */
#ifndef DYNAMO_MAYBE_ITEM_H
#define DYNAMO_MAYBE_ITEM_H

#include "item/item.h"

typedef struct MaybeItem
{
	struct varlena *unopened;	/* for the functions below only */
} MaybeItem;

#define NO_ITEM	((MaybeItem) {NULL})

static inline MaybeItem
MaybeItemOf(struct varlena *item)
{
	return (MaybeItem) {item};
}

/* Returns false if there is none. */
static inline bool MaybeItemOpen(MaybeItem maybe, ValueRef *item) __attribute__((warn_unused_result));

static inline bool
MaybeItemOpen(MaybeItem maybe, ValueRef *item)
{
	if (maybe.unopened == NULL)
		return false;
	*item = ItemRoot(maybe.unopened);
	return true;
}

static inline bool
MaybeItemExists(MaybeItem maybe)
{
	return maybe.unopened != NULL;
}

/* Whether both are equal, or there are none. */
static inline bool
MaybeItemEqual(MaybeItem a, MaybeItem b)
{
	if (a.unopened == NULL || b.unopened == NULL)
		return a.unopened == b.unopened;
	return SliceEqual(SliceOfVarlena(a.unopened), SliceOfVarlena(b.unopened));
}

/* The column of a result; null if there is none. */
static inline Datum
MaybeItemDatum(MaybeItem maybe, bool *isnull)
{
	*isnull = maybe.unopened == NULL;
	return PointerGetDatum(maybe.unopened);
}

#endif							/* DYNAMO_MAYBE_ITEM_H */
