/*
 * pattern_named.c
 *	  Access patterns as the named queries of table/named_query.h.
 *
 * A pattern is found among those that the table's owner has declared, in any schema, by its
 * name or by "schema.name"; if there is none, among those of the user and the user's roles.
 * What others have declared does not count, also not for superusers.  The user needs the
 * rights that a call of the function needs.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "nodes/primnodes.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "errors.h"
#include "item/builder.h"
#include "pattern/pattern.h"
#include "table/ddl_statement.h"
#include "table/named_query.h"
#include "view/attribute.h"

typedef struct NamedPattern
{
	Oid			function;
	AccessPattern *pattern;
	ValueRef   *initial;		/* of its parameters; MISSING_VALUE: null */
	bool	   *required;
} NamedPattern;

/* ---- defaults ---- */

static List *
DefaultsOfFunction(HeapTuple tuple)
{
	bool		isnull;
	Datum		defaults = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_proargdefaults, &isnull);

	return isnull ? NIL : (List *) stringToNode(TextDatumGetCString(defaults));
}

/* Patterns are declared with constants; another expression is not evaluated for others. */
static bool
SetDefault(NamedPattern *named, int parameter, const Node *node)
{
	const Const *value = (const Const *) node;

	if (!IsA(node, Const))
		return false;
	if (!value->constisnull)
		named->initial[parameter] = AttributeFromDatum(value->constvalue, value->consttype, MISSING_VALUE);
	return true;
}

static void
ReadDefaults(NamedPattern *named, HeapTuple tuple)
{
	List	   *defaults = DefaultsOfFunction(tuple);
	int			n = named->pattern->nparameters;
	int			first = ((Form_pg_proc) GETSTRUCT(tuple))->pronargs - list_length(defaults);

	named->initial = palloc(sizeof(ValueRef) * Max(n, 1));
	named->required = palloc(sizeof(bool) * Max(n, 1));
	for (int i = 0; i < n; i++)
	{
		named->initial[i] = MISSING_VALUE;
		named->required[i] = i < first || i - first >= list_length(defaults) ||
			!SetDefault(named, i, list_nth(defaults, i - first));
	}
}

/* ---- the function ---- */

/* Returns the pattern of a function if it is one of the table, whoever has declared it. */
static AccessPattern *
PatternOfTable(HeapTuple tuple, Relation table)
{
	bool		isnull;
	Datum		body = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &isnull);
	AccessPattern *pattern = isnull ? NULL : PatternRecordRead(SliceOf(TextDatumGetCString(body)));
	const char *schema_name = get_namespace_name(RelationGetNamespace(table));
	char	   *schema,
			   *name;

	if (pattern == NULL || pattern->relation == NULL || schema_name == NULL || !QualifiedNameSplit(pattern->relation, &schema, &name))
		return NULL;
	return strcmp(schema, schema_name) == 0 && strcmp(name, RelationGetRelationName(table)) == 0 ? pattern : NULL;
}

static bool
MayNamePattern(HeapTuple tuple, Relation table, const char *schema, bool of_owner)
{
	Form_pg_proc function = (Form_pg_proc) GETSTRUCT(tuple);
	char	   *namespace;

	if (of_owner ? function->proowner != table->rd_rel->relowner :
		!is_member_of_role_nosuper(GetUserId(), function->proowner))
		return false;
	if (schema == NULL)
		return true;
	namespace = get_namespace_name(function->pronamespace);
	return namespace != NULL && strcmp(namespace, schema) == 0;
}

static void
RaiseAmbiguous(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("The table has several access patterns %s: name its schema, " NAMED_QUERY_PREFIX "schema.%s", name, name)));
}

static NamedPattern *
FindAmong(Relation table, const char *schema, const char *name, bool of_owner)
{
	CatCList   *list = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(name));
	NamedPattern *found = NULL;

	for (int i = 0; i < list->n_members; i++)
	{
		HeapTuple	tuple = &list->members[i]->tuple;
		AccessPattern *pattern = MayNamePattern(tuple, table, schema, of_owner) ? PatternOfTable(tuple, table) : NULL;

		if (pattern == NULL)
			continue;
		if (found != NULL)
			RaiseAmbiguous(name);
		found = palloc0(sizeof(NamedPattern));
		found->function = ((Form_pg_proc) GETSTRUCT(tuple))->oid;
		found->pattern = pattern;
		ReadDefaults(found, tuple);
	}
	ReleaseSysCacheList(list);
	return found;
}

/* The rights to call a function by its name. */
static void
CheckMayCall(Oid function)
{
	Oid			schema = get_func_namespace(function);
	AclResult	result = SchemaAclCheck(schema, GetUserId(), ACL_USAGE);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_SCHEMA, get_namespace_name(schema));
	result = FunctionAclCheck(function, GetUserId(), ACL_EXECUTE);
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FUNCTION, get_func_name(function));
}

