/*
 * resource_policy.c
 *	  PutResourcePolicy, GetResourcePolicy and DeleteResourcePolicy.
 *
 * A policy of a table or of its stream is stored and returned.  It grants
 * nothing: rights are those of roles (dynamo.iam_policy_to_sql translates IAM
 * policies).  So a policy with a Deny is refused, since it would promise a
 * protection that does not exist; an Allow without effect protects too much.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "errors.h"
#include "item/json_reader.h"
#include "request/arn.h"
#include "request/description.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/params.h"
#include "request/resource.h"
#include "request/resource_policy.h"
#include "security/settings_owner.h"

#define MAX_POLICY_BYTES	20480

/* The value of ExpectedRevisionId that means: only if there is none. */
#define NO_POLICY	"NO_POLICY"

/* ---- documents ---- */

static void
RefusePolicy(const char *detail)
{
	InvalidParameter("Invalid policy document: %s", detail);
}

static const JsonbValue *
PolicyMember(JsonbContainer *object, const char *name)
{
	JsonbValue	key = {.type = jbvString};

	key.val.string.val = unconstify(char *, name);
	key.val.string.len = (int) strlen(name);
	return findJsonbValueFromContainer(object, JB_FOBJECT, &key);
}

static bool
IsPolicyText(const JsonbValue *value, const char *text)
{
	return value != NULL && value->type == jbvString && value->val.string.len == (int) strlen(text) &&
		memcmp(value->val.string.val, text, value->val.string.len) == 0;
}

static void
CheckOneOf(JsonbContainer *statement, const char *name, const char *other)
{
	if ((PolicyMember(statement, name) != NULL) == (PolicyMember(statement, other) != NULL))
		RefusePolicy(psprintf("a statement needs %s or %s", name, other));
}

static void
CheckPolicyStatement(const JsonbValue *statement)
{
	const JsonbValue *effect;

	if (statement->type != jbvBinary || !JsonContainerIsObject(statement->val.binary.data))
		RefusePolicy("a statement must be an object");
	effect = PolicyMember(statement->val.binary.data, "Effect");
	if (IsPolicyText(effect, "Deny"))
		RefusePolicy("Deny is not supported, since policies of resources have no effect on the rights of roles");
	if (!IsPolicyText(effect, "Allow"))
		RefusePolicy("the Effect of a statement must be Allow or Deny");
	CheckOneOf(statement->val.binary.data, "Principal", "NotPrincipal");
	CheckOneOf(statement->val.binary.data, "Action", "NotAction");
	CheckOneOf(statement->val.binary.data, "Resource", "NotResource");
}

static void
CheckPolicyStatements(const JsonbValue *statements)
{
	JsonbContainer *list = statements != NULL && statements->type == jbvBinary ? statements->val.binary.data : NULL;

	if (list == NULL || JsonContainerSize(list) == 0)
		RefusePolicy("Statement is required");
	if (JsonContainerIsObject(list))
	{
		CheckPolicyStatement(statements);
		return;
	}
	for (uint32 i = 0; i < JsonContainerSize(list); i++)
		CheckPolicyStatement(getIthJsonbValueFromContainer(list, i));
}

static void
CheckPolicyVersion(const JsonbValue *version)
{
	if (version != NULL && !IsPolicyText(version, "2012-10-17") && !IsPolicyText(version, "2008-10-17"))
		RefusePolicy("Version must be 2012-10-17 or 2008-10-17");
}

/* Returns JSON without white space outside of strings. */
static char *
Minify(const char *json)
{
	char	   *result = palloc(strlen(json) + 1);
	char	   *to = result;
	bool		in_string = false;

	for (const char *from = json; *from != '\0'; from++)
	{
		if (in_string && *from == '\\')
			*to++ = *from++;
		else if (*from == '"')
			in_string = !in_string;
		if (in_string || *from != ' ')
			*to++ = *from;
	}
	*to = '\0';
	return result;
}

/* Whether a text is JSON, without what jsonb cannot contain. */
static bool
IsPolicyJson(const char *text)
{
	Problem		problem = NO_PROBLEM;
	JsonReader	r;

	JsonReaderInit(&r, text, strlen(text));
	r.problem = &problem;
	if (JsonPeek(&r) == JSON_OBJECT)
		JsonSkipValue(&r);
	else
		return false;
	JsonEnd(&r);
	return !ProblemIsNoted(&problem) && strstr(text, "\\u0000") == NULL;
}

/*
 * Returns the canonical text of a policy: equivalent documents have the same.
 */
static char *
CanonicalPolicy(const char *text)
{
	Jsonb	   *document;

	if (strlen(text) > MAX_POLICY_BYTES)
		InvalidParameter("Maximum policy size of %d bytes exceeded", MAX_POLICY_BYTES);
	if (!IsPolicyJson(text))
		RefusePolicy("it must be an object in JSON");
	document = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
	CheckPolicyVersion(PolicyMember(&document->root, "Version"));
	CheckPolicyStatements(PolicyMember(&document->root, "Statement"));
	return Minify(JsonbToCString(NULL, &document->root, VARSIZE(document)));
}

/* ---- the resource ---- */

/* A table, and the name of the attachment: the label of its stream, or "". */
typedef struct PolicyResource
{
	OpenedTable table;
	char	   *part;
} PolicyResource;

static void
ResourceNotFound(const char *what, const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
			 errmsg("Requested resource not found: %s: %s not found", what, name)));
}

