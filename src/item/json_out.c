/*
 * json_out.c
 *	  Items and values to canonical DynamoDB JSON.
 *
 * Canonical: attributes and set members in the order they are stored, ", "
 * and ": " between, as jsonb has it; only what JSON demands is escaped.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "item/base64.h"
#include "item/format.h"
#include "item/json.h"
#include "item/json_scan.h"
#include "item/number.h"

/* The most that one byte of text becomes: \u001f. */
#define MAX_ESCAPE		6

/* Makes room for that many bytes and a NUL, mostly without a call. */
static inline void
EnsureRoom(StringInfo out, uint32 more)
{
	if (unlikely((uint32) (out->maxlen - out->len) <= more))
		enlargeStringInfo(out, (int) more);
}

static inline void
AppendLiteral(StringInfo out, const char *text, uint32 len)
{
	EnsureRoom(out, len);
	memcpy(out->data + out->len, text, len);
	out->len += len;
}

#define APPEND(out, literal) AppendLiteral(out, literal, sizeof(literal) - 1)

/* ---- strings ---- */

static char *
EscapeByte(char *p, char c)
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
			memcpy(p, "\\u00", 4);
			p[4] = hex[(uint8) c >> 4];
			p[5] = hex[(uint8) c & 0x0F];
			return p + 6;
	}
	p[0] = '\\';
	p[1] = letter;
	return p + 2;
}

/* Appends text that needs escapes, or may; the quotes are the caller's. */
static void
AppendEscaped(StringInfo out, const char *p, const char *end)
{
	while (p < end)
	{
		uint64		high = 0;
		const char *run = ScanToSpecial(p, end, &high);

		AppendLiteral(out, p, (uint32) (run - p));
		p = run;
		if (p < end)
		{
			EnsureRoom(out, MAX_ESCAPE);
			out->len = (int) (EscapeByte(out->data + out->len, *p++) - out->data);
		}
	}
}

/*
 * Copies text to "to" as far as it needs no escapes; returns how much.  Copies
 * words of eight bytes, the last of them overlapping the one before it.
 */
static inline uint32
CopyPlain(char *to, const char *text, uint32 len)
{
	uint32		i = 0;
	uint64		word;

	if (len < sizeof(word))
	{
		for (; i < len && !IsSpecial(text[i]); i++)
			to[i] = text[i];
		return i;
	}

	for (; i < len; i += sizeof(word))
	{
		uint32		at = Min(i, len - (uint32) sizeof(word));

		memcpy(&word, text + at, sizeof(word));
		if (ScanSpecial(word) != 0)
			return at;
		memcpy(to + at, &word, sizeof(word));
	}
	return len;
}

void
JsonAppendString(StringInfo out, const char *text, uint32 len)
{
	uint32		copied;

	EnsureRoom(out, len + 2);
	out->data[out->len++] = '"';
	copied = CopyPlain(out->data + out->len, text, len);
	out->len += copied;
	if (unlikely(copied < len))
		AppendEscaped(out, text + copied, text + len);
	EnsureRoom(out, 1);
	out->data[out->len++] = '"';
	out->data[out->len] = '\0';
}

/* ---- scalars, and members of sets ---- */

static void
AppendNumber(StringInfo out, Slice number)
{
	EnsureRoom(out, NUMBER_MAX_TEXT + 2);
	out->data[out->len++] = '"';
	out->len += NumberToText((const uint8 *) number.data, number.len,
							 out->data + out->len);
	out->data[out->len++] = '"';
}

static void
AppendBinary(StringInfo out, Slice bytes)
{
	APPEND(out, "\"");
	Base64Append(out, bytes.data, bytes.len);
	APPEND(out, "\"");
}

static inline void
AppendScalar(StringInfo out, ValueType type, Slice payload)
{
	if (type == VALUE_S)
		JsonAppendString(out, payload.data, payload.len);
	else if (type == VALUE_N)
		AppendNumber(out, payload);
	else
		AppendBinary(out, payload);
}

/* ---- containers ---- */

static void AppendValue(StringInfo out, ValueRef v);

static void
AppendSet(StringInfo out, ValueRef v)
{
	Container	c;
	ValueType	member;

	ContainerOpen(v, &c);
	member = c.type == VALUE_SS ? VALUE_S : c.type == VALUE_NS ? VALUE_N : VALUE_B;
	APPEND(out, "[");
	for (uint32 i = 0; i < c.count; i++)
	{
		if (i > 0)
			APPEND(out, ", ");
		AppendScalar(out, member, FormatElement(&c, i));
	}
	APPEND(out, "]");
}

static void
AppendList(StringInfo out, ValueRef v)
{
	Container	c;

	check_stack_depth();
	ContainerOpen(v, &c);
	APPEND(out, "[");
	for (uint32 i = 0; i < c.count; i++)
	{
		if (i > 0)
			APPEND(out, ", ");
		AppendValue(out, ListElement(&c, i));
	}
	APPEND(out, "]");
}

static void
AppendMap(StringInfo out, ValueRef v)
{
	Container	c;

	check_stack_depth();
	ContainerOpen(v, &c);
	APPEND(out, "{");
	for (uint32 i = 0; i < c.count; i++)
	{
		Slice		name;
		ValueRef	value = FormatMapEntry(&c, i, &name);

		if (i > 0)
			APPEND(out, ", ");
		JsonAppendString(out, name.data, name.len);
		APPEND(out, ": ");
		AppendValue(out, value);
	}
	APPEND(out, "}");
}

static void
AppendValue(StringInfo out, ValueRef v)
{
	ValueType	type = ValueTypeOf(v);

	switch (type)
	{
		case VALUE_S:
			APPEND(out, "{\"S\": ");
			AppendScalar(out, type, ValuePayload(v));
			break;
		case VALUE_N:
			APPEND(out, "{\"N\": ");
			AppendScalar(out, type, ValuePayload(v));
			break;
		case VALUE_B:
			APPEND(out, "{\"B\": ");
			AppendScalar(out, type, ValuePayload(v));
			break;
		case VALUE_BOOL:
			if (ValueBool(v))
				APPEND(out, "{\"BOOL\": true");
			else
				APPEND(out, "{\"BOOL\": false");
			break;
		case VALUE_NULL:
			APPEND(out, "{\"NULL\": true");
			break;
		case VALUE_L:
			APPEND(out, "{\"L\": ");
			AppendList(out, v);
			break;
		case VALUE_M:
			APPEND(out, "{\"M\": ");
			AppendMap(out, v);
			break;
		case VALUE_SS:
			APPEND(out, "{\"SS\": ");
			AppendSet(out, v);
			break;
		case VALUE_NS:
			APPEND(out, "{\"NS\": ");
			AppendSet(out, v);
			break;
		case VALUE_BS:
			APPEND(out, "{\"BS\": ");
			AppendSet(out, v);
			break;
	}
	APPEND(out, "}");
}

void
ValueToJson(StringInfo out, ValueRef v)
{
	AppendValue(out, v);
	out->data[out->len] = '\0';
}

void
ItemToJson(StringInfo out, ValueRef item)
{
	AppendMap(out, item);
	out->data[out->len] = '\0';
}
