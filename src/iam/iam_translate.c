/*
 * iam_translate.c
 *	  Translates statements of IAM policies into SQL.
 *
 * First, each statement is applied to each table that it concerns, which yields
 * rules.  Then the rules are written as SQL: grants, row security, and finally
 * revokes, because in IAM a Deny overrides every Allow.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"

#include "errors.h"
#include "iam/iam.h"
#include "sha256.h"

#define WHOLE_NAME	24			/* longer names are cut, and told apart by a hash */
#define CUT_NAME	12
#define NAME_HASH	12			/* bytes of it */

/* The effect of a statement on a table. */
typedef struct IamRule
{
	const IamStatement *statement;
	IamTable   *table;
	AclMode		modes;			/* privileges, or those denied */
	IamLimits	limits;
} IamRule;

typedef struct IamTranslation
{
	const char *role;			/* quoted */
	const char *role_name;
	const char *schema;
	Jsonb	   *variables;
	List	   *tables;
	List	   *rules;
	List	   *lines;
} IamTranslation;

/* ---- lines ---- */

/* Replaces control characters, because texts of the policy become comments of a script. */
static void
RemoveControls(char *text)
{
	for (char *c = text; *c != '\0'; c++)
	{
		if ((unsigned char) *c < ' ' || *c == 0x7F)
			*c = '?';
	}
}

static void AddLine(IamTranslation *t, const IamStatement *s, IamLineKind kind, const char *format,...) pg_attribute_printf(4, 5);

static void
AddLine(IamTranslation *t, const IamStatement *s, IamLineKind kind, const char *format,...)
{
	IamLine    *line = palloc0(sizeof(IamLine));
	va_list		args;

	va_start(args, format);
	line->text = DynamoFormat(format, args);
	va_end(args);
	line->statement = s != NULL ? s->number : 0;
	line->sid = s != NULL ? s->sid : NULL;
	line->kind = kind;
	if (s != NULL && s->sid != NULL)
		RemoveControls(s->sid);
	if (kind != IAM_SQL)
		RemoveControls(line->text);
	t->lines = lappend(t->lines, line);
}

static void
AddLines(IamTranslation *t, const IamStatement *s, IamLineKind kind, const char *about, List *texts)
{
	ListCell   *lc;

	foreach(lc, texts)
		AddLine(t, s, kind, "%s: %s", about, (char *) lfirst(lc));
}

/* ---- resources ---- */

static bool
MatchesAnyTable(const IamTranslation *t, const char *pattern)
{
	ListCell   *lc;

	foreach(lc, t->tables)
	{
		if (IamMatches(pattern, ((IamTable *) lfirst(lc))->name, false))
			return true;
	}
	return false;
}

static bool
CanMeanAnyTable(const IamTranslation *t, const char *resource)
{
	ListCell   *lc;

	foreach(lc, t->tables)
	{
		if (IamCanMeanTable(resource, lfirst(lc)))
			return true;
	}
	return false;
}

/* Reports how the treatment of a resource differs from IAM. */
static void
ReviewResource(IamTranslation *t, const IamStatement *s, const char *text)
{
	IamResource r = IamReadResource(text);
	const char *doubt = s->allow ? "is not granted" : "denies every table that it may match";

	if (r.pattern == NULL && CanMeanAnyTable(t, text))
		AddLine(t, s, IAM_REFUSED, "resource %s: a pattern that can match more than tables %s", text, doubt);
	else if (r.pattern == NULL)
		AddLine(t, s, IAM_REFUSED, "resource %s: it is not a DynamoDB table", text);
	else if (r.variable)
		AddLine(t, s, IAM_REFUSED, "resource %s: a name with a variable %s", text, doubt);
	else if (!MatchesAnyTable(t, r.pattern))
		AddLine(t, s, IAM_REFUSED, "resource %s: schema %s has no such table", text, quote_identifier(t->schema));
	else if (r.part)
		AddLine(t, s, IAM_NOTE, "resource %s: indexes and streams have the rights of their table%s", text,
				s->allow ? "; they are not granted separately" : ", which is denied");
	else if (strpbrk(r.pattern, "*?") != NULL)
		AddLine(t, s, IAM_NOTE, "resource %s: it applies to the tables that exist now", text);
}

