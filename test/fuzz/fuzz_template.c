/*
 * fuzz_template.c
 *	  Any bytes as two templates, a key and values, a line each.
 *
 * What is composed can be taken apart into the parts that it was composed of;
 * what can be taken apart is composed again; and templates that have a key in
 * common overlap.
 */
#include "postgres.h"

#include "entity/template_parts.h"
#include "expr/parse_cache.h"
#include "fuzz.h"
#include "item/builder.h"

#define MAX_LINES	8
#define MAX_PIECES	(2 * TEMPLATE_MAX_PARTS + 3)

/* Any hash does for shards. */
const uint32 pg_crc32_table[256] = {0};

const void *
ParseCacheGet(ParseCache *cache, int kind, Slice text, Problem *problem)
{
	return cache->parse(kind, text, problem);
}

/* The lines behind the third; the one for an attribute depends on its name. */
typedef struct Values
{
	const Slice *lines;
	int			n;
} Values;

static ValueRef
StringValue(Slice text)
{
	ItemBuilder *b = ItemBuilderCreate(1, DUPLICATE_NAME_LAST);

	ItemBuilderString(b, text.data, text.len);
	return ItemRoot(ItemBuilderFinish(b));
}

/* PartFinder */
static ValueRef
FindLine(void *arg, const TemplatePart *part, const char **reason)
{
	const Values *values = arg;
	uint32		sum = 0;

	for (uint32 i = 0; i < part->name.len; i++)
		sum += (uint8) part->name.data[i];
	return values->n == 0 ? MISSING_VALUE : StringValue(values->lines[sum % values->n]);
}

/* A key that was taken apart. */
typedef struct Apart
{
	const Template *template;
	const Slice *texts;
} Apart;

/* PartFinder: what the key tells of an attribute. */
static ValueRef
FindText(void *arg, const TemplatePart *part, const char **reason)
{
	const Apart *apart = arg;

	for (int i = 0; i < apart->template->npieces; i++)
	{
		const TemplatePart *other = apart->template->pieces[i].part;
		StringInfoData value;

		if (other == NULL || !SliceEqual(other->name, part->name) || !PieceTellsAttribute(apart->template, i))
			continue;
		initStringInfo(&value);
		(void) PartAppendValue(other, apart->texts[i], &value);
		return StringValue((Slice) {value.data, value.len});
	}
	return MISSING_VALUE;
}

/* Whether each part is of an attribute of its own, and tells it. */
static bool
TellsAll(const Template *t)
{
	for (int i = 0; i < t->npieces; i++)
	{
		if (t->pieces[i].part == NULL)
			continue;
		if (!PieceTellsAttribute(t, i))
			return false;
		for (int j = 0; j < i; j++)
		{
			if (t->pieces[j].part != NULL && SliceEqual(t->pieces[j].part->name, t->pieces[i].part->name))
				return false;
		}
	}
	return true;
}

static void
CheckComposed(const Template *t, const Values *values)
{
	Slice		texts[MAX_PIECES];
	StringInfoData key;
	ComposeProblem problem;

	initStringInfo(&key);
	if (TemplateComposeFrom(t, FindLine, unconstify(Values *, values), &key, &problem) != COMPOSE_OK)
		return;
	FUZZ_CHECK(TemplateTakeApart(t, (Slice) {key.data, key.len}, texts));
	for (int i = 0; i < t->npieces; i++)
	{
		const TemplatePart *part = t->pieces[i].part;
		StringInfoData text;
		const char *reason = NULL;

		if (part == NULL)
			continue;
		initStringInfo(&text);
		FUZZ_CHECK(PartAppend(part, FindLine(unconstify(Values *, values), part, &reason), &text, &reason) == COMPOSE_OK);
		FUZZ_CHECK(SliceEqual(texts[i], (Slice) {text.data, text.len}));
	}
}

static bool
CheckApart(const Template *t, Slice key)
{
	Slice		texts[MAX_PIECES];
	Apart		apart = {t, texts};
	uint32		len = 0;
	StringInfoData again;
	ComposeProblem problem;

	if (!TemplateTakeApart(t, key, texts))
		return false;
	for (int i = 0; i < t->npieces; i++)
	{
		FUZZ_CHECK(texts[i].data == key.data + len);
		len += texts[i].len;
	}
	FUZZ_CHECK(len == key.len);
	initStringInfo(&again);
	if (TellsAll(t))
	{
		FUZZ_CHECK(TemplateComposeFrom(t, FindText, &apart, &again, &problem) == COMPOSE_OK);
		FUZZ_CHECK(SliceEqual(key, (Slice) {again.data, again.len}));
	}
	return true;
}

/*
 * An overlap is exact but for what parts behind the marked one may not contain, and
 * for bytes of fixed widths that do not fit together.
 */
static bool
IsExact(const Template *t)
{
	for (int i = 0; i < t->npieces; i++)
	{
		const TemplatePart *part = t->pieces[i].part;

		if (part != NULL && (part->kind != PART_TEXT || i > t->marked))
			return false;
	}
	return true;
}

static void
CheckOverlap(const Template *a, const Template *b, bool both)
{
	Slice		texts[MAX_PIECES];
	StringInfoData example;
	bool		overlap;

	initStringInfo(&example);
	overlap = TemplatesOverlap(a, b, &example);
	FUZZ_CHECK(overlap || !both);
	if (overlap && IsExact(a) && IsExact(b))
	{
		FUZZ_CHECK(TemplateTakeApart(a, (Slice) {example.data, example.len}, texts));
		FUZZ_CHECK(TemplateTakeApart(b, (Slice) {example.data, example.len}, texts));
	}
}

static int
SplitLines(const uint8 *data, size_t size, Slice *lines)
{
	int			n = 0;

	for (size_t begin = 0, i = 0; i <= size && n < MAX_LINES; i++)
	{
		if (i < size && data[i] != '\n')
			continue;
		lines[n++] = (Slice) {(const char *) data + begin, (uint32) (i - begin)};
		begin = i + 1;
	}
	return n;
}

static void
Run(const uint8 *data, size_t size)
{
	Slice		lines[MAX_LINES];
	int			n = SplitLines(data, size, lines);
	const char *problem = NULL;
	Template   *a = TemplateRead(lines[0], &problem);
	Template   *b;
	Values		values = {lines + 3, n - 3};
	bool		apart;

	FUZZ_CHECK((a == NULL) == (problem != NULL));
	if (a == NULL || n < 3)
		return;
	CheckComposed(a, &values);
	apart = CheckApart(a, lines[2]);
	b = TemplateRead(lines[1], &problem);
	if (b == NULL)
		return;
	CheckComposed(b, &values);
	CheckOverlap(a, b, CheckApart(b, lines[2]) && apart);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	FuzzRun(Run, data, size);
	return 0;
}
