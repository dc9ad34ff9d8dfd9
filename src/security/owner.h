/*
 * owner.h
 *	  Runs code as the owner of a relation.
 *
 * The owner's rights are a check where a user's statement causes a write: a
 * view, copies, totals, references, index tables and streams check privileges
 * as the owner (StoreOpenAs, StorePlanAs), and triggers, defaults, domains and
 * index expressions run as the user, as in a plain statement.  Nothing changes
 * the current user there: code of the owner would find the temporary tables of
 * the user's session.
 *
 * A scope is for work that the user did not request by a statement of their
 * own: the definition and building of indexes, work for a superuser, background
 * workers, and a table that a reference has left to another owner.  PostgreSQL runs code of a relation's owner when it opens the
 * relation's indexes (constant subexpressions are evaluated immediately), plans
 * a statement on it, computes index keys, predicates, defaults, generated
 * columns or checks, or fires its triggers.  Such work must enter a scope
 * before any of these, as REINDEX, ANALYZE and CLUSTER do.
 *
 * Nothing else in the extension changes the current user, except
 * worker/identity.c, which takes on the role of a client.  SECURITY.md has a
 * table of whose code runs as whom.
 */
#ifndef DYNAMO_SECURITY_OWNER_H
#define DYNAMO_SECURITY_OWNER_H

#include "exported.h"

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
 * Raises an error in a session that has temporary objects, unless its user has
 * the owner's rights: whatever search_path is, the owner's code would find a
 * temporary table in place of its own.
 *
 * Scopes can be nested and end in reverse order.  An error ends the scope with
 * the transaction or subtransaction.  A scope must not span the end of a
 * transaction.
 */
extern DYNAMO_EXPORT void OwnerScopeEnter(OwnerScope *scope, Oid owner);

/*
 * Enters a scope if the user has the owner's rights without being the owner, as a
 * superuser and a member of its role have: nobody's code shall run as them because
 * they check, repair, export or import a table, or delete its expired items.  For
 * other users these are statements of their own, with their rights.
 */
extern DYNAMO_EXPORT void OwnerScopeEnterForMaintenance(OwnerScope *scope, Oid owner);

/*
 * Enters a scope for a user's write through a view that uses the rights of its
 * owner, to a distributed table, whose statements are sent to other nodes in the
 * name of the current user.  Row security that is forced on the owner applies.
 */
extern void OwnerScopeEnterForView(OwnerScope *scope, Oid owner);

/*
 * Enters a scope for statements on the extension's own tables, as their owner,
 * in any session.  All code that runs is the extension's, and names no relation
 * without its schema.
 */
extern DYNAMO_EXPORT void OwnerScopeEnterForExtension(OwnerScope *scope, Oid owner);

extern DYNAMO_EXPORT void OwnerScopeLeave(const OwnerScope *scope);

/*
 * Makes the owner the user of this background worker across transactions: for
 * statements that commit, such as CREATE INDEX CONCURRENTLY, which restrict
 * the owner's code themselves.  Other code of the owner must run in a scope,
 * since it could otherwise become the role that the worker has connected as.
 * Must be called in a transaction.
 */
extern void OwnerAssume(Oid owner);

#endif							/* DYNAMO_SECURITY_OWNER_H */
