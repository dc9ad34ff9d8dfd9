/*
 * json_in.c
 *	  DynamoDB JSON to items and values.
 *
 * Valid JSON that does not have the form the service expects is a
 * SerializationException.  The service's message depends on the expected type
 * and on the kind of JSON.
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
#define TYPES_HINT \
	"The types are S, N, B, BOOL, NULL, L, M, SS, NS and BS. " \
	"Plain JSON is converted by a cast from jsonb: '...'::jsonb::dynamo.item."

/*
 * The nesting depth up to which the types in an item that is too deep are
 * checked.  It limits the recursion.
 */
#define MAX_DEPTH	100

static void ReadMapBody(JsonReader *r, ItemBuilder *b);

/* ---- problems ---- */

static uint32
SourcePosition(const void *source)
{
	return JsonPosition(source);
}

/*
 * Returns a detail with the position of the value.  NULL if the builder has failed:
 * only its first problem is kept, and there may be millions, which must not take memory.
 */
static char *
DescribePlace(const ItemBuilder *b, bool ended)
{
	StringInfoData place;

	if (ItemBuilderHasFailed(b))
		return NULL;
	initStringInfo(&place);
	appendStringInfoString(&place, "At ");
	ItemBuilderAppendPlace(b, ended, &place);
	appendStringInfoChar(&place, '.');
	return place.data;
}

/*
 * Notes that the next JSON has a wrong type.  untyped: it is a scalar in place
 * of an attribute value, as in plain JSON.  In a request this ends the
 * reading, except for null, which is a problem of the item.
 */
static void
NoteWrongJson(JsonReader *r, ItemBuilder *b, const char *message, bool untyped)
{
	bool		null = JsonNextByte(r) == 'n';
	Problem		found = {.sqlstate = ERRCODE_DYNAMO_SERIALIZATION, .message = message};

	if (null || !r->in_request)
	{
		found.detail = DescribePlace(b, false);
		found.hint = r->hint != NULL ? r->hint : ITEM_HINT;
	}
	else if (untyped)
		found.hint = psprintf("The value at byte %u of the request has no type. Values in requests have types, such as {\"S\": \"text\"} or {\"N\": \"5\"}.",
							  JsonPosition(r));
	if (null && r->in_request)
		JsonSkipValue(r);
	else
		JsonFail(r, &found);
	ItemBuilderNote(b, &found);
}

static void
NoteShape(JsonReader *r, ItemBuilder *b, const char *message)
{
	NoteWrongJson(r, b, message, false);
}

/* Notes an attribute value that does not have exactly one known type. */
static void
NoteNotOneType(ItemBuilder *b, bool empty, const char *detail, const char *hint)
{
	ItemBuilderNote(b, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.message = empty ? "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes" :
			"Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
		.detail = detail,
		.hint = hint
	});
}

