/*
 * pattern_record.c
 *	  The comment in a function's body that says which access pattern it is.
 *
 * It is JSON in which "*" is written as "\u002a", so that nothing in it ends the
 * comment or begins another.  A comment with another form is ignored, because the
 * owner of a function can write anything there.
 */
#include "postgres.h"

#include "port/pg_crc32c.h"
#include "utils/builtins.h"

#include "item/builder.h"
#include "item/json.h"
#include "pattern/pattern.h"

#define RECORD_END		" */\n"

static const char *const operator_names[] = {
	[KEY_EQ] = "=", [KEY_LT] = "<", [KEY_LE] = "<=", [KEY_GT] = ">", [KEY_GE] = ">=",
	[KEY_BETWEEN] = "BETWEEN", [KEY_BEGINS_WITH] = "begins_with"
};

const char *
KeyOperatorName(KeyOperator op)
{
	return operator_names[op];
}

static bool
FindKeyOperator(Slice name, KeyOperator *op)
{
	for (int i = KEY_EQ; i < (int) lengthof(operator_names); i++)
	{
		if (!SliceIs(name, operator_names[i]))
			continue;
		*op = i;
		return true;
	}
	return false;
}

/* ---- printing ---- */

static void
BuildText(ItemBuilder *b, const char *name, const char *text)
{
	if (text != NULL)
		ItemBuilderStringMember(b, name, SliceOf(text));
}

static void
BuildTexts(ItemBuilder *b, const char *name, const List *texts)
{
	ListCell   *cell;

	if (texts == NIL)
		return;
	ItemBuilderName(b, name, strlen(name));
	ItemBuilderBeginList(b);
	foreach(cell, texts)
		ItemBuilderString(b, lfirst(cell), strlen(lfirst(cell)));
	ItemBuilderEnd(b);
}

static void
BeginMembers(ItemBuilder *b, const char *name)
{
	ItemBuilderName(b, name, strlen(name));
	ItemBuilderBeginList(b);
}

static void
BuildValue(ItemBuilder *b, const PatternValue *value)
{
	ItemBuilderBeginMap(b);
	BuildText(b, "constant", value->constant);
	if (value->template != NULL)
		BuildText(b, "comparison", KeyComparisonName(value->comparison));
	BuildText(b, "template", value->template);
	BuildTexts(b, "parts", value->parts);
	BuildTexts(b, "parameters", value->parameters);
	ItemBuilderEnd(b);
}

static void
BuildKey(ItemBuilder *b, const PatternKey *key)
{
	ItemBuilderBeginMap(b);
	BuildText(b, "attribute", key->attribute);
	BuildText(b, "operator", KeyOperatorName(key->op));
	BeginMembers(b, "values");
	for (int i = 0; i < key->nvalues; i++)
		BuildValue(b, &key->values[i]);
	ItemBuilderEnd(b);
	ItemBuilderEnd(b);
}

static void
BuildEquality(ItemBuilder *b, const PatternEquality *e)
{
	ListCell   *cell;

	ItemBuilderBeginMap(b);
	BuildText(b, "attribute", e->attribute);
	BuildText(b, "parameter", e->parameter);
	BeginMembers(b, "keys");
	foreach(cell, e->keys)
		BuildKey(b, lfirst(cell));
	ItemBuilderEnd(b);
	ItemBuilderEnd(b);
}

static void
BuildParameter(ItemBuilder *b, const PatternParameter *parameter)
{
	ItemBuilderBeginMap(b);
	BuildText(b, "name", parameter->name);
	BuildText(b, "type", parameter->type);
	BuildText(b, "list", parameter->list ? "list" : NULL);
	ItemBuilderEnd(b);
}

