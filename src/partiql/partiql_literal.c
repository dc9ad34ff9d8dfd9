/*
 * partiql_literal.c
 *	  Turns the literals of statements into values.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "errors.h"
#include "expr/error.h"
#include "item/builder.h"
#include "partiql/partiql_tree.h"

static void BuildLiteral(ItemBuilder *b, const Literal *literal, const ValueRef *parameters);

bool
LiteralHasParameter(const Literal *literal)
{
	check_stack_depth();
	if (literal->kind == LITERAL_PARAMETER)
		return true;
	for (const Literal *child = literal->first; child; child = child->next)
	{
		if (LiteralHasParameter(child))
			return true;
	}
	return false;
}

static ValueRef
ScalarValue(const Literal *literal, const ValueRef *parameters)
{
	return literal->kind == LITERAL_PARAMETER ? parameters[literal->number] : literal->value;
}

/* ---- sets ---- */

static bool
NoteSetProblem(const char *what, Problem *problem)
{
	ExprError	error = {.code = EXPR_ERROR_STATEMENT, .position = -1, .one = SliceOf(what)};

	return ExprReport(problem, EXPR_STATEMENT, (Slice) {"", 0}, &error);
}

/*
 * Finds the type of a set, which depends on the type of its members.  Returns
 * false if a problem is noted.
 */
static bool
FindSetType(const Literal *set, const ValueRef *parameters, Problem *problem, ValueType *result)
{
	ValueType	type = VALUE_NULL;

	if (set->first == NULL)
		return NoteInvalid(problem, DYNAMO_INVALID_PARAMETERS "An string set  may not be empty");
	for (const Literal *member = set->first; member; member = member->next)
	{
		ValueRef	v = ScalarValue(member, parameters);

		if (ValueIsMissing(v) || !ValueTypeIsKey(ValueTypeOf(v)) ||
			(member != set->first && ValueTypeOf(v) != type))
			return NoteSetProblem("The members of a set must be all strings, all numbers or all binary values",
								  problem);
		type = ValueTypeOf(v);
	}
	*result = type == VALUE_S ? VALUE_SS : type == VALUE_N ? VALUE_NS : VALUE_BS;
	return true;
}

static void
BuildSetMember(ItemBuilder *b, ValueRef v)
{
	Slice		payload = ValuePayload(v);

	if (ValueTypeOf(v) == VALUE_S)
		ItemBuilderString(b, payload.data, payload.len);
	else if (ValueTypeOf(v) == VALUE_N)
		ItemBuilderNumber(b, (const uint8 *) payload.data, payload.len);
	else
		ItemBuilderBinary(b, payload.data, payload.len);
}

static void
AddSet(ItemBuilder *b, const Literal *set, const ValueRef *parameters)
{
	Problem		problem = NO_PROBLEM;
	ValueType	type = VALUE_SS;

	if (ItemBuilderHasFailed(b))
		return;
	if (!FindSetType(set, parameters, &problem, &type))
	{
		ItemBuilderNote(b, &problem);
		return;
	}
	ItemBuilderBeginSet(b, type);
	for (const Literal *member = set->first; member; member = member->next)
		BuildSetMember(b, ScalarValue(member, parameters));
	ItemBuilderEnd(b);
}

/* ---- all kinds ---- */

static void
AddContainer(ItemBuilder *b, const Literal *container, const ValueRef *parameters)
{
	bool		map = container->kind == LITERAL_MAP;

	if (map)
		ItemBuilderBeginMap(b);
	else
		ItemBuilderBeginList(b);
	for (const Literal *child = container->first; child; child = child->next)
	{
		if (map)
			ItemBuilderName(b, child->name.data, child->name.len);
		BuildLiteral(b, child, parameters);
	}
	ItemBuilderEnd(b);
}

static void
BuildLiteral(ItemBuilder *b, const Literal *literal, const ValueRef *parameters)
{
	check_stack_depth();
	switch (literal->kind)
	{
		case LITERAL_CONSTANT:
		case LITERAL_PARAMETER:
			ItemBuilderValue(b, ScalarValue(literal, parameters));
			break;
		case LITERAL_SET:
			AddSet(b, literal, parameters);
			break;
		case LITERAL_LIST:
		case LITERAL_MAP:
			AddContainer(b, literal, parameters);
			break;
	}
}

struct varlena *
LiteralBuild(const Literal *literal, int depth, const ValueRef *parameters, Problem *problem)
{
	struct varlena *value;
	ItemBuilder b;

	ItemBuilderInit(&b, depth, DUPLICATE_NAME_ERROR);
	b.problem = problem;
	BuildLiteral(&b, literal, parameters);
	value = ItemBuilderHasFailed(&b) ? NULL : ItemBuilderFinish(&b);
	ItemBuilderRelease(&b);
	return value;
}
