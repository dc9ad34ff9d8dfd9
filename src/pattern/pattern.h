/*
 * pattern.h
 *	  Access patterns: declared questions to a table, as SQL functions.
 *
 * A pattern is an ordinary function in SQL.  A comment at the start of its body
 * contains its declaration, so that every dump keeps it, and it is renamed, granted
 * and dropped with the function.  The comment is an item in DynamoDB JSON:
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
#include "utils/acl.h"

#include "entity/entity.h"
#include "table/table.h"

#define PATTERN_MAX_PARAMETERS	90	/* functions can have 100 */

/* How the text of a key is compared with the text of a template. */
typedef enum KeyComparison
{
	KEY_IS,
	KEY_HAS_PREFIX,				/* the key begins with the known parts */
	KEY_LEADS_FROM,				/* bounds of keys that begin with the given parts, or are the whole key */
	KEY_LEADS_TO,
	KEY_BEGINS_WITH_PART,		/* the key begins with the known parts and the start of the last part */
	KEY_FROM,					/* bounds of the last part; a null bound is open */
	KEY_AFTER,
	KEY_TO,
	KEY_BEFORE
} KeyComparison;

/* A value that a key is compared with. */
typedef struct PatternValue
{
	KeyComparison comparison;
	const char *template;		/* template; NULL for a constant, or a parameter without a template */
	const char *constant;		/* NULL: none */
	List	   *parts;			/* names of parts in the template; ":" before one that may be absent */
	List	   *parameters;		/* names of the parameters that the parts are */
} PatternValue;

/* A condition on an attribute of the key. */
typedef struct PatternKey
{
	const char *attribute;
	KeyOperator op;
	int			nvalues;
	PatternValue values[2];		/* BETWEEN has two values */
} PatternKey;

/*
 * An equality that the keys do not decide, because they have only the shard of the
 * attribute: it is filtered by.  An item without the attribute may have it in one of
 * the keys.
 */
typedef struct PatternEquality
{
	const char *attribute;
	const char *parameter;
	List	   *keys;			/* of PatternKey *: keys of the table */
} PatternEquality;

/* A comparison of an attribute with parameters, by their numbers. */
typedef struct PatternClause
{
	Slice		attribute;
	KeyOperator op;
	int			parameter;
	int			upper;			/* second parameter of BETWEEN; -1 if there is none */
	bool		used;			/* in a condition on a key */
	bool		decided;		/* a key has the attribute itself, not only its shard */
	bool		list;			/* IN: one equality for each element of the parameter */
} PatternClause;

typedef struct PatternParameter
{
	const char *name;
	const char *type;			/* qualified */
	const char *initial;		/* an SQL expression; NULL if there is none */
	bool		list;			/* an array: an attribute is one of its elements */
} PatternParameter;

typedef struct AccessPattern
{
	const char *table;			/* name of the table in requests */
	const char *relation;		/* schema.table, quoted as in SQL; NULL in a record that lacks it */
	List	   *entities;		/* names */
	const char *view;			/* qualified; NULL if there is none */
	const char *index;
	const char *condition;
	const char *filter;
	const char *projection;
	ValueRef	names;			/* a map; MISSING_VALUE if there is none */
	const char *returns;		/* rows, items, page, document */
	bool		backward;
	int			limit;			/* 0 for no limit */
	int			nparameters;
	PatternParameter *parameters;
	int			nkeys;
	PatternKey	keys[KEY_MAX_ATTRIBUTES];
	const char *kind_attribute; /* type attribute; NULL if the range has no items of other kinds */
	List	   *kinds;			/* values of the type attribute */
	bool		excludes;		/* these are the values that others have */
	bool		by_key;			/* rows are told from others in the range by their whole keys, which no request does */
	List	   *equalities;		/* of PatternEquality * */
	const char *basis;			/* what it was made of (pattern_basis.c); NULL in older records */
	ValueRef	arguments;		/* a map of texts: the arguments of dynamo.create_access_pattern */
	bool		changed;		/* read from a function whose statement is not the declared one */
} AccessPattern;

/* ---- pattern_clauses.c ---- */

/* Reads the condition, palloc'd; raises its errors. */
extern PatternClause *PatternClauses(const AccessPattern *pattern, int *n);

/* Returns the number of the parameter with this name; -1 if there is none. */
extern int	PatternParameterFind(const AccessPattern *pattern, const char *name);

/* Returns the number of the parameter that is a list; -1 if there is none. */
extern int	PatternListFind(const AccessPattern *pattern);

/* ---- pattern_list.c ---- */

/* Whether IN with so many members, 0 for none, is a list; an error if it has several. */
extern bool PatternIsList(int members);

/* Raises an error for a list that cannot be read as ranges of a key, each once. */
extern void PatternCheckLists(const AccessPattern *pattern, const PatternClause *clauses, int n);

/* Raises an error unless a parameter that is a list has a type that is one. */
extern void PatternCheckListType(const PatternParameter *parameter, Oid type);

/* Returns the elements of a parameter that is a list, without nulls, in a request. */
extern ValueRef *PatternListElements(const PatternParameter *parameter, ValueRef list, int *n);

