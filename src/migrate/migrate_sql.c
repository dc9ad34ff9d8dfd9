/*
 * migrate_sql.c
 *	  dynamo.migrate_entity, and the functions that pause, resume, cancel and await migrations.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "ddl/brief_lock.h"
#include "ddl/ddl.h"
#include "design/entity_list.h"
#include "errors.h"
#include "index/build.h"
#include "item/convert.h"
#include "migrate/migrate.h"
#include "migrate/migrate_type.h"
#include "pattern/pattern.h"
#include "table/moves.h"
#include "table/table_name.h"
#include "view/entity_view.h"
#include "view/kind.h"

void
MigrateInit(void)
{
	MigrateItemInit();
	MigrateStateInit();
	MigrateWorkerInit();
}

/* What the caller wants of an entity. */
typedef struct MigrateRequest
{
	char	   *table_name;
	char	   *entity_name;
	Jsonb	   *keys;
	Oid			relid;
} MigrateRequest;

static MigrateRequest
ReadMigrateRequest(FunctionCallInfo fcinfo)
{
	MigrateRequest r = {0};

	r.table_name = RequiredTableArgument(fcinfo, 0);
	r.entity_name = RequiredText(fcinfo, 1, "entity_name");
	return r;
}

/* ---- migrate_entity ---- */

/* Checks that the entity has a template for each key that is to get another one. */
static void
CheckNamedKeys(const Entity *entity, Jsonb *keys)
{
	JsonbIterator *it = JsonbIteratorInit(&keys->root);
	JsonbValue	name;
	JsonbValue	value;

	(void) JsonbIteratorNext(&it, &name, true);
	while (JsonbIteratorNext(&it, &name, true) == WJB_KEY)
	{
		char	   *text = pnstrdup(name.val.string.val, name.val.string.len);

		(void) JsonbIteratorNext(&it, &value, true);
		if (value.type != jbvString)
			InvalidArgument("the template of \"%s\" is not a string", text);
		if (EntityKeyFind(entity, SliceOf(text)) == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("entity \"%.*s\" has no template for \"%s\" that a migration could change",
							(int) entity->name.len, entity->name.data, text),
					 errhint("Add templates for indexes with dynamo.create_entity(replace => true) and dynamo.apply_entity().")));
	}
}

/* Checks the request against the locked table; makes after the definition with the new keys. */
static void
CheckRequest(const MigrateRequest *r, const TableDef *def, TableDef *after)
{
	const Entity *old = RequireEntity(def, r->entity_name);
	Relation	rel = table_open(r->relid, NoLock);

	CheckNamedKeys(old, r->keys);
	MigrateDefineTarget(after, r->entity_name, r->keys);
	SPI_connect();
	MigrateCheck(rel, def, old, RequireEntity(after, r->entity_name));
	SPI_finish();
	table_close(rel, NoLock);
}

static void
StoreMigration(Oid relid, TableDef *def)
{
	SPI_connect();
	StoreDefinition(relid, def);
	SPI_finish();
}

/* An action of RunWithBriefLocks. */
static void
BeginMigration(void *arg)
{
	MigrateRequest *r = arg;
	TableDef   *def = LockAnyDefinition(r->table_name, ShareRowExclusiveLock, &r->relid);
	TableDef   *before = TableDefParse(TableDefPrint(def));
	TableDef   *after = TableDefParse(TableDefPrint(def));

	CheckRequest(r, def, after);
	MigrateDefinePreparing(def, r->entity_name, r->keys);
	StoreMigration(r->relid, def);
	EntityViewsReplace(r->relid, r->entity_name, NULL, 0);
	PatternsReadEither(r->relid, r->entity_name, before, after);
	MigrateStateStart(r->relid, r->entity_name);
}

static void
MigrateKeys(MigrateRequest *r)
{
	RunWithBriefLocks(BeginMigration, r);
	MigrateTellOfPatterns(r->relid, r->entity_name);
	MigrateTellOfViews(r->relid, NULL);
	MigrateAtCommit(r->relid);
}

static MigrateTypeRequest
ReadTypeRequest(FunctionCallInfo fcinfo, const MigrateRequest *m)
{
	MigrateTypeRequest r = {m->table_name, m->entity_name, TextArgument(fcinfo, 5), TextArgument(fcinfo, 6), TextArgument(fcinfo, 7),
	MISSING_VALUE, MISSING_VALUE, TextArgument(fcinfo, 10)};

	if (!PG_ARGISNULL(8))
		r.values = PG_GETARG_VALUE(8);
	r.names = KindJsonArgument(fcinfo, 9, "expression_attribute_names");
	if ((r.split == NULL) != (r.condition == NULL))
		InvalidArgument("split and condition_expression must be given together: the name of an entity, and which items become those of it");
	if (r.condition == NULL && (!ValueIsMissing(r.values) || !ValueIsMissing(r.names)))
		InvalidArgument("expression attribute values or names are given without condition_expression");
	if (r.type_value != NULL && (r.type_value[0] == '\0' || strlen(r.type_value) > ENTITY_MAX_NAME))
		InvalidArgument("type_value has %zu bytes, not 1 to %d", strlen(r.type_value), ENTITY_MAX_NAME);
	return r;
}

