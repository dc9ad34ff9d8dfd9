/*
 * table_params.c
 *	  Key schemas, indexes, streams and encryption of CreateTable and
 *	  UpdateTable.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "errors.h"
#include "request/arn.h"
#include "request/table_params.h"

char *
FieldName(const Field *structure, const char *member)
{
	Slice		name = FieldSlice(structure, member);

	return pnstrdup(name.data, name.len);
}

Slice
CopyName(Slice name)
{
	char	   *copy = palloc(name.len + 1);

	memcpy(copy, name.data, name.len);
	copy[name.len] = '\0';
	return (Slice) {copy, name.len};
}

/* ---- attribute definitions ---- */

bool
AttributeTypeOf(const Field *definitions, Slice name, ValueType *type)
{
	for (int i = 0; i < definitions->count; i++)
	{
		const Field *definition = definitions->fields[i];
		Slice		type_name;

		if (SliceCompare(FieldSlice(definition, "AttributeName"), name) != 0)
			continue;
		type_name = FieldSlice(definition, "AttributeType");
		*type = (ValueType) ValueTypeFromName(type_name.data, type_name.len);
		return true;
	}
	return false;
}

void
CheckDefinitions(const Field *definitions)
{
	for (int i = 0; i < definitions->count; i++)
	{
		Slice		name = FieldSlice(definitions->fields[i], "AttributeName");

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < i; j++)
		{
			if (SliceCompare(FieldSlice(definitions->fields[j], "AttributeName"), name) == 0)
				InvalidRequest("Attribute Name is duplicated: %.*s", (int) name.len, name.data);
		}
	}
}

/* ---- keys ---- */

/* Adds the name of a structure's attribute to a list: "a, b". */
static void
AppendNameOf(StringInfo list, const Field *structure)
{
	appendStringInfo(list, "%s%s", list->len > 0 ? ", " : "",
					 FieldName(structure, "AttributeName"));
}

/*
 * Raises the error for key attributes, a list of names, that are not defined.
 */
static void UndefinedKeys(const char *keys, const Field *definitions) pg_attribute_noreturn();

static void
UndefinedKeys(const char *keys, const Field *definitions)
{
	StringInfoData defined;

	initStringInfo(&defined);
	for (int i = 0; i < definitions->count; i++)
		AppendNameOf(&defined, definitions->fields[i]);
	InvalidParameter("Some index key attributes are not defined in AttributeDefinitions. "
					 "Keys: [%s], AttributeDefinitions: [%s]", keys, defined.data);
}

/*
 * Returns the undefined attributes of a key as a list, which is empty if all
 * are defined.
 */
static char *
FindUndefined(const Field *schema, const Field *definitions)
{
	StringInfoData undefined;

	initStringInfo(&undefined);
	for (int i = 0; i < schema->count; i++)
	{
		ValueType	type;

		if (!AttributeTypeOf(definitions, FieldSlice(schema->fields[i], "AttributeName"), &type))
			AppendNameOf(&undefined, schema->fields[i]);
	}
	return undefined.data;
}

/*
 * The service does not name the attributes of a table's key with two
 * attributes.
 */
static void
CheckTableKeyDefined(const Field *schema, const Field *definitions)
{
	char	   *undefined = FindUndefined(schema, definitions);

	if (*undefined == '\0')
		return;
	if (schema->count > 1)
		InvalidRequest("Invalid KeySchema: Some index key attribute have no definition");
	UndefinedKeys(undefined, definitions);
}

static void
CheckIndexKeyDefined(const Field *schema, const Field *definitions)
{
	char	   *undefined = FindUndefined(schema, definitions);

	if (*undefined != '\0')
		UndefinedKeys(undefined, definitions);
}

static bool
IsHash(const Field *schema, int i)
{
	return FieldIs(schema->fields[i], "KeyType", "HASH");
}

