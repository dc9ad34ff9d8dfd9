/*
 * json_out.c
 *	  Items and values to canonical DynamoDB JSON.
 *
 * In canonical JSON, attributes and set members are in storage order,
 * separators are ", " and ": " as in jsonb, and only the characters that JSON
 * requires are escaped.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "item/base64.h"
#include "item/format.h"
#include "item/json.h"
#include "item/json_scan.h"
#include "item/number.h"

/* The maximum number of bytes for one byte of text: \u001f. */
#define MAX_ESCAPE		6

/*
 * Text is written at a cursor that functions take and return, so that it stays
 * in a register and room for several pieces is requested at once.  Before a
 * value is written, there is room for its bytes and VALUE_ROOM more;
 * afterwards there is room for at least TAIL_ROOM.
 */
#define VALUE_ROOM		(NUMBER_MAX_TEXT + 64)
#define TAIL_ROOM		16

/* Makes room for this many bytes and a NUL; returns where they begin. */
static inline char *
MakeOutputRoom(StringInfo out, char *at, Size more)
{
	if (unlikely((Size) (out->data + out->maxlen - at) <= more))
	{
		out->len = (int) (at - out->data);
		enlargeStringInfo(out, (int) more);
		at = out->data + out->len;
	}
	return at;
}

static inline char *
BeginText(StringInfo out, Size more)
{
	return MakeOutputRoom(out, out->data + out->len, more);
}

static inline void
EndText(StringInfo out, char *at)
{
	*at = '\0';
	out->len = (int) (at - out->data);
}

static inline char *
PutLiteral(char *at, const char *text, uint32 len)
{
	memcpy(at, text, len);
	return at + len;
}

#define PUT(at, literal) PutLiteral(at, literal, sizeof(literal) - 1)

/* ---- strings ---- */

static char *
PutEscape(char *at, char c)
{
	static const char hex[] = "0123456789abcdef";
	char		letter;

	switch (c)
	{
		case '"':
		case '\\':
			letter = c;
			break;
		case '\b':
			letter = 'b';
			break;
		case '\f':
			letter = 'f';
			break;
		case '\n':
			letter = 'n';
			break;
		case '\r':
			letter = 'r';
			break;
		case '\t':
			letter = 't';
			break;
		default:
			at = PUT(at, "\\u00");
			*at++ = hex[(uint8) c >> 4];
			*at++ = hex[(uint8) c & 0x0F];
			return at;
	}
	*at++ = '\\';
	*at++ = letter;
	return at;
}

/* Writes text that may need escapes.  Leaves as much room as "behind" says. */
static char *
PutEscaped(StringInfo out, char *at, const char *text, const char *end, Size behind)
{
	while (text < end)
	{
		uint64		high = 0;
		const char *run = ScanToSpecial(text, end, &high);

		at = MakeOutputRoom(out, at, run - text + MAX_ESCAPE);
		at = PutLiteral(at, text, (uint32) (run - text));
		text = run;
		if (text < end)
			at = PutEscape(at, *text++);
	}
	return MakeOutputRoom(out, at, behind);
}

/* Four bytes that need no escapes, followed by four that may. */
#define PLAIN_WORD		UINT64CONST(0x2020202000000000)

/* CopyPlain for fewer than four bytes. */
static inline uint32
CopyTiny(char *to, const char *text, uint32 len)
{
	uint16		first,
				last;

	if (len < sizeof(first))
	{
		if (len == 0 || IsSpecial(*text))
			return 0;
		*to = *text;
		return 1;
	}
	memcpy(&first, text, sizeof(first));
	memcpy(&last, text + len - sizeof(last), sizeof(last));
	memcpy(to, &first, sizeof(first));
	memcpy(to + len - sizeof(last), &last, sizeof(last));
	return ScanSpecial(PLAIN_WORD | (uint64) first << 16 | last) == 0 ? len : 0;
}

/* CopyPlain for fewer than eight bytes. */
static inline uint32
CopyShort(char *to, const char *text, uint32 len)
{
	uint32		first,
				last;

	if (len < sizeof(first))
		return CopyTiny(to, text, len);
	memcpy(&first, text, sizeof(first));
	memcpy(&last, text + len - sizeof(last), sizeof(last));
	memcpy(to, &first, sizeof(first));
	memcpy(to + len - sizeof(last), &last, sizeof(last));
	return ScanSpecial((uint64) first << 32 | last) == 0 ? len : 0;
}

