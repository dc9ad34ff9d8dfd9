/*
 * owner.h
 *	  Runs code as the owner of a relation.
 *
 * PostgreSQL runs code of a relation's owner when it opens the relation's
 * indexes (constant subexpressions are evaluated immediately), plans a
 * statement on it, computes index keys, predicates, defaults, generated
 * columns or checks, or fires its triggers.  Work on a relation that the user
 * did not request by their own statement (maintenance of any kind) must enter
 * a scope before any of these, as REINDEX, ANALYZE and CLUSTER do.
 *
 * Nothing else in the extension changes the current user, except
 * http/identity.c, which takes on the role of a client.
 */
#ifndef DYNAMO_TABLE_OWNER_H
#define DYNAMO_TABLE_OWNER_H

/* The state to restore. */
typedef struct OwnerScope
{
	Oid			role;
	int			context;
	int			guc_level;
} OwnerScope;

/*
 * Makes the owner the current user until OwnerScopeLeave.  In the scope:
 *
 * - The operation is security-restricted: owners' code cannot change the role,
 *   queue deferred triggers (which would run as another user at commit), open
 *   cursors, prepare statements, listen, or create temporary objects.
 * - Settings that owners' code changes are restored at the end, and
 *   search_path is "pg_catalog, pg_temp", so that the caller cannot choose
 *   which functions the owner's code finds.  Names from the caller must be
 *   resolved before.
 * - Row security that is forced on the owner hides no rows, because indexes,
 *   streams and references concern all rows.
 *
 * Scopes can be nested and end in reverse order.  An error ends the scope with
 * the transaction or subtransaction.  A scope must not span the end of a
 * transaction.
 */
extern void OwnerScopeEnter(OwnerScope *scope, Oid owner);

/*
 * Enters a scope for a user's statement on many rows, such as an import, if
 * the user has the owner's rights without being the owner.  Other users keep
 * their own identity.  search_path does not change, for the triggers that the
 * statement fires, and the user's row security applies.
 */
extern void OwnerScopeEnterForStatement(OwnerScope *scope, Oid owner);

/*
 * Enters a scope for a user's write through a view that uses the rights of its
 * owner.  Restricted, with a safe search_path, but row security that is forced
 * on the owner applies.
 */
extern void OwnerScopeEnterForView(OwnerScope *scope, Oid owner);

/*
 * Enters an unrestricted scope with unchanged settings, for rows that a user's
 * own statement deletes in a table that refers to its table.  Triggers and
 * deferred constraints fire there, as when a foreign key cascades.
 */
extern void OwnerScopeEnterForCascade(OwnerScope *scope, Oid owner);

/*
 * Enters a restricted scope with unchanged settings, for work that runs no code
 * of the owner: locking a row that a direct store finds by its key.
 */
extern void OwnerScopeEnterForLock(OwnerScope *scope, Oid owner);

extern void OwnerScopeLeave(const OwnerScope *scope);

/*
 * Makes the owner the user of this background worker across transactions: for
 * statements that commit, such as CREATE INDEX CONCURRENTLY, which restrict
 * the owner's code themselves.  Other code of the owner must run in a scope,
 * since it could otherwise become the role that the worker has connected as.
 * Must be called in a transaction.
 */
extern void OwnerAssume(Oid owner);

#endif							/* DYNAMO_TABLE_OWNER_H */
