/*
 * json_in.c
 *	  DynamoDB JSON to items and values.
 *
 * Text that is JSON but not of the shape the service expects is what the
 * service calls a SerializationException; its words for each case are in the
 * table of JSON types of its wire protocol.
 */
#include "postgres.h"

#include "errors.h"
#include "item/base64.h"
#include "item/json.h"

#define MAP_TYPE_NAME \
	"java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>"

#define ITEM_HINT \
	"Expected DynamoDB JSON, such as {\"id\": {\"S\": \"a\"}, \"n\": {\"N\": \"1\"}}. " \
	"Plain JSON is converted by a cast from jsonb: '...'::jsonb::dynamo.item."
#define VALUE_HINT \
	"Expected DynamoDB JSON, such as {\"S\": \"a\"} or {\"N\": \"1\"}. " \
	"dynamo.to_value makes a value of any SQL data."

static void ReadMapBody(JsonReader *r, ItemBuilder *b);

/* ---- errors ---- */

static uint32
ReaderPosition(const void *source)
{
	return JsonPosition(source);
}

static char *
Place(const ItemBuilder *b, bool ended)
{
	StringInfoData place;

	initStringInfo(&place);
	ItemBuilderAppendPlace(b, ended, &place);
	return place.data;
}

static void ShapeError(const ItemBuilder *b, const char *format,...)
			pg_attribute_printf(2, 3) pg_attribute_noreturn();

/* JSON of another type than is due. */
static void
ShapeError(const ItemBuilder *b, const char *format,...)
{
	char		message[256];
	va_list		args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_SERIALIZATION),
			 errmsg_internal("%s", message),
			 errdetail("At %s.", Place(b, false)),
			 errhint(ITEM_HINT)));
}

static void ValueError(const ItemBuilder *b, Slice type, bool many)
			pg_attribute_noreturn();

/* An attribute value that has not exactly one known type. */
static void
ValueError(const ItemBuilder *b, Slice type, bool many)
{
	const char *problem = many ? "has more than one datatypes set" : "is empty";
	char	   *place = Place(b, many);

	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("Supplied AttributeValue %s, must contain exactly one of the supported datatypes",
					problem),
			 type.data != NULL ?
			 errdetail("Unknown type \"%.*s\" at %s.", (int) type.len, type.data, place) :
			 errdetail("At %s.", place),
			 type.data != NULL ?
			 errhint("The types are S, N, B, BOOL, NULL, L, M, SS, NS and BS. "
					 "Plain JSON is converted by a cast from jsonb: '...'::jsonb::dynamo.item.") : 0));
}

static bool
NumberIsInteger(Slice number)
{
	for (uint32 i = 0; i < number.len; i++)
	{
		if (number.data[i] == '.' || number.data[i] == 'e' || number.data[i] == 'E')
			return false;
	}
	return true;
}

static void ScalarError(JsonReader *r, const ItemBuilder *b, JsonKind kind,
						const char *wanted) pg_attribute_noreturn();

/* Found this kind of JSON where a scalar of the class "wanted" is due. */
static void
ScalarError(JsonReader *r, const ItemBuilder *b, JsonKind kind, const char *wanted)
{
	const char *found = "NUMBER_VALUE";
	JsonReader	ahead = *r;

	switch (kind)
	{
		case JSON_ARRAY:
			ShapeError(b, "Unrecognized collection type class java.lang.%s", wanted);
		case JSON_OBJECT:
			ShapeError(b, "Start of structure or map found where not expected");
		case JSON_STRING:
			ShapeError(b, "Unexpected token received from parser");
		case JSON_TRUE:
			found = "TRUE_VALUE";
			break;
		case JSON_FALSE:
			found = "FALSE_VALUE";
			break;
		case JSON_NUMBER:
			if (!NumberIsInteger(JsonNumber(&ahead)))
				found = "DECIMAL_VALUE";
			break;
		case JSON_NULL:
			found = "NULL_VALUE";
			break;
	}
	ShapeError(b, "%s cannot be converted to %s", found, wanted);
}

/* ---- scalars ---- */

static inline Slice
ReadString(JsonReader *r, const ItemBuilder *b)
{
	if (unlikely(JsonNextByte(r) != '"'))
		ScalarError(r, b, JsonPeek(r), "String");
	return JsonString(r);
}

