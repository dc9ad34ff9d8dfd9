/*
 * execute.h
 *	  Executes requests of the DynamoDB API, each in its own transaction.
 */
#ifndef DYNAMO_HTTP_EXECUTE_H
#define DYNAMO_HTTP_EXECUTE_H

#include "http/answer.h"
#include "http/parser.h"

/*
 * Authenticates a request, executes it as its role in a transaction, and
 * commits; if there is an error, rolls back and returns it as the answer.  The
 * answer is in the current memory context.  Must be called outside
 * transactions.  Only errors that end the worker are raised.
 */
extern HttpAnswer ExecuteRequest(const HttpRequest *request, const char *peer);

#endif							/* DYNAMO_HTTP_EXECUTE_H */
