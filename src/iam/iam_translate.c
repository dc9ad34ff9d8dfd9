/*
 * iam_translate.c
 *	  Translates statements of IAM policies into SQL.
 *
 * First, each statement is applied to each table that it concerns, which yields
 * rules.  Then the rules are written as SQL: grants, row security, and finally
 * revokes, because in IAM a Deny overrides every Allow.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "mb/pg_wchar.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/pg_crc.h"
#include "utils/rel.h"

#include "errors.h"
#include "iam/iam.h"
#include "table/distribution.h"
#include "table/table.h"
#include "table/table_list.h"

#define CUT_NAME	24
#define HASH_NAME	9			/* bytes of what tells cut names apart */

/* A table of the schema. */
typedef struct IamTable
{
	char	   *name;
	char	   *sql;			/* its qualified name, quoted */
	char	   *key;			/* the column of the partition key */
	char		key_type;		/* S, N, B */
	char	   *sort;			/* the column of the sort key, or NULL */
	bool		row_security;	/* it has or needs it */
	bool		announced;
	List	   *arns;			/* of char *: patterns of its ARN and those of its indexes */
} IamTable;

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

/* ---- tables ---- */

/* Every partition, region and account may be meant. */
static List *
ArnsOfTable(const char *name, const TableDef *def)
{
	char	   *arn = psprintf("arn:" IAM_SEGMENT ":dynamodb:" IAM_SEGMENT ":" IAM_SEGMENT ":table/%s", name);
	List	   *arns = list_make1(arn);

	for (int i = 0; i < def->nindexes; i++)
		arns = lappend(arns, psprintf("%s/index/%s", arn, def->indexes[i].name));
	return arns;
}

static IamTable *
DescribeTable(Oid relid, const char *schema)
{
	Relation	rel = try_table_open(relid, AccessShareLock);
	TableDef   *def = rel != NULL ? TableDefCopy(rel) : NULL;
	IamTable   *table = NULL;

	if (def != NULL)
	{
		const AttributeDef *key = TableKeyAttribute(def, 0);

		table = palloc0(sizeof(IamTable));
		table->name = pstrdup(RelationGetRelationName(rel));
		table->sql = quote_qualified_identifier(schema, table->name);
		table->key = pstrdup(key->column);
		table->key_type = key->type == VALUE_S ? 'S' : key->type == VALUE_N ? 'N' : 'B';
		table->sort = KeyCount(&def->key) > 1 ? pstrdup(TableKeyAttribute(def, 1)->column) : NULL;
		table->row_security = rel->rd_rel->relrowsecurity;
		table->arns = ArnsOfTable(table->name, def);
	}
	if (rel != NULL)
		table_close(rel, AccessShareLock);
	return table;
}

static List *
TablesOfSchema(const char *schema)
{
	Oid			namespace = get_namespace_oid(schema, false);
	List	   *tables = NIL;
	ListCell   *lc;

	foreach(lc, TablesWithFeature(FEATURE_NONE))
	{
		IamTable   *table = get_rel_namespace(lfirst_oid(lc)) == namespace && !RelationIsShard(lfirst_oid(lc)) ?
			DescribeTable(lfirst_oid(lc), schema) : NULL;

		if (table != NULL)
			tables = lappend(tables, table);
	}
	return tables;
}

/* ---- resources ---- */

/* What a resource names. */
typedef struct Resource
{
	const char *pattern;		/* of names of tables; NULL: no table */
	bool		part;			/* of an index, a stream, a backup only */
	bool		variable;		/* has a variable, which stands for any text */
} Resource;

/* Replaces variables of a resource by *, because their values are not known. */
static char *
ReplaceVariables(const char *text, bool *found)
{
	StringInfoData out;
	const char *open;

	initStringInfo(&out);
	while ((open = strstr(text, "${")) != NULL)
	{
		const char *close = strchr(open, '}');

		*found = true;
		appendBinaryStringInfo(&out, text, (int) (open - text));
		appendStringInfoChar(&out, '*');
		text = close != NULL ? close + 1 : open + strlen(open);
	}
	appendStringInfoString(&out, text);
	return out.data;
}

static Resource
ReadResource(const char *text)
{
	Resource	r = {0};
	char	   *plain = ReplaceVariables(text, &r.variable);
	char	   *name = strstr(plain, ":table/");
	char	   *slash;

	if (strcmp(plain, "*") == 0)
	{
		r.pattern = plain;
		return r;
	}
	if (name == NULL || !IamMatches("arn:*:dynamodb:*", plain, false))
		return r;
	name += strlen(":table/");
	slash = strchr(name, '/');
	r.part = slash != NULL;
	r.pattern = slash != NULL ? pnstrdup(name, slash - name) : name;
	return r;
}

