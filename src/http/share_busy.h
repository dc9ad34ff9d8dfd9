/*
 * share_busy.h
 *	  New clients of a worker that is busy with a long request.
 *
 * The kernel assigns them to the worker by a hash.  They are passed on to workers
 * that are free.  If none is, those that ask for the health of the endpoint are
 * answered, so that a load balancer does not take a busy server for one that is gone.
 */
#ifndef DYNAMO_HTTP_SHARE_BUSY_H
#define DYNAMO_HTTP_SHARE_BUSY_H

/* Adds a listening socket whose clients are passed on. */
extern void BusyListen(pgsocket listening);

/* Passes new clients on.  Called by a signal handler: only system calls and static memory. */
extern void BusyPassOn(void);

/* Returns a client that nobody has taken, after the request; PGINVALID_SOCKET if there is none. */
extern pgsocket BusyTake(void);

#endif							/* DYNAMO_HTTP_SHARE_BUSY_H */
