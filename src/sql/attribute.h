/*
 * attribute.h
 *	  Attributes as SQL columns: the expression that reads one, and the value
 *	  that a column's datum is.
 *
 * A column's datum becomes what dynamo.to_value makes of it, but for two: an
 * instant (timestamptz) is written in UTC, and an array stays a set where the
 * attribute was one.
 */
#ifndef DYNAMO_ATTRIBUTE_H
#define DYNAMO_ATTRIBUTE_H

#include "lib/stringinfo.h"

#include "item/item.h"

/*
 * Appends a SQL expression for an attribute of the item column of t, as a
 * column of this type; all names in it are qualified.
 */
extern void AppendAttributeExpression(StringInfo out, const char *attribute,
									  Oid type, int32 typmod);

/*
 * An attribute value, palloc'd, of a datum that is not null.  old: the value
 * it replaces, or MISSING_VALUE.
 */
extern struct varlena *AttributeFromDatum(Datum datum, Oid type, ValueRef old);

/* Whether a view may have a column of this type: bytea[] and items may not. */
extern bool TypeCanHoldAttribute(Oid type);

#endif							/* DYNAMO_ATTRIBUTE_H */
