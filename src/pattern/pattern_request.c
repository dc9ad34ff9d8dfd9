/*
 * pattern_request.c
 *	  An access pattern as the request Query: expressions, names and values.
 *
 * Generated placeholders begin with an underscore, those of parameters do not:
 * k for keys, e for kinds, f for what the keys do not decide.
 */
#include "postgres.h"

#include "errors.h"
#include "item/json.h"
#include "pattern/pattern.h"

/* Whether an expression names a placeholder, "#n" or ":v". */
static bool
MentionsPlaceholder(const char *expression, const char *placeholder)
{
	int			len = strlen(placeholder);

	for (const char *at = expression; at != NULL && (at = strstr(at, placeholder)) != NULL; at += len)
	{
		char		next = at[len];

		if (!isalnum((unsigned char) next) && next != '_')
			return true;
	}
	return false;
}

/* ---- expressions ---- */

static void
AppendRequestCondition(StringInfo out, const PatternKey *key, int i)
{
	if (key->op == KEY_BEGINS_WITH)
		appendStringInfo(out, "begins_with(#_k%d, :_k%d)", i, i);
	else
		appendStringInfo(out, "#_k%d %s :_k%d", i, KeyOperatorName(key->op), i);
	if (key->op == KEY_BETWEEN)
		appendStringInfo(out, " AND :_k%db", i);
}

char *
PatternKeyExpression(const AccessPattern *pattern)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < pattern->nkeys; i++)
	{
		if (i > 0)
			appendStringInfoString(&out, " AND ");
		AppendRequestCondition(&out, &pattern->keys[i], i);
	}
	return out.data;
}

/* Appends "(#_f0 = :_f0 OR (attribute_not_exists(#_f0) AND #_f0k0 = :_f0k0))". */
static void
AppendEquality(StringInfo out, const PatternEquality *e, int i)
{
	appendStringInfo(out, "%s%s#_f%d = :_f%d", out->len == 0 ? "" : " AND ", e->keys == NIL ? "" : "(", i, i);
	for (int j = 0; j < list_length(e->keys); j++)
	{
		appendStringInfo(out, " OR (attribute_not_exists(#_f%d)", i);
		appendStringInfoString(out, " AND ");
		appendStringInfo(out, "#_f%dk%d = :_f%dk%d)", i, j, i, j);
	}
	if (e->keys != NIL)
		appendStringInfoChar(out, ')');
}

static void
AppendEqualities(StringInfo out, const AccessPattern *pattern)
{
	for (int i = 0; i < list_length(pattern->equalities); i++)
		AppendEquality(out, list_nth(pattern->equalities, i), i);
}

/* Begins an expression with the user's filter, in parentheses if others follow. */
static void
BeginFilter(StringInfo out, const AccessPattern *pattern, bool alone)
{
	initStringInfo(out);
	if (pattern->filter != NULL)
		appendStringInfo(out, alone ? "%s" : "(%s)", pattern->filter);
}

char *
PatternRowFilter(const AccessPattern *pattern)
{
	StringInfoData out;

	BeginFilter(&out, pattern, pattern->equalities == NIL);
	AppendEqualities(&out, pattern);
	return out.len == 0 ? NULL : out.data;
}

char *
PatternFilterExpression(const AccessPattern *pattern)
{
	StringInfoData out;

	BeginFilter(&out, pattern, pattern->equalities == NIL && pattern->kind_attribute == NULL);
	if (pattern->kinds != NIL)
		appendStringInfo(&out, "%s%s#_e IN (", out.len == 0 ? "" : " AND ", pattern->excludes ? "NOT " : "");
	for (int i = 0; i < list_length(pattern->kinds); i++)
		appendStringInfo(&out, "%s:_e%d", i == 0 ? "" : ", ", i);
	if (pattern->kinds != NIL)
		appendStringInfoChar(&out, ')');
	AppendEqualities(&out, pattern);
	return out.len == 0 ? NULL : out.data;
}

/* ---- names and values ---- */

static void
AppendName(StringInfo out, const char *placeholder, Slice name)
{
	appendStringInfoString(out, out->len == 0 ? "{" : ", ");
	JsonAppendString(out, placeholder, strlen(placeholder));
	appendStringInfoString(out, ": ");
	JsonAppendString(out, name.data, name.len);
}

/*
 * Appends the names that an expression uses, because a request may have no
 * others.
 */
static void
AppendGivenNames(const AccessPattern *pattern, const char *expression, const char *other, StringInfo out)
{
	Container	names;

	if (ValueIsMissing(pattern->names))
		return;
	ContainerOpen(pattern->names, &names);
	for (uint32 i = 0; i < names.count; i++)
	{
		Slice		placeholder;
		ValueRef	name = MapEntry(&names, i, &placeholder);
		char	   *text = pnstrdup(placeholder.data, placeholder.len);

		if (MentionsPlaceholder(expression, text) || MentionsPlaceholder(other, text))
			AppendName(out, text, ValuePayload(name));
	}
}

