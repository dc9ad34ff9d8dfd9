/*
 * request_read.c
 *	  Requests from JSON text to fields, and the JSON types of their members.
 *
 * The text is read once, front to back; the first value of a wrong JSON type
 * is raised.  What is wrong with attribute values is kept with their fields.
 * Members the model does not know are skipped, null is as good as absent, and of
 * members that stand twice the last counts.
 */
#include "postgres.h"

#include <math.h>

#include "common/hashfn.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"

#include "errors.h"
#include "expr/expr.h"
#include "item/json.h"
#include "request/shape.h"
#include "request/wording.h"

/*
 * The maximum number of fields.  Each takes many times the memory of a short value
 * in the text, as {} is: a request of 16 MB would have millions, which take gigabytes.
 */
#define MAX_FIELDS	200000

/* Some lists are compared each element with each other. */
#define MAX_ELEMENTS	10000

typedef struct ReadState
{
	JsonReader	json;
	int			nfields;
	bool		expand;			/* the values of raw shapes get fields */
	ValueWords	words;			/* of problems of their values */
	bool		member;			/* the next value is a member, not an element of a list or map */
} ReadState;

static Field *ReadField(ReadState *state, const Shape *shape);

/* ---- errors ---- */

static void TypeError(const char *message) pg_attribute_noreturn();

static void
TypeError(const char *message)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_SERIALIZATION),
			 errmsg_internal("%s", message)));
}

static const char *
ScalarName(const Shape *shape)
{
	switch (shape->kind)
	{
		case SHAPE_BOOLEAN:
			return "Boolean";
		case SHAPE_INTEGER:
			return "Integer";
		case SHAPE_LONG:
			return "Long";
		default:
			return "String";
	}
}

/*
 * Raises the error for a scalar in place of a structure.  In an attribute
 * value, where SQL users may write plain JSON, the error contains its place.
 */
static void StructureError(const JsonReader *r, const Shape *shape, const char *message) pg_attribute_noreturn();

static void
StructureError(const JsonReader *r, const Shape *shape, const char *message)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_SERIALIZATION),
			 errmsg_internal("%s", message),
			 strcmp(shape->name, "AttributeValue") == 0 ?
			 errhint("The value at byte %u of the request has no type. Values in requests have types, such as {\"S\": \"text\"} or {\"N\": \"5\"}.",
					 JsonPosition(r)) : 0));
}

/* The Java type of a shape, without the word "class". */
static char *
JavaType(const Shape *shape)
{
	switch (shape->kind)
	{
		case SHAPE_LIST:
			return psprintf("java.util.List<%s>", JavaType(shape->element));
		case SHAPE_MAP:
			return psprintf("java.util.Map<java.lang.String, %s>", JavaType(shape->element));
		case SHAPE_STRUCTURE:
			return psprintf("com.amazonaws.dynamodb.v20120810.%s", shape->name);
		default:
			return psprintf("java.lang.%s", ScalarName(shape));
	}
}

/* Raises the error for an array in place of this shape. */
static void
ArrayError(const Shape *shape)
{
	char	   *type = JavaType(shape);

	if (shape->kind != SHAPE_MAP)
		type = psprintf("class %s", type);
	TypeError(psprintf(WORDING_BAD_COLLECTION, type));
}

/* Raises the error for a scalar in place of a scalar of another kind. */
static void
ConversionError(JsonReader *r, const Shape *shape)
{
	const char *found;

	switch (JsonPeek(r))
	{
		case JSON_TRUE:
			found = "TRUE_VALUE";
			break;
		case JSON_FALSE:
			found = "FALSE_VALUE";
			break;
		case JSON_STRING:
			found = "STRING_VALUE";
			break;
		default:
			{
				Slice		number = JsonNumber(r);

				found = "NUMBER_VALUE";
				for (uint32 i = 0; i < number.len; i++)
				{
					if (strchr(".eE", number.data[i]) != NULL)
						found = "DECIMAL_VALUE";
				}
			}
	}
	TypeError(psprintf(WORDING_CANNOT_CONVERT, found, ScalarName(shape)));
}

/*
 * Raises the error for a value of a JSON type that this shape never has.
 * member: the value belongs to a structure.
 */
