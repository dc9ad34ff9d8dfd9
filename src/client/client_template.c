/*
 * client_template.c
 *	  Fills in templates of clients (client.h).
 *
 * Templates are the extension's own.  What is wrong in one is an internal error.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "client/client.h"
#include "item/convert.h"

/* What names stand for: the innermost first. */
typedef struct ClientScope
{
	const struct ClientScope *outer;
	JsonbValue	value;
	bool		is_last;
} ClientScope;

typedef struct Filling
{
	Slice		source;			/* the template */
	StringInfoData out;
} Filling;

/* A tag, and the text that it takes with it. */
typedef struct Tag
{
	char		sign;			/* '#', '^', '/'; 0 for a value */
	Slice		name;
	Slice		filter;			/* len 0: none */
	const char *begin;
	const char *end;
} Tag;

/* ---- reading ---- */

static const char *
EndOfTemplate(const Filling *f)
{
	return f->source.data + f->source.len;
}

static const char *
FindTag(const char *from, const char *to)
{
	for (; from + 1 < to; from++)
	{
		if (from[0] == '@' && from[1] == '{')
			return from;
	}
	return NULL;
}

/* Widens a tag that is alone in its line to the whole line. */
static void
WidenToLine(const Filling *f, Tag *tag)
{
	const char *begin = tag->begin;
	const char *end = tag->end;

	while (begin > f->source.data && (begin[-1] == ' ' || begin[-1] == '\t'))
		begin--;
	while (end < EndOfTemplate(f) && (*end == ' ' || *end == '\t'))
		end++;
	if ((begin > f->source.data && begin[-1] != '\n') || (end < EndOfTemplate(f) && *end != '\n'))
		return;
	tag->begin = begin;
	tag->end = Min(end + 1, EndOfTemplate(f));
}

/* Finds the next tag; false if there is none. */
static bool
NextTag(const Filling *f, const char *from, const char *to, Tag *tag)
{
	const char *begin = FindTag(from, to);
	const char *end = begin == NULL ? NULL : memchr(begin, '}', to - begin);
	const char *bar;

	if (end == NULL)
		return false;
	*tag = (Tag) {.begin = begin, .end = end + 1};
	begin += 2;
	if (strchr("#^/", *begin) != NULL)
		tag->sign = *begin++;
	bar = memchr(begin, '|', end - begin);
	tag->name = (Slice) {begin, (bar != NULL ? bar : end) - begin};
	if (bar != NULL)
		tag->filter = (Slice) {bar + 1, end - bar - 1};
	if (tag->sign != 0)
		WidenToLine(f, tag);
	return true;
}

/* Finds the tag that ends a section. */
static void
FindEnd(const Filling *f, const Tag *section, const char *to, Tag *tag)
{
	int			depth = 1;
	const char *at = section->end;

	while (NextTag(f, at, to, tag))
	{
		if (tag->sign != 0 && SliceEqual(tag->name, section->name))
			depth += tag->sign == '/' ? -1 : 1;
		if (depth == 0)
			return;
		at = tag->end;
	}
	elog(ERROR, "section %.*s of a template has no end", (int) section->name.len, section->name.data);
}

/* ---- looking up ---- */

static bool
LookUpTagName(const ClientScope *scope, Slice name, JsonbValue *value)
{
	if (SliceIs(name, "."))
	{
		*value = scope->value;
		return true;
	}
	if (SliceIs(name, "-last"))
	{
		*value = (JsonbValue) {.type = jbvBool, .val.boolean = scope->is_last};
		return true;
	}
	for (; scope != NULL; scope = scope->outer)
	{
		if (scope->value.type == jbvBinary && JsonContainerIsObject(scope->value.val.binary.data) &&
			getKeyJsonValueFromContainer(scope->value.val.binary.data, name.data, name.len, value) != NULL)
			return true;
	}
	return false;
}

