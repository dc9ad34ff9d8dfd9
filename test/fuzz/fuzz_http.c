/*
 * fuzz_http.c
 *	  Any bytes as HTTP requests, and as what they say of their signatures.
 *
 * A request must be read the same whether its bytes come at once or one by
 * one; what is read lies within it; the lengths add up.
 */
#include "postgres.h"

#include <setjmp.h>

#include "fuzz.h"
#include "http/parser.h"
#include "http/sigv4.h"
#include "lib/stringinfo.h"

/* One request as far as it could be read. */
typedef struct Result
{
	HttpStep	step;
	int			status;			/* if it failed */
	HttpHead	head;
	uint32		body_len;
	uint32		end;			/* of the request, in the bytes that came */
	char	   *data;
} Result;

/*
 * Reads a request whose bytes come in pieces of this size, as a connection
 * does.
 */
static void
Read(Result *result, const uint8 *data, uint32 size, uint32 piece)
{
	HttpScan	scan = {0, 0};
	HttpChunks	chunks;
	uint32		come = 0;		/* bytes that came */
	uint32		len = 0;		/* bytes in the buffer */
	bool		has_head = false;

	result->data = palloc(size + 1);
	result->step = HTTP_MORE;
	while (result->step == HTTP_MORE && come < size)
	{
		uint32		n = Min(piece, size - come);

		memcpy(result->data + len, data + come, n);
		come += n;
		len += n;
		if (!has_head)
		{
			result->step = HttpReadHead(&result->head, &scan, result->data, len);
			result->status = result->head.status;
			if (result->step != HTTP_DONE)
				continue;
			has_head = true;
			HttpChunksInit(&chunks, result->head.len);
		}
		if (!result->head.chunked)
		{
			result->body_len = result->head.content_length;
			result->end = result->head.len + result->body_len;
			result->step = len >= result->end ? HTTP_DONE : HTTP_MORE;
			continue;
		}
		result->step = HttpReadChunks(&chunks, result->data, len);
		result->status = chunks.status;
		FUZZ_CHECK(chunks.to <= chunks.from && chunks.from <= len);
		result->body_len = chunks.to - result->head.len;
		result->end = come - (len - chunks.from);
		if (result->step == HTTP_MORE)
		{
			FUZZ_CHECK(chunks.from == len);
			len = chunks.to;
			chunks.from = chunks.to;
		}
	}
}

static void
CheckSpan(const HttpHead *head, HttpSpan span)
{
	FUZZ_CHECK(span.at <= head->len && span.len <= head->len - span.at);
}

static void
CheckHead(const HttpHead *head, const char *data)
{
	CheckSpan(head, head->method);
	CheckSpan(head, head->path);
	CheckSpan(head, head->query);
	FUZZ_CHECK(head->method.len > 0 && head->path.len > 0);
	FUZZ_CHECK(head->nheaders <= HTTP_MAX_HEADERS);
	FUZZ_CHECK(!(head->chunked && head->content_length > 0));
	FUZZ_CHECK(head->content_length <= HTTP_MAX_BODY);
	for (int i = 0; i < head->nheaders; i++)
	{
		CheckSpan(head, head->headers[i].name);
		CheckSpan(head, head->headers[i].value);
	}
	FUZZ_CHECK(memchr(data, '\0', head->len) == NULL);
	FUZZ_CHECK(memcmp(data + head->len - 4, "\r\n\r\n", 4) == 0);
}

/* A failure has a status, and nothing else is compared of it. */
static void
CheckSame(const Result *a, const Result *b)
{
	FUZZ_CHECK(a->step == b->step);
	if (a->step == HTTP_FAILED)
		FUZZ_CHECK(a->status == b->status && a->status >= 400);
	if (a->step != HTTP_DONE)
		return;
	FUZZ_CHECK(a->end == b->end && a->body_len == b->body_len && a->head.len == b->head.len);
	FUZZ_CHECK(memcmp(a->data, b->data, a->head.len + a->body_len) == 0);
}

static void
TestRequest(const uint8 *data, size_t size)
{
	Result		at_once = {0};
	Result		byte_by_byte = {0};

	Read(&at_once, data, (uint32) size, (uint32) size + 1);
	Read(&byte_by_byte, data, (uint32) size, 1);
	CheckSame(&at_once, &byte_by_byte);
	if (at_once.step == HTTP_DONE)
	{
		FUZZ_CHECK(at_once.end <= size);
		CheckHead(&at_once.head, at_once.data);
	}
}

/* A time near those of the corpus, so that signatures get past the clock. */
#define NOW	1767225600			/* 20260101T000000Z */

static void
ReadSignature(const uint8 *data, size_t size)
{
	Result		result = {0};
	Signature	signature;
	HttpRequest request;
	StringInfoData canonical;

	Read(&result, data, (uint32) size, (uint32) size + 1);
	if (result.step != HTTP_DONE)
		return;
	request = (HttpRequest) {.data = result.data, .head = &result.head};
	request.body = (Slice) {result.data + result.head.len, result.body_len};
	SignatureRead(&signature, &request, NOW, "us-east-1");
	FUZZ_CHECK(signature.time.len == 16 && signature.date.len == 8);
	FUZZ_CHECK(signature.key_id.len < signature.credential.len);
	initStringInfo(&canonical);
	SignatureCanonical(&canonical, &signature, &request, "digest");
	FUZZ_CHECK(canonical.len > 0);
}

/* A signature that is refused raises an error. */
static jmp_buf refused;

static void
JumpToRefused(void)
{
	longjmp(refused, 1);
}

static void
TestSignature(const uint8 *data, size_t size)
{
	fuzz_on_error = JumpToRefused;
	if (setjmp(refused) == 0)
		ReadSignature(data, size);
	fuzz_on_error = NULL;
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	FuzzRun(TestRequest, data, size);
	FuzzRun(TestSignature, data, size);
	return 0;
}
