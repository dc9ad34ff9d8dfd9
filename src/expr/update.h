/*
 * update.h
 *	  Bound updates.  Private to expr/.  build_tree.h creates updates without text.
 */
#ifndef DYNAMO_EXPR_UPDATE_H
#define DYNAMO_EXPR_UPDATE_H

#include "expr/path_tree.h"

typedef enum SetOperandKind
{
	SET_PATH,
	SET_VALUE,
	SET_IF_NOT_EXISTS,			/* path or, if missing, right */
	SET_LIST_APPEND,			/* left, right */
	SET_UNION,					/* path, right (a set) */
	SET_DIFFERENCE,				/* path, right (a set) */
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
	bool		stores;			/* has SET or ADD, which create a missing item */
	bool		built;			/* created by build_tree.h */
	int			n;
	BoundAction *actions;
	PathTree	tree;			/* the targets; path i belongs to action i */
};

/* ---- bind_update.c ---- */

/*
 * Creates an update with room for actions and for the elements of their paths.
 */
extern Update *UpdateCreate(int nactions, int nelements);

/* Adds an action to an update, within the reserved room. */
extern BoundAction *UpdateAddAction(Update *update, UpdateAction action,
									Path target, ExprProblem *problem);

#endif							/* DYNAMO_EXPR_UPDATE_H */
