/*
 * migrate_steps.c
 *	  The steps of a migration in its worker, each in a transaction of its own.
 *
 * Items are looked at page by page.  A batch takes those rows of some pages that nobody has
 * locked, and comes back to the others: a worker that waits for a row while it holds others could
 * cause a deadlock.  One pass is enough, because no row gets a key of the source during a phase.
 * That nothing remains is verified by one statement, whose snapshot shows each row once: at
 * its place, if its move has not been committed.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "ddl/brief_lock.h"
#include "ddl/ddl.h"
#include "design/entity_list.h"
#include "extension_objects.h"
#include "index/build.h"
#include "item/builder.h"
#include "item/json.h"
#include "migrate/migrate.h"
#include "migrate/migrate_type.h"
#include "pattern/pattern.h"
#include "security/owner.h"
#include "subtransaction.h"
#include "table/table_name.h"

/* Others wait for the items of a batch until it commits: it has as many pages as take about this long. */
#define BATCH_MILLISECONDS	50
#define PAGES_OF_BATCH_MAX	64
#define BUSY_MILLISECONDS	20
#define BUSY_MILLISECONDS_MAX	500
#define RETRY_MILLISECONDS	1000

typedef enum StepResult
{
	STEP_OVER,					/* there is nothing to do, or no more: the worker ends */
	STEP_NEXT,
	STEP_BUSY,					/* others have locked rows */
	STEP_DONE					/* the pass is complete */
} StepResult;

/* The migration as a step finds it. */
typedef struct Step
{
	Oid			relid;
	Relation	rel;			/* open in the step */
	TableDef   *def;
	char	   *table;			/* "schema"."name" */
	char	   *entity_name;
	MigrationPhase phase;
	MigrationState state;
	StepResult	result;
	char	   *failed;			/* the key of the item that could not be moved, or NULL */
	BlockNumber pages;			/* of the next batch */
} Step;

/* ---- reading ---- */

/* Opens the table; false if it has no migration, or that is paused or has failed. */
static bool
OpenStep(Step *s, LOCKMODE lockmode)
{
	const Entity *entity;

	s->rel = try_table_open(s->relid, lockmode);
	if (s->rel == NULL || !RelationIsDynamoTable(s->rel))
		return false;
	s->def = TableDefCopy(s->rel);
	if (s->def != NULL)
		s->def->relid = s->relid;
	entity = s->def == NULL ? NULL : MigrateEntity(s->def);
	if (entity == NULL)
		return false;
	s->entity_name = pnstrdup(entity->name.data, entity->name.len);
	s->phase = MigratePhase(s->def, entity);
	s->table = QualifiedName(RelationGetNamespace(s->rel), RelationGetRelationName(s->rel));
	(void) MigrateStateRead(s->relid, s->entity_name, &s->state);
	return s->phase != MIGRATION_NONE && !s->state.paused && s->state.error == NULL;
}

/*
 * A policy could hide items from the owner, and so from the worker, which would leave them behind; and
 * a row with another key could have to be in another partition.
 */
static void
RefuseUnfitTable(Relation rel)
{
	if (rel->rd_rel->relforcerowsecurity)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("row security of table \"%s\" also applies to its owner", RelationGetRelationName(rel))));
	if (rel->rd_rel->relispartition || rel->rd_rel->relhassubclass)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" has become a partition, or has children", RelationGetRelationName(rel))));
}

/* ---- a batch ---- */

#define WHERE_MOVES " WHERE dynamo.needs_move(t.tableoid, t.item)"

/* The pages of a batch, of a table whose file may have changed. */
static void
PlaceBatch(Step *s)
{
	if (s->state.file == s->rel->rd_rel->relfilenode)
		return;
	s->state.file = s->rel->rd_rel->relfilenode;
	s->state.block = 0;
	s->state.blocks = RelationGetNumberOfBlocks(s->rel);
}

static char *
PagesCondition(const Step *s)
{
	return psprintf(WHERE_MOVES " AND t.ctid OPERATOR(pg_catalog.>=) '(%u,0)'::pg_catalog.tid AND t.ctid OPERATOR(pg_catalog.<) '(%u,0)'::pg_catalog.tid",
					s->state.block, s->state.block + s->pages);
}

