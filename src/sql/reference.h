/*
 * reference.h
 *	  References between items: an item names another one by its key.
 *
 * A reference is two constraint triggers, as a foreign key is.  One, on the
 * referencing table, requires that the item with the key exists; the other,
 * on the referenced table, keeps it from going away.  Each names the other
 * table in its FROM clause, so that renaming does not matter.  Their argument
 * is the same item in DynamoDB JSON, as an entity's (entity.h):
 *
 *	{"name": {"S": "order_customer"}, "cascade": {"BOOL": false},
 *	 "keys": {"M": {"PK": {"S": "CUSTOMER#{customer_id}"}, "SK": {"S": "METADATA"}}},
 *	 "prefix": ..., "attributes": ..., "condition": ..., ...}
 *
 * keys: templates of the referenced key, filled in by the referencing item;
 * an item that has not all attributes in them references nothing.  The rest
 * tells which items the reference is for.
 */
#ifndef DYNAMO_REFERENCE_H
#define DYNAMO_REFERENCE_H

#include "commands/trigger.h"

#include "sql/entity.h"

#define REFERENCE_MAX_KEYS	2	/* key attributes of a table */

typedef struct Reference
{
	char	   *name;
	bool		cascade;
	EntityDef  *def;
} Reference;

/* The argument of a trigger; palloc'd. */
extern Reference *ReferenceRead(const char *text);

/* The template of a key attribute of the referenced table. */
extern Slice ReferenceTemplate(const Reference *ref, const TableDef *referenced, int i);

/*
 * Appends the tests for items of the referencing table t that reference the
 * key $1, $2, ...  of the referenced table, their kind included.  Parts of
 * the key that are the same for all items have no test.
 */
extern void AppendReferencingTests(StringInfo sql, const Reference *ref,
								   const TableDef *referencing,
								   const TableDef *referenced);

/*
 * The expression of the referencing table for key attribute i: a column, or
 * the rendered template.  qualifier as for AppendKindTests.  Sets *rendered.
 */
extern char *ReferenceExpression(const Reference *ref, const TableDef *referencing,
								 const TableDef *referenced, int i,
								 const char *qualifier, bool *rendered);

/* ---- reference_validate.c ---- */

/*
 * Raises an error if an item of the table refers to one that the referenced
 * table does not have.  Both are locked against writers; SPI is connected.
 */
extern void ReferenceValidate(const Reference *ref, Oid relid, const TableDef *table,
							  Oid referenced_relid, const TableDef *referenced);

/* ---- reference_truncate.c ---- */

/*
 * A table that items of another refer to has one trigger more, against
 * TRUNCATE; it goes with the last of these references.  SPI is connected.
 */
extern void GuardReferencedTruncate(Oid referenced);
extern void UnguardReferencedTruncate(Oid referenced);

/* What this trigger does: an error unless the other tables are truncated, too. */
extern void CheckReferencedTruncate(const TriggerData *event);

#endif							/* DYNAMO_REFERENCE_H */
