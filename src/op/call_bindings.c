/*
 * call_bindings.c
 *	  Expression handling shared by all operations.
 */
#include "postgres.h"

#include "errors.h"
#include "op/call_bindings.h"

static void
BindingsWithoutExpression(const char *what, const char *absent)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("%s can only be specified when using expressions%s%s",
					what, absent != NULL ? ": " : "", absent != NULL ? absent : "")));
}

ExprBindings *
OpBindings(const ExprArgs *args, bool any_expression, bool any_value_expression,
		   const char *absent)
{
	ExprBindings *b;

	if (args->names_given && !any_expression)
		BindingsWithoutExpression("ExpressionAttributeNames", NULL);
	if (!ValueIsMissing(args->values) && !any_value_expression)
		BindingsWithoutExpression("ExpressionAttributeValues", absent);
	if (!any_expression)
		return NULL;

	b = ExprBindingsCreate(args->values, NULL);
	for (int i = 0; i < args->nnames; i++)
		ExprBindingsAddName(b, args->names[i].placeholder, args->names[i].name);
	(void) ExprBindingsCheck(b, args->names_given);
	return b;
}

const ExprTree *
OpParse(ExprKind kind, const ExprText *expr)
{
	return ExprParse(kind, expr->text.data, expr->text.len, NULL);
}

static bool
NoteNestedKey(const char *what, Slice name, Problem *problem)
{
	return NoteInvalid(problem, "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: %s: %.*s",
					   what, (int) name.len, name.data);
}

bool
KeyPathVisitor(Slice name, bool nested, void *arg)
{
	const PathCheck *check = arg;
	const TableDef *def = check->def;

	if (!nested)
		return true;
	if (KeySchemaHas(&def->key, name))
		return NoteNestedKey("Key", name, check->problem);
	for (int i = 0; i < def->nindexes; i++)
	{
		if (KeySchemaHas(&def->indexes[i].key, name))
			return NoteNestedKey("IndexKey", name, check->problem);
	}
	return true;
}

bool
KeyTargetVisitor(Slice name, bool nested, void *arg)
{
	const PathCheck *check = arg;

	if (KeySchemaHas(&check->def->key, name))
		return NoteInvalid(check->problem, DYNAMO_INVALID_PARAMETERS
						   "Cannot update attribute %.*s. This attribute is part of the key",
						   (int) name.len, name.data);
	return KeyPathVisitor(name, nested, arg);
}
