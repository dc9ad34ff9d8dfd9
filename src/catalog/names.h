/*
 * names.h
 *	  DynamoDB names as PostgreSQL identifiers.
 *
 * A relation and a column may have a name of 63 bytes; the service allows
 * 255.  A name that fits is taken as it is; one that does not keeps its
 * beginning and gets a hash of the whole, so that the mapping needs no
 * catalog and is the same everywhere.
 */
#ifndef DYNAMO_NAMES_H
#define DYNAMO_NAMES_H

#include "item/item.h"

/* The column of an index table that holds the shard's number. */
#define SHARD_COLUMN	"dynamo_shard"
#define ITEM_COLUMN		"item"

/* The column that holds when an item expires, in seconds since 1970. */
#define TTL_COLUMN		"dynamo_expires_at"

/*
 * A hash of bytes that never changes: what is on disk depends on it (shard
 * numbers, mapped names).  FNV-1a of 64 bits with a final mix; PostgreSQL's
 * hash_bytes depends on the machine's byte order.
 */
extern uint64 StableHash(const void *bytes, size_t len, uint64 seed);

/* Whether it is 3-255 of [a-zA-Z0-9_.-]; the other raises the service's errors. */
extern bool IsResourceName(const char *name);
extern void CheckResourceName(const char *name, const char *member);

/* The name of the relation that holds a table; name itself or palloc'd. */
extern char *RelationNameFor(const char *table_name);

/*
 * Whether a relation has such a name, or one that looks so.  It begins with
 * MAPPED_PREFIX bytes of the table's name.
 */
#define MAPPED_PREFIX	46
extern bool RelationNameIsMapped(const char *relation_name);

/* The name proposed for the relation of an index: table$index. */
extern char *IndexRelationNameFor(const char *relation_name, const char *index_name);

/* The column that holds a key attribute. */
extern char *ColumnNameFor(Slice attribute);

#endif							/* DYNAMO_NAMES_H */
