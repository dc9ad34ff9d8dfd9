/*
 * functions.c
 *	  The functions of expressions and of PartiQL statements.
 */
#include "postgres.h"

#include "expr/tree.h"
#include "expr/words.h"

static const ExprFunction functions[] = {
	{"attribute_exists", FUNCTION_ATTRIBUTE_EXISTS, PLACE_CONDITION, 1},
	{"attribute_not_exists", FUNCTION_ATTRIBUTE_NOT_EXISTS, PLACE_CONDITION, 1},
	{"attribute_type", FUNCTION_ATTRIBUTE_TYPE, PLACE_CONDITION, 2},
	{"begins_with", FUNCTION_BEGINS_WITH, PLACE_CONDITION, 2},
	{"contains", FUNCTION_CONTAINS, PLACE_CONDITION, 2},
	{"size", FUNCTION_SIZE, PLACE_OPERAND, 1},
	{"if_not_exists", FUNCTION_IF_NOT_EXISTS, PLACE_UPDATE, 2},
	{"list_append", FUNCTION_LIST_APPEND, PLACE_UPDATE, 2},
};

/* The functions for which expressions have the sections ADD and DELETE. */
static const ExprFunction statement_functions[] = {
	{"set_add", FUNCTION_SET_ADD, PLACE_UPDATE, 2},
	{"set_delete", FUNCTION_SET_DELETE, PLACE_UPDATE, 2},
};

const ExprFunction *
ExprFunctionFind(Slice name)
{
	for (int i = 0; i < (int) lengthof(functions); i++)
	{
		if (SliceEqual(name, SliceOf(functions[i].name)))
			return &functions[i];
	}
	return NULL;
}

static const ExprFunction *
FindIgnoringCase(const ExprFunction *list, int n, Slice name)
{
	for (int i = 0; i < n; i++)
	{
		if (WordIs(name, list[i].name))
			return &list[i];
	}
	return NULL;
}

const ExprFunction *
StatementFunctionFind(Slice name)
{
	const ExprFunction *f = FindIgnoringCase(functions, lengthof(functions), name);

	return f != NULL ? f :
		FindIgnoringCase(statement_functions, lengthof(statement_functions), name);
}
