/*
 * execute.c
 *	  Requests of the DynamoDB API in transactions of their own.
 */
#include "postgres.h"

#include "access/xact.h"
#include "jit/jit.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/timeout.h"

#include "errors.h"
#include "http/access_key.h"
#include "http/access_key_table.h"
#include "http/durability.h"
#include "http/execute.h"
#include "http/identity.h"
#include "http/settings.h"
#include "http/sigv4.h"
#include "item/json_reader.h"
#include "request/failure.h"
#include "request/operation.h"
#include "request/wording.h"

/* What every target begins with. */
static const char *const target_prefixes[] = {"DynamoDB_20120810.", "DynamoDBStreams_20120810."};

#define SHOWN_LEN	64
#define LOGGED_LEN	512			/* bytes that a stranger gets into the log */

typedef struct Execution
{
	const HttpRequest *request;
	const char *peer;
	MemoryContext context;		/* of the answer */
	char		target[SHOWN_LEN];	/* for the log and pg_stat_activity */
	bool		accepted;		/* operation and signature are good */
} Execution;

/* ---- before the request ---- */

/* What a client sent as text of a length and of characters that can be shown. */
static void
Show(char *shown, Slice text)
{
	uint32		len = Min(text.len, SHOWN_LEN - 1);

	for (uint32 i = 0; i < len; i++)
		shown[i] = text.data[i] > ' ' && text.data[i] <= '~' ? text.data[i] : '?';
	shown[len] = '\0';
}

/* The value of a header; empty if there is none. */
static Slice
Header(const HttpRequest *request, const char *name)
{
	Slice		value = {"", 0};

	(void) HttpFindHeader(request->head, request->data, name, &value);
	return value;
}

static Slice
Target(const HttpRequest *request)
{
	return Header(request, "x-amz-target");
}

/* The name of an operation alone is no target. */
static const Operation *
FindOperation(Slice target)
{
	for (size_t i = 0; i < lengthof(target_prefixes); i++)
	{
		Slice		prefix = SliceOf(target_prefixes[i]);

		if (target.len > prefix.len && SliceBeginsWith(target, prefix))
			return OperationFind(target);
	}
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_UNKNOWN_OPERATION),
			 errmsg("no operation in X-Amz-Target")));
}

/* Nobody is served as long as the endpoint is set up like this. */
static void RefuseAll(const char *remedy) pg_attribute_noreturn();

static void
RefuseAll(const char *remedy)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_ACCESS_DENIED),
			 errmsg_internal("%s", remedy)));
}

static void
CheckInstalled(void)
{
	if (!AccessKeyTableExists())
		RefuseAll("extension \"dynamo\" is not installed in the database that is served: "
				  "run CREATE EXTENSION dynamo there, or set \"dynamo.http_database\"");
}

static void RefuseKey(Slice id, const char *problem) pg_attribute_noreturn();

static void
RefuseKey(Slice id, const char *problem)
{
	char		shown[SHOWN_LEN];

	Show(shown, id);
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_UNRECOGNIZED_CLIENT),
			 errmsg("The security token included in the request is invalid."),
			 errdetail_log("Access key \"%s\" %s.", shown, problem)));
}

/* Who signed the request; an error if nobody we know did. */
static const Identity *
VerifiedIdentity(const HttpRequest *request)
{
	Signature	signature;
	AccessKey  *key;
	Slice		session_token;
	const char *problem;

	/* the region of the server, not the one a role has set */
	SignatureRead(&signature, request, (int64) time(NULL),
				  GetConfigOptionResetString("dynamo.region"));
	if (HttpFindHeader(request->head, request->data, "x-amz-security-token", &session_token))
		RefuseKey(signature.key_id, "came with a session token");
	key = AccessKeyFind(signature.key_id, &problem);
	if (key == NULL)
		RefuseKey(signature.key_id, problem);
	SignatureVerify(&signature, request,
					AccessKeySigningKey(key, signature.date, signature.region));
	return AccessKeyIdentity(key);
}

/* The role whose rights requests have without authentication. */
static const Identity *
CommonIdentity(void)
{
	const Identity *identity;
	const char *problem;

	if (http_role[0] == '\0')
		RefuseAll("\"dynamo.http_role\" is not set: "
				  "without authentication it names the role whose rights requests have");
	identity = RoleIdentity(http_role, &problem);
	if (identity == NULL)
		RefuseAll(psprintf("role \"%s\" of \"dynamo.http_role\" %s", http_role, problem));
	return identity;
}

static const Identity *
Authenticate(const HttpRequest *request)
{
	return http_authentication == HTTP_AUTHENTICATION_SIGV4 ?
		VerifiedIdentity(request) : CommonIdentity();
}

/* ---- the transaction ---- */

static void
Begin(Execution *execution)
{
	StartTransactionCommand();
	MemoryContextSwitchTo(execution->context);
}

static void
Commit(Execution *execution)
{
	CommitTransactionCommand();
	MemoryContextSwitchTo(execution->context);
}

