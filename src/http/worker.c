/*
 * worker.c
 *	  The main loop of a background worker of the HTTP endpoint.
 *
 * A worker is restarted some seconds after it ended for any reason, such as a missing
 * database or an administrator.  It waits for a port in use (port.h).
 */
#include "postgres.h"

#include <signal.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/latch.h"
#include "storage/sinval.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#include "http/accept.h"
#include "http/access_key.h"
#include "http/connection.h"
#include "http/durability.h"
#include "http/events.h"
#include "http/listen.h"
#include "http/port.h"
#include "http/request_watch.h"
#include "http/share.h"
#include "http/share_busy.h"
#include "http/tls.h"
#include "http/worker.h"
#include "worker/endpoint.h"
#include "worker/permanent.h"

/* As many as a worker has clients, unless the settings say otherwise. */
#define MAX_EVENTS	256

/* Stand for the socket by which other workers hand over connections, and for those of metrics. */
static char from_workers;
static char for_metrics;

/*
 * While a request is executed all others of the worker wait.  So none may wait
 * long for a lock, or run for ever, unless somebody has said that it may.
 */
static const PermanentWorker http_worker = {"dynamo http", "2s", "30s"};

static void
WatchSockets(const pgsocket *sockets, int n, void *data)
{
	for (int i = 0; i < n; i++)
		(void) EventsAdd(sockets[i], WL_SOCKET_READABLE, data);
}

static void
ListenForClients(void)
{
	pgsocket	sockets[HTTP_MAX_LISTEN];
	int			n = PortAwait(&http_service, sockets, DatumGetInt32(MyBgworkerEntry->bgw_main_arg));

	WatchSockets(sockets, n, NULL);
	for (int i = 0; i < n; i++)
		BusyListen(sockets[i]);
}

/*
 * Listens for metrics if they are wanted; returns the milliseconds until the next
 * attempt, -1 if there is none.
 */
static long
ListenForMetrics(void)
{
	static TimestampTz next;
	static bool listens;
	pgsocket	sockets[HTTP_MAX_LISTEN];
	TimestampTz now = GetCurrentTimestamp();
	int			n;

	if (listens || metrics_port == 0)
		return -1;
	if (now < next)
		return TimestampDifferenceMilliseconds(now, next);
	n = PortTake(&metrics_service, sockets, DatumGetInt32(MyBgworkerEntry->bgw_main_arg));
	WatchSockets(sockets, n, &for_metrics);
	listens = n > 0;
	next = TimestampTzPlusMilliseconds(now, PORT_RETRY);
	return listens ? -1 : PORT_RETRY;
}

/*
 * What signals have asked for.  No request is running: a cancellation is meant
 * for those that wait for locks.
 */
static void
HandleInterrupts(void)
{
	if (QueryCancelPending)
		ConnectionsStopRetrying();
	if (catchupInterruptPending)
		ProcessCatchupInterrupt();
	if (PermanentWorkerHandleInterrupts())
	{
		if (http_tls != HTTP_TLS_OFF)
			TlsLoad();
		ConnectionsRestartTimeouts();
		AccessKeysReload();
	}
}

static void
JoinOthers(void)
{
	pgsocket	handover = ShareJoin(DatumGetInt32(MyBgworkerEntry->bgw_main_arg));

	if (handover != PGINVALID_SOCKET)
		(void) EventsAdd(handover, WL_SOCKET_READABLE, &from_workers);
}

static void
HandleEvent(int place)
{
	pgsocket	fd;
	void	   *connection;

	if (!EventsGet(place, &fd, &connection))
		return;
	if (connection == NULL)
		AcceptClients(fd);
	else if (connection == &from_workers)
		AcceptFromWorkers();
	else if (connection == &for_metrics)
		AcceptForMetrics(fd);
	else
		ConnectionContinue(connection);
}

/* Returns the shorter of two times to wait; -1 means no limit. */
static long
ChooseSooner(long a, long b)
{
	if (a < 0 || b < 0)
		return Max(a, b);
	return Min(a, b);
}

/*
 * Sends counters to the statistics at a session's pace; returns when to do so
 * again.
 */
static long
ReportStatistics(bool waited)
{
	static TimestampTz pending_since = 0;
	long		timeout;

	if (waited && pending_since == 0)
		return -1;
	timeout = pgstat_report_stat(pending_since != 0 &&
								 TimestampDifferenceExceeds(pending_since, GetCurrentTimestamp(), 1000));
	if (timeout <= 0)
	{
		pending_since = 0;
		return -1;
	}
	if (pending_since == 0)
		pending_since = GetCurrentTimestamp();
	return timeout;
}

static void
ServeClients(void)
{
	long		timeout = 0;
	bool		more = false;

	for (;;)
	{
		int			places[MAX_EVENTS];
		bool		latch;
		long		retry;
		long		release;
		int			n = EventsWait(more ? 0 : timeout, places, MAX_EVENTS, &latch);
		TimestampTz asked = GetCurrentTimestamp();

		if (latch)
			ResetLatch(MyLatch);
		if (latch || InterruptPending || ConfigReloadPending)
			HandleInterrupts();
		for (int i = 0; i < n; i++)
			HandleEvent(places[i]);
		ConnectionsServeWaiting();
		AcceptKept();
		ConnectionsGiveBackMemory();
		retry = ChooseSooner(ConnectionsRetry(), ConnectionsResume());
		release = ConnectionsRelease();
		more = ConnectionsAreWaiting();
		timeout = ChooseSooner(ChooseSooner(ConnectionsExpire(asked), ChooseSooner(retry, release)),
						 ChooseSooner(ListenForMetrics(), ReportStatistics(n == 0 && !more)));
	}
}

void
dynamo_http_worker_main(Datum arg)
{
	PermanentWorkerStart(&http_worker);
	RequestWatchInit();
	DurabilityInit(DatumGetInt32(MyBgworkerEntry->bgw_main_arg));
	if (http_tls != HTTP_TLS_OFF)
		TlsLoad();
	EventsInit();
	ListenForClients();
	JoinOthers();
	ServeClients();
}
