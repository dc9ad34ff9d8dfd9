/*
 * link.c
 *	  Requests to an endpoint, over HTTP or through PostgreSQL, and statements.
 *
 * libcurl signs the requests (CURLOPT_AWS_SIGV4), keeps the connection, and checks
 * certificates.  What passes by itself, such as throttling, is repeated with growing
 * pauses for `patience` seconds.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "move.h"

double		patience = 300;
unsigned long retries;

static const char *const transient[] = {
	"ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded", "LimitExceededException",
	"InternalServerError", "InternalFailure", "ServiceUnavailable", "TransactionConflictException", "ReplicatedWriteConflictException"
};

static const char *const stale_credentials[] = {"ExpiredTokenException", "ExpiredToken", "RequestExpired"};

static bool
IsAmong(const char *type, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		if (strcmp(type, names[i]) == 0)
			return true;
	}
	return false;
}

#define IS_AMONG(type, names)	IsAmong(type, names, sizeof(names) / sizeof((names)[0]))

/* ---- PostgreSQL ---- */

/* Notices are of no use here; errors are reported where they are met. */
static void
IgnoreNotice(void *arg, const char *message)
{
	(void) arg;
	(void) message;
}

/*
 * Connects, again and again while the server cannot be reached or starts.  As over HTTP, a server
 * that says nothing is not waited for without end, unless the connection string sets other times.
 */
static void
Connect(Link *link)
{
	const char *limit = getenv("PGCONNECT_TIMEOUT"),
			   *keywords[] = {"connect_timeout", "keepalives_idle", "keepalives_interval", "keepalives_count", "dbname",
		"fallback_application_name", "client_encoding", NULL},
			   *values[] = {limit != NULL ? limit : "10", "60", "10", "6", link->endpoint->conninfo, "dynamo-move", "UTF8", NULL};
	double		until = MoveClock() + patience;

	for (;;)
	{
		link->conn = PQconnectdbParams(keywords, values, 1);
		if (PQstatus(link->conn) == CONNECTION_OK)
			break;
		if (MoveClock() > until || move_stop || PQconnectionNeedsPassword(link->conn))
			MoveFail("cannot connect to the %s: %s", link->endpoint->role, PQerrorMessage(link->conn));
		PQfinish(link->conn);
		__atomic_add_fetch(&retries, 1, __ATOMIC_RELAXED);
		MoveSleep(0.5);
	}
	PQsetNoticeProcessor(link->conn, IgnoreNotice, NULL);
	PQclear(PQexec(link->conn, "SET statement_timeout = 0"));
	PQclear(PQexec(link->conn, "SET idle_in_transaction_session_timeout = 0"));
	/* a segment must stay what it is, also when it is read again tomorrow */
	PQclear(PQexec(link->conn, "SET dynamo.segment_ranges = off"));
	link->in_transaction = false;
}

/* Whether the connection has ended; if so, there is a new one, without a transaction. */
bool
LinkLost(Link *link)
{
	if (PQstatus(link->conn) == CONNECTION_OK)
		return false;
	PQfinish(link->conn);
	Connect(link);
	return true;
}

/* Remembers why a statement failed, for LinkRepeat(). */
void
LinkNoteProblem(Link *link, PGresult *result)
{
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	snprintf(link->problem, sizeof(link->problem), "%s", message != NULL ? message : "the connection was lost");
}

/* Before a transaction that was lost is repeated: not after `until`, and not once the program is to end. */
void
LinkRepeat(Link *link, double until)
{
	if (move_stop || MoveClock() > until)
		MoveFail("%s: %s", move_stop ? "stopped while a transaction could not be made" : "a transaction could not be made for the seconds of --patience",
				 link->problem);
	MovePause(0.05);
}

/* The result, whatever it is. */
PGresult *
LinkTry(Link *link, const char *query, int nargs, const char *const *args)
{
	return PQexecParams(link->conn, query, nargs, NULL, args, NULL, NULL, 0);
}

void
LinkFailQuery(Link *link, PGresult *result, const char *what)
{
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY),
			   *state = PQresultErrorField(result, PG_DIAG_SQLSTATE),
			   *hint = PQresultErrorField(result, PG_DIAG_MESSAGE_HINT);

	MoveFail("%s: %s (%s)%s%s", what, message != NULL ? message : PQerrorMessage(link->conn), state != NULL ? state : "no SQLSTATE",
			 hint != NULL ? "\nHINT: " : "", hint != NULL ? hint : "");
}