static void
BuildLists(ItemBuilder *b, const AccessPattern *p)
{
	ListCell   *cell;

	BuildTexts(b, "entities", p->entities);
	BuildTexts(b, "kinds", p->kinds);
	BeginMembers(b, "parameters");
	for (int i = 0; i < p->nparameters; i++)
		BuildParameter(b, &p->parameters[i]);
	ItemBuilderEnd(b);
	BeginMembers(b, "keys");
	for (int i = 0; i < p->nkeys; i++)
		BuildKey(b, &p->keys[i]);
	ItemBuilderEnd(b);
	if (p->equalities == NIL)
		return;
	BeginMembers(b, "equalities");
	foreach(cell, p->equalities)
		BuildEquality(b, lfirst(cell));
	ItemBuilderEnd(b);
}

/* What tells a statement from another one that somebody has put in its place. */
static char *
StatementSum(const char *statement)
{
	pg_crc32c	sum;

	INIT_CRC32C(sum);
	COMP_CRC32C(sum, statement, strlen(statement));
	FIN_CRC32C(sum);
	return psprintf("%08x", sum);
}

static ValueRef
BuildRecord(const AccessPattern *p, const char *statement)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);

	ItemBuilderBeginMap(b);
	BuildText(b, "table", p->table);
	BuildText(b, "relation", p->relation);
	BuildText(b, "view", p->view);
	BuildText(b, "index", p->index);
	BuildText(b, "condition", p->condition);
	BuildText(b, "filter", p->filter);
	BuildText(b, "projection", p->projection);
	BuildText(b, "returns", p->returns);
	BuildText(b, "kind_attribute", p->kind_attribute);
	BuildText(b, "kinds_are", p->excludes ? "excluded" : NULL);
	BuildText(b, "told_by", p->by_key ? "key" : NULL);
	BuildText(b, "basis", p->basis);
	BuildText(b, "sum", StatementSum(statement));
	BuildText(b, "order", p->backward ? "backward" : "forward");
	if (p->limit > 0)
		BuildText(b, "limit", psprintf("%d", p->limit));
	ItemBuilderMember(b, "names", p->names);
	ItemBuilderMember(b, "arguments", p->arguments);
	BuildLists(b, p);
	ItemBuilderEnd(b);
	return ItemRoot(ItemBuilderFinish(b));
}

char *
PatternRecordPrint(const AccessPattern *pattern, const char *statement)
{
	StringInfoData json;
	StringInfoData out;

	initStringInfo(&json);
	initStringInfo(&out);
	ItemToJson(&json, BuildRecord(pattern, statement));
	appendStringInfoString(&out, PATTERN_RECORD_BEGIN);
	for (int i = 0; i < json.len; i++)
	{
		if (json.data[i] == '*')
			appendStringInfoString(&out, "\\u002a");
		else
			appendStringInfoChar(&out, json.data[i]);
	}
	appendStringInfoString(&out, RECORD_END);
	return out.data;
}

/* ---- reading ---- */

/* Returns a member that is a text; NULL if it is absent or of another type. */
static char *
ReadTextMember(ValueRef map, const char *name)
{
	ValueRef	v = AttributeFind(map, name, strlen(name));

	if (ValueIsMissing(v) || ValueTypeOf(v) != VALUE_S)
		return NULL;
	return pnstrdup(ValuePayload(v).data, ValuePayload(v).len);
}

/* Opens a member that is a list, which may be absent. */
static bool
ReadListMember(ValueRef map, const char *name, Container *list)
{
	ValueRef	v = AttributeFind(map, name, strlen(name));

	*list = (Container) {0};
	if (ValueIsMissing(v))
		return true;
	if (ValueTypeOf(v) != VALUE_L)
		return false;
	ContainerOpen(v, list);
	return true;
}

static bool
ReadTextsMember(ValueRef map, const char *name, List **texts)
{
	Container	list;

	if (!ReadListMember(map, name, &list))
		return false;
	for (uint32 i = 0; i < list.count; i++)
	{
		ValueRef	v = ListElement(&list, i);

		if (ValueTypeOf(v) != VALUE_S)
			return false;
		*texts = lappend(*texts, pnstrdup(ValuePayload(v).data, ValuePayload(v).len));
	}
	return true;
}

