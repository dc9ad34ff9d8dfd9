/*
 * events.h
 *	  Waiting for many sockets that come and go.
 *
 * A WaitEventSet never forgets a socket.  This one does: places in it are
 * numbers that are used again, and the set beneath is built anew when too much
 * of it is of sockets that have been closed.
 */
#ifndef DYNAMO_HTTP_EVENTS_H
#define DYNAMO_HTTP_EVENTS_H

/* Starts waiting for this process's latch and for the server's end. */
extern void EventsInit(void);

/*
 * Adds a socket, to be waited for until it is readable or writeable
 * (WL_SOCKET_...); returns its place.
 */
extern int	EventsAdd(pgsocket fd, uint32 events, void *data);

/* Waits for something else; 0: for nothing, until this is called again. */
extern void EventsChange(int place, uint32 events);

/* Forgets a socket, which must be closed next. */
extern void EventsRemove(int place);

/* What is at a place; false if nothing is. */
extern bool EventsGet(int place, pgsocket *fd, void **data);

/*
 * Waits for at most timeout milliseconds (-1: as long as it takes).  Sets the
 * places where something happened; returns how many.  *latch: the latch was
 * set.
 */
extern int	EventsWait(long timeout, int *places, int max, bool *latch);

#endif							/* DYNAMO_HTTP_EVENTS_H */