/* ---- pattern_drop.c ---- */

/* Registers that access patterns are dropped with their table, and how they are planned. */
extern void PatternInit(void);

/* ---- pattern_named.c ---- */

/* Registers patterns as the queries that requests can name. */
extern void PatternNamedInit(void);

/* ---- pattern_key.c ---- */

/* Returns the value of a parameter by its name; MISSING_VALUE for null. */
typedef ValueRef (*ParameterFinder) (void *arg, const char *parameter);

/*
 * Appends the text that a key is compared with; returns false if it is null,
 * which no key equals.  Raises an error for a bound that does not fit its
 * format.
 */
extern bool PatternKeyText(const PatternValue *value, ParameterFinder find, void *arg, StringInfo out);

/* Returns the name of a part without the mark. */
extern const char *PatternPartName(const char *part);

/* Whether the part of the key that a parameter is compared with may be absent. */
extern bool PatternParameterIsOptional(const AccessPattern *pattern, const char *name);

/*
 * Convert a comparison to its name in SQL and records, and back; false if
 * there is none.
 */
extern const char *KeyComparisonName(KeyComparison comparison);
extern bool KeyComparisonFromName(Slice name, KeyComparison *comparison);

/* Converts the operator of a condition to its name in records. */
extern const char *KeyOperatorName(KeyOperator op);

/* ---- pattern_plan.c ---- */

/* What a pattern is planned for: a table or index and its entities. */
typedef struct PatternTarget
{
	const TableDef *table;
	const IndexDef *index;		/* index; NULL for the table */
	const KeySchema *key;		/* key of the table or index */
	int			nentities;
	const Entity **entities;
	ValueRef	keys;			/* templates by key attribute; MISSING_VALUE if there are none */
	bool		typed;			/* a part that is the type attribute is the entity's value */
	bool		either;			/* items of an entity may have the keys of another version, too */
} PatternTarget;

/*
 * Converts the clauses of the condition to conditions on keys.  Parameters without a type get
 * one from what they are compared with.  The names in the condition must be
 * parameters already, in the order of their first use.  Clauses that are marked as used may
 * be left over.
 */
extern void PatternPlanClauses(AccessPattern *pattern, const PatternTarget *target, PatternClause *clauses, int n);

/* ---- pattern_hint.c ---- */

/*
 * Returns a hint about a name in the condition that no entity has, but nearly; NULL if
 * there is none.
 */
extern const char *PatternNameHint(const PatternTarget *target, const PatternClause *clauses, int n);

/* ---- pattern_template.c ---- */

/* Returns the end of the source of a piece of a template. */
extern const char *PatternPieceEnd(const Template *t, int piece);

/* Whether a condition leaves the type attribute that a key contains to the entity, if there is one. */
extern bool PatternIsTyped(const PatternTarget *target, const PatternClause *clauses, int n);

/*
 * Returns the template of a key attribute of an entity, or of items if entity
 * is NULL.
 */
extern const Template *PatternTemplate(const PatternTarget *target, const Entity *entity, const KeyAttribute *attribute);

/*
 * Returns the template that is a prefix of those of all entities; NULL if
 * there is none.  *same: all have this template.
 */
extern const Template *PatternCommonTemplate(const PatternTarget *target, const KeyAttribute *attribute, bool *same);

/* ---- pattern_possible.c ---- */

/* Returns a sentence that says which index, or which keys of a new one, could answer a condition. */
extern char *PatternChangeHint(const PatternClause *clauses, int nclauses, const PatternTarget *target);

/* ---- pattern_range.c ---- */

/* The keys of one attribute in the range that a pattern reads. */
typedef struct PatternRange
{
	const char *constant;		/* they begin with this text; NULL: by the template */
	int			known;			/* they begin with so many pieces of the common template */
	bool		whole;			/* these are the whole key */
} PatternRange;

/* Returns the range of a key attribute. */
extern PatternRange PatternRangeOf(const AccessPattern *pattern, const PatternTarget *target, int attribute);

/*
 * Returns the entities (const Entity *) that are not the target's, and of which items may be
 * in the range.  ranges: of each key attribute.
 */
extern List *PatternOthersInRange(const PatternTarget *target, const PatternRange *ranges);

/*
 * Determines how items of the entities are distinguished from others in the
 * range.
 */
extern void PatternPlanKind(AccessPattern *pattern, const PatternTarget *target);

/* ---- pattern_basis.c ---- */

/* Returns what a pattern is made of: what PatternBasisProblem reads. */
extern char *PatternBasis(const AccessPattern *pattern, const PatternTarget *target, const char *name);

/*
 * Returns why a pattern with this basis would be made in another way now, or cannot
 * find all items; NULL if there is no reason.
 */
extern const char *PatternBasisProblem(const TableDef *def, const char *basis);

/* Whether a basis of one version holds, if the items get or have the keys that their entities compose. */
extern bool PatternBasisHolds(const TableDef *def, const char *basis);

/* The templates by key attribute that a pattern was declared with; MISSING_VALUE if there are none. */
extern ValueRef PatternBasisKeys(const char *basis);

