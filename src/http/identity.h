/*
 * identity.h
 *	  Whose rights and settings a request is executed with.
 *
 * A worker is nobody in particular and becomes the role of each request in
 * turn, as if that role had connected: its name is the session's user, its
 * settings (ALTER ROLE ... SET) hold, and what an earlier role left in the
 * session is gone.
 */
#ifndef DYNAMO_IDENTITY_H
#define DYNAMO_IDENTITY_H

typedef struct Identity
{
	Oid			role;
	bool		superuser;
	int			nsettings;
	char	  **settings;		/* "name=value" */
} Identity;

/*
 * Reads a role, in a transaction, into the current memory context.  Raises
 * ERRCODE_DYNAMO_UNRECOGNIZED_CLIENT if it could not connect to this database:
 * it is gone, may not log in, or has no CONNECT privilege.
 */
extern void IdentityRead(Identity *identity, Oid role);

/* Whether the worker is this role already. */
extern bool IdentityIsAssumed(const Identity *identity);

/* Becomes the role; outside transactions. */
extern void IdentityAssume(const Identity *identity);

/*
 * Begins and ends the time in which code of others may run: it can not become
 * anybody else.  The first one after a transaction has begun, the second
 * after it has ended, however it did.
 */
extern void IdentityEnter(void);
extern void IdentityLeave(void);

#endif							/* DYNAMO_IDENTITY_H */
