/*
 * pattern.h
 *	  Access patterns: declared questions to a table, as SQL functions.
 *
 * A pattern is an ordinary function in SQL.  What it was declared with stands in
 * a comment at the start of its body, so that every dump keeps it, and what
 * happens to the function happens to the pattern.  The comment is an item in
 * DynamoDB JSON:
 *
 *	{"table": {"S": "public.shop"}, "entities": {"L": [{"S": "order"}]},
 *	 "condition": {"S": "customer_id = :customer_id"},
 *	 "parameters": {"L": [{"M": {"name": {"S": "customer_id"}, "type": {"S": "text"}}}]},
 *	 "keys": {"L": [{"M": {"attribute": {"S": "PK"}, "operator": {"S": "="}, "values": {"L": [
 *		{"M": {"comparison": {"S": "="}, "template": {"S": "CUSTOMER#{customer_id}"},
 *			   "parts": {"L": [{"S": "customer_id"}]}, "parameters": {"L": [{"S": "customer_id"}]}}}]}}}]},
 *	 "kind_attribute": {"S": "kind"}, "kinds": {"L": [{"S": "order"}]},
 *	 "returns": {"S": "rows"}, "order": {"S": "forward"}, "limit": {"S": "10"}, ...}
 *
 * Anybody can write such a comment.  It is only ever made into a request that
 * the reader makes with their own rights.
 */
#ifndef DYNAMO_PATTERN_H
#define DYNAMO_PATTERN_H

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

#include "entity/entity.h"
#include "table/table.h"

#define PATTERN_MAX_PARAMETERS	90	/* of the 100 that functions have */

/* How a key's text is compared with what a template makes of parameters. */
typedef enum KeyComparison
{
	KEY_IS,
	KEY_HAS_PREFIX,				/* what is known of the key */
	KEY_BEGINS_WITH_PART,		/* the same and the beginning of the last part */
	KEY_FROM,					/* bounds of the last part, which may be null: open */
	KEY_AFTER,
	KEY_TO,
	KEY_BEFORE
} KeyComparison;

/* A value that a key is compared with. */
typedef struct PatternValue
{
	KeyComparison comparison;
	const char *template;		/* NULL: constant, or the parameter as it is */
	const char *constant;		/* NULL: none */
	List	   *parts;			/* names in the template, */
	List	   *parameters;		/* and of the parameters that they are */
} PatternValue;

/* A condition on an attribute of the key. */
typedef struct PatternKey
{
	const char *attribute;
	KeyOperator op;
	int			nvalues;
	PatternValue values[2];		/* of BETWEEN both */
} PatternKey;

typedef struct PatternParameter
{
	const char *name;
	const char *type;			/* qualified */
	const char *initial;		/* an expression in SQL; NULL: none */
} PatternParameter;

typedef struct AccessPattern
{
	const char *table;			/* as functions take it */
	List	   *entities;		/* names */
	const char *view;			/* qualified; NULL: none, as the next */
	const char *index;
	const char *condition;
	const char *filter;
	const char *projection;
	ValueRef	names;			/* a map; MISSING_VALUE: none */
	const char *returns;		/* rows, items, page, document */
	bool		backward;
	int			limit;			/* 0: none */
	int			nparameters;
	PatternParameter *parameters;
	int			nkeys;
	PatternKey	keys[KEY_MAX_ATTRIBUTES];
	const char *kind_attribute; /* NULL: the range has no other kinds of items */
	List	   *kinds;			/* its values */
	ValueRef	arguments;		/* a map of texts: those of dynamo.create_access_pattern */
} AccessPattern;

/* An error in a declaration. */
extern void PatternError(const char *format,...)
			pg_attribute_printf(1, 2) pg_attribute_noreturn();

/* The parameter of this name; -1: none. */
extern int	PatternParameterFind(const AccessPattern *pattern, const char *name);

/* ---- pattern_drop.c ---- */

/* Registers that access patterns are dropped with their table. */
extern void PatternInit(void);

/* ---- pattern_key.c ---- */

/* A value of a parameter by its name; MISSING_VALUE: null. */
typedef ValueRef (*ParameterFinder) (void *arg, const char *parameter);

/*
 * Appends the text that a key is compared with; false if that is null, which no
 * key equals.  Raises an error where a bound does not fit its format.
 */
extern bool PatternKeyText(const PatternValue *value, ParameterFinder find, void *arg, StringInfo out);

/* The name of a comparison in SQL and records; and back, false if it is none. */
extern const char *KeyComparisonName(KeyComparison comparison);
extern bool KeyComparisonFromName(Slice name, KeyComparison *comparison);

/* The operator of a condition in a record; and back. */
extern const char *KeyOperatorName(KeyOperator op);
extern bool KeyOperatorFromName(Slice name, KeyOperator *op);

/* ---- pattern_plan.c ---- */

/* What a pattern is planned for. */
typedef struct PatternTarget
{
	const TableDef *table;
	const IndexDef *index;		/* NULL: the table */
	const KeySchema *key;		/* of it */
	int			nentities;
	const Entity **entities;
	ValueRef	keys;			/* templates by key attribute; MISSING_VALUE: none */
} PatternTarget;

/*
 * Makes conditions on keys of the condition; types of parameters that are not
 * known yet follow from what they are compared with.  The condition's names must
 * be parameters already, in the order in which they appear.
 */
extern void PatternPlan(AccessPattern *pattern, const PatternTarget *target);

/* ---- pattern_record.c ---- */

/* The comment at the start of a function's body. */
extern char *PatternRecordPrint(const AccessPattern *pattern);

/* Reads a function's body; NULL if it is none of a pattern. */
extern AccessPattern *PatternRecordRead(Slice body);

/* ---- pattern_request.c ---- */

/* What stands for a :value in the expressions. */
typedef struct PatternPlaceholder
{
	const char *placeholder;
	const PatternValue *key;	/* the text that a key is compared with; NULL: none */
	const char *parameter;		/* or a parameter as it is; NULL: none */
	const char *constant;		/* or a text */
} PatternPlaceholder;

/* Those of the key condition and the filter. */
extern List *PatternPlaceholders(const AccessPattern *pattern);

/* ExpressionAttributeNames, as JSON; and those of the user's filter alone, NULL: none. */
extern char *PatternNames(const AccessPattern *pattern);
extern char *PatternFilterNames(const AccessPattern *pattern);

/* The key condition, as in a request, and the filter; NULL: none. */
extern char *PatternKeyExpression(const AccessPattern *pattern);
extern char *PatternFilterExpression(const AccessPattern *pattern);

/* The part of a template that a value is made of, with {parts}, or its constant. */
extern char *PatternValueShown(const PatternValue *value);

/*
 * Appends the request Query.  find NULL: with templates for values.  False if
 * nothing can be found, because a parameter is null or fits no key.
 */
extern bool PatternAppendRequest(const AccessPattern *pattern, ParameterFinder find, void *arg, StringInfo out);

/* ---- pattern_create.c ---- */

/* The pattern that a function is; raises an error if it is none. */
extern AccessPattern *PatternOfFunction(Oid function);

/* ---- pattern_sql.c ---- */

/* The body of the function, without the comment. */
extern char *PatternBody(const AccessPattern *pattern, const PatternTarget *target, Relation table, Relation view);

#endif							/* DYNAMO_PATTERN_H */
