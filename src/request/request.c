/*
 * request.c
 *	  Executes requests, for HTTP, dynamo.request and dynamo.request_safe.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "request/failure.h"
#include "request/operation.h"
#include "request/request_conflict.h"
#include "request/request_shard.h"
#include "stat/slow.h"
#include "subtransaction.h"

void
RequestExecute(const Operation *operation, RequestOrigin origin, Slice host, Slice json,
			   struct ReadPause *pause, Writer *out)
{
	Request		request = {.operation = operation, .origin = origin, .host = host, .pause = pause, .out = out};

	request.input = RequestRead(operation->input, json.data, json.len,
								OperationWords(operation));
	RequestCheck(request.input);
	if (origin == REQUEST_OF_CLIENT && RequestRunOnShard(&request, json))
		return;

	/*
	 * Every request sees what was committed before it and what earlier
	 * requests of the same statement wrote, as separate requests over HTTP do.
	 */
	PushActiveSnapshot(GetTransactionSnapshot());
	WriterBeginObject(out);
	ConflictExecute(&request);
	WriterEndObject(out);
	PopActiveSnapshot();
}

/* ---- calls of the functions ---- */

static Slice
TextSlice(const text *argument)
{
	return SliceOfVarlena(argument);
}

/* A call of one of the functions, and where the response goes. */
typedef struct Call
{
	const text *name;
	const text *json;
	RequestOrigin origin;
	Writer	   *out;
	MemoryContext context;		/* context of all other allocations */
	const Operation *operation; /* NULL for an unknown operation */
	StatRequest stat;
} Call;

static void
CallExecute(Call *call)
{
	call->operation = OperationFind(TextSlice(call->name));
	StatAdd(STAT_REQUEST_BYTES, TextSlice(call->json).len);
	if (call->origin == REQUEST_OF_NODE)
		RequestCheckShard(call->operation);
	RequestExecute(call->operation, call->origin, (Slice) {NULL, 0}, TextSlice(call->json), NULL, call->out);
	StatAdd(STAT_RESPONSE_BYTES, (uint64) call->out->out.len);
}

static void
CallEnd(Call *call, const ErrorData *failure)
{
	int			number = OperationNumber(call->operation);
	int			sqlstate = failure != NULL ? failure->sqlerrcode : 0;

	StatEnd(&call->stat, number, sqlstate);
	SlowLog(&call->stat, OperationName(number), NULL, sqlstate);
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

/*
 * Catches every error, because it is raised again with the body of the response
 * that a client would get, or as the other node needs it.
 */
static Datum
ExecuteCall(FunctionCallInfo fcinfo, RequestOrigin origin)
{
	MemoryContext caller = CurrentMemoryContext;
	Writer		out;
	Call		call = {
		.name = PG_GETARG_TEXT_PP(0),
		.json = PG_GETARG_TEXT_PP(1),
		.origin = origin,
		.out = &out,
		.context = AllocSetContextCreate(caller, "dynamo request", ALLOCSET_DEFAULT_SIZES)
	};

	WriterInit(&out);
	StatBegin(&call.stat, GetCurrentTimestamp());
	MemoryContextSwitchTo(call.context);
	PG_TRY();
	{
		CallExecute(&call);
	}
	PG_CATCH();
	{
		ErrorData  *edata;

		MemoryContextSwitchTo(caller);
		edata = CopyErrorData();
		FlushErrorState();
		CallEnd(&call, edata);
		if (origin == REQUEST_OF_NODE)
			RequestThrowToNode(edata);
		ThrowWithBody(edata);
	}
	PG_END_TRY();
	CallEnd(&call, NULL);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(call.context);
	PG_RETURN_POINTER(WriterFinish(&out));
}

DYNAMO_FUNCTION(dynamo_request);
Datum
dynamo_request(PG_FUNCTION_ARGS)
{
	return ExecuteCall(fcinfo, REQUEST_OF_STATEMENT);
}

DYNAMO_FUNCTION(dynamo_request_on_shard);
Datum
dynamo_request_on_shard(PG_FUNCTION_ARGS)
{
	return ExecuteCall(fcinfo, REQUEST_OF_NODE);
}

/* ---- dynamo.request_safe ---- */

/*
 * Begins the result, which contains the response: {"status": 200, "body":
 * ...}.
 */
static void
BeginStatus(Writer *out, int status)
{
	WriterBeginObject(out);
	WriterIntegerMember(out, "status", status);
	WriterName(out, "body");
}

/* Writes the result for an error. */
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

static void
ExecuteSafe(void *arg)
{
	Call	   *call = arg;

	MemoryContextSwitchTo(call->context);
	BeginStatus(call->out, 200);
	CallExecute(call);
	WriterEndObject(call->out);
}

/*
 * Executes a request in a subtransaction, which an error rolls back; returns
 * NULL or the error.  Errors that end the session are raised; the statistics
 * must not point to this call's memory then.
 */
static ErrorData *
ExecuteSafely(const text *name, const text *json, Writer *out)
{
	/*
	 * not the subtransaction's context, which would live until the transaction
	 * ends
	 */
	Call		call = {
		.name = name,
		.json = json,
		.out = out,
		.context = AllocSetContextCreate(CurrentMemoryContext, "dynamo request",
										 ALLOCSET_DEFAULT_SIZES)
	};
	ErrorData  *volatile failure = NULL;

	StatBegin(&call.stat, GetCurrentTimestamp());
	PG_TRY();
	{
		failure = TryInSubtransaction(ExecuteSafe, &call);
	}
	PG_FINALLY();
	{
		StatLeave(&call.stat);
	}
	PG_END_TRY();
	CallEnd(&call, failure);
	MemoryContextDelete(call.context);
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