/* ---- actions ---- */

/* Whether any known action matches. */
static bool
IsKnownAction(const char *pattern)
{
	for (int i = 0; i < iam_nactions; i++)
	{
		if (IamMatches(pattern, psprintf("dynamodb:%s", iam_actions[i].name), true))
			return true;
	}
	return false;
}

static AclMode
ModesOf(const IamStatement *s)
{
	AclMode		modes = 0;

	for (int i = 0; i < iam_nactions; i++)
	{
		if (IamListsAction(s, iam_actions[i].name) != s->not_actions)
			modes |= s->allow ? iam_actions[i].needs : iam_actions[i].denied;
	}
	return modes;
}

/* Whether a statement grants SELECT only because writes need it. */
static bool
ReadsToWrite(const IamStatement *s)
{
	bool		writes = false;

	for (int i = 0; s->allow && i < iam_nactions; i++)
	{
		if (IamListsAction(s, iam_actions[i].name) == s->not_actions)
			continue;
		if (iam_actions[i].needs == ACL_SELECT)
			return false;
		writes = writes || iam_actions[i].needs != 0;
	}
	return writes;
}

/* Reports the actions that privileges on a table do not grant or deny. */
static void
ReviewActions(IamTranslation *t, const IamStatement *s)
{
	ListCell   *lc;

	foreach(lc, s->actions)
	{
		if (!IsKnownAction(lfirst(lc)))
			AddLine(t, s, IAM_REFUSED, "action %s: unknown action", (char *) lfirst(lc));
	}
	if (ReadsToWrite(s) && !IamLimitsAttributes(s))
		AddLine(t, s, IAM_NOTE, "SELECT is also granted, because writes of items need it");
	for (int i = 0; i < iam_nactions; i++)
	{
		const IamAction *a = &iam_actions[i];

		if (IamListsAction(s, a->name) == s->not_actions)
			continue;
		if (a->kind == IAM_OWNER && s->allow)
			AddLine(t, s, IAM_REFUSED, "action dynamodb:%s: it requires ownership of the table, or CREATE on the schema", a->name);
		else if (a->kind == IAM_OWNER)
			AddLine(t, s, IAM_REFUSED, "action dynamodb:%s: it cannot be denied to the owner of a table; others do not have it", a->name);
		else if (a->kind == IAM_FREE && !s->allow)
			AddLine(t, s, IAM_REFUSED, "action dynamodb:%s: it requires no privilege, so it cannot be denied", a->name);
		else if (a->kind == IAM_FREE)
			AddLine(t, s, IAM_NOTE, "action dynamodb:%s: it requires no privilege", a->name);
	}
}

/* ---- rules ---- */

/* Whether an Allow can be granted: all its conditions were translated. */
static bool
LimitsAllow(IamTranslation *t, IamRule *rule)
{
	const IamStatement *s = rule->statement;

	if (rule->limits.problems != NIL)
	{
		AddLines(t, s, IAM_REFUSED, psprintf("table %s is not granted", rule->table->sql), rule->limits.problems);
		return false;
	}
	if (rule->limits.attributes != NIL && (rule->modes & ~ACL_SELECT) != 0)
	{
		AddLine(t, s, IAM_REFUSED, "table %s: writes of single attributes cannot be granted", rule->table->sql);
		if (ReadsToWrite(s))
			return false;
		rule->modes = ACL_SELECT;
	}
	return true;
}

/* Reports the conditions of a Deny that were not translated; it always denies then. */
static void
LimitDeny(IamTranslation *t, IamRule *rule)
{
	if (rule->limits.attributes != NIL)
		rule->limits.problems = lappend(rule->limits.problems, "single attributes cannot be denied");
	if (rule->limits.problems == NIL)
		return;
	AddLines(t, rule->statement, IAM_REFUSED,
			 psprintf("table %s is denied regardless of the conditions", rule->table->sql), rule->limits.problems);
	rule->limits.rows = NULL;
	rule->limits.attributes = NIL;
}

