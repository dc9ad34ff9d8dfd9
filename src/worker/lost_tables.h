/*
 * lost_tables.h
 *	  Tables whose work has ended the housekeeping worker, in shared memory.
 *
 * Code of a table's owner can go on after it was canceled, until the worker ends
 * (permanent.h).  The next worker leaves the table alone for some time, so that it reaches the
 * other tables.
 */
#ifndef DYNAMO_LOST_TABLES_H
#define DYNAMO_LOST_TABLES_H

#include "datatype/timestamp.h"

/* Requests shared memory; called in the postmaster. */
extern void LostTablesInit(void);

/* Notes and logs the table whose work has ended the last worker; called when a worker starts. */
extern void LostTablesNote(void);

/* Returns until when a table is left alone; 0 if its work has not ended a worker. */
extern TimestampTz LostTableRestsUntil(Oid relid);

/* Note that the work of a table begins and ends. */
extern void LostTableBegin(Oid relid);
extern void LostTableEnd(void);

#endif							/* DYNAMO_LOST_TABLES_H */
