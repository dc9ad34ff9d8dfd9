/*
 * read_raw.h
 *	  Attribute values of a request that are as they should be.
 */
#ifndef DYNAMO_READ_RAW_H
#define DYNAMO_READ_RAW_H

#include "item/json_reader.h"
#include "request/shape.h"

/*
 * Passes over the value of a raw shape, all of it checked; or false, the
 * reader where it was: the walk over the shape has to look.
 */
extern bool PassRaw(JsonReader *r, const Shape *shape);

/*
 * Reads an item, palloc'd; or NULL, the reader where it was, if it is none:
 * its types and then its values have to be looked at.
 */
extern struct varlena *ReadGoodItem(JsonReader *r);

#endif							/* DYNAMO_READ_RAW_H */