/*
 * Reads the conditions.  The leading key of a query is the partition key of the
 * index, so that a Deny is also of the items that the index has under such a key.
 */
static void
ReadLimits(IamTranslation *t, IamRule *rule)
{
	const IamStatement *s = rule->statement;
	IamLimits  *limits = &rule->limits;
	ListCell   *lc;

	IamReadConditions(s, rule->table->key, rule->table->key_type, t->variables, limits);
	if (s->allow || limits->rows == NULL)
		return;
	foreach(lc, rule->table->index_keys)
	{
		const IamIndexKey *key = lfirst(lc);
		IamLimits	other;

		if (!IamCanMeanIndex(s, key))
			continue;
		IamReadConditions(s, key->column, key->type, t->variables, &other);
		if (limits->problems == NIL)
			limits->problems = other.problems;
		if (other.rows != NULL)
			limits->rows = psprintf("(%s) OR (%s) IS TRUE", limits->rows, other.rows);
		limits->notes = lappend(limits->notes, psprintf("its leading keys are also those of index %s", key->index));
	}
}

static void
AddRule(IamTranslation *t, const IamStatement *s, IamTable *table, AclMode modes)
{
	IamRule    *rule = palloc0(sizeof(IamRule));

	rule->statement = s;
	rule->table = table;
	rule->modes = modes;
	ReadLimits(t, rule);
	if (!s->allow)
		LimitDeny(t, rule);
	else if (!LimitsAllow(t, rule))
		return;
	AddLines(t, s, IAM_NOTE, psprintf("table %s", table->sql), rule->limits.notes);
	if (rule->limits.rows != NULL && rule->limits.attributes == NIL)
		table->row_security = true;
	t->rules = lappend(t->rules, rule);
}

static void
AddRules(IamTranslation *t, const IamStatement *s)
{
	AclMode		modes = ModesOf(s);
	ListCell   *lc;

	ReviewActions(t, s);
	foreach(lc, s->resources)
		ReviewResource(t, s, lfirst(lc));
	foreach(lc, t->tables)
	{
		IamTable   *table = lfirst(lc);

		if (modes == 0 || !IamStatementApplies(s, table))
			continue;
		if (!s->allow && s->not_resources && IamConcernsTable(s, table, false))
			AddLine(t, s, IAM_NOTE, "table %s: NotResource names it, but not its indexes and its stream, so that it is denied", table->sql);
		AddRule(t, s, table, modes);
	}
}

/* ---- SQL ---- */

static const struct
{
	AclMode		mode;
	const char *name;
}			commands[] = {
	{ACL_SELECT, "SELECT"}, {ACL_INSERT, "INSERT"}, {ACL_UPDATE, "UPDATE"}, {ACL_DELETE, "DELETE"}
};

static char *
ModesText(AclMode modes)
{
	StringInfoData out;

	initStringInfo(&out);
	for (size_t i = 0; i < lengthof(commands); i++)
	{
		if (modes & commands[i].mode)
			appendStringInfo(&out, "%s%s", out.len > 0 ? ", " : "", commands[i].name);
	}
	return out.data;
}

/* A hash of two names, in hex digits. */
static char *
HashNames(const char *a, const char *b)
{
	uint8		digest[PG_SHA256_DIGEST_LENGTH];
	char	   *hex = palloc0(2 * NAME_HASH + 1);
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, a);
	appendStringInfoChar(&text, '\0');
	appendStringInfoString(&text, b);
	Sha256Digest(digest, text.data, text.len);
	hex_encode((const char *) digest, NAME_HASH, hex);
	return hex;
}

static char *
CutName(const char *name)
{
	return pnstrdup(name, pg_mbcliplen(name, (int) strlen(name), CUT_NAME));
}

