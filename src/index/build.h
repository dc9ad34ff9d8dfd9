/*
 * build.h
 *	  Builds indexes on tables that are in use.
 *
 * Every write maintains a CREATING index from the statement that created it.
 * A builder does the remaining work in steps, each in one or several
 * transactions:
 *
 *	filling		existing rows get their new key columns, or their entries in
 *				an index table, in batches;
 *	building	the btree of an inline index, or the HNSW index of a vector index,
 *				is built concurrently;
 *	waiting		for older snapshots, which would not see the whole index;
 *	complete	the status becomes ACTIVE.
 *
 * A replacement instead takes the place of the index it was built for; the old
 * index is dropped when it has no more readers.
 *
 * The definition contains everything that is needed to continue after a crash.
 * dynamo_internal.index_builds contains the progress of builds; if it is lost,
 * a build starts again.
 */
#ifndef DYNAMO_BUILD_H
#define DYNAMO_BUILD_H

#include "datatype/timestamp.h"
#include "lib/stringinfo.h"

#include "exported.h"
#include "index/index.h"

extern int	in_place_build_limit;	/* dynamo.in_place_build_limit, kB; -1: none */
extern int	build_batch_size;	/* dynamo.build_batch_size */
extern int	build_delay;		/* dynamo.build_delay, ms */

/* ---- build_state.c ---- */

/* Registers that a dropped table's builds are forgotten. */
extern void BuildStateInit(void);

typedef enum BuildPhase
{
	PHASE_FILLING,
	PHASE_BUILDING,
	PHASE_WAITING,
	PHASE_COMPLETE
} BuildPhase;

typedef struct BuildState
{
	BuildPhase	phase;
	Oid			file;			/* relfilenode of the position */
	BlockNumber block;			/* next position to process */
	OffsetNumber offset;
	BlockNumber blocks;			/* size of the table at the start of filling */
	int64		rows;			/* processed */
	int64		skipped;		/* rows with invalid keys */
	char	   *skipped_items;	/* the first skipped items, a JSON array */
	char	   *error;			/* error that stopped the build, or NULL */
	bool		cancelled;		/* the build was cancelled */
	TimestampTz updated;		/* 0 if there is no state */
	char	   *index_name;
} BuildState;

/* Starts a build in this phase and discards earlier progress. */
extern void BuildStateStart(Oid relid, const char *index_name, BuildPhase phase);

/*
 * Returns the progress of a build; a build without progress starts with
 * filling.
 */
extern void BuildStateRead(Oid relid, const char *index_name, BuildState *state);

/*
 * Returns the progress of the table's build that failed or was updated last.
 */
extern void BuildStateReadLatest(Oid relid, BuildState *state);
extern void BuildStateWrite(Oid relid, const char *index_name, const BuildState *state);
extern void BuildStatePhase(Oid relid, const char *index_name, BuildPhase phase);

/*
 * Records why the build of an index stopped: an error, after which the worker
 * will try again, or a cancellation.  An empty name means any index of a table
 * whose definition could not be read.
 */
extern void BuildStateError(Oid relid, const char *index_name, const char *error);
extern void BuildStateCancelled(Oid relid, const char *index_name, const char *error);

/*
 * Counts a start of a build, until the build makes progress or stops with an
 * error.
 */
extern void BuildStateAttempt(Oid relid, const char *index_name);

/*
 * Whether builds of a table continue automatically after a restart: not if
 * they were cancelled, or ended too often without progress.
 */
#define BUILD_MAX_ATTEMPTS	10
extern bool BuildStateMayResume(Oid relid);

/* Forgets why the builds of a table stopped. */
extern void BuildStateForgetErrors(Oid relid);
extern void BuildStateForget(Oid relid, const char *index_name);

/* ---- fill_batch.c ---- */

typedef enum FillBatchResult
{
	BACKFILL_MORE,
	BACKFILL_DONE,
	BACKFILL_GONE				/* the table, the index or the build no longer exists */
} FillBatchResult;

/*
 * Fills the rows of one batch.  Rows locked by other transactions are added to
 * *busy (ItemPointers, in the current memory context).  FillOneRow fills
 * these, one in each transaction, because a builder that waits while it holds
 * locks could cause a deadlock.  *state is the position after the batch; it is
 * stored already unless there are busy rows, which a crash must not lose.
 */
