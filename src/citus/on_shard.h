/*
 * on_shard.h
 *	  What the functions that read and write rows for other nodes of Citus share.
 */
#ifndef DYNAMO_ON_SHARD_H
#define DYNAMO_ON_SHARD_H

#include "fmgr.h"

#include "op/op.h"

/* Opens a table by the name of its relation, with the rights of the caller. */
extern void OnShardOpen(Store *store, const text *schema, const text *name, AclMode access);

/* ---- shard_filter.c ---- */

/* Returns the members of a range with a filter; it points into a palloc'd item. */
extern ValueRef FilterForShard(const ExprText *filter, const ExprArgs *args);

/* Binds the filter of a range, whose names may be missing. */
extern Condition *FilterOfShard(ValueRef range, ValueRef filter, ValueRef names);

#endif							/* DYNAMO_ON_SHARD_H */
