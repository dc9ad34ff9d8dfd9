/*
 * change.h
 *	  Executing the operations that change a table rather than its items.
 */
#ifndef DYNAMO_CHANGE_H
#define DYNAMO_CHANGE_H

#include "request/operation.h"

/*
 * Executes such an operation.  What was in its way, a build of an index or
 * another change, is raised as ERRCODE_DYNAMO_RESOURCE_IN_USE.
 */
extern void ChangeExecute(Request *request);

#endif							/* DYNAMO_CHANGE_H */
