/*
 * identity.h
 *	  The role, with its privileges and settings, as which a worker acts.
 *
 * A worker has no role of its own and takes on the role of each request or table, as if
 * that role had connected: the role is the session user, its settings (ALTER
 * ROLE ... SET) apply.
 */
#ifndef DYNAMO_WORKER_IDENTITY_H
#define DYNAMO_WORKER_IDENTITY_H

#include "exported.h"

typedef struct Identity
{
	Oid			role;
	bool		superuser;
	int			nsettings;
	char	  **settings;		/* "name=value" */
} Identity;

/* Whether the worker already has this role, for the same purpose. */
extern DYNAMO_EXPORT bool IdentityIsAssumed(const Identity *identity, bool for_requests);

/*
 * Takes on the role; must be called outside transactions.  Requests find tables in the
 * schemas of dynamo.http_schemas, which the role's own settings may contain.
 */
extern DYNAMO_EXPORT void IdentityAssume(const Identity *identity, bool for_requests);

/*
 * Takes on the role of the workers themselves, with the server's settings; must be called
 * outside transactions.
 */
extern DYNAMO_EXPORT void IdentityAssumeSuperuser(void);

/*
 * Begin and end the time in which code of other users may run, which must not
 * be able to change the role.  Nothing that it leaves in the session is there the next
 * time.  Call the first function after a transaction has begun and the second after it
 * has ended in any way.
 */
extern DYNAMO_EXPORT void IdentityEnter(void);
extern DYNAMO_EXPORT void IdentityLeave(void);

/* Whether code of other users may be running. */
extern DYNAMO_EXPORT bool IdentityIsEntered(void);

#endif							/* DYNAMO_WORKER_IDENTITY_H */