static void
KindError(JsonReader *r, const Shape *shape, bool member)
{
	JsonKind	kind = JsonPeek(r);

	if (kind == JSON_ARRAY)
		ArrayError(shape);
	if (kind == JSON_OBJECT)
		TypeError(WORDING_UNEXPECTED_MAP);
	switch (shape->kind)
	{
		case SHAPE_LIST:
		case SHAPE_MAP:
			TypeError(WORDING_UNEXPECTED_FIELD);
			break;
		case SHAPE_STRUCTURE:
			StructureError(r, shape, member ? WORDING_UNEXPECTED_FIELD : WORDING_UNEXPECTED_VALUE);
			break;
		default:
			ConversionError(r, shape);
	}
}

/* ---- scalars ---- */

/* Converts a JSON number to an integer; fractions are cut off. */
static int64
IntegerFromNumber(const JsonReader *r, Slice number, const Shape *shape)
{
	char	   *text = pnstrdup(number.data, number.len);
	double		limit = shape->kind == SHAPE_INTEGER ? 2147483648.0 : 9223372036854775808.0;
	double		value;
	char	   *end;

	if (strpbrk(text, ".eE") == NULL)
	{
		int64		integer;

		errno = 0;
		integer = strtoll(text, &end, 10);
		if (errno == 0 && (shape->kind == SHAPE_LONG ||
						   (integer >= PG_INT32_MIN && integer <= PG_INT32_MAX)))
			return integer;
		TypeError(psprintf(WORDING_CANNOT_CONVERT, "NUMBER_VALUE", ScalarName(shape)));
	}
	if (shape->whole)
		TypeError(psprintf(WORDING_NOT_WHOLE, text, JsonPosition(r) - 1));
	value = floor(strtod(text, &end));
	if (!(value >= -limit && value < limit))
		TypeError(psprintf(WORDING_CANNOT_CONVERT, "DECIMAL_VALUE", ScalarName(shape)));
	return (int64) value;
}

static void
ReadScalarField(JsonReader *r, JsonKind kind, const Shape *shape, Field *field)
{
	if (kind == JSON_STRING && shape->kind <= SHAPE_BOOLEAN)
	{
		field->string = JsonString(r);
		if (shape->kind == SHAPE_BOOLEAN && !JsonFlagFromString(field->string, &field->boolean))
			TypeError(WORDING_BAD_BOOLEAN);
	}
	else if ((kind == JSON_TRUE || kind == JSON_FALSE) && shape->kind == SHAPE_BOOLEAN)
		field->boolean = JsonBool(r);
	else if (kind == JSON_NUMBER &&
			 (shape->kind == SHAPE_INTEGER || shape->kind == SHAPE_LONG))
		field->integer = IntegerFromNumber(r, JsonNumber(r), shape);
	else
		KindError(r, shape, false);
}

/* ---- containers ---- */

/* Makes room for one more element and name. */
static void
GrowField(Field *field, bool names)
{
	/* the capacity doubles at every power of two, from 4 */
	if ((field->count & (field->count - 1)) != 0 || (field->count > 0 && field->count < 4))
		return;
	if (field->count == 0)
	{
		field->fields = palloc(4 * sizeof(Field *));
		if (names)
			field->names = palloc(4 * sizeof(Slice));
		return;
	}
	field->fields = repalloc(field->fields, 2 * field->count * sizeof(Field *));
	if (names)
		field->names = repalloc(field->names, 2 * field->count * sizeof(Slice));
}

static void
ReadListField(ReadState *state, const Shape *shape, Field *field)
{
	JsonReader *r = &state->json;

	JsonBeginArray(r);
	while (JsonNextElement(r))
	{
		Field	   *element;

		if (field->count == MAX_ELEMENTS)
			InvalidRequest("A list of the request has more than %d elements", MAX_ELEMENTS);
		state->member = false;
		element = ReadField(state, shape->element);
		GrowField(field, false);
		field->fields[field->count++] = element;
	}
}

/* Adds an entry to a map. */
static void
MapPut(Field *map, Slice name, Field *value)
{
	GrowField(map, true);
	map->names[map->count] = name;
	map->fields[map->count++] = value;
}

/*
 * If a name occurs several times, its last value counts.  The seed keeps clients from
 * choosing names that have neighboring places in the hash table.
 */
