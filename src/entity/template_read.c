/*
 * template_read.c
 *	  Reading templates of keys.
 */
#include "postgres.h"

#include "entity/template.h"
#include "expr/parse_cache.h"

/* A template that is being read. */
typedef struct Reading
{
	Slice		rest;
	const char *problem;		/* the problem; NULL if there is none yet */
	Template   *template;
	int			nparts;
} Reading;

static bool
NoteTemplateProblem(Reading *r, const char *problem)
{
	r->problem = problem;
	return false;
}

static char
PeekChar(const Reading *r)
{
	return r->rest.len == 0 ? '\0' : r->rest.data[0];
}

static void
SkipChars(Reading *r, uint32 n)
{
	r->rest.data += n;
	r->rest.len -= n;
}

/* ---- numbers in formats ---- */

/* Reads digits, no more than seven; -1 if there are none, or more. */
static int
ReadTemplateNumber(Slice *text)
{
	int			n = 0;
	uint32		i = 0;

	while (i < text->len && i < 8 && text->data[i] >= '0' && text->data[i] <= '9')
		n = n * 10 + (text->data[i++] - '0');
	if (i == 0 || i == 8)
		return -1;
	*text = (Slice) {text->data + i, text->len - i};
	return n;
}

/* ---- formats ---- */

/* Sets the kind of a part other than text, which is allowed once. */
static bool
SetKind(Reading *r, TemplatePart *part, PartKind kind)
{
	if (part->kind != PART_TEXT)
		return NoteTemplateProblem(r, psprintf("part {%.*s} has two formats", (int) part->name.len, part->name.data));
	part->kind = kind;
	return true;
}

/* [ "+" ] "0" width [ "." digits ] */
static bool
ReadNumberFormat(Reading *r, TemplatePart *part, Slice format)
{
	Slice		rest = format;

	part->with_sign = rest.data[0] == '+';
	if (part->with_sign)
		rest = (Slice) {rest.data + 1, rest.len - 1};
	if (rest.len < 2 || rest.data[0] != '0')
		return NoteTemplateProblem(r, psprintf("unknown format \"%.*s\"", (int) format.len, format.data));
	rest = (Slice) {rest.data + 1, rest.len - 1};
	part->digits = ReadTemplateNumber(&rest);
	if (rest.len > 0 && rest.data[0] == '.')
	{
		rest = (Slice) {rest.data + 1, rest.len - 1};
		part->decimals = ReadTemplateNumber(&rest);
		if (part->decimals == 0)
			part->decimals = -1;
	}
	if (rest.len > 0 || part->digits <= 0 || part->decimals < 0 ||
		part->digits + part->decimals > TEMPLATE_MAX_DIGITS)
		return NoteTemplateProblem(r, psprintf("format \"%.*s\" is not a width of 1 to %d digits",
											   (int) format.len, format.data, TEMPLATE_MAX_DIGITS));
	return SetKind(r, part, PART_NUMBER);
}

static bool
ReadTimeFormat(Reading *r, TemplatePart *part, TimeUnit unit)
{
	part->unit = unit;
	return SetKind(r, part, PART_TIME);
}

static bool
ReadFormat(Reading *r, TemplatePart *part, Slice format)
{
	static const char *const units[] = {
		[TIME_DATE] = "date",
		[TIME_SECONDS] = "s",
		[TIME_MILLISECONDS] = "ms",
		[TIME_MICROSECONDS] = "us",
	};

	if (format.len > 0 && (format.data[0] == '+' || format.data[0] == '0'))
		return ReadNumberFormat(r, part, format);
	for (size_t i = 0; i < lengthof(units); i++)
	{
		if (SliceIs(format, units[i]))
			return ReadTimeFormat(r, part, (TimeUnit) i);
	}
	if (SliceIs(format, "upper") || SliceIs(format, "lower"))
		part->letters = SliceIs(format, "upper") ? CASE_UPPER : CASE_LOWER;
	else if (SliceIs(format, "desc"))
		part->descending = true;
	else if (SliceIs(format, "any"))
		part->any = true;
	else if (SliceIs(format, "word"))
		part->word = true;
	else if (format.len > 0 && format.data[0] >= '1' && format.data[0] <= '9')
		return NoteTemplateProblem(r, psprintf("unknown format \"%.*s\": a width begins with 0, as in {%.*s:0%.*s}", (int) format.len, format.data,
											   (int) part->name.len, part->name.data, (int) format.len, format.data));
	else
		return NoteTemplateProblem(r, psprintf("unknown format \"%.*s\"", (int) format.len, format.data));
	return true;
}

