/*
 * expr.h
 *	  Expressions: the language of conditions, filters, key conditions,
 *	  projections and updates.
 *
 * An expression goes through four stages, each in files of its own:
 *
 *		scan.c		text to tokens
 *		parse*.c	tokens to a parse tree (Expr), which knows nothing of
 *					names, values or schemas; cached by text (cache.c)
 *		bind*.c		parse tree + ExprBindings (+ key schema) to a bound tree:
 *					placeholders resolved, static checks done; also
 *					key_condition.c, projection.c
 *		eval_*.c	bound tree + item to a result
 *
 * build.h makes bound trees without text; error.c holds all messages.
 *
 * Names and values.  A call has one ExprBindings for all its expressions; it
 * counts uses, so that after the last bind the unused ones are known.
 *
 * Errors are raised in the service's words (ERRCODE_DYNAMO_VALIDATION); for
 * an error inside an expression the byte position within it is recorded so
 * that the SQL door can draw a caret (errposition does not fit, since the
 * expression is not the query: internalerrposition with internalerrquery).
 *
 * Bound trees live in the memory context current at bind, and point into the
 * bindings and the cached parse tree: valid while both are.  A parse tree
 * returned by ExprParse is pinned until the memory context that was current
 * then is reset or deleted.
 */
#ifndef DYNAMO_EXPR_H
#define DYNAMO_EXPR_H

#include "item/item.h"

struct JsonbContainer;			/* utils/jsonb.h */

#define EXPR_MAX_SIZE			4096
#define EXPR_MAX_OPERATORS		300
#define EXPR_MAX_IN_OPERANDS	100
#define EXPR_MAX_PATH_DEPTH		32
#define EXPR_MAX_PLACEHOLDER	255
#define EXPR_MAX_BINDINGS_SIZE	(2 * 1024 * 1024)

typedef enum ExprKind
{
	EXPR_UPDATE,				/* in the order the service parses them */
	EXPR_CONDITION,
	EXPR_KEY_CONDITION,
	EXPR_FILTER,
	EXPR_PROJECTION,
	EXPR_STATEMENT				/* any part of a PartiQL statement (partiql/) */
} ExprKind;

typedef struct Expr Expr;		/* a parse tree */
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
 * The parse tree of an expression, from the backend's cache or parsed now.
 * Raises every error that needs neither names nor values: size, syntax,
 * limits, parentheses, functions, reserved words, repeated sections.  So that
 * the first failing expression is the one reported, parse and bind one
 * expression before parsing the next, in the order of ExprKind.  The tree is
 * immutable and stays valid as long as the current memory context.
 */
extern const Expr *ExprParse(ExprKind kind, const char *text, uint32 len);

/* ---- bindings.c ---- */

/*
 * Bindings of one call.  values: a map {":v": value}, or MISSING_VALUE when
 * not given.  Names are added one by one, or all at once from jsonb (an
 * object of strings).  Everything is pointed at, nothing copied.
 */
extern ExprBindings *ExprBindingsCreate(ValueRef values);
extern void ExprBindingsAddName(ExprBindings *b, Slice placeholder, Slice name);
extern void ExprBindingsAddNames(ExprBindings *b, struct JsonbContainer *names);

/*
 * Bindings of a PartiQL statement, whose values have numbers in place of
 * names.  The array is pointed at.
 */
extern ExprBindings *ExprBindingsOfPositions(const ValueRef *values);

/*
 * After all names are added and before the first bind: raises for empty maps,
 * bad placeholder syntax and the total size.  names_given tells "given but
 * empty" from "not given".
 */
extern void ExprBindingsCheck(ExprBindings *b, bool names_given);

/* The same checks one by one, for who must raise their errors earlier. */
extern void ExprCheckNotEmpty(const char *parameter, uint32 count);
extern void ExprCheckName(Slice placeholder, Slice name);
extern void ExprCheckValueKey(Slice placeholder);

/*
 * The pairs of expression_attribute_names as SQL gives them, palloc'd; their
 * slices point into the jsonb.  Returns their number.
 */
extern int	ExprNamesFromJsonb(struct JsonbContainer *names, NamePair **pairs);

/*
 * After all expressions are bound: raises for unused names, then values.
 */
extern void ExprBindingsCheckUnused(ExprBindings *b);

