/*
 * object_names.h
 *	  Maps DynamoDB names to PostgreSQL identifiers.
 *
 * Relations and columns have names of at most 63 bytes; the service allows
 * 255.  A name that fits is used unchanged.  A longer one is cut and gets a
 * hash of the whole name, so that the mapping needs no catalog and is the same
 * everywhere.
 */
#ifndef DYNAMO_TABLE_OBJECT_NAMES_H
#define DYNAMO_TABLE_OBJECT_NAMES_H

#include "item/item.h"

/* The column of an index table with the number of the shard. */
#define SHARD_COLUMN	"dynamo_shard"
#define ITEM_COLUMN		"item"

/* The column with the expiry time of an item, in seconds since 1970. */
#define TTL_COLUMN		"dynamo_expires_at"

/*
 * A fixed hash function, on which stored data depend (shard numbers, mapped
 * names): 64-bit FNV-1a with a final mix.  PostgreSQL's hash_bytes depends on
 * the machine's byte order.
 */
extern uint64 StableHash(const void *bytes, size_t len, uint64 seed);

/*
 * Whether a name consists of 1-255 characters of [a-zA-Z0-9_.-]; the second
 * function raises the service's errors.
 */
#define REQUEST_NAME_MIN	3	/* requests have no shorter names, as the service */
extern bool IsResourceName(const char *name);
extern void CheckResourceName(const char *name, const char *member);

/* Returns the name of a table's relation: name itself, or palloc'd. */
extern char *RelationNameFor(const char *table_name);

/*
 * Whether a relation has a mapped name or one that looks like it.  It begins
 * with MAPPED_PREFIX bytes of the table's name.
 */
#define MAPPED_PREFIX	46
extern bool RelationNameIsMapped(const char *relation_name);

/* Proposes the name for the relation of an index: table$index. */
extern char *IndexRelationNameFor(const char *relation_name, const char *index_name);

/* Returns the column of a key attribute. */
extern char *ColumnNameFor(Slice attribute);

#endif							/* DYNAMO_TABLE_OBJECT_NAMES_H */
