/*
 * update.h
 *	  Bound updates.  Private to expr/; build.h makes them without text.
 */
#ifndef DYNAMO_EXPR_UPDATE_H
#define DYNAMO_EXPR_UPDATE_H

#include "expr/path_tree.h"

typedef enum SetOperandKind
{
	SET_PATH,
	SET_VALUE,
	SET_IF_NOT_EXISTS,			/* path, or else right */
	SET_LIST_APPEND,			/* left, right */
	SET_UNION,					/* path, right: a set, as the next */
	SET_DIFFERENCE,
	SET_PLUS,
	SET_MINUS
} SetOperandKind;

/* What SET assigns. */
typedef struct SetOperand
{
	SetOperandKind kind;
	Path		path;
	ValueRef	value;
	struct SetOperand *left;
	struct SetOperand *right;
} SetOperand;

typedef struct BoundAction
{
	UpdateAction action;
	SetOperand *operand;		/* SET */
	ValueRef	literal;		/* ADD, DELETE */
} BoundAction;

struct Update
{
	bool		stores;			/* some SET or ADD: creates a missing item */
	bool		built;			/* not from an expression */
	int			n;
	BoundAction *actions;
	PathTree	tree;			/* of the targets; path i is of action i */
};

/* ---- bind_update.c ---- */

/* An update with room for actions and for the elements of their paths. */
extern Update *UpdateCreate(int nactions, int nelements);

/* Adds an action to its update, within what was reserved. */
extern BoundAction *UpdateAddAction(Update *update, UpdateAction action,
									Path target, ExprProblem *problem);

#endif							/* DYNAMO_EXPR_UPDATE_H */
