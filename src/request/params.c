/*
 * params.c
 *	  Converts the fields of a request to the parameters of the operations.
 */
#include "postgres.h"

#include "access/xlog.h"

#include "errors.h"
#include "request/arn.h"
#include "request/operation.h"
#include "request/params.h"
#include "request/wording.h"
#include "table/table_name.h"
#include "worker/api.h"

/* ---- which parameters exclude each other ---- */

static const char *const condition[] = {"ConditionExpression", NULL};
static const char *const update_and_condition[] = {"UpdateExpression", "ConditionExpression", NULL};
static const char *const projection[] = {"ProjectionExpression", NULL};
static const char *const scan_expressions[] = {"ProjectionExpression", "FilterExpression", NULL};
static const char *const search_expressions[] = {
	"ProjectionExpression", "SearchConditionExpression", NULL
};
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

const ParamRules put_params = {condition, legacy_condition, "ConditionExpression is null", .writes = true};
const ParamRules delete_params = {condition, legacy_condition, "ConditionExpression is null", .writes = true};
const ParamRules update_params = {update_and_condition, legacy_update,
"UpdateExpression and ConditionExpression are null", .writes = true};
const ParamRules get_params = {projection, legacy_projection, NULL};
const ParamRules batch_get_params = {projection, NULL, NULL};
const ParamRules transact_put_params = {condition, NULL, "ConditionExpression is null", true};
const ParamRules transact_get_params = {projection, NULL, NULL, true};
const ParamRules scan_params = {scan_expressions, legacy_scan, "FilterExpression is null"};
const ParamRules search_params = {search_expressions, NULL, "SearchConditionExpression is null"};
const ParamRules query_params = {query_expressions, legacy_query,
"FilterExpression and KeyConditionExpression are null"};

static bool
IsGiven(const Field *input, const char *name)
{
	return FieldMember(input, name) != NULL;
}

/*
 * Whether expressions exclude a legacy parameter.  KeyConditions is compatible
 * with all expressions but KeyConditionExpression.
 */
static bool
IsExcluded(const Field *input, const char *name)
{
	return IsGiven(input, name) &&
		(strcmp(name, "KeyConditions") != 0 || IsGiven(input, "KeyConditionExpression"));
}

/* Appends the names of the given parameters; returns their number. */
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

void
CheckMixing(const Field *input, const ParamRules *rules)
{
	StringInfoData expressions;
	StringInfoData legacy;

	initStringInfo(&expressions);
	initStringInfo(&legacy);
	if (ListGiven(&legacy, input, rules->legacy, IsExcluded) > 0 &&
		ListGiven(&expressions, input, rules->expressions, IsGiven) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg_internal(WORDING_MIXED, legacy.data, expressions.data)));
}

/* ---- attribute values ---- */

struct varlena *
FieldItem(const Field *field)
{
	if (field->problem != NULL)
		ProblemRaise(field->problem);
	return field->item;
}

ValueRef
FieldStartKey(const Field *input, ValueWords words)
{
	const Field *field = FieldMember(input, "ExclusiveStartKey");

	if (field == NULL)
		return MISSING_VALUE;
	if (field->problem != NULL && field->problem->sqlstate == ERRCODE_DYNAMO_VALIDATION && words == VALUE_WORDS_OLD)
		field->problem->message = psprintf(WORDING_START_KEY, field->problem->message);
	return ItemRoot(FieldItem(field));
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

/* Whether one of an operation's expressions is given. */
static bool
HasExpression(const Field *input, const ParamRules *rules)
{
	for (const char *const *name = rules->expressions; *name != NULL; name++)
	{
		if (IsGiven(input, *name))
			return true;
	}
	return false;
}

/* Whether an expression that can use values is given. */
static bool
HasValueExpression(const Field *input, const ParamRules *rules)
{
	for (const char *const *name = rules->expressions; *name != NULL; name++)
	{
		if (IsGiven(input, *name) && strcmp(*name, "ProjectionExpression") != 0)
			return true;
	}
	return false;
}

static void
ReadNames(const Field *structure, const ParamRules *rules, ExprArgs *args)
{
	const Field *names = FieldMember(structure, "ExpressionAttributeNames");

	args->names_given = names != NULL;
	if (names == NULL)
		return;
	if (!HasExpression(structure, rules) && !rules->unneeded)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg_internal(WORDING_NAMES_ALONE)));
	(void) ExprCheckNotEmpty("ExpressionAttributeNames", names->count, NULL);
	args->nnames = names->count;
	args->names = palloc(names->count * sizeof(NamePair));
	for (int i = 0; i < names->count; i++)
	{
		args->names[i] = (NamePair) {names->names[i], names->fields[i]->string};
		(void) ExprCheckName(args->names[i].placeholder, args->names[i].name, NULL);
	}
}

static ValueRef
FieldValues(const Field *structure, const ParamRules *rules)
{
	const Field *values;
	Container	map;

	if (rules->values_need == NULL)
		return MISSING_VALUE;
	values = FieldMember(structure, "ExpressionAttributeValues");
	if (values == NULL)
		return MISSING_VALUE;
	if (!HasValueExpression(structure, rules) && !rules->unneeded)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg_internal(rules->writes ? WordingText(WORDING_VALUES_ALONE) : WORDING_READ_VALUES_ALONE,
								 rules->values_need)));
	ContainerOpen(ItemRoot(FieldItem(values)), &map);
	(void) ExprCheckNotEmpty("ExpressionAttributeValues", map.count, NULL);
	return ItemRoot(values->item);
}

void
FieldExprArgs(const Field *structure, const ParamRules *rules, ExprArgs *args)
{
	memset(args, 0, sizeof(*args));
	ReadNames(structure, rules, args);
	args->values = FieldValues(structure, rules);
	if (rules->unneeded && !HasExpression(structure, rules))
		*args = (ExprArgs) {.values = MISSING_VALUE};
}

ReturnValues
FieldReturnValues(const Field *structure)
{
	ReturnValues result = RETURN_NONE;

	(void) ReturnValuesFromText(FieldSlice(structure, "ReturnValues"), &result);
	return result;
}

/* ---- consistent reads ---- */

void
PreventStaleRead(void)
{
	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("cannot execute a consistent read during recovery"),
				 errdetail("A standby may not have replayed the latest commits."),
				 errhint("Read from the primary, or do not use ConsistentRead and transactions.")));
}

bool
FieldConsistentRead(const Field *structure)
{
	bool		consistent = FieldBool(structure, "ConsistentRead", false);

	if (consistent)
		PreventStaleRead();
	return consistent;
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
	Oid			relid;
	Arn			arn;

	/* the form of OIDs within the extension */
	if (TableNameIsOid(text, &relid))
		NameNotFound();
	if (strncmp(text, "arn:", 4) != 0)
		return text;
	if (!ArnParse(text, &arn))
		NameNotFound();
	if (!ArnIsOfPartition(&arn))
		BadArn("AWS partition", text);
	if (!ArnIsOfRegion(&arn))
		BadArn("AWS region", text);
	if (!ArnIsTable(&arn, &name) || TableNameIsOid(name, &relid))
		BadArn("resource type", text);
	if (!ArnIsOfAccount(&arn))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_ACCESS_DENIED),
				 errmsg(WORDING_OTHER_ACCOUNT, request_account, text)));
	return name;
}
