/*
 * execute.c
 *	  Executes requests of the DynamoDB API, each in its own transaction.
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
#include "utils/timestamp.h"

#include "errors.h"
#include "http/access_key.h"
#include "http/access_key_table.h"
#include "http/compression.h"
#include "http/durability.h"
#include "http/execute.h"
#include "worker/endpoint.h"
#include "worker/identity.h"
#include "http/log_limit.h"
#include "http/request_watch.h"
#include "http/share.h"
#include "http/shared_key.h"
#include "http/sigv4.h"
#include "item/json_reader.h"
#include "op/op.h"
#include "request/failure.h"
#include "request/operation.h"
#include "request/request_forward.h"
#include "request/wording.h"
#include "stat/slow.h"

/* The prefix of every target. */
static const char *const target_prefixes[] = {"DynamoDB_20120810.", "DynamoDBStreams_20120810."};

#define SHOWN_LEN	64
#define LOGGED_LEN	512			/* maximum of bytes from an unauthenticated client in the log */

typedef struct Execution
{
	const HttpRequest *request;
	const char *peer;
	MemoryContext context;		/* memory of the answer */
	char		target[SHOWN_LEN];	/* target for the log and pg_stat_activity */
	const Operation *operation; /* NULL if it is not known yet */
	StatRequest stat;
	bool		accepted;		/* the operation and the signature are valid */
	int			status;			/* of the answer of another node; 0: it was executed here */
	bool		too_long;		/* the decoded body */
	int			lock_timeout;	/* for all attempts, in milliseconds; 0 if there is none */
	bool		parked;			/* the request has met a lock or was interrupted */
	bool		held_back;		/* because of the share of its role */
	LOCKTAG		lock;
} Execution;

/* ---- before the request ---- */

/*
 * Copies text of a client, truncated, with ? for bytes that are not printable.
 */
static void
CopyPrintable(char *shown, Slice text)
{
	uint32		len = Min(text.len, SHOWN_LEN - 1);

	for (uint32 i = 0; i < len; i++)
		shown[i] = text.data[i] > ' ' && text.data[i] <= '~' ? text.data[i] : '?';
	shown[len] = '\0';
}

/* Returns the value of a header; empty if there is none. */
static Slice
GetHeader(const HttpRequest *request, const char *name)
{
	Slice		value = {"", 0};

	(void) HttpFindHeader(request->head, request->data, name, &value);
	return value;
}

static Slice
GetTarget(const HttpRequest *request)
{
	return GetHeader(request, "x-amz-target");
}

/* Finds the operation of a target, which must have the prefix. */
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

/* Raises an error while the endpoint is configured insecurely. */
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
				  "run CREATE EXTENSION dynamo there, or set \"dynamo.database\"");
}

static void RefuseKey(Slice id, const char *problem) pg_attribute_noreturn();

static void
RefuseKey(Slice id, const char *problem)
{
	char		shown[SHOWN_LEN];

	CopyPrintable(shown, id);
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_UNRECOGNIZED_CLIENT),
			 errmsg("The security token included in the request is invalid."),
			 errdetail_log("Access key \"%s\" %s.", shown, problem)));
}

static void RefuseToken(Slice id, const char *problem) pg_attribute_noreturn();

/*
 * Programs have temporary credentials without knowing it: SDKs take them from the environment,
 * a container or a login.  The service's sentence alone would send people to look for a wrong key.
 */
static void
RefuseToken(Slice id, const char *problem)
{
	char		shown[SHOWN_LEN];

	CopyPrintable(shown, id);
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_UNRECOGNIZED_CLIENT),
			 errmsg("The security token included in the request is invalid. The request has a session token: it was signed with "
					"temporary credentials of AWS, which this server does not know. Give the client an access key of this server."),
			 errdetail_log("Access key \"%s\" came with a session token: %s.", shown, problem)));
}

/* The role of a key of the coordinator that signed the request. */
static const Identity *
SharedIdentity(const HttpRequest *request, const Signature *signature, const SharedKey *key)
{
	const Identity *identity;
	const char *problem;

	(void) SignatureVerify(signature, request, &key->signing_keys);
	identity = RoleIdentity(NameStr(key->role), &problem);
	if (identity == NULL)
		RefuseKey(signature->key_id, psprintf("is for role \"%s\", which %s", NameStr(key->role), problem));
	return identity;
}

/*
 * Returns the role of the access key that signed the request; raises an error
 * if the signature is invalid.
 */
