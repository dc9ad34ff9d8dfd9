/*
 * remote.c
 *	  Runs statements over connections of Citus.
 *
 * This file does what the executor of Citus does for a statement on one shard.  It uses
 * the connection that has already accessed the shard in this transaction, if there is
 * one.  A failure of the connection fails the transaction.  The commit has two phases
 * as soon as a second connection writes.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "fmgr.h"
#include "utils/builtins.h"

#include "citus/address.h"
#include "citus/remote.h"

/* A connection's flag, a degree of modification, and a kind of access, of Citus. */
enum
{
	FOR_DML = 4,
	XACT_MODIFICATION_DATA = 2,
	PLACEMENT_ACCESS_DML = 1
};

/* What a connection of Citus begins with. */
typedef struct MultiConnection
{
	char		host[255];
	int32		port;
} MultiConnection;

typedef struct ShardPlacement ShardPlacement;

/* An access of Citus. */
typedef struct PlacementAccess
{
	ShardPlacement *place;
	int			kind;
} PlacementAccess;

static struct
{
	bool		looked_up;
	bool		found;			/* all of them */
	int		   *modified;
	bool		(*begun) (void);
	void		(*check_nesting) (bool remote);
	void		(*coordinate) (void);
	void		(*prepare) (void);
	ShardPlacement *(*place) (int64 shard, bool missing_ok);
	MultiConnection *(*connect) (uint32 flags, ShardPlacement *place, const char *user);
	MultiConnection *(*find) (int flags, List *accesses, const char *user);
	bool		(*has_written) (MultiConnection *connection);
	void		(*mark_critical) (MultiConnection *connection);
	void		(*begin) (MultiConnection *connection);
	int			(*send) (MultiConnection *connection, const char *command, int nargs, const Oid *types,
						 const char *const *values, bool binary);
	PGresult   *(*receive) (MultiConnection *connection, bool interruptible);
	void		(*finish) (MultiConnection *connection);
}			citus;

/* Finds a function, or a variable; notes if there is none. */
static void *
FindConnectionSymbol(const char *name)
{
	void	   *symbol = load_external_function("$libdir/citus", name, false, NULL);

	if (symbol == NULL)
		citus.found = false;
	return symbol;
}

static void
FindConnectionFunctions(void)
{
	citus.looked_up = true;
	citus.found = PQresultStatus != NULL;
	if (!citus.found)
		return;
	citus.modified = FindConnectionSymbol("XactModificationLevel");
	citus.begun = FindConnectionSymbol("InCoordinatedTransaction");
	citus.check_nesting = FindConnectionSymbol("EnsureTaskExecutionAllowed");
	citus.coordinate = FindConnectionSymbol("UseCoordinatedTransaction");
	citus.prepare = FindConnectionSymbol("Use2PCForCoordinatedTransaction");
	citus.place = FindConnectionSymbol("ActiveShardPlacement");
	citus.connect = FindConnectionSymbol("GetPlacementConnection");
	citus.find = FindConnectionSymbol("GetConnectionIfPlacementAccessedInXact");
	citus.has_written = FindConnectionSymbol("ConnectionModifiedPlacement");
	citus.mark_critical = FindConnectionSymbol("MarkRemoteTransactionCritical");
	citus.begin = FindConnectionSymbol("RemoteTransactionBeginIfNecessary");
	citus.send = FindConnectionSymbol("SendRemoteCommandParams");
	citus.receive = FindConnectionSymbol("GetRemoteCommandResult");
	citus.finish = FindConnectionSymbol("ForgetResults");
}

bool
RemoteIsPossible(void)
{
	if (!citus.looked_up)
		FindConnectionFunctions();
	return citus.found && !IsInParallelMode() && !RecoveryInProgress();
}

bool
RemoteHasBegun(void)
{
	return citus.begun();
}

void
RemoteCheckNesting(void)
{
	citus.check_nesting(true);
}

bool
RemoteLeadsTo(int64 shard, int group)
{
	PlacementAccess access = {citus.place(shard, false), PLACEMENT_ACCESS_DML};
	const MultiConnection *connection = citus.find(0, list_make1(&access), NULL);

	return connection == NULL || IsAddressOfGroup(group, connection->host, connection->port);
}

/* ---- calls ---- */

/* Chooses a commit in two phases if a connection to another place has written. */
static void
PrepareForSecondWriter(ShardPlacement *place)
{
	if (*citus.modified == XACT_MODIFICATION_DATA && !citus.has_written(citus.connect(0, place, NULL)))
		citus.prepare();
	*citus.modified = XACT_MODIFICATION_DATA;
}

/* Returns the connection to the node with a shard, in a transaction. */
static MultiConnection *
ConnectToShard(int64 shard, bool writes)
{
	ShardPlacement *place = citus.place(shard, false);
	MultiConnection *connection;

	citus.coordinate();
	if (writes)
		PrepareForSecondWriter(place);
	connection = citus.connect(writes ? FOR_DML : 0, place, NULL);
	citus.begin(connection);
	citus.mark_critical(connection);
	return connection;
}

char *
RemoteBytes(const char *data, int len)
{
	char	   *text = palloc((Size) 2 * len + 3);
	uint64		written = hex_encode(data, len, text + 2);

	text[0] = '\\';
	text[1] = 'x';
	text[written + 2] = '\0';
	return text;
}

PGresult *
RemoteExecute(int64 shard, bool writes, const char *statement, int nargs, const char *const *args)
{
	MultiConnection *connection = ConnectToShard(shard, writes);
	PGresult   *result;

	if (!citus.send(connection, statement, nargs, NULL, args, true))
		ereport(ERROR,
				(errcode(ERRCODE_CONNECTION_FAILURE),
				 errmsg("connection to another node of Citus was lost")));
	result = citus.receive(connection, true);
	if (result == NULL || PQresultStatus(result) != PGRES_TUPLES_OK)
		NodeError(result);
	citus.finish(connection);
	return result;
}
