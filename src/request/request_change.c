/*
 * request_change.c
 *	  Executes the operations that change a table rather than its items.
 *
 * They take locks that exclude each other and index builds.  If a lock is not
 * available in time, the error is not a transaction conflict on an item but
 * that the table is being changed.
 */
#include "postgres.h"

#include "errors.h"
#include "request/params.h"
#include "request/request_change.h"
#include "request/resource.h"

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

void
ChangeExecute(Request *request)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		request->operation->execute(request);
	}
	PG_CATCH();
	{
		if (!IsConflict(geterrcode()))
			PG_RE_THROW();
		/* the state goes with the error that is raised instead */
		MemoryContextSwitchTo(context);
		FlushErrorState();
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_IN_USE),
				 errmsg("Attempt to change a resource which is still in use: "
						"Table is being updated: %s", ChangedTable(request))));
	}
	PG_END_TRY();
}