#ifdef __SSE2__

/* CopyPlain for sixteen bytes or more, sixteen at a time. */
static inline uint32
CopyLong(char *to, const char *text, uint32 len)
{
	for (uint32 i = 0; i < len; i += 16)
	{
		uint32		at = Min(i, len - 16);
		__m128i		bytes = _mm_loadu_si128((const __m128i *) (text + at));

		if (ScanSpecial16(bytes) != 0)
			return at;
		_mm_storeu_si128((__m128i *) (to + at), bytes);
	}
	return len;
}

/* CopyPlain for eight to fifteen bytes: copies all of them or none. */
static inline uint32
CopyMiddle(char *to, const char *text, uint32 len)
{
	uint64		first,
				last;

	memcpy(&first, text, sizeof(first));
	memcpy(&last, text + len - sizeof(last), sizeof(last));
	if (ScanSpecial16(_mm_set_epi64x((int64) last, (int64) first)) != 0)
		return 0;
	memcpy(to, &first, sizeof(first));
	memcpy(to + len - sizeof(last), &last, sizeof(last));
	return len;
}

#else

/* CopyPlain for eight bytes or more, eight at a time. */
static inline uint32
CopyLong(char *to, const char *text, uint32 len)
{
	uint64		word;

	for (uint32 i = 0; i < len; i += sizeof(word))
	{
		uint32		at = Min(i, len - (uint32) sizeof(word));

		memcpy(&word, text + at, sizeof(word));
		if (ScanSpecial(word) != 0)
			return at;
		memcpy(to + at, &word, sizeof(word));
	}
	return len;
}

#define CopyMiddle CopyLong

#endif

/*
 * Copies text to "to" up to the first byte that may need an escape; returns
 * the number of bytes copied.  The last words copied may overlap earlier ones.
 *
 * It is not inlined: a function that calls no other function saves no
 * registers.
 */
static pg_noinline uint32
CopyPlain(char *to, const char *text, uint32 len)
{
	if (len >= 16)
		return CopyLong(to, text, len);
	return len >= 8 ? CopyMiddle(to, text, len) : CopyShort(to, text, len);
}

/*
 * Writes a string in quotes.  There is room for it and for "behind" more
 * bytes.
 */
static inline char *
PutString(StringInfo out, char *at, Slice text, Size behind)
{
	uint32		copied;

	*at++ = '"';
	copied = CopyPlain(at, text.data, text.len);
	at += copied;
	if (unlikely(copied < text.len))
		at = PutEscaped(out, at, text.data + copied, text.data + text.len, behind + 1);
	*at++ = '"';
	return at;
}

void
JsonAppendString(StringInfo out, const char *text, uint32 len)
{
	char	   *at = BeginText(out, (Size) len + 2);

	EndText(out, PutString(out, at, (Slice) {text, len}, 0));
}

/* ---- scalars, and members of sets ---- */

static inline char *
PutNumber(char *at, Slice number)
{
	*at++ = '"';
	at += NumberToText((const uint8 *) number.data, number.len, at);
	*at++ = '"';
	return at;
}

static char *
PutBinary(StringInfo out, char *at, Slice bytes)
{
	*at++ = '"';
	out->len = (int) (at - out->data);
	Base64Append(out, bytes.data, bytes.len);
	at = BeginText(out, TAIL_ROOM + 1);
	*at++ = '"';
	return at;
}

static inline char *
PutScalar(StringInfo out, char *at, ValueType type, Slice payload)
{
	if (type == VALUE_S)
		return PutString(out, at, payload, TAIL_ROOM);
	if (type == VALUE_N)
		return PutNumber(at, payload);
	return PutBinary(out, at, payload);
}

/* ---- containers ---- */

static char *PutValue(StringInfo out, char *at, ValueRef v);

/* PutValue that writes the most frequent types without a call. */
static inline char *
PutElement(StringInfo out, char *at, ValueRef v)
{
	if (ValueTypeOf(v) != VALUE_S)
		return PutValue(out, at, v);
	at = PutString(out, PUT(at, "{\"S\": "), ValuePayload(v), TAIL_ROOM);
	*at++ = '}';
	return at;
}