static void
NoteUnknownType(ItemBuilder *b, Slice name)
{
	char	   *place = DescribePlace(b, false);
	char	   *detail = place == NULL ? NULL :
		psprintf("Unknown type \"%.*s\" at %s", (int) name.len, name.data, place + strlen("At "));

	NoteNotOneType(b, true, detail, TYPES_HINT);
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

/* Notes JSON of this kind in place of a scalar of the class "wanted". */
static void
NoteNoScalar(JsonReader *r, ItemBuilder *b, JsonKind kind, const char *wanted)
{
	static const char *const found[] = {
		[JSON_TRUE] = "TRUE_VALUE", [JSON_FALSE] = "FALSE_VALUE",
		[JSON_NULL] = "NULL_VALUE", [JSON_NOTHING] = ""
	};
	JsonReader	ahead = *r;
	char	   *message;

	if (kind == JSON_ARRAY)
		NoteShape(r, b, psprintf("Unrecognized collection type class java.lang.%s", wanted));
	else if (kind == JSON_OBJECT)
		NoteShape(r, b, "Start of structure or map found where not expected");
	else if (kind == JSON_STRING)
		NoteShape(r, b, "Unexpected token received from parser");
	else
	{
		message = psprintf("%s cannot be converted to %s",
						   kind != JSON_NUMBER ? found[kind] :
						   NumberIsInteger(JsonNumber(&ahead)) ? "NUMBER_VALUE" : "DECIMAL_VALUE",
						   wanted);
		NoteShape(r, b, message);
		/* null ends no request, so that there may be millions */
		if (kind == JSON_NULL && r->in_request && b->problem != NULL && b->problem->message != message)
			pfree(message);
	}
}

/* ---- scalars ---- */

static inline Slice
ReadString(JsonReader *r, ItemBuilder *b)
{
	if (likely(JsonNextByte(r) == '"'))
		return JsonString(r);
	NoteNoScalar(r, b, JsonPeek(r), "String");
	return (Slice) {"", 0};
}

bool
JsonFlagFromString(Slice string, bool *flag)
{
	static const char *const words[] = {"false", "0", "no", "true", "1", "yes"};

	for (size_t i = 0; i < lengthof(words); i++)
	{
		if (strlen(words[i]) == string.len &&
			pg_strncasecmp(words[i], string.data, string.len) == 0)
		{
			*flag = i >= lengthof(words) / 2;
			return true;
		}
	}
	return false;
}

/* Reads a boolean, or a string that the service accepts as a boolean. */
static bool
ReadBoolean(JsonReader *r, ItemBuilder *b)
{
	JsonKind	kind = JsonPeek(r);
	JsonReader	before = *r;
	bool		flag = false;

	if (kind == JSON_TRUE || kind == JSON_FALSE)
		return JsonBool(r);
	if (kind == JSON_STRING && JsonFlagFromString(JsonString(r), &flag))
		return flag;
	*r = before;
	NoteNoScalar(r, b, kind, "Boolean");
	return false;
}

static void
ReadBase64(JsonReader *r, ItemBuilder *b)
{
	JsonReader	before = *r;
	Slice		text = JsonString(r);
	char		small[256];
	char	   *bytes = small;
	uint32		len;
	Base64Status status;
	Problem		found = {.sqlstate = ERRCODE_DYNAMO_SERIALIZATION};

	if (BASE64_DECODED_MAX(text.len) > sizeof(small))
		bytes = palloc(BASE64_DECODED_MAX(text.len));
	status = Base64Decode(text.data, text.len, bytes, &len);
	if (likely(status == BASE64_OK))
		ItemBuilderBinary(b, bytes, len);
	else
	{
		*r = before;
		found.message = Base64Problem(status, text);
		if (!r->in_request)
			found.detail = DescribePlace(b, false);
		JsonFail(r, &found);
		ItemBuilderNote(b, &found);
	}
	if (bytes != small)
		pfree(bytes);
}

static void
ReadBinary(JsonReader *r, ItemBuilder *b)
{
	JsonKind	kind = JsonPeek(r);

	if (kind == JSON_STRING)
		ReadBase64(r, b);
	else if (kind == JSON_ARRAY)
		NoteShape(r, b, "Unrecognized collection type class java.nio.ByteBuffer");
	else if (kind == JSON_OBJECT)
		NoteNoScalar(r, b, kind, "Blob");
	else
		NoteShape(r, b, "only base-64-encoded strings are convertible to bytes");
}

/* Reads a string or number, as a value or as a member of a set. */
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

/*
 * Enters the array of a list or set; false if the next JSON is not an array.
 */
static bool
BeginArray(JsonReader *r, ItemBuilder *b)
{
	JsonKind	kind = JsonPeek(r);

	if (likely(kind == JSON_ARRAY))
		JsonBeginArray(r);
	else
		NoteShape(r, b, kind == JSON_OBJECT ? "Start of structure or map found where not expected" :
				  "Unexpected field type");
	return kind == JSON_ARRAY;
}

static bool
BeginMap(JsonReader *r, ItemBuilder *b)
{
	JsonKind	kind = JsonPeek(r);

	if (likely(kind == JSON_OBJECT))
		JsonBeginObject(r);
	else
		NoteShape(r, b, kind == JSON_ARRAY ? "Unrecognized collection type " MAP_TYPE_NAME :
				  "Unexpected field type");
	return kind == JSON_OBJECT;
}

/* Skips a list or map that is nested too deeply to be checked. */
static bool
SkipTooDeep(JsonReader *r, const ItemBuilder *b)
{
	if (likely(b->depth < MAX_DEPTH))
		return false;
	JsonSkipValue(r);
	return true;
}

static void
ReadSet(JsonReader *r, ItemBuilder *b, ValueType type)
{
	ValueType	member = type == VALUE_SS ? VALUE_S : type == VALUE_NS ? VALUE_N : VALUE_B;
	int			depth = b->depth;

	if (!BeginArray(r, b))
		return;
	ItemBuilderBeginSet(b, type);
	while (JsonNextElement(r))
		ReadScalar(r, b, member);
	ItemBuilderEnd(b);
	b->depth = depth;			/* a failed builder treats sets as lists */
}

static void ReadAttributeValue(JsonReader *r, ItemBuilder *b);

static void
ReadList(JsonReader *r, ItemBuilder *b)
{
	if (SkipTooDeep(r, b) || !BeginArray(r, b))
		return;
	ItemBuilderBeginList(b);
	while (JsonNextElement(r))
		ReadAttributeValue(r, b);
	ItemBuilderEnd(b);
}

static void
ReadMapBody(JsonReader *r, ItemBuilder *b)
{
	Slice		name;

	if (SkipTooDeep(r, b) || !BeginMap(r, b))
		return;
	ItemBuilderBeginMap(b);
	while (JsonNextMember(r, &name))
	{
		/* A null member counts as absent. */
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

/* Reads the value after the name of a type. */
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
			ItemBuilderBool(b, ReadBoolean(r, b));
			break;
		case VALUE_NULL:
			ItemBuilderNullFlag(b, ReadBoolean(r, b));
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

/* Reads a value only to find its problems. */
static void
CheckTypedValue(JsonReader *r, ItemBuilder *b, ValueType type)
{
	ItemBuilder *scratch = ItemBuilderCreate(b->depth, DUPLICATE_NAME_LAST);

	ItemBuilderSetSource(scratch, SourcePosition, r);
	scratch->problem = b->problem;
	scratch->words = b->words;
	ReadTypedValue(r, scratch, type);
	if (ItemBuilderHasFailed(scratch))
		b->nframes = -1;
	ItemBuilderRelease(scratch);
	pfree(scratch);
}

/*
 * Handles an attribute value with a second type, whose value comes next.
 * Problems of this value and of those that follow are more important than the
 * second type itself.
 */
static void
NoteSeveralTypes(JsonReader *r, ItemBuilder *b, int type)
{
	char	   *detail = DescribePlace(b, true);
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
	NoteNotOneType(b, false, detail, NULL);
}

/* Notes that an attribute value is not an object. */
static void
NoteNoObject(JsonReader *r, ItemBuilder *b)
{
	if (JsonPeek(r) == JSON_ARRAY)
		NoteShape(r, b, "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue");
	else
		NoteWrongJson(r, b, "Unexpected value type in payload", true);
}

/*
 * Reads the name of the next member of an attribute value, and sets the type
 * that it names, or -1.  False at the end.
 */
static inline bool
NextType(JsonReader *r, Slice *name, int *type)
{
	const char *p = r->at;

	/* Almost every value starts with {"S": and ends after one member. */
	if (r->first && r->end - p >= 4 && p[0] == '"' && p[2] == '"' && p[3] == ':')
	{
		*name = (Slice) {p + 1, 1};
		*type = ValueTypeFromLetter(p[1]);
		if (*type >= 0)
		{
			r->first = false;
			r->at = p + 4;
			return true;
		}
	}
	if (!r->first && p < r->end && *p == '}')
	{
		r->at++;
		return false;
	}
	if (!JsonNextMember(r, name))
		return false;
	*type = ValueTypeFromName(name->data, name->len);
	return true;
}

/*
 * Reads {"S": "text"}: an object with exactly one member, named after a type.
 */
static void
ReadAttributeValue(JsonReader *r, ItemBuilder *b)
{
	bool		found = false;
	Slice		name;
	int			type;

	if (unlikely(JsonNextByte(r) != '{'))
	{
		NoteNoObject(r, b);
		return;
	}
	JsonEnterObject(r);
	while (NextType(r, &name, &type))
	{
		if (unlikely(JsonNextByte(r) == 'n' || (type < 0 && r->in_request)))
		{
			JsonSkipValue(r);
			continue;
		}
		if (unlikely(found))
		{
			NoteSeveralTypes(r, b, type);
			return;
		}
		found = true;
		if (likely(type >= 0))
			ReadTypedValue(r, b, (ValueType) type);
		else
		{
			NoteUnknownType(b, name);
			JsonSkipValue(r);
		}
	}
	if (unlikely(!found))
		NoteNotOneType(b, true, DescribePlace(b, false), NULL);
}

void
ReadItemJson(JsonReader *r, ItemBuilder *b)
{
	ItemBuilderSetSource(b, SourcePosition, r);
	ReadMapBody(r, b);
}

void
ReadValueJson(JsonReader *r, ItemBuilder *b)
{
	ItemBuilderSetSource(b, SourcePosition, r);
	ReadAttributeValue(r, b);
}

/* Reads a complete text. */
static struct varlena *
ReadWholeText(const char *text, uint32 len, bool is_item, Problem *problem)
{
	ItemBuilder b;
	struct varlena *result;
	JsonReader	r;

	ItemBuilderInit(&b, is_item ? 0 : 1, DUPLICATE_NAME_LAST);
	b.problem = problem;
	JsonReaderInit(&r, text, len);
	r.problem = problem;
	r.message = is_item ? "invalid input syntax for type dynamo.item"
		: "invalid input syntax for type dynamo.value";
	r.hint = is_item ? ITEM_HINT : VALUE_HINT;

	/* Most texts are longer than their encodings. */
	ItemBuilderReserve(&b, len);
	if (is_item)
		ReadItemJson(&r, &b);
	else
		ReadValueJson(&r, &b);
	JsonEnd(&r);

	result = ProblemIsNoted(problem) ? NULL : ItemBuilderFinish(&b);
	ItemBuilderRelease(&b);
	return result;
}

struct varlena *
ItemFromJson(const char *text, uint32 len, Problem *problem)
{
	return ReadWholeText(text, len, true, problem);
}

struct varlena *
ValueFromJson(const char *text, uint32 len, Problem *problem)
{
	return ReadWholeText(text, len, false, problem);
}
