/*
 * access_key_table.h
 *	  The table of access keys, dynamo_internal.access_key_secrets.
 *
 * A row is the right to act as a role.  Rows are therefore only written by the
 * functions here, below SQL; a trigger refuses all writes of statements, for
 * every user and privilege.  Secrets have a type that SQL cannot read
 * (secret.h).  The other columns are not secret.  Roles are stored as OIDs, so
 * that a subscription to all tables can read a row before the trigger discards
 * it, although the OIDs mean nothing on its server.
 */
#ifndef DYNAMO_ACCESS_KEY_TABLE_H
#define DYNAMO_ACCESS_KEY_TABLE_H

#include "access/htup.h"
#include "datatype/timestamp.h"
#include "storage/lockdefs.h"
#include "utils/relcache.h"

#include "http/secret.h"

/* The contents of a row.  SecretText reads the secrets. */
typedef struct AccessKeyRow
{
	HeapTuple	tuple;			/* a copy, of which the secrets are parts */
	Oid			role;
	Secret	   *secret;
	Secret	   *previous;		/* NULL if none is accepted any more */
	TimestampTz previous_until; /* if there is one */
} AccessKeyRow;

/*
 * Opens and locks the table for writing; NULL if the extension does not exist.
 * Close with table_close.
 */
extern Relation AccessKeyTableOpen(LOCKMODE lock);

/*
 * Opens the table for reading with AccessShareLock, without waiting: users who
 * may write all tables may also lock them, and a worker must serve other
 * requests.  Raises ERRCODE_OBJECT_IN_USE.
 */
extern Relation AccessKeyTableOpenNow(void);

/* Whether the extension exists, according to the catalogs. */
extern bool AccessKeyTableExists(void);

/* Reads a key that is committed or was written by this transaction. */
extern bool AccessKeyRead(Relation rel, const char *id, AccessKeyRow *row);

/*
 * Adds a key, with its secret encrypted if that is configured; false if a key
 * with this id exists.
 */
extern bool AccessKeyInsert(Relation rel, const char *id, const char *secret, Oid role);

/*
 * Reads a key like AccessKeyRead and locks it against changes by others, for
 * the functions below.
 */
extern bool AccessKeyLock(Relation rel, const char *id, AccessKeyRow *row);

extern void AccessKeyDelete(Relation rel, const AccessKeyRow *row);

/*
 * Gives a key another secret, encrypted if that is configured.  The secret it
 * had is accepted until a time, which may have passed.
 */
extern void AccessKeyRotate(Relation rel, const AccessKeyRow *row, const char *id,
							const char *secret, TimestampTz previous_until);

extern void AccessKeyDropPrevious(Relation rel, const AccessKeyRow *row);

/*
 * Encrypts the secrets of all keys, and removes previous ones whose time has
 * passed; returns the number of keys.  The table must be locked against other
 * writers.
 */
extern int64 AccessKeysEncrypt(Relation rel, const SecretKey *key);

/*
 * Removes some keys of dropped roles: those whose ids follow this one,
 * continuing with the first after the last.  Ids are random and each new key
 * calls this function, so that all keys are reached over time.
 */
extern void AccessKeysSweep(Relation rel, const char *id);

#endif							/* DYNAMO_ACCESS_KEY_TABLE_H */
