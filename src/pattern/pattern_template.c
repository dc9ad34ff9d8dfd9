/*
 * pattern_template.c
 *	  The templates by which an access pattern composes keys.
 *
 * The value of an entity's type attribute is known.  Where a template contains it, and a
 * condition does not compare it, the pattern's template contains the value:
 * "ALL#{kind}" is "ALL#order".
 */
#include "postgres.h"

#include "item/builder.h"
#include "pattern/pattern.h"

const char *
PatternPieceEnd(const Template *t, int piece)
{
	const TemplatePart *part = t->pieces[piece].part;
	const char *end = t->source.data + t->source.len;
	const char *at;

	if (piece + 1 == t->npieces)
		return end;
	if (part != NULL)
	{
		at = part->name.data + part->name.len;
		return (const char *) memchr(at, '}', end - at) + 1;
	}
	for (at = t->pieces[piece + 1].part->name.data - 1; *at != '{'; at--)
		;
	return at;
}

/* ---- the type attribute ---- */

/* Returns the text that a piece is for all items of an entity; false if that is not known. */
static bool
TextOfKind(const Entity *entity, const TemplatePiece *piece, StringInfo out)
{
	const char *reason;

	initStringInfo(out);
	return piece->part != NULL && piece->part->kind == PART_TEXT && entity->type_attribute.data != NULL &&
		SliceEqual(piece->part->name, entity->type_attribute) &&
		PartAppend(piece->part, ValueOfString(entity->type_value), out, &reason) == COMPOSE_OK;
}

static void
AppendLiteralText(StringInfo out, const char *text)
{
	for (; *text != '\0'; text++)
	{
		if (*text == '{' || *text == '}')
			appendStringInfoChar(out, *text);
		appendStringInfoChar(out, *text);
	}
}

static const Template *
TemplateOfKind(const Entity *entity, const Template *t)
{
	const char *begin = t->source.data;
	bool		known = false;
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < t->npieces; i++)
	{
		const char *end = PatternPieceEnd(t, i);
		StringInfoData text;

		if (TextOfKind(entity, &t->pieces[i], &text))
		{
			AppendLiteralText(&out, text.data);
			known = true;
		}
		else
			appendBinaryStringInfo(&out, begin, end - begin);
		begin = end;
	}
	return known ? TemplateGet((Slice) {out.data, out.len}) : t;
}

bool
PatternIsTyped(const PatternTarget *target, const PatternClause *clauses, int n)
{
	const Entity *entity = target->nentities == 1 ? target->entities[0] : NULL;
	bool		contained = false;

	if (entity == NULL || entity->type_attribute.data == NULL)
		return false;
	for (int i = 0; i < n; i++)
	{
		if (SliceEqual(clauses[i].attribute, entity->type_attribute))
			return false;
	}
	for (int i = 0; i < entity->nkeys; i++)
		contained |= KeySchemaHas(target->key, entity->keys[i].attribute) && TemplateUses(entity->keys[i].template, entity->type_attribute);
	return contained;
}

/* ---- templates ---- */

const Template *
PatternTemplate(const PatternTarget *target, const Entity *entity, const KeyAttribute *attribute)
{
	ValueRef	given = AttributeFind(target->keys, attribute->name.data, attribute->name.len);

	if (!ValueIsMissing(given))
		return TemplateGet(ValuePayload(given));
	for (int i = 0; entity != NULL && i < entity->nkeys; i++)
	{
		if (SliceEqual(entity->keys[i].attribute, attribute->name))
			return target->typed ? TemplateOfKind(entity, entity->keys[i].template) : entity->keys[i].template;
	}
	if (attribute->type != VALUE_S)
		return NULL;
	return TemplateGet(SliceOf(psprintf("{\"%.*s\"}", (int) attribute->name.len, attribute->name.data)));
}

static bool
PiecesEqual(const TemplatePiece *a, const TemplatePiece *b)
{
	const TemplatePart *p = a->part;
	const TemplatePart *q = b->part;

	if (p == NULL || q == NULL)
		return p == q && SliceEqual(a->text, b->text);
	return SliceEqual(p->name, q->name) && p->kind == q->kind && p->letters == q->letters &&
		p->any == q->any && p->word == q->word && p->digits == q->digits && p->decimals == q->decimals &&
		p->with_sign == q->with_sign && p->descending == q->descending && p->unit == q->unit &&
		p->shards == q->shards;
}

/* Whether every key of template b begins with a whole key of template a. */
static bool
IsBeginningOf(const Template *a, const Template *b)
{
	const TemplatePart *last = a->pieces[a->npieces - 1].part;

	for (int i = 0; i < a->npieces; i++)
	{
		if (i >= b->npieces || !PiecesEqual(&a->pieces[i], &b->pieces[i]))
			return false;
	}
	return last == NULL || last->kind != PART_TEXT || a->npieces == b->npieces;
}

const Template *
PatternCommonTemplate(const PatternTarget *target, const KeyAttribute *attribute, bool *same)
{
	const Template *common = PatternTemplate(target, target->nentities > 0 ? target->entities[0] : NULL, attribute);

	*same = true;
	for (int i = 1; common != NULL && i < target->nentities; i++)
	{
		const Template *t = PatternTemplate(target, target->entities[i], attribute);

		if (t == NULL || SliceEqual(t->source, common->source))
			continue;
		*same = false;
		if (t->npieces < common->npieces ? !IsBeginningOf(t, common) : !IsBeginningOf(common, t))
			return NULL;
		if (t->npieces < common->npieces)
			common = t;
	}
	return common;
}