/* Writes the separator before element i. */
static inline char *
PutComma(char *at, uint32 i)
{
	return i > 0 ? PUT(at, ", ") : at;
}

static inline char *
PutEnd(StringInfo out, char *at, char bracket)
{
	*at++ = bracket;
	return MakeOutputRoom(out, at, TAIL_ROOM);
}

static char *
PutSet(StringInfo out, char *at, ValueRef v)
{
	Container	c;
	ValueType	member;

	ContainerOpen(v, &c);
	member = c.type == VALUE_SS ? VALUE_S : c.type == VALUE_NS ? VALUE_N : VALUE_B;
	*at++ = '[';
	for (uint32 i = 0; i < c.count; i++)
	{
		Slice		element = FormatElement(&c, i);

		CHECK_FOR_INTERRUPTS();
		at = MakeOutputRoom(out, PutComma(at, i), (Size) element.len + VALUE_ROOM);
		at = PutScalar(out, at, member, element);
	}
	return PutEnd(out, at, ']');
}

static char *
PutList(StringInfo out, char *at, ValueRef v)
{
	Container	c;

	check_stack_depth();
	ContainerOpen(v, &c);
	*at++ = '[';
	for (uint32 i = 0; i < c.count; i++)
	{
		Slice		element = FormatElement(&c, i);

		CHECK_FOR_INTERRUPTS();
		at = MakeOutputRoom(out, PutComma(at, i), (Size) element.len + VALUE_ROOM);
		at = PutElement(out, at, (ValueRef) {(const uint8 *) element.data, element.len});
	}
	return PutEnd(out, at, ']');
}

static char *
PutMap(StringInfo out, char *at, ValueRef v)
{
	Container	c;

	check_stack_depth();
	ContainerOpen(v, &c);
	*at++ = '{';
	for (uint32 i = 0; i < c.count; i++)
	{
		Slice		name;
		ValueRef	value = FormatMapEntry(&c, i, &name);
		Size		room = (Size) value.len + VALUE_ROOM;

		CHECK_FOR_INTERRUPTS();
		at = MakeOutputRoom(out, PutComma(at, i), name.len + TAIL_ROOM + room);
		at = PutString(out, at, name, TAIL_ROOM + room);
		at = PUT(at, ": ");
		at = PutElement(out, at, value);
	}
	return PutEnd(out, at, '}');
}

static char *
PutValue(StringInfo out, char *at, ValueRef v)
{
	ValueType	type = ValueTypeOf(v);

	switch (type)
	{
		case VALUE_S:
			at = PUT(at, "{\"S\": ");
			at = PutString(out, at, ValuePayload(v), TAIL_ROOM);
			break;
		case VALUE_N:
			at = PUT(at, "{\"N\": ");
			at = PutNumber(at, ValuePayload(v));
			break;
		case VALUE_B:
			at = PUT(at, "{\"B\": ");
			at = PutBinary(out, at, ValuePayload(v));
			break;
		case VALUE_BOOL:
			at = ValueBool(v) ? PUT(at, "{\"BOOL\": true") : PUT(at, "{\"BOOL\": false");
			break;
		case VALUE_NULL:
			at = PUT(at, "{\"NULL\": true");
			break;
		case VALUE_L:
			at = PutList(out, PUT(at, "{\"L\": "), v);
			break;
		case VALUE_M:
			at = PutMap(out, PUT(at, "{\"M\": "), v);
			break;
		case VALUE_SS:
			at = PutSet(out, PUT(at, "{\"SS\": "), v);
			break;
		case VALUE_NS:
			at = PutSet(out, PUT(at, "{\"NS\": "), v);
			break;
		case VALUE_BS:
			at = PutSet(out, PUT(at, "{\"BS\": "), v);
			break;
	}
	*at++ = '}';
	return at;
}

void
ValueToJson(StringInfo out, ValueRef v)
{
	char	   *at = BeginText(out, (Size) v.len + VALUE_ROOM);

	EndText(out, PutValue(out, at, v));
}

void
ItemToJson(StringInfo out, ValueRef item)
{
	char	   *at = BeginText(out, (Size) item.len + VALUE_ROOM);

	EndText(out, PutMap(out, at, item));
}
