/*
 * pattern_describe.c
 *	  Describes access patterns: dynamo_internal.access_pattern, which the view
 *	  dynamo.access_patterns calls, and dynamo.access_pattern_request.
 */
#include "postgres.h"

#include "access/table.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/rel.h"

#include "item/convert.h"
#include "item/json.h"
#include "pattern/pattern.h"
#include "table/ddl_statement.h"

/* ---- as jsonb ---- */

static void
AppendPatternMember(StringInfo out, const char *name, const char *text)
{
	appendStringInfo(out, "%s\"%s\": ", out->data[out->len - 1] == '{' ? "" : ", ", name);
	if (text == NULL)
		appendStringInfoString(out, "null");
	else
		escape_json(out, text);
}

static void
AppendEntities(StringInfo out, const AccessPattern *p)
{
	ListCell   *cell;

	appendStringInfoString(out, ", \"entities\": [");
	foreach(cell, p->entities)
	{
		if (cell != list_head(p->entities))
			appendStringInfoString(out, ", ");
		escape_json(out, lfirst(cell));
	}
	appendStringInfoChar(out, ']');
}

static void
AppendParameters(StringInfo out, const AccessPattern *p)
{
	appendStringInfoString(out, ", \"parameters\": [");
	for (int i = 0; i < p->nparameters; i++)
	{
		appendStringInfoString(out, i == 0 ? "{" : ", {");
		AppendPatternMember(out, "name", p->parameters[i].name);
		AppendPatternMember(out, "type", p->parameters[i].type);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
}

static void
AppendDraw(StringInfo out, const char *parameter, const char *attribute)
{
	appendStringInfoString(out, out->data[out->len - 1] == '[' ? "{" : ", {");
	AppendPatternMember(out, "parameter", parameter);
	AppendPatternMember(out, "attribute", attribute);
	appendStringInfoChar(out, '}');
}

/* Whether a parameter is compared with a part of a key. */
static bool
IsKeyParameter(const AccessPattern *p, const char *name)
{
	for (int i = 0; i < p->nkeys; i++)
	{
		for (int j = 0; j < p->keys[i].nvalues; j++)
		{
			ListCell   *cell;

			foreach(cell, p->keys[i].values[j].parameters)
			{
				if (strcmp(lfirst(cell), name) == 0)
					return true;
			}
		}
	}
	return false;
}

/*
 * Appends for each parameter the attribute that contains its value: the part
 * that the parameter is compared with or, in a filter, the attribute of the
 * same name.
 */
static void
AppendDraws(StringInfo out, const AccessPattern *p)
{
	appendStringInfoString(out, ", \"draws\": [");
	for (int i = 0; i < p->nkeys; i++)
	{
		for (int j = 0; j < p->keys[i].nvalues; j++)
		{
			const PatternValue *v = &p->keys[i].values[j];

			for (int k = 0; k < list_length(v->parameters); k++)
				AppendDraw(out, list_nth(v->parameters, k),
						   v->template != NULL ? PatternPartName(list_nth(v->parts, k)) : p->keys[i].attribute);
		}
	}
	for (int i = 0; i < p->nparameters; i++)
	{
		if (!IsKeyParameter(p, p->parameters[i].name))
			AppendDraw(out, p->parameters[i].name, p->parameters[i].name);
	}
	appendStringInfoChar(out, ']');
}

/*
 * Returns the key condition for readers: attributes, and what they are
 * compared with.
 */
static char *
DescribeKeyCondition(const AccessPattern *p)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < p->nkeys; i++)
	{
		const PatternKey *key = &p->keys[i];
		char	   *value = quote_literal_cstr(PatternValueShown(&key->values[0]));

		appendStringInfoString(&out, i == 0 ? "" : " AND ");
		if (key->op == KEY_BEGINS_WITH)
			appendStringInfo(&out, "begins_with(%s, %s)", key->attribute, value);
		else
			appendStringInfo(&out, "%s %s %s", key->attribute, KeyOperatorName(key->op), value);
		if (key->op == KEY_BETWEEN)
			appendStringInfo(&out, " AND %s", quote_literal_cstr(PatternValueShown(&key->values[1])));
	}
	return out.data;
}

/* The condition as it was written, in which declared attributes have no placeholders. */
static const char *
ConditionAsWritten(const AccessPattern *p)
{
	ValueRef	given = ValueIsMissing(p->arguments) ? MISSING_VALUE :
		AttributeFind(p->arguments, "key_condition", strlen("key_condition"));

	return ValueIsMissing(given) ? p->condition : pnstrdup(ValuePayload(given).data, ValuePayload(given).len);
}

/*
 * access_pattern(function_body text) returns jsonb, which is NULL if the
 * function is not a pattern.
 */
