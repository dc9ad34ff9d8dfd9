/*
 * attribute.h
 *	  Attributes as SQL columns: the expression that reads one, and the value
 *	  that a column's datum is.
 *
 *		SQL type					attribute
 *		numbers						N
 *		boolean						BOOL
 *		bytea						B
 *		json, jsonb					what marshalling makes of it
 *		dynamo.value				itself
 *		arrays						NS or SS, by their elements; lists are read too
 *		date, timestamp, timestamptz	S in ISO 8601, the last in UTC ("Z")
 *		all others					S, the type's text
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

/* An attribute value, palloc'd, of a datum that is not null. */
extern struct varlena *AttributeFromDatum(Datum datum, Oid type);

/* Whether a view may have a column of this type: bytea[] and items may not. */
extern bool TypeCanHoldAttribute(Oid type);

#endif							/* DYNAMO_ATTRIBUTE_H */
