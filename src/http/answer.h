/*
 * answer.h
 *	  Answers to HTTP requests.
 */
#ifndef DYNAMO_HTTP_ANSWER_H
#define DYNAMO_HTTP_ANSWER_H

#include "lib/stringinfo.h"

#include "storage/lock.h"

#include "http/durability.h"
#include "item/item.h"

#define REQUEST_ID_LEN	52

typedef struct HttpAnswer
{
	int			status;
	Slice		content_type;	/* empty if there is none */
	Slice		content_encoding;	/* of the body; empty if there is none */
	Slice		body;
	bool		allow_origin;	/* the page may read the answer */
	bool		preflight;		/* answers a CORS preflight request */
	Slice		allow_headers;
	Slice		allow_methods;
	const char *request_id;		/* NULL to create a new one */
	Durability	durability;		/* required before the answer is sent */

	/* The request has met a lock, and there is no answer yet. */
	bool		parked;
	LOCKTAG		lock;
	int			lock_timeout;	/* for all attempts, in milliseconds; 0 for none */
	bool		held_back;		/* it waits for a worker that its role does not hold, not for a lock */
} HttpAnswer;

/* How the answer is sent. */
typedef struct HttpDelivery
{
	bool		keep_alive;		/* the connection stays open */
	bool		old;			/* the client uses HTTP/1.0 */
} HttpDelivery;

/*
 * Appends the status line and the header of the answer, including the empty
 * line.
 */
extern void AnswerHead(StringInfo out, const HttpAnswer *answer, HttpDelivery delivery);

/* Generates the id of a request; id has REQUEST_ID_LEN + 1 bytes. */
extern void RequestIdMake(char *id);

/* An answer with this status and without a body. */
extern HttpAnswer EmptyAnswer(int status);

/*
 * An answer to a request that is refused before it is read, with a body that
 * SDKs show, valid until the next one.
 */
extern HttpAnswer RefusalAnswer(int status, const char *reason);

/*
 * An answer that asks the client to repeat the request: the JSON body of
 * ServiceUnavailable with this message.  Static.
 */
extern HttpAnswer UnavailableAnswer(void);

#endif							/* DYNAMO_HTTP_ANSWER_H */
