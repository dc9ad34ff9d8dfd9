/*
 * arguments.c
 *	  Converts arguments of SQL functions to the structures of ddl.h; the
 *	  functions create_table and drop_table.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "ddl/ddl.h"
#include "errors.h"
#include "table/table_name.h"

/* ---- parts of keys ---- */

static Slice
SliceOfString(const char *s)
{
	return (Slice) {s, strlen(s)};
}

ValueType
KeyTypeOfName(const char *name)
{
	int			type = ValueTypeFromName(name, strlen(name));

	if (type < 0 || !ValueTypeIsKey((ValueType) type))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("1 validation error detected: Value '%s' at 'attributeType' failed to satisfy constraint: Member must satisfy enum value set: [B, N, S]",
						name),
				 errhint("A key is a string (S), a number (N) or binary (B). Times are strings, such as 2026-01-31T12:00:00Z, which sort as the times do.")));
	return (ValueType) type;
}

int
AppendKeyPart(CreateIndexSpec *spec, char **names, int n, char **types, int ntypes)
{
	int			before = KeyCount(&spec->key);

	if (before + n > KEY_MAX_ATTRIBUTES)
		InvalidParameter("The KeySchema exceeds the maximum allowed number of %s key attributes",
						 before > 0 ? "RANGE" : "HASH");
	if (ntypes != 0 && ntypes != n)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there must be one type for each key attribute"),
				 errdetail("There are %d attributes and %d types.", n, ntypes)));
	for (int i = 0; i < n; i++)
	{
		spec->key.attributes[before + i].name = SliceOfString(names[i]);
		spec->key.attributes[before + i].type = ntypes > 0 ? KeyTypeOfName(types[i]) : VALUE_S;
		spec->untyped[before + i] = ntypes == 0;
	}
	return n;
}

/* ---- arguments ---- */

char *
RequiredText(FunctionCallInfo fcinfo, int arg, const char *name)
{
	if (PG_ARGISNULL(arg))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
	return text_to_cstring(PG_GETARG_TEXT_PP(arg));
}

char *
TextArgument(FunctionCallInfo fcinfo, int arg)
{
	return PG_ARGISNULL(arg) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(arg));
}

Jsonb *
JsonObjectArgument(FunctionCallInfo fcinfo, int n, const char *name)
{
	Datum		json;
	Jsonb	   *object;

	if (PG_ARGISNULL(n))
		return NULL;
	json = PG_GETARG_DATUM(n);
	/* of dynamo_internal.json_text */
	if (get_fn_expr_argtype(fcinfo->flinfo, n) != JSONBOID)
		json = DirectFunctionCall1(jsonb_in, CStringGetDatum(TextDatumGetCString(json)));
	object = DatumGetJsonbP(json);
	if (!JB_ROOT_IS_OBJECT(object))
		InvalidArgument("%s must be an object", name);
	return object;
}

char **
TextArrayArgument(FunctionCallInfo fcinfo, int arg, int *n)
{
	Datum	   *elements;
	bool	   *nulls;
	char	  **strings;

	*n = 0;
	if (PG_ARGISNULL(arg))
		return NULL;
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(arg), TEXTOID, -1, false, TYPALIGN_INT,
					  &elements, &nulls, n);
	strings = palloc(sizeof(char *) * Max(*n, 1));
	for (int i = 0; i < *n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("array must not contain nulls")));
		strings[i] = TextDatumGetCString(elements[i]);
	}
	return strings;
}

/* ---- index definitions as JSON ---- */

static const char *const index_members[] = {
	"index_name", "partition_key", "sort_key", "partition_key_type",
	"sort_key_type", "projection", "non_key_attributes", "local", "storage",
	"shards", "shard_by"
};

static void IndexJsonError(const char *detail) pg_attribute_noreturn();

static void
IndexJsonError(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid index definition"),
			 errdetail("%s", detail),
			 errhint("Describe an index by an object with the parameters of dynamo.create_index, such as {\"index_name\": \"GSI1\", \"partition_key\": \"GSI1PK\", \"sort_key\": \"GSI1SK\"}.")));
}

static void
CheckArgumentMembers(JsonbContainer *object)
{
	JsonbIterator *it = JsonbIteratorInit(object);
	JsonbValue	v;
	JsonbIteratorToken token;

	while ((token = JsonbIteratorNext(&it, &v, true)) != WJB_DONE)
	{
		bool		known = false;

		if (token != WJB_KEY)
			continue;
		for (size_t i = 0; i < lengthof(index_members); i++)
			known |= v.val.string.len == (int) strlen(index_members[i]) &&
				memcmp(v.val.string.val, index_members[i], v.val.string.len) == 0;
		if (!known)
			IndexJsonError(psprintf("Member \"%.*s\" is unknown.",
									v.val.string.len, v.val.string.val));
	}
}