static const Identity *
VerifiedIdentity(const HttpRequest *request)
{
	Signature	signature;
	const SharedKey *shared;
	AccessKey  *key;
	const SigningKeys *signing_keys;
	const char *problem;

	/* the region of the server's configuration, not of a role's settings */
	SignatureRead(&signature, request, (int64) time(NULL),
				  GetConfigOptionResetString("dynamo.region"));
	if (signature.has_token && !http_ignore_session_tokens)
		RefuseToken(signature.key_id, "\"dynamo.http_ignore_session_tokens\" is off");
	shared = SharedKeyKnown(&signature);
	key = shared != NULL ? NULL : AccessKeyFind(signature.key_id, &problem);
	if (shared == NULL && key == NULL)
		shared = SharedKeyAsk(&signature);
	if (shared != NULL)
		return SharedIdentity(request, &signature, shared);
	if (key == NULL && signature.has_token)
		RefuseToken(signature.key_id, problem);
	if (key == NULL)
		RefuseKey(signature.key_id, problem);
	signing_keys = AccessKeySigningKeys(key, signature.date, signature.region);
	AccessKeyNoteUse(key, SignatureVerify(&signature, request, signing_keys));
	return AccessKeyIdentity(key);
}

/* Returns the role that the client's certificate names. */
static const Identity *
CertificateIdentity(const HttpRequest *request)
{
	const char *name = request->certificate_name;
	const Identity *identity;
	const char *problem;

	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_MISSING_TOKEN),
				 errmsg("the client has sent no certificate")));
	identity = RoleIdentity(name, &problem);
	if (identity == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_UNRECOGNIZED_CLIENT),
				 errmsg("The security token included in the request is invalid."),
				 errdetail_log("Role \"%s\" of the certificate %s.", name, problem)));
	return identity;
}

/* Returns the role that executes requests without authentication. */
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
AuthenticateRequest(const HttpRequest *request)
{
	switch (http_authentication)
	{
		case HTTP_AUTHENTICATION_SIGV4:
			return VerifiedIdentity(request);
		case HTTP_AUTHENTICATION_CERTIFICATE:
			return CertificateIdentity(request);
		default:
			return CommonIdentity();
	}
}

/* ---- the transaction ---- */

static void
BeginTransaction(Execution *execution)
{
	StartTransactionCommand();
	MemoryContextSwitchTo(execution->context);
}

static void
CommitTransaction(Execution *execution)
{
	CommitTransactionCommand();
	MemoryContextSwitchTo(execution->context);
}

/*
 * Limits waiting for locks.  The first attempts end when they meet a lock.
 * The last attempt fails like a statement, after lock_timeout or
 * statement_timeout, whichever is shorter.
 */
static void
LimitLockWaits(Execution *execution)
{
	bool		of_lock = LockTimeout > 0 && (StatementTimeout == 0 || LockTimeout < StatementTimeout);

	execution->lock_timeout = of_lock ? LockTimeout : StatementTimeout;
	if (!execution->request->last_attempt)
		RequestWatchLocks();
	else if (!of_lock)
		enable_timeout_after(STATEMENT_TIMEOUT, WATCH_MS);
	else
		(void) set_config_option("lock_timeout", psprintf("%d", WATCH_MS), PGC_USERSET,
								 PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
}

/*
 * A request that was given up because its role holds all other workers waits until one
 * of them is free.
 */
static void
TakeShare(const Execution *execution, Oid role)
{
	RequestWatchRole(role);
	if (execution->request->held_back && ShareOthersHeld(role))
		RequestWatchGiveUp();
}

/* Decodes the body.  The signature covers the body as it was sent. */
static Slice
DecodedBody(Execution *execution)
{
	const HttpRequest *request = execution->request;
	HttpCoding	coding = CodingOfRequest(GetHeader(request, "content-encoding"));
	InflateResult result;
	Slice		body;

	if (coding == CODING_IDENTITY)
		return request->body;
	if (coding == CODING_UNKNOWN)
		ereport(ERROR,
				(errcode(ERRCODE_PROTOCOL_VIOLATION),
				 errmsg("Content-Encoding of an HTTP request is neither gzip nor deflate")));
	result = Inflate(coding, request->body, HTTP_MAX_BODY, &body);
	execution->too_long = result == INFLATE_TOO_LONG;
	if (result != INFLATE_OK)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 result == INFLATE_TOO_LONG ?
				 errmsg("body of an HTTP request is too long when it is decompressed") :
				 errmsg("body of an HTTP request cannot be decompressed")));
	return body;
}

