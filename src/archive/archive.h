/*
 * archive.h
 *	  Exports, imports, backups and restores: jobs that move the items of a
 *	  table to files below the archive directory, and back.
 *
 *	archive_right.c		who may use dynamo.archive_directory
 *	archive_directory.c	converts names of buckets and prefixes to directories
 *	archive_job.c		the table of jobs, dynamo_internal.archive_jobs
 *	archive_launch.c	starts a worker at commit
 *	archive_worker.c	the background worker of one job
 *	archive_execute.c	executes the job in the worker
 *	archive_bulk.c		puts the items of files in many transactions, each with a condition
 *	archive_report.c	the reports of these
 *	archive_filter.c	reads the items of an export with a filter
 *	archive_past.c		copies a table as it was at a time
 *	archive_changes.c	writes what has changed between two times: incremental exports
 *	archive_model.c		reads and writes the entities and copies of a table
 *
 * A request checks its parameters, inserts the row of a job and, for an import
 * or a restore, creates the table.  When its transaction commits, a worker
 * starts and executes the job as the table's owner in one transaction, together
 * with the change of the job's status.  A worker holds a lock by which others
 * see that it is alive: a job without a live worker has failed, whatever its
 * row says.
 */
#ifndef DYNAMO_ARCHIVE_H
#define DYNAMO_ARCHIVE_H

#include "nodes/pg_list.h"

#include "problem.h"
#include "security/owner.h"
#include "store/store.h"

/* ---- archive_right.c ---- */

/*
 * Returns dynamo.archive_directory.  Raises an error if it is not set, or if
 * the user may not use it.
 */
extern char *ArchiveDirectory(void);

/* ---- archive_directory.c ---- */

/* Returns a prefix as the beginning of a path: empty, or with a slash at its end. */
extern const char *PrefixAsPath(const char *prefix);

/* The directory of backups.  No bucket can have this name. */
#define BACKUP_BUCKET	".backups"

/* Returns the prefix of the items of a backup. */
extern char *BackupPrefix(const char *id);

/*
 * Raise ValidationException for an invalid name of a bucket, or for a prefix
 * that could lead out of the bucket: an absolute path, "..", an empty component.
 */
extern void CheckBucket(const char *bucket);
extern void CheckPrefix(const char *prefix);

/*
 * Returns the directory of a prefix, which may be NULL, in a bucket, and
 * creates it.  The bucket must exist, except that of backups.
 */
extern char *PlaceToWrite(const char *directory, const char *bucket, const char *prefix);

/*
 * Whether a path, which begins with that of a directory, is a directory to which no
 * symbolic link below the other one leads.  Raises no error.
 */
extern bool DirectoryIsBelow(const char *directory, const char *path);

/*
 * Returns the directory of a prefix, and the beginning of the names in it that
 * the prefix matches: "a/b" matches a/b.json and a/b/c.json.  Returns NULL if
 * the directory does not exist; the bucket must exist.
 */
extern char *PlaceToRead(const char *directory, const char *bucket, const char *prefix,
						 char **rest);

/* ---- archive_job.c ---- */

#define JOB_EXPORT		"export"
#define JOB_IMPORT		"import"
#define JOB_BACKUP		"backup"
#define JOB_RESTORE		"restore"
#define JOB_BULK		"bulk-operation"

/* The members are columns; strings may be NULL, times are microseconds since 1970. */
typedef struct Job
{
	char	   *id;				/* of an ARN */
	char	   *kind;
	char	   *status;			/* JOB_QUEUED and so on */
	char	   *owner;			/* name of the role that may see it, when the row was written */
	int64		owner_role;		/* its OID; 0 if only superusers may see the job */
	int64		owner_server;	/* the server whose OID that is */
	int64		relation;		/* OID of the table */
	int64		source;			/* OID of the table whose past is restored; 0 for restores of backups */
	int64		moment;			/* as of which; 0: as it is when the worker reads it */
	int64		since;			/* of an export of the changes from then until the moment; otherwise 0 */
	char	   *images;			/* of such an export: IMAGES_NEW or IMAGES_BOTH */
	char	   *table_name;
	char	   *table_id;
	char	   *table_arn;
	char	   *arn;
	char	   *parameters;		/* JSON of the request */
	char	   *details;		/* JSON that describes the table of a backup */
	char	   *model;			/* of a backup; see archive_model.h */
	char	   *token;			/* ClientToken */
	char	   *directory;
	char	   *bucket;
	char	   *prefix;
	char	   *format;			/* CSV or DYNAMODB_JSON */
	char	   *compression;	/* GZIP, ZSTD or NONE */
	char	   *delimiter;		/* of CSV */
	char	   *header;			/* of CSV: names, each followed by a newline */
	int64		expected;		/* items of a backup being restored */
	int64		started;
	int64		ended;
	int64		items;			/* exported or imported */
	int64		processed;		/* items of the input */
	int64		errors;
	int64		bytes;
	char	   *failure_code;
	char	   *failure_message;

	char	   *filter;			/* JSON of the FilterSpecification of an export; NULL if there is none */

	/* of a bulk operation */
	char	   *output_bucket;
	char	   *output_prefix;
	char	   *outputs;		/* categories of reports, each followed by a comma */
	int64		units;			/* write units in a second; 0: no limit */
	char	   *file;			/* the last one from which lines were taken, or NULL */
	int64		line;			/* how many lines of it; PG_INT64_MAX: all */
	int64		put_bytes;		/* of items that were put */
	int64		error_bytes;	/* what the reports have so far */
	int64		condition_bytes;

	/* of a restore or a bulk operation */
	int64		attempts;		/* workers that have begun it, since it has last made progress */
} Job;

