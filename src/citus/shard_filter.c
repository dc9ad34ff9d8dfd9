/*
 * shard_filter.c
 *	  A filter that another node of Citus applies: its text, and the names and values of its
 *	  placeholders, as members of the range of rows (node_row.h).
 */
#include "postgres.h"

#include "citus/node_row.h"
#include "citus/on_shard.h"
#include "errors.h"
#include "item/builder.h"
#include "op/call_bindings.h"

static void
AddExprNames(ItemBuilder *b, const ExprArgs *args)
{
	ItemBuilderName(b, RANGE_NAMES, strlen(RANGE_NAMES));
	ItemBuilderBeginMap(b);
	for (int i = 0; i < args->nnames; i++)
	{
		ItemBuilderName(b, args->names[i].placeholder.data, args->names[i].placeholder.len);
		ItemBuilderString(b, args->names[i].name.data, args->names[i].name.len);
	}
	ItemBuilderEnd(b);
}

ValueRef
FilterForShard(const ExprText *filter, const ExprArgs *args)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);

	ItemBuilderBeginMap(b);
	ItemBuilderName(b, RANGE_FILTER, strlen(RANGE_FILTER));
	ItemBuilderString(b, filter->text.data, filter->text.len);
	AddExprNames(b, args);
	if (!ValueIsMissing(args->values))
		ItemBuilderMembers(b, args->values);
	ItemBuilderEnd(b);
	return ItemRoot(ItemBuilderFinish(b));
}

Condition *
FilterOfShard(ValueRef range, ValueRef filter, ValueRef names)
{
	ExprText	expr = {.given = true};
	ExprBindings *b = ExprBindingsCreate(range, NULL);

	expr.text = ValuePayload(filter);
	if (!ExprBindingsAddMap(b, names))
		InvalidArgument("%s of the range must contain strings", RANGE_NAMES);
	return ConditionBind(EXPR_FILTER, OpParse(EXPR_FILTER, &expr), b);
}
