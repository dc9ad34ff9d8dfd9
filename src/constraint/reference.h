/*
 * reference.h
 *	  References between items: an item contains the parts of another item's
 *	  key.
 *
 * Like a foreign key, a reference consists of two constraint triggers.  The
 * trigger on the referencing table requires that the item with the key exists;
 * the trigger on the referenced table prevents its removal.  Each trigger
 * names the other table in its FROM clause, so that renaming a table does not
 * matter.  Both have the same argument, an item in DynamoDB JSON, like the
 * stored form of a kind of items (kind.h):
 *
 * {"name": {"S": "order_customer"}, "cascade": {"BOOL": false}, "keys": {"M":
 * {"PK": {"S": "CUSTOMER#{customer_id}"}, "SK": {"S": "METADATA"}}}, "prefix":
 * ..., "attributes": ..., "condition": ..., ...}
 *
 * keys contains templates of the referenced key, filled in from the
 * referencing item.  An item that lacks an attribute of a template references
 * nothing.  The other members select the items that the reference applies to.
 */
#ifndef DYNAMO_REFERENCE_H
#define DYNAMO_REFERENCE_H

#include "commands/trigger.h"

#include "view/kind.h"

#define REFERENCE_MAX_KEYS	2	/* key attributes of a table */

typedef struct Reference
{
	char	   *name;
	bool		cascade;
	ItemKind   *kind;
} Reference;

/* Reads the argument of a trigger; palloc'd. */
extern Reference *ReferenceRead(const char *text);

/* Returns the template of a key attribute of the referenced table. */
extern Slice ReferenceTemplate(const Reference *ref, const TableDef *referenced, int i);

/*
 * Appends the tests for items of the referencing table t that belong to the
 * reference and reference the key $1, $2, ... of the referenced table.
 * Constant parts of the key have no test.
 */
extern void AppendReferencingTests(StringInfo sql, const Reference *ref,
								   const TableDef *referencing,
								   const TableDef *referenced);

/*
 * Returns the expression of the referencing table for key attribute i: a
 * column, or the rendered template.  qualifier is as for AppendKindTests.
 * Sets *rendered.
 */
extern char *ReferenceExpression(const Reference *ref, const TableDef *referencing,
								 const TableDef *referenced, int i,
								 const char *qualifier, bool *rendered);

/* ---- reference_ddl.c ---- */

/* Registers what DDL does to references. */
extern void ReferenceInit(void);

/*
 * Returns the name of the other trigger of a reference between items, given
 * one on the table relid; NULL if there is none.  palloc'd.
 */
extern char *FindOtherReferenceTrigger(Oid relid, const Trigger *trigger);

/*
 * Whether a reference's trigger leads to a table of the same owner, or to a
 * table that has the other trigger: only the owner of both tables can create
 * both.
 */
extern bool ReferenceIsLinked(Relation rel, const Trigger *trigger);

/* ---- reference_validate.c ---- */

/*
 * Raises an error if an item of the table references a missing item of the
 * referenced table.  Both tables must be locked against writers, and SPI
 * connected.
 */
extern void ReferenceValidate(const Reference *ref, Oid relid, const TableDef *table,
							  Oid referenced_relid, const TableDef *referenced);

/* ---- reference_truncate.c ---- */

/*
 * Adds or removes the TRUNCATE trigger of a referenced table.  The trigger is
 * dropped with the last reference to the table.  SPI must be connected.
 */
extern void GuardReferencedTruncate(Oid referenced);
extern void UnguardReferencedTruncate(Oid referenced);

/* Whether a trigger of the table is that one, and a reference needs it. */
extern bool GuardsReferencedTruncate(Relation rel, const Trigger *trigger);

/*
 * The action of that trigger: raises an error unless all referencing tables
 * are truncated too.
 */
extern void CheckReferencedTruncate(const TriggerData *event);

#endif							/* DYNAMO_REFERENCE_H */
