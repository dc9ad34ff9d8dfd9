/*
 * execute.h
 *	  Requests of the DynamoDB API in transactions of their own.
 */
#ifndef DYNAMO_HTTP_EXECUTE_H
#define DYNAMO_HTTP_EXECUTE_H

#include "http/answer.h"
#include "http/parser.h"

/*
 * Authenticates a request, executes it as its role in a transaction, and
 * commits; rolls back and answers the error if there is one.  The answer is in
 * the current memory context.  Outside transactions; only errors that end the
 * worker come out.
 */
extern HttpAnswer ExecuteRequest(const HttpRequest *request, const char *peer);

#endif							/* DYNAMO_HTTP_EXECUTE_H */
