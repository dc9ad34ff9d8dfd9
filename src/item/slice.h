/*
 * slice.h
 *	  Reading attributes of a stored item.
 */
#ifndef DYNAMO_SLICE_H
#define DYNAMO_SLICE_H

#include "item/item.h"

/*
 * The attribute of an item as it is stored, which may be compressed or out of
 * line: no more of it is fetched and decompressed than is needed.
 * MISSING_VALUE if there is none, or if the value is no map.  The result
 * points into the datum or into memory palloc'd here.
 */
extern ValueRef ItemDatumAttribute(Datum item, const char *name, uint32 len);

/*
 * The item, or as much of a large one as these attributes need: an item that
 * has what it has of them, and maybe more.  The names are sorted, each once;
 * none means the whole item.  Detoasted; a copy, palloc'd, or by the second
 * function the datum itself if it can be read as it is.
 */
extern struct varlena *ItemDatumPart(Datum item, const Slice *names, int n);
extern struct varlena *ItemDatumPartPacked(Datum item, const Slice *names, int n);

#endif							/* DYNAMO_SLICE_H */