static void
AppendEqualityNames(StringInfo out, const AccessPattern *pattern)
{
	for (int i = 0; i < list_length(pattern->equalities); i++)
	{
		const PatternEquality *e = list_nth(pattern->equalities, i);

		AppendName(out, psprintf("#_f%d", i), SliceOf(e->attribute));
		for (int j = 0; j < list_length(e->keys); j++)
			AppendName(out, psprintf("#_f%dk%d", i, j), SliceOf(((const PatternKey *) list_nth(e->keys, j))->attribute));
	}
}

char *
PatternFilterNames(const AccessPattern *pattern)
{
	StringInfoData out;

	initStringInfo(&out);
	AppendEqualityNames(&out, pattern);
	AppendGivenNames(pattern, pattern->filter, NULL, &out);
	if (out.len == 0)
		return NULL;
	appendStringInfoChar(&out, '}');
	return out.data;
}

char *
PatternNames(const AccessPattern *pattern)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < pattern->nkeys; i++)
		AppendName(&out, psprintf("#_k%d", i), SliceOf(pattern->keys[i].attribute));
	if (pattern->kind_attribute != NULL)
		AppendName(&out, "#_e", SliceOf(pattern->kind_attribute));
	AppendEqualityNames(&out, pattern);
	AppendGivenNames(pattern, pattern->filter, pattern->projection, &out);
	appendStringInfoChar(&out, '}');
	return out.data;
}

static List *
AddPlaceholder(List *list, PatternPlaceholder given)
{
	PatternPlaceholder *p = palloc(sizeof(PatternPlaceholder));

	*p = given;
	return lappend(list, p);
}

static PatternPlaceholder
PlaceholderOfKey(const PatternKey *key, int i, int value)
{
	const PatternValue *v = &key->values[value];
	PatternPlaceholder p = {psprintf(":_k%d%s", i, value == 0 ? "" : "b")};

	if (v->template != NULL)
		p.key = v;
	else if (v->constant != NULL)
		p.constant = v->constant;
	else
		p.parameter = linitial(v->parameters);
	return p;
}

static List *
AddEqualityPlaceholders(List *list, const AccessPattern *pattern)
{
	for (int i = 0; i < list_length(pattern->equalities); i++)
	{
		const PatternEquality *e = list_nth(pattern->equalities, i);

		list = AddPlaceholder(list, (PatternPlaceholder) {psprintf(":_f%d", i), .parameter = e->parameter});
		for (int j = 0; j < list_length(e->keys); j++)
			list = AddPlaceholder(list, (PatternPlaceholder) {psprintf(":_f%dk%d", i, j),
								  .key = &((const PatternKey *) list_nth(e->keys, j))->values[0]});
	}
	return list;
}

List *
PatternPlaceholders(const AccessPattern *pattern)
{
	List	   *list = NIL;

	for (int i = 0; i < pattern->nkeys; i++)
	{
		for (int j = 0; j < pattern->keys[i].nvalues; j++)
			list = AddPlaceholder(list, PlaceholderOfKey(&pattern->keys[i], i, j));
	}
	for (int i = 0; i < list_length(pattern->kinds); i++)
		list = AddPlaceholder(list, (PatternPlaceholder) {psprintf(":_e%d", i), .constant = list_nth(pattern->kinds, i)});
	list = AddEqualityPlaceholders(list, pattern);
	for (int i = 0; i < pattern->nparameters; i++)
	{
		char	   *placeholder = psprintf(":%s", pattern->parameters[i].name);

		if (MentionsPlaceholder(pattern->filter, placeholder))
			list = AddPlaceholder(list, (PatternPlaceholder) {placeholder, .parameter = pattern->parameters[i].name});
	}
	return list;
}

/* ---- values as they are shown ---- */

/*
 * Appends the source of a part, with the name replaced by that of the
 * parameter.
 */
static void
AppendPartShown(StringInfo out, const TemplatePart *part, const char *begin, const char *end, const char *parameter)
{
	const char *behind = part->name.data + part->name.len;

	appendBinaryStringInfo(out, begin, part->name.data - begin);
	appendStringInfoString(out, parameter);
	appendBinaryStringInfo(out, behind, end - behind);
}

