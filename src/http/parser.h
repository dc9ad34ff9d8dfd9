/*
 * parser.h
 *	  HTTP/1.1 requests from bytes.
 *
 * Written here because nothing that is kept up can be had where PostgreSQL
 * runs: Debian 12 has http-parser only, which its authors gave up in 2022, and
 * not its successor; the parsers meant to be copied into a program are not
 * packaged.  What an endpoint for one kind of client needs of HTTP is small,
 * and here it is strict: where RFC 9112 lets a server repair what it gets,
 * this one refuses (bare line feeds, folded lines, repeated lengths), since
 * two readings of one request are what smuggling lives on.
 *
 * Nothing of a server is used; the text may come in pieces of any size and
 * need not end with a NUL.  Places are kept as offsets, since the buffer of a
 * connection moves while it grows.
 */
#ifndef DYNAMO_HTTP_PARSER_H
#define DYNAMO_HTTP_PARSER_H

#include "item/item.h"

#define HTTP_MAX_HEAD		(32 * 1024)
#define HTTP_MAX_HEADERS	100
#define HTTP_MAX_BODY		(16 * 1024 * 1024)

typedef struct HttpSpan
{
	uint32		at;
	uint32		len;
} HttpSpan;

typedef struct HttpHeader
{
	HttpSpan	name;			/* as it was sent */
	HttpSpan	value;			/* without white space around it */
} HttpHeader;

typedef enum HttpStep
{
	HTTP_MORE,					/* not all of it is there */
	HTTP_DONE,
	HTTP_FAILED
} HttpStep;

/* How far the search for the end of a head has come; zero at first. */
typedef struct HttpScan
{
	uint32		at;				/* bytes looked at */
	uint32		line;			/* where the current line begins */
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
	uint32		content_length; /* 0 if none was given */
	int			nheaders;
	HttpHeader	headers[HTTP_MAX_HEADERS];

	/* of HTTP_FAILED: status of the answer, and why, for the log */
	int			status;
	const char *reason;
} HttpHead;

/*
 * Reads the head of the request that begins at data.  scan is kept from call
 * to call while more bytes come.
 */
extern HttpStep HttpReadHead(HttpHead *head, HttpScan *scan, const char *data, uint32 len);

/* A chunked body that is decoded where it stands. */
typedef struct HttpChunks
{
	int			state;
	uint32		left;			/* of this chunk; digits of its size at first */
	uint32		line;			/* bytes of this line, or of all trailers */
	uint32		start;			/* where the body begins */
	uint32		from;			/* the next byte to decode */
	uint32		to;				/* the end of what is decoded */
	int			status;			/* of HTTP_FAILED */
	const char *reason;
} HttpChunks;

/* Starts decoding the body at this offset. */
extern void HttpChunksInit(HttpChunks *chunks, uint32 at);

/*
 * Decodes what there is of data up to len, moving the body's bytes together.
 * When done, the body ends at chunks->to, and chunks->from is the first byte
 * beyond the request.
 */
extern HttpStep HttpReadChunks(HttpChunks *chunks, char *data, uint32 len);

static inline Slice
HttpText(const char *data, HttpSpan span)
{
	return (Slice) {data + span.at, span.len};
}

/* Whether texts are the same but for the case of ASCII letters. */
extern bool HttpSameSlice(Slice a, Slice b);
extern bool HttpSame(Slice text, const char *other);

/* A request that is there as a whole. */
typedef struct HttpRequest
{
	const char *data;			/* what the head's offsets are into */
	const HttpHead *head;
	Slice		body;
	const char *id;				/* in the answer and the log */
} HttpRequest;

/*
 * The value of the header of this name (the first one, if there are more);
 * false if there is none.
 */
extern bool HttpFindHeader(const HttpHead *head, const char *data, const char *name, Slice *value);

#endif							/* DYNAMO_HTTP_PARSER_H */
