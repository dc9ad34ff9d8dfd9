/*
 * owner.h
 *	  Acting as the owner of a relation.
 *
 * PostgreSQL runs code of a relation's owner wherever it opens the relation's
 * indexes (constant subexpressions are evaluated at once), plans a statement
 * on it, computes index keys, predicates, defaults, generated columns or
 * checks, or fires its triggers.  Work on a relation that its user did not ask
 * for in a statement of their own (maintenance of any kind) enters a scope
 * before any of these, as REINDEX, ANALYZE and CLUSTER do.
 *
 * Nothing else in the extension changes the current user, but for
 * http/identity.c, which assumes the role of a client.
 */
#ifndef DYNAMO_OWNER_H
#define DYNAMO_OWNER_H

/* What to return to. */
typedef struct OwnerScope
{
	Oid			role;
	int			context;
	int			guc_level;
} OwnerScope;

/*
 * Makes the owner the current user until OwnerScopeLeave.  In between
 * - the operation is security-restricted: owners' code cannot change the role,
 *   queue deferred triggers (they would run as somebody else at commit), open
 *   cursors, prepare statements, listen, or create temporary objects;
 * - settings that owners' code changes are restored at the end, and
 *   search_path is "pg_catalog, pg_temp", so that no caller chooses which
 *   functions the owner's code finds.  Names that the caller wrote must be
 *   resolved before;
 * - row security that is forced on the owner hides no rows: indexes, streams
 *   and references are about all of them.
 *
 * Scopes nest, and end in reverse order.  An error ends the scope with the
 * transaction or subtransaction.  A scope must not span the end of a
 * transaction.
 */
extern void OwnerScopeEnter(OwnerScope *scope, Oid owner);

/*
 * The same for a statement that a user has run on many rows, such as an
 * import: by a user who has the owner's rights without being the owner.  Others
 * act as themselves.  search_path stays, for the triggers that the statement
 * fires, and row security hides what it hides from the user.
 */
extern void OwnerScopeEnterForStatement(OwnerScope *scope, Oid owner);

/*
 * The same, unrestricted and with the settings as they are, for rows that a
 * user's own statement deletes in a table that refers to its table: triggers
 * and deferred constraints there are due, as when a foreign key cascades.
 */
extern void OwnerScopeEnterForCascade(OwnerScope *scope, Oid owner);

extern void OwnerScopeLeave(const OwnerScope *scope);

/*
 * Makes the owner the user of this background worker, from one transaction to
 * the next: for statements that commit by themselves, such as CREATE INDEX
 * CONCURRENTLY, which restrict the owner's code themselves.  Other code of the
 * owner's runs in a scope: outside of one it could become the role that the
 * worker has connected as.  In a transaction.
 */
extern void OwnerAssume(Oid owner);

#endif							/* DYNAMO_OWNER_H */
