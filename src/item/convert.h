/*
 * convert.h
 *	  Converts items and values to and from PostgreSQL types.
 */
#ifndef DYNAMO_CONVERT_H
#define DYNAMO_CONVERT_H

#include "utils/jsonb.h"

#include "item/builder.h"
#include "item/item.h"

/* ---- convert.c ---- */

/*
 * Converts bytes to text, palloc'd.  Raises ERRCODE_UNTRANSLATABLE_CHARACTER
 * if they contain U+0000, which is valid in items but not in text.
 */
extern text *SliceToText(Slice s);

/* Raises this error if the bytes contain U+0000. */
extern void CheckSliceIsText(Slice s);

/* Returns the result of ->> for a value: NULL for the NULL type. */
extern text *ValueToText(ValueRef v);

/* ---- convert_jsonb.c ---- */

/* Adds plain JSON, like the marshall function of the SDKs. */
extern void ItemBuilderJsonb(ItemBuilder *b, Jsonb *jsonb);

/*
 * Returns the plain JSON of a value; sets become arrays, binary values base64.
 */
extern Jsonb *ValueToJsonb(ValueRef v);

#endif							/* DYNAMO_CONVERT_H */
