/*
 * migrate_definition.c
 *	  The phases of a migration in the definition of its entity.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"

#include "design/entity_attributes.h"
#include "design/entity_list.h"
#include "design/jsonb_member.h"
#include "errors.h"
#include "migrate/migrate.h"
#include "migrate/migrate_json.h"
#include "migrate/migrate_type.h"

static const char *const phase_names[] = {
	[MIGRATION_NONE] = "",
	[MIGRATION_PREPARING] = "preparing",
	[MIGRATION_MOVING] = "moving",
	[MIGRATION_CANCELLING] = "cancelling",
};

/* ---- reading ---- */

const Entity *
MigrateEntity(const TableDef *def)
{
	for (int i = 0; def->entities != NULL && i < def->entities->count; i++)
	{
		if (def->entities->entities[i].moving)
			return &def->entities->entities[i];
	}
	return NULL;
}

MigrationPhase
MigratePhase(const TableDef *def, const Entity *entity)
{
	char	   *name = pnstrdup(entity->name.data, entity->name.len);
	Jsonb	   *moves = JsonbMember(EntityJsonb(def, name), "moves");
	Jsonb	   *phase = moves == NULL ? NULL : JsonbMember(moves, "phase");
	char	   *text = phase == NULL ? "" : JsonbToCString(NULL, &phase->root, 0);

	for (int i = MIGRATION_PREPARING; i <= MIGRATION_CANCELLING; i++)
	{
		if (strcmp(text, psprintf("\"%s\"", phase_names[i])) == 0)
			return (MigrationPhase) i;
	}
	return MIGRATION_NONE;
}

/* ---- statements on definitions ---- */

/* $1: the entity, $2: templates by attribute.  Attributes that $2 does not name keep theirs. */
static const char with_templates[] =
"$1 OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('keys', (SELECT pg_catalog.jsonb_agg("
"  CASE WHEN $2 OPERATOR(pg_catalog.?) (k OPERATOR(pg_catalog.->>) 'attribute') "
"    THEN k OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('template', $2 OPERATOR(pg_catalog.->) (k OPERATOR(pg_catalog.->>) 'attribute')) "
"    ELSE k END ORDER BY n) "
"  FROM pg_catalog.jsonb_array_elements($1 OPERATOR(pg_catalog.->) 'keys') WITH ORDINALITY e(k, n)))";

/* A name as an expression of SQL, whatever the settings of the session. */
#define QUOTED(name) \
	"'\"' OPERATOR(pg_catalog.||) pg_catalog.replace(" name ", '\"', '\"\"') OPERATOR(pg_catalog.||) '\"'"

/* $1: an entity, $2: the names of the table's key attributes.  Its templates of these, or of others. */
#define TEMPLATES(which) \
	"SELECT COALESCE(pg_catalog.jsonb_agg(k ORDER BY n), '[]'::pg_catalog.jsonb) " \
	"FROM pg_catalog.jsonb_array_elements($1 OPERATOR(pg_catalog.->) 'keys') WITH ORDINALITY e(k, n) " \
	"WHERE " which " ($2 OPERATOR(pg_catalog.?) (k OPERATOR(pg_catalog.->>) 'attribute'))"

static const char table_templates[] = TEMPLATES("");
static const char index_templates[] = TEMPLATES("NOT");

static const char without_moves[] = "$1 OPERATOR(pg_catalog.-) '{applied,composed,moves}'::pg_catalog.text[]";

static const char marks_of[] =
"SELECT COALESCE(pg_catalog.jsonb_object_agg(e.key, e.value), '{}'::pg_catalog.jsonb) FROM pg_catalog.jsonb_each($1) e "
"WHERE e.key OPERATOR(pg_catalog.=) ANY ('{applied,composed}'::pg_catalog.text[])";

static Jsonb *
TableKeyNames(const TableDef *def)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		appendStringInfoString(&list, i == 0 ? "[" : ", ");
		escape_json(&list, pnstrdup(def->key.attributes[i].name.data, def->key.attributes[i].name.len));
	}
	appendStringInfoChar(&list, ']');
	return JsonbOfText(list.data);
}

/* Whether two versions of an entity have the same templates for the table's key, or for others. */
static bool
HaveSameTemplates(const TableDef *def, const char *which, Jsonb *a, Jsonb *b)
{
	Jsonb	   *of_a = EvaluateJsonb(which, 2, (Jsonb *[]) {a, TableKeyNames(def)});
	Jsonb	   *of_b = EvaluateJsonb(which, 2, (Jsonb *[]) {b, TableKeyNames(def)});

	return JsonbIsSame(of_a, of_b);
}

