/*
 * port.c
 *	  The ports of the endpoint, of which its workers take hold together.
 */
#include "postgres.h"

#include <unistd.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "http/port.h"
#include "worker/endpoint.h"
#include "worker/permanent.h"

/* Between two warnings. */
#define WARN_MILLISECONDS	60000

typedef enum ServicePort
{
	PORT_HTTP,
	PORT_METRICS,
	PORTS
} ServicePort;

typedef struct Ports
{
	LWLock	   *lock;
	int			workers[PORTS]; /* that listen at the port */
} Ports;

/* What this process has. */
typedef struct Taken
{
	int			n;
	pgsocket	sockets[HTTP_MAX_LISTEN];
	TimestampTz warned;
} Taken;

static Ports *ports;
static Taken taken[PORTS];

void
PortAttach(void)
{
	bool		found;

	ports = ShmemInitStruct(ENDPOINT_PORT_LOCK, sizeof(Ports), &found);
	if (found)
		return;
	memset(ports, 0, sizeof(Ports));
	ports->lock = &GetNamedLWLockTranche(ENDPOINT_PORT_LOCK)->lock;
}

/*
 * Closes the sockets first, so that the next worker finds the port free.  An error can
 * have ended the process while it held the lock.
 */
static void
LeavePorts(int code, Datum arg)
{
	if (!LWLockHeldByMe(ports->lock))
		LWLockAcquire(ports->lock, LW_EXCLUSIVE);
	for (ServicePort port = 0; port < PORTS; port++)
	{
		for (int i = 0; i < taken[port].n; i++)
			closesocket(taken[port].sockets[i]);
		ports->workers[port] -= taken[port].n > 0;
		taken[port].n = 0;
	}
	LWLockRelease(ports->lock);
}

/* Whether a failure is to be told: by one worker, each minute. */
static bool
MayWarn(Taken *mine, int worker)
{
	return worker == 1 && (mine->warned == 0 ||
						   TimestampDifferenceExceeds(mine->warned, GetCurrentTimestamp(), WARN_MILLISECONDS));
}

static void
Warn(const HttpService *service, Taken *mine)
{
	mine->warned = GetCurrentTimestamp();
	ereport(WARNING,
			(errmsg("cannot listen at port %d for %s", *service->port, service->name),
			 errdetail("Messages before this one have the reason."),
			 errhint("The port is tried again every %d seconds.", PORT_RETRY / 1000)));
}

int
PortTake(const HttpService *service, pgsocket *sockets, int worker)
{
	ServicePort port = service == &metrics_service ? PORT_METRICS : PORT_HTTP;
	Taken	   *mine = &taken[port];
	bool		tell = MayWarn(mine, worker);
	static bool leaves;

	if (!leaves)
		on_shmem_exit(LeavePorts, (Datum) 0);
	leaves = true;
	LWLockAcquire(ports->lock, LW_EXCLUSIVE);
	if (ports->workers[port] > 0 || HttpPortIsFree(service, tell))
		mine->n = HttpListen(service, mine->sockets, worker == 1, tell);
	ports->workers[port] += mine->n > 0;
	LWLockRelease(ports->lock);
	if (mine->n == 0 && tell)
		Warn(service, mine);
	memcpy(sockets, mine->sockets, mine->n * sizeof(pgsocket));
	return mine->n;
}

int
PortAwait(const HttpService *service, pgsocket *sockets, int worker)
{
	int			n;

	while ((n = PortTake(service, sockets, worker)) == 0)
	{
		pgstat_report_activity(STATE_RUNNING, "waiting for the HTTP port");
		PermanentWorkerSleep(PORT_RETRY);
	}
	pgstat_report_activity(STATE_IDLE, "");
	return n;
}
