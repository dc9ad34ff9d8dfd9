/*
 * share.h
 *	  Distributes new connections evenly among the workers.
 *
 * The kernel assigns a new connection to a worker by a hash of its addresses.
 * That worker hands the connection over to the worker with the fewest
 * connections, through a socket in the data directory, which only the server's
 * user can access.  The number of connections of each worker is in shared
 * memory.  A place is taken before a connection is sent, so that two workers
 * do not choose the same one.
 */
#ifndef DYNAMO_HTTP_SHARE_H
#define DYNAMO_HTTP_SHARE_H

/* Finds shared memory, while AddinShmemInitLock is held. */
extern void ShareAttach(void);

/*
 * Registers a worker, numbered from 1.  Returns the socket for connections
 * from other workers, or PGINVALID_SOCKET after logging an error; the worker
 * then keeps all connections from the kernel.
 */
extern pgsocket ShareJoin(int worker);

/*
 * Takes a place for a new connection.  Returns true if this worker keeps the
 * connection; false if it was handed over, so that the caller must close its
 * own descriptor.
 */
extern bool ShareKeep(pgsocket fd);

/* Takes a place for a connection that stays with this worker. */
extern void ShareTake(void);

/*
 * Workers with a long request are held by its role.  One role never holds all of them
 * for long: ShareHold marks this worker as held, or returns true if its request must be
 * given up, which is the one that became long last.  For signal handlers, as is ShareToFree.
 */
extern bool ShareHold(Oid role);
extern void ShareRelease(void);

/* Whether the role holds all workers but this one. */
extern bool ShareOthersHeld(Oid role);

/* Hands a connection without a place over to a worker that is not held; false if there is none. */
extern bool ShareToFree(pgsocket fd);

/* What requests of this worker can wait for. */
typedef enum ShareWait
{
	WAIT_FOR_LOCK,				/* of another transaction */
	WAIT_FOR_COMMIT,			/* until it is durable */
	SHARE_WAITS
} ShareWait;

/* A request of this worker begins to wait (1), or ends (-1). */
extern void ShareWaiting(ShareWait wait, int change);

/* Counts the requests of all workers that wait. */
extern int	ShareWaitCount(ShareWait wait);

/* Counts the workers that accept connections, and their connections. */
extern void ShareCounts(int *workers, int *connections);

/* Releases a place: a connection of this worker has ended. */
extern void ShareEnd(void);

/*
 * Returns the next connection from other workers, for which a place has been
 * taken; PGINVALID_SOCKET if there is none.
 */
extern pgsocket ShareReceive(void);

#endif							/* DYNAMO_HTTP_SHARE_H */