/* ---- phases ---- */

/* $1: the entity, $2: new names by old ones.  Each of them is computed from the other. */
static const char with_both_names[] =
"$1 OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('attributes', (SELECT pg_catalog.jsonb_agg(x.x ORDER BY x.new, x.n) FROM ("
"  SELECT false AS new, e.n, CASE WHEN $2 OPERATOR(pg_catalog.?) (e.a OPERATOR(pg_catalog.->>) 'name') THEN "
"    e.a OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('computed', " QUOTED("$2 OPERATOR(pg_catalog.->>) (e.a OPERATOR(pg_catalog.->>) 'name')") ") ELSE e.a END AS x "
"  FROM pg_catalog.jsonb_array_elements($1 OPERATOR(pg_catalog.->) 'attributes') WITH ORDINALITY e(a, n) "
"  UNION ALL SELECT true, e.n, e.a OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('name', $2 OPERATOR(pg_catalog.->>) (e.a OPERATOR(pg_catalog.->>) 'name'), "
"    'computed', " QUOTED("e.a OPERATOR(pg_catalog.->>) 'name'") ") "
"  FROM pg_catalog.jsonb_array_elements($1 OPERATOR(pg_catalog.->) 'attributes') WITH ORDINALITY e(a, n) "
"  WHERE $2 OPERATOR(pg_catalog.?) (e.a OPERATOR(pg_catalog.->>) 'name')) x))";

/* $1: the entity, $2: {"name": ..., "other": ...}.  The first is not declared any more, the second not computed. */
static const char without_name[] =
"$1 OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('attributes', (SELECT pg_catalog.jsonb_agg("
"    CASE WHEN (e.a OPERATOR(pg_catalog.->>) 'name') OPERATOR(pg_catalog.=) ($2 OPERATOR(pg_catalog.->>) 'other') "
"      THEN e.a OPERATOR(pg_catalog.-) 'computed' ELSE e.a END ORDER BY e.n) "
"  FROM pg_catalog.jsonb_array_elements($1 OPERATOR(pg_catalog.->) 'attributes') WITH ORDINALITY e(a, n) "
"  WHERE (e.a OPERATOR(pg_catalog.->>) 'name') OPERATOR(pg_catalog.<>) ($2 OPERATOR(pg_catalog.->>) 'name')))";

/* The old names by the new ones. */
static const char reversed[] =
"SELECT pg_catalog.jsonb_object_agg(e.value, e.key) FROM pg_catalog.jsonb_each_text($1) e";

/* The names of a rename, as both versions have them, in a phase in which the names of drops are taken away. */
static void
DefineRename(TableDef *def, const char *entity_name, MigrationPhase phase, Jsonb *target, Jsonb *other, Jsonb *marks,
			 Jsonb *drops, Jsonb *returns)
{
	char	   *moves = psprintf("{\"moves\": {\"phase\": \"%s\", \"other\": %s, \"marks\": %s, \"drops\": %s, \"returns\": %s}}",
								 phase_names[phase], JsonbToCString(NULL, &other->root, 0), JsonbToCString(NULL, &marks->root, 0),
								 JsonbToCString(NULL, &drops->root, 0), JsonbToCString(NULL, &returns->root, 0));

	SetEntity(def, entity_name, MergeJsonb(MergeJsonb(target, marks), JsonbOfText(moves)));
}

void
MigrateDefineRenaming(TableDef *def, const char *entity_name, Jsonb *rename)
{
	Jsonb	   *old = EntityJsonb(def, entity_name);
	Jsonb	   *before = EvaluateJsonb(without_moves, 1, &old);

	DefineRename(def, entity_name, MIGRATION_MOVING, EvaluateJsonb(with_both_names, 2, (Jsonb *[]) {before, rename}), before,
				 EvaluateJsonb(marks_of, 1, &old), JsonbOfText("{}"), EvaluateJsonb(reversed, 1, &rename));
}

