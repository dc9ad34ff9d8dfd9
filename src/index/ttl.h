/*
 * ttl.h
 *	  Time to live: enabling and disabling (catalog/ttl.h says what it is).
 */
#ifndef DYNAMO_INDEX_TTL_H
#define DYNAMO_INDEX_TTL_H

#include "item/item.h"

/* Begins to keep a table's time to live, of existing items, too. */
extern void TtlEnable(const char *table_name, Slice attribute);
extern void TtlDisable(const char *table_name);

/*
 * Locks the table for a change and raises the service's errors if it is so
 * already, or if another attribute is in use.
 */
extern void TtlCheckChange(const char *table_name, Slice attribute, bool enable);

#endif							/* DYNAMO_INDEX_TTL_H */