static NamedQuery *
DescribeNamed(NamedPattern *named)
{
	NamedQuery *query = palloc(sizeof(NamedQuery));

	query->declared = named;
	query->nparameters = named->pattern->nparameters;
	query->parameters = palloc(sizeof(Slice) * Max(query->nparameters, 1));
	for (int i = 0; i < query->nparameters; i++)
		query->parameters[i] = SliceOf(named->pattern->parameters[i].name);
	return query;
}

/* Splits "schema.name"; a name of a pattern that contains a dot needs its schema. */
static NamedPattern *
FindByText(Relation table, char *text)
{
	char	   *dot = strchr(text, '.');
	const char *schema = dot == NULL ? NULL : text;
	const char *name = dot == NULL ? text : dot + 1;
	NamedPattern *found;

	if (dot != NULL)
		*dot = '\0';
	found = FindAmong(table, schema, name, true);
	return found != NULL ? found : FindAmong(table, schema, name, false);
}

/* A named query's find. */
static NamedQuery *
FindNamedPattern(Relation table, Slice name)
{
	char	   *text = pnstrdup(name.data, name.len);
	NamedPattern *named = strlen(text) < name.len ? NULL : FindByText(table, pstrdup(text));

	if (named == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("The table does not have the specified access pattern: %s", text),
				 errhint("dynamo.access_patterns lists the patterns. Those that the table's owner has not declared do not count.")));
	CheckMayCall(named->function);
	if (named->pattern->changed)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("The function of access pattern %s is not as it was declared", text),
				 errhint("Declare the pattern anew: dynamo.create_access_pattern with replace => true.")));
	return DescribeNamed(named);
}

/* ---- parameters ---- */

static void
CheckNoOthers(const AccessPattern *pattern, ValueRef parameters)
{
	Container	given;

	ContainerOpen(parameters, &given);
	for (uint32 i = 0; i < given.count; i++)
	{
		Slice		name;

		(void) MapEntry(&given, i, &name);
		if (PatternParameterFind(pattern, pnstrdup(name.data, name.len)) < 0)
			InvalidRequest("Value provided in ExpressionAttributeValues unused in expressions: keys: {:%.*s}",
						   (int) name.len, name.data);
	}
}

static void
CheckAllGiven(const NamedPattern *named, ValueRef parameters)
{
	for (int i = 0; i < named->pattern->nparameters; i++)
	{
		const char *name = named->pattern->parameters[i].name;

		if (named->required[i] && ValueIsMissing(AttributeFind(parameters, name, strlen(name))))
			InvalidRequest("An expression attribute value used in expression is not defined; attribute value: :%s", name);
	}
}

typedef struct GivenParameters
{
	const NamedPattern *named;
	ValueRef	parameters;
	int			list;			/* number of the parameter that is a list; -1 if there is none */
	ValueRef	element;		/* its value for one request; MISSING_VALUE: the list */
} GivenParameters;

/* A ParameterFinder. */
static ValueRef
FindGivenParameter(void *arg, const char *parameter)
{
	const GivenParameters *given = arg;
	ValueRef	v = AttributeFind(given->parameters, parameter, strlen(parameter));
	int			i = PatternParameterFind(given->named->pattern, parameter);

	if (i >= 0 && i == given->list && !ValueIsMissing(given->element))
		return given->element;
	if (ValueIsMissing(v))
		return i < 0 ? MISSING_VALUE : given->named->initial[i];
	return ValueTypeOf(v) == VALUE_NULL ? MISSING_VALUE : v;
}

static List *
AddRequest(List *requests, GivenParameters *given)
{
	StringInfoData out;

	initStringInfo(&out);
	return PatternAppendRequest(given->named->pattern, FindGivenParameter, given, &out) ? lappend(requests, out.data) : requests;
}

/* A named query's requests: of a pattern with a list, one for each element. */
static List *
RequestsOfNamed(const NamedQuery *query, Relation table, ValueRef parameters)
{
	GivenParameters given = {query->declared, parameters, -1, MISSING_VALUE};
	const AccessPattern *pattern = given.named->pattern;
	List	   *requests = NIL;
	const PatternParameter *list;
	ValueRef   *elements;
	int			n;

	PatternRequireRequest(pattern);
	CheckNoOthers(pattern, parameters);
	CheckAllGiven(given.named, parameters);
	if (pattern->basis != NULL)
		PatternRequireBasis(RelationGetRelid(table), pattern->basis);
	given.list = PatternListFind(pattern);
	if (given.list < 0)
		return AddRequest(NIL, &given);
	list = &pattern->parameters[given.list];
	elements = PatternListElements(list, FindGivenParameter(&given, list->name), &n);
	for (int i = 0; i < n; i++)
	{
		given.element = elements[i];
		requests = AddRequest(requests, &given);
	}
	return requests;
}

static const NamedQueryMethods named_methods = {
	.find = FindNamedPattern,
	.requests = RequestsOfNamed,
};

void
PatternNamedInit(void)
{
	NamedQueryRegister(&named_methods);
}
