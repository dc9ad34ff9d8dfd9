/*
 * attribute.h
 *	  Attributes as SQL columns: the expression that reads an attribute, and
 *	  the conversion of a column's datum to a value.
 *
 * A datum is converted like dynamo.to_value, with two exceptions: a
 * timestamptz is written in UTC, and an array becomes a set if the attribute
 * was a set.
 */
#ifndef DYNAMO_ATTRIBUTE_H
#define DYNAMO_ATTRIBUTE_H

#include "lib/stringinfo.h"

#include "item/item.h"

/* Of an attribute that cannot be cast to the type of its column. */
typedef enum InvalidValues
{
	INVALID_VALUES_ERROR,
	INVALID_VALUES_NULL
} InvalidValues;

/*
 * Appends a SQL expression that reads an attribute of the item column of t, a table or
 * a row with its tableoid, as a column of this type; all names in it are qualified.
 */
extern void AppendAttributeExpression(StringInfo out, const char *attribute,
									  Oid type, int32 typmod, InvalidValues invalid);

/*
 * The same for the text of an attribute, which shown is an expression for.  With
 * INSTANT_TYPMOD a timestamptz is read by dynamo.parse_time.
 */
extern void AppendTextAsAttribute(StringInfo out, const char *attribute, Oid type, int32 typmod,
								  InvalidValues invalid, const char *shown);

/*
 * Converts a datum that is not null to a palloc'd attribute value.  old is the
 * value that it replaces, or MISSING_VALUE.
 */
extern ValueRef AttributeFromDatum(Datum datum, Oid type, ValueRef old);

/* Whether a view may have a column of this type: not bytea[] or item. */
extern bool TypeCanHoldAttribute(Oid type);

#endif							/* DYNAMO_ATTRIBUTE_H */