/*
 * Names of new objects.  Others have none of them, because whoever can read the
 * one view must not be granted the other: a name with a hash has a $ more, or a part
 * that is longer, than one without.
 */
static char *
ViewName(const IamTranslation *t, const IamRule *rule)
{
	const char *table = rule->table->name;
	const char *role = t->role_name;
	bool		whole = strlen(table) <= WHOLE_NAME && strlen(role) <= WHOLE_NAME &&
		strchr(table, '$') == NULL && strchr(role, '$') == NULL;

	return quote_qualified_identifier(t->schema, whole ? psprintf("%s$%s$%d", table, role, rule->statement->number) :
									  psprintf("%s$%s$%s$%d", CutName(table), CutName(role), HashNames(table, role), rule->statement->number));
}

static char *
PolicyName(const IamTranslation *t, const IamRule *rule, const char *command)
{
	const char *role = t->role_name;

	if (strlen(role) > WHOLE_NAME)
		role = psprintf("%s_%s", CutName(role), HashNames("", role));
	return psprintf("iam_%s_%d_%s", role, rule->statement->number, command);
}

static void
AppendAttributeColumn(StringInfo out, const IamTable *table, const char *name)
{
	const char *column = strcmp(name, table->key) == 0 || (table->sort != NULL && strcmp(name, table->sort) == 0) ?
		quote_identifier(name) : psprintf("item OPERATOR(dynamo.->) %s AS %s", quote_literal_cstr(name), quote_identifier(name));

	appendStringInfo(out, "%s%s", out->len > 0 ? ", " : "", column);
}

/* Writes a view of the attributes, because the item column cannot be granted in part. */
static void
WriteView(IamTranslation *t, const IamRule *rule)
{
	StringInfoData columns;
	ListCell   *lc;

	initStringInfo(&columns);
	foreach(lc, rule->limits.attributes)
	{
		if (strlen(lfirst(lc)) >= NAMEDATALEN)
			AddLine(t, rule->statement, IAM_REFUSED, "attribute %s: its name is too long for a column", (char *) lfirst(lc));
		else
			AppendAttributeColumn(&columns, rule->table, lfirst(lc));
	}
	AddLine(t, rule->statement, IAM_NOTE,
			"view %s: the role can read it in SQL; requests and functions need a privilege on the table, which it does not get", ViewName(t, rule));
	AddLine(t, rule->statement, IAM_SQL, "CREATE VIEW %s WITH (security_barrier) AS SELECT %s FROM %s%s%s",
			ViewName(t, rule), columns.data, rule->table->sql,
			rule->limits.rows != NULL ? " WHERE " : "", rule->limits.rows != NULL ? rule->limits.rows : "");
	AddLine(t, rule->statement, IAM_SQL, "GRANT SELECT ON %s TO %s", ViewName(t, rule), t->role);
}

static void
WriteGrants(IamTranslation *t, const IamRule *rule)
{
	if (rule->limits.attributes != NIL)
		WriteView(t, rule);
	else
		AddLine(t, rule->statement, IAM_SQL, "GRANT %s ON %s TO %s", ModesText(rule->modes), rule->table->sql, t->role);
}

static void
AnnounceRowSecurity(IamTranslation *t, const IamRule *rule)
{
	if (rule->table->announced)
		return;
	rule->table->announced = true;
	AddLine(t, rule->statement, IAM_NOTE,
			"table %s: with row security, all roles except the owner see only rows that a policy allows; "
			"a Scan returns the allowed rows", rule->table->sql);
	AddLine(t, rule->statement, IAM_SQL, "ALTER TABLE %s ENABLE ROW LEVEL SECURITY", rule->table->sql);
}