/* What the lines of an incremental export have of an item. */
#define IMAGES_NEW		"NEW_IMAGE"
#define IMAGES_BOTH		"NEW_AND_OLD_IMAGES"

#define JOB_QUEUED		"queued"
#define JOB_RUNNING		"running"
#define JOB_COMPLETED	"completed"
#define JOB_FAILED		"failed"
#define JOB_CANCELLING	"cancelling"	/* only bulk operations, as the next one */
#define JOB_CANCELLED	"cancelled"

/* Makes a role the owner of a new job. */
extern void JobSetOwner(Job *job, Oid role);

/* Returns the role that owns a job; InvalidOid if there is none any more. */
extern Oid	JobOwner(const Job *job);

/* Returns the number of unfinished jobs of a role, or of all roles for InvalidOid. */
extern int	JobsInProgress(Oid role);

extern bool JobHasStatus(const Job *job, const char *status);

/* Whether it has not ended. */
extern bool JobIsUnfinished(const Job *job);

extern void JobInsert(const Job *job);

/* Writes the status, the end, the counts and the failure of a job. */
extern void JobUpdate(const Job *job);

/* Writes how far an unfinished bulk operation is; its status remains. */
extern void JobProgress(const Job *job);

/* Lets the worker of an unfinished bulk operation end it. */
extern void JobCancel(const char *id);

extern void JobDelete(const char *id);

/*
 * Records the failure of exports, imports and backups of this server whose worker was
 * lost, by a crash, and removes the files of exports and backups at the commit.
 */
extern void JobsEndLost(void);

/* Returns a job as it is stored, whoever owns it; NULL if there is none. */
extern Job *JobRead(const char *id);

/*
 * These return only jobs that the user may see; one that lost its worker has
 * failed.  NULL if there is none.
 */
extern Job *JobFind(const char *kind, const char *id);
extern Job *JobFindByToken(const char *kind, const char *token);

/* All jobs of a kind, of one table if the name is not NULL, the last ones first. */
extern List *JobList(const char *kind, const char *table_name);

/*
 * The unfinished job that loads a table, whoever owns it; NULL if there is none.
 * A restore is returned even if it has lost its worker, but only for a table that awaits
 * one (archive_model.h).
 */
extern Job *JobThatLoads(const TableDef *def);

/* Whether a restore of this backup is running. */
extern bool BackupIsBeingRestored(const char *id);

/* ---- archive_launch.c ---- */

/* Locks a job until the end of this process; false if another process has the lock. */
extern bool JobLockTake(const char *id);
extern bool JobIsAlive(const char *id);

/*
 * Whether a stored job may start a worker now: notes that the limits of a role or of
 * all are reached, or raises it if problem is NULL.  A queued job counts itself.
 */
extern bool JobHasRoom(const Job *job, Problem *problem);

/*
 * Starts the worker of a stored job when the transaction commits.  Raises
 * LimitExceededException if too many jobs are in progress.
 */
extern void JobLaunchAtCommit(const Job *job);

/* Registers what happens at the end of a transaction. */
extern void JobLaunchInit(void);

/* ---- archive_execute.c ---- */

/* Executes a job in the current transaction and fills in its results. */
extern void JobExecute(Job *job);

/*
 * Opens the table of a job as its owner, who must have the rights of the job's owner,
 * and closes it.
 */
extern void JobEnterTable(const Job *job, OwnerScope *scope, Store *store, AclMode access);
extern void JobLeaveTable(OwnerScope *scope, Store *store);

/* Whether the worker of a bulk operation was lost, which then goes on in another one. */
extern bool JobHasLostWorker(const Job *job);

#endif							/* DYNAMO_ARCHIVE_H */
