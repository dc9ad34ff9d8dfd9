/*
 * parts.h
 *	  Keys by parts: from what an entity composes its keys of to these keys.
 *
 *		{"kind": "order", "customer_id": "c7", "order_id": 42}
 *
 * The type attribute names the entity; without it, the parts must be those of one entity
 * alone.  A part that is a constant of the entity may be absent.  A key attribute without
 * a template is a part of its own.
 *
 * The kernel calls this through table/key_parts.h.
 */
#ifndef DYNAMO_PARTS_H
#define DYNAMO_PARTS_H

#include "entity/entity.h"
#include "table/key_parts.h"

/* Registers the functions of table/key_parts.h. */
extern void PartsInit(void);

/* ---- parts_entity.c ---- */

/*
 * Finds the entity to which a key by parts belongs.  Sets *entity to NULL if it names nothing
 * of any entity.  Returns false if it notes a problem; raises it if problem is NULL.
 */
extern bool PartsEntity(const TableDef *def, ValueRef parts, const Entity **entity, Problem *problem);

/* See choose in table/key_parts.h. */
extern int	PartsChoose(const TableDef *def, ValueRef attributes, Slice **names);

/* See fix_item in table/key_parts.h. */
extern bool PartsFixItem(const TableDef *def, ValueRef parts);

/* Whether an attribute is the type attribute of an entity. */
extern bool IsTypeAttribute(const Entity *entity, Slice name);

/* Returns a clause that says why the value is not one that the entity has; NULL if it may be. */
extern const char *PartValueProblem(const Entity *entity, Slice name, ValueRef v);

/* Whether the table's key of an entity is composed of an attribute. */
extern bool EntityKeyHasPart(const Entity *entity, Slice name);

/* ---- parts_key.c ---- */

/*
 * Sets *item, palloc'd, to the parts, the type attribute of their entity and its constants.
 * Keys of any templates can be composed of it: EntityComposeKey.
 */
extern struct varlena *PartsItem(const Entity *entity, ValueRef parts);

/* The same with the key attributes of the table, which the entity composes. */
extern bool PartsItemWithKey(const Entity *entity, ValueRef parts, struct varlena **item, Problem *problem);

/*
 * The key of an entity, or of the one that is found: see compose in table/key_parts.h.
 */
extern bool PartsCompose(const TableDef *def, ValueRef parts, struct varlena **item, Problem *problem);

/* ---- parts_condition.c ---- */

/* See condition in table/key_parts.h. */
extern bool PartsConditionOf(const TableDef *def, const IndexDef *index, const KeyClauses *clauses,
							 PartsCondition *result);

/* ---- parts_range.c ---- */

/* See range in table/key_parts.h. */
extern int	PartsRange(const TableDef *def, const IndexDef *index, ValueRef attributes, KeyTest *tests);

#endif							/* DYNAMO_PARTS_H */
