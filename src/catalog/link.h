/*
 * link.h
 *	  From what a table's triggers say to the relations that they name.
 *
 * Definitions are arguments of triggers, which any owner of a table may write
 * by hand.  A name in one leads to a relation of the same owner that was made
 * for the purpose, and nowhere else: whoever follows it may be a superuser,
 * who would drop, alter, lock or measure another's table.
 */
#ifndef DYNAMO_LINK_H
#define DYNAMO_LINK_H

#include "catalog/stream.h"
#include "catalog/table.h"
#include "utils/reltrigger.h"

/*
 * The btree of the table, or the index table of its owner, that a definition
 * names; InvalidOid if there is none.
 */
extern Oid	FindIndexRelation(const TableDef *def, const IndexDef *index);

/* The stream of a table: of its owner and this label; InvalidOid if there is none. */
extern Oid	FindStreamRelation(Oid relid, const TableStream *stream);

/*
 * The name of the other one of the two triggers of a reference between items,
 * by one of them, on the table relid; NULL if there is none.  palloc'd.
 */
extern char *FindOtherReferenceTrigger(Oid relid, const Trigger *trigger);

/*
 * Whether a trigger of a reference leads to a table of the same owner, or of
 * another who has the other trigger: it takes the owner of both tables to
 * make one.
 */
extern bool ReferenceIsLinked(Relation rel, const Trigger *trigger);

#endif							/* DYNAMO_LINK_H */
