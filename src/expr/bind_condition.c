/*
 * bind_condition.c
 *	  Turns parse trees of conditions into bound conditions.
 *
 * The error of the first faulty predicate is raised.  Each predicate is
 * therefore bound and checked completely before the next one.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "expr/condition.h"

static Condition *BindNode(Binder *b, const ExprNode *node);

/* Binds a path or a value; with size, the argument of size(). */
static void
BindSimpleOperand(Binder *b, const ExprNode *node, Operand *o, bool size)
{
	if (node->kind == NODE_PATH)
	{
		o->kind = size ? OPERAND_SIZE_OF_PATH : OPERAND_PATH;
		o->path = BindPath(b, node);
	}
	else
	{
		o->kind = size ? OPERAND_SIZE_OF_VALUE : OPERAND_VALUE;
		o->value = BindValue(b, node);
	}
}

/* size() is the only function that the parser allows in an operand. */
static void
BindSize(Binder *b, const ExprNode *call, Operand *o)
{
	for (const ExprNode *arg = call->first; arg; arg = arg->next)
		BindSimpleOperand(b, arg, o, true);
	if (call->nchildren != call->function->noperands)
		BinderNoteCount(b, call, EXPR_ERROR_OPERAND_COUNT, call->nchildren);
}

static void
BindOperand(Binder *b, const ExprNode *node, Operand *o)
{
	memset(o, 0, sizeof(*o));
	if (node->kind == NODE_FUNCTION)
		BindSize(b, node, o);
	else
		BindSimpleOperand(b, node, o, false);
}

static ConditionKind
FunctionCondition(const ExprFunction *f)
{
	switch (f->id)
	{
		case FUNCTION_ATTRIBUTE_EXISTS:
			return CONDITION_EXISTS;
		case FUNCTION_ATTRIBUTE_NOT_EXISTS:
			return CONDITION_NOT_EXISTS;
		case FUNCTION_ATTRIBUTE_TYPE:
			return CONDITION_TYPE;
		case FUNCTION_BEGINS_WITH:
			return CONDITION_BEGINS_WITH;
		case FUNCTION_CONTAINS:
			return CONDITION_CONTAINS;
		default:
			elog(ERROR, "function %s is not a condition", f->name);
	}
}

static ConditionKind
NodeCondition(const ExprNode *node)
{
	switch (node->kind)
	{
		case NODE_AND:
			return CONDITION_AND;
		case NODE_OR:
			return CONDITION_OR;
		case NODE_NOT:
			return CONDITION_NOT;
		case NODE_COMPARE:
			return CONDITION_COMPARE;
		case NODE_BETWEEN:
			return CONDITION_BETWEEN;
		case NODE_IN:
			return CONDITION_IN;
		case NODE_FUNCTION:
			return FunctionCondition(node->function);
		default:
			elog(ERROR, "unexpected node %d in a condition", (int) node->kind);
	}
}

static void
CheckOperandCount(Binder *b, const ExprNode *node)
{
	if (node->kind == NODE_FUNCTION &&
		node->nchildren != node->function->noperands)
		BinderNoteCount(b, node, EXPR_ERROR_OPERAND_COUNT, node->nchildren);
	if (node->kind == NODE_IN && node->nchildren - 1 > EXPR_MAX_IN_OPERANDS)
		BinderNoteCount(b, node, EXPR_ERROR_IN_OPERANDS, node->nchildren - 1);
}

static void
BindPredicate(Binder *b, const ExprNode *node, Condition *cond)
{
	Operand    *o = palloc(Max(node->nchildren, 1) * sizeof(Operand));

	cond->operands = o;
	for (const ExprNode *child = node->first; child; child = child->next)
		BindOperand(b, child, o++);
	CheckOperandCount(b, node);
	if (!BinderReport(b))
		return;
	CheckOperands(b, cond);
	(void) BinderReport(b);
}

static void
BindChildren(Binder *b, const ExprNode *node, Condition *cond)
{
	Condition **c = palloc(node->nchildren * sizeof(Condition *));

	cond->children = c;
	for (const ExprNode *child = node->first; child; child = child->next)
		*c++ = BindNode(b, child);
}

static Condition *
BindNode(Binder *b, const ExprNode *node)
{
	Condition  *cond = palloc0(sizeof(Condition));

	check_stack_depth();
	cond->kind = NodeCondition(node);
	cond->op = (CompareOp) node->op;
	cond->node = node;
	cond->n = node->nchildren;
	if (cond->kind <= CONDITION_NOT)
		BindChildren(b, node, cond);
	else
		BindPredicate(b, node, cond);
	return cond;
}

Condition *
ConditionBind(ExprKind kind, const ExprTree *expr, ExprBindings *bindings)
{
	Condition  *cond;
	Binder		b;

	Assert(expr->kind == kind);
	BinderInit(&b, expr, bindings);
	cond = BindNode(&b, expr->root);
	return b.problem.error.code == EXPR_OK ? cond : NULL;
}
