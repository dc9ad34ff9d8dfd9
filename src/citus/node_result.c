/*
 * node_result.c
 *	  Values and errors of other nodes.
 */
#include "postgres.h"

#include "citus/node_result.h"

static char *
ErrorField(const PGresult *result, int field)
{
	const char *text = PQresultErrorField(result, field);

	return text != NULL ? pstrdup(text) : NULL;
}

int
NodeErrorCode(const PGresult *result)
{
	const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	return code != NULL && strlen(code) == 5 ?
		MAKE_SQLSTATE(code[0], code[1], code[2], code[3], code[4]) : ERRCODE_CONNECTION_FAILURE;
}

/* The detail may contain an item. */
void
NodeError(PGresult *result)
{
	int			sqlstate = NodeErrorCode(result);
	char	   *message = ErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	char	   *detail = ErrorField(result, PG_DIAG_MESSAGE_DETAIL);
	char	   *hint = ErrorField(result, PG_DIAG_MESSAGE_HINT);

	PQclear(result);
	ereport(ERROR,
			(errcode(sqlstate),
			 errmsg_internal("%s", message != NULL ? message : "another node of Citus has not answered"),
			 detail != NULL ? errdetail_internal("%s", detail) : 0,
			 detail != NULL ? errdetail_log("The detail is not written to the log.") : 0,
			 hint != NULL ? errhint("%s", hint) : 0));
}

Slice
NodeValue(PGresult *result)
{
	Slice		value = {NULL, 0};

	if (PQntuples(result) == 1 && PQnfields(result) == 1 && !PQgetisnull(result, 0, 0))
	{
		value.len = (uint32) PQgetlength(result, 0, 0);
		value.data = memcpy(palloc(value.len + 1), PQgetvalue(result, 0, 0), value.len);
	}
	PQclear(result);
	return value;
}

static void
ClearResult(void *result)
{
	PQclear(result);
}

void
NodeValuesInit(NodeValues *values, PGresult *result)
{
	MemoryContextCallback *callback = palloc(sizeof(MemoryContextCallback));

	callback->func = ClearResult;
	callback->arg = result;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	*values = (NodeValues) {.result = PQnfields(result) == 1 ? result : NULL};
}

Slice
NodeNextValue(NodeValues *values)
{
	int			row = values->next++;

	if (row >= PQntuples(values->result) || PQgetisnull(values->result, row, 0))
		return (Slice) {NULL, 0};
	return (Slice) {PQgetvalue(values->result, row, 0), (uint32) PQgetlength(values->result, row, 0)};
}
