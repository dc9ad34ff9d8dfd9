/*
 * node_call.h
 *	  Calls of the extension's functions for one shard, on the node that has it.
 *
 * A call that writes is part of this session's transaction, over a connection of Citus
 * (remote.h).  So is one that reads, once the transaction has used such a connection;
 * before that, no node has changes of this transaction to show, and a link
 * (node_link.h) answers faster.
 */
#ifndef DYNAMO_CITUS_NODE_CALL_H
#define DYNAMO_CITUS_NODE_CALL_H

#include "lib/stringinfo.h"

#include "citus/node_link.h"

typedef enum NodeArgType
{
	NODE_ARG_INTEGER,
	NODE_ARG_TEXT,
	NODE_ARG_BYTES
} NodeArgType;

typedef struct NodeArg
{
	NodeArgType type;
	int32		integer;
	Slice		bytes;			/* of a text, in the database's encoding, or of a bytea */
} NodeArg;

typedef struct NodeCall
{
	int64		shard;
	int			group;			/* of nodes, that has the shard */
	LinkFunction function;
	NodeArg		args[LINK_ARGS];
} NodeCall;

static inline NodeArg
NodeInteger(int32 value)
{
	return (NodeArg) {.type = NODE_ARG_INTEGER, .integer = value};
}

static inline NodeArg
NodeText(const char *text)
{
	return (NodeArg) {.type = NODE_ARG_TEXT, .bytes = SliceOf(text)};
}

static inline NodeArg
NodeBytes(const StringInfoData *bytes)
{
	return (NodeArg) {.type = NODE_ARG_BYTES, .bytes = {bytes->data, (uint32) bytes->len}};
}

/* Makes a call in this transaction and returns its result, as RemoteExecute does. */
extern PGresult *NodeCallInTransaction(const NodeCall *call, bool writes);

/*
 * Makes a call that only reads.  Returns false if it must be made in another way: the
 * node cannot be reached by a link, or the snapshot of this transaction is needed.
 */
extern bool NodeCallRead(const NodeCall *call, PGresult **result);

#endif							/* DYNAMO_CITUS_NODE_CALL_H */
