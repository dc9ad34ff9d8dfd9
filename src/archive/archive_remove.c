/*
 * archive_remove.c
 *	  Removes the files of deleted backups, and of backups and exports whose worker was
 *	  lost.
 *
 * A rollback must keep the files, so they are removed after the commit.  Files
 * that remain after a crash belong to no backup.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/memutils.h"

#include "archive/archive.h"
#include "archive/archive_remove.h"
#include "transfer/export_tree.h"

typedef struct Removal
{
	SubTransactionId subid;		/* the subtransaction that deleted the backup */
	char	   *directory;		/* the archive directory */
	char	   *path;
	char	   *shared;			/* where the data files of an incremental export are; otherwise NULL */
	char	   *id;
} Removal;

static List *removals;

void
JobRemoveFilesAtCommit(const Job *job, const char *directory)
{
	MemoryContext old = MemoryContextSwitchTo(TopTransactionContext);
	Removal    *removal = palloc(sizeof(Removal));
	char	   *top;

	removal->subid = GetCurrentSubTransactionId();
	removal->directory = pstrdup(directory);
	top = psprintf("%s/%s/%s" TREE_TOP, directory, job->bucket, job->prefix == NULL ? "" : PrefixAsPath(job->prefix));
	removal->path = psprintf("%s/%s", top, job->id);
	removal->shared = job->since != 0 ? psprintf("%s/" TREE_DATA, top) : NULL;
	removal->id = pstrdup(job->id);
	removals = lappend(removals, removal);
	MemoryContextSwitchTo(old);
}

/* rmtree reports what it cannot remove as a warning. */
static void
RemoveFiles(XactEvent event, void *arg)
{
	/* nobody would remove them when it is committed */
	if (event == XACT_EVENT_PRE_PREPARE && removals != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot PREPARE a transaction that removes files of backups or exports")));
	if (event == XACT_EVENT_COMMIT)
	{
		ListCell   *cell;

		foreach(cell, removals)
		{
			const Removal *removal = lfirst(cell);

			if (!TreePathFits(removal->path))
				continue;
			if (removal->shared != NULL && DirectoryIsBelow(removal->directory, removal->shared))
				TreeRemoveShared(removal->shared, removal->id);
			if (DirectoryIsBelow(removal->directory, removal->path))
				(void) rmtree(removal->path, true);
		}
	}
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT)
		removals = NIL;
}

/* Subtransactions of the aborted one have greater ids. */
static void
KeepFiles(SubXactEvent event, SubTransactionId subid, SubTransactionId parent, void *arg)
{
	ListCell   *cell;

	if (event != SUBXACT_EVENT_ABORT_SUB)
		return;
	foreach(cell, removals)
	{
		if (((const Removal *) lfirst(cell))->subid >= subid)
			removals = foreach_delete_current(removals, cell);
	}
}

void
RemoveInit(void)
{
	RegisterXactCallback(RemoveFiles, NULL);
	RegisterSubXactCallback(KeepFiles, NULL);
}
