/*
 * housekeeping_task.h
 *	  The tasks of the housekeeping worker, and their state.
 */
#ifndef DYNAMO_HOUSEKEEPING_TASK_H
#define DYNAMO_HOUSEKEEPING_TASK_H

#include "utils/hsearch.h"

#include "op/expire.h"
#include "worker/permanent.h"

typedef struct Task
{
	Oid			relid;			/* table or stream's table; hash key */
	Oid			owner;
	bool		stream;			/* stream to be trimmed, or table with expired items */
	bool		listed;			/* existed when the tasks were last read */
	bool		done;			/* nothing more to do at the moment */
	Expiry		expiry;
	TimestampTz whole_pass;		/* end of the last complete pass */
	TableRest	rest;			/* after a batch of failures only, or the end of a worker */
} Task;

/*
 * Reads the current tasks and keeps the state of tables that still exist.
 * Must be called in a transaction with a snapshot, as a superuser.
 */
extern void TasksRead(HTAB *tasks);

/* Forgets all tasks. */
extern void TasksForget(HTAB *tasks);

/* Tasks by relation. */
extern HTAB *TasksCreate(void);

/*
 * All tasks; palloc'd in TopMemoryContext, valid until tasks are read again.
 */
extern Task **TasksList(HTAB *tasks, int *n);

/*
 * Executes part of a task in the current transaction as the relation's owner.
 * Returns the number of deleted items or records.
 */
extern int64 TaskRun(Task *task);

/* Whether a task is due that has not been done. */
extern bool TaskIsDue(const Task *task);

/*
 * Called after the rollback of a task's transaction; returns whether the error
 * is to be logged.
 */
extern bool TaskAborted(Task *task, bool cancelled);

#endif							/* DYNAMO_HOUSEKEEPING_TASK_H */
