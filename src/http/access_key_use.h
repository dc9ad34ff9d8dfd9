/*
 * access_key_use.h
 *	  When previous secrets of access keys were last used.
 *
 * This is kept in shared memory, for as long as the server runs: standbys
 * serve requests, too, and cannot write it to a table.
 */
#ifndef DYNAMO_ACCESS_KEY_USE_H
#define DYNAMO_ACCESS_KEY_USE_H

#include "datatype/timestamp.h"

/* Finds shared memory, while AddinShmemInitLock is held. */
extern void AccessKeyUseAttach(void);

/*
 * Notes that a request was signed with the previous secret of an access key.
 * Only the few hundred keys with the latest uses are remembered.
 */
extern void AccessKeyUseNote(const char *id, TimestampTz now);

#endif							/* DYNAMO_ACCESS_KEY_USE_H */