static void
RunTransaction(Execution *execution, Writer *out)
{
	const HttpRequest *request = execution->request;
	const Operation *operation;
	const Identity *identity;
	Slice		body;

	RequestWatchBegin();
	BeginTransaction(execution);
	CheckInstalled();
	operation = FindOperation(GetTarget(request));
	execution->operation = operation;
	identity = AuthenticateRequest(request);
	execution->accepted = true;
	TakeShare(execution, identity->role);
	if (!IdentityIsAssumed(identity, true))
	{
		CommitTransaction(execution);
		IdentityAssume(identity, true);
		BeginTransaction(execution);
	}
	IdentityEnter();
	if (StatementTimeout > 0)
		enable_timeout_after(STATEMENT_TIMEOUT, StatementTimeout);
	LimitLockWaits(execution);
	body = DecodedBody(execution);
	StatAdd(STAT_REQUEST_BYTES, body.len);
	if (RequestIsForCoordinator(operation))
		execution->status = RequestForward(operation, body, out);
	else
		RequestExecute(operation, REQUEST_OF_CLIENT, GetHeader(request, "host"), body, request->pause, out);
	StatAdd(STAT_RESPONSE_BYTES, (uint64) out->out.len);
	disable_timeout(STATEMENT_TIMEOUT, false);	/* a trigger may have changed the setting */
	CommitTransaction(execution);			/* deferred triggers may wait for locks, too */
	(void) RequestWatchEnd(&execution->lock);	/* a trigger may have caught the error */
	IdentityLeave();
	if (operation->empty && execution->status <= 200)
		out->out.len = VARHDRSZ;
}

/* ---- errors ---- */

static bool
IsJson(Slice text)
{
	Problem		problem = NO_PROBLEM;
	JsonReader	r;

	JsonReaderInit(&r, text.data, text.len);
	r.problem = &problem;
	JsonSkipValue(&r);
	JsonEnd(&r);
	return !ProblemIsNoted(&problem);
}

/*
 * Raises the error for a body that is not JSON, which precedes errors of the
 * operation and the signature.  The body is read here only if one of these
 * failed; otherwise it has been read already.  The body of an unauthenticated
 * client is not decompressed.
 */
static void
PreferBadJson(const Execution *execution, ErrorData *error)
{
	if (execution->accepted || execution->request->body.len == 0 ||
		GetHeader(execution->request, "content-encoding").len > 0 ||
		DynamoExceptionForSqlstate(error->sqlerrcode)->http_status >= 500 ||
		IsJson(execution->request->body))
		return;
	error->sqlerrcode = ERRCODE_DYNAMO_NOT_JSON;
	error->message = WORDING_BAD_JSON;
	error->detail = NULL;
}

/*
 * Returns the kind of log message about a request of an unauthenticated
 * client; LOG_KINDS if there is none.
 */
static LogKind
RefusalKind(const Execution *execution, const ErrorData *error)
{
	if (execution->accepted)
		return LOG_KINDS;
	switch (error->sqlerrcode)
	{
		case ERRCODE_DYNAMO_UNRECOGNIZED_CLIENT:
			return LOG_KIND_KEY;
		case ERRCODE_DYNAMO_INVALID_SIGNATURE:
			return LOG_KIND_SIGNATURE;
		case ERRCODE_DYNAMO_ACCESS_DENIED:
			return LOG_KIND_ACCESS;
		default:
			return LOG_KINDS;
	}
}

/* Logs a failed authentication as a failed login is logged. */
static void
LogRefusal(const Execution *execution, const ErrorData *error)
{
	const char *detail = error->detail_log != NULL ? error->detail_log : error->message;
	LogKind		kind = RefusalKind(execution, error);
	const char *more = kind != LOG_KINDS ? LogLimit(kind) : NULL;

	if (more != NULL)
		ereport(LOG,
				(errcode(ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION),
				 errmsg("HTTP authentication failed for client %s%s", execution->peer, more),
				 errdetail_log("%.*s", (int) Min(strcspn(detail, "\n"), LOGGED_LEN), detail)));
}

/*
 * Logs an error of the server, which is the last one raised.  Unauthenticated
 * clients can cause them as well, for example with the id of an access key whose
 * secret cannot be decrypted.
 */
static void
LogFailure(const Execution *execution)
{
	const char *more = execution->accepted ? "" : LogLimit(LOG_KIND_FAILURE);

	if (more == NULL)
		return;
	EmitErrorReport();
	if (*more != '\0')
		ereport(LOG,
				(errmsg("HTTP requests failed before their authentication%s", more)));
}

/* Says why the watch has canceled a request that is not executed again. */
static void
ExplainCancel(ErrorData *error, WatchResult why)
{
	if (why == WATCH_TOO_LONG)
		error->message = "canceling request due to \"dynamo.http_statement_timeout\"";
	if (why != WATCH_SHARE)
		return;
	error->sqlerrcode = ERRCODE_DYNAMO_THROUGHPUT_EXCEEDED;
	error->message = "Requests of the role hold all other workers of the endpoint";
}

