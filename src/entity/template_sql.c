/*
 * template_sql.c
 *	  dynamo.render_key and dynamo.parse_key.
 */
#include "postgres.h"

#include "fmgr.h"

#include "entity/template.h"
#include "item/builder.h"
#include "item/convert.h"

/*
 * render_key(item dynamo.item, template text) returns text
 *
 * It is in views and indexes: an item that has no such key is no error.
 */
DYNAMO_FUNCTION(dynamo_render_key);
Datum
dynamo_render_key(PG_FUNCTION_ARGS)
{
	text	   *template = PG_GETARG_TEXT_PP(1);
	ComposeProblem problem;
	StringInfoData key;

	initStringInfo(&key);
	if (TemplateCompose(TemplateGet(SliceOfVarlena(template)),
						PG_GETARG_VALUE(0), &key, &problem) != COMPOSE_OK)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(SliceToText((Slice) {key.data, key.len}));
}

static void
AddTemplatePart(ItemBuilder *b, const TemplatePart *part, Slice text)
{
	StringInfoData value;

	initStringInfo(&value);
	ItemBuilderName(b, part->name.data, part->name.len);
	if (PartAppendValue(part, text, &value) == VALUE_N)
		ItemBuilderNumberText(b, value.data, value.len);
	else
		ItemBuilderString(b, value.data, value.len);
}

/* parse_key(key text, template text) returns dynamo.item */
DYNAMO_FUNCTION(dynamo_parse_key);
Datum
dynamo_parse_key(PG_FUNCTION_ARGS)
{
	text	   *key = PG_GETARG_TEXT_PP(0);
	text	   *text_of_template = PG_GETARG_TEXT_PP(1);
	const Template *template = TemplateGet(SliceOfVarlena(text_of_template));
	Slice	   *texts = palloc(sizeof(Slice) * template->npieces);
	ItemBuilder *b;

	if (!TemplateTakeApart(template, SliceOfVarlena(key), texts))
		PG_RETURN_NULL();
	b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);
	ItemBuilderBeginMap(b);
	for (int i = 0; i < template->npieces; i++)
	{
		if (PieceTellsAttribute(template, i))
			AddTemplatePart(b, template->pieces[i].part, texts[i]);
	}
	ItemBuilderEnd(b);
	PG_RETURN_POINTER(ItemBuilderFinish(b));
}