static void
CheckFirstIsHash(const Field *schema)
{
	if (!IsHash(schema, 0))
		InvalidRequest("Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
}

static void
ConvertKey(const Field *schema, const Field *definitions, KeySchema *key)
{
	memset(key, 0, sizeof(*key));
	for (int i = 0; i < schema->count; i++)
	{
		Slice		name = FieldSlice(schema->fields[i], "AttributeName");

		key->attributes[i].name = CopyName(name);
		(void) AttributeTypeOf(definitions, name, &key->attributes[i].type);
		if (IsHash(schema, i))
			key->npartition++;
		else
			key->nsort++;
	}
}

/* Reads a key of one or two attributes, as tables and local indexes have. */
static void
FieldSimpleKey(const Field *schema, const Field *definitions, KeySchema *key)
{
	if (schema->count > 1 &&
		SliceCompare(FieldSlice(schema->fields[0], "AttributeName"),
					 FieldSlice(schema->fields[1], "AttributeName")) == 0)
		InvalidRequest("Both the Hash Key and the Range Key element in the KeySchema have the same name");
	CheckFirstIsHash(schema);
	if (schema->count > 1 && IsHash(schema, 1))
		InvalidRequest("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
	ConvertKey(schema, definitions, key);
}

void
FieldTableKey(const Field *schema, const Field *definitions, KeySchema *key)
{
	CheckTableKeyDefined(schema, definitions);
	FieldSimpleKey(schema, definitions, key);
}

/* Checks that a key has up to four attributes of each kind, in this order. */
static void
CheckMultiAttributeOrder(const Field *schema)
{
	bool		range = false;

	for (int i = 0; i < schema->count; i++)
	{
		if (!IsHash(schema, i))
			range = true;
		else if (range)
			InvalidParameter("All HASH key attributes must precede RANGE key attributes in the KeySchema");
	}
}

/* Reads the key of a global index. */
static void
FieldGlobalKey(const Field *schema, const Field *definitions, KeySchema *key)
{
	CheckFirstIsHash(schema);
	CheckMultiAttributeOrder(schema);
	ConvertKey(schema, definitions, key);
	CheckKeySchema(key, KEY_MAX_ATTRIBUTES / 2, KEY_MAX_ATTRIBUTES / 2);
}

/* ---- indexes ---- */

void
FieldProjection(const Field *projection, CreateIndexSpec *spec)
{
	const Field *names = FieldMember(projection, "NonKeyAttributes");

	if (FieldMember(projection, "ProjectionType") == NULL)
		InvalidParameter("Unknown ProjectionType: null");
	if (FieldIs(projection, "ProjectionType", "ALL"))
		spec->projected = PROJECTED_ALL;
	else if (FieldIs(projection, "ProjectionType", "KEYS_ONLY"))
		spec->projected = PROJECTED_KEYS_ONLY;
	else
		spec->projected = PROJECTED_INCLUDE;
	if (names == NULL)
		return;
	spec->nnon_key = names->count;
	spec->non_key = palloc(names->count * sizeof(Slice));
	for (int i = 0; i < names->count; i++)
		spec->non_key[i] = CopyName(names->fields[i]->string);
}

static void
FieldLocalKey(const Field *index, const Field *definitions, KeySchema *key)
{
	FieldSimpleKey(FieldMember(index, "KeySchema"), definitions, key);
	if (key->nsort == 0)
		InvalidParameter("Index KeySchema does not have a range key for index: %s",
						 FieldName(index, "IndexName"));
}

void
FieldIndexSpec(const Field *index, bool local, const Field *definitions, CreateIndexSpec *spec)
{
	const Field *schema = FieldMember(index, "KeySchema");

	memset(spec, 0, sizeof(*spec));
	spec->name = FieldName(index, "IndexName");
	spec->local = local;
	spec->kind = IndexKindFind("inline", 0, NULL);
	CheckIndexKeyDefined(schema, definitions);
	if (local)
		FieldLocalKey(index, definitions, &spec->key);
	else
		FieldGlobalKey(schema, definitions, &spec->key);
	FieldProjection(FieldMember(index, "Projection"), spec);
}

const Field *
UpdateOfIndex(const Field *updates, const char *index_name)
{
	for (int i = 0; updates != NULL && i < updates->count; i++)
	{
		const Field *update = FieldMember(updates->fields[i], "Update");

		if (update != NULL && FieldIs(update, "IndexName", index_name))
			return update;
	}
	return NULL;
}

/* ---- streams and the rest ---- */

void
CheckStreamView(const Field *stream, const char *missing, const char *unwanted)
{
	bool		given;

	if (stream == NULL)
		return;
	given = FieldMember(stream, "StreamViewType") != NULL;
	if (given != FieldBool(stream, "StreamEnabled", false))
		InvalidParameter("%s", given ? unwanted : missing);
}

void
RefuseMember(const Field *input, const char *member)
{
	if (FieldMember(input, member) != NULL)
		InvalidRequest("%s is not supported", member);
}

void
CheckTableClass(const Field *input)
{
	if (FieldMember(input, "TableClass") != NULL &&
		!FieldIs(input, "TableClass", "STANDARD") &&
		!FieldIs(input, "TableClass", "STANDARD_INFREQUENT_ACCESS"))
		InvalidRequest("Invalid table-class parameter provided. Please try again with a valid "
					   "table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].");
}

/* ---- encryption ---- */

/* A type or a key enables encryption unless Enabled is false. */
static bool
AsksForEncryption(const Field *specification)
{
	return FieldBool(specification, "Enabled",
					 FieldMember(specification, "SSEType") != NULL ||
					 FieldMember(specification, "KMSMasterKeyId") != NULL);
}

void
CheckEncryption(const Field *specification)
{
	if (specification == NULL)
		return;
	if (!AsksForEncryption(specification))
	{
		if (FieldMember(specification, "SSEType") != NULL)
			InvalidParameter("SSEType can not be specified if Enabled is false");
		if (FieldMember(specification, "KMSMasterKeyId") != NULL)
			InvalidParameter("KMSMasterKeyId can not be specified if Enabled is false");
	}
	else if (FieldIs(specification, "SSEType", "AES256"))
		InvalidParameter("SSEType AES256 is not supported");
	else if (FieldMember(specification, "KMSMasterKeyId") != NULL &&
			 FieldMember(specification, "SSEType") == NULL)
		InvalidParameter("SSEType KMS is required if KMSMasterKeyId is specified");
}

/* Whether a key is the one that the table has. */
static bool
IsSameKey(const TableSettings *settings, const Field *specification)
{
	return settings->sse_type != NULL && settings->sse_key != NULL &&
		FieldMember(specification, "KMSMasterKeyId") != NULL &&
		strcmp(KeyArn(settings->sse_key),
			   KeyArn(FieldName(specification, "KMSMasterKeyId"))) == 0;
}

void
ChangeEncryption(TableSettings *settings, const Field *specification)
{
	if (specification == NULL)
		return;
	if (!AsksForEncryption(specification) && settings->sse_type == NULL)
		InvalidParameter("Table is already encrypted by default");
	if (IsSameKey(settings, specification))
		InvalidParameter("Table is already encrypted with given KMSMasterKeyId. "
						 "Use KMSMasterKeyId parameter if you want to change Master Key");
	SetEncryption(settings, specification);
}

void
SetEncryption(TableSettings *settings, const Field *specification)
{
	if (specification == NULL)
		return;
	settings->sse_type = NULL;
	settings->sse_key = NULL;
	if (!AsksForEncryption(specification))
		return;
	settings->sse_type = pstrdup("KMS");
	if (FieldMember(specification, "KMSMasterKeyId") != NULL)
		settings->sse_key = FieldName(specification, "KMSMasterKeyId");
}