extern FillBatchResult FillBatch(Oid relid, const char *index_name,
									BuildState *state, List **busy);
extern void FillOneRow(Oid relid, const char *index_name, ItemPointer tid);

/* ---- build_steps.c ---- */

/* The builder: a worker, or a procedure that may commit. */
typedef struct Builder
{
	bool		worker;
	MemoryContext context;		/* outlives transactions */
	StringInfo	index_name;		/* the index being built; empty before */
} Builder;

/* The statements that build an index of PostgreSQL's, the btree of an inline index for example. */
typedef struct ConcurrentBuild
{
	bool		done;			/* it is already built, or not needed */
	char	   *drop;			/* drops an unfinished one, or NULL */
	char	   *create;
} ConcurrentBuild;

/* Whether an index of the table waits to be built or removed. */
extern DYNAMO_EXPORT bool HasPendingBuild(const TableDef *def);
extern bool TableHasPendingBuild(Oid relid);

/*
 * Builds all CREATING indexes of a table.  Starts and ends in a transaction
 * without a snapshot.  Returns false if a btree or an HNSW index must be built
 * concurrently, which only a worker can do.
 */
extern bool BuildIndexes(const Builder *builder, Oid relid);

/* ---- build_worker.c ---- */

/*
 * Starts a worker that builds the table's indexes after this transaction
 * commits.
 */
extern void BuildAtCommit(Oid relid);

/*
 * Starts the worker immediately, unless one of the owner's workers, which builds other
 * tables, will look for this one; false if none is available.
 */
extern bool BuildNow(Oid relid);

/*
 * Resumes the build of an index that has no builder, for example after a
 * crash: clients wait for an index and call only DescribeTable.
 */
extern DYNAMO_EXPORT void BuildIfPending(Relation rel, const TableDef *def);
extern void BuildWorkerInit(void);

/* Sleeps; can be cancelled. */
extern void BuildSleep(int milliseconds);

/* ---- build_slot.c ---- */

/* What a worker does. */
typedef enum SlotKind
{
	SLOT_OF_BUILD,
	SLOT_OF_MIGRATION
} SlotKind;

/*
 * Outside transactions, takes one of a role's slots for workers, until the process
 * ends.  False if there is none.
 */
extern bool BuildSlotTake(Oid role, SlotKind kind);

/* In a transaction: whether a worker of the role waits for a slot, so that another one would find none. */
extern bool BuildSlotIsAwaited(Oid role, SlotKind kind);
extern void BuildSlotInit(void);

/* ---- build_resume.c ---- */

/*
 * Starts workers for builds in this database that have no builder, except
 * cancelled ones.  Must be called in a transaction.
 */
extern void BuildsResume(void);

/* Has other work resumed, too; in a transaction. */
extern void BuildsResumeWith(void (*resume) (void));

/*
 * Does the same in all databases, for a worker that has just started; outside transactions.  Where
 * no worker is free, the next call goes on.
 */
extern void BuildsResumeEverywhere(void);

/* ---- build_sql.c ---- */

/* Raises an error unless the caller is a procedure that may commit. */
extern void CheckMayCommit(FunctionCallInfo fcinfo, const char *procedure);

/*
 * Waits until the indexes of a table are built, and reports progress.  Starts
 * a worker if there is no builder, or builds them if none is available.
 * Raises the error that stops the build.  Commits; SPI must be connected.
 */
extern void BuildAndWait(Oid relid);

/* ---- alter.c ---- */

/* The changes of an index. */
typedef struct IndexChange
{
	const char *projection;		/* NULL if unchanged */
	char	  **non_key;
	int			nnon_key;
	const char *storage;
	int			shards;			/* -1 if unchanged; 0 if not sharded */
	const char *shard_by;		/* NULL if unchanged; "" for the table's key */
} IndexChange;

/*
 * Changes an index: immediately or, if that would take long, through a second
 * index that replaces it when it is built.
 */
extern void IndexAlter(const char *table_name, const char *index_name,
					   const IndexChange *change);

#endif							/* DYNAMO_BUILD_H */
