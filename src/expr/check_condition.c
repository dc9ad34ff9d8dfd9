/*
 * check_condition.c
 *	  Finds errors in the operands of a condition before any item is read.
 */
#include "postgres.h"

#include "expr/condition.h"

#define NO_TYPE		(-1)

static const char *const compare_names[] = {"=", "<>", "<", "<=", ">", ">="};

Slice
ConditionOperatorName(const ExprNode *node)
{
	switch (node->kind)
	{
		case NODE_COMPARE:
			return SliceOf(compare_names[node->op]);
		case NODE_BETWEEN:
			return SliceOf("BETWEEN");
		case NODE_IN:
			return SliceOf("IN");
		case NODE_AND:
			return SliceOf("AND");
		case NODE_OR:
			return SliceOf("OR");
		case NODE_NOT:
			return SliceOf("NOT");
		default:
			return node->text;
	}
}

/*
 * The type of an operand if it is known before evaluation, otherwise NO_TYPE.
 */
static int
KnownType(const Operand *o)
{
	switch (o->kind)
	{
		case OPERAND_PATH:
			return NO_TYPE;
		case OPERAND_VALUE:
			return ValueTypeOf(o->value);
		default:
			return VALUE_N;
	}
}

static void
NoteConditionType(Binder *b, const Condition *cond, Slice name, const char *type)
{
	BinderNote(b, cond->node, EXPR_ERROR_OPERAND_TYPE, name, SliceOf(type));
}

/* Notes size() of a value whose type has no size. */
static void
CheckSizeOperands(Binder *b, const Condition *cond)
{
	for (int i = 0; i < cond->n; i++)
	{
		const Operand *o = &cond->operands[i];
		ValueType	type;

		if (o->kind != OPERAND_SIZE_OF_VALUE)
			continue;
		type = ValueTypeOf(o->value);
		if (type == VALUE_N || type == VALUE_BOOL || type == VALUE_NULL)
			NoteConditionType(b, cond, SliceOf("size"), ValueTypeName(type));
	}
}

/* The first operand must differ from the others. */
static void
CheckDistinctOperands(Binder *b, const Condition *cond)
{
	const Operand *first = &cond->operands[0];

	if (first->kind != OPERAND_PATH)
		return;
	for (int i = 1; i < cond->n; i++)
	{
		const Operand *o = &cond->operands[i];

		if (o->kind == OPERAND_PATH && PathEqual(&first->path, &o->path))
		{
			ExprError	error = {.code = EXPR_ERROR_SAME_OPERANDS};

			error.position = cond->node->position;
			error.one = ConditionOperatorName(cond->node);
			error.path_one = first->path;
			ExprNote(&b->problem, &error);
		}
	}
}

/* Operands of a known type must have a type that is ordered. */
static void
CheckOrderedTypes(Binder *b, const Condition *cond)
{
	for (int i = 0; i < cond->n; i++)
	{
		int			type = KnownType(&cond->operands[i]);

		if (type != NO_TYPE && !ValueTypeIsKey((ValueType) type))
			NoteConditionType(b, cond, ConditionOperatorName(cond->node),
							  ValueTypeName((ValueType) type));
	}
}

static void
CheckPrefixTypes(Binder *b, const Condition *cond)
{
	for (int i = 0; i < cond->n; i++)
	{
		int			type = KnownType(&cond->operands[i]);

		if (type != NO_TYPE && type != VALUE_S && type != VALUE_B)
			NoteConditionType(b, cond, cond->node->text,
							  ValueTypeName((ValueType) type));
	}
}

static void
CheckBetweenBounds(Binder *b, const Condition *cond)
{
	const Operand *lower = &cond->operands[1];
	const Operand *upper = &cond->operands[2];
	ExprError	error = {.code = EXPR_OK};

	if (b->problem.error.code != EXPR_OK ||
		lower->kind != OPERAND_VALUE || upper->kind != OPERAND_VALUE)
		return;
	if (ValueTypeOf(lower->value) != ValueTypeOf(upper->value))
		error.code = EXPR_ERROR_BETWEEN_TYPES;
	else if (CompareOrdered(lower->value, upper->value) > 0)
		error.code = EXPR_ERROR_BETWEEN_ORDER;
	else
		return;
	error.position = cond->node->position;
	error.value_one = lower->value;
	error.value_two = upper->value;
	ExprNote(&b->problem, &error);
}

static void
CheckPath(Binder *b, const Condition *cond)
{
	Slice		none = {NULL, 0};

	if (cond->operands[0].kind != OPERAND_PATH)
		BinderNote(b, cond->node, EXPR_ERROR_NEEDS_PATH, cond->node->text,
				   none);
}

/* Stores the type that the second operand of attribute_type() names. */
static void
CheckTypeName(Binder *b, Condition *cond)
{
	const Operand *o = &cond->operands[1];
	Slice		function = cond->node->text;
	Slice		none = {NULL, 0};
	Slice		name;
	int			type;

	if (o->kind != OPERAND_VALUE)
	{
		NoteConditionType(b, cond, function, "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}");
		return;
	}
	if (ValueTypeOf(o->value) != VALUE_S)
	{
		NoteConditionType(b, cond, function, ValueTypeName(ValueTypeOf(o->value)));
		return;
	}
	name = ValuePayload(o->value);
	type = ValueTypeFromName(name.data, name.len);
	if (type < 0)
		BinderNote(b, cond->node, EXPR_ERROR_TYPE_NAME, name, none);
	else
		cond->type = (ValueType) type;
}

void
CheckOperands(Binder *b, Condition *cond)
{
	CheckSizeOperands(b, cond);
	CheckDistinctOperands(b, cond);
	switch (cond->kind)
	{
		case CONDITION_COMPARE:
			if (cond->op >= COMPARISON_LT)
				CheckOrderedTypes(b, cond);
			break;
		case CONDITION_BETWEEN:
			CheckOrderedTypes(b, cond);
			CheckBetweenBounds(b, cond);
			break;
		case CONDITION_BEGINS_WITH:
			CheckPrefixTypes(b, cond);
			break;
		case CONDITION_EXISTS:
		case CONDITION_NOT_EXISTS:
			CheckPath(b, cond);
			break;
		case CONDITION_TYPE:
			CheckTypeName(b, cond);
			break;
		default:
			break;
	}
}
