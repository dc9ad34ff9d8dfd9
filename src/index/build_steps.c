/*
 * build_steps.c
 *	  The steps from a CREATING index to an ACTIVE one.
 *
 * Each step reads the definition again, because the table may have changed in
 * any way between two transactions of a builder.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/plannodes.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "tcop/pquery.h"
#include "tcop/tcopprot.h"
#include "tcop/utility.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "ddl/build_lock.h"
#include "extension_objects.h"
#include "index/build.h"
#include "security/owner.h"
#include "table/distribution.h"
#include "table/index_relation.h"

/*
 * Initial and maximum wait for a lock that blocks writers, which have to wait
 * behind us even while we only wait for the lock.
 */
#define LOCK_MILLISECONDS		50
#define LOCK_MILLISECONDS_MAX	2000
#define BRIEF_TRIES				20

/* Maximum wait for the lock of a row, which blocks nobody. */
#define ROW_LOCK_MILLISECONDS	1000

int			build_delay = 10;

/* ---- transactions ---- */

static void
BeginNextTransaction(const Builder *builder)
{
	if (builder->worker)
	{
		CommitTransactionCommand();
		StartTransactionCommand();
	}
	else
		SPI_commit();
	MemoryContextSwitchTo(builder->context);
	CHECK_FOR_INTERRUPTS();
}