/* A boolean, or one of the strings that the service takes for one. */
static bool
ReadFlag(JsonReader *r, const ItemBuilder *b)
{
	static const char *const words[] = {"false", "0", "no", "true", "1", "yes"};
	JsonKind	kind = JsonPeek(r);
	JsonReader	before = *r;
	Slice		text;

	if (kind == JSON_TRUE || kind == JSON_FALSE)
		return JsonBool(r);
	if (kind != JSON_STRING)
		ScalarError(r, b, kind, "Boolean");

	text = JsonString(r);
	for (size_t i = 0; i < lengthof(words); i++)
	{
		if (strlen(words[i]) == text.len &&
			pg_strncasecmp(words[i], text.data, text.len) == 0)
			return i >= lengthof(words) / 2;
	}
	*r = before;
	ScalarError(r, b, kind, "Boolean");
}

static void Base64Error(const ItemBuilder *b, Base64Status status, Slice text)
			pg_attribute_noreturn();

static void
Base64Error(const ItemBuilder *b, Base64Status status, Slice text)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_SERIALIZATION),
			 errmsg_internal("%s", Base64Problem(status, text)),
			 errdetail("At %s.", Place(b, false))));
}

static void
ReadBinary(JsonReader *r, ItemBuilder *b)
{
	JsonKind	kind = JsonPeek(r);
	JsonReader	before = *r;
	Slice		text;
	char		small[256];
	char	   *bytes = small;
	uint32		len;
	Base64Status status;

	if (kind == JSON_ARRAY)
		ShapeError(b, "Unrecognized collection type class java.nio.ByteBuffer");
	if (kind == JSON_OBJECT)
		ScalarError(r, b, kind, "Blob");
	if (kind != JSON_STRING)
		ShapeError(b, "only base-64-encoded strings are convertible to bytes");

	text = JsonString(r);
	if (BASE64_DECODED_MAX(text.len) > sizeof(small))
		bytes = palloc(BASE64_DECODED_MAX(text.len));
	status = Base64Decode(text.data, text.len, bytes, &len);
	if (unlikely(status != BASE64_OK))
	{
		*r = before;
		Base64Error(b, status, text);
	}
	ItemBuilderBinary(b, bytes, len);
	if (bytes != small)
		pfree(bytes);
}

/* A string or number, or such a member of a set. */
static inline void
ReadScalar(JsonReader *r, ItemBuilder *b, ValueType type)
{
	Slice		text;

	if (type == VALUE_B)
	{
		ReadBinary(r, b);
		return;
	}
	text = ReadString(r, b);
	if (type == VALUE_S)
		ItemBuilderString(b, text.data, text.len);
	else
		ItemBuilderNumberText(b, text.data, text.len);
}

/* ---- containers ---- */

/* Enters the array that a list or set needs. */
static void
BeginArray(JsonReader *r, const ItemBuilder *b)
{
	JsonKind	kind = JsonPeek(r);

	if (kind == JSON_OBJECT)
		ShapeError(b, "Start of structure or map found where not expected");
	if (kind != JSON_ARRAY)
		ShapeError(b, "Unexpected field type");
	JsonBeginArray(r);
}

static void
BeginMap(JsonReader *r, const ItemBuilder *b)
{
	JsonKind	kind = JsonPeek(r);

	if (unlikely(kind == JSON_ARRAY))
		ShapeError(b, "Unrecognized collection type " MAP_TYPE_NAME);
	if (unlikely(kind != JSON_OBJECT))
		ShapeError(b, "Unexpected field type");
	JsonBeginObject(r);
}

static void
ReadSet(JsonReader *r, ItemBuilder *b, ValueType type)
{
	ValueType	member = type == VALUE_SS ? VALUE_S : type == VALUE_NS ? VALUE_N : VALUE_B;

	BeginArray(r, b);
	ItemBuilderBeginSet(b, type);
	while (JsonNextElement(r))
		ReadScalar(r, b, member);
	ItemBuilderEnd(b);
}

static void ReadAttributeValue(JsonReader *r, ItemBuilder *b);

static void
ReadList(JsonReader *r, ItemBuilder *b)
{
	BeginArray(r, b);
	ItemBuilderBeginList(b);
	while (JsonNextElement(r))
		ReadAttributeValue(r, b);
	ItemBuilderEnd(b);
}

static void
ReadMapBody(JsonReader *r, ItemBuilder *b)
{
	Slice		name;

	BeginMap(r, b);
	ItemBuilderBeginMap(b);
	while (JsonNextMember(r, &name))
	{
		/* a null member is an absent one */
		if (unlikely(JsonNextByte(r) == 'n'))
		{
			JsonSkipValue(r);
			continue;
		}
		ItemBuilderName(b, name.data, name.len);
		ReadAttributeValue(r, b);
	}
	ItemBuilderEnd(b);
}

/* ---- attribute values ---- */

