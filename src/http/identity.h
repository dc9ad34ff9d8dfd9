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
 * Reads a role, in a transaction, into the current memory context.  Returns
 * NULL, or what a log says of the role if no request may be executed as it: it
 * is gone, could not connect to this database (LOGIN, CONNECT), or is a
 * superuser that dynamo.http_allow_superuser does not allow.
 */
extern const char *IdentityRead(Identity *identity, Oid role);

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

/* Whether this is such a time. */
extern bool IdentityIsEntered(void);

#endif							/* DYNAMO_IDENTITY_H */
