/*
 * partiql_bind.c
 *	  Turns parse trees of statements and their parameters into bound
 *	  statements.
 */
#include "postgres.h"

#include "errors.h"
#include "item/builder.h"
#include "partiql/partiql_tree.h"

static bool
CheckParameters(const Statement *s, int nparameters, Problem *problem)
{
	return s->nparameters == nparameters || ProblemNote(problem, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.message = "Number of parameters in request and statement don't match.",
		.detail = psprintf("The statement has %d, the request %d.", s->nparameters, nparameters)
	});
}

/* The values of the statement; NULL if a problem is noted. */
static ValueRef *
BindValues(const Statement *s, const ValueRef *parameters, Problem *problem)
{
	ValueRef   *values = palloc(Max(s->nvalues, 1) * sizeof(ValueRef));
	int			n = 0;

	for (const Literal *literal = s->values; literal; literal = literal->next)
	{
		if (literal->kind == LITERAL_CONSTANT)
			values[n++] = literal->value;
		else if (literal->kind == LITERAL_PARAMETER)
			values[n++] = parameters[literal->number];
		else
		{
			struct varlena *value = LiteralBuild(literal, 1, parameters, problem);

			if (value == NULL)
				return NULL;
			values[n++] = ItemRoot(value);
		}
	}
	return values;
}

static struct varlena *
BindItem(const Literal *item, const ValueRef *parameters, Problem *problem)
{
	if (item->kind == LITERAL_PARAMETER &&
		ValueTypeOf(parameters[item->number]) != VALUE_M)
	{
		(void) NoteInvalid(problem, "Statement wasn't well formed, can't be processed: The value to insert must be a tuple");
		return NULL;
	}
	return LiteralBuild(item, 0, parameters, problem);
}

/* Whether set_add and set_delete have sets as their second arguments. */
static bool
CheckSetArguments(const Statement *s, const ValueRef *values, Problem *problem)
{
	for (const ExprNode *action = s->update.items; action != NULL; action = action->next)
	{
		const ExprNode *call = action->last;

		if (!NodeChangesSet(call) ||
			(call->last->kind == NODE_POSITION && ValueTypeIsSet(ValueTypeOf(values[call->last->op]))))
			continue;
		return NoteInvalid(problem, "The second argument to %s must be a value with type SET at %s",
						   SetFunctionName(call), StatementPlace(s->text, call->first->text));
	}
	return true;
}

bool
StatementBind(const Statement *s, const ValueRef *parameters, int nparameters,
			  BoundStatement *bound, Problem *problem)
{
	ExprBindings *bindings;
	ValueRef   *values;

	memset(bound, 0, sizeof(*bound));
	bound->kind = s->kind;
	bound->table = s->table;
	bound->index = s->index;
	bound->returning = s->returning;
	bound->norder = s->norder;
	bound->order = s->order;
	if (!CheckParameters(s, nparameters, problem))
		return false;
	values = BindValues(s, parameters, problem);
	if (values == NULL || !CheckSetArguments(s, values, problem))
		return false;
	bindings = ExprBindingsOfPositions(values, problem);
	if (s->projection.items != NULL)
		bound->projection = ProjectionBindNamed(&s->projection, s->names);
	if (s->update.items != NULL)
		bound->update = UpdateBind(&s->update, bindings);
	if (s->where.root != NULL)
		bound->where = ConditionBind(EXPR_STATEMENT, &s->where, bindings);
	if (s->item != NULL)
		bound->item = BindItem(s->item, parameters, problem);
	return !ProblemIsNoted(problem);
}
