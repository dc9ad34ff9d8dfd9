/*
 * node_link.h
 *	  Calls of the extension's functions on other nodes of Citus.
 *
 * A session keeps a connection to each node and for each role that it has needed,
 * with its statements prepared.  A call is a transaction of its own there: it is no
 * part of this session's transaction, and neither sees what the other has not
 * committed.  It runs as the current user, with that role's rights and with those
 * settings of this session that say how long statements wait and what names mean.
 * The node, its address and how to authenticate there are those of Citus:
 * pg_dist_node, pg_dist_authinfo, citus.node_conninfo.
 */
#ifndef DYNAMO_CITUS_NODE_LINK_H
#define DYNAMO_CITUS_NODE_LINK_H

#include "item/item.h"

typedef enum LinkFunction
{
	LINK_REQUEST,				/* dynamo.request_on_shard(text, text) */
	LINK_ROW,					/* dynamo.row_on_shard(int4, text, text, int4, bytea) */
	LINK_FUNCTIONS
} LinkFunction;

#define LINK_ARGS	5			/* maximum of a function */

typedef struct LinkCall
{
	int			group;			/* of nodes, as in pg_dist_node */
	LinkFunction function;
	Slice		args[LINK_ARGS];	/* in binary form */
	bool		writes;

	/*
	 * This transaction may hold locks: the call gives up when a lock is not
	 * granted within a second, because nobody would find a deadlock.
	 */
	bool		holds_locks;
} LinkCall;

/* Whether there may be links: Citus is loaded, and libpq with it. */
extern bool LinksArePossible(void);

/*
 * Makes a call and waits for its result, which is in binary form, palloc'd; data is
 * NULL for a null.
 *
 * Returns false if the call has done nothing and must be made in another way: the
 * node cannot be reached, the shard is no longer there, or a lock was not granted.
 * Raises the errors of the function.  If the connection is lost meanwhile, a call
 * that writes raises an error, because it may have been executed; one that reads
 * returns false.
 */
extern bool LinkExecute(const LinkCall *call, Slice *result);

#endif							/* DYNAMO_CITUS_NODE_LINK_H */
