/*
 * request_forward.h
 *	  Requests that a worker node hands to the coordinator.
 */
#ifndef DYNAMO_REQUEST_FORWARD_H
#define DYNAMO_REQUEST_FORWARD_H

#include "request/operation.h"
#include "exported.h"

/*
 * Whether the coordinator must execute an operation: one on tables, whose settings
 * it has, or a transaction, whose token it keeps.
 */
extern DYNAMO_EXPORT bool RequestIsForCoordinator(const Operation *operation);

/*
 * Has the coordinator execute such a request, in a transaction of its own; appends
 * the body of the response and returns its HTTP status.  Only for a session whose
 * transaction holds nothing else.
 */
extern DYNAMO_EXPORT int	RequestForward(const Operation *operation, Slice json, Writer *out);

#endif							/* DYNAMO_REQUEST_FORWARD_H */
