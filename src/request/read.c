/*
 * read.c
 *	  Requests from JSON text to fields, and the JSON types of their members.
 *
 * The text is read once, front to back; the first value of a wrong JSON type
 * is reported.  Members the model does not know are skipped, null is as good
 * as absent, and of members that stand twice the last counts.
 */
#include "postgres.h"

#include <math.h>

#include "common/hashfn.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"

#include "errors.h"
#include "item/base64.h"
#include "item/json_reader.h"
#include "request/read_raw.h"
#include "request/wording.h"

typedef struct ReadState
{
	JsonReader	json;
	bool		expand;			/* build what raw shapes hold, too */
	bool		bad_item;		/* an item was not good: the request will most
								 * likely fail, so that no more are made ahead */
	bool		member;			/* what is read next is a structure's member,
								 * rather than an element of a list or map */
	int			depth;			/* of the field being read */
} ReadState;

/*
 * No request the service accepts is nested deeper.  What is below is not
 * looked at; whoever reads such a value refuses it.
 */
#define MAX_DEPTH	200

static Field *ReadField(ReadState *state, const Shape *shape, bool build);

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

/* The Java type of a shape, without the word "class". */
static char *
JavaType(const Shape *shape)
{
	switch (shape->kind)
	{
		case SHAPE_BLOB:
			return pstrdup("java.nio.ByteBuffer");
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

/* An array stands where shape is expected. */
static void
ArrayError(const Shape *shape)
{
	char	   *type = JavaType(shape);

	if (shape->kind != SHAPE_MAP)
		type = psprintf("class %s", type);
	TypeError(psprintf(WORDING_BAD_COLLECTION, type));
}

/* The token is no string, but a scalar where a scalar of another kind stands. */
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
 * A value of a JSON kind that this shape never has.  member: it belongs to a
 * structure.
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
			TypeError(member ? WORDING_UNEXPECTED_FIELD : WORDING_UNEXPECTED_VALUE);
			break;
		case SHAPE_BLOB:
			TypeError(WORDING_NOT_BASE64);
			break;
		default:
			ConversionError(r, shape);
	}
}

/* ---- scalars ---- */

static void
CheckBase64(Slice text)
{
	char	   *bytes = palloc(BASE64_DECODED_MAX(text.len) + 1);
	uint32		len;
	Base64Status status = Base64Decode(text.data, text.len, bytes, &len);

	if (status != BASE64_OK)
		TypeError(Base64Problem(status, text));
	pfree(bytes);
}

/* Strings that convert to booleans, in any case. */
static bool
BooleanFromString(Slice string)
{
	static const struct
	{
		const char *text;
		bool		value;
	}			booleans[] = {
		{"true", true}, {"1", true}, {"yes", true},
		{"false", false}, {"0", false}, {"no", false},
	};

	for (size_t i = 0; i < lengthof(booleans); i++)
	{
		if (strlen(booleans[i].text) == string.len &&
			pg_strncasecmp(booleans[i].text, string.data, string.len) == 0)
			return booleans[i].value;
	}
	TypeError(WORDING_BAD_BOOLEAN);
	return false;				/* keep compiler quiet */
}

/* A number of JSON for a whole number: fractions are cut off downwards. */
static int64
IntegerFromNumber(Slice number, const Shape *shape)
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
	value = floor(strtod(text, &end));
	if (!(value >= -limit && value < limit))
		TypeError(psprintf(WORDING_CANNOT_CONVERT, "DECIMAL_VALUE", ScalarName(shape)));
	return (int64) value;
}

/* The value of a scalar into field, or only its check if field is NULL. */
static void
ReadScalar(JsonReader *r, JsonKind kind, const Shape *shape, Field *field)
{
	Field		scratch;

	if (field == NULL)
		field = &scratch;
	if (kind == JSON_STRING && shape->kind <= SHAPE_BOOLEAN)
	{
		field->string = JsonString(r);
		if (shape->kind == SHAPE_BOOLEAN)
			field->boolean = BooleanFromString(field->string);
	}
	else if (kind == JSON_STRING && shape->kind == SHAPE_BLOB)
	{
		field->string = JsonString(r);
		CheckBase64(field->string);
	}
	else if ((kind == JSON_TRUE || kind == JSON_FALSE) && shape->kind == SHAPE_BOOLEAN)
		field->boolean = JsonBool(r);
	else if (kind == JSON_NUMBER &&
			 (shape->kind == SHAPE_INTEGER || shape->kind == SHAPE_LONG))
		field->integer = IntegerFromNumber(JsonNumber(r), shape);
	else
		KindError(r, shape, false);
}

/* ---- containers ---- */

/* Room for one more element, and one more name. */
static void
Grow(Field *field, bool names)
{
	/* doubled at every power of two */
	if ((field->count & (field->count - 1)) != 0)
		return;
	if (field->count == 0)
	{
		field->fields = palloc(sizeof(Field *));
		if (names)
			field->names = palloc(sizeof(Slice));
		return;
	}
	field->fields = repalloc(field->fields, 2 * field->count * sizeof(Field *));
	if (names)
		field->names = repalloc(field->names, 2 * field->count * sizeof(Slice));
}

