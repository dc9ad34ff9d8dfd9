/*
 * identity.h
 *	  The role, with its privileges and settings, that executes a request.
 *
 * A worker has no role of its own and takes on the role of each request, as if
 * that role had connected: the role is the session user, its settings (ALTER
 * ROLE ... SET) apply, and everything that a previous role left in the session
 * is removed.
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
 * Reads a role into the current memory context, in a transaction.  Returns
 * NULL, or the reason for the log if no request may be executed as the role:
 * it does not exist, could not connect to this database (LOGIN, CONNECT), or
 * is a superuser without dynamo.http_allow_superuser.
 */
extern const char *IdentityRead(Identity *identity, Oid role);

/* Whether the worker already has this role. */
extern bool IdentityIsAssumed(const Identity *identity);

/* Takes on the role; must be called outside transactions. */
extern void IdentityAssume(const Identity *identity);

/*
 * Begin and end the time in which code of other users may run, which must not
 * be able to change the role.  Call the first function after a transaction has
 * begun and the second after it has ended in any way.
 */
extern void IdentityEnter(void);
extern void IdentityLeave(void);

/* Whether code of other users may be running. */
extern bool IdentityIsEntered(void);

#endif							/* DYNAMO_IDENTITY_H */
