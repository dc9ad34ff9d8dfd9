/*
 * definition.c
 *	  Converts a table's definition to and from text.
 *
 * The text is the argument of the derive_keys trigger (see table.h).  It is
 * read through jsonb, so that PostgreSQL checks its syntax, and every member
 * is checked, because any user can create a trigger with any argument.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "entity/entity.h"
#include "errors.h"
#include "item/convert.h"
#include "table/definition.h"

#define DEFINITION_VERSION	1

void
DefinitionError(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("invalid definition of a dynamo table"),
			 errdetail("%s", detail)));
}

/* ---- members of JSON objects ---- */

/* Raises an error if there are other members. */
static void
CheckMembers(JsonbContainer *object, const char *const *names, int n)
{
	uint32		known = 0;
	JsonbValue	value;

	for (int i = 0; i < n; i++)
		known += getKeyJsonValueFromContainer(object, names[i], strlen(names[i]), &value) != NULL;
	if (known != JsonContainerSize(object))
		DefinitionError("The definition has a member that is unknown to this version of the extension.");
}

/* Returns false if the member is absent or null. */
static bool
FindMember(JsonbContainer *object, const char *name, JsonbValue *value)
{
	return getKeyJsonValueFromContainer(object, name, strlen(name), value) != NULL &&
		value->type != jbvNull;
}

static Slice
StringOf(const JsonbValue *value)
{
	Slice		s;

	if (value->type != jbvString)
		DefinitionError("A name is not a string.");
	s.data = pnstrdup(value->val.string.val, value->val.string.len);
	s.len = value->val.string.len;
	return s;
}

static Slice
StringMember(JsonbContainer *object, const char *name)
{
	JsonbValue	value;

	if (!FindMember(object, name, &value))
		DefinitionError(psprintf("Member \"%s\" is missing.", name));
	return StringOf(&value);
}

static Slice
OptionalStringMember(JsonbContainer *object, const char *name)
{
	JsonbValue	value;

	if (!FindMember(object, name, &value))
		return (Slice) {NULL, 0};
	return StringOf(&value);
}

/* Returns an integer.  It must be printed as one, because views cast it. */
static int
IntegerMember(JsonbContainer *object, const char *name)
{
	JsonbValue	value;
	Datum		number;
	int			integer;

	if (!FindMember(object, name, &value) || value.type != jbvNumeric)
		DefinitionError(psprintf("Member \"%s\" is not a number.", name));
	number = NumericGetDatum(value.val.numeric);
	integer = DatumGetInt32(DirectFunctionCall1(numeric_int4, number));
	if (strcmp(DatumGetCString(DirectFunctionCall1(numeric_out, number)), psprintf("%d", integer)) != 0)
		DefinitionError(psprintf("Member \"%s\" is not an integer.", name));
	return integer;
}

static bool
BooleanMember(JsonbContainer *object, const char *name)
{
	JsonbValue	value;

	if (!FindMember(object, name, &value) || value.type != jbvBool)
		DefinitionError(psprintf("Member \"%s\" is not a boolean.", name));
	return value.val.boolean;
}

/* An absent member is false. */
static bool
OptionalBooleanMember(JsonbContainer *object, const char *name)
{
	JsonbValue	value;

	return FindMember(object, name, &value) && BooleanMember(object, name);
}

static JsonbContainer *
ArrayMember(JsonbContainer *object, const char *name, uint32 max)
{
	JsonbValue	value;

	if (!FindMember(object, name, &value) || value.type != jbvBinary ||
		!JsonContainerIsArray(value.val.binary.data) ||
		JsonContainerIsScalar(value.val.binary.data))
		DefinitionError(psprintf("Member \"%s\" is not an array.", name));
	if (JsonContainerSize(value.val.binary.data) > max)
		DefinitionError(psprintf("Member \"%s\" has too many elements.", name));
	return value.val.binary.data;
}

