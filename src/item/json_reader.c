/*
 * json_reader.c
 *	  A pull reader over JSON text (RFC 8259).
 *
 * The reader keeps one bit of state: whether the next member or element is the
 * first one of its container.  Entering a container sets the bit, and reading
 * a complete value clears it, so that no stack is needed.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "item/json_reader.h"
#include "item/json_scan.h"

/* ---- problems ---- */

void
JsonFail(JsonReader *r, const Problem *found)
{
	ProblemNote(r->problem, found);
	r->at = r->end;
}

static void
ReaderError(JsonReader *r, const char *at, const char *problem)
{
	if (ProblemIsNoted(r->problem))
		r->at = r->end;
	else
		JsonFail(r, &(Problem) {
			.sqlstate = r->sqlstate,
			.message = r->message,
			.detail = psprintf("%s at byte %u.", problem, (uint32) (at - r->text) + 1),
			.hint = r->hint
		});
}

static void
ExpectedError(JsonReader *r, const char *expected)
{
	char		problem[100];

	if (r->at >= r->end)
		snprintf(problem, sizeof(problem), "Expected %s, but the text ends", expected);
	else if (*r->at > ' ' && *r->at < 0x7F)
		snprintf(problem, sizeof(problem), "Expected %s, but found \"%c\"",
				 expected, *r->at);
	else
		snprintf(problem, sizeof(problem), "Expected %s, but found byte 0x%02X",
				 expected, (uint8) *r->at);
	ReaderError(r, r->at, problem);
}

/* ---- tokens ---- */

void
JsonReaderInit(JsonReader *r, const char *text, uint32 len)
{
	r->text = text;
	r->end = text + len;
	r->at = text;
	r->first = false;
	r->problem = NULL;
	r->sqlstate = ERRCODE_INVALID_TEXT_REPRESENTATION;
	r->message = "invalid input syntax for type json";
	r->hint = NULL;
	r->in_request = false;
}

uint32
JsonPosition(const JsonReader *r)
{
	return (uint32) (r->at - r->text) + 1;
}

/* Reads this character; any other one is a problem that contains its name. */
static inline void
ExpectCharacter(JsonReader *r, char c, const char *name)
{
	JsonSkipSpace(r);
	if (unlikely(r->at >= r->end || *r->at != c))
		ExpectedError(r, name);
	else
		r->at++;
}

JsonKind
JsonPeek(JsonReader *r)
{
	JsonSkipSpace(r);
	if (r->at < r->end)
	{
		switch (*r->at)
		{
			case '{':
				return JSON_OBJECT;
			case '[':
				return JSON_ARRAY;
			case '"':
				return JSON_STRING;
			case 't':
				return JSON_TRUE;
			case 'f':
				return JSON_FALSE;
			case 'n':
				return JSON_NULL;
			case '-':
			case '0':
			case '1':
			case '2':
			case '3':
			case '4':
			case '5':
			case '6':
			case '7':
			case '8':
			case '9':
				return JSON_NUMBER;
			default:
				break;
		}
	}
	ExpectedError(r, "a value");
	return JSON_NOTHING;
}

void
JsonBeginObject(JsonReader *r)
{
	ExpectCharacter(r, '{', "\"{\"");
	r->first = true;
}

void
JsonBeginArray(JsonReader *r)
{
	ExpectCharacter(r, '[', "\"[\"");
	r->first = true;
}

/*
 * Moves to the next element of a container that ends with this character;
 * false at its end.
 */
static inline bool
ReadNextInContainer(JsonReader *r, char close, const char *close_name,
					const char *comma_or_close)
{
	bool		first = r->first;

	CHECK_FOR_INTERRUPTS();
	r->first = false;
	JsonSkipSpace(r);
	if (r->at < r->end && *r->at == close)
	{
		r->at++;
		return false;
	}
	if (unlikely(r->at >= r->end || (!first && *r->at != ',')))
	{
		ExpectedError(r, first ? close_name : comma_or_close);
		return false;
	}
	r->at += !first;
	return true;
}

bool
JsonNextMember(JsonReader *r, Slice *name)
{
	if (!ReadNextInContainer(r, '}', "a string or \"}\"", "\",\" or \"}\""))
		return false;
	*name = JsonString(r);
	ExpectCharacter(r, ':', "\":\"");
	return true;
}

bool
JsonNextElement(JsonReader *r)
{
	return ReadNextInContainer(r, ']', "a value or \"]\"", "\",\" or \"]\"");
}

