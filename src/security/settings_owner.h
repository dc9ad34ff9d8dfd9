/*
 * settings_owner.h
 *	  Executes statements on the extension's own tables, as their owner.
 *
 * The tables belong to the extension's owner, and ordinary users cannot write
 * them.  The extension writes them for users by fixed statements.
 */
#ifndef DYNAMO_SECURITY_SETTINGS_OWNER_H
#define DYNAMO_SECURITY_SETTINGS_OWNER_H

#include "exported.h"

/* The time between PostgreSQL's epoch and the Unix epoch. */
#define EPOCH_SHIFT ((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY)

/* Returns the OID of one of these tables; InvalidOid if it is missing. */
extern DYNAMO_EXPORT Oid	OwnTableOid(const char *name);

/* The current time in the unit of requests: microseconds since 1970. */
extern DYNAMO_EXPORT int64 SettingsTime(void);

/*
 * Executes a statement as the owner of the extension's own tables, through
 * SPI, which must be connected.  All names in it must be qualified, so that it
 * does not depend on search_path.
 */
extern DYNAMO_EXPORT void ExecuteAsSettingsOwner(const char *sql, int n, Oid *types,
								   Datum *values, const char *nulls);

/*
 * The same with a snapshot that sees all committed rows in every isolation
 * level, for data that other sessions have written and that are not part of
 * what a transaction reads.
 */
extern DYNAMO_EXPORT void ExecuteLatestAsSettingsOwner(const char *sql, int n, Oid *types,
										 Datum *values, const char *nulls);

#endif							/* DYNAMO_SECURITY_SETTINGS_OWNER_H */
