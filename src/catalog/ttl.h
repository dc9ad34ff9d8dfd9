/*
 * ttl.h
 *	  Time to live: an attribute that says when its item expires.
 *
 * The attribute's value, epoch seconds, is kept in a column of the table by
 * the key trigger, as key attributes are, and indexed; unlike a key attribute
 * it may be of any type, and then counts for nothing.  Expired items stay
 * until dynamo.delete_expired deletes them.
 */
#ifndef DYNAMO_TTL_H
#define DYNAMO_TTL_H

#include "catalog/table.h"

/*
 * The seconds that a value of the attribute stands for; false if it is no
 * number that could be a time.
 */
extern bool TtlSeconds(ValueRef value, int64 *seconds);

#endif							/* DYNAMO_TTL_H */
