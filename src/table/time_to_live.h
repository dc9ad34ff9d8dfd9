/*
 * time_to_live.h
 *	  Time to live: an attribute with the expiry time of its item.
 *
 * The key trigger stores the attribute's value, in epoch seconds, in an
 * indexed column of the table, like key attributes.  Unlike a key attribute it
 * may have any type; a value that is not a time is ignored.  Expired items
 * remain until dynamo.delete_expired deletes them.
 */
#ifndef DYNAMO_TABLE_TIME_TO_LIVE_H
#define DYNAMO_TABLE_TIME_TO_LIVE_H

#include "table/table.h"

/*
 * Converts a value of the attribute to seconds; false if it is not a number in
 * the range of times.
 */
extern bool TtlSeconds(ValueRef value, int64 *seconds);

#endif							/* DYNAMO_TABLE_TIME_TO_LIVE_H */
