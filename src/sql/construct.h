/*
 * construct.h
 *	  Items and values from SQL data of any type.
 */
#ifndef DYNAMO_CONSTRUCT_H
#define DYNAMO_CONSTRUCT_H

#include "item/builder.h"

/* Adds SQL data of any type, not null, as dynamo.to_value makes it. */
extern void ItemBuilderDatum(ItemBuilder *b, Datum datum, Oid type);

#endif							/* DYNAMO_CONSTRUCT_H */