/* Checks for formats that exclude each other. */
static bool
CheckFormats(Reading *r, const TemplatePart *part)
{
	bool		ordered = part->kind == PART_NUMBER || part->kind == PART_TIME;

	if (part->descending && !ordered)
		return NoteTemplateProblem(r, "\"desc\" needs a number with a width or a time, as in {n:08:desc}");
	if (part->letters != CASE_AS_IS && ordered)
		return NoteTemplateProblem(r, "numbers and times have no letters to change");
	if ((part->any || part->word) && part->kind != PART_TEXT)
		return NoteTemplateProblem(r, "\"any\" and \"word\" are formats of text");
	if (part->any && part->word)
		return NoteTemplateProblem(r, "\"any\" and \"word\" exclude each other");
	return true;
}

/* ---- parts ---- */

/* Reads a name, which ends before one of . : } or is quoted. */
static bool
ReadName(Reading *r, Slice *name)
{
	bool		quoted = PeekChar(r) == '"';
	uint32		n = 0;

	if (quoted)
		SkipChars(r, 1);
	while (n < r->rest.len && strchr(quoted ? "\"" : "{}:.#\"", r->rest.data[n]) == NULL)
		n++;
	*name = (Slice) {r->rest.data, n};
	if (n == 0)
		return NoteTemplateProblem(r, "empty attribute name");
	SkipChars(r, n);
	if (!quoted)
		return true;
	if (PeekChar(r) != '"')
		return NoteTemplateProblem(r, "unmatched quote");
	SkipChars(r, 1);
	return true;
}

static bool
ReadPath(Reading *r, TemplatePart *part)
{
	Slice		steps[ITEM_MAX_DEPTH];
	const char *start = r->rest.data;

	do
	{
		if (part->nsteps > 0)
			SkipChars(r, 1);
		if (part->nsteps == ITEM_MAX_DEPTH)
			return NoteTemplateProblem(r, "a path is too deep");
		if (!ReadName(r, &steps[part->nsteps++]))
			return false;
	} while (PeekChar(r) == '.');

	part->steps = palloc(sizeof(Slice) * part->nsteps);
	memcpy(part->steps, steps, sizeof(Slice) * part->nsteps);
	part->name = part->nsteps == 1 ? steps[0] : (Slice) {start, r->rest.data - start};
	return true;
}

static bool
ReadFormats(Reading *r, TemplatePart *part)
{
	while (PeekChar(r) == ':')
	{
		Slice		format = {r->rest.data + 1, 0};

		SkipChars(r, 1);
		while (format.len < r->rest.len && strchr("{}:", format.data[format.len]) == NULL)
			format.len++;
		SkipChars(r, format.len);
		if (!ReadFormat(r, part, format))
			return false;
	}
	return CheckFormats(r, part);
}

/* "#" count ":" */
static bool
ReadShardCount(Reading *r, TemplatePart *part)
{
	int			shards;

	SkipChars(r, 1);
	shards = ReadTemplateNumber(&r->rest);
	if (shards < 2 || shards > TEMPLATE_MAX_SHARDS || PeekChar(r) != ':')
		return NoteTemplateProblem(r, psprintf("a shard is a number from 2 to %d and an attribute, as in {#13:order_id}",
											   TEMPLATE_MAX_SHARDS));
	SkipChars(r, 1);
	part->kind = PART_SHARD;
	part->shards = shards;
	return true;
}

/* Reads the part between the braces, and the closing brace. */
static bool
ReadTemplatePart(Reading *r, TemplatePart *part)
{
	SkipChars(r, 1);
	if (PeekChar(r) == '#' && !ReadShardCount(r, part))
		return false;
	if (!ReadPath(r, part) || !ReadFormats(r, part))
		return false;
	if (PeekChar(r) != '}')
		return NoteTemplateProblem(r, r->rest.len == 0 ? "unmatched brace" :
								   psprintf("attribute \"%.*s\" is followed by \"%c\"",
											(int) part->name.len, part->name.data, PeekChar(r)));
	SkipChars(r, 1);
	if (++r->nparts > TEMPLATE_MAX_PARTS)
		return NoteTemplateProblem(r, psprintf("there are more than %d parts", TEMPLATE_MAX_PARTS));
	return true;
}

/* ---- the template ---- */

static bool
ReadPartPiece(Reading *r)
{
	Template   *t = r->template;
	const TemplatePart *before = t->npieces > 0 ? t->pieces[t->npieces - 1].part : NULL;
	TemplatePart *part = palloc0(sizeof(TemplatePart));

	if (!ReadTemplatePart(r, part))
		return false;
	if (before != NULL && before->kind == PART_TEXT)
		return NoteTemplateProblem(r, psprintf("nothing separates {%.*s} from {%.*s}",
											   (int) before->name.len, before->name.data,
											   (int) part->name.len, part->name.data));
	/* after a marked part, a part is found by the text before it */
	if (before != NULL && t->marked < t->npieces && part->kind == PART_TEXT)
		return NoteTemplateProblem(r, psprintf("no text precedes {%.*s}", (int) part->name.len, part->name.data));
	if (part->any && t->marked < t->npieces)
		return NoteTemplateProblem(r, "two parts are marked \"any\"");
	if (part->any)
		t->marked = t->npieces;
	t->pieces[t->npieces++].part = part;
	return true;
}