static void
WritePolicy(IamTranslation *t, const IamRule *rule, AclMode mode, const char *command)
{
	const char *rows = rule->limits.rows != NULL ? rule->limits.rows : "true";
	char	   *test = rule->statement->allow ? psprintf("(%s)", rows) : psprintf("(NOT (%s))", rows);
	char	   *name = PolicyName(t, rule, command);

	AddLine(t, rule->statement, IAM_SQL, "CREATE POLICY %s ON %s AS %s FOR %s TO %s%s%s%s%s", quote_identifier(name),
			rule->table->sql, rule->statement->allow ? "PERMISSIVE" : "RESTRICTIVE", command, t->role,
			mode != ACL_INSERT ? " USING " : "", mode != ACL_INSERT ? test : "",
			mode & (ACL_INSERT | ACL_UPDATE) ? " WITH CHECK " : "", mode & (ACL_INSERT | ACL_UPDATE) ? test : "");
}

/* Writes row security policies.  A Deny of all rows is a REVOKE and needs none. */
static void
WritePolicies(IamTranslation *t, const IamRule *rule)
{
	if (!rule->table->row_security || rule->limits.attributes != NIL ||
		(!rule->statement->allow && rule->limits.rows == NULL))
		return;
	AnnounceRowSecurity(t, rule);
	for (size_t i = 0; i < lengthof(commands); i++)
	{
		if (rule->modes & commands[i].mode)
			WritePolicy(t, rule, commands[i].mode, commands[i].name);
	}
}

/* Revokes from the table and from views of it. */
static void
WriteRevokes(IamTranslation *t, const IamRule *rule)
{
	ListCell   *lc;

	if (rule->statement->allow || rule->limits.rows != NULL)
		return;
	AddLine(t, rule->statement, IAM_NOTE,
			"table %s: the role may still have revoked privileges through another role or PUBLIC", rule->table->sql);
	AddLine(t, rule->statement, IAM_SQL, "REVOKE %s ON %s FROM %s", ModesText(rule->modes), rule->table->sql, t->role);
	foreach(lc, t->rules)
	{
		const IamRule *other = lfirst(lc);

		if (other->table == rule->table && other->limits.attributes != NIL && (rule->modes & ACL_SELECT))
			AddLine(t, rule->statement, IAM_SQL, "REVOKE SELECT ON %s FROM %s", ViewName(t, other), t->role);
	}
}

static void
WriteRules(IamTranslation *t, void (*write) (IamTranslation *t, const IamRule *rule), bool of_allow)
{
	ListCell   *lc;

	foreach(lc, t->rules)
	{
		const IamRule *rule = lfirst(lc);

		if (!of_allow || rule->statement->allow)
			write(t, rule);
	}
}

/* Adds the row conditions of Denies to views, which row security would not limit. */
static void
ReviewViews(IamTranslation *t)
{
	ListCell   *lc;
	ListCell   *other;

	foreach(lc, t->rules)
	{
		IamRule    *deny = lfirst(lc);

		foreach(other, t->rules)
		{
			IamRule    *view = lfirst(other);

			if (deny->statement->allow || deny->limits.rows == NULL || !(deny->modes & ACL_SELECT) ||
				view->table != deny->table || view->limits.attributes == NIL)
				continue;
			view->limits.rows = view->limits.rows == NULL ? psprintf("NOT (%s)", deny->limits.rows) :
				psprintf("(%s) AND NOT (%s)", view->limits.rows, deny->limits.rows);
		}
	}
}

List *
IamTranslate(Jsonb *documents, const char *role, const char *schema, Jsonb *variables)
{
	IamTranslation t = {
		.role = quote_identifier(role), .role_name = role, .schema = schema, .variables = variables
	};
	ListCell   *lc;

	t.tables = IamTablesOfSchema(schema);
	foreach(lc, IamReadDocuments(documents))
		AddRules(&t, lfirst(lc));
	ReviewViews(&t);
	if (t.rules != NIL)
		AddLine(&t, NULL, IAM_SQL, "GRANT USAGE ON SCHEMA %s TO %s", quote_identifier(schema), t.role);
	WriteRules(&t, WriteGrants, true);
	WriteRules(&t, WritePolicies, false);
	WriteRules(&t, WriteRevokes, false);
	return t.lines;
}
