/*
 * splice.h
 *	  Changes a few elements of an encoded container.
 *
 * The builder creates values element by element.  Updates and projections
 * mostly move encoded elements; a splice copies the unchanged ones in runs and
 * rewrites the offset table.  The result is canonical if the edits keep the
 * order of names and members.
 */
#ifndef DYNAMO_SPLICE_H
#define DYNAMO_SPLICE_H

#include "item/item.h"

typedef struct SpliceEdit
{
	uint32		position;		/* position of the old element, or count */
	bool		removes;		/* removes that element */
	bool		inserts;		/* inserts a new one before or instead of it */
	Slice		name;			/* name of the new element, in a map */
	Slice		bytes;			/* new element: encoded value, or member */
} SpliceEdit;

/*
 * Returns the container with the edits applied, in the current memory context.
 * old is NULL for an empty container.  Edits must be in ascending order of
 * position; several may insert before the same element.
 */
extern ValueRef ContainerSplice(ValueType type, const Container *old,
								const SpliceEdit *edits, uint32 nedits);

/* Applies edits to the top-level map of an item; returns the varlena. */
extern struct varlena *ItemSplice(const Container *old,
								  const SpliceEdit *edits, uint32 nedits);

#endif							/* DYNAMO_SPLICE_H */
