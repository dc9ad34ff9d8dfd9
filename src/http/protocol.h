/*
 * protocol.h
 *	  Answers requests of the DynamoDB API over HTTP.
 */
#ifndef DYNAMO_HTTP_PROTOCOL_H
#define DYNAMO_HTTP_PROTOCOL_H

#include "http/answer.h"
#include "http/parser.h"

/*
 * Returns the answer to a complete request, static or in the current memory
 * context.  Must be called outside transactions.  peer is the client's name in
 * the log.
 */
extern HttpAnswer ProtocolAnswer(const HttpRequest *request, const char *peer);

/* The answer to a request for which there is no memory. */
extern HttpAnswer ProtocolUnavailable(const HttpRequest *request);

#endif							/* DYNAMO_HTTP_PROTOCOL_H */
