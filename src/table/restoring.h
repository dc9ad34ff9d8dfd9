/*
 * restoring.h
 *	  Whether rows or statements come from a dump.
 */
#ifndef DYNAMO_TABLE_RESTORING_H
#define DYNAMO_TABLE_RESTORING_H

#include "utils/relcache.h"

#include "exported.h"

/*
 * Whether the session has the fixed settings of pg_dump's output that no option of pg_dump
 * changes.  Sessions of users have check_function_bodies off, too, but not without a
 * search path.
 */
extern bool IsDumpScript(void);

/*
 * Whether the session inserts rows from a dump into a table: it has the fixed
 * settings of pg_dump's output and the rights of the table's owner.
 */
extern bool IsRestoring(Relation rel);

/*
 * Mark what the extension writes because of rows from a dump, such as the total of
 * a restored parent.  It runs with other settings, in which IsRestoring does not tell.
 * The first returns what the second sets again.
 */
extern Oid	RestoredRowsBegin(Relation rel);
extern void RestoredRowsEnd(Oid outer);

/* Whether such a write to this table is in progress. */
extern bool IsWriteOfRestored(Relation rel);

/*
 * Marks the table whose rows this process stores as another one had them; InvalidOid: none.
 * An index leaves out those items that it would refuse in a new item, as it did there.
 */
extern DYNAMO_EXPORT void SetStoredAgain(Oid relid);
extern DYNAMO_EXPORT bool IsStoredAgain(Oid relid);

#endif							/* DYNAMO_TABLE_RESTORING_H */
