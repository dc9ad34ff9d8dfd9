/*
 * answer.h
 *	  Answers to HTTP requests.
 */
#ifndef DYNAMO_HTTP_ANSWER_H
#define DYNAMO_HTTP_ANSWER_H

#include "lib/stringinfo.h"

#include "http/durability.h"
#include "item/item.h"

#define REQUEST_ID_LEN	52

typedef struct HttpAnswer
{
	int			status;
	Slice		content_type;	/* empty: none */
	Slice		body;
	bool		allow_origin;	/* the browser may show it to its page */
	bool		preflight;		/* what a browser may send */
	Slice		allow_headers;
	Slice		allow_methods;
	const char *request_id;		/* NULL: a new one */
	Durability	durability;		/* before which it must not be sent */
} HttpAnswer;

/* How the message is sent. */
typedef struct HttpDelivery
{
	bool		keep_alive;		/* the connection stays open */
	bool		old;			/* the client speaks HTTP/1.0 */
} HttpDelivery;

/* Appends the answer's status line and header, with the empty line. */
extern void AnswerHead(StringInfo out, const HttpAnswer *answer, HttpDelivery delivery);

/* Makes up the id of a request; id has REQUEST_ID_LEN + 1 bytes. */
extern void RequestIdMake(char *id);

/* An answer of this status without a body. */
extern HttpAnswer EmptyAnswer(int status);

/*
 * An answer of the service's that asks the client to try again: a JSON body
 * of ServiceUnavailable with this message.  Static.
 */
extern HttpAnswer UnavailableAnswer(void);

#endif							/* DYNAMO_HTTP_ANSWER_H */
