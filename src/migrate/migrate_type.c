/*
 * migrate_type.c
 *	  Other values of the type attribute: dynamo.migrate_entity(type_value | split | merge => ...).
 */
#include "postgres.h"

#include "access/table.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "copy/copy.h"
#include "ddl/brief_lock.h"
#include "ddl/ddl.h"
#include "design/bare_names.h"
#include "design/entity_attributes.h"
#include "design/entity_list.h"
#include "design/jsonb_member.h"
#include "errors.h"
#include "item/convert.h"
#include "item/json.h"
#include "migrate/migrate_json.h"
#include "migrate/migrate_type.h"
#include "pattern/pattern.h"
#include "pattern/pattern_anew.h"
#include "security/owner.h"
#include "table/table_name.h"
#include "view/entity_view.h"
#include "view/kind.h"

/* ---- items that would become those of the entity ---- */

/*
 * Sets *key to that of an item, if there is one.  Planning the statement evaluates constants in expressions of
 * the table's indexes and statistics, which are the owner's code.
 */
static void
FindStray(Relation rel, const TableDef *def, Slice attribute, Slice value, char **key)
{
	char	   *table = QualifiedName(RelationGetNamespace(rel), RelationGetRelationName(rel));
	MemoryContext caller = CurrentMemoryContext;
	OwnerScope	scope;
	StringInfoData out;
	bool		isnull;

	OwnerScopeEnter(&scope, rel->rd_rel->relowner);
	SPI_connect();
	PushActiveSnapshot(GetLatestSnapshot());
	if (SPI_execute(psprintf("SELECT t.item FROM %s t WHERE dynamo_system.has_type(t.item, %s, %s) LIMIT 1", table,
							 SliceLiteral(attribute), SliceLiteral(value)), false, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not read items by their type");
	if (SPI_processed > 0)
	{
		Datum		item = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);

		MemoryContextSwitchTo(caller);
		initStringInfo(&out);
		ItemToJson(&out, ItemRoot(KeyOfItem(def, DatumGetValue(item))));
		*key = out.data;
	}
	PopActiveSnapshot();
	SPI_finish();
	OwnerScopeLeave(&scope);
}

static void
StrayError(Relation rel, Slice attribute, Slice value, const char *key)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("an item of table \"%s\" that is of no entity has \"%.*s\" in attribute \"%.*s\"", RelationGetRelationName(rel),
					(int) value.len, value.data, (int) attribute.len, attribute.data),
			 key == NULL ? 0 : errdetail("Its key is %s.", key),
			 errhint("Choose another value, or change these items first.")));
}

void
MigrateRefuseStrays(Relation rel, const TableDef *def, const Entity *entity, char **key)
{
	if (entity->other_type.data == NULL || entity->keeps_types)
		return;
	FindStray(rel, def, entity->type_attribute, entity->other_type, key);
	if (*key != NULL)
		StrayError(rel, entity->type_attribute, entity->other_type, NULL);
}

static bool
IsTypeOfAny(const EntitySet *set, Slice value)
{
	for (int i = 0; i < set->count; i++)
	{
		if (EntityIsType(&set->entities[i], ValueOfString(value)))
			return true;
	}
	return false;
}

/* The same before the definition changes, so that views do not show such items even for a moment. */
static void
RefuseStraysAhead(const MigrateTypeRequest *r)
{
	Relation	rel = OpenTableForDdl(r->table_name, AccessShareLock);
	TableDef   *def = TableDefAcquire(rel);
	const Entity *entity = RequireEntity(def, r->entity_name);
	Slice		value = SliceOf(r->type_value);
	char	   *key = NULL;

	if (entity->type_attribute.data != NULL && !IsTypeOfAny(def->entities, value))
		FindStray(rel, def, entity->type_attribute, value, &key);
	if (key != NULL)
		StrayError(rel, entity->type_attribute, value, key);
	TableDefRelease(def);
	table_close(rel, AccessShareLock);
}

/* ---- what can be migrated ---- */

static void
CheckHasType(const Entity *entity)
{
	if (entity->type_attribute.data == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("entity \"%.*s\" has no type attribute", (int) entity->name.len, entity->name.data)));
}

/* No other entity may claim items that have either of two values. */
static void
CheckTypesAreFree(const TableDef *def, const char *entity_name)
{
	const Entity *other;
	const char *conflict = EntitySetConflict(def->entities, RequireEntity(def, entity_name), &other);

	if (conflict != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("items of entity \"%s\" cannot be distinguished from items of entity \"%.*s\"", entity_name,
						(int) other->name.len, other->name.data),
				 errdetail("%s", conflict)));
}

