/*
 * share.c
 *	  Distributes new connections evenly among the workers.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "catalog/pg_authid_d.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

#include "http/share.h"
#include "worker/endpoint.h"

/* Relative to the data directory, the working directory of workers.  Base backups leave out this subdirectory. */
#define SOCKET_PATH	"pg_stat_tmp/dynamo_http.%d"

/* The count of a worker that accepts no connections from others. */
#define ABSENT		PG_UINT32_MAX

/* The number of connections of each worker; ABSENT if it does not run or has no socket. */
static pg_atomic_uint32 *counts;

/* The number of waiting requests of each worker, changed by that worker only; stored behind counts. */
static pg_atomic_uint32 *waits;

/*
 * The role whose long request each worker executes; InvalidOid if there is none.
 * Changed by that worker only; stored behind waits.
 */
static pg_atomic_uint32 *holders;

/*
 * When each worker began to be held, as the number of times that any did; changed by
 * that worker only, before it sets its holder.  The last one is the next number.
 */
static pg_atomic_uint32 *turns;

/* The addresses of the workers' sockets, which a signal handler must not make. */
static struct sockaddr_un *addresses;
static int	nworkers;
static int	me;					/* from 0 on */
static pgsocket handover = PGINVALID_SOCKET;

/* ---- shared memory ---- */

static Size
ShareSize(void)
{
	return mul_size(nworkers * (3 + SHARE_WAITS) + 1, sizeof(pg_atomic_uint32));
}

void
ShareAttach(void)
{
	bool		found;

	nworkers = endpoint_workers;

	counts = ShmemInitStruct("dynamo HTTP connections", ShareSize(), &found);
	waits = counts + nworkers;
	holders = waits + nworkers * SHARE_WAITS;
	turns = holders + nworkers;
	if (found)
		return;
	for (int i = 0; i < nworkers; i++)
		pg_atomic_init_u32(&counts[i], ABSENT);
	for (int i = 0; i < nworkers * SHARE_WAITS; i++)
		pg_atomic_init_u32(&waits[i], 0);
	for (int i = 0; i < nworkers; i++)
		pg_atomic_init_u32(&holders[i], InvalidOid);
	for (int i = 0; i <= nworkers; i++)
		pg_atomic_init_u32(&turns[i], 0);
}

/* ---- waiting ---- */

static pg_atomic_uint32 *
WaitsOf(int worker, ShareWait wait)
{
	return &waits[worker * SHARE_WAITS + wait];
}

void
ShareWaiting(ShareWait wait, int change)
{
	pg_atomic_fetch_add_u32(WaitsOf(me, wait), change);
}

int
ShareWaitCount(ShareWait wait)
{
	int			n = 0;

	for (int i = 0; i < nworkers; i++)
		n += (int) pg_atomic_read_u32(WaitsOf(i, wait));
	return n;
}

/* ---- the socket ---- */

static struct sockaddr_un
AddressOf(int worker)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	snprintf(address.sun_path, sizeof(address.sun_path), SOCKET_PATH, worker + 1);
	return address;
}

