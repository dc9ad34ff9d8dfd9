/*
 * params.c
 *	  From the fields of a request to what the operations take.
 */
#include "postgres.h"

#include "errors.h"
#include "item/json.h"
#include "request/arn.h"
#include "request/params.h"
#include "request/wording.h"

/* ---- which parameters exclude each other ---- */

static const char *const condition[] = {"ConditionExpression", NULL};
static const char *const update_and_condition[] = {"UpdateExpression", "ConditionExpression", NULL};
static const char *const projection[] = {"ProjectionExpression", NULL};
static const char *const scan_expressions[] = {"ProjectionExpression", "FilterExpression", NULL};
static const char *const query_expressions[] = {
	"ProjectionExpression", "FilterExpression", "KeyConditionExpression", NULL
};
static const char *const legacy_condition[] = {"Expected", "ConditionalOperator", NULL};
static const char *const legacy_update[] = {
	"AttributeUpdates", "Expected", "ConditionalOperator", NULL
};
static const char *const legacy_projection[] = {"AttributesToGet", NULL};
static const char *const legacy_scan[] = {
	"AttributesToGet", "ScanFilter", "ConditionalOperator", NULL
};
static const char *const legacy_query[] = {
	"AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions", NULL
};

const ParamRules put_params = {condition, legacy_condition, "ConditionExpression is null"};
const ParamRules delete_params = {condition, legacy_condition, "ConditionExpression is null"};
const ParamRules update_params = {update_and_condition, legacy_update,
"UpdateExpression and ConditionExpression are null"};
const ParamRules get_params = {projection, legacy_projection, NULL};
const ParamRules batch_get_params = {projection, legacy_projection, NULL};
const ParamRules scan_params = {scan_expressions, legacy_scan, "FilterExpression is null"};
const ParamRules query_params = {query_expressions, legacy_query,
"FilterExpression and KeyConditionExpression are null"};

static bool
IsGiven(const Field *input, const char *name)
{
	return FieldMember(input, name) != NULL;
}

/*
 * Whether a legacy parameter is one that expressions exclude.  KeyConditions
 * goes with all of them but its own counterpart.
 */
static bool
IsExcluded(const Field *input, const char *name)
{
	return IsGiven(input, name) &&
		(strcmp(name, "KeyConditions") != 0 || IsGiven(input, "KeyConditionExpression"));
}

/* Appends the names of the parameters given; returns how many they are. */
static int
ListGiven(StringInfo out, const Field *input, const char *const *names,
		  bool (*given) (const Field *input, const char *name))
{
	int			n = 0;

	for (; *names != NULL; names++)
	{
		if (!given(input, *names))
			continue;
		appendStringInfo(out, "%s%s", n++ > 0 ? ", " : "", *names);
	}
	return n;
}

/* Whether an expression is given that may have values. */
static bool
AnyValueExpression(const Field *input, const ParamRules *rules)
{
	for (const char *const *name = rules->expressions; *name != NULL; name++)
	{
		if (IsGiven(input, *name) && strcmp(*name, "ProjectionExpression") != 0)
			return true;
	}
	return false;
}

void
CheckMixing(const Field *input, const ParamRules *rules)
{
	StringInfoData expressions;
	StringInfoData legacy;
	int			nexpressions;

	initStringInfo(&expressions);
	initStringInfo(&legacy);
	nexpressions = ListGiven(&expressions, input, rules->expressions, IsGiven);
	if (ListGiven(&legacy, input, rules->legacy, IsExcluded) > 0 && nexpressions > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg_internal(WORDING_MIXED, legacy.data, expressions.data)));
	if (nexpressions == 0 && IsGiven(input, "ExpressionAttributeNames"))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg_internal(WORDING_NAMES_ALONE)));
	if (rules->values_need != NULL && IsGiven(input, "ExpressionAttributeValues") &&
		!AnyValueExpression(input, rules))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg_internal(WORDING_VALUES_ALONE, rules->values_need)));
}

/* ---- attribute values ---- */

struct varlena *
FieldItem(const Field *field)
{
	JsonReader	r;
	ItemBuilder b;

	ItemBuilderInit(&b, 0, DUPLICATE_NAME_LAST);
	JsonReaderInit(&r, field->text.data, field->text.len);
	ReadItemJson(&r, &b);
	return ItemBuilderFinish(&b);
}

struct varlena *
FieldValue(const Field *field)
{
	JsonReader	r;
	ItemBuilder b;

	ItemBuilderInit(&b, 1, DUPLICATE_NAME_LAST);
	JsonReaderInit(&r, field->text.data, field->text.len);
	ReadValueJson(&r, &b);
	return ItemBuilderFinish(&b);
}

/*
 * The error just caught, which is to be raised again in other words, if it is
 * one of attribute values; raises all others.
 */
static ErrorData *
CaughtValueError(MemoryContext context)
{
	ErrorData  *error;

	if (geterrcode() != ERRCODE_DYNAMO_VALIDATION)
		PG_RE_THROW();
	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	return error;
}

