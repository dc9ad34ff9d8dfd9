/*
 * bind_update.c
 *	  Turns parse trees of updates into bound updates.
 *
 * The problems of the whole expression are noted; then the most important one
 * is raised.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "expr/update.h"
#include "item/builder.h"

static SetOperand *BindSetOperand(Binder *b, const ExprNode *node);

/* ---- updates ---- */

Update *
UpdateCreate(int nactions, int nelements)
{
	Update	   *update = palloc0(sizeof(Update));

	update->actions = palloc0(Max(nactions, 1) * sizeof(BoundAction));
	PathTreeInit(&update->tree, nactions, nelements);
	return update;
}

BoundAction *
UpdateAddAction(Update *update, UpdateAction action, Path target,
				ExprProblem *problem)
{
	BoundAction *bound = &update->actions[update->n++];

	bound->action = action;
	if (action == ACTION_SET || action == ACTION_ADD)
		update->stores = true;
	PathTreeAdd(&update->tree, target, problem);
	return bound;
}

/* ---- operand types ---- */

static void
NoteOperandType(Binder *b, const ExprNode *node, Slice name, ValueType type)
{
	BinderNote(b, node, EXPR_ERROR_OPERAND_TYPE, name,
			   SliceOf(ValueTypeName(type)));
}

/*
 * An operand whose type is known must have the type that its operator needs.
 */
static void
CheckOperandType(Binder *b, const ExprNode *node, Slice name,
				 const SetOperand *operand, ValueType need)
{
	if (operand == NULL)
		return;
	if (operand->kind == SET_VALUE && !ValueIsMissing(operand->value) &&
		ValueTypeOf(operand->value) != need)
		NoteOperandType(b, node, name, ValueTypeOf(operand->value));
	if (operand->kind == SET_LIST_APPEND && need != VALUE_L)
		NoteOperandType(b, node, name, VALUE_L);
}

static void
CheckOperandTypes(Binder *b, const ExprNode *node, Slice name,
				  const SetOperand *operand, ValueType need)
{
	CheckOperandType(b, node, name, operand->left, need);
	CheckOperandType(b, node, name, operand->right, need);
}

/* Returns the long type names, which only errors of ADD and DELETE use. */
static const char *
LongTypeName(ValueType type)
{
	switch (type)
	{
		case VALUE_S:
			return "STRING";
		case VALUE_N:
			return "NUMBER";
		case VALUE_B:
			return "BINARY";
		case VALUE_BOOL:
			return "BOOLEAN";
		case VALUE_NULL:
			return "NULL";
		case VALUE_L:
			return "LIST";
		case VALUE_M:
			return "MAP";
		default:
			return ValueTypeName(type);
	}
}

static void
CheckActionType(Binder *b, const ExprNode *node, const BoundAction *action)
{
	bool		add = action->action == ACTION_ADD;
	ValueType	type;

	if (ValueIsMissing(action->literal))
		return;
	type = ValueTypeOf(action->literal);
	if (ValueTypeIsSet(type) || (add && type == VALUE_N))
		return;
	BinderNote(b, node, EXPR_ERROR_ACTION_TYPE,
			   SliceOf(add ? "ADD" : "DELETE"), SliceOf(LongTypeName(type)));
}

/* ---- operands of SET ---- */

/* Binds a call whose operands are a path and a value. */
static void
BindPathCall(Binder *b, const ExprNode *call, SetOperand *operand)
{
	const ExprNode *path = call->first;
	Slice		none = {NULL, 0};

	if (path->kind != NODE_PATH)
	{
		(void) BindSetOperand(b, path);
		BinderNote(b, call, EXPR_ERROR_NEEDS_PATH, call->text, none);
	}
	else
		operand->path = BindPath(b, path);
	operand->right = BindSetOperand(b, path->next);
}

static void
BindPair(Binder *b, const ExprNode *node, SetOperand *operand)
{
	operand->left = BindSetOperand(b, node->first);
	operand->right = BindSetOperand(b, node->first->next);
}