static bool
BindShareSocket(pgsocket fd)
{
	struct sockaddr_un address = AddressOf(me);

	(void) unlink(address.sun_path);	/* of a worker before this one */
	return bind(fd, (struct sockaddr *) &address, sizeof(address)) == 0 &&
		chmod(address.sun_path, S_IRUSR | S_IWUSR) == 0 &&
		pg_set_noblock(fd) && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

static void
LeaveShare(int code, Datum arg)
{
	struct sockaddr_un address = AddressOf(me);

	pg_atomic_write_u32(&counts[me], ABSENT);
	pg_atomic_write_u32(&holders[me], InvalidOid);
	(void) unlink(address.sun_path);
}

pgsocket
ShareJoin(int worker)
{
	pgsocket	fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	me = worker - 1;
	for (int i = 0; i < SHARE_WAITS; i++)	/* of a worker before this one */
		pg_atomic_write_u32(WaitsOf(me, (ShareWait) i), 0);
	pg_atomic_write_u32(&holders[me], InvalidOid);
	addresses = MemoryContextAlloc(TopMemoryContext, nworkers * sizeof(struct sockaddr_un));
	for (int i = 0; i < nworkers; i++)
		addresses[i] = AddressOf(i);
	if (fd == PGINVALID_SOCKET || !BindShareSocket(fd))
	{
		ereport(LOG,
				(errcode_for_socket_access(),
				 errmsg("could not create socket for HTTP connections of other workers: %m")));
		if (fd != PGINVALID_SOCKET)
			closesocket(fd);
		return PGINVALID_SOCKET;
	}
	ReserveExternalFD();
	handover = fd;
	on_shmem_exit(LeaveShare, (Datum) 0);
	pg_atomic_write_u32(&counts[me], 0);
	return fd;
}

/* ---- places ---- */

static bool
IsPlaceHeld(int worker)
{
	return pg_atomic_read_u32(&holders[worker]) != InvalidOid;
}

/* Releases a place, unless its worker has ended. */
static void
GiveBack(int worker)
{
	uint32		count = pg_atomic_read_u32(&counts[worker]);

	while (count != ABSENT && count > 0 &&
		   !pg_atomic_compare_exchange_u32(&counts[worker], &count, count - 1))
		;
}

/* Returns the worker with the fewest connections that is not held; this one if no other has fewer. */
static int
FindLeastBusyWorker(uint32 *count)
{
	int			fewest = me;

	*count = pg_atomic_read_u32(&counts[me]);
	for (int i = 0; i < nworkers; i++)
	{
		uint32		others = pg_atomic_read_u32(&counts[i]);

		if (others < *count && !IsPlaceHeld(i))
		{
			fewest = i;
			*count = others;
		}
	}
	return fewest;
}

/* Takes a place with the worker that has the fewest connections. */
static int
TakePlace(void)
{
	for (;;)
	{
		uint32		count;
		int			worker = FindLeastBusyWorker(&count);

		if (pg_atomic_compare_exchange_u32(&counts[worker], &count, count + 1))
			return worker;
	}
}

/* ---- handing over ---- */

static bool
SendSocket(pgsocket fd, int worker)
{
	char		byte = 0;
	struct iovec part = {.iov_base = &byte, .iov_len = 1};
	union
	{
		struct cmsghdr align;
		char		room[CMSG_SPACE(sizeof(int))];
	}			control = {{0}};
	struct msghdr message = {
		.msg_name = &addresses[worker],
		.msg_namelen = sizeof(addresses[worker]),
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.room,
		.msg_controllen = sizeof(control.room),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(int));
	return sendmsg(handover, &message, MSG_NOSIGNAL) == 1;
}

/* Whether another worker runs, and all other ones are held by the role. */
bool
ShareOthersHeld(Oid role)
{
	bool		any = false;

	for (int i = 0; i < nworkers; i++)
	{
		if (i == me || pg_atomic_read_u32(&counts[i]) == ABSENT)
			continue;
		if (pg_atomic_read_u32(&holders[i]) != role)
			return false;
		any = true;
	}
	return any;
}

/* Whether this worker began to be held after all others, which are held, too. */
static bool
IsHeldLast(void)
{
	uint32		mine = pg_atomic_read_u32(&turns[me]);

	pg_read_barrier();			/* after ShareOthersHeld */
	for (int i = 0; i < nworkers; i++)
	{
		/* numbers begin again after the greatest one */
		if (pg_atomic_read_u32(&counts[i]) != ABSENT && (int32) (pg_atomic_read_u32(&turns[i]) - mine) > 0)
			return false;
	}
	return true;
}

/* Two workers that begin to be held at once may see each other only when this is called again. */
bool
ShareHold(Oid role)
{
	if (handover == PGINVALID_SOCKET)
		return false;
	if (!IsPlaceHeld(me))
	{
		pg_atomic_write_u32(&turns[me], pg_atomic_fetch_add_u32(&turns[nworkers], 1));
		pg_write_barrier();
	}
	pg_atomic_write_u32(&holders[me], OidIsValid(role) ? role : BOOTSTRAP_SUPERUSERID);
	if (!OidIsValid(role) || !ShareOthersHeld(role) || !IsHeldLast())
		return false;
	ShareRelease();
	return true;
}

void
ShareRelease(void)
{
	if (handover != PGINVALID_SOCKET)
		pg_atomic_write_u32(&holders[me], InvalidOid);
}

/* Called by a signal handler. */
bool
ShareToFree(pgsocket fd)
{
	int			worker = -1;
	uint32		fewest = ABSENT;

	if (handover == PGINVALID_SOCKET)
		return false;
	for (int i = 0; i < nworkers; i++)
	{
		uint32		count = pg_atomic_read_u32(&counts[i]);

		if (i != me && count < fewest && !IsPlaceHeld(i))
		{
			worker = i;
			fewest = count;
		}
	}
	if (worker < 0 || !pg_atomic_compare_exchange_u32(&counts[worker], &fewest, fewest + 1))
		return false;
	if (SendSocket(fd, worker))
		return true;
	GiveBack(worker);
	return false;
}

void
ShareTake(void)
{
	if (handover != PGINVALID_SOCKET)
		pg_atomic_fetch_add_u32(&counts[me], 1);
}

bool
ShareKeep(pgsocket fd)
{
	int			worker;

	if (handover == PGINVALID_SOCKET)
		return true;
	worker = TakePlace();
	if (worker == me)
		return true;
	if (SendSocket(fd, worker))
		return false;
	/* the worker has ended, or is too busy */
	GiveBack(worker);
	ShareTake();
	return true;
}

void
ShareCounts(int *workers, int *connections)
{
	*workers = 0;
	*connections = 0;
	for (int i = 0; i < nworkers; i++)
	{
		uint32		count = pg_atomic_read_u32(&counts[i]);

		if (count == ABSENT)
			continue;
		(*workers)++;
		*connections += (int) count;
	}
}

void
ShareEnd(void)
{
	if (handover != PGINVALID_SOCKET)
		GiveBack(me);
}

pgsocket
ShareReceive(void)
{
	char		byte;
	struct iovec part = {.iov_base = &byte, .iov_len = 1};
	union
	{
		struct cmsghdr align;
		char		room[CMSG_SPACE(sizeof(int))];
	}			control;
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.room,
		.msg_controllen = sizeof(control.room),
	};
	struct cmsghdr *header;
	pgsocket	fd;

	for (;;)
	{
		if (recvmsg(handover, &message, 0) < 0)
		{
			if (errno == EINTR)
				continue;
			return PGINVALID_SOCKET;
		}
		header = CMSG_FIRSTHDR(&message);
		if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
			break;
		/* the descriptor was lost: this process may have no more of them */
		ShareEnd();
		message.msg_controllen = sizeof(control.room);
	}
	memcpy(&fd, CMSG_DATA(header), sizeof(int));
	(void) fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}
