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
 *	 "condition":  {"S": "..."}, "values": {"M": ...}, "names": {"M": ...},
 *	 "entity":	   {"S": "order"}}
 *
 * All but "columns" may be absent.  keys: templates by which key attributes
 * are composed.  prefix: what key attributes begin with.  attributes: what
 * every item of the kind has, and a new one gets.  condition: a filter.
 * entity: the table's entity of this name is the kind, and composes the keys.
 */
#ifndef DYNAMO_ENTITY_H
#define DYNAMO_ENTITY_H

#include "fmgr.h"
#include "lib/stringinfo.h"

#include "entity/entity.h"
#include "item/builder.h"
#include "table/table.h"

/* What a column of the view shows; data NULL: the definition does not say. */
typedef struct EntityColumn
{
	Slice		name;
	Slice		attribute;
} EntityColumn;

typedef struct EntityDef
{
	int			ncolumns;
	EntityColumn *columns;
	ValueRef	keys;			/* maps, or MISSING_VALUE */
	ValueRef	prefix;
	ValueRef	attributes;
	Slice		condition;		/* data NULL: none */
	ValueRef	values;
	ValueRef	names;
	Slice		entity;			/* data NULL: none */
} EntityDef;

/* ---- entity.c ---- */

/* Reads the text; the result is palloc'd.  Raises ERRCODE_DATA_CORRUPTED. */
extern EntityDef *EntityDefRead(const char *text);

/* The same, kept for later statements; valid until the transaction ends. */
extern const EntityDef *EntityDefRecall(const char *text);

/* The place of a column of this name in the definition, from 0; -1: none. */
extern int	EntityColumnNumber(const EntityDef *def, const char *column);

/* The attribute of the column at a place; data NULL if there is none. */
extern Slice EntityColumnAttribute(const EntityDef *def, int column);

/* The template of a key attribute; data NULL if it has none. */
extern Slice EntityTemplate(const EntityDef *def, Slice attribute);

/* Whether an item is of the kind: attributes, prefix and condition. */
extern bool EntityIsOfKind(const EntityDef *def, ValueRef item);

/* The same, and the table's own keys are as their templates make them. */
extern bool EntityMatches(const EntityDef *def, const TableDef *table, ValueRef item);

/* Raises the errors of the condition: syntax, names, values, unused ones. */
extern void EntityCheckCondition(const EntityDef *def);

/* ---- entity_create.c ---- */

/* Creates the view of a table's entity in the current schema. */
extern Oid	EntityViewCreate(const char *view_name, const char *table_name, const char *entity_name);

/* ---- entity_spec.c: definitions from SQL arguments ---- */

/* An error in what the user says of entities. */
extern void EntityError(const char *format,...)
			pg_attribute_printf(1, 2) pg_attribute_noreturn();

/* A jsonb argument, an object, as a map; MISSING_VALUE when null. */
extern ValueRef EntityJsonArgument(FunctionCallInfo fcinfo, int n, const char *name);

/*
 * The arguments key_prefix, attributes, condition_expression,
 * expression_attribute_values and expression_attribute_names, from n on.
 */
extern void EntityKindArguments(FunctionCallInfo fcinfo, int n, EntityDef *def);

/*
 * Checks a map of key attributes of a table to templates; complete: all of
 * the table's key must be there, and nothing else.
 */
extern void EntityCheckTemplates(const TableDef *table, ValueRef templates, bool complete);

/* Checks what EntityKindArguments read against the table. */
extern void EntityCheckKind(const TableDef *table, const EntityDef *def);

/* Adds all but the columns to a map under construction. */
extern void EntityBuild(ItemBuilder *b, const EntityDef *def);
extern void EntityBuildString(ItemBuilder *b, const char *name, const char *text);

/* ---- entity_sql.c: the tests of a kind in SQL ---- */

/*
 * Each test is preceded by WHERE or, when *first is false, AND.  qualifier:
 * what stands before the table's columns, "t." or nothing.
 */
extern void AppendKindTests(StringInfo sql, bool *first, const char *qualifier,
							const TableDef *table, const EntityDef *def);

/*
 * Composed keys of the table t: the range of what the template begins with,
 * for the index, and the whole key, which tells ORDER#1 from ORDER#1#ITEM#2.
 */
extern void AppendComposedKeyTests(StringInfo sql, bool *first, const TableDef *table,
								   const EntityDef *def);

/*
 * A literal of type text; the bytes must be text.  All literals have their
 * types, so that no function or operator planted beside ours fits better.
 */
extern char *SliceLiteral(Slice s);

#endif							/* DYNAMO_ENTITY_H */
