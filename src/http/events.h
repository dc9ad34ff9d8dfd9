/*
 * events.h
 *	  Waits for many sockets that are added and removed.
 *
 * A WaitEventSet cannot remove sockets.  Here, places in the set are reused,
 * and the underlying set is rebuilt when too many of its sockets have been
 * closed.
 */
#ifndef DYNAMO_HTTP_EVENTS_H
#define DYNAMO_HTTP_EVENTS_H

/* Starts waiting for this process's latch and for the postmaster's death. */
extern void EventsInit(void);

/*
 * Adds a socket that is waited for until it is readable or writeable
 * (WL_SOCKET_...); returns its place.
 */
extern int	EventsAdd(pgsocket fd, uint32 events, void *data);

/* Changes the awaited event; 0 for none until the next call. */
extern void EventsChange(int place, uint32 events);

/* Removes a socket, which the caller must close next. */
extern void EventsRemove(int place);

/* The owner of a place; false if the place is free. */
extern bool EventsGet(int place, pgsocket *fd, void **data);

/* Whether an event has occurred at a socket. */
extern bool EventsArePending(void);

/*
 * Waits for at most timeout milliseconds (-1: without limit).  Sets the places
 * where events occurred; returns their number.  *latch: the latch was set.
 */
extern int	EventsWait(long timeout, int *places, int max, bool *latch);

#endif							/* DYNAMO_HTTP_EVENTS_H */
