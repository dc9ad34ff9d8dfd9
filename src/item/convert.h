/*
 * convert.h
 *	  Items and values to PostgreSQL's own types and back.
 */
#ifndef DYNAMO_CONVERT_H
#define DYNAMO_CONVERT_H

#include "utils/jsonb.h"

#include "item/builder.h"
#include "item/item.h"

/* ---- convert.c ---- */

/*
 * Text of these bytes, palloc'd.  Raises ERRCODE_UNTRANSLATABLE_CHARACTER if
 * they contain U+0000, which is legal in items and not in text.
 */
extern text *SliceToText(Slice s);

/* Raises that error, or returns. */
extern void CheckSliceIsText(Slice s);

/* What ->> shows of a value: NULL for the NULL type. */
extern text *ValueToText(ValueRef v);

/* ---- convert_jsonb.c ---- */

/* Adds plain JSON, as the marshall function of the SDKs does. */
extern void ItemBuilderJsonb(ItemBuilder *b, Jsonb *jsonb);

/* Plain JSON of a value; sets become arrays, binary base64. */
extern Jsonb *ValueToJsonb(ValueRef v);

#endif							/* DYNAMO_CONVERT_H */