static void
OpenPolicyResource(PolicyResource *resource, const Request *request, LOCKMODE lockmode)
{
	const char *text = FieldString(request->input, "ResourceArn");
	char	   *name = ResourceTable(text);
	Arn			arn;
	bool		of_stream = ArnParse(text, &arn) && ArnIsStream(&arn, &name, &resource->part);

	if (!of_stream)
		resource->part = pstrdup("");
	if (name == NULL || !ArnIsOfAccount(&arn))
		ResourceNotFound("ResourceArn", text);
	if (!TableExists(name))
		ResourceNotFound("Table", name);
	TableOpen(&resource->table, name, lockmode);
	if (of_stream && (resource->table.settings->stream_label == NULL ||
					  strcmp(resource->table.settings->stream_label, resource->part) != 0))
		ResourceNotFound("Stream", text);
}

/* The revision is the time of the change, in digits. */
static char *
PolicyRevision(const TableAttachment *policy)
{
	return psprintf(INT64_FORMAT, policy->changed);
}

static void
NoSuchPolicy(const Request *request)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_POLICY_NOT_FOUND),
			 errmsg("Resource-based policy not found for the provided ResourceArn: %s",
					FieldString(request->input, "ResourceArn"))));
}

/* Raises an error unless the policy has the expected revision. */
static void
CheckRevision(const Request *request, const TableAttachment *policy)
{
	const char *expected = FieldString(request->input, "ExpectedRevisionId");
	bool		none = expected != NULL && strcmp(expected, NO_POLICY) == 0;

	if (expected == NULL || (none && policy == NULL))
		return;
	if (policy == NULL || strcmp(PolicyRevision(policy), expected) != 0)
		NoSuchPolicy(request);
}

/* ---- operations ---- */

static const Shape policy_text = {.kind = SHAPE_STRING};
static const Shape revision = {.kind = SHAPE_STRING, .min = 1, .max = 255};
static const Member put_policy_members[] = {
	REQUIRED("ResourceArn", model_resource_arn),
	REQUIRED("Policy", policy_text),
	MEMBER("ExpectedRevisionId", revision),
	MEMBER("ConfirmRemoveSelfResourceAccess", model_boolean),
};
static const Shape put_resource_policy_input = STRUCTURE("PutResourcePolicyInput", put_policy_members);

TableAttachment *
AttachPolicy(Relation rel, const char *part, const char *text, const TableAttachment *before)
{
	TableAttachment *policy = palloc(sizeof(TableAttachment));

	policy->name = pstrdup(part);
	policy->value = CanonicalPolicy(text);
	policy->changed = SettingsTime();
	if (before != NULL)
	{
		if (strcmp(before->value, policy->value) == 0)
			policy->changed = before->changed;
		else
			policy->changed = Max(policy->changed, before->changed + 1);
	}
	TableAttachmentWrite(rel, ATTACHED_POLICY, policy);
	return policy;
}

static void
PutResourcePolicyRequest(Request *request)
{
	const char *text = FieldString(request->input, "Policy");
	PolicyResource resource;
	const TableAttachment *before;
	const TableAttachment *policy;

	(void) CanonicalPolicy(text);
	OpenPolicyResource(&resource, request, ShareUpdateExclusiveLock);
	before = TableAttachmentRead(resource.table.rel, ATTACHED_POLICY, resource.part);
	CheckRevision(request, before);
	policy = AttachPolicy(resource.table.rel, resource.part, text, before);
	WriterStringMember(request->out, "RevisionId", PolicyRevision(policy));
	TableClose(&resource.table);
}

OPERATION(PutResourcePolicy, &put_resource_policy_input, PutResourcePolicyRequest, .changes = "ResourceArn");

static const Member delete_policy_members[] = {
	REQUIRED("ResourceArn", model_resource_arn),
	MEMBER("ExpectedRevisionId", revision),
};
static const Shape delete_resource_policy_input = STRUCTURE("DeleteResourcePolicyInput", delete_policy_members);

/* Deleting what is not there succeeds, without a revision. */
static void
DeleteResourcePolicyRequest(Request *request)
{
	PolicyResource resource;
	const TableAttachment *policy;

	OpenPolicyResource(&resource, request, ShareUpdateExclusiveLock);
	policy = TableAttachmentRead(resource.table.rel, ATTACHED_POLICY, resource.part);
	CheckRevision(request, policy);
	if (policy != NULL)
	{
		TableAttachmentRemove(resource.table.rel, ATTACHED_POLICY, resource.part);
		WriterStringMember(request->out, "RevisionId", PolicyRevision(policy));
	}
	TableClose(&resource.table);
}

OPERATION(DeleteResourcePolicy, &delete_resource_policy_input, DeleteResourcePolicyRequest, .changes = "ResourceArn");

static const Member get_policy_members[] = {
	REQUIRED("ResourceArn", model_resource_arn),
};
static const Shape get_resource_policy_input = STRUCTURE("GetResourcePolicyInput", get_policy_members);

static void
GetResourcePolicyRequest(Request *request)
{
	PolicyResource resource;
	const TableAttachment *policy;

	OpenPolicyResource(&resource, request, AccessShareLock);
	policy = TableAttachmentRead(resource.table.rel, ATTACHED_POLICY, resource.part);
	if (policy == NULL)
		NoSuchPolicy(request);
	WriterStringMember(request->out, "Policy", policy->value);
	WriterStringMember(request->out, "RevisionId", PolicyRevision(policy));
	TableClose(&resource.table);
}

OPERATION(GetResourcePolicy, &get_resource_policy_input, GetResourcePolicyRequest, .on_coordinator = true);
