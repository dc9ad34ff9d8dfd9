/*
 * template.c
 *	  Templates of key attributes, and dynamo.render_key.
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "item/convert.h"
#include "item/number.h"
#include "sql/template.h"

/* A piece of a template: text up to the next brace, or a name. */
typedef struct Piece
{
	bool		is_name;
	Slice		text;
} Piece;

static void
TemplateError(Slice template, const char *problem)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid key template \"%.*s\": %s",
					(int) template.len, template.data, problem),
			 errhint("Write {name} for an attribute, {{ and }} for braces, as in ORDER#{order_id}.")));
}

/* Reads the next piece and removes it from *rest; false at the end. */
static bool
NextPiece(Slice template, Slice *rest, Piece *piece)
{
	const char *close;
	char		c;

	if (rest->len == 0)
		return false;
	c = rest->data[0];
	piece->is_name = false;
	piece->text = (Slice) {rest->data, 1};	/* of a doubled brace */

	if (c == '{' || c == '}')
	{
		if (rest->len > 1 && rest->data[1] == c)
		{
			*rest = (Slice) {rest->data + 2, rest->len - 2};
			return true;
		}
		close = memchr(rest->data, '}', rest->len);
		if (c == '}' || close == NULL)
			TemplateError(template, "unmatched brace");
		piece->is_name = true;
		piece->text = (Slice) {rest->data + 1, close - rest->data - 1};
		if (piece->text.len == 0)
			TemplateError(template, "empty attribute name");
		*rest = (Slice) {close + 1, rest->data + rest->len - (close + 1)};
		return true;
	}

	while (piece->text.len < rest->len && strchr("{}", rest->data[piece->text.len]) == NULL)
		piece->text.len++;
	*rest = (Slice) {rest->data + piece->text.len, rest->len - piece->text.len};
	return true;
}

void
TemplateCheck(Slice template)
{
	Slice		rest = template;
	Piece		piece;

	if (template.len == 0)
		TemplateError(template, "empty");
	while (NextPiece(template, &rest, &piece))
		 /* errors are raised there */ ;
}

bool
TemplateRender(Slice template, ValueRef item, StringInfo out, Slice *missing)
{
	Slice		rest = template;
	Piece		piece;

	while (NextPiece(template, &rest, &piece))
	{
		ValueRef	v;
		Slice		text = piece.text;
		char		digits[NUMBER_MAX_TEXT];

		if (piece.is_name)
		{
			v = AttributeFind(item, piece.text.data, piece.text.len);
			if (ValueIsMissing(v) ||
				(ValueTypeOf(v) != VALUE_S && ValueTypeOf(v) != VALUE_N))
			{
				*missing = piece.text;
				return false;
			}
			text = ValuePayload(v);
			if (ValueTypeOf(v) == VALUE_N)
			{
				text.len = NumberToText((const uint8 *) text.data, text.len, digits);
				text.data = digits;
			}
		}
		appendBinaryStringInfo(out, text.data, text.len);
	}
	return true;
}

void
TemplatePrefix(Slice template, StringInfo out)
{
	Slice		rest = template;
	Piece		piece;

	while (NextPiece(template, &rest, &piece) && !piece.is_name)
		appendBinaryStringInfo(out, piece.text.data, piece.text.len);
}

bool
TemplateIsConstant(Slice template)
{
	Slice		rest = template;
	Piece		piece;

	while (NextPiece(template, &rest, &piece))
	{
		if (piece.is_name)
			return false;
	}
	return true;
}

bool
TemplateIsName(Slice template, Slice *name)
{
	Slice		rest = template;
	Piece		piece;

	if (!NextPiece(template, &rest, &piece) || !piece.is_name || rest.len > 0)
		return false;
	*name = piece.text;
	return true;
}

/* render_key(item dynamo.item, template text) returns text */
DYNAMO_FUNCTION(dynamo_render_key);
Datum
dynamo_render_key(PG_FUNCTION_ARGS)
{
	text	   *template = PG_GETARG_TEXT_PP(1);
	StringInfoData key;
	Slice		missing;

	initStringInfo(&key);
	if (!TemplateRender(SliceOfVarlena(template),
						PG_GETARG_VALUE(0), &key, &missing))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(SliceToText((Slice) {key.data, key.len}));
}
