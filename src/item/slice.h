/*
 * slice.h
 *	  Reads attributes of a stored item.
 */
#ifndef DYNAMO_SLICE_H
#define DYNAMO_SLICE_H

#include "item/item.h"

/*
 * Returns an attribute of a stored item, which may be compressed or out of
 * line; fetches and decompresses no more of it than needed.  Returns
 * MISSING_VALUE if the attribute does not exist or the value is not a map.
 * The result points into the datum or into palloc'd memory.
 */
extern ValueRef ItemDatumAttribute(Datum item, const char *name, uint32 len);

/*
 * Returns the item or, if it is large, only a part with these attributes and
 * maybe others.  The names must be sorted and distinct; none means the whole
 * item.  The result is detoasted: a palloc'd copy or, by the second function,
 * the datum itself if it can be read directly.
 */
extern struct varlena *ItemDatumPart(Datum item, const Slice *names, int n);
extern struct varlena *ItemDatumPartPacked(Datum item, const Slice *names, int n);

#endif							/* DYNAMO_SLICE_H */
