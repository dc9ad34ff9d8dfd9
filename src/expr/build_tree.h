/*
 * build_tree.h
 *	  Builds bound conditions and updates without an expression text, for the
 *	  legacy parameters Expected, QueryFilter, ScanFilter, KeyConditions and
 *	  AttributeUpdates.
 *
 * The functions make the trees that the evaluators of expressions take.  They
 * address top-level attributes by name and check nothing: callers check legacy
 * parameters, which have their own messages.  Trees are palloc'd and point to
 * the names and values given.
 */
#ifndef DYNAMO_BUILD_TREE_H
#define DYNAMO_BUILD_TREE_H

#include "exported.h"
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

extern DYNAMO_EXPORT Condition *ConditionBuildCompare(Slice attribute, CompareOp op,
										ValueRef value);
extern DYNAMO_EXPORT Condition *ConditionBuildBetween(Slice attribute, ValueRef lower,
										ValueRef upper);
extern DYNAMO_EXPORT Condition *ConditionBuildIn(Slice attribute, const ValueRef *values,
								   int n);
extern DYNAMO_EXPORT Condition *ConditionBuildExists(Slice attribute, bool exists);
extern DYNAMO_EXPORT Condition *ConditionBuildBeginsWith(Slice attribute, ValueRef prefix);
extern DYNAMO_EXPORT Condition *ConditionBuildContains(Slice attribute, ValueRef part);
extern DYNAMO_EXPORT Condition *ConditionBuildNot(Condition *negated);

/*
 * Joins conditions with AND if all is true, otherwise with OR.  Keeps the
 * array instead of copying it.
 */
extern DYNAMO_EXPORT Condition *ConditionBuildJoin(bool all, Condition **conditions, int n);

/* ---- key conditions ---- */

/*
 * Builds one test for each of n different attributes.  Raises the errors of
 * KeyConditionMatch about the key schema and, before them, an error for
 * KEY_NONE, which represents an operator that keys do not support.
 */
extern KeyCondition *KeyConditionBuild(const Slice *attributes,
									   const KeyTest *tests, int n,
									   const KeySchema *schema);

/* ---- updates ---- */

/*
 * Creates an update with room for nactions actions on different attributes.
 * ADD takes a number, a set or, unlike in expressions, a list, which is
 * appended.  A stored value of another type raises "Type mismatch for
 * attribute to update".
 */
extern DYNAMO_EXPORT Update *UpdateBuild(int nactions);
extern DYNAMO_EXPORT void UpdateBuildAction(Update *update, UpdateAction action,
							  Slice attribute, ValueRef value);

#endif							/* DYNAMO_BUILD_TREE_H */
