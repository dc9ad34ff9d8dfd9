/*
 * node_link.h
 *	  Calls of the extension's functions on other nodes of Citus.
 *
 * A session keeps a connection for each node and each role that it has used, with
 * prepared statements.  A call is a separate transaction on the other node: neither
 * transaction sees uncommitted changes of the other one.  The call runs with the
 * rights of the current user, and with this session's timeouts, search_path,
 * row_security and synchronous_commit.  Address and authentication come from Citus:
 * pg_dist_node, pg_dist_authinfo, citus.node_conninfo.
 */
#ifndef DYNAMO_CITUS_NODE_LINK_H
#define DYNAMO_CITUS_NODE_LINK_H

#include "citus/node_result.h"
#include "item/item.h"

typedef enum LinkFunction
{
	LINK_REQUEST,				/* dynamo_system.request_on_shard(text, text) */
	LINK_ROW,					/* dynamo_system.row_on_shard(int4, text, text, int4, bytea) */
	LINK_GET,					/* the same to read a row: (text, text, bytea) */
	LINK_ROWS,					/* dynamo_system.rows_on_shard(text, text, bytea, int4, int4, int4, int4) */
	LINK_WRITE,					/* dynamo_system.write_on_shard(int4, text, dynamo.item, text, text, dynamo.item,
								 * jsonb, text, text) */
	LINK_WRITE_ITEM,			/* the same with only the first three arguments */
	LINK_STREAM					/* dynamo_system.stream_on_shard(text, text, text, int4, text, int4, int4) */
} LinkFunction;

#define LINK_ARGS	9			/* maximum of a function */

typedef struct LinkCall
{
	int			group;			/* of nodes, as in pg_dist_node */
	LinkFunction function;
	Slice		args[LINK_ARGS];	/* in binary form; data is NULL for a null */
	bool		writes;

	/*
	 * This transaction may hold locks.  The call gives up if it does not get a
	 * lock within a second, because no node would detect a deadlock.  If this
	 * session waits for locks no longer, it fails then.
	 */
	bool		holds_locks;
} LinkCall;

/* The statement that calls a function, and the number of its arguments. */
extern const char *LinkStatement(LinkFunction function, int *nargs);

/* Whether links can be made: Citus is loaded, and libpq with it. */
extern bool LinksArePossible(void);

/*
 * Makes a call and waits for its result, which is in binary form.
 *
 * Returns false if the call has done nothing and must be made in another way: the
 * node cannot be reached, the shard is no longer there, or a lock was not granted.
 * Raises the errors of the function.  If the connection is lost during a call that
 * writes, raises an error, because the call may have been executed; if it is lost
 * during a call that reads, returns false.
 *
 * A cancel, or a timeout, cancels the call on the other node.  If a call that writes
 * has been executed by then, it was too late, and has no effect.
 */
extern bool LinkExecute(const LinkCall *call, PGresult **result);

#endif							/* DYNAMO_CITUS_NODE_LINK_H */
