/*
 * index_changes.c
 *	  A background worker that applies changes of distributed tables to their index tables.
 *
 * It runs on the coordinator, in the database dynamo.database, as a superuser: on the
 * nodes, code of the owners of tables runs as the owners (store/raw_table.h).  A table whose
 * changes cannot be applied, as while a node does not answer, rests, longer each time.
 */
#include "postgres.h"

#include "access/table.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "citus/apply.h"
#include "citus/index_changes.h"
#include "compat.h"
#include "table/distribution.h"
#include "worker/permanent.h"
#include "worker/workers.h"

/* The maximum that one transaction takes from a node. */
#define CHANGES_AT_ONCE		2000

/* How often tables are looked for, and how long the worker sleeps on another server. */
#define LOOK_MILLISECONDS	5000

#define LONGEST_REST	60		/* seconds */

/* Tables with a change table, whose link has the argument CHANGES_LABEL. */
#define TABLES_STATEMENT \
	"SELECT DISTINCT tgconstrrelid FROM pg_catalog.pg_trigger " \
	"WHERE tgfoid OPERATOR(pg_catalog.=) 'dynamo_system.belongs_to'::pg_catalog.regproc " \
	"AND tgname OPERATOR(pg_catalog.=) '~dynamo_belongs_to' AND pg_catalog.encode(tgargs, 'hex') OPERATOR(pg_catalog.=) '246368616e67657300'"

/* A table, which lives in the context of the list. */
typedef struct ChangedTable
{
	Oid			relid;
	TableRest	rest;
	bool		listed;
} ChangedTable;

static MemoryContext list_context;
static List *tables;

static const PermanentWorker applier = {"dynamo index changes", "10s", "10min"};

/* ---- tables ---- */

static void
ListTable(Oid relid)
{
	MemoryContext old;
	ChangedTable *table;
	ListCell   *cell;

	foreach(cell, tables)
	{
		table = lfirst(cell);
		if (table->relid == relid)
		{
			table->listed = true;
			return;
		}
	}
	old = MemoryContextSwitchTo(list_context);
	table = palloc0(sizeof(ChangedTable));
	table->relid = relid;
	table->listed = true;
	tables = lappend(tables, table);
	MemoryContextSwitchTo(old);
}

static void
ForgetTables(void)
{
	ListCell   *cell;

	foreach(cell, tables)
	{
		ChangedTable *table = lfirst(cell);

		if (table->listed)
			continue;
		tables = foreach_delete_current(tables, cell);
		pfree(table);
	}
}

static void
ReadTables(void)
{
	SPI_connect();
	if (SPI_execute(TABLES_STATEMENT, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read pg_trigger");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;

		ListTable(DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull)));
	}
	SPI_finish();
}

/* A standby, a worker node and a database without the extension have nothing to do. */
static bool
MayHaveChanges(void)
{
	return PermanentWorkerHasTables() && OidIsValid(get_extension_oid("citus", true)) && !ServerIsWorker();
}

static void
FindTablesWithChanges(void)
{
	ListCell   *cell;

	foreach(cell, tables)
		((ChangedTable *) lfirst(cell))->listed = false;
	if (MayHaveChanges())
		ReadTables();
	ForgetTables();
}

/* Looks for tables; an error ends the transaction but not the worker. */
static void
TryFindTables(void)
{
	PG_TRY();
	{
		PermanentWorkerBegin();
		PushActiveSnapshot(GetTransactionSnapshot());
		FindTablesWithChanges();
		PopActiveSnapshot();
		PermanentWorkerCommit();
	}
	PG_CATCH();
	{
		PermanentWorkerRollback(true);
	}
	PG_END_TRY();
}

/* ---- changes ---- */

/* Returns whether many changes are left. */
static bool
ApplyChanges(Oid relid)
{
	Relation	rel = try_table_open(relid, AccessShareLock);
	bool		full = false;

	if (rel == NULL)
		return false;
	if (RelationIsDistributed(relid))
		(void) ApplyIndexChanges(rel, CHANGES_AT_ONCE, &full);
	table_close(rel, NoLock);
	return full;
}

/*
 * Applies some changes of a table; returns whether many are left.  Few can wait: a
 * transaction on several nodes costs as much as hundreds of changes.
 */
static bool
TryApply(ChangedTable *table)
{
	volatile bool full = false;

	PG_TRY();
	{
		PermanentWorkerBegin();
		PushActiveSnapshot(GetTransactionSnapshot());
		full = ApplyChanges(table->relid);
		PopActiveSnapshot();
		PermanentWorkerCommit();
		table->rest.seconds = 0;
	}
	PG_CATCH();
	{
		PermanentWorkerRollback(true);
		TableRestLonger(&table->rest, LONGEST_REST);
	}
	PG_END_TRY();
	return full;
}

/* Some changes of each table; returns whether many are left. */
static bool
ApplyAll(void)
{
	bool		more = false;
	ListCell   *cell;

	foreach(cell, tables)
	{
		ChangedTable *table = lfirst(cell);

		(void) PermanentWorkerHandleInterrupts();
		if (!TableRests(&table->rest))
			more |= TryApply(table);
	}
	return more;
}

/* ---- the loop ---- */

static void
SleepUntilChanges(void)
{
	long		time = tables == NIL && index_changes_interval > 0 ? Max(LOOK_MILLISECONDS, index_changes_interval) :
		index_changes_interval;

	PermanentWorkerSleep(time);
}

void
dynamo_index_changes_main(Datum arg)
{
	TimestampTz looked = 0;
	bool		more = false;

	PermanentWorkerStart(&applier);
	list_context = AllocSetContextCreate(TopMemoryContext, "dynamo changed tables", ALLOCSET_SMALL_SIZES);
	for (;;)
	{
		if (!more)
			SleepUntilChanges();
		more = false;
		if (index_changes_interval == 0)
			continue;
		if (TimestampDifferenceExceeds(looked, GetCurrentTimestamp(), LOOK_MILLISECONDS))
		{
			TryFindTables();
			looked = GetCurrentTimestamp();
		}
		more = ApplyAll();
		pgstat_report_stat(!more);
	}
}

void
IndexChangesInit(void)
{
	BackgroundWorker worker = WorkerDescribeRestarted("dynamo_citus", "dynamo_index_changes_main", "dynamo index changes");

	if (process_shared_preload_libraries_in_progress && !IsBinaryUpgrade)
		RegisterBackgroundWorker(&worker);
}
