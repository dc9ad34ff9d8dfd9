/*
 * worker.c
 *	  The main loop of a background worker of the HTTP endpoint.
 *
 * A worker is restarted some seconds after it ended for any reason: terminated
 * by an administrator, a missing database, a port in use.
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
#include "http/request_watch.h"
#include "http/settings.h"
#include "http/share.h"
#include "http/share_busy.h"
#include "http/tls.h"
#include "http/worker.h"

/* As many as a worker has clients, unless the settings say otherwise. */
#define MAX_EVENTS	256

/* Stand for the socket by which other workers hand over connections, and for those of metrics. */
static char from_workers;
static char for_metrics;

/*
 * While a request is executed all others of the worker wait.  So none may wait
 * long for a lock, or run for ever, unless somebody has said that it may.
 */
static void
SetDefaults(void)
{
	SetConfigOption("lock_timeout", "2s", PGC_USERSET, PGC_S_DYNAMIC_DEFAULT);
	SetConfigOption("statement_timeout", "30s", PGC_USERSET, PGC_S_DYNAMIC_DEFAULT);
	SetConfigOption("application_name", "dynamo http", PGC_USERSET, PGC_S_DYNAMIC_DEFAULT);
}

/* Listens for a service; data identifies its sockets.  Returns whether there are any. */
static bool
ListenForService(const HttpService *service, void *data)
{
	pgsocket	sockets[HTTP_MAX_LISTEN];
	int			number = DatumGetInt32(MyBgworkerEntry->bgw_main_arg);
	int			n = HttpListen(service, sockets, number == 1);

	for (int i = 0; i < n; i++)
	{
		(void) EventsAdd(sockets[i], WL_SOCKET_READABLE, data);
		if (service == &http_service)
			BusyListen(sockets[i]);
	}
	return n > 0;
}

static void
ListenOrExit(void)
{
	if (!ListenForService(&http_service, NULL))
		ereport(FATAL,
				(errmsg("could not create any TCP/IP sockets for HTTP")));
	if (metrics_offered)
		(void) ListenForService(&metrics_service, &for_metrics);
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
	QueryCancelPending = false;
	CHECK_FOR_INTERRUPTS();
	if (catchupInterruptPending)
		ProcessCatchupInterrupt();
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
		SetDefaults();
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
						 ReportStatistics(n == 0 && !more));
	}
}

void
dynamo_http_worker_main(Datum arg)
{
	pqsignal(SIGTERM, die);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnection(http_database, NULL, 0);
	SetDefaults();
	pgstat_report_activity(STATE_IDLE, NULL);
	RequestWatchInit();
	DurabilityInit(DatumGetInt32(MyBgworkerEntry->bgw_main_arg));
	if (http_tls != HTTP_TLS_OFF)
		TlsLoad();
	EventsInit();
	ListenOrExit();
	JoinOthers();
	ServeClients();
}
