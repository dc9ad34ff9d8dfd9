/*
 * job_request.h
 *	  What the requests of exports, imports, backups and restores share.
 */
#ifndef DYNAMO_JOB_REQUEST_H
#define DYNAMO_JOB_REQUEST_H

#include "archive/archive.h"
#include "request/description.h"
#include "request/operation.h"

/* The id in an ARN of this kind ("export" and so on); NULL if it is none. */
extern char *JobIdOfArn(const char *arn, const char *kind);

/*
 * Returns a queued job on a table for a request, with all members that do not
 * depend on its kind.  Raises an error if the user may not use the archive
 * directory or is not the owner of the table.
 */
extern Job *JobOfRequest(const Request *request, const char *kind, const OpenedTable *table);

/* The same for a job without files, which needs no right to the archive directory. */
extern Job *JobWithoutFiles(const Request *request, const char *kind, const OpenedTable *table);

/* Raises an error unless the user owns a table. */
extern void CheckJobOwner(const OpenedTable *table);

/* Stores a job, and starts it at commit. */
extern void JobStart(const Job *job);

/* The input of the request that began a job. */
extern Field *JobInput(const Job *job, const Shape *shape);

/* Whether this request has the same input. */
extern bool JobHasInput(const Job *job, const Request *request);

/* "IN_PROGRESS", "COMPLETED" or "FAILED". */
extern const char *JobStatusName(const Job *job);

/* Writes FailureCode and FailureMessage, if the job has failed. */
extern void WriterFailure(Writer *out, const Job *job);

/*
 * Sets the bucket of a job and its prefix, which has this name in the structure.
 * Raises an error if they are invalid or belong to another account.
 */
extern void JobSetPlace(Job *job, const Field *structure, const char *prefix);

/* Sets the ClientToken of a job, or a new one if none is given. */
extern void JobSetToken(Job *job, const Field *input);

/* Members of a structure that are copied to the answer as they are. */
extern void WriterGivenMember(Writer *out, const Field *structure, const char *name);

/*
 * Writes a list of jobs, each by a function, and NextToken if the page does not
 * have them all.
 */
typedef struct JobPage
{
	const char *kind;
	const char *limit;			/* name of the member with the page's size */
	const char *list;			/* name of the member with the jobs */
	void		(*write) (Writer *out, const Job *job);
} JobPage;

extern void ListJobs(Request *request, const JobPage *page);

#endif							/* DYNAMO_JOB_REQUEST_H */
