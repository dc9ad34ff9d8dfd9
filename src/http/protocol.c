/*
 * protocol.c
 *	  Answers requests of the DynamoDB API over HTTP: all steps before the
 *	  execution of the request, in the service's order.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "errors.h"
#include "http/compression.h"
#include "http/execute.h"
#include "http/host.h"
#include "http/log_limit.h"
#include "http/metrics.h"
#include "http/protocol.h"
#include "request/failure.h"
#include "worker/endpoint.h"

#define JSON_TYPE	"application/json"
#define AMZ_TYPE	"application/x-amz-json-1.0"

/* Longer answers are compressed, in bytes. */
#define COMPRESSED_FROM	4096

static bool
IsMethod(const HttpRequest *request, const char *method)
{
	return SliceIs(HttpText(request->data, request->head->method), method);
}

/* The type of the body without parameters; empty if it is none of ours. */
static Slice
ContentType(const HttpRequest *request)
{
	static const char *const types[] = {AMZ_TYPE, JSON_TYPE};
	Slice		value;
	const char *semicolon;

	if (!HttpFindHeader(request->head, request->data, "content-type", &value))
		return (Slice) {NULL, 0};
	semicolon = memchr(value.data, ';', value.len);
	if (semicolon != NULL)
		value.len = (uint32) (semicolon - value.data);
	while (value.len > 0 && (value.data[value.len - 1] == ' ' || value.data[value.len - 1] == '\t'))
		value.len--;
	for (size_t i = 0; i < lengthof(types); i++)
	{
		if (HttpSame(value, types[i]))
			return SliceOf(types[i]);
	}
	return (Slice) {NULL, 0};
}

static bool
HasOrigin(const HttpRequest *request)
{
	Slice		origin;

	return http_allow_origin[0] != '\0' &&
		HttpFindHeader(request->head, request->data, "origin", &origin);
}

/* What a browser asks before it lets a page send something. */
static HttpAnswer
PreflightAnswer(const HttpRequest *request)
{
	HttpAnswer	answer = EmptyAnswer(200);

	answer.preflight = true;
	(void) HttpFindHeader(request->head, request->data, "access-control-request-headers",
						  &answer.allow_headers);
	(void) HttpFindHeader(request->head, request->data, "access-control-request-method",
						  &answer.allow_methods);
	return answer;
}

/* For load balancers: some ask for a path of their own, all others for any. */
static HttpAnswer
AnswerGet(const HttpRequest *request)
{
	HttpAnswer	answer;

	if (HealthAnswer(HttpText(request->data, request->head->path), &answer))
		return answer;
	answer = EmptyAnswer(200);
	answer.body = SliceOf(psprintf("healthy: dynamodb.%s.amazonaws.com ",
								GetConfigOptionResetString("dynamo.region")));
	return answer;
}

static HttpAnswer
NotFoundAnswer(void)
{
	HttpAnswer	answer = EmptyAnswer(404);

	answer.body = SliceOf("<UnknownOperationException/>\n");
	return answer;
}

static HttpAnswer
ForeignAnswer(const char *problem, const char *peer)
{
	ErrorData	error = {
		.sqlerrcode = ERRCODE_DYNAMO_ACCESS_DENIED,
		.message = unconstify(char *, problem)
	};
	const char *more = LogLimit(LOG_KIND_HOST);
	StringInfoData body;
	HttpAnswer	answer;

	if (more != NULL)
		ereport(LOG,
				(errcode(ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION),
				 errmsg("refused HTTP request from client %s: %s%s", peer, problem, more)));
	initStringInfo(&body);
	answer = EmptyAnswer(FailureBody(&body, &error));
	answer.body = (Slice) {body.data, (uint32) body.len};
	return answer;
}

/* Compresses a long answer for clients that like that better. */
static void
CompressAnswer(const HttpRequest *request, HttpAnswer *answer)
{
	Slice		accepted;
	HttpCoding	coding;

	if (answer->body.len <= COMPRESSED_FROM ||
		!HttpFindHeader(request->head, request->data, "accept-encoding", &accepted))
		return;
	coding = CodingForAnswer(accepted);
	if (coding == CODING_IDENTITY)
		return;
	answer->body = Deflate(coding, answer->body);
	answer->content_encoding = CodingName(coding);
}

/* problem: why it is refused; NULL if it is not. */
static HttpAnswer
AnswerPost(const HttpRequest *request, const char *peer, const char *problem)
{
	Slice		path = HttpText(request->data, request->head->path);
	Slice		type = ContentType(request);
	HttpAnswer	answer;

	if (path.len != 1 || path.data[0] != '/' || (request->body.len > 0 && type.len == 0))
		return NotFoundAnswer();
	answer = problem != NULL ? ForeignAnswer(problem, peer) : ExecuteRequest(request, peer);
	answer.content_type = type.len > 0 ? type : SliceOf(AMZ_TYPE);
	CompressAnswer(request, &answer);
	return answer;
}

HttpAnswer
ProtocolAnswer(const HttpRequest *request, const char *peer)
{
	const char *problem = HostProblem(request);
	bool		origin = problem == NULL && HasOrigin(request);
	HttpAnswer	answer;

	if (origin && IsMethod(request, "OPTIONS"))
		answer = PreflightAnswer(request);
	else if (IsMethod(request, "GET"))
		answer = AnswerGet(request);
	else if (IsMethod(request, "POST"))
		answer = AnswerPost(request, peer, problem);
	else
		answer = NotFoundAnswer();
	answer.allow_origin = origin;
	return answer;
}

HttpAnswer
ProtocolUnavailable(const HttpRequest *request)
{
	HttpAnswer	answer = UnavailableAnswer();
	Slice		type = ContentType(request);

	if (type.len > 0)
		answer.content_type = type;
	answer.allow_origin = HostProblem(request) == NULL && HasOrigin(request);
	return answer;
}