/* The basis of a pattern that reads the keys of two versions, each of which has one, and whether a basis is that. */
extern char *PatternEitherBasis(const char *one, const char *other);
extern bool PatternBasisIsEither(const char *basis);

/* Raises an error that names the pattern if there is such a reason. */
extern void PatternRequireBasis(Oid table, const char *basis);

/* ---- pattern_select.c ---- */

/* Plans calls of patterns in a select list as calls in FROM. */
extern void PatternSelectInit(void);

/* ---- pattern_record.c ---- */

/* How the body of a pattern begins. */
#define PATTERN_RECORD_BEGIN	"/* dynamo access pattern "

/* Returns the comment at the start of a function's body, which stands before the statement. */
extern char *PatternRecordPrint(const AccessPattern *pattern, const char *statement);

/* Reads the body of a function; returns NULL if it is not a pattern's. */
extern AccessPattern *PatternRecordRead(Slice body);

/* ---- pattern_request.c ---- */

/* The replacement of a :value in the expressions. */
typedef struct PatternPlaceholder
{
	const char *placeholder;
	const PatternValue *key;	/* the text that a key is compared with; NULL if it is not used */
	const char *parameter;		/* a parameter without a template; NULL if it is not used */
	const char *constant;		/* a constant text */
} PatternPlaceholder;

/* Raises an error for a pattern that is no request. */
extern void PatternRequireRequest(const AccessPattern *pattern);

/* Returns the placeholders of the key condition and the filter. */
extern List *PatternPlaceholders(const AccessPattern *pattern);

/*
 * Return ExpressionAttributeNames as JSON: all, and those of the user's
 * filter; NULL if there are none.
 */
extern char *PatternNames(const AccessPattern *pattern);
extern char *PatternFilterNames(const AccessPattern *pattern);

/*
 * Return the key condition and the filter as in a request; NULL if there is
 * none.
 */
extern char *PatternKeyExpression(const AccessPattern *pattern);
extern char *PatternFilterExpression(const AccessPattern *pattern);

/* Returns the filter without the test of the kinds, which rows are tested for otherwise. */
extern char *PatternRowFilter(const AccessPattern *pattern);

/*
 * Returns the part of a template that a value is composed of, with {parts}, or
 * its constant.
 */
extern char *PatternValueShown(const PatternValue *value);

/*
 * Appends the request Query.  If find is NULL, the values are templates.
 * Returns false if nothing can be found, because a parameter is null or fits
 * no key.
 */
extern bool PatternAppendRequest(const AccessPattern *pattern, ParameterFinder find, void *arg, StringInfo out);

/* ---- pattern_create.c ---- */

/* Raises errors for what a pattern that is planned must filter by. */
extern void PatternCheckFilter(const AccessPattern *p, const PatternTarget *target);

/* Returns the pattern of a function; NULL if it is not a pattern, or was dropped. */
extern AccessPattern *PatternIfAny(Oid function);

/* Raises an error in that case. */
extern AccessPattern *PatternOfFunction(Oid function);

/* ---- pattern_replace.c ---- */

/* What a pattern has beside its declaration. */
typedef struct PatternKept
{
	Acl		   *rights;			/* NULL: those of a new function */
	char	   *comment;		/* NULL: none */
} PatternKept;

/* Returns the functions of this name, in a schema, that are the current user's patterns of a table (AccessPattern's relation). */
extern List *PatternsOfName(Oid schema, const char *name, const char *relation);

/* Drops the function of a pattern, as the current user; returns what the next one gets. */
extern PatternKept *PatternDropKeeping(Oid function);

/* Gives it to a function of the current user. */
extern void PatternGiveKept(Oid function, const PatternKept *kept);

/* ---- pattern_sql.c ---- */

/* Returns the body of the function, without the comment.  The pattern has its basis. */
extern char *PatternBody(const AccessPattern *pattern, const PatternTarget *target, Relation view);

/* The plans of a pattern for two versions of its entity. */
typedef struct PatternVersions
{
	const AccessPattern *plans[2];
	const char *templates[2][KEY_MAX_ATTRIBUTES];	/* of the key attributes that change; NULL for others */
} PatternVersions;

/* The same of a pattern that reads the rows or items of two versions; it has the basis of both. */
extern char *PatternBodyOfEither(const AccessPattern *pattern, const PatternTarget *target, Relation view,
								 const PatternVersions *versions);

/* ---- pattern_moves.c ---- */

/*
 * When the items of an entity begin to be moved: makes the patterns of the table's owner that read the keys
 * which change read both, and raises an error for one that cannot.  before and after are the
 * definitions with either version; the table's own definition tells of the moves.
 */
extern void PatternsReadEither(Oid relid, const char *entity_name, const TableDef *before, const TableDef *after);

/* The functions (Oid) of an entity's patterns that belong to other roles which can read the table. */
extern List *PatternsOfOthers(Oid relid, const char *entity_name);

/* When they have been moved: makes these patterns read the keys of the table's definition. */
extern void PatternsReadOne(Oid relid);

#endif							/* DYNAMO_PATTERN_H */