static JsonbContainer *
ObjectElement(JsonbContainer *array, int i)
{
	JsonbValue *value = getIthJsonbValueFromContainer(array, i);

	if (value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		DefinitionError("An attribute or index is not an object.");
	return value->val.binary.data;
}

/* ---- enumerations ---- */

static const char *const projected_names[] = {"ALL", "KEYS_ONLY", "INCLUDE"};
static const char *const status_names[] = {"CREATING", "ACTIVE", "DELETING"};

static int
EnumMember(JsonbContainer *object, const char *name,
		   const char *const *names, int n)
{
	Slice		s = StringMember(object, name);

	for (int i = 0; i < n; i++)
	{
		if (strcmp(s.data, names[i]) == 0)
			return i;
	}
	DefinitionError(psprintf("Member \"%s\" has the unknown value \"%s\".", name, s.data));
}

/* ---- parsing ---- */

int
TableDefAttribute(const TableDef *def, Slice name)
{
	for (int i = 0; i < def->nattributes; i++)
	{
		if (SliceCompare(def->attributes[i].name, name) == 0)
			return i;
	}
	return -1;
}

/* Returns the type of a key attribute. */
static ValueType
KeyTypeMember(JsonbContainer *object)
{
	Slice		type = StringMember(object, "type");
	int			t = ValueTypeFromName(type.data, type.len);

	if (t < 0 || !ValueTypeIsKey((ValueType) t))
		DefinitionError("The type of an attribute is not S, N or B.");
	return (ValueType) t;
}

static void
ParseAttributes(TableDef *def, JsonbContainer *array)
{
	static const char *const members[] = {"name", "type", "column"};

	def->nattributes = JsonContainerSize(array);
	def->attributes = palloc0(sizeof(AttributeDef) * Max(def->nattributes, 1));
	for (int i = 0; i < def->nattributes; i++)
	{
		AttributeDef *attr = &def->attributes[i];
		JsonbContainer *object = ObjectElement(array, i);

		CheckMembers(object, members, lengthof(members));
		attr->name = StringMember(object, "name");
		attr->type = KeyTypeMember(object);
		attr->column = StringMember(object, "column").data;
		attr->attnum = InvalidAttrNumber;
	}
}

/* Appends the attributes named in an array to a key schema. */
static int
ParseKeyPart(const TableDef *def, JsonbContainer *object, const char *member,
			 KeySchema *key, int *attributes, int nbefore, int max)
{
	JsonbContainer *array = ArrayMember(object, member, max);
	int			n = JsonContainerSize(array);

	for (int i = 0; i < n; i++)
	{
		Slice		name = StringOf(getIthJsonbValueFromContainer(array, i));
		int			a = TableDefAttribute(def, name);

		if (a < 0)
			DefinitionError(psprintf("Key attribute \"%s\" is not defined.", name.data));
		for (int j = 0; j < nbefore + i; j++)
		{
			if (attributes[j] == a)
				DefinitionError("A key contains an attribute twice.");
		}
		attributes[nbefore + i] = a;
		key->attributes[nbefore + i].name = def->attributes[a].name;
		key->attributes[nbefore + i].type = def->attributes[a].type;
	}
	return n;
}

/* The key of a vector index can be empty. */
static void
ParseKey(const TableDef *def, JsonbContainer *object, KeySchema *key,
		 int *attributes, int max)
{
	key->npartition = ParseKeyPart(def, object, "partition", key, attributes, 0, max);
	key->nsort = ParseKeyPart(def, object, "sort", key, attributes,
							  key->npartition, max);
}

static void
ParseNonKey(IndexDef *index, JsonbContainer *array)
{
	index->nnon_key = JsonContainerSize(array);
	index->non_key = palloc(sizeof(Slice) * Max(index->nnon_key, 1));
	for (int i = 0; i < index->nnon_key; i++)
		index->non_key[i] = StringOf(getIthJsonbValueFromContainer(array, i));
}

void
IndexDefComplete(const TableDef *def, IndexDef *index)
{
	int			nkey = KeyCount(&index->key);
	int			ntable = KeyCount(&def->key);

	index->nentry = nkey;
	memcpy(index->entry, index->attributes, sizeof(int) * nkey);
	for (int i = 0; i < ntable; i++)
	{
		bool		found = false;

		for (int j = 0; j < nkey; j++)
			found |= index->attributes[j] == def->key_attributes[i];
		if (!found)
			index->entry[index->nentry++] = def->key_attributes[i];
	}
}

static void
ParseFilters(VectorDef *vector, JsonbContainer *array)
{
	static const char *const members[] = {"name", "type"};

	vector->nfilters = JsonContainerSize(array);
	vector->filters = palloc(sizeof(VectorFilter) * Max(vector->nfilters, 1));
	for (int i = 0; i < vector->nfilters; i++)
	{
		JsonbContainer *object = ObjectElement(array, i);

		CheckMembers(object, members, lengthof(members));
		vector->filters[i].name = StringMember(object, "name");
		vector->filters[i].type = KeyTypeMember(object);
	}
}

/* Returns what makes an index a vector index; NULL for other indexes. */
static const VectorDef *
ParseVector(JsonbContainer *index)
{
	static const char *const members[] = {"attribute", "dimensions", "distance", "filters", "method"};
	static const char *const methods[] = {"exact", "hnsw"};
	JsonbValue	value;
	VectorDef  *vector;
	int			distance;

	if (!FindMember(index, "vector", &value))
		return NULL;
	if (value.type != jbvBinary || !JsonContainerIsObject(value.val.binary.data))
		DefinitionError("Member \"vector\" is not an object.");
	CheckMembers(value.val.binary.data, members, lengthof(members));
	vector = palloc0(sizeof(VectorDef));
	vector->attribute = StringMember(value.val.binary.data, "attribute");
	vector->dimensions = IntegerMember(value.val.binary.data, "dimensions");
	distance = VectorDistanceFromName(StringMember(value.val.binary.data, "distance").data);
	if (distance < 0)
		DefinitionError("The distance of a vector index is unknown.");
	vector->distance = (VectorDistance) distance;
	ParseFilters(vector, ArrayMember(value.val.binary.data, "filters", VECTOR_MAX_FILTERS));
	vector->hnsw = EnumMember(value.val.binary.data, "method", methods, lengthof(methods)) == 1;
	return vector;
}

/* Returns the kind that has the index's storage and parameters. */
static const IndexKind *
ParseKind(JsonbContainer *object, const IndexDef *index)
{
	const char *storage = StringMember(object, "storage").data;
	const IndexKind *kind = IndexKindFind(storage, index->shards, index->vector);

	if (kind == NULL)
		DefinitionError(psprintf("Member \"storage\" has the unknown value \"%s\".", storage));
	return kind;
}

static void
ParseIndex(const TableDef *def, JsonbContainer *object, IndexDef *index)
{
	static const char *const members[] = {
		"name", "local", "partition", "sort", "projection", "non_key_attributes", "storage",
		"shards", "shard_by", "relation", "status", "replaces", "vector"
	};

	CheckMembers(object, members, lengthof(members));
	index->name = StringMember(object, "name").data;
	index->local = BooleanMember(object, "local");
	ParseKey(def, object, &index->key, index->attributes, KEY_MAX_ATTRIBUTES / 2);
	index->projected = (Projected) EnumMember(object, "projection", projected_names,
											  lengthof(projected_names));
	ParseNonKey(index, ArrayMember(object, "non_key_attributes", MAX_NON_KEY_PER_INDEX));
	index->shards = IntegerMember(object, "shards");
	index->shard_by = OptionalStringMember(object, "shard_by");
	index->relation = StringMember(object, "relation").data;
	index->status = (IndexStatus) EnumMember(object, "status", status_names,
											 lengthof(status_names));
	index->replaces = OptionalStringMember(object, "replaces").data;
	index->vector = ParseVector(object);
	index->kind = ParseKind(object, index);
	IndexDefComplete(def, index);
}

static void
ParseIndexes(TableDef *def, JsonbContainer *array)
{
	def->nindexes = JsonContainerSize(array);
	def->indexes = palloc0(sizeof(IndexDef) * Max(def->nindexes, 1));
	for (int i = 0; i < def->nindexes; i++)
	{
		ParseIndex(def, ObjectElement(array, i), &def->indexes[i]);
		def->has_local |= def->indexes[i].local;
		def->checks_items |= def->indexes[i].kind->check_item != NULL;
	}
}

/* Reads entities as a value, which their constants and defaults are. */
static void
ParseEntities(TableDef *def, JsonbContainer *root)
{
	JsonbValue	value;
	Jsonb	   *list;
	ItemBuilder *b;
	const char *problem;

	if (!FindMember(root, "entities", &value))
		return;
	list = JsonbValueToJsonb(&value);
	b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);
	ItemBuilderJsonb(b, list);
	def->entities = EntitySetRead(ItemRoot(ItemBuilderFinish(b)), &def->key, &problem);
	if (def->entities == NULL)
		DefinitionError(problem);
	def->entities_text = JsonbToCString(NULL, &list->root, VARSIZE(list));
}