DYNAMO_FUNCTION(dynamo_access_pattern);
Datum
dynamo_access_pattern(PG_FUNCTION_ARGS)
{
	text	   *body = PG_GETARG_TEXT_PP(0);
	AccessPattern *p = PatternRecordRead(SliceOfVarlena(body));
	char	   *schema,
			   *name;
	StringInfoData out;

	if (p == NULL)
		PG_RETURN_NULL();
	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	AppendPatternMember(&out, "table", p->table);
	if (p->relation != NULL && QualifiedNameSplit(p->relation, &schema, &name))
	{
		/* with the quotes that this session writes, not the one that declared the pattern */
		AppendPatternMember(&out, "relation", quote_qualified_identifier(schema, name));
		AppendPatternMember(&out, "relation_schema", schema);
		AppendPatternMember(&out, "relation_name", name);
	}
	AppendPatternMember(&out, "view", p->view);
	AppendPatternMember(&out, "index", p->index);
	AppendPatternMember(&out, "condition", ConditionAsWritten(p));
	AppendPatternMember(&out, "key", DescribeKeyCondition(p));
	AppendPatternMember(&out, "filter", PatternFilterExpression(p));
	AppendPatternMember(&out, "returns", p->returns);
	AppendPatternMember(&out, "basis", p->basis);
	AppendPatternMember(&out, "changed", p->changed ? "true" : NULL);
	AppendPatternMember(&out, "told_by", p->by_key ? "key" : NULL);
	AppendEntities(&out, p);
	AppendParameters(&out, p);
	AppendDraws(&out, p);
	appendStringInfo(&out, ", \"arguments\": %s", ValueIsMissing(p->arguments) ? "{}" :
					 JsonbToCString(NULL, &ValueToJsonb(p->arguments)->root, 0));
	appendStringInfoString(&out, ", \"request\": ");
	(void) PatternAppendRequest(p, NULL, NULL, &out);
	appendStringInfoChar(&out, '}');
	PG_RETURN_DATUM(DirectFunctionCall1(jsonb_in, CStringGetDatum(out.data)));
}

/* ---- a request ---- */

typedef struct RequestParameters
{
	const AccessPattern *pattern;
	ValueRef	parameters;
} RequestParameters;

/* A request has one element of a list. */
static ValueRef
OnlyElement(const PatternParameter *parameter, ValueRef v)
{
	ValueRef   *elements;
	int			n;

	if (ValueIsMissing(v) || ValueTypeOf(v) != VALUE_L)
		return v;
	elements = PatternListElements(parameter, v, &n);
	if (n > 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a request cannot have more than one element of list \"%s\"", parameter->name),
				 errhint("Make a request for each element.")));
	return n == 0 ? MISSING_VALUE : elements[0];
}

/* A ParameterFinder for an item of parameters. */
static ValueRef
FindInParameters(void *arg, const char *parameter)
{
	const RequestParameters *given = arg;
	ValueRef	v = AttributeFind(given->parameters, parameter, strlen(parameter));
	int			i = PatternParameterFind(given->pattern, parameter);

	if (i >= 0 && given->pattern->parameters[i].list)
		v = OnlyElement(&given->pattern->parameters[i], v);
	return ValueIsMissing(v) || ValueTypeOf(v) == VALUE_NULL ? MISSING_VALUE : v;
}

/*
 * access_pattern_request(pattern regproc, parameters dynamo.item) returns json
 * whole_items_request(pattern regproc, parameters dynamo.item) returns json: without a
 * projection
 */
static Datum
MakeRequest(FunctionCallInfo fcinfo, AccessPattern *p)
{
	RequestParameters given = {p, PG_GETARG_VALUE(1)};
	Relation	table = p->basis == NULL ? NULL : TableNameOpen(p->table, AccessShareLock, true);
	StringInfoData out;

	if (table != NULL)
	{
		PatternRequireBasis(RelationGetRelid(table), p->basis);
		table_close(table, AccessShareLock);
	}
	initStringInfo(&out);
	if (!PatternAppendRequest(p, FindInParameters, &given, &out))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}

DYNAMO_FUNCTION(dynamo_access_pattern_request);
Datum
dynamo_access_pattern_request(PG_FUNCTION_ARGS)
{
	AccessPattern *p = PatternOfFunction(PG_GETARG_OID(0));

	PatternRequireRequest(p);
	return MakeRequest(fcinfo, p);
}

DYNAMO_FUNCTION(dynamo_whole_items_request);
Datum
dynamo_whole_items_request(PG_FUNCTION_ARGS)
{
	AccessPattern *p = PatternOfFunction(PG_GETARG_OID(0));

	p->projection = NULL;
	return MakeRequest(fcinfo, p);
}