ValueRef
FieldStartKey(const Field *input)
{
	const Field *field = FieldMember(input, "ExclusiveStartKey");
	MemoryContext context = CurrentMemoryContext;
	struct varlena *volatile key = NULL;

	if (field == NULL)
		return MISSING_VALUE;
	PG_TRY();
	{
		key = FieldItem(field);
	}
	PG_CATCH();
	{
		ErrorData  *error = CaughtValueError(context);

		error->message = psprintf(WORDING_START_KEY, error->message);
		ReThrowError(error);
	}
	PG_END_TRY();
	return ItemRoot(key);
}

ValueRef
FieldItemRef(const Field *structure, const char *name)
{
	const Field *field = FieldMember(structure, name);

	return field != NULL ? ItemRoot(FieldItem(field)) : MISSING_VALUE;
}

/* ---- expressions ---- */

ExprText
FieldExpr(const Field *structure, const char *name)
{
	const Field *field = FieldMember(structure, name);

	if (field == NULL)
		return (ExprText) {false};
	return (ExprText) {true, field->string};
}

static void
ReadNames(const Field *names, ExprArgs *args)
{
	args->names_given = names != NULL;
	if (names == NULL)
		return;
	args->nnames = names->count;
	args->names = palloc(Max(names->count, 1) * sizeof(NamePair));
	for (int i = 0; i < names->count; i++)
		args->names[i] = (NamePair) {names->names[i], names->fields[i]->string};
}

/* Reads the values one by one; *placeholder is the one being read. */
static void
ReadValues(const Field *values, ItemBuilder *b, Slice *placeholder)
{
	JsonReader	r;

	JsonReaderInit(&r, values->text.data, values->text.len);
	JsonBeginObject(&r);
	ItemBuilderBeginMap(b);
	while (JsonNextMember(&r, placeholder))
	{
		if (JsonPeek(&r) == JSON_NULL)
		{
			JsonSkipValue(&r);
			continue;
		}
		ItemBuilderName(b, placeholder->data, placeholder->len);
		ReadValueJson(&r, b);
	}
	ItemBuilderEnd(b);
}

static ValueRef
ExpressionValues(const Field *values)
{
	MemoryContext context = CurrentMemoryContext;
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);
	Slice	   *placeholder = palloc0(sizeof(Slice));

	PG_TRY();
	{
		ReadValues(values, b, placeholder);
	}
	PG_CATCH();
	{
		ErrorData  *error = CaughtValueError(context);

		error->message = psprintf(WORDING_INVALID_VALUE, error->message,
								  (int) placeholder->len, placeholder->data);
		ReThrowError(error);
	}
	PG_END_TRY();
	return ItemRoot(ItemBuilderFinish(b));
}

void
FieldExprArgs(const Field *structure, bool values, ExprArgs *args)
{
	const Field *field = values ? FieldMember(structure, "ExpressionAttributeValues") : NULL;

	memset(args, 0, sizeof(*args));
	ReadNames(FieldMember(structure, "ExpressionAttributeNames"), args);
	args->values = field != NULL ? ExpressionValues(field) : MISSING_VALUE;
}

ReturnValues
FieldReturnValues(const Field *structure)
{
	static const struct
	{
		const char *name;
		ReturnValues value;
	}			kinds[] = {
		{"ALL_OLD", RETURN_ALL_OLD},
		{"UPDATED_OLD", RETURN_UPDATED_OLD},
		{"ALL_NEW", RETURN_ALL_NEW},
		{"UPDATED_NEW", RETURN_UPDATED_NEW},
	};

	for (size_t i = 0; i < lengthof(kinds); i++)
	{
		if (FieldIs(structure, "ReturnValues", kinds[i].name))
			return kinds[i].value;
	}
	return RETURN_NONE;
}

/* ---- tables ---- */

const char *
FieldTableName(const Field *structure)
{
	return TableNameOf(FieldSlice(structure, "TableName"));
}

static void NameNotFound(void) pg_attribute_noreturn();

static void
NameNotFound(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
			 errmsg("Requested resource not found")));
}

static void BadArn(const char *fault, const char *text) pg_attribute_noreturn();

static void
BadArn(const char *fault, const char *text)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg_internal(WORDING_BAD_ARN, fault, text)));
}

const char *
TableNameOf(Slice name_or_arn)
{
	char	   *text = pnstrdup(name_or_arn.data, name_or_arn.len);
	char	   *name;
	Arn			arn;

	if (strncmp(text, "arn:", 4) != 0)
		return text;
	if (!ArnParse(text, &arn))
		NameNotFound();
	if (!ArnIsOfPartition(&arn))
		BadArn("AWS partition", text);
	if (!ArnIsOfRegion(&arn))
		BadArn("AWS region", text);
	if (!ArnIsTable(&arn, &name))
		BadArn("resource type", text);
	if (!ArnIsOfAccount(&arn))
		NameNotFound();
	return name;
}