/*
 * migrate_entity(table_name text, entity_name text, keys, attributes, rename dynamo_internal.json_text, type_value, split,
 *		condition_expression text, expression_attribute_values dynamo.item, expression_attribute_names dynamo_internal.json_text, merge text)
 */
DYNAMO_FUNCTION(dynamo_migrate_entity);
Datum
dynamo_migrate_entity(PG_FUNCTION_ARGS)
{
	MigrateRequest r = ReadMigrateRequest(fcinfo);
	MigrateRenameRequest rename = {r.table_name, r.entity_name, JsonObjectArgument(fcinfo, 4, "rename")};
	MigrateTypeRequest type = ReadTypeRequest(fcinfo, &r);
	bool		retypes = type.split == NULL && type.type_value != NULL;

	r.keys = JsonObjectArgument(fcinfo, 2, "keys");
	if (!PG_ARGISNULL(3))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a migration cannot declare attributes"),
				 errhint("Declare them with dynamo.create_entity(replace => true) before or after the migration. Use rename to give them other names.")));
	if ((r.keys != NULL) + (rename.rename != NULL) + retypes + (type.split != NULL) + (type.merge != NULL) != 1)
		InvalidArgument("one of keys, rename, type_value, split and merge must be given");
	if (r.keys != NULL)
		MigrateKeys(&r);
	else if (rename.rename == NULL)
		MigrateType(&type);
	else if (JB_ROOT_COUNT(rename.rename) == 0)
		InvalidArgument("rename has no names");
	else
		MigrateRename(&rename);
	PG_RETURN_VOID();
}

/* ---- cancel ---- */

static void
NoMigrationError(const char *entity_name)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the items of entity \"%s\" are not being moved", entity_name)));
}

/* Whether items change over to another entity when a migration is canceled. */
static bool
CancelChangesOver(const TableDef *def, const char *entity_name)
{
	return MigratePhase(def, RequireEntity(def, entity_name)) == MIGRATION_PREPARING && MigrateChangesOver(def, entity_name);
}

/* The lock that a cancellation needs, which is taken at once: who raises a lock deadlocks with writers. */
static LOCKMODE
LockToCancel(const MigrateRequest *r)
{
	Relation	rel = OpenTableForDdl(r->table_name, AccessShareLock);
	TableDef   *def = TableDefAcquire(rel);
	LOCKMODE	lock = CancelChangesOver(def, r->entity_name) ? AccessExclusiveLock : ShareRowExclusiveLock;

	TableDefRelease(def);
	table_close(rel, AccessShareLock);
	return lock;
}

/* An action of RunWithBriefLocks. */
static void
CancelMigration(void *arg)
{
	MigrateRequest *r = arg;
	LOCKMODE	lock = LockToCancel(r);
	TableDef   *def = LockAnyDefinition(r->table_name, lock, &r->relid);
	TableDef   *before = TableDefParse(TableDefPrint(def));
	MigrationPhase phase = MigratePhase(def, RequireEntity(def, r->entity_name));
	const Entity *entity = RequireEntity(before, r->entity_name);

	if (phase == MIGRATION_NONE)
		NoMigrationError(r->entity_name);
	if (phase == MIGRATION_CANCELLING)
		return;
	if (lock != AccessExclusiveLock && CancelChangesOver(def, r->entity_name))
		ereport(ERROR,			/* one has ended, and another one has begun: RunWithBriefLocks tries again */
				(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
				 errmsg("another migration of entity \"%s\" has begun", r->entity_name)));
	MigrateCheckCancel(def, r->entity_name, phase);
	if (phase == MIGRATION_PREPARING)
		MigrateDefineEnd(def, r->entity_name);
	else
		MigrateDefineCancelling(def, r->entity_name);
	StoreMigration(r->relid, def);
	if (phase == MIGRATION_PREPARING)
		PatternsReadOne(r->relid);
	if (phase == MIGRATION_PREPARING && entity->other_type.data != NULL)
		MigratePatternsFollow(r->relid, before);
	if (entity->renames)
		MigrateRenameBack(r->relid, r->entity_name, before);
	MigrateStatePhase(r->relid, r->entity_name, phase == MIGRATION_PREPARING ? "cancelled" : "cancelling");
}

/* cancel_migration(table_name text, entity_name text) */
DYNAMO_FUNCTION(dynamo_cancel_migration);
Datum
dynamo_cancel_migration(PG_FUNCTION_ARGS)
{
	MigrateRequest r = ReadMigrateRequest(fcinfo);

	RunWithBriefLocks(CancelMigration, &r);
	MigrateAtCommit(r.relid);
	PG_RETURN_VOID();
}