/* Whether a statement failed for a reason that passes: a shutdown, a conflict. */
static bool
IsPassing(PGresult *result)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	return state != NULL && (strncmp(state, "57P", 3) == 0 || strncmp(state, "40", 2) == 0 || strncmp(state, "08", 2) == 0 ||
							 strcmp(state, "55P03") == 0);
}

/*
 * The result of a statement that succeeded.  A statement outside of transactions is
 * repeated after a lost connection, so it must be one that may be.  Within one, NULL: the
 * transaction is lost, and its beginning is to be repeated.
 */
PGresult *
LinkQuery(Link *link, const char *query, int nargs, const char *const *args)
{
	for (double until = MoveClock() + patience;;)
	{
		PGresult   *result = LinkTry(link, query, nargs, args);
		ExecStatusType status = PQresultStatus(result);
		bool		transaction = link->in_transaction;

		if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_COPY_IN)
			return result;
		LinkNoteProblem(link, result);
		if (!LinkLost(link) && !(IsPassing(result) && MoveClock() < until))
			LinkFailQuery(link, result, "statement failed");
		PQclear(result);
		__atomic_add_fetch(&retries, 1, __ATOMIC_RELAXED);
		if (transaction)
		{
			LinkRollback(link);
			return NULL;
		}
		MovePause(0.2);
	}
}

bool
LinkBegin(Link *link)
{
	PQclear(LinkQuery(link, "BEGIN ISOLATION LEVEL READ COMMITTED", 0, NULL));
	link->in_transaction = true;
	return true;
}

/* False: nobody knows whether it is committed, so look at the state. */
bool
LinkCommit(Link *link)
{
	PGresult   *result = LinkQuery(link, "COMMIT", 0, NULL);

	if (result == NULL)
		return false;
	link->in_transaction = false;
	PQclear(result);
	return true;
}

void
LinkRollback(Link *link)
{
	if (PQtransactionStatus(link->conn) != PQTRANS_IDLE)
		PQclear(PQexec(link->conn, "ROLLBACK"));
	link->in_transaction = false;
}

/* ---- HTTP ---- */

/* A page has a megabyte of items, as JSON some more. */
#define LARGEST_ANSWER	(256 * 1024 * 1024)

/* Of all headers of an answer, with those that can follow its body: libcurl keeps them, and does not count the last ones. */
#define LARGEST_HEADERS	(256 * 1024)	/* less than libcurl's limit (300 KB since 8.3), whose error is that of a lost connection */

static size_t
TakeBody(char *data, size_t size, size_t count, void *text)
{
	if (((Text *) text)->len + size * count > LARGEST_ANSWER)
		return 0;
	TextAdd(text, data, size * count);
	return size * count;
}

static size_t
TakeHeader(char *data, size_t size, size_t count, void *arg)
{
	Link	   *link = arg;
	size_t		len = size * count;

	link->headers += len;
	if (link->headers > LARGEST_HEADERS)
		return 0;
	if (len > 5 && strncasecmp(data, "date:", 5) == 0)
	{
		char	   *value = strndup(data + 5, len - 5);
		time_t		date = value != NULL ? curl_getdate(value, NULL) : -1;

		if (date > 0)
			link->date = (double) date;
		free(value);
	}
	else if (len > 12 && strncasecmp(data, "x-amz-crc32:", 12) == 0)
	{
		char	   *value = strndup(data + 12, len - 12);

		link->checksum = value != NULL ? strtoll(value, NULL, 10) : -1;
		free(value);
	}
	return len;
}

static struct curl_slist *
AddHeader(struct curl_slist *list, const char *name, const char *value)
{
	char	   *header = MoveFormat("%s: %s", name, value);

	list = curl_slist_append(list, header);
	free(header);
	return list;
}

/* The credentials of the moment, as user:secret and, if it is one of a session, a token. */
static struct curl_slist *
SignWith(Link *link, struct curl_slist *headers)
{
	Endpoint   *endpoint = link->endpoint;
	Credentials *c = &endpoint->credentials;

	pthread_mutex_lock(&endpoint->lock);
	if (c->key_id == NULL || (c->renewable && c->expires > 0 && c->expires < MoveNow() + 300))
		CredentialsFind(&endpoint->aws, c);
	curl_easy_setopt(link->curl, CURLOPT_USERNAME, c->key_id);
	curl_easy_setopt(link->curl, CURLOPT_PASSWORD, c->secret);
	if (c->token != NULL)
		headers = AddHeader(headers, "X-Amz-Security-Token", c->token);
	pthread_mutex_unlock(&endpoint->lock);
	return headers;
}

