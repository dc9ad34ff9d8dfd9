/*
 * expr.h
 *	  Expressions: conditions, filters, key conditions, projections and
 *	  updates.
 *
 * An expression goes through four stages, each in its own files:
 *
 *	scanner.c		text to tokens
 *	parse*.c	tokens to a parse tree (ExprTree), which does not depend on
 *				names, values or schemas; cached by text (cache.c)
 *	bind*.c		parse tree + ExprBindings (+ key schema) to a bound tree:
 *				placeholders resolved, static checks done; also
 *				key_condition.c, projection.c
 *	eval_*.c	bound tree + item to a result
 *
 * build_tree.h creates bound trees without text; error.c holds all messages.
 *
 * Names and values: a call has one ExprBindings for all its expressions.  It
 * counts uses, so that the unused ones are known after the last bind.
 *
 * What is wrong is a Problem (problem.h) with the service's message and
 * ERRCODE_DYNAMO_VALIDATION.  A function that takes a Problem, or the bindings
 * that were given one, notes it there and returns NULL or false; where NULL
 * stands for the Problem it is raised.  A problem inside an expression also
 * records its byte position with internalerrposition
 * and internalerrquery, so that psql can mark it.  errposition would refer to
 * the query instead of the expression.
 *
 * Bound trees live in the memory context that is current at bind.  They point
 * into the bindings and the cached parse tree, and are valid as long as both
 * are.  ExprParse pins the parse tree until the memory context that is current
 * at the call is reset or deleted.
 */
#ifndef DYNAMO_EXPR_H
#define DYNAMO_EXPR_H

#include "exported.h"
#include "item/item.h"
#include "problem.h"

struct JsonbContainer;			/* utils/jsonb.h */

#define EXPR_MAX_SIZE			4096
#define EXPR_MAX_OPERATORS		300
#define EXPR_MAX_IN_OPERANDS	100
#define EXPR_MAX_PATH_DEPTH		32
#define EXPR_MAX_PLACEHOLDER	255
#define EXPR_MAX_BINDINGS_SIZE	(2 * 1024 * 1024)

typedef enum ExprKind
{
	EXPR_UPDATE,				/* in the order in which the service parses them */
	EXPR_CONDITION,
	EXPR_KEY_CONDITION,
	EXPR_FILTER,
	EXPR_PROJECTION,
	EXPR_SEARCH,				/* condition of a vector search */
	EXPR_STATEMENT				/* any part of a PartiQL statement (partiql/) */
} ExprKind;

typedef struct ExprTree ExprTree;	/* a parse tree */
typedef struct ExprBindings ExprBindings;
typedef struct Condition Condition; /* bound condition or filter */
typedef struct KeyCondition KeyCondition;
typedef struct Projection Projection;
typedef struct Update Update;

/* One entry of ExpressionAttributeNames. */
typedef struct NamePair
{
	Slice		placeholder;	/* "#n" */
	Slice		name;
} NamePair;

/* ---- cache.c ---- */

/*
 * Returns the parse tree of an expression, from the backend's cache or newly
 * parsed; NULL if a problem is noted.  It finds every problem that depends
 * neither on names nor on values: size, syntax, limits, parentheses, functions,
 * reserved words, repeated sections.  The first failing expression must be the
 * one reported, so parse and bind one expression before parsing the next, in
 * the order of ExprKind.  The tree is immutable and valid as long as the
 * current memory context.
 */
extern const ExprTree *ExprParse(ExprKind kind, const char *text, uint32 len, Problem *problem);

/* ---- bindings.c ---- */

/*
 * Creates the bindings of one call.  values is a map {":v": value}, or
 * MISSING_VALUE if not given.  Names are added one by one, or all at once from
 * jsonb (an object of strings).  The bindings point to their arguments and
 * copy nothing.  Problems of the call are noted in problem.
 */
extern DYNAMO_EXPORT ExprBindings *ExprBindingsCreate(ValueRef values, Problem *problem);
extern void ExprBindingsAddName(ExprBindings *b, Slice placeholder, Slice name);
extern void ExprBindingsAddNames(ExprBindings *b, struct JsonbContainer *names);

/*
 * Adds the names in a map of strings, which may be missing.  Returns false if
 * one of them is not a string.
 */
extern DYNAMO_EXPORT bool ExprBindingsAddMap(ExprBindings *b, ValueRef names);

/*
 * Bindings of a PartiQL statement, whose values have numbers instead of names.
 * They point to the array.
 */
