/*
 * role.h
 *	  Reads the role that executes a request.
 */
#ifndef DYNAMO_HTTP_ROLE_H
#define DYNAMO_HTTP_ROLE_H

#include "worker/identity.h"

/*
 * Reads a role into the current memory context, in a transaction.  Returns
 * NULL, or the reason for the log if no request may be executed as the role:
 * it does not exist, could not connect to this database (LOGIN, CONNECT), or
 * is a superuser without dynamo.http_allow_superuser.
 */
extern const char *RoleRead(Identity *identity, Oid role);

#endif							/* DYNAMO_HTTP_ROLE_H */
