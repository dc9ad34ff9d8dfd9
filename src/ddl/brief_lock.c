/*
 * brief_lock.c
 *	  Attempts to take locks, each of which waits a short time.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/wait_event.h"

#include "ddl/brief_lock.h"
#include "subtransaction.h"

#define LOCK_MILLISECONDS	50
#define PAUSE_MILLISECONDS	200
#define LOCK_TRIES			120

typedef struct Attempt
{
	void		(*action) (void *arg);
	void	   *arg;
} Attempt;

/* A step of TryInSubtransaction. */
static void
RunAttempt(void *arg)
{
	const Attempt *attempt = arg;
	int			level = NewGUCNestLevel();

	(void) set_config_option("lock_timeout", psprintf("%d", LOCK_MILLISECONDS), PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	attempt->action(attempt->arg);
	AtEOXact_GUC(false, level);
}

void
RunWithBriefLocks(void (*action) (void *arg), void *arg)
{
	Attempt		attempt = {action, arg};
	ErrorData  *error;

	for (int i = 1; (error = TryInSubtransaction(RunAttempt, &attempt)) != NULL; i++)
	{
		if (error->sqlerrcode != ERRCODE_LOCK_NOT_AVAILABLE || i == LOCK_TRIES)
			ReThrowError(error);
		FreeErrorData(error);
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 PAUSE_MILLISECONDS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}