static void
PauseBuild(int milliseconds)
{
	if (milliseconds <= 0)
		return;
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 milliseconds, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/* ---- what to build ---- */

/*
 * Returns a copy of a table's definition; NULL if it is not a dynamo table any
 * more.
 */
static TableDef *
CopyDefinitionIfAny(Oid relid)
{
	Relation	rel = try_table_open(relid, AccessShareLock);
	TableDef   *def = NULL;

	if (rel == NULL)
		return NULL;
	if (RelationIsDynamoTable(rel))
	{
		TableDef   *held = TableDefAcquire(rel);

		def = TableDefParse(TableDefPrint(held));
		def->relid = relid;
		TableDefRelease(held);
	}
	table_close(rel, AccessShareLock);
	return def;
}

static IndexDef *
PendingIndex(const TableDef *def)
{
	for (int i = 0; i < def->nindexes; i++)
	{
		if (def->indexes[i].status != INDEX_ACTIVE)
			return &def->indexes[i];
	}
	return NULL;
}

bool
HasPendingBuild(const TableDef *def)
{
	return PendingIndex(def) != NULL;
}

bool
TableHasPendingBuild(Oid relid)
{
	TableDef   *def = CopyDefinitionIfAny(relid);

	return def != NULL && HasPendingBuild(def);
}

/* ---- locks that others wait for ---- */

/*
 * Executes an action that takes locks, with a limited wait for each.  If a
 * lock is not granted in time or the action returns false, the action is
 * rolled back, with the subtransaction that it runs in, and false is returned.
 */
static bool
TryBriefly(int milliseconds, bool (*action) (void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile bool done = false;

	BeginInternalSubTransaction(NULL);
	PG_TRY();
	{
		int			level = NewGUCNestLevel();

		(void) set_config_option("lock_timeout", psprintf("%d", milliseconds), PGC_USERSET,
								 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
		done = action(arg);
		AtEOXact_GUC(false, level);
		if (done)
			ReleaseCurrentSubTransaction();
		else
			RollbackAndReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		if (error->sqlerrcode != ERRCODE_LOCK_NOT_AVAILABLE)
			ReThrowError(error);
		FreeErrorData(error);
		done = false;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return done;
}

/* The locks to take: on a table, and without waiting on other tables. */
typedef struct NeededLocks
{
	Oid			relid;
	LOCKMODE	mode;
	const List *others;
} NeededLocks;

static bool
TakeLocks(void *arg)
{
	const NeededLocks *locks = arg;
	ListCell   *cell;

	LockRelationOid(locks->relid, locks->mode);
	foreach(cell, locks->others)
	{
		if (!ConditionalLockRelationOid(lfirst_oid(cell), locks->mode))
			return false;
	}
	return true;
}

/*
 * Locks tables.  Each attempt is a separate transaction, so that no locks are
 * held between attempts.
 */
static void
LockPatiently(const Builder *builder, Oid relid, LOCKMODE mode, const List *others)
{
	NeededLocks locks = {relid, mode, others};
	int			milliseconds = LOCK_MILLISECONDS;

	for (int i = 0; !TryBriefly(milliseconds, TakeLocks, &locks); i++)
	{
		BeginNextTransaction(builder);
		PauseBuild(5 * milliseconds);
		if (i >= BRIEF_TRIES)
			milliseconds = Min(2 * milliseconds, LOCK_MILLISECONDS_MAX);
	}
}

/*
 * Returns the index table of an index and its shards; NIL if it does not
 * exist.
 */
static List *
IndexTables(const TableDef *def, const IndexDef *index)
{
	Oid			relid = index->kind->own_entries ? FindIndexRelation(def, index) : InvalidOid;

	if (!OidIsValid(relid))
		return NIL;
	return find_all_inheritors(relid, NoLock, NULL);
}

/* ---- filling ---- */

typedef struct BusyRow
{
	Oid			relid;
	const char *index_name;
	ItemPointer tid;
} BusyRow;

static bool
FillBusyRow(void *arg)
{
	const BusyRow *row = arg;

	FillOneRow(row->relid, row->index_name, row->tid);
	return true;
}

/*
 * Waits for the locks of rows one by one.  Releases its snapshot now and then,
 * because builds of other tables wait for it.
 */
static void
FillBusy(const Builder *builder, Oid relid, const char *index_name,
		 const BuildState *state, List *busy)
{
	ListCell   *cell;

	foreach(cell, busy)
	{
		BusyRow		row = {relid, index_name, lfirst(cell)};

		while (!TryBriefly(ROW_LOCK_MILLISECONDS, FillBusyRow, &row))
			BeginNextTransaction(builder);
		BeginNextTransaction(builder);
	}
	if (busy != NIL)
	{
		BuildStateWrite(relid, index_name, state);
		BeginNextTransaction(builder);
	}
}

static void
FillIndex(const Builder *builder, Oid relid, const char *index_name)
{
	MemoryContext context = AllocSetContextCreate(builder->context, "dynamo index build",
												  ALLOCSET_DEFAULT_SIZES);
	Builder		inner = *builder;
	FillBatchResult result;

	inner.context = context;
	do
	{
		BuildState	state;
		List	   *busy = NIL;

		MemoryContextReset(context);
		MemoryContextSwitchTo(context);
		result = FillBatch(relid, index_name, &state, &busy);
		BeginNextTransaction(&inner);
		FillBusy(&inner, relid, index_name, &state, busy);
		PauseBuild(build_delay);
	} while (result == BACKFILL_MORE);
	if (result == BACKFILL_DONE)
		BuildStatePhase(relid, index_name, PHASE_BUILDING);
	BeginNextTransaction(builder);
	MemoryContextDelete(context);
}

/* ---- building a btree or an HNSW index ---- */

/*
 * Runs a utility statement as if a client had sent it alone.  Some statements
 * refuse to run otherwise, and event triggers need the statement's portal.
 */
static void
RunAtTopLevel(const char *sql)
{
	RawStmt    *raw = linitial_node(RawStmt, pg_parse_query(sql));
	PlannedStmt *statement = makeNode(PlannedStmt);
	Portal		portal = CreatePortal("", true, true);

	statement->commandType = CMD_UTILITY;
	statement->canSetTag = true;
	statement->utilityStmt = raw->stmt;
	statement->stmt_location = raw->stmt_location;
	statement->stmt_len = raw->stmt_len;
	portal->visible = false;
	PortalDefineQuery(portal, NULL, sql, CreateCommandTag(raw->stmt), list_make1(statement), NULL);
	PortalStart(portal, NULL, 0, InvalidSnapshot);
	(void) RunPortalAtTopLevel(portal);
	PortalDrop(portal, false);
}

static void
NoteBuilt(const Builder *builder, const TableDef *def, const IndexDef *index)
{
	BuildStatePhase(def->relid, index->name, PHASE_WAITING);
	BeginNextTransaction(builder);
}

/* Returns false if this process cannot build it, which only workers can. */
static bool
BuildConcurrently(const Builder *builder, const TableDef *def, const IndexDef *index)
{
	ConcurrentBuild build;

	if (!index->kind->plan(def, index, &build))
		return true;
	if (build.done)
	{
		NoteBuilt(builder, def, index);
		return true;
	}
	if (!builder->worker)
		return false;
	if (build.drop != NULL)
	{
		BeginNextTransaction(builder);
		RunAtTopLevel(build.drop);
	}
	BeginNextTransaction(builder);
	RunAtTopLevel(build.create);
	BeginNextTransaction(builder);
	NoteBuilt(builder, def, index);
	return true;
}

/* ---- waiting ---- */

/*
 * Waits for older snapshots: they do not see the entries made since, so their
 * transactions must not use the index.
 */
static void
WaitForSnapshots(const Builder *builder, const TableDef *def, const IndexDef *index)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	TransactionId limit = snapshot->xmin;

	BuildStatePhase(def->relid, index->name, PHASE_WAITING);
	UnregisterSnapshot(snapshot);
	BeginNextTransaction(builder);
	WaitForOlderSnapshots(limit, false);
	BeginNextTransaction(builder);
}

static void
WaitForReaders(const Builder *builder, Oid relid)
{
	LOCKTAG		tag;

	SET_LOCKTAG_RELATION(tag, MyDatabaseId, relid);
	WaitForLockers(tag, AccessExclusiveLock, false);
	BeginNextTransaction(builder);
}

/* ---- changing the definition ---- */

/*
 * Returns the definition of the locked table and its index, or NULL if the
 * index does not have this status any more.
 */
static TableDef *
ReadLocked(Oid relid, const char *index_name, IndexStatus status, IndexDef **index)
{
	TableDef   *def = CopyDefinitionIfAny(relid);

	if (def == NULL)
		return NULL;
	*index = unconstify(IndexDef *, TableDefIndex(def, index_name));
	return *index != NULL && (*index)->status == status ? def : NULL;
}

/* Exchanges all properties of two indexes except their names. */
static void
ExchangeShapes(IndexDef *a, IndexDef *b)
{
	IndexDef	was = *a;
	const char *name = b->name;
	const char *replaces = b->replaces;

	*a = *b;
	a->name = was.name;
	a->replaces = NULL;
	a->status = INDEX_ACTIVE;
	*b = was;
	b->name = name;
	b->replaces = replaces;
	b->status = INDEX_DELETING;
}

static void
ReplaceIndex(Oid relid, TableDef *def, IndexDef *index)
{
	IndexDef   *replaced = unconstify(IndexDef *, TableDefIndex(def, index->replaces));

	if (replaced == NULL)
		elog(ERROR, "index \"%s\" has nothing to replace", index->name);
	ExchangeShapes(replaced, index);
	StoreDefinition(relid, def);
}

/* Makes an index ACTIVE as the table's owner, whoever builds the index. */
static void
MakeActive(Oid relid, TableDef *def, IndexDef *index)
{
	OwnerScope	scope;

	OwnerScopeEnter(&scope, RelationOwner(relid));
	SPI_connect();
	if (index->replaces != NULL)
		ReplaceIndex(relid, def, index);
	else
	{
		index->status = INDEX_ACTIVE;
		StoreDefinition(relid, def);
	}
	SPI_finish();
	OwnerScopeLeave(&scope);
}

static void
ActivateIndex(const Builder *builder, Oid relid, const TableDef *seen, const IndexDef *pending)
{
	const IndexDef *replaced = pending->replaces != NULL ?
		TableDefIndex(seen, pending->replaces) : NULL;
	List	   *tables = NIL;
	TableDef   *def;
	IndexDef   *index;

	if (replaced != NULL)
		tables = list_concat(IndexTables(seen, pending), IndexTables(seen, replaced));
	LockPatiently(builder, relid, ShareRowExclusiveLock, tables);
	PushActiveSnapshot(GetTransactionSnapshot());
	def = ReadLocked(relid, pending->name, INDEX_CREATING, &index);
	if (def != NULL && index->kind->is_built != NULL && !index->kind->is_built(def, index))
		BuildStatePhase(relid, pending->name, PHASE_BUILDING);
	else if (def != NULL)
	{
		MakeActive(relid, def, index);
		BuildStatePhase(relid, pending->name, PHASE_COMPLETE);
	}
	PopActiveSnapshot();
	BeginNextTransaction(builder);
}

static void
RemoveLocked(Oid relid, TableDef *def, const IndexDef *index)
{
	OwnerScope	scope;

	OwnerScopeEnter(&scope, RelationOwner(relid));
	SPI_connect();
	IndexRemove(relid, def, index);
	SPI_finish();
	OwnerScopeLeave(&scope);
}

/* Drops a replaced index when nobody reads it any more. */
static void
RemoveReplaced(const Builder *builder, Oid relid, const TableDef *seen, const IndexDef *pending)
{
	TableDef   *def;
	IndexDef   *index;

	WaitForReaders(builder, relid);
	LockPatiently(builder, relid, AccessExclusiveLock, IndexTables(seen, pending));
	PushActiveSnapshot(GetTransactionSnapshot());
	def = ReadLocked(relid, pending->name, INDEX_DELETING, &index);
	if (def != NULL)
		RemoveLocked(relid, def, index);
	PopActiveSnapshot();
	BeginNextTransaction(builder);
}

/* ---- all of it ---- */

/* Executes the next step of a build. */
static bool
BuildStep(const Builder *builder, Oid relid, const TableDef *def, const IndexDef *index)
{
	BuildState	state;

	if (index->status == INDEX_DELETING)
	{
		RemoveReplaced(builder, relid, def, index);
		return true;
	}
	BuildStateRead(relid, index->name, &state);
	switch (state.phase)
	{
		case PHASE_FILLING:
			FillIndex(builder, relid, index->name);
			return true;
		case PHASE_BUILDING:
			return BuildConcurrently(builder, def, index);
		default:
			WaitForSnapshots(builder, def, index);
			ActivateIndex(builder, relid, def, index);
			return true;
	}
}

/* Records which index is being built, for the report if the build fails. */
static void
NoteIndex(const Builder *builder, Oid relid, const char *index_name)
{
	if (strcmp(builder->index_name->data, index_name) == 0)
		return;
	resetStringInfo(builder->index_name);
	appendStringInfoString(builder->index_name, index_name);
	BuildStateAttempt(relid, index_name);
	BeginNextTransaction(builder);
}

bool
BuildIndexes(const Builder *builder, Oid relid)
{
	MemoryContext context = AllocSetContextCreate(builder->context, "dynamo index builder",
												  ALLOCSET_DEFAULT_SIZES);
	Builder		inner = *builder;
	bool		can_go_on = true;

	inner.context = context;
	resetStringInfo(builder->index_name);
	BuildLockAcquire(relid);
	BuildStateForgetErrors(relid);
	BeginNextTransaction(&inner);
	while (can_go_on)
	{
		TableDef   *def;
		IndexDef   *index;

		MemoryContextReset(context);
		MemoryContextSwitchTo(context);
		def = CopyDefinitionIfAny(relid);
		index = def != NULL ? PendingIndex(def) : NULL;
		if (index == NULL)
			break;
		NoteIndex(&inner, relid, index->name);
		if (RelationIsDistributed(relid))
			DistributedError(relid, "building an index");
		can_go_on = BuildStep(&inner, relid, def, index);
	}
	BuildLockRelease(relid);
	BeginNextTransaction(builder);
	MemoryContextDelete(context);
	return can_go_on;
}
