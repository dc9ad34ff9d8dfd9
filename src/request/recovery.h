/*
 * recovery.h
 *	  Point-in-time recovery of a table: to which times it can be restored.
 *
 * A table that has it enabled has a stream with old images, with which its past is
 * found from its present (archive/archive_past.h).  If the table has no stream of its
 * own, one is started that requests do not show.
 */
#ifndef DYNAMO_RECOVERY_H
#define DYNAMO_RECOVERY_H

#include "request/description.h"

/* The times (microseconds since 1970) to which a table can be restored now. */
typedef struct RecoveryWindow
{
	int64		earliest;
	int64		latest;
	bool		recorded;		/* otherwise only to what it is: earliest is latest */
} RecoveryWindow;

extern RecoveryWindow RecoveryWindowOf(const OpenedTable *table);

/* Raises PointInTimeRecoveryUnavailableException unless it is enabled. */
extern void CheckRecovery(const OpenedTable *table);

/* Whether requests do not show the open stream of a table. */
extern bool RecoveryHidesStream(const OpenedTable *table);

/*
 * Enables or disables the stream that requests show, as UpdateTable asks for it by a
 * StreamSpecification.  The table of this name is not open.
 */
extern void RecoveryChangeStream(const char *name, const Field *stream);

#endif							/* DYNAMO_RECOVERY_H */
