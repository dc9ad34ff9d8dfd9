/*
 * template_compose.c
 *	  Composing keys.
 */
#include "postgres.h"

#include "utils/pg_crc.h"

#include "entity/template_parts.h"
#include "entity/template_time.h"
#include "item/number.h"

ValueRef
PartAttribute(const TemplatePart *part, ValueRef item)
{
	ValueRef	v = item;

	for (int i = 0; i < part->nsteps; i++)
	{
		if (ValueIsMissing(v) || ValueTypeOf(v) != VALUE_M)
			return MISSING_VALUE;
		v = AttributeFind(v, part->steps[i].data, part->steps[i].len);
	}
	return v;
}

/* ---- text ---- */

bool
IsWordCharacter(char c)
{
	return (uint8) c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		(c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.' || c == '@';
}

/*
 * Changes the case of ASCII letters only, because only these have the same
 * case everywhere.
 */
static char
ConvertCase(char c, LetterCase letters)
{
	if (letters == CASE_UPPER && c >= 'a' && c <= 'z')
		return c - 'a' + 'A';
	if (letters == CASE_LOWER && c >= 'A' && c <= 'Z')
		return c - 'A' + 'a';
	return c;
}

static ComposeStatus
AppendText(const TemplatePart *part, Slice text, StringInfo out, const char **reason)
{
	enlargeStringInfo(out, text.len);
	for (uint32 i = 0; i < text.len; i++)
	{
		if (part->word && !IsWordCharacter(text.data[i]))
		{
			*reason = "has a character other than letters, digits, \"-\", \"_\", \".\" and \"@\"";
			return COMPOSE_UNFIT;
		}
		appendStringInfoCharMacro(out, ConvertCase(text.data[i], part->letters));
	}
	return COMPOSE_OK;
}

/* ---- numbers ---- */

/* A decimal text: sign, digits before the point, digits after it. */
typedef struct Decimal
{
	bool		negative;
	Slice		integer;		/* empty for 0 */
	Slice		fraction;
} Decimal;

static Decimal
SplitNumber(Slice text)
{
	Decimal		d = {.negative = text.data[0] == '-'};
	const char *point;

	if (d.negative)
		text = (Slice) {text.data + 1, text.len - 1};
	point = memchr(text.data, '.', text.len);
	d.integer = (Slice) {text.data, point == NULL ? text.len : (uint32) (point - text.data)};
	if (point != NULL)
		d.fraction = (Slice) {point + 1, text.data + text.len - (point + 1)};
	if (SliceIs(d.integer, "0"))
		d.integer.len = 0;
	return d;
}

/* Appends digits in a field, filled with zeros before or after them. */
static void
AppendFilledDigits(StringInfo out, Slice digits, int width, bool behind, bool complement)
{
	int			zeros = width - (int) digits.len;

	for (int i = 0; i < width; i++)
	{
		int			at = behind ? i : i - zeros;
		char		c = at >= 0 && at < (int) digits.len ? digits.data[at] : '0';

		appendStringInfoChar(out, complement ? '0' + '9' - c : c);
	}
}

/*
 * {n:+08:desc} is {n:+08} of the negative number: smaller numbers sort later.
 */
static ComposeStatus
AppendNumber(const TemplatePart *part, Slice text, StringInfo out, const char **reason)
{
	Decimal		d = SplitNumber(text);
	bool		zero = d.integer.len == 0 && d.fraction.len == 0;
	bool		complement;

	if (d.negative && !part->with_sign)
		*reason = "is negative; {n:+08} has a sign";
	else if (d.integer.len > (uint32) part->digits)
		*reason = "has too many digits";
	else if (d.fraction.len > (uint32) part->decimals)
		*reason = "has too many decimals";
	else
	{
		if (part->with_sign)
		{
			complement = !zero && d.negative != part->descending;
			appendStringInfoChar(out, complement ? 'n' : 'p');
		}
		else
			complement = part->descending;
		AppendFilledDigits(out, d.integer, part->digits, false, complement);
		if (part->decimals > 0)
		{
			appendStringInfoChar(out, '.');
			AppendFilledDigits(out, d.fraction, part->decimals, true, complement);
		}
		return COMPOSE_OK;
	}
	return COMPOSE_UNFIT;
}

bool
TextIsNumber(Slice text)
{
	uint8		number[NUMBER_MAX_BYTES];
	char		digits[NUMBER_MAX_TEXT];
	uint32		len;

	if (NumberFromText(text.data, text.len, number, &len) != NUMBER_OK)
		return false;
	return SliceEqual(text, (Slice) {digits, NumberToText(number, len, digits)});
}

/* ---- times ---- */

static ComposeStatus
AppendTime(const TemplatePart *part, ValueType type, Slice text, StringInfo out, const char **reason)
{
	char		digits[INSTANT_MAX_TEXT];
	int64		instant;

	if (!(type == VALUE_N ? InstantFromSeconds(text, &instant) : InstantFromText(text, &instant)))
	{
		*reason = type == VALUE_N ? "is not a time in seconds since 1970" :
			"is not a time such as 2026-01-31T12:00:00Z";
		return COMPOSE_UNFIT;
	}
	if (part->descending)
		appendStringInfo(out, "%0*lld", CountdownDigits(part->unit),
						 (long long) InstantCountdown(instant, part->unit));
	else
		appendBinaryStringInfo(out, digits, InstantToText(instant, part->unit, digits));
	return COMPOSE_OK;
}

/* ---- shards ---- */

int
ShardDigits(uint32 shards)
{
	return snprintf(NULL, 0, "%u", shards - 1);
}

static ComposeStatus
AppendShard(const TemplatePart *part, Slice text, StringInfo out, const char **reason)
{
	StringInfoData hashed;
	pg_crc32	crc;

	initStringInfo(&hashed);
	(void) AppendText(part, text, &hashed, reason);
	INIT_TRADITIONAL_CRC32(crc);
	COMP_TRADITIONAL_CRC32(crc, hashed.data, hashed.len);
	FIN_TRADITIONAL_CRC32(crc);
	appendStringInfo(out, "%0*u", ShardDigits(part->shards), crc % part->shards);
	pfree(hashed.data);
	return COMPOSE_OK;
}

/* ---- one part ---- */

ComposeStatus
PartAppend(const TemplatePart *part, ValueRef value, StringInfo out, const char **reason)
{
	char		digits[NUMBER_MAX_TEXT];
	ValueType	type;
	Slice		text;

	if (ValueIsMissing(value) || ValueTypeOf(value) == VALUE_NULL)
		return COMPOSE_MISSING;
	type = ValueTypeOf(value);
	if (type != VALUE_S && type != VALUE_N)
	{
		*reason = "is neither a string nor a number";
		return COMPOSE_UNFIT;
	}
	text = ValuePayload(value);
	if (type == VALUE_N)
		text = (Slice) {digits, NumberToText((const uint8 *) text.data, text.len, digits)};
	if (text.len == 0)
		return COMPOSE_MISSING;

	switch (part->kind)
	{
		case PART_TEXT:
			return AppendText(part, text, out, reason);
		case PART_TIME:
			return AppendTime(part, type, text, out, reason);
		case PART_SHARD:
			return AppendShard(part, text, out, reason);
		case PART_NUMBER:
			break;
	}
	if (type == VALUE_S && !TextIsNumber(text))
	{
		*reason = "is not a number";
		return COMPOSE_UNFIT;
	}
	return AppendNumber(part, text, out, reason);
}

/* ---- a key ---- */

/*
 * Returns the position of the first occurrence of a text; text.len if there is
 * none.
 */
uint32
FindFirst(Slice text, Slice wanted)
{
	for (uint32 i = 0; i + wanted.len <= text.len; i++)
	{
		if (memcmp(text.data + i, wanted.data, wanted.len) == 0)
			return i;
	}
	return text.len;
}

uint32
FindLast(Slice text, Slice wanted)
{
	for (uint32 i = text.len - Min(text.len, wanted.len) + 1; wanted.len <= text.len && i-- > 0;)
	{
		if (memcmp(text.data + i, wanted.data, wanted.len) == 0)
			return i;
	}
	return text.len;
}

/*
 * Whether a part of text can be separated from the adjacent literal by which
 * it is found: the literal after it or, beyond the marked part, the one before
 * it.  start is the position of the part in the key.
 */
static bool
PartCanBeFound(const Template *t, int piece, const StringInfoData *key, int start)
{
	Slice		text = {key->data + start, key->len - start};
	Slice		literal;

	if (t->pieces[piece].part->kind != PART_TEXT || piece == t->marked)
		return true;
	if (piece < t->marked)
	{
		StringInfoData both;
		bool		found;

		if (piece == t->npieces - 1)
			return true;
		literal = t->pieces[piece + 1].text;
		if (literal.len == 1)
			return memchr(text.data, literal.data[0], text.len) == NULL;
		initStringInfo(&both);
		appendBinaryStringInfo(&both, text.data, text.len);
		appendBinaryStringInfo(&both, literal.data, literal.len);
		found = FindFirst((Slice) {both.data, both.len}, literal) == text.len;
		pfree(both.data);
		return found;
	}
	literal = t->pieces[piece - 1].text;
	text = (Slice) {text.data - literal.len, text.len + literal.len};
	return FindLast(text, literal) == 0;
}

static ComposeStatus
AppendPiece(const Template *t, int piece, PartFinder find, void *arg, StringInfo out,
			ComposeProblem *problem)
{
	const TemplatePart *part = t->pieces[piece].part;
	int			start = out->len;
	ComposeStatus status;
	ValueRef	value;

	if (part == NULL)
	{
		appendBinaryStringInfo(out, t->pieces[piece].text.data, t->pieces[piece].text.len);
		return COMPOSE_OK;
	}
	problem->part = part;
	problem->reason = NULL;
	value = find(arg, part, &problem->reason);
	if (problem->reason != NULL)
		return COMPOSE_UNFIT;
	status = PartAppend(part, value, out, &problem->reason);
	if (status == COMPOSE_OK && !PartCanBeFound(t, piece, out, start))
	{
		problem->reason = piece < t->marked ? "contains the text that follows it in the template" :
			"contains the text that is before it in the template";
		return COMPOSE_UNFIT;
	}
	return status;
}

ComposeStatus
TemplateComposeFrom(const Template *template, PartFinder find, void *arg,
					StringInfo out, ComposeProblem *problem)
{
	for (int i = 0; i < template->npieces; i++)
	{
		ComposeStatus status = AppendPiece(template, i, find, arg, out, problem);

		if (status != COMPOSE_OK)
			return status;
	}
	return COMPOSE_OK;
}

/* A PartFinder. */
static ValueRef
FindInItem(void *arg, const TemplatePart *part, const char **reason)
{
	return PartAttribute(part, *(const ValueRef *) arg);
}

ComposeStatus
TemplateCompose(const Template *template, ValueRef item, StringInfo out, ComposeProblem *problem)
{
	return TemplateComposeFrom(template, FindInItem, &item, out, problem);
}
