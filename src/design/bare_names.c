/*
 * bare_names.c
 *	  Replaces reserved words that are declared attributes by placeholders.
 *
 * AND, BETWEEN, IN, NOT and OR stay what they are, and a word before a parenthesis is
 * the name of a function.
 */
#include "postgres.h"

#include "design/bare_names.h"
#include "expr/tree.h"
#include "expr/words.h"
#include "item/builder.h"
#include "lib/stringinfo.h"

static bool
ContinuesWord(char c)
{
	return isalnum((unsigned char) c) || c == '_';
}

static const char *
SkipExpressionBlanks(const char *at)
{
	while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
		at++;
	return at;
}

/* Whether a word belongs to the grammar of conditions. */
static bool
IsGrammarWord(Slice word)
{
	static const char *const words[] = {"AND", "BETWEEN", "IN", "NOT", "OR"};

	return WordIsListed(word, words, lengthof(words));
}

static bool
IsPlaceholderTaken(const BareNames *b, const char *placeholder)
{
	ListCell   *cell;

	if (!ValueIsMissing(b->given) && !ValueIsMissing(AttributeFind(b->given, placeholder, strlen(placeholder))))
		return true;
	foreach(cell, b->placeholders)
	{
		if (strcmp(lfirst(cell), placeholder) == 0)
			return true;
	}
	return false;
}

/* Returns the placeholder of a word, which it gets if it has none. */
static const char *
PlaceholderOfWord(BareNames *b, Slice word)
{
	char	   *placeholder = psprintf("#%.*s", (int) word.len, word.data);
	ListCell   *name;
	ListCell   *given;

	forboth(name, b->added, given, b->placeholders)
	{
		if (SliceIs(word, lfirst(name)))
			return lfirst(given);
	}
	for (int i = 1; IsPlaceholderTaken(b, placeholder); i++)
		placeholder = psprintf("#%.*s%d", (int) word.len, word.data, i);
	b->added = lappend(b->added, pnstrdup(word.data, word.len));
	b->placeholders = lappend(b->placeholders, placeholder);
	return placeholder;
}

/* What of a path has been read. */
typedef struct PathSoFar
{
	bool		after_dot;		/* the next word is an element of it */
	bool		declared;		/* its first element is declared */
} PathSoFar;

static void
AppendExpressionWord(BareNames *b, StringInfo out, Slice word, PathSoFar *path)
{
	bool		calls = *SkipExpressionBlanks(word.data + word.len) == '(';
	bool		grammar = !path->after_dot && IsGrammarWord(word);

	if (!path->after_dot)
		path->declared = !calls && !grammar && b->is_declared(b->arg, word);
	if (path->declared && !calls && ExprIsReservedWord(word))
		appendStringInfoString(out, PlaceholderOfWord(b, word));
	else
		appendBinaryStringInfo(out, word.data, word.len);
}

char *
BareNamesReplace(BareNames *b, const char *expression)
{
	StringInfoData out;
	PathSoFar	path = {false, false};
	const char *at = expression;

	if (expression == NULL)
		return NULL;
	initStringInfo(&out);
	while (*at != '\0')
	{
		Slice		word = {at, 1};
		bool		placeholder = *at == ':' || *at == '#';

		if (placeholder || ContinuesWord(*at))
		{
			while (ContinuesWord(at[word.len]))
				word.len++;
		}
		if (placeholder || !isalpha((unsigned char) *at))
			appendBinaryStringInfo(&out, word.data, word.len);
		else
			AppendExpressionWord(b, &out, word, &path);
		if (placeholder)
			path.declared = false;
		if (SkipExpressionBlanks(at) == at)
			path.after_dot = *at == '.';
		at += word.len;
	}
	return out.data;
}

ValueRef
BareNamesMap(const BareNames *b)
{
	ItemBuilder *builder;
	Container	given = {0};
	ListCell   *name;
	ListCell   *placeholder;

	if (b->added == NIL)
		return b->given;
	builder = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	ItemBuilderBeginMap(builder);
	if (!ValueIsMissing(b->given))
		ContainerOpen(b->given, &given);
	for (uint32 i = 0; i < given.count; i++)
	{
		Slice		key;
		ValueRef	value = MapEntry(&given, i, &key);

		ItemBuilderName(builder, key.data, key.len);
		ItemBuilderValue(builder, value);
	}
	forboth(name, b->added, placeholder, b->placeholders)
	{
		ItemBuilderName(builder, lfirst(placeholder), strlen(lfirst(placeholder)));
		ItemBuilderString(builder, lfirst(name), strlen(lfirst(name)));
	}
	ItemBuilderEnd(builder);
	return ItemRoot(ItemBuilderFinish(builder));
}
