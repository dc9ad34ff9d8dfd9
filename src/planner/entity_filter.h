/*
 * entity_filter.h
 *	  What the files of dynamo_system.entity_filter's planner support share.
 *
 * entity_filter_support.c describes the whole.  Its steps, in their order:
 * find the filter in the join tree (entity_filter_find.c), collect the
 * comparisons of key parts around it (entity_filter_comparisons.c), compose
 * conditions on each key from them (entity_filter_keys.c) where all items that
 * the query can return have that key (entity_filter_items.c) or admit those
 * that may not (entity_filter_lacking.c), and choose the key that restricts the
 * query most (entity_filter_choice.c).
 */
#ifndef DYNAMO_PLANNER_ENTITY_FILTER_H
#define DYNAMO_PLANNER_ENTITY_FILTER_H

#include "nodes/pathnodes.h"

#include "entity/entity.h"
#include "table/table.h"

#define FIRST_PART_ARGUMENT	3	/* arguments before it: table, entity and item */

/* Whether a compared value is an empty text, or an array that contains one. */
typedef enum Emptiness
{
	EMPTY_NEVER,
	EMPTY_MAYBE,				/* known when the plan runs */
	EMPTY_SURELY
} Emptiness;

/* A comparison of a part with another value. */
typedef struct Comparison
{
	const char *part;
	int			strategy;		/* btree strategy: less, ..., greater */
	bool		array;			/* equal to an element of an array */
	Emptiness	empty;
	Node	   *shown;			/* the view's expression for the part */
	Expr	   *value;
	Node	   *qual;			/* the whole comparison */
	Node	  **quals;			/* the quals that contain it */
	int			depth;			/* position of these quals; 0 for the filter's own */
} Comparison;

typedef struct Filter
{
	PlannerInfo *root;
	const FuncExpr *call;		/* the call before it was simplified */
	Index		varno;
	const TableDef *def;
	const Entity *entity;
	FromExpr   *from;			/* whose quals contain the filter; NULL for those of a join */
	List	   *path;			/* of Node **: quals that must hold, from the filter outwards */
	List	   *comparisons;
	const IndexDef *entries;	/* index table with the keys to compare; NULL for the table */
	Emptiness	usable;			/* greatest emptiness of values for the key of an index */
} Filter;

/* A condition to add, and the position of its quals. */
typedef struct Addition
{
	Expr	   *clause;
	Node	  **quals;
	int			depth;
	List	   *implies;		/* of Node *: comparisons that it makes redundant */
} Addition;

/* A key whose comparisons are being collected. */
typedef struct KeyPlan
{
	const ComposedKey *key;
	Var		   *column;
	Addition	place;
	List	   *parts;			/* arguments of compose_key: names and values */
	List	   *told;			/* of Comparison *: those whose values the whole key determines */
	int			known;			/* number of known leading pieces */
	bool		array;			/* one of the values is an array */
} KeyPlan;

/* ---- entity_filter_find.c ---- */

/* Returns the members of quals: an expression before preprocessing, a list after it. */
extern List *QualConjuncts(Node *quals);

/*
 * Finds the call of a function on the table varno in a join tree, and sets call,
 * from and path.  *closed becomes true if no quals further out apply to the
 * filter's rows.
 */
extern bool FilterFind(Filter *f, Node *node, Oid function, bool *closed);

/* ---- entity_filter_comparisons.c ---- */

/* Collects the comparisons of parts in the quals of path. */
extern void FilterCollectComparisons(Filter *f);

/*
 * Finds the comparison of a part.  One with what may be an empty text counts
 * only for the table's key (base), which every item has, or if it is usable.
 */
extern const Comparison *FilterFindComparison(const Filter *f, const TemplatePart *part,
											  int strategy, bool array, bool base);

/* ---- entity_filter_keys.c ---- */

/*
 * Moves an addition out to the quals of something that it is derived from, if
 * these are further out.
 */
extern void FilterMoveOut(Addition *a, Node **quals, int depth);

/* Returns the column of a key attribute, of the table or of the entries. */
extern Var *FilterKeyColumn(const Filter *f, int attribute);

/*
 * Finds the known parts of a key; returns whether they are the whole key.  An
 * array is used only if they are.
 */
extern bool FilterPlanKey(const Filter *f, const ComposedKey *key, KeyPlan *plan);

/*
 * Adds the condition on a key whose parts are all known.  A constant key
 * replaces the comparisons.
 */
extern void FilterAddEquality(const Filter *f, List **additions, KeyPlan *plan);

/* Adds begins_with(column, prefix) if the prefix is known. */
extern void FilterAddPrefix(List **additions, KeyPlan *plan);

/*
 * Adds conditions on a key whose leading parts are known: a prefix or a range.
 * Returns whether a comparison was used.
 */
extern bool FilterAddRange(const Filter *f, List **additions, KeyPlan *plan);

/* ---- entity_filter_items.c ---- */

/* Whether all items that the query can return meet the condition of a key. */
extern bool FilterImpliesCondition(const Filter *f, const ComposedKey *key);

/*
 * Whether all items that the query can return have an attribute of the index's
 * key.
 */
extern bool FilterImpliesAttribute(const Filter *f, Slice attribute);

/* ---- entity_filter_lacking.c ---- */

/*
 * Returns conditions on the key of an index, extended to items that lack it
 * because a compared value is an empty text, if a value may be one.
 */
extern List *FilterAdmitLacking(const Filter *f, const KeySchema *schema, List *additions);

/* ---- entity_filter_choice.c ---- */

/*
 * Returns the conditions (Addition) on the key of the table or an index,
 * whichever they restrict most, or at least on the prefix of the table's key.
 */
extern List *FilterConditions(Filter *f);

#endif							/* DYNAMO_PLANNER_ENTITY_FILTER_H */