void
JsonEnd(JsonReader *r)
{
	JsonSkipSpace(r);
	if (r->at < r->end)
		ExpectedError(r, "the end of the text");
}

/* Reads the rest of true, false or null. */
static void
ReadWord(JsonReader *r, const char *word)
{
	size_t		len = strlen(word);

	if ((size_t) (r->end - r->at) < len || memcmp(r->at, word, len) != 0)
		ReaderError(r, r->at, "Expected a value, but found an unknown word");
	else
		r->at += len;
}

bool
JsonBool(JsonReader *r)
{
	JsonKind	kind = JsonPeek(r);

	if (kind != JSON_TRUE && kind != JSON_FALSE)
		ExpectedError(r, "true or false");
	else
		ReadWord(r, kind == JSON_TRUE ? "true" : "false");
	return kind == JSON_TRUE;
}

/* ---- numbers ---- */

static void
ReadDigits(JsonReader *r)
{
	const char *start = r->at;

	while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
		r->at++;
	if (r->at == start)
		ExpectedError(r, "a digit");
}

Slice
JsonNumber(JsonReader *r)
{
	const char *start;

	if (JsonPeek(r) != JSON_NUMBER)
		ExpectedError(r, "a number");

	start = r->at;
	if (r->at < r->end && *r->at == '-')
		r->at++;
	if (r->at < r->end && *r->at == '0')
		r->at++;
	else
		ReadDigits(r);
	if (r->at < r->end && *r->at == '.')
	{
		r->at++;
		ReadDigits(r);
	}
	if (r->at < r->end && (*r->at == 'e' || *r->at == 'E'))
	{
		r->at++;
		if (r->at < r->end && (*r->at == '+' || *r->at == '-'))
			r->at++;
		ReadDigits(r);
	}
	return (Slice) {start, (uint32) (r->at - start)};
}

/* ---- strings ---- */

static bool
CheckUtf8(JsonReader *r, const char *start, const char *end)
{
	int			len = (int) (end - start);
	int			valid = pg_encoding_verifymbstr(PG_UTF8, start, len);

	/* The check stops at a NUL, but the caller has excluded NULs. */
	if (valid != len)
		ReaderError(r, start + valid, "Invalid byte sequence for encoding \"UTF8\"");
	return valid == len;
}

/*
 * Returns the value of four hexadecimal digits at p; -1 if they are not there.
 */
static int
ReadHex(JsonReader *r, const char *p)
{
	int			value = 0;

	for (int i = 0; i < 4; i++, p++)
	{
		int			digit;

		if (p >= r->end)
		{
			ReaderError(r, p, "Expected four hexadecimal digits, but the text ends");
			return -1;
		}
		if (*p >= '0' && *p <= '9')
			digit = *p - '0';
		else if (*p >= 'a' && *p <= 'f')
			digit = *p - 'a' + 10;
		else if (*p >= 'A' && *p <= 'F')
			digit = *p - 'A' + 10;
		else
		{
			ReaderError(r, p, "Expected a hexadecimal digit after \"\\u\"");
			return -1;
		}
		value = value * 16 + digit;
	}
	return value;
}

/*
 * Reads the escape \uXXXX at *p, or two of them if they are a surrogate pair;
 * -1 if it is invalid.
 */
static int
ReadUnicodeEscape(JsonReader *r, const char **p)
{
	const char *start = *p;
	int			c = ReadHex(r, start + 2);
	int			low = -1;

	*p = start + 6;
	if (c < 0)
		return -1;
	if (is_utf16_surrogate_second(c))
	{
		ReaderError(r, start, "Unicode low surrogate without a high surrogate");
		return -1;
	}
	if (!is_utf16_surrogate_first(c))
		return c;

	if (r->end - *p >= 2 && (*p)[0] == '\\' && (*p)[1] == 'u')
		low = ReadHex(r, *p + 2);
	if (low < 0 || !is_utf16_surrogate_second(low))
	{
		ReaderError(r, start, "Unicode high surrogate without a low surrogate");
		return -1;
	}
	*p += 6;
	return surrogate_pair_to_codepoint(c, low);
}

/*
 * Decodes the escape at *p to out; returns the position after the decoded
 * bytes, NULL if the escape is invalid.  The string has a closing quote.
 */
