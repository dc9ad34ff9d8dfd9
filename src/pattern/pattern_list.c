/*
 * pattern_list.c
 *	  Parts of keys that are one of a list: status IN (:statuses).
 *
 * The parameter is an array.  The pattern reads a range for each of its elements, all of
 * them as one read in the order of the sort key (dynamo.query_each).  Of all other clauses
 * the condition is the same for each element, so that the filter is one.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "errors.h"
#include "expr/expr.h"
#include "pattern/pattern.h"
#include "view/attribute.h"

/* ---- the condition ---- */

bool
PatternIsList(int members)
{
	if (members > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("IN must have one parameter, which is a list"),
				 errhint("Write \"attribute IN (:list)\", and call the function with an array.")));
	return members == 1;
}

void
PatternCheckLists(const AccessPattern *pattern, const PatternClause *clauses, int n)
{
	const PatternClause *list = NULL;

	for (int i = 0; i < n; i++)
	{
		if (clauses[i].list && list != NULL)
			InvalidArgument("only one attribute of a condition can be one of a list");
		if (clauses[i].list)
			list = &clauses[i];
	}
	for (int i = 0; list != NULL && i < n; i++)
	{
		if (&clauses[i] != list && (clauses[i].parameter == list->parameter || clauses[i].upper == list->parameter))
			InvalidArgument("parameter \"%s\" is a list and cannot be compared otherwise", pattern->parameters[list->parameter].name);
	}
	if (list != NULL && strcmp(pattern->returns, "document") == 0)
		InvalidArgument("a document is made of one range and cannot have a list");
}

void
PatternCheckListType(const PatternParameter *parameter, Oid type)
{
	Oid			element = get_element_type(type);

	if (parameter->list && (!OidIsValid(element) || !TypeCanHoldAttribute(element)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameter \"%s\" is a list and cannot have type %s", parameter->name, parameter->type),
				 errhint("Leave the type out, or declare an array: {\"%s\": \"text[]\"}.", parameter->name)));
}

/* ---- a request ---- */

ValueRef *
PatternListElements(const PatternParameter *parameter, ValueRef list, int *n)
{
	ValueRef   *elements;
	Container	all;

	*n = 0;
	if (ValueIsMissing(list))
		return NULL;
	if (ValueTypeOf(list) != VALUE_L)
		InvalidRequest("Parameter %s of the access pattern must be a list", parameter->name);
	ContainerOpen(list, &all);
	if (all.count > EXPR_MAX_IN_OPERANDS)
		InvalidRequest("Parameter %s of the access pattern has more than %d elements", parameter->name, EXPR_MAX_IN_OPERANDS);
	elements = palloc(sizeof(ValueRef) * Max(all.count, 1));
	for (uint32 i = 0; i < all.count; i++)
	{
		elements[*n] = ListElement(&all, i);
		*n += ValueTypeOf(elements[*n]) != VALUE_NULL;
	}
	return elements;
}

/* ---- the function ---- */

/* pattern_list(list anyarray) returns anyarray: the list, unless it is too long */
DYNAMO_FUNCTION(dynamo_pattern_list);
Datum
dynamo_pattern_list(PG_FUNCTION_ARGS)
{
	ArrayType  *list = PG_GETARG_ARRAYTYPE_P(0);

	if (ArrayGetNItems(ARR_NDIM(list), ARR_DIMS(list)) > EXPR_MAX_IN_OPERANDS)
		InvalidArgument("the list of an access pattern has more than %d elements", EXPR_MAX_IN_OPERANDS);
	PG_RETURN_ARRAYTYPE_P(list);
}
