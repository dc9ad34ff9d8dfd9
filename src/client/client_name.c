/*
 * client_name.c
 *	  Names of attributes, entities and access patterns as names in a program.
 *
 * A name is taken apart into words, at what is no letter or digit and before capitals, and
 * put together as the language does: orderItem, OrderItem, order_item.  What is not ASCII
 * becomes a word such as u4fa1, so that names in any script stay apart and are valid
 * everywhere.  A name that the language reserves gets an underscore, one that exists
 * already a number: the first of a list keeps its name.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "common/pg_prng.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "client/client.h"
#include "entity/template.h"
#include "item/convert.h"

typedef enum NameStyle
{
	NAME_CAMEL,					/* orderItem */
	NAME_PASCAL,				/* OrderItem */
	NAME_SNAKE,					/* order_item */
	NAME_GO						/* OrderItem, but OrderID */
} NameStyle;

static NameStyle
ReadStyle(const char *text)
{
	static const char *const styles[] = {
		[NAME_CAMEL] = "camel", [NAME_PASCAL] = "pascal", [NAME_SNAKE] = "snake", [NAME_GO] = "go"
	};

	for (int i = 0; i < (int) lengthof(styles); i++)
	{
		if (strcmp(text, styles[i]) == 0)
			return i;
	}
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unknown style of names: \"%s\"", text)));
}

/* ---- words ---- */

static bool
IsWordChar(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool
IsCapital(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Whether a word ends before the i-th character: in "orderItem" and in "HTTPServer", before the capital. */
static bool
EndsWord(Slice name, uint32 i)
{
	if (!IsWordChar(name.data[i]))
		return true;
	if (!IsCapital(name.data[i]))
		return false;
	return !IsCapital(name.data[i - 1]) ||
		(i + 1 < name.len && name.data[i + 1] >= 'a' && name.data[i + 1] <= 'z');
}

static const char *
LowerWord(const char *word, uint32 len)
{
	char	   *lower = pnstrdup(word, len);

	for (char *c = lower; *c != '\0'; c++)
		*c = IsCapital(*c) ? *c - 'A' + 'a' : *c;
	return lower;
}

/* What Go writes in capitals. */
static bool
IsInitialism(const char *word)
{
	static const char *const all[] = {"api", "html", "http", "id", "ip", "json", "sku", "sql", "uri", "url", "uuid", "xml"};

	for (int i = 0; i < (int) lengthof(all); i++)
	{
		if (strcmp(word, all[i]) == 0)
			return true;
	}
	return false;
}

static char
UpperChar(char c)
{
	return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}

static void
AppendWord(StringInfo out, NameStyle style, const char *word)
{
	bool		first = out->len == 0;
	bool		capital = style == NAME_PASCAL || style == NAME_GO || (style == NAME_CAMEL && !first);

	if (first && word[0] >= '0' && word[0] <= '9')
		appendStringInfoChar(out, capital ? 'N' : 'n');
	else if (!first && style == NAME_SNAKE)
		appendStringInfoChar(out, '_');
	if (style == NAME_GO && IsInitialism(word))
	{
		for (; *word != '\0'; word++)
			appendStringInfoChar(out, UpperChar(*word));
		return;
	}
	appendStringInfoChar(out, capital ? UpperChar(*word) : *word);
	appendStringInfoString(out, word + 1);
}

/* Appends the word at a place of a name, or nothing; returns the place behind it. */
static uint32
AppendNextWord(StringInfo out, NameStyle style, Slice name, uint32 i)
{
	uint32		start = i;

	if (IS_HIGHBIT_SET(name.data[i]))
	{
		const unsigned char *at = (const unsigned char *) name.data + i;

		AppendWord(out, style, psprintf("u%04x", (unsigned) utf8_to_unicode(at)));
		return i + pg_utf_mblen(at);
	}
	if (!IsWordChar(name.data[i]))
		return i + 1;
	for (i++; i < name.len && !EndsWord(name, i); i++)
		;
	AppendWord(out, style, LowerWord(name.data + start, i - start));
	return i;
}

static char *
ConvertName(NameStyle style, Slice name)
{
	StringInfoData out;

	initStringInfo(&out);
	for (uint32 i = 0; i < name.len;)
		i = AppendNextWord(&out, style, name, i);
	if (out.len == 0)
		AppendWord(&out, style, "unnamed");
	return out.data;
}

/* ---- lists of names ---- */

/* A name that cannot be given again. */
typedef struct TakenName
{
	const char *name;			/* NULL: a free place of the table */
	int			number;			/* the next one behind it that may be free */
} TakenName;

/*
 * The names that a language reserves, and those that were made.  Owners of tables
 * choose names, so that many may become one, and hash values must not be known.
 */
typedef struct TakenNames
{
	TakenName  *places;
	uint32		mask;
	uint64		seed;
} TakenNames;

static TakenName *
FindTaken(const TakenNames *taken, const char *name)
{
	uint32		at = (uint32) hash_bytes_extended((const unsigned char *) name, (int) strlen(name), taken->seed) & taken->mask;

	while (taken->places[at].name != NULL && strcmp(taken->places[at].name, name) != 0)
		at = (at + 1) & taken->mask;
	return &taken->places[at];
}

/* Begins with reserved names; n others will be made. */
static void
BeginTakenNames(TakenNames *taken, const Datum *reserved, int nreserved, int n)
{
	uint32		size = pg_nextpower2_32(2 * (nreserved + n) + 2);	/* at most half full */

	taken->places = MemoryContextAllocExtended(CurrentMemoryContext, size * sizeof(TakenName), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	taken->mask = size - 1;
	taken->seed = pg_prng_uint64(&pg_global_prng_state);
	for (int i = 0; i < nreserved; i++)
	{
		char	   *name = TextDatumGetCString(reserved[i]);

		*FindTaken(taken, name) = (TakenName) {name, 2};
	}
}

/* Returns the name, or the first that is free with a number behind it. */
static const char *
TakeName(TakenNames *taken, NameStyle style, char *name)
{
	TakenName  *base = FindTaken(taken, name);
	TakenName  *place = base;

	while (place->name != NULL)
	{
		char	   *candidate = psprintf(style == NAME_SNAKE ? "%s_%d" : "%s%d", name, base->number++);

		CHECK_FOR_INTERRUPTS();
		place = FindTaken(taken, candidate);
		if (place->name == NULL)
			name = candidate;
		else
			pfree(candidate);
	}
	*place = (TakenName) {name, 2};
	return name;
}

/* client_names(style text, reserved text[], names text[]) returns text[] */
DYNAMO_FUNCTION(dynamo_client_names);
Datum
dynamo_client_names(PG_FUNCTION_ARGS)
{
	NameStyle	style = ReadStyle(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	Datum	   *reserved;
	Datum	   *names;
	Datum	   *made;
	TakenNames	taken;
	TakenNames	words;
	int			nreserved;
	int			n;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), TEXTOID, -1, false, TYPALIGN_INT, &reserved, NULL, &nreserved);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(2), TEXTOID, -1, false, TYPALIGN_INT, &names, NULL, &n);
	made = palloc(sizeof(Datum) * Max(n, 1));
	BeginTakenNames(&words, reserved, nreserved, 0);
	BeginTakenNames(&taken, reserved, nreserved, n);
	for (int i = 0; i < n; i++)
	{
		char	   *name = ConvertName(style, SliceOfVarlena(DatumGetTextPP(names[i])));

		CHECK_FOR_INTERRUPTS();
		if (FindTaken(&words, name)->name != NULL)
			name = psprintf("%s_", name);
		made[i] = CStringGetTextDatum(TakeName(&taken, style, name));
	}
	PG_RETURN_ARRAYTYPE_P(construct_array(made, n, TEXTOID, -1, false, TYPALIGN_INT));
}

/* ---- languages ---- */

static bool
IsLanguage(const char *name, const Datum *names, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (strcmp(TextDatumGetCString(names[i]), name) == 0)
			return true;
	}
	return false;
}