/* Whether a resource can mean the table or a part of it: "arn:aws:dynamodb:*" names none, but means all. */
static bool
CanMeanTable(const char *resource, const IamTable *table)
{
	bool		variable;
	char	   *pattern = ReplaceVariables(resource, &variable);
	char	   *stream = strstr(pattern, "/stream/");
	ListCell   *lc;

	if (stream != NULL)
		*stream = '\0';
	foreach(lc, table->arns)
	{
		if (IamPatternsMeet(pattern, lfirst(lc)))
			return true;
	}
	return false;
}

/*
 * Whether the statement names the table itself by one of its resources; wide: or
 * can mean it or a part of it.
 */
static bool
ConcernsTable(const IamStatement *s, const IamTable *table, bool wide)
{
	ListCell   *lc;

	foreach(lc, s->resources)
	{
		Resource	r = ReadResource(lfirst(lc));

		if (wide && CanMeanTable(lfirst(lc), table))
			return true;
		if (r.pattern == NULL || ((r.part || r.variable) && !wide))
			continue;
		if (IamMatches(r.pattern, table->name, false))
			return true;
	}
	return false;
}

/* Whether a statement applies to a table.  In case of doubt a Deny applies, and an Allow does not. */
static bool
StatementApplies(const IamStatement *s, const IamTable *table)
{
	bool		wide = s->allow == s->not_resources;

	return ConcernsTable(s, table, wide) != s->not_resources;
}

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
		if (CanMeanTable(resource, lfirst(lc)))
			return true;
	}
	return false;
}

/* Reports how the treatment of a resource differs from IAM. */
static void
ReviewResource(IamTranslation *t, const IamStatement *s, const char *text)
{
	Resource	r = ReadResource(text);
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

static bool
ListsAction(const IamStatement *s, const IamAction *action)
{
	char	   *name = psprintf("dynamodb:%s", action->name);
	ListCell   *lc;

	foreach(lc, s->actions)
	{
		if (IamMatches(lfirst(lc), name, true))
			return true;
	}
	return false;
}

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
		if (ListsAction(s, &iam_actions[i]) != s->not_actions)
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
		if (ListsAction(s, &iam_actions[i]) == s->not_actions)
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

		if (ListsAction(s, a) == s->not_actions)
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

static void
AddRule(IamTranslation *t, const IamStatement *s, IamTable *table, AclMode modes)
{
	IamRule    *rule = palloc0(sizeof(IamRule));

	rule->statement = s;
	rule->table = table;
	rule->modes = modes;
	IamReadConditions(s, table->key, table->key_type, t->variables, &rule->limits);
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
		if (modes != 0 && StatementApplies(s, lfirst(lc)))
			AddRule(t, s, lfirst(lc), modes);
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

/* Part of the name of a new object, which differs for each name. */
static char *
ShortenName(const char *name)
{
	int			len = (int) strlen(name);
	pg_crc32	hash;

	if (len <= CUT_NAME)
		return pstrdup(name);
	INIT_TRADITIONAL_CRC32(hash);
	COMP_TRADITIONAL_CRC32(hash, name, len);
	FIN_TRADITIONAL_CRC32(hash);
	return psprintf("%.*s_%08x", pg_mbcliplen(name, len, CUT_NAME - HASH_NAME), name, hash);
}

static char *
ViewName(const IamTranslation *t, const IamRule *rule)
{
	return quote_qualified_identifier(t->schema,
									  psprintf("%s$%s$%d", ShortenName(rule->table->name),
											   ShortenName(t->role_name), rule->statement->number));
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
	char	   *name = psprintf("iam_%s_%d_%s", ShortenName(t->role_name), rule->statement->number, command);

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
IamTranslate(Jsonb *document, const char *role, const char *schema, Jsonb *variables)
{
	IamTranslation t = {
		.role = quote_identifier(role), .role_name = role, .schema = schema, .variables = variables
	};
	ListCell   *lc;

	t.tables = TablesOfSchema(schema);
	foreach(lc, IamReadDocument(document))
		AddRules(&t, lfirst(lc));
	ReviewViews(&t);
	if (t.rules != NIL)
		AddLine(&t, NULL, IAM_SQL, "GRANT USAGE ON SCHEMA %s TO %s", quote_identifier(schema), t.role);
	WriteRules(&t, WriteGrants, true);
	WriteRules(&t, WritePolicies, false);
	WriteRules(&t, WriteRevokes, false);
	return t.lines;
}