/* Executes a query with a new snapshot. */
static uint64
SelectAfresh(const char *sql)
{
	PushActiveSnapshot(GetLatestSnapshot());
	if (SPI_execute(sql, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read items to be moved");
	PopActiveSnapshot();
	return SPI_processed;
}

/* Moves an item; its key, in the context of the step, is that of one that could not be moved if this fails. */
static void
MoveOne(Step *s, ValueRef item)
{
	MemoryContext caller = MemoryContextSwitchTo(GetMemoryChunkContext(s->entity_name));
	StringInfoData key;

	initStringInfo(&key);
	ItemToJson(&key, ItemRoot(KeyOfItem(s->def, item)));
	s->failed = key.data;
	MemoryContextSwitchTo(caller);
	MigrateMove(s->def, item);
	s->failed = NULL;
	pfree(key.data);
}

static void
MoveFree(Step *s)
{
	uint64		n = SelectAfresh(psprintf("SELECT t.item FROM %s t%s FOR UPDATE OF t SKIP LOCKED", s->table, PagesCondition(s)));
	SPITupleTable *rows = SPI_tuptable;

	for (uint64 i = 0; i < n; i++)
	{
		bool		isnull;
		Datum		item = SPI_getbinval(rows->vals[i], rows->tupdesc, 1, &isnull);

		CHECK_FOR_INTERRUPTS();
		PushActiveSnapshot(GetLatestSnapshot());
		MoveOne(s, DatumGetValue(item));
		PopActiveSnapshot();
	}
	s->state.moved += n;
}

/* Chooses the size of the next batch by the time that this one has taken. */
static void
AdaptPages(Step *s, TimestampTz began)
{
	long		took = TimestampDifferenceMilliseconds(began, GetCurrentTimestamp());

	if (took > BATCH_MILLISECONDS)
		s->pages = Max(s->pages / 2, 1);
	else if (took < BATCH_MILLISECONDS / 2)
		s->pages = Min(s->pages * 2, PAGES_OF_BATCH_MAX);
}

static void
MoveBatch(Step *s)
{
	OwnerScope	scope;
	TimestampTz began = GetCurrentTimestamp();
	bool		busy;

	PlaceBatch(s);
	s->result = STEP_DONE;
	if (s->state.block >= s->state.blocks)
		return;
	OwnerScopeEnter(&scope, s->rel->rd_rel->relowner);
	SPI_connect();
	MoveFree(s);
	busy = SelectAfresh(psprintf("SELECT FROM %s t%s LIMIT 1", s->table, PagesCondition(s))) > 0;
	SPI_finish();
	OwnerScopeLeave(&scope);
	if (!busy)
		s->state.block += s->pages;
	s->result = busy ? STEP_BUSY : STEP_NEXT;
	AdaptPages(s, began);
	MigrateStateWrite(s->relid, s->entity_name, &s->state);
}

/* ---- the end of a phase ---- */

/* Whether an item remains; then the pass begins again. */
static bool
SomethingRemains(Step *s)
{
	OwnerScope	scope;
	bool		remains;

	OwnerScopeEnter(&scope, s->rel->rd_rel->relowner);
	SPI_connect();
	remains = SelectAfresh(psprintf("SELECT FROM %s t" WHERE_MOVES " LIMIT 1", s->table)) > 0;
	SPI_finish();
	OwnerScopeLeave(&scope);
	if (remains)
	{
		s->state.file = InvalidOid;
		s->state.passes++;
		MigrateStateWrite(s->relid, s->entity_name, &s->state);
	}
	return remains;
}

/* Waits for transactions that may know only one key: all that use the table now. */
static void
AwaitUsers(Oid relid)
{
	LOCKTAG		tag;

	SET_LOCKTAG_RELATION(tag, MyDatabaseId, relid);
	WaitForLockers(tag, AccessExclusiveLock, false);
}

/* Waits for snapshots that may show items under the keys that they had. */
static void
AwaitSnapshots(void)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	TransactionId limit = snapshot->xmin;

	UnregisterSnapshot(snapshot);
	CommitTransactionCommand();
	StartTransactionCommand();
	WaitForOlderSnapshots(limit, false);
}

/* What changes the definition at the end of a phase; the table is locked against writers. */
typedef struct PhaseEnd
{
	Oid			relid;
	MigrationPhase phase;
	TimestampTz started;		/* of the migration whose users or snapshots have ended, not of a later one */
	LOCKMODE	lock;			/* taken at once: who raises a lock deadlocks with writers */
} PhaseEnd;

static const char *
NextPhase(MigrationPhase phase)
{
	return phase == MIGRATION_PREPARING ? "moving" : phase == MIGRATION_MOVING ? "complete" : "cancelled";
}

/* Changes the definition, for the table's owner. */
static void
StoreNextPhase(const Step *s)
{
	bool		ends = s->phase != MIGRATION_PREPARING;
	bool		retypes = RequireEntity(s->def, s->entity_name)->other_type.data != NULL;
	TableDef   *before = ends && retypes ? TableDefParse(TableDefPrint(s->def)) : NULL;
	OwnerScope	scope;

	OwnerScopeEnter(&scope, RelationOwner(s->relid));
	if (ends)
		MigrateDefineEnd(s->def, s->entity_name);
	else
		MigrateDefineMoving(s->def, s->entity_name);
	SPI_connect();
	StoreDefinition(s->relid, s->def);
	SPI_finish();
	if (ends)
		PatternsReadOne(s->relid);
	if (before != NULL)
		MigratePatternsFollow(s->relid, before);
	OwnerScopeLeave(&scope);
	MigrateStatePhase(s->relid, s->entity_name, NextPhase(s->phase));
}

/* An action of RunWithBriefLocks. */
static void
EndPhase(void *arg)
{
	const PhaseEnd *end = arg;
	Step		s = {.relid = end->relid};
	bool		is_there;

	LockRelationOid(end->relid, end->lock);
	PushActiveSnapshot(GetTransactionSnapshot());
	is_there = OpenStep(&s, NoLock);
	if (s.rel != NULL)
		table_close(s.rel, NoLock);
	if (is_there && s.phase == end->phase && s.state.started == end->started)
		StoreNextPhase(&s);
	PopActiveSnapshot();
}

/* ---- one step ---- */

/* A step of TryInSubtransaction. */
static void
WorkOnPages(void *arg)
{
	Step	   *s = arg;

	s->result = STEP_OVER;
	PushActiveSnapshot(GetTransactionSnapshot());
	if (OpenStep(s, RowExclusiveLock))
	{
		RefuseUnfitTable(s->rel);
		s->result = STEP_NEXT;
		if (s->phase != MIGRATION_PREPARING)
			MoveBatch(s);
		if (s->result == STEP_DONE && SomethingRemains(s))
			s->result = STEP_NEXT;
	}
	if (s->rel != NULL)
		table_close(s->rel, NoLock);
	PopActiveSnapshot();
}

/*
 * A step of TryInSubtransaction: whether something has the type of moved items before one is.  It opens the table
 * for itself, because the step is of the migration whose users have ended, and this may be a later one.
 */
static void
LookForStrays(void *arg)
{
	Step	   *s = arg;
	Step		now = {.relid = s->relid};

	s->result = STEP_OVER;
	PushActiveSnapshot(GetTransactionSnapshot());
	if (OpenStep(&now, AccessShareLock))
	{
		MigrateRefuseStrays(now.rel, now.def, MigrateEntity(now.def), &s->failed);
		s->result = STEP_NEXT;
	}
	if (now.rel != NULL)
		table_close(now.rel, NoLock);
	PopActiveSnapshot();
}

/* An action of TryInSubtransaction. */
static void
LeavePhase(void *arg)
{
	const Step *s = arg;
	PhaseEnd	end = {s->relid, s->phase, s->state.started, ShareRowExclusiveLock};

	if (s->phase != MIGRATION_PREPARING && MigrateChangesOver(s->def, s->entity_name))
		end.lock = AccessExclusiveLock;
	RunWithBriefLocks(EndPhase, &end);
}

/* An error stops the migration, until dynamo.resume_migration, unless it may not come again. */
static StepResult
AfterError(const Step *s, const ErrorData *error)
{
	if (ErrorMayPass(error))
		return STEP_BUSY;
	ereport(LOG,
			(errmsg("moving items of relation %u stopped: %s", s->relid, error->message)));
	if (s->entity_name != NULL)
		MigrateStateError(s->relid, s->entity_name,
						  s->failed == NULL ? error->message : psprintf("%s (item %s)", error->message, s->failed));
	return STEP_OVER;
}

/* Executes a part of a step in the current transaction. */
static StepResult
TryPart(Step *s, void (*part) (void *arg))
{
	ErrorData  *error = TryInSubtransaction(part, s);

	return error == NULL ? s->result : AfterError(s, error);
}

/* *pages is the size of a batch, which the step adapts. */
static StepResult
DoStep(Oid relid, BlockNumber *pages)
{
	Step		s = {.relid = relid, .pages = *pages};
	StepResult	result = TryPart(&s, WorkOnPages);

	*pages = s.pages;
	if (result == STEP_NEXT && s.phase == MIGRATION_PREPARING)
	{
		CommitTransactionCommand();
		StartTransactionCommand();
		AwaitUsers(relid);
		result = TryPart(&s, LookForStrays);
		return result == STEP_NEXT ? TryPart(&s, LeavePhase) : result;
	}
	if (result != STEP_DONE)
		return result;
	CommitTransactionCommand();
	StartTransactionCommand();
	AwaitSnapshots();
	s.result = STEP_NEXT;
	return TryPart(&s, LeavePhase);
}

void
MigrateRun(Oid relid)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, "dynamo migration", ALLOCSET_DEFAULT_SIZES);
	StepResult	result = STEP_NEXT;
	BlockNumber pages = 1;
	int			pause = BUSY_MILLISECONDS;

	while (result != STEP_OVER)
	{
		StartTransactionCommand();
		MemoryContextSwitchTo(context);
		result = DoStep(relid, &pages);
		CommitTransactionCommand();
		MemoryContextReset(context);
		pause = result == STEP_BUSY ? Min(2 * pause, BUSY_MILLISECONDS_MAX) : BUSY_MILLISECONDS;
		if (result != STEP_OVER)
			BuildSleep(result == STEP_BUSY ? pause : build_delay);
	}
	MemoryContextDelete(context);
}

bool
MigrateRemains(Oid relid)
{
	Step		s = {.relid = relid};
	bool		remains;

	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
	remains = OpenStep(&s, AccessShareLock);
	if (s.rel != NULL)
		table_close(s.rel, NoLock);
	PopActiveSnapshot();
	CommitTransactionCommand();
	return remains;
}
