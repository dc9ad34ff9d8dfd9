/*
 * protocol.h
 *	  What requests of the DynamoDB API are answered over HTTP.
 */
#ifndef DYNAMO_HTTP_PROTOCOL_H
#define DYNAMO_HTTP_PROTOCOL_H

#include "http/answer.h"
#include "http/parser.h"

/*
 * The answer to a request that has come in as a whole, in the current memory
 * context or static.  Outside transactions.  peer names the client in the log.
 */
extern HttpAnswer ProtocolAnswer(const HttpRequest *request, const char *peer);

/* The answer to one for which there is no memory. */
extern HttpAnswer ProtocolUnavailable(const HttpRequest *request);

#endif							/* DYNAMO_HTTP_PROTOCOL_H */
