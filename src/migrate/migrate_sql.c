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
#include "pattern/pattern.h"
#include "table/moves.h"
#include "table/table_name.h"
#include "view/entity_view.h"

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

/* What one NOTICE names. */
#define NAMED_IN_NOTICE	3

/* Some names of a list, for a message. */
static char *
SomeNames(const List *names)
{
	StringInfoData out;
	int			n = Min(list_length(names), NAMED_IN_NOTICE);

	initStringInfo(&out);
	for (int i = 0; i < n; i++)
		appendStringInfo(&out, "%s%s", i > 0 ? ", " : "", (char *) list_nth(names, i));
	if (n < list_length(names))
		appendStringInfo(&out, " and %d more", list_length(names) - n);
	return out.data;
}

/* The names of entity views that belong neither to the table's owner nor to the user. */
static List *
ViewsOfOthers(Oid relid)
{
	MemoryContext caller = CurrentMemoryContext;
	List	   *names = NIL;
	List	   *others;
	ListCell   *cell;

	SPI_connect();
	others = list_difference_oid(EntityViewsOfAnyone(relid), EntityViewsOf(relid, NULL));
	MemoryContextSwitchTo(caller);
	foreach(cell, others)
	{
		char	   *name = get_rel_name(lfirst_oid(cell));

		if (name != NULL)		/* its owner may have dropped it */
			names = lappend(names, name);
	}
	SPI_finish();
	return names;
}

/* What others have made of the table is not changed, and does not stop its owner. */
static void
TellOfOthers(const MigrateRequest *r)
{
	const List *patterns = PatternsOfOthers(r->relid, r->entity_name);
	const List *views = ViewsOfOthers(r->relid);

	if (patterns != NIL)
		ereport(NOTICE,
				(errmsg("access patterns of other roles stay as they are: %s", SomeNames(patterns)),
				 errdetail("Those that read keys which change raise errors until their owners declare them anew, after the migration.")));
	if (views != NIL)
		ereport(NOTICE,
				(errmsg("views of other roles stay as they are: %s", SomeNames(views)),
				 errdetail("Items without an attribute that their key tells are not in them once they are moved."),
				 errhint("After the migration their owners can replace them by new ones: dynamo.create_entity_view.")));
}

/* Checks the request against the locked table; makes after the definition with the new keys. */
static void
CheckRequest(const MigrateRequest *r, const TableDef *def, TableDef *after)
{
	const Entity *old = RequireEntity(def, r->entity_name);
	Relation	rel = table_open(r->relid, NoLock);

	RefuseMoving(old, "migrate");
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

/* migrate_entity(table_name text, entity_name text, keys, attributes, rename dynamo_internal.json_text) */
DYNAMO_FUNCTION(dynamo_migrate_entity);
Datum
dynamo_migrate_entity(PG_FUNCTION_ARGS)
{
	MigrateRequest r = ReadMigrateRequest(fcinfo);

	MigrateRenameRequest rename = {r.table_name, r.entity_name, JsonObjectArgument(fcinfo, 4, "rename")};

	r.keys = JsonObjectArgument(fcinfo, 2, "keys");
	if (!PG_ARGISNULL(3))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a migration cannot declare attributes"),
				 errhint("Declare them with dynamo.create_entity(replace => true) before or after the migration. Use rename to give them other names.")));
	if ((r.keys == NULL) == (rename.rename == NULL))
		InvalidArgument("either keys or rename must be given: an object from key attributes to templates, or from old to new names");
	if (rename.rename != NULL)
	{
		if (JB_ROOT_COUNT(rename.rename) == 0)
			InvalidArgument("rename has no names");
		MigrateRename(&rename);
		PG_RETURN_VOID();
	}
	RunWithBriefLocks(BeginMigration, &r);
	TellOfOthers(&r);
	MigrateAtCommit(r.relid);
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

/* An action of RunWithBriefLocks. */
static void
CancelMigration(void *arg)
{
	MigrateRequest *r = arg;
	TableDef   *def = LockAnyDefinition(r->table_name, ShareRowExclusiveLock, &r->relid);
	TableDef   *before = TableDefParse(TableDefPrint(def));
	MigrationPhase phase = MigratePhase(def, RequireEntity(def, r->entity_name));
	bool		renames = RequireEntity(def, r->entity_name)->renames;

	if (phase == MIGRATION_NONE)
		NoMigrationError(r->entity_name);
	if (phase == MIGRATION_CANCELLING)
		return;
	if (phase == MIGRATION_PREPARING)
		MigrateDefineEnd(def, r->entity_name);
	else
		MigrateDefineCancelling(def, r->entity_name);
	StoreMigration(r->relid, def);
	if (phase == MIGRATION_PREPARING)
		PatternsReadOne(r->relid);
	if (renames)
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