/* What stands behind the name of a type. */
static inline void
ReadTypedValue(JsonReader *r, ItemBuilder *b, ValueType type)
{
	switch (type)
	{
		case VALUE_S:
		case VALUE_N:
		case VALUE_B:
			ReadScalar(r, b, type);
			break;
		case VALUE_BOOL:
			ItemBuilderBool(b, ReadFlag(r, b));
			break;
		case VALUE_NULL:
			ItemBuilderNullFlag(b, ReadFlag(r, b));
			break;
		case VALUE_L:
			ReadList(r, b);
			break;
		case VALUE_M:
			ReadMapBody(r, b);
			break;
		case VALUE_SS:
		case VALUE_NS:
		case VALUE_BS:
			ReadSet(r, b, type);
			break;
	}
}

static void NoValueError(JsonReader *r, const ItemBuilder *b) pg_attribute_noreturn();

static void
NoValueError(JsonReader *r, const ItemBuilder *b)
{
	if (JsonPeek(r) == JSON_ARRAY)
		ShapeError(b, "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue");
	ShapeError(b, "Unexpected value type in payload");
}

/* Reads the value of a type, for its errors only. */
static void
CheckTypedValue(JsonReader *r, const ItemBuilder *b, ValueType type)
{
	ItemBuilder scratch;

	ItemBuilderInit(&scratch, b->depth, DUPLICATE_NAME_LAST);
	ItemBuilderSetSource(&scratch, ReaderPosition, r);
	ReadTypedValue(r, &scratch, type);
	ItemBuilderRelease(&scratch);
}

static void SeveralTypesError(JsonReader *r, const ItemBuilder *b, int type)
			pg_attribute_noreturn();

/*
 * An attribute value has a second type, whose value comes next.  What is
 * wrong with that value, and with those that follow, matters more.
 */
static void
SeveralTypesError(JsonReader *r, const ItemBuilder *b, int type)
{
	JsonReader	before = *r;
	Slice		name;

	for (;;)
	{
		if (type < 0 || JsonNextByte(r) == 'n')
			JsonSkipValue(r);
		else
			CheckTypedValue(r, b, (ValueType) type);
		if (!JsonNextMember(r, &name))
			break;
		type = ValueTypeFromName(name.data, name.len);
	}
	*r = before;
	ValueError(b, MISSING_SLICE, true);
}

/* {"S": "text"}: an object with exactly one member, a type. */
static void
ReadAttributeValue(JsonReader *r, ItemBuilder *b)
{
	bool		found = false;
	Slice		name;

	if (unlikely(JsonNextByte(r) != '{'))
		NoValueError(r, b);

	JsonBeginObject(r);
	while (JsonNextMember(r, &name))
	{
		int			type = ValueTypeFromName(name.data, name.len);

		if (unlikely(JsonNextByte(r) == 'n' || (type < 0 && r->ignore_unknown)))
		{
			JsonSkipValue(r);
			continue;
		}
		if (unlikely(found))
			SeveralTypesError(r, b, type);
		if (unlikely(type < 0))
			ValueError(b, name, false);
		ReadTypedValue(r, b, (ValueType) type);
		found = true;
	}
	if (unlikely(!found))
		ValueError(b, MISSING_SLICE, false);
}

void
ReadItemJson(JsonReader *r, ItemBuilder *b)
{
	ItemBuilderSetSource(b, ReaderPosition, r);
	ReadMapBody(r, b);
}

void
ReadValueJson(JsonReader *r, ItemBuilder *b)
{
	ItemBuilderSetSource(b, ReaderPosition, r);
	ReadAttributeValue(r, b);
}

/* Reads one whole text. */
static struct varlena *
ReadText(const char *text, uint32 len, bool is_item)
{
	ItemBuilder b;
	struct varlena *result;
	JsonReader	r;

	ItemBuilderInit(&b, is_item ? 0 : 1, DUPLICATE_NAME_LAST);
	JsonReaderInit(&r, text, len);
	r.message = is_item ? "invalid input syntax for type dynamo.item"
		: "invalid input syntax for type dynamo.value";
	r.hint = is_item ? ITEM_HINT : VALUE_HINT;

	/* most text is longer than its encoding */
	ItemBuilderReserve(&b, len);
	if (is_item)
		ReadItemJson(&r, &b);
	else
		ReadValueJson(&r, &b);
	JsonEnd(&r);

	result = ItemBuilderFinish(&b);
	ItemBuilderRelease(&b);
	return result;
}

struct varlena *
ItemFromJson(const char *text, uint32 len)
{
	return ReadText(text, len, true);
}

struct varlena *
ValueFromJson(const char *text, uint32 len)
{
	return ReadText(text, len, false);
}
