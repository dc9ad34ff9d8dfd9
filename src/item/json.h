/*
 * json.h
 *	  DynamoDB JSON, {"PK": {"S": "a"}}, to items and back.
 *
 * The reader is a cursor over JSON text that yields one token at a time and
 * copies nothing it need not; items, expression values and the requests of
 * request/ are all read through it.
 */
#ifndef DYNAMO_JSON_H
#define DYNAMO_JSON_H

#include "lib/stringinfo.h"

#include "item/builder.h"
#include "item/item.h"
#include "item/json_reader.h"

struct JsonbContainer;			/* utils/jsonb.h */

/*
 * Reads one whole text as an item (a map of attribute values) or as one
 * attribute value.  Errors: ERRCODE_INVALID_TEXT_REPRESENTATION with byte
 * position for what is no JSON, ERRCODE_DYNAMO_VALIDATION for what is no
 * attribute value, in the service's words with the attribute path in DETAIL
 * and, for plain JSON, a HINT at the cast from jsonb.
 */
extern struct varlena *ItemFromJson(const char *text, uint32 len);
extern struct varlena *ValueFromJson(const char *text, uint32 len);

/* ItemFromJson of an object in a jsonb. */
extern struct varlena *ItemFromJsonbContainer(struct JsonbContainer *map);

/*
 * Reads the value (or the map of values) at the reader's position into the
 * builder; for items inside requests.  The reader must stay where it is until
 * the builder is finished, since errors tell its position.  Wrong JSON types
 * raise ERRCODE_DYNAMO_SERIALIZATION in the service's words.
 */
extern void ReadItemJson(JsonReader *r, ItemBuilder *b);
extern void ReadValueJson(JsonReader *r, ItemBuilder *b);

/* Appends the canonical DynamoDB JSON of a value, or of an item. */
extern void ValueToJson(StringInfo out, ValueRef v);
extern void ItemToJson(StringInfo out, ValueRef item);

/* Appends a JSON string literal with quotes. */
extern void JsonAppendString(StringInfo out, const char *text, uint32 len);

#endif							/* DYNAMO_JSON_H */