static bool
FindArgumentMember(JsonbContainer *object, const char *name, JsonbValue *v)
{
	return getKeyJsonValueFromContainer(object, name, strlen(name), v) != NULL &&
		v->type != jbvNull;
}

static char *
StringOfArgument(const JsonbValue *v, const char *name)
{
	if (v->type != jbvString)
		IndexJsonError(psprintf("Member \"%s\" must be a string.", name));
	return pnstrdup(v->val.string.val, v->val.string.len);
}

static char *
StringArgumentMember(JsonbContainer *object, const char *name)
{
	JsonbValue	v;

	return FindArgumentMember(object, name, &v) ? StringOfArgument(&v, name) : NULL;
}

/* Returns a string, or an array of strings, as an array. */
static char **
StringsArgumentMember(JsonbContainer *object, const char *name, int *n)
{
	JsonbValue	v;
	char	  **strings;

	*n = 0;
	if (!FindArgumentMember(object, name, &v))
		return NULL;
	if (v.type != jbvBinary || !JsonContainerIsArray(v.val.binary.data))
	{
		*n = 1;
		strings = palloc(sizeof(char *));
		strings[0] = StringOfArgument(&v, name);
		return strings;
	}
	*n = JsonContainerSize(v.val.binary.data);
	strings = palloc(sizeof(char *) * Max(*n, 1));
	for (int i = 0; i < *n; i++)
		strings[i] = StringOfArgument(getIthJsonbValueFromContainer(v.val.binary.data, i), name);
	return strings;
}

static bool
BooleanArgumentMember(JsonbContainer *object, const char *name)
{
	JsonbValue	v;

	if (!FindArgumentMember(object, name, &v))
		return false;
	if (v.type != jbvBool)
		IndexJsonError(psprintf("Member \"%s\" must be a boolean.", name));
	return v.val.boolean;
}

static int
IntegerArgumentMember(JsonbContainer *object, const char *name, int missing)
{
	JsonbValue	v;

	if (!FindArgumentMember(object, name, &v))
		return missing;
	if (v.type != jbvNumeric)
		IndexJsonError(psprintf("Member \"%s\" must be a number.", name));
	return DatumGetInt32(DirectFunctionCall1(numeric_int4, NumericGetDatum(v.val.numeric)));
}

/* ---- index options, from arguments or JSON ---- */

void
SetProjection(CreateIndexSpec *spec, const char *projection, char **non_key, int n)
{
	if (projection == NULL || strcmp(projection, "ALL") == 0)
		spec->projected = PROJECTED_ALL;
	else if (strcmp(projection, "KEYS_ONLY") == 0)
		spec->projected = PROJECTED_KEYS_ONLY;
	else if (strcmp(projection, "INCLUDE") == 0)
		spec->projected = PROJECTED_INCLUDE;
	else
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("1 validation error detected: Value '%s' at 'projection.projectionType' failed to satisfy constraint: Member must satisfy enum value set: [ALL, INCLUDE, KEYS_ONLY]",
						projection),
				 errhint("The parameter \"projection\" is ALL, KEYS_ONLY or INCLUDE.")));
	spec->nnon_key = n;
	spec->non_key = palloc(sizeof(Slice) * Max(n, 1));
	for (int i = 0; i < n; i++)
		spec->non_key[i] = SliceOfString(non_key[i]);
}

void
SetStorage(CreateIndexSpec *spec, const char *storage, int shards, const char *shard_by)
{
	if (shards == SHARDS_NOT_GIVEN)
		shards = 0;
	else if (shards <= 0 || shards > MAX_SHARDS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of shards must be between 1 and %d", MAX_SHARDS)));
	if (storage == NULL)
		storage = shards > 0 ? "table" : "inline";
	spec->kind = IndexKindFind(storage, shards, NULL);
	if (spec->kind == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("storage of an index must be \"inline\" or \"table\"")));
	spec->shards = shards;
	spec->shard_by = shard_by == NULL ? (Slice) {NULL, 0} : SliceOfString(shard_by);
}