static void
BindCall(Binder *b, const ExprNode *call, SetOperand *operand)
{
	if (call->nchildren != call->function->noperands)
	{
		/* An undefined name among the operands is more important. */
		for (const ExprNode *arg = call->first; arg; arg = arg->next)
			(void) BindSetOperand(b, arg);
		BinderNoteCount(b, call, EXPR_ERROR_OPERAND_COUNT, call->nchildren);
		return;
	}
	switch (call->function->id)
	{
		case FUNCTION_IF_NOT_EXISTS:
			operand->kind = SET_IF_NOT_EXISTS;
			BindPathCall(b, call, operand);
			break;
		case FUNCTION_SET_ADD:
		case FUNCTION_SET_DELETE:
			operand->kind = call->function->id == FUNCTION_SET_ADD ?
				SET_UNION : SET_DIFFERENCE;
			BindPathCall(b, call, operand);
			break;
		default:
			operand->kind = SET_LIST_APPEND;
			BindPair(b, call, operand);
			CheckOperandTypes(b, call, call->text, operand, VALUE_L);
	}
}

static SetOperand *
BindSetOperand(Binder *b, const ExprNode *node)
{
	SetOperand *operand = palloc0(sizeof(SetOperand));
	bool		plus = node->kind == NODE_PLUS;

	check_stack_depth();
	switch (node->kind)
	{
		case NODE_PATH:
			operand->kind = SET_PATH;
			operand->path = BindPath(b, node);
			break;
		case NODE_VALUE:
		case NODE_POSITION:
			operand->kind = SET_VALUE;
			operand->value = BindValue(b, node);
			break;
		case NODE_PLUS:
		case NODE_MINUS:
			operand->kind = plus ? SET_PLUS : SET_MINUS;
			BindPair(b, node, operand);
			CheckOperandTypes(b, node, SliceOf(plus ? "+" : "-"), operand,
							  VALUE_N);
			break;
		case NODE_FUNCTION:
			BindCall(b, node, operand);
			break;
		default:
			elog(ERROR, "unexpected node %d in an update", (int) node->kind);
	}
	return operand;
}

static void
BindUpdateAction(Binder *b, const ExprNode *node, Update *update)
{
	const ExprNode *value = node->first->next;
	Path		target = BindPath(b, node->first);
	BoundAction *action = UpdateAddAction(update, (UpdateAction) node->op,
										  target, &b->problem);

	if (action->action == ACTION_SET)
		action->operand = BindSetOperand(b, value);
	else if (action->action != ACTION_REMOVE)
	{
		action->literal = BindValue(b, value);
		CheckActionType(b, value, action);
	}
}

Update *
UpdateBind(const ExprTree *expr, ExprBindings *bindings)
{
	Update	   *update = UpdateCreate(expr->nitems, expr->nelements);
	Binder		b;

	Assert(expr->kind == EXPR_UPDATE || expr->kind == EXPR_STATEMENT);
	BinderInit(&b, expr, bindings);
	for (const ExprNode *node = expr->items; node; node = node->next)
		BindUpdateAction(&b, node, update);
	return BinderReport(&b) ? update : NULL;
}

void
UpdateVisitTargets(const Update *update, PathVisitor visit, void *arg)
{
	for (int i = 0; i < update->n; i++)
	{
		const Path *path = &update->tree.paths[i];

		if (!visit(path->elements[0].name, path->n > 1, arg))
			return;
	}
}

static bool
VisitOperand(const SetOperand *operand, PathVisitor visit, void *arg)
{
	if (operand == NULL)
		return true;
	check_stack_depth();
	if (operand->path.n > 0 &&
		!visit(operand->path.elements[0].name, operand->path.n > 1, arg))
		return false;
	return VisitOperand(operand->left, visit, arg) &&
		VisitOperand(operand->right, visit, arg);
}

void
UpdateVisitOperands(const Update *update, PathVisitor visit, void *arg)
{
	for (int i = 0; i < update->n; i++)
	{
		if (!VisitOperand(update->actions[i].operand, visit, arg))
			return;
	}
}

struct varlena *
UpdateLiterals(const Update *update)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	Problem		problem = NO_PROBLEM;	/* a value that is nested too deeply: UpdateApply tells */
	bool		any = false;

	b->problem = &problem;
	ItemBuilderBeginMap(b);
	for (int i = 0; i < update->n; i++)
	{
		const Path *path = &update->tree.paths[i];
		const SetOperand *operand = update->actions[i].operand;

		if (operand == NULL || operand->kind != SET_VALUE || path->n > 1)
			continue;
		ItemBuilderName(b, path->elements[0].name.data, path->elements[0].name.len);
		ItemBuilderValue(b, operand->value);
		any = true;
	}
	ItemBuilderEnd(b);
	return any ? ItemBuilderFinish(b) : NULL;
}