/* client_language_known(language text, known text[]) returns text */
DYNAMO_FUNCTION(dynamo_client_language_known);
Datum
dynamo_client_language_known(PG_FUNCTION_ARGS)
{
	Datum	   *known;
	int			n;
	StringInfoData list;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), TEXTOID, -1, false, TYPALIGN_INT, &known, NULL, &n);
	if (!PG_ARGISNULL(0) && IsLanguage(text_to_cstring(PG_GETARG_TEXT_PP(0)), known, n))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	initStringInfo(&list);
	for (int i = 0; i < n; i++)
		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", TextDatumGetCString(known[i]));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown language of a client: \"%s\"", PG_ARGISNULL(0) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(0))),
			 errhint("The languages are %s.", list.data)));
}

/* ---- parts of templates ---- */

/* A letter for what an attribute of a part is: M, contains it; I, an integer; N, a number; S, a text. */
static char
LetterOfPart(const TemplatePart *part)
{
	if (part->nsteps > 1)
		return 'M';
	if (part->kind != PART_NUMBER)
		return 'S';
	return part->decimals == 0 && part->digits <= 15 ? 'I' : 'N';
}

/* client_parts(template text) returns text[]: the attributes of a template, each after its letter */
DYNAMO_FUNCTION(dynamo_client_parts);
Datum
dynamo_client_parts(PG_FUNCTION_ARGS)
{
	const Template *template = TemplateGet(SliceOfVarlena(PG_GETARG_TEXT_PP(0)));
	Datum	   *parts = palloc(sizeof(Datum) * Max(template->npieces, 1));
	int			n = 0;

	for (int i = 0; i < template->npieces; i++)
	{
		const TemplatePart *part = template->pieces[i].part;

		if (part != NULL)
			parts[n++] = CStringGetTextDatum(psprintf("%c%.*s", LetterOfPart(part), (int) part->steps[0].len, part->steps[0].data));
	}
	PG_RETURN_ARRAYTYPE_P(construct_array(parts, n, TEXTOID, -1, false, TYPALIGN_INT));
}