/*
 * Returns element i of a list if it is a map, as all elements of these lists
 * must be.
 */
static bool
ReadMapElement(const Container *list, uint32 i, ValueRef *map)
{
	*map = ListElement(list, i);
	return ValueTypeOf(*map) == VALUE_M;
}

static bool
ReadValue(ValueRef map, PatternValue *value)
{
	char	   *comparison = ReadTextMember(map, "comparison");
	const char *problem;

	value->template = ReadTextMember(map, "template");
	value->constant = ReadTextMember(map, "constant");
	if (!ReadTextsMember(map, "parts", &value->parts) || !ReadTextsMember(map, "parameters", &value->parameters))
		return false;
	if (value->constant != NULL)
		return value->template == NULL;
	if (value->template == NULL)
		return list_length(value->parameters) == 1;
	return comparison != NULL && KeyComparisonFromName(SliceOf(comparison), &value->comparison) &&
		TemplateRead(SliceOf(value->template), &problem) != NULL && value->parts != NIL &&
		list_length(value->parts) == list_length(value->parameters);
}

static bool
ReadPatternKey(ValueRef map, PatternKey *key)
{
	char	   *op = ReadTextMember(map, "operator");
	Container	values;
	ValueRef	value;

	key->attribute = ReadTextMember(map, "attribute");
	if (key->attribute == NULL || op == NULL || !FindKeyOperator(SliceOf(op), &key->op) ||
		!ReadListMember(map, "values", &values))
		return false;
	key->nvalues = key->op == KEY_BETWEEN ? 2 : 1;
	if (values.count != (uint32) key->nvalues)
		return false;
	for (int i = 0; i < key->nvalues; i++)
	{
		if (!ReadMapElement(&values, i, &value) || !ReadValue(value, &key->values[i]))
			return false;
	}
	return true;
}

static bool
ReadPatternKeys(ValueRef map, AccessPattern *p)
{
	Container	list;
	ValueRef	key;

	if (!ReadListMember(map, "keys", &list) || list.count == 0 || list.count > KEY_MAX_ATTRIBUTES)
		return false;
	p->nkeys = list.count;
	for (uint32 i = 0; i < list.count; i++)
	{
		if (!ReadMapElement(&list, i, &key) || !ReadPatternKey(key, &p->keys[i]))
			return false;
	}
	return true;
}

static bool
ReadEquality(ValueRef map, PatternEquality *e)
{
	Container	keys;
	ValueRef	key;

	e->attribute = ReadTextMember(map, "attribute");
	e->parameter = ReadTextMember(map, "parameter");
	if (e->attribute == NULL || e->parameter == NULL || !ReadListMember(map, "keys", &keys))
		return false;
	for (uint32 i = 0; i < keys.count; i++)
	{
		PatternKey *telling = palloc0(sizeof(PatternKey));

		if (!ReadMapElement(&keys, i, &key) || !ReadPatternKey(key, telling) || telling->op != KEY_EQ ||
			telling->values[0].template == NULL)
			return false;
		e->keys = lappend(e->keys, telling);
	}
	return true;
}

static bool
ReadEqualities(ValueRef map, AccessPattern *p)
{
	Container	list;
	ValueRef	equality;

	if (!ReadListMember(map, "equalities", &list) || list.count > PATTERN_MAX_PARAMETERS)
		return false;
	for (uint32 i = 0; i < list.count; i++)
	{
		PatternEquality *e = palloc0(sizeof(PatternEquality));

		if (!ReadMapElement(&list, i, &equality) || !ReadEquality(equality, e))
			return false;
		p->equalities = lappend(p->equalities, e);
	}
	return true;
}