static void
DropRepeated(Field *map)
{
	uint64		seed = pg_prng_uint64(&pg_global_prng_state);
	uint32		size = pg_nextpower2_32(2 * map->count);	/* hash table, at most half full */
	int		   *slots = palloc0(size * sizeof(int));	/* positions by hash of the name, from 1 */
	int			n = 0;

	for (int i = 0; i < map->count; i++)
	{
		Slice		name = map->names[i];
		uint32		at = (uint32) hash_bytes_extended((const unsigned char *) name.data, (int) name.len, seed) & (size - 1);

		CHECK_FOR_INTERRUPTS();
		while (slots[at] != 0 && !SliceEqual(map->names[slots[at] - 1], name))
			at = (at + 1) & (size - 1);
		if (slots[at] == 0)
			slots[at] = ++n;
		map->names[slots[at] - 1] = name;
		map->fields[slots[at] - 1] = map->fields[i];
	}
	map->count = n;
	pfree(slots);
}

static void
ReadMapField(ReadState *state, const Shape *shape, Field *field)
{
	JsonReader *r = &state->json;
	Slice		name;

	JsonBeginObject(r);
	while (JsonNextMember(r, &name))
	{
		Field	   *value;

		state->member = false;
		value = ReadField(state, shape->element);
		if (value != NULL)
			MapPut(field, name, value);
	}
	if (field->count > 1)
		DropRepeated(field);
}

/* Returns the position of a member in its structure, or -1. */
static int
MemberIndex(const Shape *shape, Slice name)
{
	for (int i = 0; i < shape->nmembers; i++)
	{
		const char *member = shape->members[i].name;

		/* the first letter excludes most members and is cheaper than a call */
		if (name.len > 0 && member[0] == name.data[0] && SliceIs(name, member))
			return i;
	}
	return -1;
}

static void
ReadStructure(ReadState *state, const Shape *shape, Field *field)
{
	JsonReader *r = &state->json;
	Slice		name;

	field->count = shape->nmembers;
	field->fields = palloc0(Max(shape->nmembers, 1) * sizeof(Field *));
	JsonBeginObject(r);
	while (JsonNextMember(r, &name))
	{
		int			i = MemberIndex(shape, name);

		if (i < 0)
		{
			JsonSkipValue(r);
			continue;
		}
		state->member = true;
		field->fields[i] = ReadField(state, shape->members[i].shape);
	}
}

/* ---- attribute values ---- */

/*
 * Reads a value of ExpressionAttributeValues.  An invalid placeholder is more
 * important than invalid values; of these the first one counts.
 */
static void
ReadPlaceholder(JsonReader *r, ItemBuilder *b, Slice name)
{
	Problem    *problem = b->problem;
	Problem		found = NO_PROBLEM;

	if (!ExprCheckValueKey(name, &found))
		ItemBuilderNote(b, &found);
	found = NO_PROBLEM;
	b->problem = &found;
	ItemBuilderName(b, name.data, name.len);
	ReadValueJson(r, b);
	b->problem = problem;
	if (!ProblemIsNoted(&found) || ProblemIsNoted(problem))
		return;
	if (found.sqlstate == ERRCODE_DYNAMO_VALIDATION && b->words == VALUE_WORDS_OLD)
		found.message = psprintf(WORDING_INVALID_VALUE, found.message, (int) name.len, name.data);
	else if (found.sqlstate != ERRCODE_DYNAMO_VALIDATION)
		found.rank = EXPR_PLACEHOLDER_RANK;
	*problem = found;
}

static void
ReadPlaceholders(JsonReader *r, ItemBuilder *b)
{
	Slice		name;

	JsonBeginObject(r);
	ItemBuilderBeginMap(b);
	while (JsonNextMember(r, &name))
	{
		if (JsonPeek(r) == JSON_NULL)
			JsonSkipValue(r);
		else
			ReadPlaceholder(r, b, name);
	}
	ItemBuilderEnd(b);
}

/*
 * How many containers are around a value of a raw shape.  In operations with the old
 * words, the values of expressions may have one more than attributes.
 */
static int
OuterDepth(const ReadState *state, const Shape *shape)
{
	if (shape->kind != SHAPE_MAP)
		return 1;
	return shape->placeholders && state->words == VALUE_WORDS_OLD ? -1 : 0;
}

/* Completes the item or value of a raw shape, or notes its problem. */
static void
ReadRaw(ReadState *state, const Shape *shape, Field *field)
{
	JsonReader *r = &state->json;
	Problem		problem = NO_PROBLEM;
	ItemBuilder b;

	ItemBuilderInit(&b, OuterDepth(state, shape), DUPLICATE_NAME_LAST);
	b.words = state->words;
	b.problem = &problem;
	if (shape->placeholders)
		ReadPlaceholders(r, &b);
	else if (shape->kind == SHAPE_MAP)
		ReadItemJson(r, &b);
	else
		ReadValueJson(r, &b);
	field->item = ItemBuilderFinish(&b);
	ItemBuilderRelease(&b);
	if (field->item == NULL)
	{
		field->problem = palloc(sizeof(Problem));
		*field->problem = problem;
	}
}

