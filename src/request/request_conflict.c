/*
 * request_conflict.c
 *	  Executes an operation and converts conflicts on locks.
 *
 * A lock that is not granted (in time, without a deadlock, to a transaction that
 * still sees the current row) is a TransactionConflictException, unless the
 * operation says it otherwise: a write transaction is canceled by the action
 * that waited, and a table that others change, or build an index on, is in use.
 */
#include "postgres.h"

#include "errors.h"
#include "request/params.h"
#include "request/request_conflict.h"
#include "request/request_hook.h"
#include "request/resource.h"
#include "request/transaction.h"

void		(*request_hook) (Request *request);

static const char *
ChangedTable(const Request *request)
{
	const char *member = request->operation->changes;

	if (strcmp(member, "ResourceArn") == 0)
		return ResourceTable(FieldString(request->input, member));
	return TableNameOf(FieldSlice(request->input, member));
}

static bool
IsConflict(int sqlstate)
{
	return DynamoExceptionForSqlstate(sqlstate)->sqlstate == ERRCODE_DYNAMO_TRANSACTION_CONFLICT;
}

static void
ConflictError(const Request *request)
{
	if (request->transaction != NULL)
		TransactionConflictError(request->transaction);
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_RESOURCE_IN_USE),
			 errmsg("Attempt to change a resource which is still in use: "
					"Table is being updated: %s", ChangedTable(request))));
}

/*
 * PostgreSQL reports a conflict on a lock by an error only, which is caught here.
 * No subtransaction is needed, because another error is raised in its place.
 */
void
ConflictExecute(Request *request)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		if (request_hook != NULL)
			request_hook(request);
		else
			request->operation->execute(request);
	}
	PG_CATCH();
	{
		if (!IsConflict(geterrcode()) ||
			(request->transaction == NULL && request->operation->changes == NULL))
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		ConflictError(request);
	}
	PG_END_TRY();
}
