/*
 * progress.c
 *	  Progress of long work, for the view dynamo.stat_progress.
 */
#include "postgres.h"

#include "commands/progress.h"
#include "utils/backend_progress.h"

#include "stat/progress.h"

/* Rows between reports. */
#define REPORTED_ROWS	100

static int64 rows_done;

void
ProgressBegin(ProgressCommand command, Oid relation, double rows)
{
	rows_done = 0;
	pgstat_progress_start_command(PROGRESS_COMMAND_COPY, relation);
	pgstat_progress_update_param(PROGRESS_PARAM_COMMAND, command);
	pgstat_progress_update_param(PROGRESS_PARAM_ROWS_TOTAL, (int64) Max(rows, 0));
}

void
ProgressRow(void)
{
	if (++rows_done % REPORTED_ROWS == 0)
		pgstat_progress_update_param(PROGRESS_COPY_TUPLES_PROCESSED, rows_done);
}

void
ProgressEnd(void)
{
	pgstat_progress_end_command();
}