static void
Run(Execution *execution, Writer *out)
{
	const HttpRequest *request = execution->request;
	const Operation *operation;
	const Identity *identity;

	Begin(execution);
	CheckInstalled();
	operation = FindOperation(Target(request));
	identity = Authenticate(request);
	if (!IdentityIsAssumed(identity))
	{
		Commit(execution);
		IdentityAssume(identity);
		Begin(execution);
	}
	execution->accepted = true;
	IdentityEnter();
	if (StatementTimeout > 0)
		enable_timeout_after(STATEMENT_TIMEOUT, StatementTimeout);
	RequestExecute(operation, Header(request, "host"), request->body, out);
	disable_timeout(STATEMENT_TIMEOUT, false);	/* a trigger may have changed the setting */
	Commit(execution);
	IdentityLeave();
	if (operation->empty)
		out->out.len = VARHDRSZ;
}

/* ---- errors ---- */

static bool
IsJson(Slice text)
{
	volatile bool valid = true;
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		JsonReader	r;

		JsonReaderInit(&r, text.data, text.len);
		JsonSkipValue(&r);
		JsonEnd(&r);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		FlushErrorState();
		valid = false;
	}
	PG_END_TRY();
	return valid;
}

/*
 * A body that is no JSON is told of before operation and signature are looked
 * at.  It is read here only if one of them failed: otherwise it has been.
 */
static void
PreferBadJson(const Execution *execution, ErrorData *error)
{
	if (execution->accepted || execution->request->body.len == 0 ||
		DynamoExceptionForSqlstate(error->sqlerrcode)->http_status >= 500 ||
		IsJson(execution->request->body))
		return;
	error->sqlerrcode = ERRCODE_DYNAMO_SERIALIZATION;
	error->message = WORDING_BAD_JSON;
	error->detail = NULL;
}

/* Who tried to come in is logged as a failed login is. */
static void
LogRefusal(const Execution *execution, const ErrorData *error)
{
	const char *detail = error->detail_log != NULL ? error->detail_log : error->message;

	if (!execution->accepted &&
		(error->sqlerrcode == ERRCODE_DYNAMO_UNRECOGNIZED_CLIENT ||
		 error->sqlerrcode == ERRCODE_DYNAMO_INVALID_SIGNATURE ||
		 error->sqlerrcode == ERRCODE_DYNAMO_ACCESS_DENIED))
		ereport(LOG,
				(errcode(ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION),
				 errmsg("HTTP authentication failed for client %s", execution->peer),
				 errdetail_log("%.*s", (int) Min(strcspn(detail, "\n"), LOGGED_LEN), detail)));
}

/* Ends the transaction after an error; returns the error. */
static ErrorData *
Rollback(Execution *execution)
{
	ErrorData  *error;

	HOLD_INTERRUPTS();
	disable_all_timeouts(false);
	QueryCancelPending = false;
	MemoryContextSwitchTo(execution->context);
	error = CopyErrorData();
	if (DynamoExceptionForSqlstate(error->sqlerrcode)->http_status >= 500)
		EmitErrorReport();
	FlushErrorState();
	AbortOutOfAnyTransaction();
	jit_reset_after_error();
	IdentityLeave();
	MemoryContextSwitchTo(execution->context);
	RESUME_INTERRUPTS();
	return error;
}

static HttpAnswer
FailureAnswer(const Execution *execution, ErrorData *error)
{
	HttpAnswer	answer = EmptyAnswer(0);
	StringInfoData body;

	initStringInfo(&body);
	PreferBadJson(execution, error);
	LogRefusal(execution, error);
	answer.status = FailureBody(&body, error);
	answer.body = (Slice) {body.data, (uint32) body.len};
	return answer;
}

/* ---- reporting ---- */

static void
DescribeRequest(void *arg)
{
	const Execution *execution = arg;

	errcontext("HTTP request %s of client %s", execution->request->id, execution->peer);
}

static void
LogDuration(const Execution *execution)
{
	char		milliseconds[32];

	switch (check_log_duration(milliseconds, false))
	{
		case 1:
			ereport(LOG,
					(errmsg("duration: %s ms", milliseconds), errhidestmt(true)));
			break;
		case 2:
			ereport(LOG,
					(errmsg("duration: %s ms  request: %s", milliseconds, execution->target),
					 errhidestmt(true)));
			break;
	}
}

static void
ReportStart(const Execution *execution)
{
	SetCurrentStatementStartTimestamp();
	debug_query_string = execution->target;
	pgstat_report_activity(STATE_RUNNING, execution->target);
}

static void
ReportEnd(const Execution *execution)
{
	LogDuration(execution);
	pgstat_report_activity(STATE_IDLE, NULL);
	debug_query_string = NULL;
}

HttpAnswer
ExecuteRequest(const HttpRequest *request, const char *peer)
{
	Execution	execution = {.request = request, .peer = peer, .context = CurrentMemoryContext};
	ErrorContextCallback callback = {.callback = DescribeRequest, .arg = &execution};
	HttpAnswer	answer = EmptyAnswer(200);
	Writer		out;
	ErrorData  *volatile error = NULL;

	Show(execution.target, Target(request));
	ReportStart(&execution);
	callback.previous = error_context_stack;
	error_context_stack = &callback;
	WriterInit(&out);
	PG_TRY();
	{
		Run(&execution, &out);
	}
	PG_CATCH();
	{
		error = Rollback(&execution);
	}
	PG_END_TRY();
	if (error != NULL)
		answer = FailureAnswer(&execution, error);
	else
		answer.body = (Slice) {out.out.data + VARHDRSZ, (uint32) out.out.len - VARHDRSZ};
	answer.durability = DurabilityOfLastRequest();
	error_context_stack = callback.previous;
	ReportEnd(&execution);
	return answer;
}