static char *
DecodeEscape(JsonReader *r, const char **p, char *out)
{
	const char *start = *p;
	char		c = start[1];

	if (c == 'u')
	{
		int			code = ReadUnicodeEscape(r, p);

		if (code < 0)
			return NULL;
		unicode_to_utf8(code, (unsigned char *) out);
		return out + pg_utf_mblen((unsigned char *) out);
	}

	*p += 2;
	switch (c)
	{
		case '"':
		case '\\':
		case '/':
			*out = c;
			break;
		case 'b':
			*out = '\b';
			break;
		case 'f':
			*out = '\f';
			break;
		case 'n':
			*out = '\n';
			break;
		case 'r':
			*out = '\r';
			break;
		case 't':
			*out = '\t';
			break;
		default:
			ReaderError(r, start, "Invalid escape sequence");
			return NULL;
	}
	return out + 1;
}

/*
 * Returns the closing quote at or after p, which is inside a string; NULL if
 * there is none.
 */
static const char *
FindClosingQuote(JsonReader *r, const char *p)
{
	uint64		high = 0;

	for (; p < r->end; p += 2)
	{
		p = ScanToSpecial(p, r->end, &high);
		if (p >= r->end)
			break;
		if (*p == '"')
			return p;
		if (*p != '\\')
		{
			ReaderError(r, p, "Control character in a string must be escaped");
			return NULL;
		}
	}
	ReaderError(r, r->end, "Unterminated string");
	return NULL;
}

/* Decodes a string with escapes.  start is the first byte after its quote. */
static Slice
DecodeString(JsonReader *r, const char *start)
{
	const char *quote = FindClosingQuote(r, start);
	const char *p = start;
	char	   *result;
	char	   *out;

	if (quote == NULL)
		return (Slice) {r->end, 0};

	/* An escape is never shorter than what it represents. */
	result = palloc(quote - start + 1);
	out = result;
	while (p < quote)
	{
		uint64		high = 0;
		const char *run = ScanToSpecial(p, quote, &high);

		if ((high & SCAN_HIGHS) != 0 && !CheckUtf8(r, p, run))
			return (Slice) {r->end, 0};
		memcpy(out, p, run - p);
		out += run - p;
		p = run;
		if (p < quote)
			out = DecodeEscape(r, &p, out);
		if (out == NULL)
			return (Slice) {r->end, 0};
	}
	r->at = quote + 1;
	return (Slice) {result, (uint32) (out - result)};
}

/*
 * Reads a string that ScanToSpecial has read up to p and that is not plain.
 * It is not inlined, so that reading plain strings saves fewer registers.
 */
static pg_noinline Slice
ReadHardString(JsonReader *r, const char *start, const char *p)
{
	if (p >= r->end || *p != '"')
		return DecodeString(r, start);
	if (!CheckUtf8(r, start, p))
		return (Slice) {r->end, 0};
	r->at = p + 1;
	return (Slice) {start, (uint32) (p - start)};
}

Slice
JsonString(JsonReader *r)
{
	uint64		high = 0;
	const char *start;
	const char *p;

	ExpectCharacter(r, '"', "a string");
	start = r->at;
	p = ScanToSpecial(start, r->end, &high);
	if (unlikely(p >= r->end || *p != '"' || (high & SCAN_HIGHS) != 0))
		return ReadHardString(r, start, p);
	r->at = p + 1;
	return (Slice) {start, (uint32) (p - start)};
}

/* ---- whole values ---- */

static void SkipNested(JsonReader *r, int depth);

static void
SkipContainer(JsonReader *r, JsonKind kind, int depth)
{
	Slice		name;

	if (depth >= JSON_MAX_DEPTH)
	{
		ReaderError(r, r->at, "Objects and arrays are nested too deeply");
		return;
	}
	check_stack_depth();

	if (kind == JSON_OBJECT)
	{
		JsonBeginObject(r);
		while (JsonNextMember(r, &name))
			SkipNested(r, depth + 1);
	}
	else
	{
		JsonBeginArray(r);
		while (JsonNextElement(r))
			SkipNested(r, depth + 1);
	}
}

static void
SkipNested(JsonReader *r, int depth)
{
	JsonKind	kind = JsonPeek(r);

	switch (kind)
	{
		case JSON_OBJECT:
		case JSON_ARRAY:
			SkipContainer(r, kind, depth);
			break;
		case JSON_STRING:
			(void) JsonString(r);
			break;
		case JSON_NUMBER:
			(void) JsonNumber(r);
			break;
		case JSON_TRUE:
		case JSON_FALSE:
			(void) JsonBool(r);
			break;
		case JSON_NULL:
			ReadWord(r, "null");
			break;
		case JSON_NOTHING:
			break;
	}
}

void
JsonSkipValue(JsonReader *r)
{
	SkipNested(r, 0);
}
