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

#endif							/* DYNAMO_READ_RAW_H */