static void
RefuseName(const TableDef *def, const char *entity_name)
{
	if (entity_name[0] == '\0' || strlen(entity_name) > ENTITY_MAX_NAME)
		InvalidArgument("the name of an entity has %zu bytes, not 1 to %d", strlen(entity_name), ENTITY_MAX_NAME);
	if (EntitySetFind(def->entities, SliceOf(entity_name)) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("the table already has an entity \"%s\"", entity_name)));
}

/* What two entities that become one must have in common: all but their names and types. */
static const char common_part[] =
"($1 OPERATOR(pg_catalog.-) '{name,type,keys,attributes,former,applied,composed}'::pg_catalog.text[]) OPERATOR(pg_catalog.||) "
"pg_catalog.jsonb_build_object('type', $1 OPERATOR(pg_catalog.#>) '{type,attribute}', "
"'keys', (SELECT pg_catalog.jsonb_object_agg(e.k OPERATOR(pg_catalog.->>) 'attribute', e.k) "
"  FROM pg_catalog.jsonb_array_elements($1 OPERATOR(pg_catalog.->) 'keys') e(k)), "
"'attributes', (SELECT pg_catalog.jsonb_object_agg(e.a OPERATOR(pg_catalog.->>) 'name', e.a) "
"  FROM pg_catalog.jsonb_array_elements($1 OPERATOR(pg_catalog.->) 'attributes') e(a)))";

static void
CheckAreAlike(const TableDef *def, const Entity *entity, const Entity *other, const char *entity_name, const char *other_name)
{
	Jsonb	   *one = EntityJsonb(def, entity_name);
	Jsonb	   *two = EntityJsonb(def, other_name);

	if (!JsonbIsSame(EvaluateJsonb(common_part, 1, &one), EvaluateJsonb(common_part, 1, &two)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("entities \"%s\" and \"%s\" differ in their type attribute, keys, attributes or options", entity_name, other_name),
				 errhint("Declare both alike with dynamo.create_entity(replace => true), and call dynamo.apply_entity.")));
	if (entity->nformer > 0 || other->nformer > 0 || (entity->composed && !other->composed) || (entity->applied && !other->applied))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("older items of entity \"%s\" may not be what it declares", other->composed && other->applied ? entity_name : other_name),
				 errhint("Call dynamo.apply_entity for both entities until it returns 0.")));
}

/* Whether a pattern says itself that it reads an entity. */
static bool
PatternHasEntity(const AccessPattern *p, const char *entity_name)
{
	return p->entities != NIL && PatternNamesEntity(p, entity_name);
}

/* A PatternAction. */
static void
RefuseReader(const TableDef *def, Oid function, const AccessPattern *p, const void *entity_name)
{
	if (PatternHasEntity(p, entity_name))
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("cannot merge entity \"%s\" because access pattern %s depends on it", (const char *) entity_name,
						format_procedure(function)),
				 errhint("Drop it in the transaction that begins the migration.")));
}

/* Views and patterns of the entity that ends would show nothing. */
static void
RefuseReaders(Oid relid, const char *entity_name)
{
	List	   *views = EntityViewsOf(relid, entity_name);

	if (views != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("cannot merge entity \"%s\" because view %s depends on it", entity_name, get_rel_name(linitial_oid(views))),
				 errhint("Drop it in the transaction that begins the migration.")));
	PatternsOfOwner(relid, RefuseReader, entity_name);
}

/* ---- the definition ---- */

/* IsDeclaredName. */
static bool
IsDeclared(const void *entity, Slice name)
{
	return EntityAttributeFind(entity, name) != NULL;
}

/* Appends the condition of the items that become those of another entity. */
static void
AppendCondition(StringInfo out, const MigrateTypeRequest *r, const Entity *entity)
{
	BareNames	bare = {.is_declared = IsDeclared, .arg = entity, .given = r->names};
	char	   *condition = BareNamesReplace(&bare, r->condition);
	ValueRef	names = BareNamesMap(&bare);

	appendStringInfoChar(out, '{');
	AppendEntityMember(out, "condition", condition);
	if (!ValueIsMissing(r->values))
	{
		StringInfoData values;

		initStringInfo(&values);
		ItemToJson(&values, r->values);
		AppendEntityMember(out, "values", values.data);
	}
	if (!ValueIsMissing(names))
		appendStringInfo(out, ", \"names\": %s", JsonbToCString(NULL, &ValueToJsonb(names)->root, 0));
	appendStringInfoChar(out, '}');
}

static void
DefineMoves(TableDef *def, const char *entity_name, const char *moves)
{
	SetEntity(def, entity_name, MergeJsonb(EntityJsonb(def, entity_name), JsonbOfText(moves)));
}