/* Returns a template that names other in place of an attribute. */
static char *
TemplateWithName(const Template *t, Slice name, Slice other)
{
	StringInfoData out;
	const char *at = t->source.data;
	const char *end = at + t->source.len;

	initStringInfo(&out);
	for (int i = 0; i < t->npieces; i++)
	{
		const TemplatePart *part = t->pieces[i].part;
		const char *place = part == NULL ? NULL : part->steps[0].data;

		if (part == NULL || !SliceEqual(part->steps[0], name))
			continue;
		if (place < at || place + name.len > end)
			elog(ERROR, "a name is not in the text of its template");
		appendBinaryStringInfo(&out, at, place - at);
		appendBinaryStringInfo(&out, other.data, other.len);
		at = place + name.len;
	}
	appendBinaryStringInfo(&out, at, end - at);
	return out.data;
}

/* Appends a member to an object whose members have names of attributes. */
static void
AppendNamed(StringInfo out, Slice name, const char *text)
{
	appendStringInfoString(out, out->data[out->len - 1] == '{' ? "" : ", ");
	escape_json(out, pnstrdup(name.data, name.len));
	appendStringInfoString(out, ": ");
	escape_json(out, text);
}

/* The templates that name an attribute, with its other name, by key attribute. */
static Jsonb *
TemplatesWithName(const Entity *entity, Slice name, Slice other)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	for (int i = 0; i < entity->nkeys; i++)
	{
		const ComposedKey *key = &entity->keys[i];

		if (TemplateUses(key->template, name))
			AppendNamed(&out, key->attribute, TemplateWithName(key->template, name, other));
	}
	appendStringInfoChar(&out, '}');
	return JsonbOfText(out.data);
}

void
MigrateDefineDropping(TableDef *def, const char *entity_name, Slice name, Slice other)
{
	Jsonb	   *old = EntityJsonb(def, entity_name);
	Jsonb	   *before = EvaluateJsonb(without_moves, 1, &old);
	Jsonb	   *templates = TemplatesWithName(RequireEntity(def, entity_name), name, other);
	StringInfoData names;
	StringInfoData drops;
	Jsonb	   *after;

	initStringInfo(&names);
	initStringInfo(&drops);
	appendStringInfoChar(&names, '{');
	AppendEntityMember(&names, "name", pnstrdup(name.data, name.len));
	AppendEntityMember(&names, "other", pnstrdup(other.data, other.len));
	appendStringInfoChar(&names, '}');
	appendStringInfoChar(&drops, '{');
	AppendNamed(&drops, name, pnstrdup(other.data, other.len));
	appendStringInfoChar(&drops, '}');
	after = EvaluateJsonb(without_name, 2, (Jsonb *[]) {before, JsonbOfText(names.data)});
	after = EvaluateJsonb(with_templates, 2, (Jsonb *[]) {after, templates});
	DefineRename(def, entity_name, MIGRATION_MOVING, after, before, EvaluateJsonb(marks_of, 1, &old), JsonbOfText(drops.data),
				 JsonbOfText("{}"));
}

/* Appends the type that items of the other version have, if that is another one. */
static void
AppendOtherType(StringInfo moves, MigrationPhase phase, Jsonb *target, Jsonb *other)
{
	Jsonb	   *of_target = JsonbMember(target, "type");
	Jsonb	   *of_other = JsonbMember(other, "type");

	if (of_target == NULL || of_other == NULL || JsonbIsSame(of_target, of_other))
		return;
	appendStringInfoString(moves, ", \"type\": {");
	AppendEntityMember(moves, "other", JsonbMemberText(of_other, "value"));
	appendStringInfoString(moves, phase == MIGRATION_PREPARING ? ", \"ahead\": true}" : "}");
}

/*
 * The entity in a phase is the target; the other is its source.  What was known of its items
 * stays known, unless their index keys change.
 */
static void
DefinePhase(TableDef *def, const char *entity_name, MigrationPhase phase, Jsonb *target, Jsonb *other, Jsonb *marks)
{
	StringInfoData moves;

	initStringInfo(&moves);
	appendStringInfo(&moves, "{\"moves\": {\"phase\": \"%s\", \"other\": %s, \"marks\": %s", phase_names[phase],
					 JsonbToCString(NULL, &other->root, 0), JsonbToCString(NULL, &marks->root, 0));
	AppendOtherType(&moves, phase, target, other);
	if (!HaveSameTemplates(def, table_templates, target, other))
	{
		Jsonb	   *keys = EvaluateJsonb(table_templates, 2, (Jsonb *[]) {other, TableKeyNames(def)});

		appendStringInfo(&moves, ", \"keys\": %s", JsonbToCString(NULL, &keys->root, 0));
	}
	appendStringInfoString(&moves, "}}");
	if (phase == MIGRATION_PREPARING || HaveSameTemplates(def, index_templates, target, other))
		target = MergeJsonb(target, marks);
	SetEntity(def, entity_name, MergeJsonb(target, JsonbOfText(moves.data)));
}

