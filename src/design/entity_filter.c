/*
 * entity_filter.c
 *	  Functions in the definitions of entity views: dynamo_system.entity_filter and is_entity,
 *	  and dynamo_internal.compose_key and compose_keys, which planner support puts into
 *	  plans.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "entity/entity.h"
#include "item/convert.h"
#include "table/table.h"
#include "view/attribute.h"

/* ---- the filter ---- */

/*
 * Who drops an entity, or merges it with another one, drops no views of other roles: these must not be empty
 * in silence.
 */
static void
CheckEntityIsThere(const TableDef *def, Slice entity_name)
{
	if (EntitySetFind(def->entities, entity_name) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" has no entity \"%.*s\" any more", get_rel_name(def->relid), (int) entity_name.len, entity_name.data),
				 errhint("Drop the view or access pattern that shows its items.")));
}

/* Releases the definition. */
static bool
IsItemOfEntity(TableDef *def, Slice entity_name, ValueRef item)
{
	const Entity *entity = def->entities == NULL ? NULL : EntityOfItem(def->entities, item);
	bool		of_entity = entity != NULL && SliceEqual(entity->name, entity_name);
	bool		result = of_entity && EntityKeyIsComposed(entity, item);

	if (!of_entity)
		CheckEntityIsThere(def, entity_name);
	TableDefRelease(def);
	return result;
}

/*
 * The statement that reads the row has locked its table, as a rule, and has got the table's
 * definition with it: opening it for each row would cost more than the test.
 */
static bool
ItemIsOf(Oid relid, Slice entity_name, ValueRef item)
{
	TableDef   *def = TableDefAcquireCached(relid);
	Relation	rel;
	bool		result;

	if (def != NULL)
		return IsItemOfEntity(def, entity_name, item);
	rel = try_table_open(relid, AccessShareLock);
	if (rel == NULL)
		return false;
	result = RelationIsDynamoTable(rel) && IsItemOfEntity(TableDefAcquire(rel), entity_name, item);
	table_close(rel, AccessShareLock);
	return result;
}

/*
 * is_entity(relation oid, entity_name text, item dynamo.item) returns boolean
 * entity_filter(relation oid, entity_name text, item dynamo.item, VARIADIC parts "any") returns boolean
 */
DYNAMO_FUNCTION(dynamo_is_entity);
Datum
dynamo_is_entity(PG_FUNCTION_ARGS)
{
	text	   *name;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	name = PG_GETARG_TEXT_PP(1);
	PG_RETURN_BOOL(ItemIsOf(PG_GETARG_OID(0), SliceOfVarlena(name), PG_GETARG_VALUE(2)));
}

/* ---- keys of compared values ---- */

static bool
IsPartType(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == INT2OID || type == INT4OID || type == INT8OID ||
		type == NUMERICOID || type == TIMESTAMPTZOID || type == TIMESTAMPOID || type == DATEOID || type == UUIDOID;
}

/*
 * Planner support passes only these types, but a user may pass any type by
 * hand; a value that is not text must not be read as text.
 */
static void
CheckPartTypes(FunctionCallInfo fcinfo, bool arrays)
{
	for (int i = 1; i < PG_NARGS(); i++)
	{
		Oid			type = get_fn_expr_argtype(fcinfo->flinfo, i);
		bool		fits = type == TEXTOID;

		if (i % 2 == 0)
			fits |= IsPartType(type) || (arrays && IsPartType(get_element_type(type)));
		if (!fits || (i % 2 == 1 && i + 1 == PG_NARGS()))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("parts must be pairs of a name of type text and a value")));
	}
}

/*
 * The arguments of a call; one of them may be an array, of which one element
 * is used at a time.
 */
typedef struct PartArguments
{
	FunctionCallInfo fcinfo;
	int			array;			/* its position; 0 if there is none */
	Oid			element_type;
	Datum		element;
} PartArguments;

/*
 * Returns the value of an argument.  No item has Infinity or NaN, so these fit no key;
 * as bounds they leave the range open.
 */
static ValueRef
ConvertArgument(Datum value, Oid type, const char **reason)
{
	if (type == NUMERICOID && (numeric_is_nan(DatumGetNumeric(value)) || numeric_is_inf(DatumGetNumeric(value))))
	{
		*reason = "is not a finite number";
		return MISSING_VALUE;
	}
	return AttributeFromDatum(value, type, MISSING_VALUE);
}