/* Sends a request once.  Returns the status, or 0 with a message of the network. */
static long
Send(Link *link, const char *operation, const char *body, CallError *error)
{
	Endpoint   *endpoint = link->endpoint;
	bool		streams = strcmp(operation, "DescribeStream") == 0 || strcmp(operation, "GetRecords") == 0 ||
		strcmp(operation, "GetShardIterator") == 0;
	char	   *target = MoveFormat("%s_20120810.%s", streams ? "DynamoDBStreams" : "DynamoDB", operation),
			   *signature = MoveFormat("aws:amz:%s:dynamodb", endpoint->region);
	struct curl_slist *headers;
	CURL	   *curl = link->curl;
	char		reason[CURL_ERROR_SIZE] = "";
	long		status = 0;
	CURLcode	code;

	/* the connection remains */
	curl_easy_reset(curl);
	TextClear(&link->answer);
	link->checksum = -1;
	link->headers = 0;
	headers = AddHeader(NULL, "Content-Type", "application/x-amz-json-1.0");
	headers = AddHeader(headers, "X-Amz-Target", target);
	headers = SignWith(link, headers);
	headers = curl_slist_append(headers, "Expect:");
	curl_easy_setopt(curl, CURLOPT_URL, streams ? endpoint->streams_url : endpoint->url);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long) CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(curl, CURLOPT_AWS_SIGV4, signature);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long) strlen(body));
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, TakeBody);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &link->answer);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, TakeHeader);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, link);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 10L);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, 120L);
	curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
	if (endpoint->ca_file != NULL)
		curl_easy_setopt(curl, CURLOPT_CAINFO, endpoint->ca_file);
	code = curl_easy_perform(curl);
	/* the end of the connection may have something to say, too, when this place is gone */
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, NULL);
	if (code == CURLE_OK)
		curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	else
		snprintf(error->message, sizeof(error->message), "%s", reason[0] != '\0' ? reason : curl_easy_strerror(code));
	if (link->headers > LARGEST_HEADERS)
		MoveFail("an answer of the %s to %s has headers without end", endpoint->role, operation);
	if (code == CURLE_WRITE_ERROR)
		MoveFail("an answer of the %s to %s is larger than %d MB", endpoint->role, operation, LARGEST_ANSWER / 1024 / 1024);
	if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE || code == CURLE_URL_MALFORMAT ||
		code == CURLE_UNSUPPORTED_PROTOCOL)
		MoveFail("cannot use the address of the %s: %s", endpoint->role, error->message);
	curl_slist_free_all(headers);
	free(target);
	free(signature);
	return status;
}

/* Fills the error from the body of an answer. */
static void
TakeError(json_t *body, CallError *error)
{
	const char *type = JsonString(body, "__type"),
			   *message = JsonString(body, "message"),
			   *hash;

	if (message == NULL)
		message = JsonString(body, "Message");
	hash = type != NULL ? strrchr(type, '#') : NULL;
	snprintf(error->type, sizeof(error->type), "%s", hash != NULL ? hash + 1 : type != NULL ? type : "UnknownError");
	snprintf(error->message, sizeof(error->message), "%s", message != NULL ? message : "no message");
}

/* One attempt over HTTP: the answer, or NULL with the error; *again: it may pass. */
static json_t *
CallHttp(Link *link, const char *operation, const char *body, CallError *error, bool *again)
{
	long		status = Send(link, operation, body, error);
	json_t	   *answer = NULL;

	*again = status == 0 || status >= 500 || status == 429;
	if (status != 0 && (link->checksum < 0 || link->checksum == (int64_t) crc32_z(0, (unsigned char *) link->answer.data, link->answer.len)))
		answer = json_loadb(link->answer.data, link->answer.len, JSON_ALLOW_NUL, NULL);
	if (status == 200 && json_is_object(answer))
		return answer;
	if (status == 0)
		snprintf(error->type, sizeof(error->type), "NetworkError");
	else if (answer != NULL)
		TakeError(answer, error);
	else
	{
		/* cut off, or of something that is no endpoint */
		*again = true;
		snprintf(error->type, sizeof(error->type), "NetworkError");
		snprintf(error->message, sizeof(error->message), "status %ld, and a body that is damaged or not JSON", status);
	}
	json_decref(answer);
	return NULL;
}

