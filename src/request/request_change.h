/*
 * request_change.h
 *	  Executes the operations that change a table rather than its items.
 */
#ifndef DYNAMO_REQUEST_CHANGE_H
#define DYNAMO_REQUEST_CHANGE_H

#include "request/operation.h"

/*
 * Executes such an operation.  A conflict with an index build or another
 * change raises ERRCODE_DYNAMO_RESOURCE_IN_USE.
 */
extern void ChangeExecute(Request *request);

#endif							/* DYNAMO_REQUEST_CHANGE_H */
