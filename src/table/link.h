/*
 * link.h
 *	  Links from index tables and streams to their table.
 *
 * Definitions are arguments of triggers, which any owner of a table can write
 * by hand, so that a name in a definition may be that of another user's table.
 * An index table or a stream therefore records its table itself, in a form
 * that PostgreSQL maintains.  It has a trigger that never fires:
 *
 *	CREATE CONSTRAINT TRIGGER "~dynamo_belongs_to"
 *	AFTER DELETE ON "shop$GSI1" FROM shop FOR EACH ROW WHEN (false)
 *	EXECUTE FUNCTION dynamo_system.belongs_to('shop$GSI1')
 *
 * FROM stores the OID of the table (tgconstrrelid) and makes the trigger depend
 * on it.  The link remains valid if either table changes its name, schema or
 * owner.  A dump contains it with the index table and restores it in any order
 * and in parallel.  DROP of the table drops it, which tells the event trigger
 * what belonged to the table.  Dependencies that an extension records itself
 * have none of these properties: pg_dump and pg_upgrade omit them.  The link is
 * a trigger of the index table, so that a dump of the table alone does not need
 * the index table.
 *
 * The argument is the label: the name of the index's relation in the table's
 * definition, or the name of the stream in the table's capture_changes
 * triggers, independent of the relation's current name.  A link is valid if
 * - its creator owned both tables (an event trigger checks this),
 * - both tables have the same owner, and
 * - a trigger of the table contains the label.
 * Shards of an index table have clones of its link.  Who distributes an index table
 * copies it and its triggers under other names; lookups from the table only
 * consider triggers with the link's own name and do not find copies.
 */
#ifndef DYNAMO_TABLE_LINK_H
#define DYNAMO_TABLE_LINK_H

/* The label of the table with the changes of a distributed table. */
#define CHANGES_LABEL	"$changes"

#include "nodes/pg_list.h"
#include "utils/relcache.h"
#include "utils/reltrigger.h"

#include "exported.h"

/*
 * Returns the table of a relation's link, and its label (palloc'd); InvalidOid
 * if it has no link.  The caller must compare the owners.
 */
extern Oid	LinkedTable(Relation rel, char **label);

/*
 * Returns the relation that is linked to a table with this label; InvalidOid if
 * there is none.  The caller must compare the owners.
 */
extern Oid	FindLinked(Oid table, const char *label);

/* A relation that is linked to a table. */
typedef struct TableLink
{
	Oid			relid;
	char	   *label;
} TableLink;

/* All relations that are linked to a table (of TableLink *), for who looks for many; and what FindLinked returns of them. */
extern List *LinksOf(Oid table);
extern Oid	LinkedAs(const List *links, const char *label);

/*
 * Whether a relation of the schema has this name, or one that is linked to the
 * table had it when it was created.  table is InvalidOid for a new table.
 */
extern bool IsNameTaken(Oid schema, Oid table, const char *name);

/* Whether both relations exist and have the same owner. */
extern DYNAMO_EXPORT bool HaveSameOwner(Oid a, Oid b);

/* Links a relation without a link to a table.  SPI must be connected. */
extern DYNAMO_EXPORT void StoreLink(Oid relid, Oid table, const char *label);

/* Raises an error if another relation has a link with the same table and label. */
extern void CheckOneLink(Oid relid);

#endif							/* DYNAMO_TABLE_LINK_H */
