/*
 * request_shard.h
 *	  Requests that the node with the shard of their item executes.
 */
#ifndef DYNAMO_REQUEST_SHARD_H
#define DYNAMO_REQUEST_SHARD_H

#include "request/operation.h"

/*
 * Has the node with the shard of its item execute a request that is a transaction of
 * its own, and appends the whole response.  Returns false if nothing was executed:
 * the item is here, or only a statement can reach it.
 */
extern bool RequestRunOnShard(const Request *request, Slice json);

/* ---- on the other node ---- */

/* Raises an error for an operation that other nodes do not send. */
extern void RequestCheckShard(const Operation *operation);

/*
 * Raises an error again for the node that sent the request, so that it can make the
 * same response of it.  The server log gets it if it would from a client of this
 * node.
 */
extern void RequestThrowToNode(ErrorData *edata) pg_attribute_noreturn();

#endif							/* DYNAMO_REQUEST_SHARD_H */
