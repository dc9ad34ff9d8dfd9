/*
 * template_apart.c
 *	  Taking keys apart.
 *
 * From the left up to the marked part, from the right down to it: a part of
 * text ends where the text behind it is found first, or begins behind where
 * the text before it is found last.
 */
#include "postgres.h"

#include "entity/template_parts.h"
#include "entity/template_time.h"

/* ---- what a part's text may be ---- */

uint32
PartWidth(const TemplatePart *part)
{
	switch (part->kind)
	{
		case PART_NUMBER:
			return part->with_sign + part->digits + (part->decimals > 0 ? 1 + part->decimals : 0);
		case PART_TIME:
			return part->descending ? (uint32) CountdownDigits(part->unit) :
				InstantTextLength(part->unit);
		case PART_SHARD:
			return ShardDigits(part->shards);
		case PART_TEXT:
			break;
	}
	return 0;
}

bool
PartByteFits(const TemplatePart *part, uint32 i, char c)
{
	static const char time_form[] = "0000-00-00T00:00:00.000000Z";
	char		form = '0';

	if (part->kind == PART_NUMBER)
	{
		if (part->with_sign && i == 0)
			return c == 'p' || c == 'n';
		if (part->decimals > 0 && i == (uint32) (part->with_sign + part->digits))
			form = '.';
	}
	else if (part->kind == PART_TIME && !part->descending)
		form = part->unit != TIME_DATE && i == PartWidth(part) - 1 ? 'Z' : time_form[i];
	return form == '0' ? c >= '0' && c <= '9' : c == form;
}

bool
PartTextByteFits(const TemplatePart *part, char c)
{
	if (part->word && !IsWordCharacter(c))
		return false;
	return !(part->letters == CASE_UPPER && c >= 'a' && c <= 'z') &&
		!(part->letters == CASE_LOWER && c >= 'A' && c <= 'Z');
}

static int64
ReadInteger(Slice digits)
{
	int64		n = 0;

	for (uint32 i = 0; i < digits.len; i++)
		n = n * 10 + (digits.data[i] - '0');
	return n;
}

static bool
ReadInstant(const TemplatePart *part, Slice text, int64 *instant)
{
	int64		earliest;

	if (!part->descending)
		return InstantFromText(text, instant);
	(void) InstantFromText(SliceOf("0001-01-01"), &earliest);
	*instant = InstantOfCountdown(ReadInteger(text), part->unit);
	return *instant >= earliest;
}

/* Minus zero is not the text of a number. */
static bool
IsNegativeZero(Slice text)
{
	if (text.data[0] != 'n')
		return false;
	for (uint32 i = 1; i < text.len; i++)
	{
		if (text.data[i] != '9' && text.data[i] != '.')
			return false;
	}
	return true;
}

static bool
TextFits(const TemplatePart *part, Slice text)
{
	int64		instant;

	for (uint32 i = 0; i < text.len; i++)
	{
		if (part->kind == PART_TEXT ? !PartTextByteFits(part, text.data[i]) :
			!PartByteFits(part, i, text.data[i]))
			return false;
	}
	if (part->kind == PART_TIME)
		return ReadInstant(part, text, &instant);
	if (part->kind == PART_SHARD)
		return ReadInteger(text) < part->shards;
	return text.len > 0 && !(part->kind == PART_NUMBER && part->with_sign && IsNegativeZero(text));
}

/* ---- from both ends ---- */

/* Removes a piece from the start of the remaining text. */
static bool
TakeFirst(const Template *t, int piece, Slice *rest, Slice *text)
{
	const TemplatePiece *p = &t->pieces[piece];
	uint32		n;

	if (p->part == NULL)
	{
		if (!SliceBeginsWith(*rest, p->text))
			return false;
		n = p->text.len;
	}
	else if (p->part->kind != PART_TEXT)
		n = PartWidth(p->part);
	else
	{
		n = piece == t->npieces - 1 ? rest->len : FindFirst(*rest, t->pieces[piece + 1].text);
		if (piece < t->npieces - 1 && n == rest->len)
			return false;
	}
	if (n > rest->len)
		return false;
	*text = (Slice) {rest->data, n};
	*rest = (Slice) {rest->data + n, rest->len - n};
	return true;
}

/*
 * Removes a piece from the end of the remaining text; a literal precedes a
 * part of text.
 */
static bool
TakeLast(const Template *t, int piece, Slice *rest, Slice *text)
{
	const TemplatePiece *p = &t->pieces[piece];
	uint32		n;

	if (p->part == NULL)
		n = p->text.len;
	else if (p->part->kind != PART_TEXT)
		n = PartWidth(p->part);
	else
	{
		Slice		literal = t->pieces[piece - 1].text;
		uint32		at = FindLast(*rest, literal);

		if (at == rest->len)
			return false;
		n = rest->len - at - literal.len;
	}
	if (n > rest->len)
		return false;
	*text = (Slice) {rest->data + rest->len - n, n};
	*rest = (Slice) {rest->data, rest->len - n};
	return p->part != NULL || SliceEqual(*text, p->text);
}

bool
TemplateTakeApart(const Template *template, Slice key, Slice *texts)
{
	Slice		rest = key;

	for (int i = 0; i < template->marked; i++)
	{
		if (!TakeFirst(template, i, &rest, &texts[i]))
			return false;
	}
	for (int i = template->npieces - 1; i > template->marked; i--)
	{
		if (!TakeLast(template, i, &rest, &texts[i]))
			return false;
	}
	if (template->marked < template->npieces)
		texts[template->marked] = rest;
	else if (rest.len > 0)
		return false;
	for (int i = 0; i < template->npieces; i++)
	{
		if (template->pieces[i].part != NULL && !TextFits(template->pieces[i].part, texts[i]))
			return false;
	}
	return true;
}

/* ---- values ---- */

/* Returns the digits of a field without the zeros that fill it. */
static void
AppendNumberValue(const TemplatePart *part, Slice text, StringInfo out)
{
	bool		complement = part->with_sign ? text.data[0] == 'n' : part->descending;
	int			begin = out->len;
	int			start = begin;
	bool		zero = true;

	if (part->with_sign)
	{
		if (complement != part->descending)
			appendStringInfoChar(out, '-');
		text = (Slice) {text.data + 1, text.len - 1};
		start = out->len;
	}
	for (uint32 i = 0; i < text.len; i++)
	{
		char		c = complement && text.data[i] != '.' ? '0' + '9' - text.data[i] : text.data[i];

		zero &= c == '0' || c == '.';
		if (out->len == start && c == '0' && i + 1 < (uint32) part->digits)
			continue;
		appendStringInfoChar(out, c);
	}
	while (part->decimals > 0 && out->data[out->len - 1] == '0')
		out->data[--out->len] = '\0';
	if (out->data[out->len - 1] == '.')
		out->data[--out->len] = '\0';
	if (zero)					/* "-0" of {n:+08:desc} */
	{
		out->len = begin;
		appendStringInfoChar(out, '0');
	}
}

ValueType
PartAppendValue(const TemplatePart *part, Slice text, StringInfo out)
{
	char		instant_text[INSTANT_MAX_TEXT];
	int64		instant;

	switch (part->kind)
	{
		case PART_NUMBER:
			AppendNumberValue(part, text, out);
			return VALUE_N;
		case PART_TIME:
			(void) ReadInstant(part, text, &instant);
			appendBinaryStringInfo(out, instant_text, InstantToText(instant, part->unit, instant_text));
			return VALUE_S;
		case PART_TEXT:
		case PART_SHARD:
			break;
	}
	appendBinaryStringInfo(out, text.data, text.len);
	return VALUE_S;
}