extern DYNAMO_EXPORT ExprBindings *ExprBindingsOfPositions(const ValueRef *values, Problem *problem);

/*
 * Call after all names are added and before the first bind.  Checks for empty
 * maps, invalid placeholders and the total size.  names_given distinguishes an
 * empty map from one that is not given.
 */
extern bool ExprBindingsCheck(const ExprBindings *b, bool names_given);

/*
 * The same checks one by one, for callers that must make them earlier.  The
 * problem of an invalid placeholder has this rank.
 */
#define EXPR_PLACEHOLDER_RANK	1
extern DYNAMO_EXPORT bool ExprCheckNotEmpty(const char *parameter, uint32 count, Problem *problem);
extern DYNAMO_EXPORT bool ExprCheckName(Slice placeholder, Slice name, Problem *problem);
extern DYNAMO_EXPORT bool ExprCheckValueKey(Slice placeholder, Problem *problem);

/*
 * Reads the pairs of expression_attribute_names from jsonb.  The array is
 * palloc'd; its slices point into the jsonb.  Returns the number of pairs.
 */
extern int	ExprNamesFromJsonb(struct JsonbContainer *names, NamePair **pairs);

/*
 * Call after all expressions are bound.  Checks for unused names, then for
 * unused values.
 */
extern bool ExprBindingsCheckUnused(const ExprBindings *b);

/* ---- conditions and filters ---- */

/* Binds a condition, filter or key condition to names and values; palloc'd. */
extern DYNAMO_EXPORT Condition *ConditionBind(ExprKind kind, const ExprTree *expr, ExprBindings *b);

/*
 * Whether an item satisfies a condition.  item is MISSING_VALUE if there is
 * none.
 */
extern DYNAMO_EXPORT bool ConditionMatches(const Condition *cond, ValueRef item);

/*
 * Calls visit for the top-level attribute name of every path in the condition,
 * in textual order.  nested is true if the path has further elements.  Stops
 * when visit returns false.
 */
typedef bool (*PathVisitor) (Slice name, bool nested, void *arg);
extern DYNAMO_EXPORT void ConditionVisitPaths(const Condition *cond, PathVisitor visit, void *arg);

/* ---- key conditions ---- */

/* The key of a table or of an index, as a key condition sees it. */
#define KEY_MAX_ATTRIBUTES	8

typedef struct KeyAttribute
{
	Slice		name;
	ValueType	type;			/* VALUE_S, VALUE_N or VALUE_B */
} KeyAttribute;

typedef struct KeySchema
{
	int			npartition;		/* 1 to 4 */
	int			nsort;			/* 0 to 4 */
	KeyAttribute attributes[KEY_MAX_ATTRIBUTES];	/* partition, then sort */
} KeySchema;

/* The number of attributes of a key. */
static inline int
KeyCount(const KeySchema *key)
{
	return key->npartition + key->nsort;
}

/* Whether an attribute belongs to a key. */
static inline bool
KeySchemaHas(const KeySchema *key, Slice name)
{
	for (int i = 0; i < KeyCount(key); i++)
	{
		if (SliceEqual(key->attributes[i].name, name))
			return true;
	}
	return false;
}

typedef enum KeyOperator
{
	KEY_NONE,					/* not constrained */
	KEY_EQ,
	KEY_LT,
	KEY_LE,
	KEY_GT,
	KEY_GE,
	KEY_BETWEEN,				/* value and upper */
	KEY_BEGINS_WITH
} KeyOperator;

typedef struct KeyTest
{
	KeyOperator op;
	ValueRef	value;
	ValueRef	upper;			/* KEY_BETWEEN only */
} KeyTest;

/*
 * One test for each attribute of the schema, in its order.  All partition
 * attributes have KEY_EQ; so have all sort attributes before the last
 * constrained one.
 */
struct KeyCondition
{
	int			ntests;			/* npartition + nsort */
	KeyTest		tests[KEY_MAX_ATTRIBUTES];
};

/*
 * ConditionBind binds a key condition like any other condition.  Two further
 * steps follow, because the service runs their checks at different times:
 * Clauses checks operators and operands without the schema, Match checks the
 * clauses against the schema and notes problems where Clauses does.
 */
typedef struct KeyClauses KeyClauses;

extern KeyClauses *KeyConditionClauses(const ExprTree *expr, const Condition *cond, Problem *problem);
extern KeyCondition *KeyConditionMatch(const KeyClauses *clauses, const KeySchema *schema);