/* ---- conditions and filters ---- */

/* A condition, filter or key condition bound to names and values; palloc'd. */
extern Condition *ConditionBind(ExprKind kind, const Expr *expr, ExprBindings *b);

/* item: MISSING_VALUE for "no item". */
extern bool ConditionMatches(const Condition *cond, ValueRef item);

/*
 * Calls visit for the top-level attribute name of every path in it, in
 * textual order; nested tells that the path goes deeper.  Stops early when
 * visit returns false.
 */
typedef bool (*PathVisitor) (Slice name, bool nested, void *arg);
extern void ConditionVisitPaths(const Condition *cond, PathVisitor visit, void *arg);

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
 * One test per attribute of the schema, in its order: all partition
 * attributes KEY_EQ; sort attributes KEY_EQ up to the last constrained one.
 */
struct KeyCondition
{
	int			ntests;			/* npartition + nsort */
	KeyTest		tests[KEY_MAX_ATTRIBUTES];
};

/*
 * A key condition is bound by ConditionBind, as any other.  What follows has
 * two steps because the service checks them at two times: Clauses does what
 * needs no schema (operators and operands that no key can have), Match what
 * does.
 */
typedef struct KeyClauses KeyClauses;

extern KeyClauses *KeyConditionClauses(const Expr *expr, const Condition *cond);
extern KeyCondition *KeyConditionMatch(const KeyClauses *clauses,
									   const KeySchema *schema);

/*
 * The :placeholder that a key condition compares an attribute with by =, data
 * NULL if there is none; names: the #names, an object, or NULL.  The text need
 * not be a key condition; nothing is raised.
 */
extern Slice KeyConditionGlance(Slice condition, Slice attribute,
								struct JsonbContainer *names);

/* Whether a key value satisfies a test (same type is assumed). */
extern bool KeyTestMatches(const KeyTest *test, ValueRef value);

/* ---- projections ---- */

/* A projection bound to names; palloc'd. */
extern Projection *ProjectionBind(const Expr *expr, ExprBindings *b);

/* A projection of whole attributes by name (AttributesToGet, INCLUDE). */
extern Projection *ProjectionOfNames(const Slice *names, int n);

/*
 * The projection of a PartiQL statement: what path i of the list leads to
 * becomes the attribute names[i], whatever hierarchy it stands in.
 */
extern Projection *ProjectionBindNamed(const Expr *list, const Slice *names);

/* A new item, palloc'd, with only the projected paths; {} if none resolve. */
extern struct varlena *ProjectionApply(const Projection *proj, ValueRef item);
extern void ProjectionVisitPaths(const Projection *proj, PathVisitor visit, void *arg);

/* ---- updates ---- */

/* An update bound to names and values; palloc'd. */
extern Update *UpdateBind(const Expr *expr, ExprBindings *b);

/* Calls visit for the top-level name of every target path. */
extern void UpdateVisitTargets(const Update *update, PathVisitor visit, void *arg);

/* Calls visit for the top-level name of every path that SET reads. */
extern void UpdateVisitOperands(const Update *update, PathVisitor visit, void *arg);

/*
 * A map, palloc'd, of the top-level attributes that SET gives values as they
 * stand in the request; NULL if there is none.
 */
extern struct varlena *UpdateLiterals(const Update *update);

/*
 * The item after the update.  old: the item before, or MISSING_VALUE, in
 * which case key (a map of the key attributes, or MISSING_VALUE for none) is
 * what the update starts from and what its operands see; NULL is returned when
 * there is nothing to store (only REMOVE and DELETE on a missing item).
 * Raises the application errors of the service.  The result's size is checked
 * here.
 */
extern struct varlena *UpdateApply(const Update *update, ValueRef old, ValueRef key);

/*
 * The bytes that UpdateItem adds to the size of an item without its key
 * attributes before it compares the sum with the limit of an item.  Source:
 * sizes measured with the service in 2026.
 */
extern uint32 UpdateOverhead(const Update *update);

/*
 * The values at the update's target paths in item, hierarchy kept
 * (UPDATED_OLD, UPDATED_NEW); NULL if none resolves.
 */
extern struct varlena *UpdateTargetsIn(const Update *update, ValueRef item);

#endif							/* DYNAMO_EXPR_H */
