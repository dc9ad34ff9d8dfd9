/*
 * answer.c
 *	  Answers to HTTP requests.
 */
#include "postgres.h"

#include <time.h>

#include "common/pg_prng.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "http/answer.h"
#include "http/crc32.h"
#include "item/json.h"
#include "worker/endpoint.h"

/* The header fields that web pages may read, besides type and length. */
#define EXPOSED_FIELDS	"x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date,x-amz-crc32"

static const char *
GetReasonPhrase(int status)
{
	switch (status)
	{
		case 200:
			return "OK";
		case 400:
			return "Bad Request";
		case 404:
			return "Not Found";
		case 405:
			return "Method Not Allowed";
		case 408:
			return "Request Timeout";
		case 413:
			return "Content Too Large";
		case 417:
			return "Expectation Failed";
		case 431:
			return "Request Header Fields Too Large";
		case 500:
			return "Internal Server Error";
		case 501:
			return "Not Implemented";
		case 503:
			return "Service Unavailable";
		case 505:
			return "HTTP Version Not Supported";
		default:
			return "Error";
	}
}

/*
 * The line with the time, by which SDKs correct their clock.  Formatted once a
 * second.
 */
static Slice
DateLine(void)
{
	static time_t formatted = 0;
	static char text[64];
	static uint32 len;
	time_t		now = time(NULL);
	struct tm	tm;

	if (now != formatted && gmtime_r(&now, &tm) != NULL)
	{
		static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
		static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
		"Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

		/* whatever lc_time says */
		len = (uint32) snprintf(text, sizeof(text), "Date: %s, %02d %s %04d %02d:%02d:%02d GMT\r\n",
								days[tm.tm_wday], tm.tm_mday, months[tm.tm_mon], tm.tm_year + 1900,
								tm.tm_hour, tm.tm_min, tm.tm_sec);
		formatted = now;
	}
	return (Slice) {text, len};
}

static void
AppendSlice(StringInfo out, Slice text)
{
	appendBinaryStringInfo(out, text.data, (int) text.len);
}

static void
AppendDecimal(StringInfo out, uint32 number)
{
	char		digits[10];

	appendBinaryStringInfo(out, digits, pg_ultoa_n(number, digits));
}

void
RequestIdMake(char *id)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345";
	uint64		random = 0;
	int			bits = 0;

	for (int i = 0; i < REQUEST_ID_LEN; i++)
	{
		if (bits < 5)
		{
			random = pg_prng_uint64(&pg_global_prng_state);
			bits = 64;
		}
		id[i] = alphabet[random % 32];
		random >>= 5;
		bits -= 5;
	}
	id[REQUEST_ID_LEN] = '\0';
}

static void
AppendRequestId(StringInfo out, const char *id)
{
	char		made_up[REQUEST_ID_LEN + 1];

	if (id == NULL)
	{
		RequestIdMake(made_up);
		id = made_up;
	}
	appendBinaryStringInfo(out, id, REQUEST_ID_LEN);
}

static void
AppendStatusLine(StringInfo out, int status)
{
	appendStringInfoString(out, "HTTP/1.1 ");
	AppendDecimal(out, (uint32) status);
	appendStringInfoChar(out, ' ');
	appendStringInfoString(out, GetReasonPhrase(status));
	appendStringInfoString(out, "\r\n");
}

/* A line for a field, unless it is empty. */
static void
AppendHeaderField(StringInfo out, const char *name, Slice value)
{
	if (value.len == 0)
		return;
	appendStringInfoString(out, name);
	appendStringInfoString(out, ": ");
	AppendSlice(out, value);
	appendStringInfoString(out, "\r\n");
}

static void
AppendCors(StringInfo out, const HttpAnswer *answer)
{
	if (answer->allow_origin)
		appendStringInfo(out, "Access-Control-Allow-Origin: %s\r\n"
						 "Access-Control-Expose-Headers: " EXPOSED_FIELDS "\r\n", http_allow_origin);
	if (!answer->preflight)
		return;
	AppendHeaderField(out, "Access-Control-Allow-Headers", answer->allow_headers);
	AppendHeaderField(out, "Access-Control-Allow-Methods", answer->allow_methods);
	appendStringInfoString(out, "Access-Control-Max-Age: 172800\r\n");
}

void
AnswerHead(StringInfo out, const HttpAnswer *answer, HttpDelivery delivery)
{
	AppendStatusLine(out, answer->status);
	appendStringInfoString(out, "Server: Server\r\n");
	AppendSlice(out, DateLine());
	if (!delivery.keep_alive)
		appendStringInfoString(out, "Connection: close\r\n");
	else if (delivery.old)
		appendStringInfoString(out, "Connection: keep-alive\r\n");
	AppendHeaderField(out, "Content-Type", answer->content_type);
	AppendHeaderField(out, "Content-Encoding", answer->content_encoding);
	appendStringInfoString(out, "Content-Length: ");
	AppendDecimal(out, answer->body.len);
	appendStringInfoString(out, "\r\nx-amzn-RequestId: ");
	AppendRequestId(out, answer->request_id);
	appendStringInfoString(out, "\r\nx-amz-crc32: ");
	AppendDecimal(out, Crc32(answer->body));
	appendStringInfoString(out, "\r\n");
	AppendCors(out, answer);
	appendStringInfoString(out, "\r\n");
}

HttpAnswer
EmptyAnswer(int status)
{
	HttpAnswer	answer = {.status = status};

	return answer;
}

#define JSON_ANSWER_TYPE	"application/x-amz-json-1.0"

/* The exception of a request that is refused before it is read, by its status. */
static const char *
RefusalName(int status)
{
	switch (status)
	{
		case 408:
			return "com.amazon.coral.service#RequestTimeoutException";
		case 413:
			return "com.amazon.coral.service#RequestTooLargeException";
		default:
			return "com.amazon.coral.validate#ValidationException";
	}
}

HttpAnswer
RefusalAnswer(int status, const char *reason)
{
	static StringInfoData body;
	HttpAnswer	answer = {.status = status};
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

	if (body.data == NULL)
		initStringInfo(&body);
	MemoryContextSwitchTo(old);
	resetStringInfo(&body);
	appendStringInfo(&body, "{\"__type\":\"%s\",\"message\":", RefusalName(status));
	JsonAppendString(&body, reason, strlen(reason));
	appendStringInfoChar(&body, '}');
	answer.content_type = SliceOf(JSON_ANSWER_TYPE);
	answer.body = (Slice) {body.data, (uint32) body.len};
	return answer;
}

HttpAnswer
UnavailableAnswer(void)
{
	static const char type[] = JSON_ANSWER_TYPE;
	static const char body[] =
		"{\"__type\":\"com.amazonaws.dynamodb.v20120810#ServiceUnavailable\","
		"\"message\":\"The service is temporarily overloaded.\"}";
	HttpAnswer	answer = {.status = 503};

	answer.content_type = (Slice) {type, sizeof(type) - 1};
	answer.body = (Slice) {body, sizeof(body) - 1};
	return answer;
}
