/*
 * on_shard.h
 *	  What the functions that read and write rows for other nodes of Citus share; only
 *	  for row_on_shard.c and rows_on_shard.c.
 */
#ifndef DYNAMO_ON_SHARD_H
#define DYNAMO_ON_SHARD_H

#include "fmgr.h"

#include "store/store.h"

/* Opens a table by the name of its relation, with the rights of the caller. */
extern void OnShardOpen(Store *store, const text *schema, const text *name, AclMode access);

/* Reads an item in its binary form. */
extern struct varlena *OnShardItem(bytea *bytes);

#endif							/* DYNAMO_ON_SHARD_H */
