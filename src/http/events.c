/*
 * events.c
 *	  Waits for many sockets that are added and removed.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "http/events.h"

/* Events other than sockets: the latch and the postmaster's death. */
#define FIXED_EVENTS	2
#define LATCH_PLACE		(-1)
#define MIN_EVENTS		64
#define MAX_OCCURRED	256

/*
 * epoll and kqueue forget a socket when it is closed.  Its place in the set then
 * only takes room.  poll would report it.
 */
#if defined(HAVE_SYS_EPOLL_H) || defined(HAVE_KQUEUE)
#define CLOSED_SOCKETS_ARE_SILENT true
#else
#define CLOSED_SOCKETS_ARE_SILENT false
#endif

typedef struct Place
{
	pgsocket	fd;				/* PGINVALID_SOCKET: free */
	uint32		events;
	void	   *data;
	int			position;		/* in the set; of a free place, the next free
								 * one */
} Place;

static Place *places;
static int	nplaces;
static int	first_free = -1;
static int	nused;

static WaitEventSet *set;
static int	set_size;
static int	set_used;			/* with those of closed sockets */
static bool set_is_stale;

static void
AddToSet(int place)
{
	places[place].position = AddWaitEventToSet(set, places[place].events, places[place].fd,
											   NULL, (void *) (intptr_t) place);
	set_used++;
}

static void
BuildWaitSet(void)
{
	if (set != NULL)
		FreeWaitEventSet(set);
	set = NULL;
	set_size = Max(MIN_EVENTS, 2 * nused) + FIXED_EVENTS;
	set = CreateSessionWaitEventSet(set_size);
	AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch,
					  (void *) (intptr_t) LATCH_PLACE);
	AddWaitEventToSet(set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL,
					  (void *) (intptr_t) LATCH_PLACE);
	set_used = FIXED_EVENTS;
	set_is_stale = false;
	for (int i = 0; i < nplaces; i++)
	{
		if (places[i].fd != PGINVALID_SOCKET && places[i].events != 0)
			AddToSet(i);
	}
}

void
EventsInit(void)
{
	BuildWaitSet();
}

/* A free place, from more room if need be. */
static int
MakePlace(void)
{
	int			place = first_free;

	if (place < 0)
	{
		int			more = nplaces == 0 ? MIN_EVENTS : 2 * nplaces;

		places = places == NULL ?
			MemoryContextAlloc(TopMemoryContext, more * sizeof(Place)) :
			repalloc(places, more * sizeof(Place));
		for (int i = more - 1; i >= nplaces; i--)
		{
			places[i].fd = PGINVALID_SOCKET;
			places[i].position = first_free;
			first_free = i;
		}
		nplaces = more;
		place = first_free;
	}
	first_free = places[place].position;
	return place;
}

int
EventsAdd(pgsocket fd, uint32 events, void *data)
{
	int			place = MakePlace();

	places[place].fd = fd;
	places[place].events = events;
	places[place].data = data;
	nused++;
	if (set_is_stale || set_used == set_size)
		BuildWaitSet();
	else
		AddToSet(place);
	return place;
}

void
EventsChange(int place, uint32 events)
{
	uint32		before = places[place].events;

	if (before == events)
		return;
	places[place].events = events;
	/* a set cannot contain sockets without an event */
	if (before == 0 || events == 0)
		set_is_stale = true;
	else if (!set_is_stale)
		ModifyWaitEvent(set, places[place].position, events, NULL);
}

void
EventsRemove(int place)
{
	places[place].fd = PGINVALID_SOCKET;
	places[place].data = NULL;
	places[place].position = first_free;
	first_free = place;
	nused--;
	set_is_stale |= !CLOSED_SOCKETS_ARE_SILENT;
}

bool
EventsGet(int place, pgsocket *fd, void **data)
{
	*fd = places[place].fd;
	*data = places[place].data;
	return *fd != PGINVALID_SOCKET;
}

int
EventsWait(long timeout, int *places, int max, bool *latch)
{
	WaitEvent	occurred[MAX_OCCURRED];
	int			n;
	int			found = 0;

	if (set_is_stale)
		BuildWaitSet();
	n = WaitEventSetWait(set, timeout, occurred, Min(max, MAX_OCCURRED), PG_WAIT_EXTENSION);
	*latch = false;
	for (int i = 0; i < n; i++)
	{
		int			place = (int) (intptr_t) occurred[i].user_data;

		if (place == LATCH_PLACE)
			*latch = true;
		else
			places[found++] = place;
	}
	return found;
}

/* While the latch is set, WaitEventSetWait does not report sockets.  The latch remains set. */
bool
EventsArePending(void)
{
	int			place;
	bool		latch;
	int			n = EventsWait(0, &place, 1, &latch);

	if (latch)
	{
		ResetLatch(MyLatch);
		n = EventsWait(0, &place, 1, &latch);
		SetLatch(MyLatch);
	}
	return n > 0;
}