/* A PartFinder for arguments that are not null. */
static ValueRef
FindPartArgument(void *arg, const TemplatePart *part, const char **reason)
{
	PartArguments *arguments = arg;
	FunctionCallInfo fcinfo = arguments->fcinfo;

	for (int i = 1; i + 1 < PG_NARGS(); i += 2)
	{
		text	   *name = PG_GETARG_TEXT_PP(i);

		if (!SliceEqual(SliceOfVarlena(name), part->name))
			continue;
		if (i + 1 == arguments->array)
			return ConvertArgument(arguments->element, arguments->element_type, reason);
		return ConvertArgument(PG_GETARG_DATUM(i + 1), get_fn_expr_argtype(fcinfo->flinfo, i + 1), reason);
	}
	return MISSING_VALUE;
}

/* Returns the template, which is kept with the call if it is a constant. */
static const Template *
TemplateArgument(FunctionCallInfo fcinfo)
{
	MemoryContext caller;
	text	   *source;

	if (fcinfo->flinfo->fn_extra != NULL)
		return fcinfo->flinfo->fn_extra;
	source = PG_GETARG_TEXT_PP(0);
	if (!get_fn_expr_arg_stable(fcinfo->flinfo, 0))
		return TemplateGet(SliceOfVarlena(source));
	caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	fcinfo->flinfo->fn_extra = unconstify(Template *, TemplateGet(SliceOfVarlena(source)));
	MemoryContextSwitchTo(caller);
	return fcinfo->flinfo->fn_extra;
}

static bool
HasNullArgument(FunctionCallInfo fcinfo)
{
	for (int i = 0; i < PG_NARGS(); i++)
	{
		if (PG_ARGISNULL(i))
			return true;
	}
	return false;
}

/*
 * Returns the key of the arguments, or its prefix; NULL if a value does not
 * fit.
 */
static text *
ComposeOfArguments(PartArguments *arguments)
{
	ComposeProblem problem;
	StringInfoData key;

	initStringInfo(&key);
	if (TemplateComposeFrom(TemplateArgument(arguments->fcinfo), FindPartArgument, arguments, &key, &problem) == COMPOSE_UNFIT)
		return NULL;
	return SliceToText((Slice) {key.data, key.len});
}

/*
 * compose_key(template text, VARIADIC parts "any") returns text: the key or,
 * if not all parts are given, its prefix; NULL if a part is null or does not
 * fit.
 */
DYNAMO_FUNCTION(dynamo_compose_key);
Datum
dynamo_compose_key(PG_FUNCTION_ARGS)
{
	PartArguments arguments = {.fcinfo = fcinfo};
	text	   *key;

	CheckPartTypes(fcinfo, false);
	key = HasNullArgument(fcinfo) ? NULL : ComposeOfArguments(&arguments);
	if (key == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(key);
}

/* Finds the argument that is an array; deconstructs it. */
static void
OpenArrayArgument(PartArguments *arguments, Datum **elements, bool **nulls, int *n)
{
	FunctionCallInfo fcinfo = arguments->fcinfo;
	int16		typlen;
	bool		typbyval;
	char		typalign;

	for (int i = 2; i < PG_NARGS(); i += 2)
	{
		Oid			element = get_element_type(get_fn_expr_argtype(fcinfo->flinfo, i));

		if (OidIsValid(element))
		{
			arguments->array = i;
			arguments->element_type = element;
		}
	}
	if (arguments->array == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("one of the values must be an array")));
	get_typlenbyvalalign(arguments->element_type, &typlen, &typbyval, &typalign);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(arguments->array), arguments->element_type, typlen, typbyval, typalign,
					  elements, nulls, n);
}

/*
 * compose_keys(template text, VARIADIC parts "any") returns text[]: a key for
 * each element of the part that is an array; elements that are null or do not
 * fit are omitted.
 */
DYNAMO_FUNCTION(dynamo_compose_keys);
Datum
dynamo_compose_keys(PG_FUNCTION_ARGS)
{
	PartArguments arguments = {.fcinfo = fcinfo};
	Datum	   *elements;
	bool	   *nulls;
	int			n;
	int			nkeys = 0;

	CheckPartTypes(fcinfo, true);
	if (HasNullArgument(fcinfo))
		PG_RETURN_NULL();
	OpenArrayArgument(&arguments, &elements, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		text	   *key;

		arguments.element = elements[i];
		key = nulls[i] ? NULL : ComposeOfArguments(&arguments);
		if (key != NULL)
			elements[nkeys++] = PointerGetDatum(key);
	}
	PG_RETURN_ARRAYTYPE_P(construct_array(elements, nkeys, TEXTOID, -1, false, TYPALIGN_INT));
}
