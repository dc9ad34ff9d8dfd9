/*
 * request_hook.h
 *	  A function that executes requests in the place of the operations.
 *
 * It is for a library that a server loads with itself (shared_preload_libraries) and that sets
 * the variable in its _PG_init; faults/ is one.  The function gets a request that has been read
 * and agrees with the model, with its snapshot active and the object of the response open.  It may
 *
 *	raise an error			which the client gets as the exception of its SQLSTATE (errors.h)
 *	replace request->input	by a copy with other fields
 *	append to request->out	what the operation would
 *	call request->operation->execute(request), before or after
 *
 * Nothing has been executed before it is called, and all of it is part of the request's
 * transaction.  A request that waited for a lock, or whose page was interrupted, is executed
 * again, with another call; request->pause->context is set in the second case.
 */
#ifndef DYNAMO_REQUEST_HOOK_H
#define DYNAMO_REQUEST_HOOK_H

#include "exported.h"

struct Request;					/* request/operation.h */

/* NULL on every server that is not for tests. */
extern DYNAMO_EXPORT PGDLLIMPORT void (*request_hook) (struct Request *request);

#endif							/* DYNAMO_REQUEST_HOOK_H */
