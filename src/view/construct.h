/*
 * construct.h
 *	  Creates items and values from SQL data of any type.
 */
#ifndef DYNAMO_CONSTRUCT_H
#define DYNAMO_CONSTRUCT_H

#include "item/builder.h"

/* Adds SQL data of any type, not null, like dynamo.to_value. */
extern void ItemBuilderDatum(ItemBuilder *b, Datum datum, Oid type);

#endif							/* DYNAMO_CONSTRUCT_H */
