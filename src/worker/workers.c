/*
 * workers.c
 *	  The workers that run as long as the server does, and their settings.
 */
#include "postgres.h"

#include <limits.h>

#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "utils/guc.h"

#include "background_worker.h"
#include "worker/lost_tables.h"
#include "worker/workers.h"

char	   *worker_database;
int			housekeeping_interval;
int			index_changes_interval;
int			stream_retention;

static bool preloaded;

#define RESTART_SECONDS	5

static void
DefineWorkerSettings(void)
{
	/* only a library that is loaded with the server may define settings for its start */
	DefineCustomStringVariable("dynamo.database",
							   "Database that the HTTP endpoint and the background workers serve.",
							   NULL, &worker_database, "postgres",
							   process_shared_preload_libraries_in_progress ? PGC_POSTMASTER : PGC_SIGHUP,
							   0, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.housekeeping_interval",
							"Time between removals of expired items and old stream records; 0 means never.",
							NULL, &housekeeping_interval, SECS_PER_MINUTE, 0, SECS_PER_DAY,
							PGC_SIGHUP, GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.index_changes_interval",
							"Time between looks for changes of distributed tables that index tables have yet to get; 0 means never.",
							NULL, &index_changes_interval, 500, 0, INT_MAX, PGC_SIGHUP, GUC_UNIT_MS,
							NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.stream_retention",
							"Minimum time for which stream records are kept.",
							NULL, &stream_retention, SECS_PER_DAY, 0, INT_MAX,
							PGC_SIGHUP, GUC_UNIT_S, NULL, NULL, NULL);
}

/* Names before 1.0, when these were settings of the endpoint; the new name goes first. */
static void
TakeFormerNames(void)
{
	static const char *const names[][2] = {
		{"dynamo.http_database", "dynamo.database"},
		{"dynamo.http_housekeeping_interval", "dynamo.housekeeping_interval"},
		{"dynamo.http_stream_retention", "dynamo.stream_retention"}
	};

	for (size_t i = 0; i < lengthof(names); i++)
	{
		const char *value = GetConfigOption(names[i][0], true, false);

		if (value == NULL)
			continue;
		ereport(WARNING,
				(errmsg("setting \"%s\" is called \"%s\" now", names[i][0], names[i][1])));
		SetConfigOption(names[i][1], value, PGC_POSTMASTER, PGC_S_DYNAMIC_DEFAULT);
	}
}

BackgroundWorker
WorkerDescribeRestarted(const char *library, const char *function, const char *type)
{
	BackgroundWorker worker = WorkerDescribe(library, function, type);

	worker.bgw_restart_time = RESTART_SECONDS;
	return worker;
}

bool
WorkersArePreloaded(void)
{
	return preloaded;
}

void
WorkersInit(void)
{
	BackgroundWorker housekeeping = WorkerDescribeRestarted("dynamo", "dynamo_housekeeping_main", HOUSEKEEPING_TYPE);

	DefineWorkerSettings();
	if (!process_shared_preload_libraries_in_progress || IsBinaryUpgrade)
		return;
	preloaded = true;
	TakeFormerNames();
	LostTablesInit();
	RegisterBackgroundWorker(&housekeeping);
}
