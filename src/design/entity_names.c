/*
 * entity_names.c
 *	  The names in the conditions of an entity, declared by a call or by a document.
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"

#include "ddl/ddl.h"
#include "design/entity_names.h"
#include "design/jsonb_member.h"
#include "entity/entity.h"
#include "item/convert.h"
#include "view/kind.h"

/* IsDeclaredName. */
static bool
IsEntityName(const void *arg, Slice name)
{
	const EntityNames *declared = arg;
	JsonbIterator *it = NULL;
	JsonbValue	value;
	char	   *attribute;

	if (DeclaredAttributeFind(declared->attributes, name) != NULL ||
		(declared->type_attribute != NULL && SliceIs(name, declared->type_attribute)))
		return true;
	while (!declared->attributes->given && declared->keys != NULL && NextObjectEntry(&it, declared->keys, &attribute, &value))
	{
		if (value.type == jbvString && TemplateUses(TemplateGet((Slice) {value.val.string.val, value.val.string.len}), name))
			return true;
	}
	return false;
}

void
EntityNamesFind(BareNames *names, const EntityNames *declared, Jsonb *conditions)
{
	JsonbIterator *it = NULL;
	JsonbValue	value;
	char	   *index_name;

	names->is_declared = IsEntityName;
	names->arg = declared;
	while (conditions != NULL && NextObjectEntry(&it, conditions, &index_name, &value))
		(void) BareNamesReplace(names, ObjectEntryText(&value, "the condition of index", index_name));
}

/* ---- of a document ---- */

/* The object that is a member of a document; NULL if there is none. */
static Jsonb *
DocumentObject(Jsonb *document, const char *name)
{
	Jsonb	   *member = JsonbMember(document, name);

	return member != NULL && JB_ROOT_IS_OBJECT(member) ? member : NULL;
}

/* The names alone; none if the object is NULL or empty. */
static void
ReadDocumentAttributes(DeclaredAttributes *attributes, Jsonb *object)
{
	JsonbIterator *it = NULL;
	JsonbValue	value;
	char	   *name;

	if (object == NULL || JB_ROOT_COUNT(object) == 0)
		return;
	attributes->given = true;
	attributes->list = palloc0(JB_ROOT_COUNT(object) * sizeof(DeclaredAttribute));
	while (NextObjectEntry(&it, object, &name, &value))
		attributes->list[attributes->count++].name = name;
}

static void
AppendConditions(StringInfo out, BareNames *names, Jsonb *conditions)
{
	JsonbIterator *it = NULL;
	JsonbValue	value;
	char	   *index_name;

	while (conditions != NULL && NextObjectEntry(&it, conditions, &index_name, &value))
	{
		if (out->data[out->len - 1] != '{')
			appendStringInfoString(out, ", ");
		escape_json(out, index_name);
		appendStringInfoString(out, ": ");
		escape_json(out, BareNamesReplace(names, ObjectEntryText(&value, "the condition of index", index_name)));
	}
}

/*
 * named_conditions(entity jsonb, expression_attribute_names jsonb) returns jsonb: both members of a
 * declaration, as dynamo.create_entity stores them
 */
DYNAMO_FUNCTION(dynamo_named_conditions);
Datum
dynamo_named_conditions(PG_FUNCTION_ARGS)
{
	Jsonb	   *entity = PG_ARGISNULL(0) ? NULL : PG_GETARG_JSONB_P(0);
	Jsonb	   *conditions;
	DeclaredAttributes attributes = {0};
	EntityNames declared = {&attributes};
	BareNames	names = {0};
	ValueRef	all;
	StringInfoData out;

	if (entity == NULL)
		PG_RETURN_NULL();
	conditions = DocumentObject(entity, "index_conditions");
	declared.type_attribute = JsonbMemberText(entity, "type_attribute");
	declared.keys = DocumentObject(entity, "keys");
	names.given = KindJsonArgument(fcinfo, 1, "expression_attribute_names");
	ReadDocumentAttributes(&attributes, DocumentObject(entity, "attributes"));
	EntityNamesFind(&names, &declared, conditions);
	initStringInfo(&out);
	appendStringInfoString(&out, "{\"index_conditions\": {");
	AppendConditions(&out, &names, conditions);
	appendStringInfoChar(&out, '}');
	all = BareNamesMap(&names);
	if (!ValueIsMissing(all))
		appendStringInfo(&out, ", \"expression_attribute_names\": %s", JsonbToCString(NULL, &ValueToJsonb(all)->root, 0));
	appendStringInfoChar(&out, '}');
	PG_RETURN_DATUM(DirectFunctionCall1(jsonb_in, CStringGetDatum(out.data)));
}