/* ---- pause, resume ---- */

/* Sets whether a migration is paused; returns the table. */
static Oid
SetPaused(FunctionCallInfo fcinfo, bool paused)
{
	MigrateRequest r = ReadMigrateRequest(fcinfo);
	Relation	rel = OpenTableForDdl(r.table_name, AccessShareLock);
	TableDef   *def = TableDefAcquire(rel);

	if (!RequireEntity(def, r.entity_name)->moving)
		NoMigrationError(r.entity_name);
	MigrateStatePause(RelationGetRelid(rel), r.entity_name, paused);
	TableDefRelease(def);
	table_close(rel, NoLock);
	return RelationGetRelid(rel);
}

/* pause_migration(table_name text, entity_name text) */
DYNAMO_FUNCTION(dynamo_pause_migration);
Datum
dynamo_pause_migration(PG_FUNCTION_ARGS)
{
	(void) SetPaused(fcinfo, true);
	PG_RETURN_VOID();
}

/* resume_migration(table_name text, entity_name text) */
DYNAMO_FUNCTION(dynamo_resume_migration);
Datum
dynamo_resume_migration(PG_FUNCTION_ARGS)
{
	MigrateAtCommit(SetPaused(fcinfo, false));
	PG_RETURN_VOID();
}

/* ---- await ---- */

#define POLL_MILLISECONDS	50

/* A registered worker has started after this time. */
#define START_MILLISECONDS	5000

/* Returns the entity of a table that is moving, palloc'd; NULL if there is none. */
static char *
MovingEntityName(Oid relid)
{
	Relation	rel = try_table_open(relid, AccessShareLock);
	TableDef   *def = rel == NULL ? NULL : TableDefCopy(rel);
	const Entity *entity = def == NULL ? NULL : MigrateEntity(def);

	if (rel != NULL)
		table_close(rel, AccessShareLock);
	return entity == NULL ? NULL : pnstrdup(entity->name.data, entity->name.len);
}

static void
RaiseStopped(const char *entity_name, const MigrationState *state)
{
	if (state->error != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("moving the items of entity \"%s\" stopped: %s", entity_name, state->error),
				 errhint("Correct the cause and call dynamo.resume_migration, or call dynamo.cancel_migration.")));
	if (state->paused)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the migration of entity \"%s\" is paused", entity_name),
				 errhint("Call dynamo.resume_migration.")));
}

/* Whether a migration is over; starts a worker if it has none. */
static bool
LookAtMigration(Oid relid, TimestampTz *launched)
{
	char	   *entity_name = MovingEntityName(relid);
	MigrationState state;

	if (entity_name == NULL)
		return true;
	(void) MigrateStateRead(relid, entity_name, &state);
	RaiseStopped(entity_name, &state);
	if (MigrateIsRunning(relid))
		*launched = GetCurrentTimestamp();
	else if (*launched == 0 || TimestampDifferenceExceeds(*launched, GetCurrentTimestamp(), START_MILLISECONDS))
	{
		if (!MigrateNow(relid))
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
					 errmsg("no background worker is free to move the items of entity \"%s\"", entity_name),
					 errhint("Raise \"max_worker_processes\", or try again.")));
		*launched = GetCurrentTimestamp();
	}
	return false;
}

/* await_migration(table_name text) */
DYNAMO_FUNCTION(dynamo_await_migration);
Datum
dynamo_await_migration(PG_FUNCTION_ARGS)
{
	char	   *table_name = RequiredTableArgument(fcinfo, 0);
	TimestampTz launched = 0;
	Relation	rel;
	Oid			relid;

	CheckMayCommit(fcinfo, "await_migration");
	SPI_connect_ext(SPI_OPT_NONATOMIC);
	rel = OpenTableForDdl(table_name, AccessShareLock);
	relid = RelationGetRelid(rel);
	table_close(rel, AccessShareLock);
	SPI_commit();
	while (!LookAtMigration(relid, &launched))
	{
		SPI_commit();
		BuildSleep(POLL_MILLISECONDS);
	}
	SPI_finish();
	PG_RETURN_VOID();
}

/* ---- for the worker ---- */

/* needs_move(relation oid, item dynamo.item) returns boolean */
DYNAMO_FUNCTION(dynamo_needs_move);
Datum
dynamo_needs_move(PG_FUNCTION_ARGS)
{
	Relation	rel = try_table_open(PG_GETARG_OID(0), AccessShareLock);
	bool		needs = false;

	if (rel == NULL)
		PG_RETURN_BOOL(false);
	if (RelationIsDynamoTable(rel))
	{
		TableDef   *def = TableDefAcquire(rel);
		const Entity *entity = MigrateEntity(def);

		needs = entity != NULL && MigrateNeedsMove(def, entity, PG_GETARG_VALUE(1));
		TableDefRelease(def);
	}
	table_close(rel, AccessShareLock);
	PG_RETURN_BOOL(needs);
}