char *
PatternValueShown(const PatternValue *value)
{
	const Template *t;
	StringInfoData out;
	const char *begin;
	int			shown = 0;

	if (value->constant != NULL)
		return pstrdup(value->constant);
	if (value->template == NULL)
		return psprintf("{%s}", (char *) linitial(value->parameters));
	t = TemplateGet(SliceOf(value->template));
	begin = t->source.data;
	initStringInfo(&out);
	for (int i = 0; i < t->npieces; i++)
	{
		const char *end = PatternPieceEnd(t, i);
		const char *parameter = t->pieces[i].part == NULL || shown >= list_length(value->parameters) ? "" :
			list_nth(value->parameters, shown++);

		if (t->pieces[i].part == NULL)
			appendBinaryStringInfo(&out, begin, end - begin);
		else if (parameter[0] == '\0')
			break;
		else
			AppendPartShown(&out, t->pieces[i].part, begin, end, parameter);
		begin = end;
	}
	return out.data;
}

/* ---- the request ---- */

static void
AppendTextMember(StringInfo out, const char *member, const char *text)
{
	if (text == NULL)
		return;
	appendStringInfo(out, "%s\"%s\": ", out->data[out->len - 1] == '{' ? "" : ", ", member);
	JsonAppendString(out, text, strlen(text));
}

static void
AppendRequestText(StringInfo out, Slice text)
{
	appendStringInfoString(out, "{\"S\": ");
	JsonAppendString(out, text.data, text.len);
	appendStringInfoChar(out, '}');
}

/* Appends the value of a placeholder; returns false if nothing can be found. */
static bool
AppendRequestValue(StringInfo out, const PatternPlaceholder *p, ParameterFinder find, void *arg)
{
	StringInfoData text;
	ValueRef	v;

	initStringInfo(&text);
	if (p->constant != NULL)
		AppendRequestText(out, SliceOf(p->constant));
	else if (find == NULL)
		AppendRequestText(out, SliceOf(p->key != NULL ? PatternValueShown(p->key) : psprintf("{%s}", p->parameter)));
	else if (p->key != NULL)
	{
		if (!PatternKeyText(p->key, find, arg, &text))
			return false;
		AppendRequestText(out, (Slice) {text.data, text.len});
	}
	else
	{
		v = find(arg, p->parameter);
		if (ValueIsMissing(v))
			return false;
		ValueToJson(out, v);
	}
	return true;
}

/*
 * The limit of a request counts what it reads, also what the filter leaves out.  No
 * such pattern can be declared, but anybody can write a record.
 */
static void
RequireLimitInRequest(const AccessPattern *pattern)
{
	if (pattern->limit > 0 && PatternFilterExpression(pattern) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a request cannot return the first %d items that a filter leaves", pattern->limit)));
}

/* While the items of its entity are moved, a pattern reads the ranges of either key. */
static void
RequireOneRange(const AccessPattern *pattern)
{
	if (pattern->basis != NULL && PatternBasisIsEither(pattern->basis))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("an access pattern of entity \"%s\" cannot be one request while its items are moved to other keys",
						pattern->entities == NIL ? "" : (const char *) linitial(pattern->entities)),
				 errhint("Wait for the migration, or cancel it; see dynamo.migrations. The pattern's SQL function finds the items.")));
}

void
PatternRequireRequest(const AccessPattern *pattern)
{
	if (pattern->by_key)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("The access pattern cannot be a request, because only keys tell its items from others in the range"),
				 errhint("Call its function in SQL, or declare the entities with type attributes.")));
}

bool
PatternAppendRequest(const AccessPattern *pattern, ParameterFinder find, void *arg, StringInfo out)
{
	ListCell   *cell;
	bool		first = true;

	if (find != NULL)
	{
		RequireOneRange(pattern);
		RequireLimitInRequest(pattern);
	}
	appendStringInfoChar(out, '{');
	AppendTextMember(out, "TableName", pattern->table);
	AppendTextMember(out, "IndexName", pattern->index);
	AppendTextMember(out, "KeyConditionExpression", PatternKeyExpression(pattern));
	AppendTextMember(out, "FilterExpression", PatternFilterExpression(pattern));
	AppendTextMember(out, "ProjectionExpression", pattern->projection);
	appendStringInfo(out, ", \"ExpressionAttributeNames\": %s, \"ExpressionAttributeValues\": {", PatternNames(pattern));
	foreach(cell, PatternPlaceholders(pattern))
	{
		const PatternPlaceholder *p = lfirst(cell);

		if (!first)
			appendStringInfoString(out, ", ");
		first = false;
		JsonAppendString(out, p->placeholder, strlen(p->placeholder));
		appendStringInfoString(out, ": ");
		if (!AppendRequestValue(out, p, find, arg))
			return false;
	}
	appendStringInfoChar(out, '}');
	if (pattern->backward)
		appendStringInfoString(out, ", \"ScanIndexForward\": false");
	if (pattern->limit > 0 && PatternFilterExpression(pattern) == NULL)
		appendStringInfo(out, ", \"Limit\": %d", pattern->limit);
	appendStringInfoChar(out, '}');
	return true;
}