/* Makes the other version the target. */
static void
ExchangeVersions(TableDef *def, const char *entity_name, MigrationPhase phase)
{
	Jsonb	   *entity = EntityJsonb(def, entity_name);
	Jsonb	   *moves = JsonbMember(entity, "moves");
	Jsonb	   *target = JsonbMember(moves, "other");
	Jsonb	   *other = EvaluateJsonb(without_moves, 1, &entity);
	Jsonb	   *marks = JsonbMember(moves, "marks");

	if (JsonbMember(moves, "drops") != NULL)
		DefineRename(def, entity_name, phase, target, other, marks, JsonbMember(moves, "returns"), JsonbMember(moves, "drops"));
	else
		DefinePhase(def, entity_name, phase, target, other, marks);
}

TableDef *
MigrateOtherVersion(const TableDef *def)
{
	const Entity *entity = MigrateEntity(def);
	char	   *name = entity == NULL ? NULL : pnstrdup(entity->name.data, entity->name.len);
	Jsonb	   *moves = entity == NULL ? NULL : JsonbMember(EntityJsonb(def, name), "moves");
	Jsonb	   *other = moves == NULL ? NULL : JsonbMember(moves, "other");
	TableDef   *result;

	/* what reads one version is right until items are moved */
	if (other == NULL || MigratePhase(def, entity) == MIGRATION_PREPARING)
		return NULL;
	result = TableDefParse(TableDefPrint(def));
	SetEntity(result, name, other);
	return result;
}

static Jsonb *
WithTemplates(const TableDef *def, const char *entity_name, Jsonb *keys)
{
	return EvaluateJsonb(with_templates, 2, (Jsonb *[]) {EntityJsonb(def, entity_name), keys});
}

void
MigrateDefineTarget(TableDef *def, const char *entity_name, Jsonb *keys)
{
	SetEntity(def, entity_name, WithTemplates(def, entity_name, keys));
}

void
MigrateDefinePreparing(TableDef *def, const char *entity_name, Jsonb *keys)
{
	Jsonb	   *old = EntityJsonb(def, entity_name);
	Jsonb	   *new = WithTemplates(def, entity_name, keys);

	DefinePhase(def, entity_name, MIGRATION_PREPARING, EvaluateJsonb(without_moves, 1, &old),
				EvaluateJsonb(without_moves, 1, &new), EvaluateJsonb(marks_of, 1, &old));
}

/* $1: the entity, $2: {"value": ...}. */
static const char with_type[] = "pg_catalog.jsonb_set($1, '{type,value}', $2 OPERATOR(pg_catalog.->) 'value')";

void
MigrateDefineRetyping(TableDef *def, const char *entity_name, const char *type_value)
{
	Jsonb	   *old = EntityJsonb(def, entity_name);
	Jsonb	   *before = EvaluateJsonb(without_moves, 1, &old);
	StringInfoData value;

	initStringInfo(&value);
	appendStringInfoChar(&value, '{');
	AppendEntityMember(&value, "value", type_value);
	appendStringInfoChar(&value, '}');
	DefinePhase(def, entity_name, MIGRATION_PREPARING, before,
				EvaluateJsonb(with_type, 2, (Jsonb *[]) {before, JsonbOfText(value.data)}), EvaluateJsonb(marks_of, 1, &old));
}

void
MigrateDefineMoving(TableDef *def, const char *entity_name)
{
	if (!MigrateDefineTypes(def, entity_name, MIGRATION_MOVING))
		ExchangeVersions(def, entity_name, MIGRATION_MOVING);
}

void
MigrateDefineCancelling(TableDef *def, const char *entity_name)
{
	if (!MigrateDefineTypes(def, entity_name, MIGRATION_CANCELLING))
		ExchangeVersions(def, entity_name, MIGRATION_CANCELLING);
}

void
MigrateDefineEnd(TableDef *def, const char *entity_name)
{
	Jsonb	   *entity = EntityJsonb(def, entity_name);
	Jsonb	   *marks = JsonbMember(JsonbMember(entity, "moves"), "marks");

	if (MigrateDefineTypesEnd(def, entity_name))
		return;
	SetEntity(def, entity_name, MergeJsonb(EvaluateJsonb(without_moves, 1, &entity), marks));
}