static void
DefineSplit(TableDef *def, const MigrateTypeRequest *r)
{
	StringInfoData moves;

	initStringInfo(&moves);
	appendStringInfoString(&moves, "{\"moves\": {\"phase\": \"preparing\", \"type\": {");
	AppendEntityMember(&moves, "other", r->type_value);
	appendStringInfoString(&moves, ", \"ahead\": true}, \"split\": {");
	AppendEntityMember(&moves, "entity", r->split);
	AppendEntityMember(&moves, "value", r->type_value);
	appendStringInfoString(&moves, ", \"when\": ");
	AppendCondition(&moves, r, RequireEntity(def, r->entity_name));
	appendStringInfoString(&moves, "}}}");
	DefineMoves(def, r->entity_name, moves.data);
}

static void
DefineMerger(TableDef *def, const MigrateTypeRequest *r)
{
	const Entity *other = RequireEntity(def, r->merge);
	char	   *merged = EntityJson(def, r->merge);
	StringInfoData moves;

	initStringInfo(&moves);
	appendStringInfoString(&moves, "{\"moves\": {\"phase\": \"preparing\", \"type\": {");
	AppendEntityMember(&moves, "other", pnstrdup(other->type_value.data, other->type_value.len));
	appendStringInfo(&moves, ", \"keep\": true}, \"merged\": %s}}", merged);
	ReplaceEntity(def, r->merge, NULL);
	DefineMoves(def, r->entity_name, moves.data);
}

/* ---- the beginning ---- */

/*
 * A condition on the type attribute would change its own result.  It is read as the definition of the phase in
 * which it is used has it, which raises errors in it.
 */
static void
CheckSplitCondition(const MigrateTypeRequest *r, const TableDef *def)
{
	TableDef   *moving = TableDefParse(TableDefPrint(def));
	const Entity *entity;

	(void) MigrateDefineTypes(moving, r->entity_name, MIGRATION_MOVING);
	entity = RequireEntity(moving, r->entity_name);
	if (ConditionUses(entity->other_when, entity->type_attribute))
		InvalidArgument("the condition of a split names the type attribute \"%.*s\"", (int) entity->type_attribute.len,
						entity->type_attribute.data);
}

static void
CheckSplit(const MigrateTypeRequest *r, const TableDef *def)
{
	RefuseName(def, r->split);
	RefuseCopiedEntity(r->relid, r->entity_name, "split");
}

static void
CheckMerger(const MigrateTypeRequest *r, const TableDef *def, Relation rel, const Entity *entity)
{
	const Entity *other = RequireEntity(def, r->merge);

	if (other == entity)
		InvalidArgument("an entity cannot be merged with itself");
	CheckAreAlike(def, entity, other, r->entity_name, r->merge);
	MigrateRefuseTypeUses(rel, def, other);
	RefuseCopiedEntity(r->relid, r->entity_name, "merge");
	RefuseCopiedEntity(r->relid, r->merge, "merge");
	RefuseReaders(r->relid, r->merge);
}

static void
CheckTypeRequest(const MigrateTypeRequest *r, const TableDef *def, Relation rel)
{
	const Entity *entity = RequireEntity(def, r->entity_name);

	MigrateCheckTable(rel, def, entity);
	CheckHasType(entity);
	if (r->merge == NULL && SliceEqual(SliceOf(r->type_value), entity->type_value))
		InvalidArgument("items of entity \"%s\" have this type already", r->entity_name);
	MigrateRefuseTypeUses(rel, def, entity);
	if (r->split != NULL)
		CheckSplit(r, def);
	if (r->merge != NULL)
		CheckMerger(r, def, rel, entity);
}

static void
DefineTypeRequest(const MigrateTypeRequest *r, TableDef *def)
{
	if (r->split != NULL)
	{
		DefineSplit(def, r);
		CheckSplitCondition(r, def);
	}
	else if (r->merge != NULL)
		DefineMerger(def, r);
	else
		MigrateDefineRetyping(def, r->entity_name, r->type_value);
	CheckTypesAreFree(def, r->entity_name);
}

/* An action of RunWithBriefLocks. */
static void
BeginType(void *arg)
{
	MigrateTypeRequest *r = arg;
	TableDef   *def = LockAnyDefinition(r->table_name, r->merge != NULL ? AccessExclusiveLock : ShareRowExclusiveLock, &r->relid);
	TableDef   *before = TableDefParse(TableDefPrint(def));
	Relation	rel = table_open(r->relid, NoLock);

	SPI_connect();
	CheckTypeRequest(r, def, rel);
	table_close(rel, NoLock);
	DefineTypeRequest(r, def);
	StoreDefinition(r->relid, def);
	SPI_finish();
	MigratePatternsFollow(r->relid, before);
	MigrateStateStart(r->relid, r->entity_name);
}

