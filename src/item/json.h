/*
 * json.h
 *	  Converts DynamoDB JSON, {"PK": {"S": "a"}}, to and from items.
 *
 * The reader is a cursor over JSON text that returns one token at a time and
 * avoids copies.  Items, expression values and the requests of request/ are
 * read with it.
 */
#ifndef DYNAMO_JSON_H
#define DYNAMO_JSON_H

#include "lib/stringinfo.h"

#include "exported.h"
#include "item/builder.h"
#include "item/item.h"
#include "item/json_reader.h"

/*
 * Reads a complete text as an item (a map of attribute values) or as one
 * attribute value; NULL if a problem is noted.
 *
 * Problems: ERRCODE_INVALID_TEXT_REPRESENTATION with the byte position for
 * invalid JSON, ERRCODE_DYNAMO_SERIALIZATION for wrong JSON types, and
 * ERRCODE_DYNAMO_VALIDATION for invalid attribute values, with the service's
 * messages, the attribute path in DETAIL and, for plain JSON, a HINT about the
 * cast from jsonb.
 */
extern struct varlena *ItemFromJson(const char *text, uint32 len, Problem *problem);
extern struct varlena *ValueFromJson(const char *text, uint32 len, Problem *problem);

/*
 * Reads the value (or the map of values) at the reader's position into the
 * builder, for items inside requests.  The reader must not be moved until the
 * builder is finished, since problems contain its position.
 *
 * Invalid JSON and wrong JSON types are problems of the reader and end the
 * reading; invalid values are problems of the builder.  If the two have
 * different Problems (in requests, where type errors are more important), the
 * rest of the text is still read.
 */
extern DYNAMO_EXPORT void ReadItemJson(JsonReader *r, ItemBuilder *b);
extern DYNAMO_EXPORT void ReadValueJson(JsonReader *r, ItemBuilder *b);

/* Returns false if the service does not accept the string as a boolean. */
extern DYNAMO_EXPORT bool JsonFlagFromString(Slice string, bool *flag);

/* Append the canonical DynamoDB JSON of a value, or of an item. */
extern DYNAMO_EXPORT void ValueToJson(StringInfo out, ValueRef v);
extern DYNAMO_EXPORT void ItemToJson(StringInfo out, ValueRef item);

/* Appends a JSON string literal with quotes. */
extern DYNAMO_EXPORT void JsonAppendString(StringInfo out, const char *text, uint32 len);

#endif							/* DYNAMO_JSON_H */
