/*
 * reference.c
 *	  References between items: their definitions and SQL expressions.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "entity/template.h"
#include "item/convert.h"
#include "item/json.h"
#include "constraint/reference.h"

Reference *
ReferenceRead(const char *text)
{
	ValueRef	root = ItemRoot(ItemFromJson(text, strlen(text), NULL));
	ValueRef	name = AttributeFind(root, "name", strlen("name"));
	ValueRef	cascade = AttributeFind(root, "cascade", strlen("cascade"));
	Reference  *ref = palloc0(sizeof(Reference));

	ref->kind = KindRead(text);
	if (ValueIsMissing(name) || ValueTypeOf(name) != VALUE_S || ValueIsMissing(ref->kind->keys))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("definition of a reference between items has no name or keys")));
	ref->name = text_to_cstring(SliceToText(ValuePayload(name)));
	ref->cascade = !ValueIsMissing(cascade) && ValueTypeOf(cascade) == VALUE_BOOL &&
		ValueBool(cascade);
	return ref;
}

Slice
ReferenceTemplate(const Reference *ref, const TableDef *referenced, int i)
{
	Slice		template = KindTemplate(ref->kind, referenced->key.attributes[i].name);

	if (template.data == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("reference \"%s\" has no template for key attribute \"%s\"",
						ref->name, referenced->key.attributes[i].name.data)));
	return template;
}

char *
ReferenceExpression(const Reference *ref, const TableDef *referencing,
					const TableDef *referenced, int i,
					const char *qualifier, bool *rendered)
{
	Slice		template = ReferenceTemplate(ref, referenced, i);
	Slice		name;
	int			column = TemplateIsName(TemplateGet(template), &name) ?
		TableDefAttribute(referencing, name) : -1;

	*rendered = column < 0 || referencing->attributes[column].type != VALUE_S;
	if (!*rendered)
		return psprintf("%s%s", qualifier,
						quote_identifier(referencing->attributes[column].column));
	return psprintf("dynamo.render_key(%sitem, %s)", qualifier, SliceLiteral(template));
}

void
AppendReferencingTests(StringInfo sql, const Reference *ref,
					   const TableDef *referencing, const TableDef *referenced)
{
	bool		first = true;

	for (int i = 0; i < KeyCount(&referenced->key); i++)
	{
		bool		rendered;

		if (TemplateIsConstant(TemplateGet(ReferenceTemplate(ref, referenced, i))))
			continue;
		appendStringInfo(sql, "%s%s OPERATOR(pg_catalog.=) $%d",
						 first ? " WHERE " : " AND ",
						 ReferenceExpression(ref, referencing, referenced, i, "t.", &rendered),
						 i + 1);
		first = false;
	}
	AppendKindTests(sql, &first, "t.", referencing, ref->kind);
}
