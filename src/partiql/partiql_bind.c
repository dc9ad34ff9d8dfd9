/*
 * partiql_bind.c
 *	  Turns parse trees of statements and their parameters into bound
 *	  statements.
 */
#include "postgres.h"

#include "errors.h"
#include "item/builder.h"
#include "partiql/partiql_tree.h"

static void
CheckParameters(const Statement *s, int nparameters)
{
	if (s->nparameters != nparameters)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("Number of parameters in request and statement don't match."),
				 errdetail("The statement has %d, the request %d.",
						   s->nparameters, nparameters)));
}

static ValueRef *
BindValues(const Statement *s, const ValueRef *parameters)
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
			values[n++] = ItemRoot(LiteralBuild(literal, 1, parameters));
	}
	return values;
}

static struct varlena *
BindItem(const Literal *item, const ValueRef *parameters)
{
	if (item->kind == LITERAL_PARAMETER &&
		ValueTypeOf(parameters[item->number]) != VALUE_M)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("Statement wasn't well formed, can't be processed: The value to insert must be a tuple")));
	return LiteralBuild(item, 0, parameters);
}

void
StatementBind(const Statement *s, const ValueRef *parameters, int nparameters,
			  BoundStatement *bound)
{
	ExprBindings *bindings;

	memset(bound, 0, sizeof(*bound));
	bound->kind = s->kind;
	bound->table = s->table;
	bound->index = s->index;
	bound->returning = s->returning;
	bound->norder = s->norder;
	bound->order = s->order;
	CheckParameters(s, nparameters);
	bindings = ExprBindingsOfPositions(BindValues(s, parameters));
	if (s->projection.items != NULL)
		bound->projection = ProjectionBindNamed(&s->projection, s->names);
	if (s->update.items != NULL)
		bound->update = UpdateBind(&s->update, bindings);
	if (s->where.root != NULL)
		bound->where = ConditionBind(EXPR_STATEMENT, &s->where, bindings);
	if (s->item != NULL)
		bound->item = BindItem(s->item, parameters);
}
