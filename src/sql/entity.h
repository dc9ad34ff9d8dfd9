/*
 * entity.h
 *	  Entity views: the items of one kind in a table, as typed rows.
 *
 * What a view is made of is the argument of its INSTEAD OF trigger, so that
 * it survives every form of dump.  It is an item in DynamoDB JSON:
 *
 *	{"columns":	   {"L": [{"M": {"column": {"S": "total"},
 *								 "attribute": {"S": "total_amount"}}}, ...]},
 *	 "keys":	   {"M": {"SK": {"S": "ORDER#{order_id}"}}},
 *	 "prefix":	   {"M": {"SK": {"S": "ORDER#"}}},
 *	 "attributes": {"M": {"EntityType": {"S": "Order"}}},
 *	 "condition":  {"S": "..."}, "values": {"M": ...}, "names": {"M": ...}}
 *
 * All but "columns" may be absent.  keys: templates by which key attributes
 * are composed.  prefix: what key attributes begin with.  attributes: what
 * every item of the kind has, and a new one gets.  condition: a filter.
 */
#ifndef DYNAMO_ENTITY_H
#define DYNAMO_ENTITY_H

#include "catalog/table.h"

typedef struct EntityDef
{
	Container	columns;		/* elements: EntityColumn */
	ValueRef	keys;			/* maps, or MISSING_VALUE */
	ValueRef	prefix;
	ValueRef	attributes;
	Slice		condition;		/* data NULL: none */
	ValueRef	values;
	ValueRef	names;
} EntityDef;

/* Reads the text; the result is palloc'd.  Raises ERRCODE_DATA_CORRUPTED. */
extern EntityDef *EntityDefRead(const char *text);

/* The attribute of a view's column; data NULL if it is none of its. */
extern Slice EntityColumnAttribute(const EntityDef *def, const char *column);

/* The template of a key attribute; data NULL if it has none. */
extern Slice EntityTemplate(const EntityDef *def, Slice attribute);

/* Raises the errors of the condition: syntax, names, values, unused ones. */
extern void EntityCheckCondition(const EntityDef *def);

/*
 * Whether an item is of the kind, as the view's WHERE has it: attributes,
 * prefix, condition, and the table's own keys as their templates make them.
 */
extern bool EntityMatches(const EntityDef *def, const TableDef *table, ValueRef item);

#endif							/* DYNAMO_ENTITY_H */