/* Marks attributes that are part of a key. */
static void
MarkKeys(TableDef *def)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
		def->attributes[def->key_attributes[i]].is_key = true;
	for (int i = 0; i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];

		for (int j = 0; j < KeyCount(&index->key); j++)
			def->attributes[index->attributes[j]].is_key = true;
	}
}

static void
ParseTable(TableDef *def, JsonbContainer *root)
{
	static const char *const members[] = {
		"version", "id", "table", "time_to_live", "restoring", "attributes", "partition", "sort", "indexes", "entities"
	};
	int			attributes[KEY_MAX_ATTRIBUTES];

	if (IntegerMember(root, "version") != DEFINITION_VERSION)
		DefinitionError("The version of the definition is unknown to this version of the extension.");
	CheckMembers(root, members, lengthof(members));
	ParseAttributes(def, ArrayMember(root, "attributes", DEFINITION_MAX_ATTRIBUTES));
	ParseKey(def, root, &def->key, attributes, 1);
	if (def->key.npartition == 0)
		DefinitionError("A key has no partition attribute.");
	def->key_attributes[0] = attributes[0];
	if (def->key.nsort > 0)
		def->key_attributes[1] = attributes[1];
	def->id = OptionalStringMember(root, "id").data;
	def->long_name = OptionalStringMember(root, "table").data;
	def->ttl = OptionalStringMember(root, "time_to_live");
	def->restoring = OptionalBooleanMember(root, "restoring");
	ParseIndexes(def, ArrayMember(root, "indexes", DEFINITION_MAX_INDEXES));
	ParseEntities(def, root);
	MarkKeys(def);
	DefinitionCheck(def);
}

