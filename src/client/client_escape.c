/*
 * client_escape.c
 *	  Texts of others in literals and comments of programs.
 *
 * What is invisible, or changes how a line is shown, is written as \uXXXX, which TypeScript,
 * Python, Go and JSON read in literals: control characters, marks of direction, the
 * separators of lines, byte order marks.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "client/client.h"

typedef enum EscapeStyle
{
	ESCAPE_STRING,
	ESCAPE_COMMENT,
	ESCAPE_LINE,
	ESCAPE_DOC
} EscapeStyle;

static bool
IsInvisible(pg_wchar c)
{
	static const struct
	{
		pg_wchar	from;
		pg_wchar	to;
	}			ranges[] = {
		{0x00, 0x1F}, {0x7F, 0x9F}, {0xAD, 0xAD}, {0x61C, 0x61C}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
		{0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}
	};

	for (int i = 0; i < (int) lengthof(ranges); i++)
	{
		if (c >= ranges[i].from && c <= ranges[i].to)
			return true;
	}
	return false;
}

/* In a comment or documentation, the text stays in its line and in the comment. */
static bool
AppendInComment(StringInfo out, EscapeStyle style, char c, char previous)
{
	if (c == '\n' || c == '\r' || c == '\t')
		appendStringInfoChar(out, ' ');
	else if (style == ESCAPE_COMMENT && c == '/' && previous == '*')
		appendStringInfoString(out, " /");
	else if (style == ESCAPE_COMMENT && c == '@')	/* no tag, no directive of the compiler */
		appendStringInfoString(out, "\\@");
	else if (style == ESCAPE_DOC && (c == '\\' || c == '"'))
		appendStringInfo(out, "\\%c", c);
	else
		return false;
	return true;
}

static bool
AppendInLiteral(StringInfo out, char c)
{
	static const char plain[] = "\n\r\t\"\\";
	static const char letters[] = "nrt\"\\";
	const char *found = c == '\0' ? NULL : strchr(plain, c);

	if (found == NULL)
		return false;
	appendStringInfo(out, "\\%c", letters[found - plain]);
	return true;
}

static void
AppendEscaped(StringInfo out, EscapeStyle style, Slice text)
{
	char		previous = '\0';
	int			start = out->len;

	for (uint32 i = 0; i < text.len;)
	{
		const char *at = text.data + i;
		int			n = Min(pg_utf_mblen((const unsigned char *) at), (int) (text.len - i));
		pg_wchar	c = utf8_to_unicode((const unsigned char *) at);

		i += n;
		if (!(style == ESCAPE_STRING ? AppendInLiteral(out, *at) : AppendInComment(out, style, *at, previous)))
		{
			if (IsInvisible(c))
				appendStringInfo(out, style == ESCAPE_DOC ? "\\\\u%04X" : "\\u%04X", (unsigned) c);
			else
				appendBinaryStringInfo(out, at, n);
		}
		previous = *at;
	}
	/* no blanks at the end of a line */
	while (style != ESCAPE_STRING && out->len > start && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

/* A name of a property that needs no quotes, and does not mean something else. */
static bool
IsPlainProperty(Slice name)
{
	if (name.len == 0 || (name.data[0] >= '0' && name.data[0] <= '9') || SliceIs(name, "__proto__"))
		return false;
	for (uint32 i = 0; i < name.len; i++)
	{
		char		c = name.data[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
			return false;
	}
	return true;
}

bool
ClientAppendFiltered(StringInfo out, Slice text, Slice filter)
{
	static const char *const names[] = {
		[ESCAPE_STRING] = "string", [ESCAPE_COMMENT] = "comment", [ESCAPE_LINE] = "line", [ESCAPE_DOC] = "doc"
	};

	if (SliceIs(filter, "property"))
	{
		if (IsPlainProperty(text))
		{
			appendBinaryStringInfo(out, text.data, text.len);
			return true;
		}
		filter = SliceOf("string");
	}
	for (int i = 0; i < (int) lengthof(names); i++)
	{
		if (!SliceIs(filter, names[i]))
			continue;
		if (i == ESCAPE_STRING)
			appendStringInfoChar(out, '"');
		AppendEscaped(out, i, text);
		if (i == ESCAPE_STRING)
			appendStringInfoChar(out, '"');
		return true;
	}
	return false;
}
