/*
 * housekeeping_task.h
 *	  What the housekeeping worker has to do, and what it remembers of it.
 */
#ifndef DYNAMO_HOUSEKEEPING_TASK_H
#define DYNAMO_HOUSEKEEPING_TASK_H

#include "utils/hsearch.h"

#include "op/expire.h"

typedef struct Task
{
	Oid			relid;			/* of a table or a stream's table; the hash key */
	Oid			owner;
	bool		stream;			/* to be trimmed; or a table with expired items */
	bool		listed;			/* there when the tasks were read last */
	bool		done;			/* nothing is left to do for now */
	Expiry		expiry;
	TimestampTz whole_pass;		/* when the last one ended */
	TimestampTz rest_until;		/* nothing but failures: leave it alone so long */
	int			rest_seconds;
} Task;

/*
 * Reads what there is to do now; what is remembered of tables that are still
 * there remains.  In a transaction, with a snapshot, as a superuser.
 */
extern void TasksRead(HTAB *tasks);

/* Forgets all tasks. */
extern void TasksForget(HTAB *tasks);

/* Tasks by relation. */
extern HTAB *TasksCreate(void);

/* All of them; palloc'd in TopMemoryContext, valid until tasks are read again. */
extern Task **TasksList(HTAB *tasks, int *n);

/*
 * Does a part of a task in the current transaction, as the relation's owner.
 * Returns how many items or records it deleted.
 */
extern int64 TaskRun(Task *task);

/* Whether there is something to do now that has not been done. */
extern bool TaskIsDue(const Task *task);

/* Its transaction was rolled back; whether the error is to be logged. */
extern bool TaskAborted(Task *task, bool cancelled);

#endif							/* DYNAMO_HOUSEKEEPING_TASK_H */
