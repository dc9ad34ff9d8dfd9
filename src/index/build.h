/*
 * build.h
 *	  Building indexes on tables that are in use.
 *
 * An index that is CREATING is maintained by every write since the statement
 * that created it.  What remains is done in steps, each a transaction or
 * several, by a builder:
 *
 *	filling		rows that were there before get their new key columns, or
 *				their entries in an index table, in batches;
 *	building	the btree of an inline index is built concurrently;
 *	waiting		for snapshots from before, which would not see all of it;
 *	complete	the definition says ACTIVE.
 *
 * A replacement changes places with the index it was built for instead, and
 * what was replaced is dropped when nobody reads it any more.
 *
 * All that is needed to go on after a crash is in the definition;
 * dynamo.index_builds holds how far a build has come, and if it is lost, a
 * build begins again.
 */
#ifndef DYNAMO_BUILD_H
#define DYNAMO_BUILD_H

#include "datatype/timestamp.h"
#include "lib/stringinfo.h"

#include "index/index.h"

extern int	in_place_build_limit;	/* dynamo.in_place_build_limit, kB; -1: none */
extern int	build_batch_size;	/* dynamo.build_batch_size */
extern int	build_delay;		/* dynamo.build_delay, ms */

/* ---- build_state.c ---- */

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
	Oid			file;			/* relfilenode that the place is in */
	BlockNumber block;			/* next place to look at */
	OffsetNumber offset;
	BlockNumber blocks;			/* of the table, when filling began */
	int64		rows;			/* looked at */
	int64		skipped;		/* with unusable keys */
	char	   *skipped_items;	/* the first of them, a JSON array */
	char	   *error;			/* what stopped the build, or NULL */
	bool		cancelled;		/* somebody did */
	TimestampTz updated;		/* 0: nothing is known, nor the next */
	char	   *index_name;
} BuildState;

/* Begins a build in this phase, whatever was known of one before. */
extern void BuildStateStart(Oid relid, const char *index_name, BuildPhase phase);

/* That of a build that nothing is known of is to begin filling. */
extern void BuildStateRead(Oid relid, const char *index_name, BuildState *state);

/* That of the table's build which failed or was heard of last. */
extern void BuildStateReadLatest(Oid relid, BuildState *state);
extern void BuildStateWrite(Oid relid, const char *index_name, const BuildState *state);
extern void BuildStatePhase(Oid relid, const char *index_name, BuildPhase phase);

/*
 * Records what stopped the build of an index: an error, after which the worker
 * tries again, or somebody who wanted it to stop.  An empty name stands for
 * whatever index of a table whose definition could not be read.
 */
extern void BuildStateError(Oid relid, const char *index_name, const char *error);
extern void BuildStateCancelled(Oid relid, const char *index_name, const char *error);

/* Counts a beginning of a build, until it gets on or stops with an error. */
extern void BuildStateAttempt(Oid relid, const char *index_name);

/*
 * Whether builds of a table are to go on by themselves after a restart: not if
 * they were cancelled, or have ended so often without getting on.
 */
#define BUILD_MAX_ATTEMPTS	10
extern bool BuildStateMayResume(Oid relid);

/* Forgets what stopped the builds of a table. */
extern void BuildStateForgetErrors(Oid relid);
extern void BuildStateForget(Oid relid, const char *index_name);

/* ---- backfill.c ---- */

typedef enum BackfillResult
{
	BACKFILL_MORE,
	BACKFILL_DONE,
	BACKFILL_GONE				/* table or index is, or the build is over */
} BackfillResult;

/*
 * Fills the rows of one batch.  Rows that are locked by others are left to
 * *busy (of ItemPointers, in the current memory context), to be filled by
 * BackfillOne, one in each transaction: a builder that waits while it holds
 * locks could be in a deadlock with an innocent writer.  *state is where the
 * batch has come to; it is stored already unless there are busy rows, which
 * a crash must not lose.
 */
extern BackfillResult BackfillBatch(Oid relid, const char *index_name,
									BuildState *state, List **busy);
extern void BackfillOne(Oid relid, const char *index_name, ItemPointer tid);

/* ---- build_steps.c ---- */

/* Who builds: a worker, or a procedure that may commit. */
typedef struct Builder
{
	bool		worker;
	MemoryContext context;		/* outlives transactions */
	StringInfo	index_name;		/* being built; empty before */
} Builder;

/* Whether an index of the table waits to be built or removed. */
extern bool HasPendingBuild(const TableDef *def);
extern bool TableHasPendingBuild(Oid relid);

/*
 * Builds all indexes of a table that are CREATING.  Begins and ends in a
 * transaction without a snapshot.  False if it had to stop because a btree
 * must be built concurrently, which only a worker can.
 */
extern bool BuildIndexes(const Builder *builder, Oid relid);

/* The btree of an inline index, if it is there; whether it can be used. */
extern Oid	FindInlineIndex(const TableDef *def, const IndexDef *index, bool *valid);

/* ---- build_worker.c ---- */

/* Has a worker build the table's indexes when this transaction has committed. */
extern void BuildAtCommit(Oid relid);

/* The same now; false if no worker can be had. */
extern bool BuildNow(Oid relid);

/*
 * Has an index built that nobody builds, as after a crash: clients wait for
 * it and ask nothing but DescribeTable.
 */
extern void BuildIfPending(Relation rel, const TableDef *def);
extern void BuildWorkerInit(void);

/* ---- build_resume.c ---- */

/*
 * Has a worker build what nobody builds, in this database; in a transaction.
 * What was cancelled is left alone.
 */
extern void BuildsResume(void);

/* The same in all databases, for a worker that has just started. */
extern void BuildsResumeEverywhere(void);

/* Has the server start a worker for that, where none of ours does it. */
extern void BuildResumeRegister(void);

/* ---- build_sql.c ---- */

/* Raises an error unless a procedure was called that may commit. */
extern void CheckMayCommit(FunctionCallInfo fcinfo, const char *procedure);

/*
 * Waits until the indexes of a table are built, telling how far they are; has
 * a worker build them if none does, or builds them if there is none.  Raises
 * the error that stops the build.  Commits; SPI is connected.
 */
extern void BuildAndWait(Oid relid);

/* ---- change.c ---- */

/* What of an index is to change. */
typedef struct IndexChange
{
	const char *projection;		/* NULL: as it is; likewise storage */
	char	  **non_key;
	int			nnon_key;
	const char *storage;
	int			shards;			/* -1: as it is; 0: not sharded */
	const char *shard_by;		/* NULL: as it is; "": the base key */
} IndexChange;

/*
 * Changes an index: at once, or where that would take long by a second index
 * that takes its place when it is built.
 */
extern void IndexAlter(const char *table_name, const char *index_name,
					   const IndexChange *change);

#endif							/* DYNAMO_BUILD_H */