/* Reads literal text up to the next part; doubled braces become single ones. */
static bool
ReadLiteralText(Reading *r)
{
	char	   *text = palloc(r->rest.len);
	uint32		n = 0;

	while (r->rest.len > 0)
	{
		char		c = r->rest.data[0];
		bool		brace = c == '{' || c == '}';
		bool		doubled = brace && r->rest.len > 1 && r->rest.data[1] == c;

		if (c == '\0')
			return NoteTemplateProblem(r, "it contains U+0000");
		if (brace && !doubled)
		{
			if (c == '}')
				return NoteTemplateProblem(r, "unmatched brace");
			break;
		}
		text[n++] = c;
		SkipChars(r, doubled ? 2 : 1);
	}
	r->template->pieces[r->template->npieces++].text = (Slice) {text, n};
	return true;
}

static bool
IsAtPart(const Reading *r)
{
	return PeekChar(r) == '{' && !(r->rest.len > 1 && r->rest.data[1] == '{');
}

Template *
TemplateRead(Slice text, const char **problem)
{
	Template   *t = palloc0(sizeof(Template));
	Reading		r = {.rest = text, .template = t};

	t->source = text;
	t->marked = PG_INT32_MAX;
	t->pieces = palloc0(sizeof(TemplatePiece) * (2 * TEMPLATE_MAX_PARTS + 3));
	if (text.len == 0)
		NoteTemplateProblem(&r, "empty");
	else if (text.len > TEMPLATE_MAX_BYTES)
		NoteTemplateProblem(&r, psprintf("it has more than %d bytes", TEMPLATE_MAX_BYTES));
	while (r.problem == NULL && r.rest.len > 0)
		(void) (IsAtPart(&r) ? ReadPartPiece(&r) : ReadLiteralText(&r));
	t->marked = Min(t->marked, t->npieces);
	*problem = r.problem;
	return r.problem == NULL ? t : NULL;
}

/* ---- the cache ---- */

/* A TextParser. */
static const void *
ReadForCache(int kind, Slice text, Problem *problem)
{
	const char *reason;
	Template   *template = TemplateRead(text, &reason);

	if (template == NULL)
		(void) ProblemNote(problem, &(Problem) {
			.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
			.message = psprintf("invalid key template \"%.*s\": %s",
								(int) Min(text.len, TEMPLATE_MAX_BYTES), text.data, reason),
			.hint = "Write {name} for an attribute, and {{ and }} for braces, as in ORDER#{order_id}."
		});
	return template;
}

const Template *
TemplateGet(Slice text)
{
	static ParseCache templates = {ReadForCache, TEMPLATE_MAX_BYTES};

	return ParseCacheGet(&templates, 0, text, NULL);
}

/* ---- what a template is ---- */

bool
TemplateIsConstant(const Template *template)
{
	return template->npieces == 1 && template->pieces[0].part == NULL;
}

bool
TemplateIsName(const Template *template, Slice *name)
{
	const TemplatePart *part = template->pieces[0].part;

	if (template->npieces != 1 || part == NULL || part->kind != PART_TEXT ||
		part->nsteps != 1 || part->letters != CASE_AS_IS || part->word)
		return false;
	*name = part->steps[0];
	return true;
}

void
TemplateAppendPrefix(const Template *template, StringInfo out)
{
	const TemplatePiece *first = &template->pieces[0];

	if (first->part == NULL)
		appendBinaryStringInfo(out, first->text.data, first->text.len);
}

bool
PartIsOrdered(const TemplatePart *part)
{
	return part->kind == PART_NUMBER || part->kind == PART_TIME;
}

/*
 * How precisely a part represents its attribute: 0 if not at all; a time in
 * seconds is more precise than a date.
 */
static int
PartPrecision(const TemplatePart *part)
{
	if (part == NULL || part->kind == PART_SHARD || part->letters != CASE_AS_IS)
		return 0;
	return part->kind == PART_TIME ? 1 + part->unit : 2 + TIME_MICROSECONDS;
}

bool
PieceTellsAttribute(const Template *template, int piece)
{
	const TemplatePart *part = template->pieces[piece].part;
	int			precision = PartPrecision(part);

	for (int i = 0; precision > 0 && i < template->npieces; i++)
	{
		const TemplatePart *other = template->pieces[i].part;

		if (PartPrecision(other) > precision && SliceEqual(other->name, part->name))
			return false;
	}
	return precision > 0;
}
