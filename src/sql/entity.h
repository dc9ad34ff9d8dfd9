/*
 * entity.h
 *	  Entity views: the items of one kind in a table, as typed rows.
 *
 * The definition of a view is the argument of its INSTEAD OF trigger, so that
 * every form of dump preserves it.  It is an item in DynamoDB JSON:
 *
 *	{"columns":		{"L": [{"M": {"column": {"S": "total"},
 *								  "attribute": {"S": "total_amount"}}}, ...]},
 *	 "keys":		{"M": {"SK": {"S": "ORDER#{order_id}"}}},
 *	 "prefix":		{"M": {"SK": {"S": "ORDER#"}}},
 *	 "attributes":	{"M": {"EntityType": {"S": "Order"}}},
 *	 "condition":	{"S": "..."}, "values": {"M": ...}, "names": {"M": ...},
 *	 "entity":		{"S": "order"}}
 *
 * All members except "columns" are optional:
 *
 *	keys		templates from which key attributes are composed
 *	prefix		prefixes of key attributes
 *	attributes	attributes of every item of the kind, which new items get
 *	condition	a filter
 *	entity		the kind is the table's entity with this name, which composes
 *				the keys
 */
#ifndef DYNAMO_ENTITY_H
#define DYNAMO_ENTITY_H

#include "fmgr.h"
#include "lib/stringinfo.h"

#include "entity/entity.h"
#include "item/builder.h"
#include "table/table.h"

/*
 * A column of the view and its attribute; data is NULL if the definition does
 * not name it.
 */
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
	Slice		condition;		/* data is NULL if there is none */
	ValueRef	values;
	ValueRef	names;
	Slice		entity;			/* data is NULL if there is none */
} EntityDef;

/* ---- entity.c ---- */

/* Reads the text of a definition; palloc'd.  Raises ERRCODE_DATA_CORRUPTED. */
extern EntityDef *EntityDefRead(const char *text);

/* Returns the definition from the cache; valid until the transaction ends. */
extern const EntityDef *EntityDefRecall(const char *text);

/*
 * Returns the number of the column with this name, counted from 0; -1 if none.
 */
extern int	EntityColumnNumber(const EntityDef *def, const char *column);

/* Returns the attribute of a column; data is NULL if there is none. */
extern Slice EntityColumnAttribute(const EntityDef *def, int column);

/* Returns the template of a key attribute; data is NULL if it has none. */
extern Slice EntityTemplate(const EntityDef *def, Slice attribute);

/* Whether an item is of the kind: attributes, prefix and condition. */
extern bool EntityIsOfKind(const EntityDef *def, ValueRef item);

/*
 * Whether an item is in the view: it is of the kind, and the table's own keys
 * are those that the templates compose.
 */
extern bool EntityMatches(const EntityDef *def, const TableDef *table, ValueRef item);

/* Raises the errors of the condition: syntax, names, values, unused ones. */
extern void EntityCheckCondition(const EntityDef *def);

/* ---- entity_create.c ---- */

/* Creates the view of a table's entity in the current schema. */
extern Oid	EntityViewCreate(const char *view_name, const char *table_name, const char *entity_name);

/* What an open view is made of; NULL if it is no entity view. */
extern const EntityDef *EntityDefOfView(Relation view);

/* Appends the expressions of an entity view's columns, of the table as t. */
extern void EntityViewAppendColumns(StringInfo sql, Relation view, const TableDef *table);

/* ---- entity_drop.c ---- */

/* Registers that entity views are dropped with their table. */
extern void EntityViewInit(void);

/* ---- entity_spec.c: definitions from SQL arguments ---- */

/* Raises an error in a declaration of entities. */
extern void EntityError(const char *format,...)
			pg_attribute_printf(1, 2) pg_attribute_noreturn();

/*
 * Returns a jsonb argument, which must be an object, as a map; MISSING_VALUE
 * for null.
 */
extern ValueRef EntityJsonArgument(FunctionCallInfo fcinfo, int n, const char *name);

/*
 * Reads the arguments key_prefix, attributes, condition_expression,
 * expression_attribute_values and expression_attribute_names, starting with n.
 */
extern void EntityKindArguments(FunctionCallInfo fcinfo, int n, EntityDef *def);

/*
 * Checks a map from key attributes of a table to templates.  complete: it must
 * contain the whole table key, and nothing else.
 */
extern void EntityCheckTemplates(const TableDef *table, ValueRef templates, bool complete);

/* Checks the results of EntityKindArguments against the table. */
extern void EntityCheckKind(const TableDef *table, const EntityDef *def);

/* Adds all members except the columns to a map under construction. */
extern void EntityBuild(ItemBuilder *b, const EntityDef *def);
extern void EntityBuildString(ItemBuilder *b, const char *name, const char *text);

/* ---- entity_sql.c: the tests of a kind in SQL ---- */

/*
 * Appends the tests, each preceded by WHERE or, if *first is false, AND.
 * qualifier precedes column names: "t." or "".
 */
extern void AppendKindTests(StringInfo sql, bool *first, const char *qualifier,
							const TableDef *table, const EntityDef *def);

/*
 * Appends the tests of composed keys of the table t: the range of the
 * template's prefix, so that an index can be used, and the whole key, which
 * distinguishes ORDER#1 from ORDER#1#ITEM#2.
 */
extern void AppendComposedKeyTests(StringInfo sql, bool *first, const TableDef *table,
								   const EntityDef *def);

/*
 * Returns a literal of type text; the bytes must be text.  All literals have
 * types, so that a user's function or operator in the same schema is not a
 * better match.
 */
extern char *SliceLiteral(Slice s);

#endif							/* DYNAMO_ENTITY_H */
