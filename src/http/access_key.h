/*
 * access_key.h
 *	  Access keys: credentials of the AWS SDKs, each of which belongs to a
 *	  role.
 */
#ifndef DYNAMO_ACCESS_KEY_H
#define DYNAMO_ACCESS_KEY_H

#include "http/sigv4.h"
#include "worker/identity.h"

#define ACCESS_KEY_MAX_LEN	128
#define ACCESS_KEY_SCOPE_LEN	80	/* of a date and a region */

/* An access key in the cache of a worker. */
typedef struct AccessKey AccessKey;

/*
 * Returns the access key with this id.  Returns NULL, and the reason for the
 * log, if it does not exist or its role may not be assumed (identity.h).  Must
 * be called in a transaction; valid until the next call.
 */
extern AccessKey *AccessKeyFind(Slice id, const char **problem);

/* The role of the key. */
extern const Identity *AccessKeyIdentity(const AccessKey *key);

/*
 * Derives the signing keys for a date and a region: of its secret and, while
 * that is accepted, of the previous one.
 */
extern SigningKeys *AccessKeySigningKeys(AccessKey *key, Slice date, Slice region);

/* Notes by which of the signing keys a request was signed. */
extern void AccessKeyNoteUse(AccessKey *key, int which);

/*
 * Returns the role with this name from the same cache, for requests without a
 * key.  Returns NULL, and the reason, if it may not be assumed.
 */
extern const Identity *RoleIdentity(const char *role, const char **problem);

/* Discards cached keys and roles. */
extern void AccessKeysReload(void);

#endif							/* DYNAMO_ACCESS_KEY_H */
