/*
 * access_key_table.h
 *	  The table of access keys, dynamo.access_key_secrets.
 *
 * A row is the right to act as a role, so rows are written by the functions
 * here alone, below SQL: a trigger refuses what any statement writes, whoever
 * executes it and whatever privileges they have.  Secrets are of a type that
 * SQL cannot read (secret.h).  The rest of a row is no secret; roles are
 * OIDs, so that a subscription to all tables, on whose server they mean
 * nothing, can read a row before the trigger throws it away.
 */
#ifndef DYNAMO_ACCESS_KEY_TABLE_H
#define DYNAMO_ACCESS_KEY_TABLE_H

#include "utils/relcache.h"

/* What a row says. */
typedef struct AccessKeyRow
{
	Oid			role;
	char	   *secret;			/* NULL: none */
} AccessKeyRow;

/*
 * Opens and locks the table, to be written; NULL if the extension is not there.
 * To be closed by table_close.
 */
extern Relation AccessKeyTableOpen(void);

/*
 * The same to read it, AccessShareLock, and without waiting: who may write all
 * tables may also lock them, and a worker has others to serve.  Raises
 * ERRCODE_OBJECT_IN_USE.
 */
extern Relation AccessKeyTableOpenNow(void);

/* Whether the extension is there, by a look at the catalogs alone. */
extern bool AccessKeyTableExists(void);

/* Reads a key, as it is committed or written by this transaction. */
extern bool AccessKeyRead(Relation rel, const char *id, AccessKeyRow *row);

/* Adds a key; false if there is one of that id. */
extern bool AccessKeyInsert(Relation rel, const char *id, const char *secret, Oid role);

/* Removes a key; false if it is gone. */
extern bool AccessKeyDelete(Relation rel, const char *id);

/*
 * Removes keys whose roles have been dropped, among those whose ids come after
 * this one, and after the last the first: some of them, since ids are random
 * and this is called with each new one.
 */
extern void AccessKeysSweep(Relation rel, const char *id);

#endif							/* DYNAMO_ACCESS_KEY_TABLE_H */
