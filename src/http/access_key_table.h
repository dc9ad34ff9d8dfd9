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

#include "storage/lockdefs.h"
#include "utils/relcache.h"

#include "http/secret.h"

/* The contents of a row. */
typedef struct AccessKeyRow
{
	Oid			role;
	Secret	   *secret;			/* as it is stored: SecretText reads it */
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

/* Removes a key; false if it does not exist. */
extern bool AccessKeyDelete(Relation rel, const char *id);

/*
 * Encrypts the secrets of all keys; returns their number.  The table must be
 * locked against other writers.
 */
extern int64 AccessKeysEncrypt(Relation rel, const SecretKey *key);

/*
 * Removes some keys of dropped roles: those whose ids follow this one,
 * continuing with the first after the last.  Ids are random and each new key
 * calls this function, so that all keys are reached over time.
 */
extern void AccessKeysSweep(Relation rel, const char *id);

#endif							/* DYNAMO_ACCESS_KEY_TABLE_H */
