/*
 * build.h
 *	  Bound conditions and updates made without text: for legacy parameters
 *	  (Expected, QueryFilter, ScanFilter, KeyConditions, AttributeUpdates).
 *
 * There is one evaluator; these make the trees it takes.  They address
 * top-level attributes by name and check nothing: these parameters have
 * checks and messages of their own.  Trees are palloc'd and point at the
 * names and values given.
 */
#ifndef DYNAMO_EXPR_BUILD_H
#define DYNAMO_EXPR_BUILD_H

#include "expr/expr.h"

typedef enum CompareOp
{
	COMPARISON_EQ,
	COMPARISON_NE,
	COMPARISON_LT,
	COMPARISON_LE,
	COMPARISON_GT,
	COMPARISON_GE
} CompareOp;

typedef enum UpdateAction
{
	ACTION_SET,
	ACTION_REMOVE,
	ACTION_ADD,
	ACTION_DELETE
} UpdateAction;

#define ACTION_COUNT	4

/* ---- conditions ---- */

extern Condition *ConditionBuildCompare(Slice attribute, CompareOp op,
										ValueRef value);
extern Condition *ConditionBuildBetween(Slice attribute, ValueRef lower,
										ValueRef upper);
extern Condition *ConditionBuildIn(Slice attribute, const ValueRef *values,
								   int n);
extern Condition *ConditionBuildExists(Slice attribute, bool exists);
extern Condition *ConditionBuildBeginsWith(Slice attribute, ValueRef prefix);
extern Condition *ConditionBuildContains(Slice attribute, ValueRef part);
extern Condition *ConditionBuildNot(Condition *negated);

/* all: AND, else OR.  The array is kept, not copied. */
extern Condition *ConditionBuildJoin(bool all, Condition **conditions, int n);

/* ---- key conditions ---- */

/*
 * One test for each of n different attributes.  Raises what KeyConditionMatch
 * raises about the key schema, and before that an error about KEY_NONE, which
 * stands for an operator that no key can have.
 */
extern KeyCondition *KeyConditionBuild(const Slice *attributes,
									   const KeyTest *tests, int n,
									   const KeySchema *schema);

/* ---- updates ---- */

/*
 * An update with room for so many actions, each of another attribute.
 * ADD takes a number, a set, or (unlike in expressions) a list, which is
 * appended.  A stored type that does not fit raises "Type mismatch for
 * attribute to update".
 */
extern Update *UpdateBuild(int nactions);
extern void UpdateBuildAction(Update *update, UpdateAction action,
							  Slice attribute, ValueRef value);

#endif							/* DYNAMO_EXPR_BUILD_H */