static Jsonb *
ReadJson(const char *definition)
{
	Jsonb	   *jsonb;

	if (strlen(definition) > DEFINITION_MAX_BYTES)
		DefinitionError("The definition is too long.");
	jsonb = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(definition)));
	if (!JB_ROOT_IS_OBJECT(jsonb))
		DefinitionError("The definition is not a JSON object.");
	return jsonb;
}

static TableDef *
ParseJson(Jsonb *jsonb)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dynamo table definition",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	TableDef   *def = palloc0(sizeof(TableDef));

	def->context = context;
	ParseTable(def, &jsonb->root);
	MemoryContextSwitchTo(old);
	return def;
}

TableDef *
TableDefParse(const char *definition)
{
	return ParseJson(ReadJson(definition));
}

/* ---- texts that may not be definitions ---- */

/*
 * Whether an error means that a text is not a definition, rather than a
 * failure of the server.
 */
static bool
IsDefinitionError(int sqlstate)
{
	int			category = ERRCODE_TO_CATEGORY(sqlstate);

	return sqlstate == ERRCODE_DATA_CORRUPTED || sqlstate == ERRCODE_DYNAMO_VALIDATION ||
		category == ERRCODE_TO_CATEGORY(ERRCODE_DATA_EXCEPTION) ||
		category == ERRCODE_TO_CATEGORY(ERRCODE_PROGRAM_LIMIT_EXCEEDED);
}

/*
 * A definition is text that any user can write into a trigger's arguments, and
 * jsonb_in reports an invalid one by an error only, which is caught here.  No
 * subtransaction is needed, because reading changes nothing.
 */
