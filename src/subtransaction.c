/*
 * subtransaction.c
 *	  Work that may fail without failing the transaction.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "subtransaction.h"

/*
 * Whether PL/pgSQL's RAISE has made the error, with a SQLSTATE that its code has chosen.  What it
 * raises again after it caught it is not meant.
 */
static bool
IsRaisedByCode(const ErrorData *edata)
{
	return edata->funcname != NULL && strcmp(edata->funcname, "exec_stmt_raise") == 0;
}

bool
ErrorEndsSession(const ErrorData *edata)
{
	int			category = ERRCODE_TO_CATEGORY(edata->sqlerrcode);

	if (edata->elevel > ERROR)
		return true;
	return (category == ERRCODE_OPERATOR_INTERVENTION || category == ERRCODE_CONNECTION_EXCEPTION) &&
		!IsRaisedByCode(edata);
}

bool
ErrorMayPass(const ErrorData *edata)
{
	return edata->sqlerrcode == ERRCODE_T_R_DEADLOCK_DETECTED || edata->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE ||
		edata->sqlerrcode == ERRCODE_T_R_SERIALIZATION_FAILURE;
}

/*
 * Rolls back, whatever the error is: a session that is told of an error while
 * in a subtransaction takes it for one of the user's, and waits for them to
 * end it.
 */
static ErrorData *
CatchError(MemoryContext context)
{
	ErrorData  *edata;

	MemoryContextSwitchTo(context);
	edata = CopyErrorData();
	FlushErrorState();
	RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	return edata;
}

/* Runs a step in a subtransaction, which is kept only if the step succeeds, and only on request. */
static ErrorData *
RunStep(void (*step) (void *arg), void *arg, bool keep)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData  *volatile failure = NULL;

	BeginInternalSubTransaction(NULL);
	/* not the subtransaction's own context: results outlive it */
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		step(arg);
		if (keep)
			ReleaseCurrentSubTransaction();
		else
			RollbackAndReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		failure = CatchError(context);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	if (failure != NULL && ErrorEndsSession(failure))
		ReThrowError(failure);
	return failure;
}

ErrorData *
TryInSubtransaction(void (*step) (void *arg), void *arg)
{
	return RunStep(step, arg, true);
}

void
ReadInSubtransaction(void (*step) (void *arg), void *arg)
{
	ErrorData  *failure = RunStep(step, arg, false);

	if (failure != NULL)
		FreeErrorData(failure);
}