/* Ends the transaction after an error; returns the error. */
static ErrorData *
AbortTransaction(Execution *execution)
{
	ErrorData  *error;
	WatchResult why;
	bool		canceled;

	HOLD_INTERRUPTS();
	why = RequestWatchEnd(&execution->lock);
	canceled = geterrcode() == ERRCODE_QUERY_CANCELED;
	execution->held_back = why == WATCH_SHARE;
	execution->parked = canceled && (why == WATCH_LOCK || (why == WATCH_SHARE && !execution->request->last_attempt));
	execution->parked |= execution->request->pause->paused;
	if (why == WATCH_LOCK && execution->request->ends_vacuums)
		RequestWatchEndVacuums();
	disable_all_timeouts(false);
	QueryCancelPending = false;
	MemoryContextSwitchTo(execution->context);
	error = CopyErrorData();
	if (canceled && why != WATCH_NOTHING)
		ExplainCancel(error, why);
	if (!execution->parked && DynamoExceptionForSqlstate(error->sqlerrcode)->http_status >= 500)
		LogFailure(execution);
	FlushErrorState();
	if (canceled && why == WATCH_TOO_LONG)
		ereport(LOG,
				(errmsg("%s", error->message)));
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
	HttpAnswer	answer = {0};
	StringInfoData body;

	if (execution->too_long)
		return RefusalAnswer(413, HTTP_BODY_TOO_LONG);
	initStringInfo(&body);
	PreferBadJson(execution, error);
	LogRefusal(execution, error);
	answer.status = FailureBody(&body, error);
	answer.body = (Slice) {body.data, (uint32) body.len};
	return answer;
}

static HttpAnswer
ParkedAnswer(const Execution *execution)
{
	HttpAnswer	answer = EmptyAnswer(0);

	answer.parked = true;
	answer.lock = execution->lock;
	answer.lock_timeout = execution->lock_timeout;
	answer.held_back = execution->held_back;
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

/* Nothing of a request that is executed again. */
static void
LogDurations(const Execution *execution, int sqlstate)
{
	const char *operation = OperationName(OperationNumber(execution->operation));

	LogDuration(execution);
	if (!execution->parked)
		SlowLog(&execution->stat, operation, execution->request->id, sqlstate);
}

static void
ReportStart(Execution *execution)
{
	TimestampTz first = execution->request->first_attempt;

	SetCurrentStatementStartTimestamp();
	stat_current = NULL;		/* an error may have left one behind */
	StatBegin(&execution->stat, first != 0 ? first : GetCurrentStatementStartTimestamp());
	debug_query_string = execution->target;
	pgstat_report_activity(STATE_RUNNING, execution->target);
}

static void
ReportEnd(Execution *execution, int sqlstate)
{
	if (!execution->parked)
		StatEnd(&execution->stat, OperationNumber(execution->operation), sqlstate);
	stat_current = NULL;
	/* requests of unauthenticated clients do not fill the log */
	if (execution->accepted)
		LogDurations(execution, sqlstate);
	pgstat_report_activity(STATE_IDLE, NULL);
	debug_query_string = NULL;
}

/*
 * An error of the request is caught here, where its transaction ends: the answer
 * tells of it, and the worker continues.
 */
HttpAnswer
ExecuteRequest(const HttpRequest *request, const char *peer)
{
	Execution	execution = {.request = request, .peer = peer, .context = CurrentMemoryContext};
	ErrorContextCallback callback = {.callback = DescribeRequest, .arg = &execution};
	HttpAnswer	answer = EmptyAnswer(200);
	Writer		out;
	ErrorData  *volatile error = NULL;

	CopyPrintable(execution.target, GetTarget(request));
	ReportStart(&execution);
	callback.previous = error_context_stack;
	error_context_stack = &callback;
	WriterInit(&out);
	PG_TRY();
	{
		RunTransaction(&execution, &out);
	}
	PG_CATCH();
	{
		error = AbortTransaction(&execution);
	}
	PG_END_TRY();
	if (execution.parked)
		answer = ParkedAnswer(&execution);
	else if (error != NULL)
		answer = FailureAnswer(&execution, error);
	else
		answer.body = (Slice) {out.out.data + VARHDRSZ, (uint32) out.out.len - VARHDRSZ};
	if (error == NULL && execution.status > 0)
		answer.status = execution.status;
	answer.durability = DurabilityOfLastRequest();
	ReportEnd(&execution, error != NULL ? error->sqlerrcode : 0);
	error_context_stack = callback.previous;
	return answer;
}
