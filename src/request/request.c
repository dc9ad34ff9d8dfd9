/*
 * request.c
 *	  Executes requests, for HTTP, dynamo.request and dynamo.request_safe.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "request/change.h"
#include "request/failure.h"
#include "request/operation.h"
#include "subtransaction.h"

void
RequestExecute(const Operation *operation, Slice host, Slice json, Writer *out)
{
	Request		request;

	request.operation = operation;
	request.host = host;
	request.input = RequestRead(operation->input, json.data, json.len);
	RequestCheck(request.input);

	/*
	 * Every request sees what was committed before it, and what earlier ones
	 * of the same statement wrote, as it would over the wire.
	 */
	PushActiveSnapshot(GetTransactionSnapshot());
	WriterBeginObject(out);
	request.out = out;
	if (operation->changes != NULL)
		ChangeExecute(&request);
	else
		operation->execute(&request);
	WriterEndObject(out);
	PopActiveSnapshot();
}

/* ---- the arguments of the functions ---- */

static Slice
TextSlice(const text *argument)
{
	return SliceOfVarlena(argument);
}

static void
ExecuteByName(const text *name, const text *json, Writer *out)
{
	RequestExecute(OperationFind(TextSlice(name)), (Slice) {NULL, 0}, TextSlice(json), out);
}

/* ---- dynamo.request ---- */

/*
 * Raises an error again with the answer's body as its detail.  The server log
 * gets the detail that concerns the server, without item data.
 */
static void ThrowWithBody(ErrorData *edata) pg_attribute_noreturn();

static void
ThrowWithBody(ErrorData *edata)
{
	StringInfoData body;

	if (!ErrorEndsSession(edata))
	{
		initStringInfo(&body);
		FailureBody(&body, edata);
		if (edata->detail_log == NULL)
			edata->detail_log = edata->detail != NULL ? edata->detail : pstrdup("");
		edata->detail = body.data;
	}
	ReThrowError(edata);
}

DYNAMO_FUNCTION(dynamo_request);
Datum
dynamo_request(PG_FUNCTION_ARGS)
{
	const text *name = PG_GETARG_TEXT_PP(0);
	const text *json = PG_GETARG_TEXT_PP(1);
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(caller, "dynamo request",
												  ALLOCSET_DEFAULT_SIZES);
	Writer		out;

	WriterInit(&out);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		ExecuteByName(name, json, &out);
	}
	PG_CATCH();
	{
		ErrorData  *edata;

		MemoryContextSwitchTo(caller);
		edata = CopyErrorData();
		FlushErrorState();
		ThrowWithBody(edata);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	PG_RETURN_POINTER(WriterFinish(&out));
}

/* ---- dynamo.request_safe ---- */

/* Wraps an answer's body: {"status": 200, "body": ...}. */
static void
BeginStatus(Writer *out, int status)
{
	WriterBeginObject(out);
	WriterIntegerMember(out, "status", status);
	WriterName(out, "body");
}

/* The answer that tells of an error. */
static void
AnswerFailure(Writer *out, ErrorData *edata)
{
	StringInfoData body;
	int			status;

	initStringInfo(&body);
	status = FailureBody(&body, edata);
	FailureLog(edata);
	BeginStatus(out, status);
	WriterRaw(out, (Slice) {body.data, body.len});
	WriterEndObject(out);
}

/* A request and where its answer goes. */
typedef struct SafeRequest
{
	const text *name;
	const text *json;
	Writer	   *out;
	MemoryContext context;		/* of all else */
} SafeRequest;

static void
ExecuteSafe(void *arg)
{
	const SafeRequest *request = arg;

	MemoryContextSwitchTo(request->context);
	BeginStatus(request->out, 200);
	ExecuteByName(request->name, request->json, request->out);
	WriterEndObject(request->out);
}

/*
 * Executes a request in a subtransaction, which an error rolls back; returns
 * NULL or the error.  Errors that end the session are raised.
 */
static ErrorData *
ExecuteSafely(const text *name, const text *json, Writer *out)
{
	/* not the subtransaction's own context, which would live to the end */
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dynamo request",
												  ALLOCSET_DEFAULT_SIZES);
	SafeRequest request = {name, json, out, context};
	ErrorData  *failure = TryInSubtransaction(ExecuteSafe, &request);

	MemoryContextDelete(context);
	return failure;
}

DYNAMO_FUNCTION(dynamo_request_safe);
Datum
dynamo_request_safe(PG_FUNCTION_ARGS)
{
	const text *name = PG_GETARG_TEXT_PP(0);
	const text *json = PG_GETARG_TEXT_PP(1);
	ErrorData  *failure;
	Writer		out;

	WriterInit(&out);
	failure = ExecuteSafely(name, json, &out);
	if (failure != NULL)
	{
		WriterInit(&out);
		AnswerFailure(&out, failure);
		FreeErrorData(failure);
	}
	PG_RETURN_POINTER(WriterFinish(&out));
}
