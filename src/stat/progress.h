/*
 * progress.h
 *	  Progress of long work, for the view dynamo.stat_progress.
 *
 * PostgreSQL reports the progress of its own commands only.  This work is
 * reported like COPY, as imports and exports are, in parameters that COPY does
 * not use.  The end of the transaction or subtransaction by an error ends a
 * report.
 */
#ifndef DYNAMO_STAT_PROGRESS_H
#define DYNAMO_STAT_PROGRESS_H

#include "exported.h"

/* As the view names them, in this order. */
typedef enum ProgressCommand
{
	PROGRESS_IMPORT = 1,
	PROGRESS_EXPORT,
	PROGRESS_FILL,				/* columns or an index table, in place */
	PROGRESS_VERIFY_INDEX,
	PROGRESS_CHECK_COPIES,
	PROGRESS_CHECK_ENTITY,
	PROGRESS_APPLY_ENTITY,
	PROGRESS_EXPIRE,
	PROGRESS_TRIM_STREAM
} ProgressCommand;

/* The parameters with the command, and with the estimated number of rows. */
#define PROGRESS_PARAM_COMMAND		15
#define PROGRESS_PARAM_ROWS_TOTAL	16

/* Begins a report.  rows: to be done; not positive if unknown. */
extern DYNAMO_EXPORT void ProgressBegin(ProgressCommand command, Oid relation, double rows);

/* One more row is done. */
extern void ProgressRow(void);

extern void ProgressEnd(void);

#endif							/* DYNAMO_STAT_PROGRESS_H */