static void
ReadList(ReadState *state, const Shape *shape, Field *field)
{
	JsonReader *r = &state->json;

	JsonBeginArray(r);
	while (JsonNextElement(r))
	{
		Field	   *element;

		state->member = false;
		element = ReadField(state, shape->element, field != NULL);
		if (field == NULL)
			continue;
		Grow(field, false);
		field->fields[field->count++] = element;
	}
}

/* Adds an entry to a map. */
static void
MapPut(Field *map, Slice name, Field *value)
{
	Grow(map, true);
	map->names[map->count] = name;
	map->fields[map->count++] = value;
}

/* Of several entries of one name the value of the last remains. */
static void
DropRepeated(Field *map)
{
	uint32		size = pg_nextpower2_32(2 * map->count);	/* at most half full */
	int		   *slots = palloc0(size * sizeof(int));	/* by hash of the name, positions from 1 */
	int			n = 0;

	for (int i = 0; i < map->count; i++)
	{
		Slice		name = map->names[i];
		uint32		at = hash_bytes((const unsigned char *) name.data, (int) name.len) & (size - 1);

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
ReadMap(ReadState *state, const Shape *shape, Field *field)
{
	JsonReader *r = &state->json;
	Slice		name;

	JsonBeginObject(r);
	while (JsonNextMember(r, &name))
	{
		Field	   *value;

		state->member = false;
		value = ReadField(state, shape->element, field != NULL);
		if (field != NULL && value != NULL)
			MapPut(field, name, value);
	}
	if (field != NULL && field->count > 1)
		DropRepeated(field);
}

/* The position of a member in its structure, or -1. */
static int
MemberIndex(const Shape *shape, Slice name)
{
	for (int i = 0; i < shape->nmembers; i++)
	{
		const char *member = shape->members[i].name;

		/* the first letter tells most apart, and is cheaper than a call */
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

	if (field != NULL)
	{
		field->count = shape->nmembers;
		field->fields = palloc0(Max(shape->nmembers, 1) * sizeof(Field *));
	}
	JsonBeginObject(r);
	while (JsonNextMember(r, &name))
	{
		int			i = MemberIndex(shape, name);
		Field	   *value;

		if (i < 0)
		{
			JsonSkipValue(r);
			continue;
		}
		state->member = true;
		value = ReadField(state, shape->members[i].shape, field != NULL);
		if (field != NULL)
			field->fields[i] = value;
	}
}

static void
ReadContents(ReadState *state, JsonKind kind, const Shape *shape, Field *field)
{
	if (shape->kind < SHAPE_LIST)
		ReadScalar(&state->json, kind, shape, field);
	else if (kind != (shape->kind == SHAPE_LIST ? JSON_ARRAY : JSON_OBJECT))
		KindError(&state->json, shape, state->member);
	else if (shape->kind == SHAPE_LIST)
		ReadList(state, shape, field);
	else if (shape->kind == SHAPE_MAP)
		ReadMap(state, shape, field);
	else
		ReadStructure(state, shape, field);
}

/* Whether an item came next, and was good. */
static bool
ReadItem(ReadState *state, Field *field)
{
	if (!field->shape->item || state->bad_item)
		return false;
	field->item = ReadGoodItem(&state->json);
	state->bad_item = field->item == NULL;
	return !state->bad_item;
}

/*
 * Reads the value that comes next.  NULL for null, and if nothing is to be
 * built.
 */
static Field *
ReadField(ReadState *state, const Shape *shape, bool build)
{
	JsonReader *r = &state->json;
	Field	   *field = NULL;
	JsonKind	kind;

	check_stack_depth();
	kind = JsonPeek(r);
	if (kind == JSON_NULL || state->depth == MAX_DEPTH)
	{
		JsonSkipValue(r);
		return NULL;
	}
	state->depth++;
	if (build)
	{
		field = palloc0(sizeof(Field));
		field->shape = shape;
		field->text.data = r->at;
	}
	if (!shape->raw || state->expand)
		ReadContents(state, kind, shape, field);
	else if (!(build && ReadItem(state, field)) && !PassRaw(r, shape))
		ReadContents(state, kind, shape, NULL);
	if (build)
		field->text.len = r->at - field->text.data;
	state->depth--;
	return field;
}

Field *
RequestRead(const Shape *shape, const char *text, uint32 len)
{
	ReadState	state;
	Field	   *field;

	JsonReaderInit(&state.json, text, len);
	state.json.sqlstate = ERRCODE_DYNAMO_SERIALIZATION;
	state.json.message = WORDING_BAD_JSON;
	state.expand = false;
	state.bad_item = false;
	state.member = false;
	state.depth = 0;
	field = ReadField(&state, shape, true);
	if (field == NULL)
		TypeError(WORDING_UNEXPECTED_VALUE);
	JsonEnd(&state.json);
	return field;
}

Field *
FieldExpand(const Field *field)
{
	ReadState	state;

	JsonReaderInit(&state.json, field->text.data, field->text.len);
	state.expand = true;
	state.bad_item = false;
	state.member = false;
	state.depth = 0;
	return ReadField(&state, field->shape, true);
}

/* ---- accessors ---- */

const Field *
FieldMember(const Field *structure, const char *name)
{
	int			i = MemberIndex(structure->shape, (Slice) {name, strlen(name)});

	if (i < 0)
		elog(ERROR, "%s has no member %s", structure->shape->name, name);
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
