/*
 * splice.h
 *	  Changing a few elements of an encoded container.
 *
 * The builder makes values from nothing, one event after the other.  Updates
 * and projections mostly move encoded elements about; a splice copies the
 * untouched ones in runs and writes the offset table anew.  The result is
 * canonical if the edits keep the order of names and members.
 */
#ifndef DYNAMO_SPLICE_H
#define DYNAMO_SPLICE_H

#include "item/item.h"

typedef struct SpliceEdit
{
	uint32		position;		/* the old element it concerns, or count */
	bool		removes;		/* that element goes */
	bool		inserts;		/* a new one comes, before it or in its place */
	Slice		name;			/* of the new one, in a map */
	Slice		bytes;			/* of the new one: encoded value, or member */
} SpliceEdit;

/*
 * The container with edits applied, in the current memory context.  old is
 * NULL for an empty one.  Edits stand in ascending order of position; several
 * may insert before one element.
 */
extern ValueRef ContainerSplice(ValueType type, const Container *old,
								const SpliceEdit *edits, uint32 nedits);

/* The same for the top of an item, as the varlena. */
extern struct varlena *ItemSplice(const Container *old,
								  const SpliceEdit *edits, uint32 nedits);

#endif							/* DYNAMO_SPLICE_H */
