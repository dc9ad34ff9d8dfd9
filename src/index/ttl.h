/*
 * ttl.h
 *	  Enables and disables time to live (table/time_to_live.h describes it).
 */
#ifndef DYNAMO_INDEX_TTL_H
#define DYNAMO_INDEX_TTL_H

#include "exported.h"
#include "item/item.h"

/* Enables time to live for a table, including its existing items. */
extern DYNAMO_EXPORT void TtlEnable(const char *table_name, Slice attribute);
extern DYNAMO_EXPORT void TtlDisable(const char *table_name);

/*
 * Locks the table for a change.  Raises the service's errors if it is in the
 * requested state already, or if another attribute is in use.
 */
extern DYNAMO_EXPORT void TtlCheckChange(const char *table_name, Slice attribute, bool enable);

#endif							/* DYNAMO_INDEX_TTL_H */