/* ---- any value ---- */

static void
ReadContents(ReadState *state, JsonKind kind, const Shape *shape, Field *field)
{
	if (shape->kind < SHAPE_LIST)
		ReadScalarField(&state->json, kind, shape, field);
	else if (kind != (shape->kind == SHAPE_LIST ? JSON_ARRAY : JSON_OBJECT))
		KindError(&state->json, shape, state->member);
	else if (shape->raw && !state->expand)
		ReadRaw(state, shape, field);
	else if (shape->kind == SHAPE_LIST)
		ReadListField(state, shape, field);
	else if (shape->kind == SHAPE_MAP)
		ReadMapField(state, shape, field);
	else
		ReadStructure(state, shape, field);
}

/* Reads the next value; returns NULL for null. */
static Field *
ReadField(ReadState *state, const Shape *shape)
{
	JsonReader *r = &state->json;
	JsonKind	kind = JsonPeek(r);
	Field	   *field;

	if (kind == JSON_NULL)
	{
		JsonSkipValue(r);
		if (shape->not_null != NULL)
			TypeError(psprintf(WORDING_NULL, shape->not_null, JsonPosition(r) - 1));
		return NULL;
	}
	if (++state->nfields > MAX_FIELDS)
		InvalidRequest("The request has more than %d values, of which an item counts as one", MAX_FIELDS);
	field = palloc0(sizeof(Field));
	field->shape = shape;
	field->text.data = r->at;
	ReadContents(state, kind, shape, field);
	field->text.len = r->at - field->text.data;
	return field;
}

Field *
RequestRead(const Shape *shape, const char *text, uint32 len, ValueWords words)
{
	ReadState	state = {.words = words};
	Field	   *field;

	JsonReaderInit(&state.json, text, len);
	state.json.sqlstate = ERRCODE_DYNAMO_NOT_JSON;
	state.json.message = WORDING_BAD_JSON;
	state.json.in_request = true;
	field = ReadField(&state, shape);
	if (field == NULL)
		TypeError(WORDING_UNEXPECTED_VALUE);
	JsonEnd(&state.json);
	return field;
}

Field *
FieldExpand(const Field *field)
{
	ReadState	state = {.expand = true};

	JsonReaderInit(&state.json, field->text.data, field->text.len);
	return ReadField(&state, field->shape);
}

/* ---- accessors ---- */

/*
 * Compares addresses first, because the linker gives most equal literals the
 * same address.
 */
const Field *
FieldMember(const Field *structure, const char *name)
{
	const Shape *shape = structure->shape;
	int			i = 0;

	while (i < shape->nmembers && shape->members[i].name != name)
		i++;
	if (i == shape->nmembers)
		i = MemberIndex(shape, (Slice) {name, strlen(name)});
	if (i < 0)
		elog(ERROR, "%s has no member %s", shape->name, name);
	return structure->fields[i];
}

Slice
FieldSlice(const Field *structure, const char *name)
{
	const Field *field = FieldMember(structure, name);

	return field != NULL ? field->string : (Slice) {NULL, 0};
}

const char *
FieldString(const Field *structure, const char *name)
{
	const Field *field = FieldMember(structure, name);

	return field != NULL ? pnstrdup(field->string.data, field->string.len) : NULL;
}

bool
FieldIs(const Field *structure, const char *name, const char *value)
{
	return SliceIs(FieldSlice(structure, name), value);
}

bool
FieldBool(const Field *structure, const char *name, bool missing)
{
	const Field *field = FieldMember(structure, name);

	return field != NULL ? field->boolean : missing;
}

int64
FieldInteger(const Field *structure, const char *name, int64 missing)
{
	const Field *field = FieldMember(structure, name);

	return field != NULL ? field->integer : missing;
}

int64
FieldMicroseconds(const Field *structure, const char *name, int64 missing)
{
	const Field *field = FieldMember(structure, name);
	double		seconds;

	if (field == NULL)
		return missing;
	seconds = strtod(pnstrdup(field->text.data, field->text.len), NULL);
	return seconds > -1e11 && seconds < 1e11 ? (int64) rint(seconds * USECS_PER_SEC) : -1;
}
