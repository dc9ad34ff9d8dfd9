/*
 * parser.h
 *	  Parses HTTP/1.1 requests.
 *
 * No maintained parser is available as a package where PostgreSQL runs: Debian
 * 12 has only http-parser, which is unmaintained since 2022, and not its
 * successor; parsers meant to be copied into a program are not packaged.  The
 * endpoint needs only a small part of HTTP, and this parser is strict: it
 * rejects malformed requests that RFC 9112 allows a server to repair (bare
 * line feeds, folded lines, repeated lengths), because request smuggling
 * relies on different interpretations of one request.
 *
 * The parser does not depend on a server.  The text may arrive in pieces of
 * any size and need not end with a NUL.  Positions are stored as offsets,
 * since the buffer of a connection moves when it grows.
 */
#ifndef DYNAMO_HTTP_PARSER_H
#define DYNAMO_HTTP_PARSER_H

#include "datatype/timestamp.h"

#include "item/item.h"

#define HTTP_MAX_HEAD		(32 * 1024)
#define HTTP_MAX_HEADERS	100
#define HTTP_MAX_BODY		(16 * 1024 * 1024)
#define HTTP_BODY_TOO_LONG	"request body is too large"

typedef struct HttpSpan
{
	uint32		at;
	uint32		len;
} HttpSpan;

typedef struct HttpHeader
{
	HttpSpan	name;			/* as sent */
	HttpSpan	value;			/* without surrounding white space */
} HttpHeader;

typedef enum HttpStep
{
	HTTP_MORE,					/* more input is needed */
	HTTP_DONE,
	HTTP_FAILED
} HttpStep;

/* State of the search for the end of a head; zero at first. */
typedef struct HttpScan
{
	uint32		at;				/* bytes searched */
	uint32		line;			/* start of the current line */
} HttpScan;

typedef struct HttpHead
{
	uint32		len;			/* bytes up to the body */
	HttpSpan	method;
	HttpSpan	path;
	HttpSpan	query;			/* after the question mark */
	bool		old;			/* HTTP/1.0 */
	bool		keep_alive;
	bool		expect_continue;
	bool		chunked;
	uint32		content_length; /* 0 if not given */
	int			nheaders;
	HttpHeader	headers[HTTP_MAX_HEADERS];

	/* for HTTP_FAILED: the status of the answer, and the reason for the log */
	int			status;
	const char *reason;
} HttpHead;

/*
 * Parses the head of the request that starts at data.  The caller keeps scan
 * between calls while more bytes arrive.
 */
extern HttpStep HttpReadHead(HttpHead *head, HttpScan *scan, const char *data, uint32 len);

/* A chunked body that is decoded in place. */
typedef struct HttpChunks
{
	int			state;
	uint32		left;			/* remaining bytes of this chunk; digits of its size at first */
	uint32		line;			/* bytes of this line or of all trailers */
	uint32		start;			/* start of the body */
	uint32		from;			/* next byte to decode */
	uint32		to;				/* end of the decoded bytes */
	int			status;			/* of HTTP_FAILED */
	const char *reason;
} HttpChunks;

/* Starts decoding the body at this offset. */
extern void HttpChunksInit(HttpChunks *chunks, uint32 at);

/*
 * Decodes the bytes of data up to len and moves the body's bytes together.
 * When done, the body ends at chunks->to, and chunks->from is the first byte
 * after the request.
 */
extern HttpStep HttpReadChunks(HttpChunks *chunks, char *data, uint32 len);

static inline Slice
HttpText(const char *data, HttpSpan span)
{
	return (Slice) {data + span.at, span.len};
}

/* Whether texts are equal, ignoring the case of ASCII letters. */
extern bool HttpSameSlice(Slice a, Slice b);
extern bool HttpSame(Slice text, const char *other);

struct ReadPause;				/* op/op.h */

/* A complete request. */
typedef struct HttpRequest
{
	const char *data;			/* base of the head's offsets */
	const HttpHead *head;
	Slice		body;
	const char *id;				/* request id for the answer and the log */
	const char *certificate_name;	/* in the client's certificate; NULL: none */
	bool		last_attempt;	/* fails if it meets a lock */
	bool		ends_vacuums;	/* has waited so long that PostgreSQL would cancel an automatic vacuum */
	bool		held_back;		/* the last attempt was given up: its role has its share of workers */
	TimestampTz first_attempt;	/* time of the first one; 0: this is it */
	struct ReadPause *pause;	/* how to interrupt its execution */
} HttpRequest;

/*
 * Returns the value of the first header with this name; false if there is
 * none.
 */
extern bool HttpFindHeader(const HttpHead *head, const char *data, const char *name, Slice *value);

#endif							/* DYNAMO_HTTP_PARSER_H */
