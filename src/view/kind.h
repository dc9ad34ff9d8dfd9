/*
 * kind.h
 *	  Kinds of items that constraints apply to, told by their keys, attributes
 *	  and a condition.
 *
 * A kind is stored in the argument of a trigger, so that it survives every form
 * of dump.  It is an item in DynamoDB JSON:
 *
 *	{"keys":	   {"M": {"PK": {"S": "CUSTOMER#{customer_id}"}}},
 *	 "prefix":	   {"M": {"SK": {"S": "ORDER#"}}},
 *	 "attributes": {"M": {"EntityType": {"S": "Order"}}},
 *	 "condition":  {"S": "..."}, "values": {"M": ...}, "names": {"M": ...}}
 *
 * All may be absent.  keys: templates of the key that a reference refers to.
 * prefix: what key attributes begin with.  attributes: what every item of the
 * kind has.  condition: a filter.
 */
#ifndef DYNAMO_KIND_H
#define DYNAMO_KIND_H

#include "fmgr.h"
#include "lib/stringinfo.h"

#include "item/builder.h"
#include "table/table.h"

typedef struct ItemKind
{
	ValueRef	keys;			/* maps, or MISSING_VALUE */
	ValueRef	prefix;
	ValueRef	attributes;
	Slice		condition;		/* data is NULL if there is none */
	ValueRef	values;
	ValueRef	names;
} ItemKind;

/* What a comment of dynamo.add_unique_constraint begins with; a kind with "unique", a list, follows. */
#define UNIQUE_COMMENT	"dynamo unique constraint "

/* ---- kind.c ---- */

/*
 * Reading what is stored as the argument of a trigger, which whoever owns the
 * relation may write: nothing is taken for what it should be.
 */
extern void StoredError(const char *detail) pg_attribute_noreturn();

/* A member of this type; MISSING_VALUE if it is absent. */
extern ValueRef StoredMember(ValueRef v, const char *name, ValueType type);
extern Slice StoredString(ValueRef v, const char *name);

/* Reads the text of a definition; palloc'd.  Raises ERRCODE_DATA_CORRUPTED. */
extern ItemKind *KindRead(const char *text);

/* Returns the template of a key attribute; data is NULL if it has none. */
extern Slice KindTemplate(const ItemKind *kind, Slice attribute);

/* Whether an item is of the kind: attributes, prefix and condition. */
extern bool KindHasItem(const ItemKind *kind, ValueRef item);

/* Raises the errors of the condition: syntax, names, values, unused ones. */
extern void KindCheckCondition(const ItemKind *kind);

/* ---- kind_arguments.c: kinds from SQL arguments ---- */

/*
 * Returns an argument of jsonb or dynamo_internal.json_text, which must be an object,
 * as a map; MISSING_VALUE for null.
 */
extern ValueRef KindJsonArgument(FunctionCallInfo fcinfo, int n, const char *name);

/*
 * Reads the arguments key_prefix, attributes, condition_expression,
 * expression_attribute_values and expression_attribute_names, starting with n.
 */
extern void KindArguments(FunctionCallInfo fcinfo, int n, ItemKind *kind);

/*
 * Checks a map from key attributes of a table to templates; complete: it must
 * have the whole table key, and nothing else.
 */
extern void KindCheckTemplates(const TableDef *table, ValueRef templates, bool complete);

/* Checks what KindArguments read against the table. */
extern void KindCheck(const TableDef *table, const ItemKind *kind);

/* Adds the stored form to a map under construction. */
extern void KindBuild(ItemBuilder *b, const ItemKind *kind);

/* ---- kind_sql.c: the tests of a kind in SQL ---- */

/*
 * Appends the tests, each preceded by WHERE or, if *first is false, AND.
 * qualifier precedes column names: "t." or "".
 */
extern void AppendKindTests(StringInfo sql, bool *first, const char *qualifier,
							const TableDef *table, const ItemKind *kind);

/*
 * Returns a literal of type text; the bytes must be text.  All literals have
 * types, so that a user's function or operator in the same schema is not a
 * better match.
 */
extern char *SliceLiteral(Slice s);

#endif							/* DYNAMO_KIND_H */