void
MigrateType(MigrateTypeRequest *r)
{
	if (r->split != NULL && r->type_value == NULL)
		r->type_value = r->split;
	if (r->merge == NULL)
		RefuseStraysAhead(r);
	RunWithBriefLocks(BeginType, r);
	MigrateTellOfPatterns(r->relid, r->entity_name);
	if (r->merge != NULL)
	{
		MigrateTellOfPatterns(r->relid, r->merge);
		MigrateTellOfViews(r->relid, r->merge);
	}
	MigrateAtCommit(r->relid);
}

/* ---- the phases ---- */

/* Returns what a migration of types is, "split" or "merged"; NULL if it is none, or moves is NULL. */
static const char *
TypesOf(Jsonb *moves)
{
	if (moves == NULL)
		return NULL;
	return JsonbMember(moves, "split") != NULL ? "split" : JsonbMember(moves, "merged") != NULL ? "merged" : NULL;
}

void
MigrateCheckCancel(const TableDef *def, const char *entity_name, MigrationPhase phase)
{
	if (phase == MIGRATION_MOVING && JsonbMember(JsonbMember(EntityJsonb(def, entity_name), "moves"), "merged") != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a merger cannot be canceled once items are moved: they do not tell any more of which entity they were"),
				 errhint("Wait for its end, and split the entity again by a condition.")));
}

bool
MigrateChangesOver(const TableDef *def, const char *entity_name)
{
	const char *types = TypesOf(JsonbMember(EntityJsonb(def, entity_name), "moves"));
	MigrationPhase phase = MigratePhase(def, RequireEntity(def, entity_name));

	return types != NULL && phase == (strcmp(types, "split") == 0 ? MIGRATION_MOVING : MIGRATION_PREPARING);
}

/* $1: the entity.  What it is in another phase. */
#define SET_PHASE(phase, entity) "pg_catalog.jsonb_set(" entity ", '{moves,phase}', '\"" phase "\"')"

static const char moving_split[] =
SET_PHASE("moving", "pg_catalog.jsonb_set($1 OPERATOR(pg_catalog.#-) '{moves,type,ahead}', '{moves,type,when}', $1 OPERATOR(pg_catalog.#>) '{moves,split,when}')");
static const char moving_merger[] = SET_PHASE("moving", "$1 OPERATOR(pg_catalog.#-) '{moves,type,keep}'");
static const char cancelling_split[] = SET_PHASE("cancelling", "$1 OPERATOR(pg_catalog.#-) '{moves,type,when}'");
static const char ended[] = "$1 OPERATOR(pg_catalog.-) 'moves'";

/* $1: the entity that was split.  The other one. */
static const char split_off[] =
"($1 OPERATOR(pg_catalog.-) 'moves') OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object("
"'name', $1 OPERATOR(pg_catalog.#>) '{moves,split,entity}', "
"'type', pg_catalog.jsonb_build_object('attribute', $1 OPERATOR(pg_catalog.#>) '{type,attribute}', "
"  'value', $1 OPERATOR(pg_catalog.#>) '{moves,split,value}'))";

bool
MigrateDefineTypes(TableDef *def, const char *entity_name, MigrationPhase phase)
{
	Jsonb	   *entity = EntityJsonb(def, entity_name);
	const char *types = TypesOf(JsonbMember(entity, "moves"));

	if (types == NULL)
		return false;
	SetEntity(def, entity_name, EvaluateJsonb(phase == MIGRATION_CANCELLING ? cancelling_split :
											  strcmp(types, "split") == 0 ? moving_split : moving_merger, 1, &entity));
	return true;
}

/* A split is complete after its items were moved, and a merger is undone before that. */
bool
MigrateDefineTypesEnd(TableDef *def, const char *entity_name)
{
	Jsonb	   *entity = EntityJsonb(def, entity_name);
	Jsonb	   *moves = JsonbMember(entity, "moves");
	const char *types = TypesOf(moves);
	Jsonb	   *second = NULL;

	if (types == NULL)
		return false;
	if (MigrateChangesOver(def, entity_name))
		second = strcmp(types, "split") == 0 ? EvaluateJsonb(split_off, 1, &entity) : JsonbMember(moves, "merged");
	SetEntity(def, entity_name, EvaluateJsonb(ended, 1, &entity));
	if (second != NULL)
	{
		char	   *name = JsonbMemberText(second, "name");

		RefuseName(def, name);
		SetEntity(def, name, second);
	}
	return true;
}
