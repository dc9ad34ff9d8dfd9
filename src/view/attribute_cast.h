/*
 * attribute_cast.h
 *	  Attributes as SQL data of a type, as the columns of entity views show them.
 *
 * The result is that of a cast of the attribute's text (->>) to the type; bytea, json
 * and jsonb are cast from the value, and an array from the elements of a list or set.
 */
#ifndef DYNAMO_ATTRIBUTE_CAST_H
#define DYNAMO_ATTRIBUTE_CAST_H

#include "item/item.h"

typedef struct AttributeCast AttributeCast;

/* Prepares casts to a type, in the current memory context. */
extern AttributeCast *AttributeCastMake(Oid type, int32 typmod);

/*
 * Casts a value without a look at anything that could fail; false if that takes
 * AttributeCastValue.
 */
extern bool AttributeCastAtOnce(const AttributeCast *cast, ValueRef value, Datum *result);

/*
 * Casts a value; null for a missing one and for type NULL, if the type admits it.
 * Raises the errors of the cast, which may run code of the type's owner.
 */
extern Datum AttributeCastValue(AttributeCast *cast, ValueRef value, bool *isnull);

/*
 * The same in a subtransaction if need be: returns NULL, or the error of a value that
 * does not cast.
 */
extern struct ErrorData *AttributeCastTry(AttributeCast *cast, ValueRef value, Datum *result, bool *isnull);

/* Whether an error is about a value, rather than about the session or the server. */
extern bool ErrorIsOfValue(const struct ErrorData *edata);

#endif							/* DYNAMO_ATTRIBUTE_CAST_H */