static bool
OpensSection(const JsonbValue *v)
{
	switch (v->type)
	{
		case jbvNull:
			return false;
		case jbvBool:
			return v->val.boolean;
		case jbvString:
			return v->val.string.len > 0;
		case jbvBinary:
			return JsonContainerIsObject(v->val.binary.data) || JsonContainerSize(v->val.binary.data) > 0;
		default:
			return true;
	}
}

static Slice
TextOfMember(const JsonbValue *v)
{
	switch (v->type)
	{
		case jbvString:
			return (Slice) {v->val.string.val, v->val.string.len};
		case jbvNumeric:
			return SliceOf(DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(v->val.numeric))));
		case jbvBool:
			return SliceOf(v->val.boolean ? "true" : "false");
		default:
			elog(ERROR, "a template names a value that is not a text");
	}
}

/* ---- filling in ---- */

static void FillRange(Filling *f, const char *from, const char *to, const ClientScope *scope);

static void
FillValue(Filling *f, const Tag *tag, const ClientScope *scope)
{
	JsonbValue	v;
	Slice		text;

	if (!LookUpTagName(scope, tag->name, &v))
		elog(ERROR, "a template names %.*s, which does not exist", (int) tag->name.len, tag->name.data);
	text = TextOfMember(&v);
	if (tag->filter.len == 0)
		appendBinaryStringInfo(&f->out, text.data, text.len);
	else if (!ClientAppendFiltered(&f->out, text, tag->filter))
		elog(ERROR, "a template has the filter %.*s, which does not exist", (int) tag->filter.len, tag->filter.data);
}

static void
FillEach(Filling *f, const char *from, const char *to, const JsonbValue *list, const ClientScope *scope)
{
	JsonbContainer *container = list->val.binary.data;
	uint32		n = JsonContainerSize(container);

	for (uint32 i = 0; i < n; i++)
	{
		ClientScope element = {scope, *getIthJsonbValueFromContainer(container, i), i + 1 == n};

		CHECK_FOR_INTERRUPTS();
		FillRange(f, from, to, &element);
	}
}

static void
FillSection(Filling *f, const Tag *tag, const char *to, const ClientScope *scope)
{
	JsonbValue	v = {.type = jbvNull};
	bool		given = LookUpTagName(scope, tag->name, &v) && OpensSection(&v);

	if (tag->sign == '^')
	{
		if (!given)
			FillRange(f, tag->end, to, scope);
	}
	else if (given && v.type == jbvBinary && JsonContainerIsArray(v.val.binary.data))
		FillEach(f, tag->end, to, &v, scope);
	else if (given)
	{
		ClientScope inner = {scope, v, scope->is_last};

		FillRange(f, tag->end, to, v.type == jbvBinary ? &inner : scope);
	}
}

static void
FillRange(Filling *f, const char *from, const char *to, const ClientScope *scope)
{
	Tag			tag;
	Tag			end;

	check_stack_depth();
	while (NextTag(f, from, to, &tag))
	{
		appendBinaryStringInfo(&f->out, from, tag.begin - from);
		from = tag.end;
		if (tag.sign == 0)
		{
			FillValue(f, &tag, scope);
			continue;
		}
		FindEnd(f, &tag, to, &end);
		FillSection(f, &tag, end.begin, scope);
		from = end.end;
	}
	appendBinaryStringInfo(&f->out, from, to - from);
}

/* client_text(template text, description jsonb) returns text */
DYNAMO_FUNCTION(dynamo_client_text);
Datum
dynamo_client_text(PG_FUNCTION_ARGS)
{
	Jsonb	   *description = PG_GETARG_JSONB_P(1);
	ClientScope scope = {0};
	Filling		f = {.source = SliceOfVarlena(PG_GETARG_TEXT_PP(0))};

	if (!JB_ROOT_IS_OBJECT(description))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the description must be an object")));
	scope.value.type = jbvBinary;
	scope.value.val.binary.data = &description->root;
	scope.value.val.binary.len = VARSIZE_ANY_EXHDR(description);
	initStringInfo(&f.out);
	FillRange(&f, f.source.data, EndOfTemplate(&f), &scope);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(f.out.data, f.out.len));
}
