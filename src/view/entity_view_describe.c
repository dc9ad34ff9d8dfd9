/*
 * entity_view_describe.c
 *	  Comments on the columns of entity views: which values an attribute may have, and
 *	  what makes them.
 *
 * These comments begin with a word and a colon, by which they are known when the entity is
 * declared anew.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_class_d.h"
#include "commands/comment.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/rel.h"

#include "ddl/ddl.h"
#include "item/convert.h"
#include "item/json.h"
#include "view/entity_view.h"

static const char *const rule_names[] = {"enum: ", "default: ", "read-only: ", "computed: "};

static void
AppendRule(StringInfo out, int rule, const char *text)
{
	appendStringInfo(out, "%s%s%s", out->len == 0 ? "" : "; ", rule_names[rule], text);
}

static char *
RuleEnumText(ValueRef allowed)
{
	StringInfoData out;
	Container	list;

	initStringInfo(&out);
	ContainerOpen(allowed, &list);
	for (uint32 i = 0; i < list.count; i++)
	{
		ValueRef	v = ListElement(&list, i);

		appendStringInfoString(&out, i == 0 ? "" : ", ");
		if (ValueTypeOf(v) == VALUE_S)
			JsonAppendString(&out, ValuePayload(v).data, ValuePayload(v).len);
		else
			appendStringInfoString(&out, JsonbToCString(NULL, &ValueToJsonb(v)->root, 0));
	}
	return out.data;
}

/* Returns what is declared of an attribute; NULL if nothing is. */
static char *
DescribeRules(const EntityAttribute *a)
{
	StringInfoData out;

	initStringInfo(&out);
	if (!ValueIsMissing(a->allowed))
		AppendRule(&out, 0, RuleEnumText(a->allowed));
	if (a->function != DEFAULT_NO_FUNCTION)
		AppendRule(&out, 1, psprintf("%s()", DefaultFunctionName(a->function)));
	if (a->read_only)
		AppendRule(&out, 2, "set when the item is created");
	if (a->computed.data != NULL)
		AppendRule(&out, 3, pnstrdup(a->computed.data, a->computed.len));
	return out.len == 0 ? NULL : out.data;
}

/* Whether a comment was made here. */
static bool
IsRuleComment(const char *comment)
{
	for (int i = 0; i < (int) lengthof(rule_names); i++)
	{
		if (strncmp(comment, rule_names[i], strlen(rule_names[i])) == 0)
			return true;
	}
	return false;
}

static void
DescribeColumn(Relation view, const EntityViewDef *def, int i, const Entity *entity)
{
	Slice		attribute = EntityColumnAttribute(def, i);
	const EntityAttribute *a = attribute.data == NULL ? NULL : EntityAttributeFind(entity, attribute);
	char	   *text = a == NULL ? NULL : DescribeRules(a);
	char	   *before = GetComment(RelationGetRelid(view), RelationRelationId, i + 1);

	if (before == NULL ? text == NULL : !IsRuleComment(before) || (text != NULL && strcmp(text, before) == 0))
		return;
	RunStatement("COMMENT ON COLUMN %s.%s IS %s", QualifiedName(RelationGetNamespace(view), RelationGetRelationName(view)),
				 quote_identifier(NameStr(TupleDescAttr(RelationGetDescr(view), i)->attname)),
				 text == NULL ? "NULL" : quote_literal_cstr(text));
}

void
EntityViewDescribe(Oid oid, const Entity *entity)
{
	Relation	view = entity == NULL ? NULL : try_relation_open(oid, AccessShareLock);
	const EntityViewDef *def = view == NULL ? NULL : EntityViewDefOf(view);

	for (int i = 0; def != NULL && i < RelationGetDescr(view)->natts; i++)
		DescribeColumn(view, def, i, entity);
	if (view != NULL)
		relation_close(view, NoLock);
}