void *
DefinitionTry(void *(*read) (const char *text, void *arg), const char *text, void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	void	   *volatile result = NULL;

	PG_TRY();
	{
		result = read(text, arg);
	}
	PG_CATCH();
	{
		if (!IsDefinitionError(geterrcode()))
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
	return result;
}

static void *
ParseText(const char *text, void *arg)
{
	return TableDefParse(text);
}

TableDef *
TableDefTryParse(const char *definition)
{
	return DefinitionTry(ParseText, definition, NULL);
}

bool
TableDefToJsonb(const char *definition, Datum *json)
{
	TableDef   *def = TableDefTryParse(definition);

	if (def == NULL)
		return false;
	MemoryContextDelete(def->context);
	*json = JsonbPGetDatum(ReadJson(definition));
	return true;
}

/* ---- printing ---- */

static void
AppendString(StringInfo out, const char *text)
{
	escape_json(out, text);
}

static void
AppendStringMember(StringInfo out, const char *name, const char *value)
{
	appendStringInfo(out, "\"%s\": ", name);
	AppendString(out, value);
}

static void
AppendKey(StringInfo out, const KeySchema *key)
{
	appendStringInfoString(out, "\"partition\": [");
	for (int i = 0; i < KeyCount(key); i++)
	{
		if (i == key->npartition)
			appendStringInfoString(out, "], \"sort\": [");
		else if (i > 0)
			appendStringInfoString(out, ", ");
		AppendString(out, key->attributes[i].name.data);
	}
	appendStringInfoString(out, key->nsort > 0 ? "]" : "], \"sort\": []");
}

static void
AppendVector(StringInfo out, const VectorDef *vector)
{
	appendStringInfoString(out, ", \"vector\": {");
	AppendStringMember(out, "attribute", vector->attribute.data);
	appendStringInfo(out, ", \"dimensions\": %d, \"distance\": \"%s\", \"filters\": [",
					 vector->dimensions, VectorDistanceName(vector->distance));
	for (int i = 0; i < vector->nfilters; i++)
	{
		appendStringInfo(out, "%s{", i > 0 ? ", " : "");
		AppendStringMember(out, "name", vector->filters[i].name.data);
		appendStringInfo(out, ", \"type\": \"%s\"}", ValueTypeName(vector->filters[i].type));
	}
	appendStringInfo(out, "], \"method\": \"%s\"}", vector->hnsw ? "hnsw" : "exact");
}

static void
AppendIndex(StringInfo out, const IndexDef *index)
{
	appendStringInfoChar(out, '{');
	AppendStringMember(out, "name", index->name);
	appendStringInfo(out, ", \"local\": %s, ", index->local ? "true" : "false");
	AppendKey(out, &index->key);
	appendStringInfo(out, ", \"projection\": \"%s\", \"non_key_attributes\": [",
					 projected_names[index->projected]);
	for (int i = 0; i < index->nnon_key; i++)
	{
		if (i > 0)
			appendStringInfoString(out, ", ");
		AppendString(out, index->non_key[i].data);
	}
	appendStringInfo(out, "], \"storage\": \"%s\", \"shards\": %d, \"shard_by\": ",
					 index->kind->storage, index->shards);
	if (index->shard_by.data != NULL)
		AppendString(out, index->shard_by.data);
	else
		appendStringInfoString(out, "null");
	appendStringInfoString(out, ", ");
	AppendStringMember(out, "relation", index->relation);
	appendStringInfo(out, ", \"status\": \"%s\"", status_names[index->status]);
	if (index->replaces != NULL)
	{
		appendStringInfoString(out, ", ");
		AppendStringMember(out, "replaces", index->replaces);
	}
	if (index->vector != NULL)
		AppendVector(out, index->vector);
	appendStringInfoChar(out, '}');
}

char *
TableDefPrint(const TableDef *def)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfo(&out, "{\"version\": %d, ", DEFINITION_VERSION);
	if (def->id != NULL)
	{
		AppendStringMember(&out, "id", def->id);
		appendStringInfoString(&out, ", ");
	}
	if (def->long_name != NULL)
	{
		AppendStringMember(&out, "table", def->long_name);
		appendStringInfoString(&out, ", ");
	}
	if (def->ttl.data != NULL)
	{
		AppendStringMember(&out, "time_to_live", def->ttl.data);
		appendStringInfoString(&out, ", ");
	}
	if (def->restoring)
		appendStringInfoString(&out, "\"restoring\": true, ");
	appendStringInfoString(&out, "\"attributes\": [");
	for (int i = 0; i < def->nattributes; i++)
	{
		const AttributeDef *attr = &def->attributes[i];

		appendStringInfoString(&out, i > 0 ? ", {" : "{");
		AppendStringMember(&out, "name", attr->name.data);
		appendStringInfo(&out, ", \"type\": \"%s\", ", ValueTypeName(attr->type));
		AppendStringMember(&out, "column", attr->column);
		appendStringInfoChar(&out, '}');
	}
	appendStringInfoString(&out, "], ");
	AppendKey(&out, &def->key);
	appendStringInfoString(&out, ", \"indexes\": [");
	for (int i = 0; i < def->nindexes; i++)
	{
		if (i > 0)
			appendStringInfoString(&out, ", ");
		AppendIndex(&out, &def->indexes[i]);
	}
	appendStringInfoChar(&out, ']');
	if (def->entities_text != NULL)
		appendStringInfo(&out, ", \"entities\": %s", def->entities_text);
	appendStringInfoChar(&out, '}');
	return out.data;
}