/*
 * The same, but also IN is allowed, which is an equality with its first member.  Raises the
 * errors.  KeyClauseMembers returns the number of members; 0 for other clauses.
 */
extern KeyClauses *KeyConditionClausesWithIn(const ExprTree *expr, const Condition *cond);
extern int	KeyClauseMembers(const KeyClauses *clauses, int i);

/* Clause i, from 0, and its attribute; false if there are not so many. */
extern bool KeyClauseGet(const KeyClauses *clauses, int i, Slice *attribute, KeyTest *test);

/* The name that a #placeholder stands for; data is NULL if there is none. */
typedef Slice (*NameOfPlaceholder) (Slice placeholder, const void *names);

/*
 * Finds the :placeholder that a key condition compares with an attribute by
 * "=".  data is NULL if there is none.  find is called with names for each #placeholder.
 * The text may be invalid; the function raises no errors.
 */
extern DYNAMO_EXPORT Slice KeyConditionGlance(Slice condition, Slice attribute, NameOfPlaceholder find, const void *names);

/* A NameOfPlaceholder; names is the container of a jsonb, or NULL. */
extern Slice NameInJsonb(Slice placeholder, const void *names);

/* Whether a key value satisfies a test.  Both must have the same type. */
extern DYNAMO_EXPORT bool KeyTestMatches(const KeyTest *test, ValueRef value);

/* ---- conditions of vector searches ---- */

/* A test "attribute = value". */
typedef struct SearchTest
{
	Slice		attribute;
	ValueRef	value;
} SearchTest;

/*
 * Returns the tests of a bound condition, of which there are *n; raises an
 * error if it is anything else than such tests joined by AND.
 */
extern SearchTest *SearchConditionTests(const Condition *cond, int *n);

/* ---- projections ---- */

/* Binds a projection to names; palloc'd. */
extern Projection *ProjectionBind(const ExprTree *expr, ExprBindings *b);

/*
 * Creates a projection of top-level attributes by name (AttributesToGet,
 * INCLUDE).
 */
extern DYNAMO_EXPORT Projection *ProjectionOfNames(const Slice *names, int n);

/*
 * Binds the projection of a PartiQL statement: the value at path i of the list
 * becomes the top-level attribute names[i].
 */
extern DYNAMO_EXPORT Projection *ProjectionBindNamed(const ExprTree *list, const Slice *names);

/*
 * Returns a new palloc'd item with only the projected paths; {} if none
 * resolves.
 */
extern DYNAMO_EXPORT struct varlena *ProjectionApply(const Projection *proj, ValueRef item);
extern void ProjectionVisitPaths(const Projection *proj, PathVisitor visit, void *arg);

/* ---- updates ---- */

/* Binds an update to names and values; palloc'd. */
extern DYNAMO_EXPORT Update *UpdateBind(const ExprTree *expr, ExprBindings *b);

/* Calls visit for the top-level name of every target path. */
extern void UpdateVisitTargets(const Update *update, PathVisitor visit, void *arg);

/* Calls visit for the top-level name of every path that SET reads. */
extern void UpdateVisitOperands(const Update *update, PathVisitor visit, void *arg);

/*
 * A palloc'd map of the top-level attributes that SET assigns unchanged values
 * of the request; NULL if there is none.
 */
extern struct varlena *UpdateLiterals(const Update *update);

/*
 * Returns the updated item.  old is the item before the update, or
 * MISSING_VALUE.  In the latter case the update starts from key (a map of the
 * key attributes, or MISSING_VALUE if there are none), and operands read it.
 * Returns NULL if there is nothing to store (only REMOVE and DELETE on a
 * missing item), or if a problem is noted: the update does not suit the item,
 * or makes it too large.  Raises the problem if problem is NULL.
 */
extern struct varlena *UpdateApply(const Update *update, ValueRef old, ValueRef key,
								   Problem *problem);

/*
 * The bytes that UpdateItem charges for an update of old (or MISSING_VALUE), and
 * whether they may be more than limit, which takes much less time to tell.  The
 * update must have been created from an UpdateExpression.
 */
extern uint64 UpdateCharge(const Update *update, ValueRef old);
extern bool UpdateMayCharge(const Update *update, uint64 limit);

/*
 * The values at the update's target paths in item, in their hierarchy
 * (UPDATED_OLD, UPDATED_NEW); NULL if none resolves.
 */
extern struct varlena *UpdateTargetsIn(const Update *update, ValueRef item);

#endif							/* DYNAMO_EXPR_H */