static void
IndexFromJson(JsonbContainer *object, CreateIndexSpec *spec)
{
	char	  **names;
	char	  **types;
	int			n;
	int			ntypes;

	CheckArgumentMembers(object);
	spec->name = StringArgumentMember(object, "index_name");
	if (spec->name == NULL)
		IndexJsonError("Member \"index_name\" is missing.");
	spec->local = BooleanArgumentMember(object, "local");
	names = StringsArgumentMember(object, "partition_key", &n);
	types = StringsArgumentMember(object, "partition_key_type", &ntypes);
	spec->key.npartition = AppendKeyPart(spec, names, n, types, ntypes);
	names = StringsArgumentMember(object, "sort_key", &n);
	types = StringsArgumentMember(object, "sort_key_type", &ntypes);
	spec->key.nsort = AppendKeyPart(spec, names, n, types, ntypes);
	names = StringsArgumentMember(object, "non_key_attributes", &n);
	SetProjection(spec, StringArgumentMember(object, "projection"), names, n);
	SetStorage(spec, StringArgumentMember(object, "storage"), IntegerArgumentMember(object, "shards", SHARDS_NOT_GIVEN),
			   StringArgumentMember(object, "shard_by"));
}

/* Takes types of key attributes from another index that gives them. */
static void
TakeTypes(CreateIndexSpec *spec, const CreateIndexSpec *from)
{
	for (int i = 0; i < KeyCount(&spec->key); i++)
	{
		for (int j = 0; spec->untyped[i] && j < KeyCount(&from->key); j++)
		{
			if (from->untyped[j] ||
				SliceCompare(spec->key.attributes[i].name, from->key.attributes[j].name) != 0)
				continue;
			spec->key.attributes[i].type = from->key.attributes[j].type;
			spec->untyped[i] = false;
		}
	}
}

static CreateIndexSpec *
IndexesFromJson(Jsonb *indexes, int *n)
{
	CreateIndexSpec *specs;

	if (!JB_ROOT_IS_ARRAY(indexes) || JB_ROOT_IS_SCALAR(indexes))
		IndexJsonError("Indexes must be an array of objects.");
	*n = JB_ROOT_COUNT(indexes);
	specs = palloc0(sizeof(CreateIndexSpec) * Max(*n, 1));
	for (int i = 0; i < *n; i++)
	{
		JsonbValue *v = getIthJsonbValueFromContainer(&indexes->root, i);

		if (v->type != jbvBinary || !JsonContainerIsObject(v->val.binary.data))
			IndexJsonError("Indexes must be an array of objects.");
		IndexFromJson(v->val.binary.data, &specs[i]);
	}
	for (int i = 0; i < *n; i++)
	{
		for (int j = 0; j < *n; j++)
			TakeTypes(&specs[i], &specs[j]);
	}
	return specs;
}

/* ---- tables ---- */

static void
SetKeyAttribute(FunctionCallInfo fcinfo, int name_arg, int type_arg, KeyAttribute *attr)
{
	attr->name = SliceOfString(text_to_cstring(PG_GETARG_TEXT_PP(name_arg)));
	attr->type = PG_ARGISNULL(type_arg) ? VALUE_S :
		KeyTypeOfName(text_to_cstring(PG_GETARG_TEXT_PP(type_arg)));
}

static int
PartitionsArgument(int partitions)
{
	if (partitions < 1 || partitions > MAX_SHARDS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("partitions must be between 1 and %d", MAX_SHARDS)));
	return partitions;
}

DYNAMO_FUNCTION(dynamo_create_table);

Datum
dynamo_create_table(PG_FUNCTION_ARGS)
{
	CreateTableSpec spec = {0};

	spec.name = RequiredText(fcinfo, 0, "table_name");
	RequiredText(fcinfo, 1, "partition_key");
	SetKeyAttribute(fcinfo, 1, 3, &spec.key.attributes[0]);
	spec.key.npartition = 1;
	spec.key.nsort = PG_ARGISNULL(2) ? 0 : 1;
	if (spec.key.nsort > 0)
		SetKeyAttribute(fcinfo, 2, 4, &spec.key.attributes[1]);
	if (!PG_ARGISNULL(5))
		spec.indexes = IndexesFromJson(PG_GETARG_JSONB_P(5), &spec.nindexes);
	spec.fillfactor = PG_ARGISNULL(6) ? DEFAULT_FILLFACTOR : PG_GETARG_INT32(6);
	spec.partitions = PG_ARGISNULL(7) ? 0 : PartitionsArgument(PG_GETARG_INT32(7));
	PG_RETURN_OID(TableCreate(&spec));
}

DYNAMO_FUNCTION(dynamo_drop_table);

Datum
dynamo_drop_table(PG_FUNCTION_ARGS)
{
	TableDrop(TableArgument(fcinfo, 0));
	PG_RETURN_VOID();
}
