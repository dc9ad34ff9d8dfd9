/*
 * share.h
 *	  Sharing new connections out evenly among the workers.
 *
 * The kernel gives a new connection to one of the workers by a hash of its
 * addresses.  That worker hands it over to the one that has the fewest, through
 * a socket in the data directory, which only the server's user can reach.  How
 * many each has is counted in shared memory; a place is taken before the
 * connection is sent, so that two workers do not choose the same.
 */
#ifndef DYNAMO_HTTP_SHARE_H
#define DYNAMO_HTTP_SHARE_H

/* Asks for shared memory; in the postmaster. */
extern void ShareInit(int workers);

/*
 * Lets a worker, numbered from 1 on, take part.  Returns the socket by which
 * connections come from the others; PGINVALID_SOCKET if that failed, which is
 * logged: then it keeps what the kernel gives it.
 */
extern pgsocket ShareJoin(int worker);

/*
 * Takes a place for a new connection.  True: this worker keeps it.  False: it
 * was handed over, and the caller closes its own descriptor.
 */
extern bool ShareKeep(pgsocket fd);

/* Gives a place back: a connection of this worker has ended. */
extern void ShareEnd(void);

/*
 * The next connection from the others, for which a place is taken already;
 * PGINVALID_SOCKET if there is none.
 */
extern pgsocket ShareReceive(void);

#endif							/* DYNAMO_HTTP_SHARE_H */
