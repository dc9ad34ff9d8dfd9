/*
 * iam_document.c
 *	  Reads an IAM policy document.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/fmgrprotos.h"

#include "compat.h"
#include "iam/iam.h"

static void InvalidPolicy(const char *detail) pg_attribute_noreturn();

static void
InvalidPolicy(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the document is not an IAM policy"),
			 errdetail_internal("%s", detail)));
}

static char *
TextOf(const JsonbValue *v)
{
	return pnstrdup(v->val.string.val, v->val.string.len);
}

static bool
IsObject(const JsonbValue *v)
{
	return v->type == jbvBinary && JsonContainerIsObject(v->val.binary.data);
}

static bool
IsArray(const JsonbValue *v)
{
	return v->type == jbvBinary && JsonContainerIsArray(v->val.binary.data);
}

/* Returns a scalar of a condition as text: IAM treats "true" as true, and "1" as 1. */
static char *
ScalarText(const JsonbValue *v, const char *where)
{
	switch (v->type)
	{
		case jbvString:
			return TextOf(v);
		case jbvBool:
			return pstrdup(v->val.boolean ? "true" : "false");
		case jbvNumeric:
			return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(v->val.numeric)));
		default:
			InvalidPolicy(psprintf("\"%s\" must be a string or a list of strings.", where));
	}
}

/* Reads a string or a list of strings. */
static List *
ReadTexts(const JsonbValue *v, const char *where)
{
	List	   *texts = NIL;

	if (!IsArray(v))
		return list_make1(ScalarText(v, where));
	for (uint32 i = 0; i < JsonContainerSize(v->val.binary.data); i++)
		texts = lappend(texts, ScalarText(getIthJsonbValueFromContainer(v->val.binary.data, i), where));
	return texts;
}

/* ---- members of an object ---- */

typedef void (*MemberReader) (const char *name, const JsonbValue *value, void *arg);

static void
ReadMembers(JsonbContainer *object, MemberReader read, void *arg)
{
	JsonbIterator *it = JsonbIteratorInit(object);
	JsonbIteratorToken token;
	JsonbValue	v;
	char	   *name = NULL;

	while ((token = JsonbIteratorNext(&it, &v, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (token == WJB_KEY)
			name = TextOf(&v);
		else if (token == WJB_VALUE)
			read(name, &v, arg);
	}
}

/* ---- statements ---- */

typedef struct ConditionContext
{
	IamStatement *statement;
	char	   *operator;
} ConditionContext;

static void
ReadConditionKey(const char *name, const JsonbValue *value, void *arg)
{
	ConditionContext *context = arg;
	IamCondition *condition = palloc(sizeof(IamCondition));

	condition->operator = context->operator;
	condition->key = pstrdup(name);
	condition->values = ReadTexts(value, name);
	context->statement->conditions = lappend(context->statement->conditions, condition);
}

static void
ReadConditionOperator(const char *name, const JsonbValue *value, void *arg)
{
	ConditionContext context = {arg, pstrdup(name)};

	if (!IsObject(value))
		InvalidPolicy(psprintf("Condition \"%s\" must be an object.", name));
	ReadMembers(value->val.binary.data, ReadConditionKey, &context);
}

static void
ReadEffect(IamStatement *s, const JsonbValue *value)
{
	char	   *effect = value->type == jbvString ? TextOf(value) : "";

	if (strcmp(effect, "Allow") != 0 && strcmp(effect, "Deny") != 0)
		InvalidPolicy(psprintf("Statement %d has no Effect \"Allow\" or \"Deny\".", s->number));
	s->allow = strcmp(effect, "Allow") == 0;
}

static void
ReadStatementMember(const char *name, const JsonbValue *value, void *arg)
{
	IamStatement *s = arg;

	if (strcmp(name, "Sid") == 0 && value->type == jbvString)
		s->sid = TextOf(value);
	else if (strcmp(name, "Effect") == 0)
		ReadEffect(s, value);
	else if (strcmp(name, "Action") == 0 || strcmp(name, "NotAction") == 0)
	{
		if (s->actions_given)
			InvalidPolicy(psprintf("Statement %d has both Action and NotAction.", s->number));
		s->actions_given = true;
		s->actions = ReadTexts(value, name);
		s->not_actions = name[0] == 'N';
	}
	else if (strcmp(name, "Resource") == 0 || strcmp(name, "NotResource") == 0)
	{
		if (s->resources_given)
			InvalidPolicy(psprintf("Statement %d has both Resource and NotResource.", s->number));
		s->resources_given = true;
		s->resources = ReadTexts(value, name);
		s->not_resources = name[0] == 'N';
	}
	else if (strcmp(name, "Condition") == 0 && IsObject(value))
		ReadMembers(value->val.binary.data, ReadConditionOperator, s);
	else
		s->unknown = lappend(s->unknown, pstrdup(name));
}

static IamStatement *
ReadStatement(const JsonbValue *value, int number, bool variables)
{
	IamStatement *s = palloc0(sizeof(IamStatement));
	JsonbValue	effect;

	s->number = number;
	s->variables = variables;
	if (!IsObject(value))
		InvalidPolicy(psprintf("Statement %d is not an object.", number));
	if (getKeyJsonValueFromContainer(value->val.binary.data, "Effect", strlen("Effect"), &effect) == NULL)
		InvalidPolicy(psprintf("Statement %d has no Effect \"Allow\" or \"Deny\".", number));
	ReadMembers(value->val.binary.data, ReadStatementMember, s);
	if (s->actions == NIL || s->resources == NIL)
		InvalidPolicy(psprintf("Statement %d has no Action or no Resource.", number));
	return s;
}

/* In the older version, which is the default, ${aws:username} is text like any other. */
static bool
HasVariables(JsonbContainer *document)
{
	JsonbValue	version;

	return getKeyJsonValueFromContainer(document, "Version", strlen("Version"), &version) != NULL &&
		version.type == jbvString && strcmp(TextOf(&version), "2012-10-17") == 0;
}

/* Adds the statements of a document, numbered on from those before. */
static List *
ReadDocument(JsonbContainer *document, List *result)
{
	JsonbValue	statements;
	bool		variables;

	if (!JsonContainerIsObject(document) ||
		getKeyJsonValueFromContainer(document, "Statement", strlen("Statement"), &statements) == NULL)
		InvalidPolicy("It has no member \"Statement\".");
	variables = HasVariables(document);
	if (!IsArray(&statements))
		return lappend(result, ReadStatement(&statements, list_length(result) + 1, variables));
	for (uint32 i = 0; i < JsonContainerSize(statements.val.binary.data); i++)
		result = lappend(result, ReadStatement(getIthJsonbValueFromContainer(statements.val.binary.data, i),
											   list_length(result) + 1, variables));
	return result;
}

List *
IamReadDocuments(Jsonb *documents)
{
	List	   *result = NIL;

	if (!JB_ROOT_IS_ARRAY(documents))
		return ReadDocument(&documents->root, NIL);
	for (uint32 i = 0; i < JB_ROOT_COUNT(documents); i++)
	{
		JsonbValue *document = getIthJsonbValueFromContainer(&documents->root, i);

		if (document->type != jbvBinary)
			InvalidPolicy("It has no member \"Statement\".");
		result = ReadDocument(document->val.binary.data, result);
	}
	return result;
}
