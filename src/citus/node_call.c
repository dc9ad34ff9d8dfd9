/*
 * node_call.c
 *	  Makes calls over a link, or over a connection of Citus.
 */
#include "postgres.h"

#include "access/xact.h"
#include "port/pg_bswap.h"

#include "citus/node_call.h"
#include "citus/remote.h"

static const char *
ArgAsText(const NodeArg *arg)
{
	switch (arg->type)
	{
		case NODE_ARG_INTEGER:
			return psprintf("%d", arg->integer);
		case NODE_ARG_TEXT:
			return pnstrdup(arg->bytes.data, arg->bytes.len);
		case NODE_ARG_BYTES:
			break;
	}
	return RemoteBytes(arg->bytes.data, (int) arg->bytes.len);
}

static Slice
ArgAsBinary(const NodeArg *arg)
{
	uint32	   *integer;

	if (arg->type != NODE_ARG_INTEGER)
		return arg->bytes;
	integer = palloc(sizeof(uint32));
	*integer = pg_hton32((uint32) arg->integer);
	return (Slice) {(const char *) integer, sizeof(uint32)};
}

PGresult *
NodeCallInTransaction(const NodeCall *call, bool writes)
{
	const char *args[LINK_ARGS];
	int			nargs;
	const char *statement = LinkStatement(call->function, &nargs);

	for (int i = 0; i < nargs; i++)
		args[i] = ArgAsText(&call->args[i]);
	return RemoteExecute(call->shard, writes, statement, nargs, args);
}

static bool
CallOverLink(const NodeCall *call, PGresult **result)
{
	LinkCall	link = {.group = call->group, .function = call->function, .holds_locks = true};
	int			nargs;

	(void) LinkStatement(call->function, &nargs);
	for (int i = 0; i < nargs; i++)
		link.args[i] = ArgAsBinary(&call->args[i]);
	return LinkExecute(&link, result);
}

bool
NodeCallRead(const NodeCall *call, PGresult **result)
{
	if (!RemoteHasBegun())
		return !IsolationUsesXactSnapshot() && CallOverLink(call, result);
	*result = NodeCallInTransaction(call, false);
	return true;
}