static bool
ReadPatternParameters(ValueRef map, AccessPattern *p)
{
	Container	list;
	ValueRef	parameter;

	if (!ReadListMember(map, "parameters", &list) || list.count > PATTERN_MAX_PARAMETERS)
		return false;
	p->nparameters = list.count;
	p->parameters = palloc0(sizeof(PatternParameter) * Max(list.count, 1));
	for (uint32 i = 0; i < list.count; i++)
	{
		if (!ReadMapElement(&list, i, &parameter))
			return false;
		p->parameters[i].name = ReadTextMember(parameter, "name");
		p->parameters[i].type = ReadTextMember(parameter, "type");
		if (p->parameters[i].name == NULL || p->parameters[i].type == NULL)
			return false;
		p->parameters[i].list = ReadTextMember(parameter, "list") != NULL;
	}
	return true;
}

/* Returns a member that is a map of texts, which may be absent. */
static bool
ReadTextMap(ValueRef map, const char *name, ValueRef *texts)
{
	Container	entries;
	Slice		key;

	*texts = AttributeFind(map, name, strlen(name));
	if (ValueIsMissing(*texts))
		return true;
	if (ValueTypeOf(*texts) != VALUE_M)
		return false;
	ContainerOpen(*texts, &entries);
	for (uint32 i = 0; i < entries.count; i++)
	{
		if (ValueTypeOf(MapEntry(&entries, i, &key)) != VALUE_S)
			return false;
	}
	return true;
}

static AccessPattern *
ReadPatternRecord(ValueRef map)
{
	AccessPattern *p = palloc0(sizeof(AccessPattern));
	char	   *limit = ReadTextMember(map, "limit");
	char	   *order = ReadTextMember(map, "order");

	p->table = ReadTextMember(map, "table");
	p->relation = ReadTextMember(map, "relation");
	p->view = ReadTextMember(map, "view");
	p->index = ReadTextMember(map, "index");
	p->condition = ReadTextMember(map, "condition");
	p->filter = ReadTextMember(map, "filter");
	p->projection = ReadTextMember(map, "projection");
	p->returns = ReadTextMember(map, "returns");
	p->kind_attribute = ReadTextMember(map, "kind_attribute");
	p->excludes = ReadTextMember(map, "kinds_are") != NULL;
	p->by_key = ReadTextMember(map, "told_by") != NULL;
	p->basis = ReadTextMember(map, "basis");
	p->backward = order != NULL && strcmp(order, "backward") == 0;
	p->limit = limit == NULL ? 0 : Max(atoi(limit), 0);
	if (p->table == NULL || p->returns == NULL || !ReadTextsMember(map, "entities", &p->entities) ||
		!ReadTextsMember(map, "kinds", &p->kinds) || (p->kinds == NIL) != (p->kind_attribute == NULL) ||
		!ReadPatternParameters(map, p) || !ReadPatternKeys(map, p) || !ReadEqualities(map, p) || !ReadTextMap(map, "names", &p->names) ||
		!ReadTextMap(map, "arguments", &p->arguments))
		return NULL;
	return p;
}

/* Whether a record belongs to this statement. */
static bool
HasSum(ValueRef map, const char *statement)
{
	const char *sum = ReadTextMember(map, "sum");

	return sum != NULL && strcmp(sum, StatementSum(statement)) == 0;
}

AccessPattern *
PatternRecordRead(Slice body)
{
	Slice		begin = SliceOf(PATTERN_RECORD_BEGIN);
	Problem		problem = NO_PROBLEM;
	char	   *json;
	char	   *end;
	const char *statement;
	struct varlena *item;
	AccessPattern *pattern;

	if (!SliceBeginsWith(body, begin))
		return NULL;
	json = pnstrdup(body.data + begin.len, body.len - begin.len);
	end = strstr(json, RECORD_END);
	if (end == NULL)
		return NULL;
	*end = '\0';
	statement = end + strlen(RECORD_END);
	/* a text cannot contain U+0000 */
	if (strstr(json, "\\u0000") != NULL)
		return NULL;
	item = ItemFromJson(json, end - json, &problem);
	pattern = item == NULL ? NULL : ReadPatternRecord(ItemRoot(item));
	if (pattern != NULL)
		pattern->changed = !HasSum(ItemRoot(item), statement);
	return pattern;
}