/* The same through PostgreSQL. */
static json_t *
CallSql(Link *link, const char *operation, const char *body, CallError *error, bool *again)
{
	const char *args[] = {operation, body};
	PGresult   *result = LinkTry(link, "SELECT dynamo.request_safe($1, $2::json), extract(epoch FROM pg_catalog.clock_timestamp())", 2, args);
	json_t	   *answer = NULL,
			   *body_json;
	double		status;

	*again = false;
	if (PQresultStatus(result) != PGRES_TUPLES_OK)
	{
		bool		passing = IsPassing(result);

		/* what the caller has begun is gone */
		if (link->in_transaction)
			LinkFailQuery(link, result, operation);
		if (!LinkLost(link) && !passing)
			LinkFailQuery(link, result, operation);
		*again = true;
		snprintf(error->type, sizeof(error->type), "NetworkError");
		snprintf(error->message, sizeof(error->message), "the connection was lost");
	}
	else
	{
		answer = JsonParse(PQgetvalue(result, 0, 0), PQgetlength(result, 0, 0), "the server's answer");
		link->date = strtod(PQgetvalue(result, 0, 1), NULL);
		body_json = json_incref(json_object_get(answer, "body"));
		status = JsonNumber(answer, "status");
		json_decref(answer);
		answer = body_json;
		if (status != 200)
		{
			*again = status >= 500;
			TakeError(answer, error);
			json_decref(answer);
			answer = NULL;
		}
	}
	PQclear(result);
	return answer;
}

/*
 * Sends a request, which it frees.  Without a place for the error, an error ends the
 * program; NULL: there was one.
 */
json_t *
LinkCall(Link *link, const char *operation, json_t *request, CallError *error)
{
	char	   *body = JsonText(request);
	CallError	own;
	CallError  *e = error != NULL ? error : &own;
	double		until = MoveClock() + patience,
				stopped = 0;
	json_t	   *answer;
	bool		renewed = false;

	json_decref(request);
	for (double pause = 0.05;; pause = pause * 2 > 5 ? 5 : pause * 2)
	{
		bool		again;

		memset(e, 0, sizeof(*e));
		answer = link->endpoint->conninfo != NULL ? CallSql(link, operation, body, e, &again) :
			CallHttp(link, operation, body, e, &again);
		if (answer != NULL)
			break;
		if (!renewed && IS_AMONG(e->type, stale_credentials) && link->endpoint->credentials.renewable)
		{
			pthread_mutex_lock(&link->endpoint->lock);
			CredentialsFind(&link->endpoint->aws, &link->endpoint->credentials);
			pthread_mutex_unlock(&link->endpoint->lock);
			renewed = true;
			continue;
		}
		if (!(again || IS_AMONG(e->type, transient)) || MoveClock() > until)
			break;
		__atomic_add_fetch(&retries, 1, __ATOMIC_RELAXED);
		MovePause(pause * (0.5 + MoveRandom() % 1000 / 2000.0));
		if (move_stop && strcmp(e->type, "NetworkError") == 0)
			MoveFail("stopped while the %s could not be reached: %s", link->endpoint->role, e->message);
		if (MoveGivesUp(&stopped))
			MoveFail("stopped while the %s did not do %s: %s: %s", link->endpoint->role, operation, e->type, e->message);
	}
	free(body);
	if (answer == NULL && error == NULL)
		MoveFail("%s of the %s: %s: %s", operation, link->endpoint->role, e->type, e->message);
	return answer;
}

/* The endpoint's time, as of its last answer; ours if it tells none. */
double
LinkTime(const Link *link)
{
	return link->date > 0 ? link->date : MoveNow();
}

/*
 * From when on changes belong to what begins now.  Those of too long ago do no harm, because changes
 * are applied in their order; but a clock that is ahead would leave some out.
 */
double
LinkSince(const Link *link)
{
	return fmin(LinkTime(link), MoveNow());
}

Link *
LinkOpen(Endpoint *endpoint)
{
	Link	   *link = MoveAlloc(sizeof(Link));

	link->endpoint = endpoint;
	TextClear(&link->answer);
	if (endpoint->conninfo != NULL)
		Connect(link);
	else
	{
		link->curl = curl_easy_init();
		if (link->curl == NULL)
			MoveFail("out of memory");
	}
	return link;
}

void
LinkClose(Link *link)
{
	if (link->conn != NULL)
		PQfinish(link->conn);
	if (link->curl != NULL)
		curl_easy_cleanup(link->curl);
	TextFree(&link->answer);
	free(link);
}
