/*
 * access_key.h
 *	  Access keys: credentials of the AWS SDKs, each for a role.
 */
#ifndef DYNAMO_ACCESS_KEY_H
#define DYNAMO_ACCESS_KEY_H

#include "http/identity.h"
#include "http/sigv4.h"

#define ACCESS_KEY_TABLE	"access_key_secrets"
#define ACCESS_KEY_MAX_LEN	128

/* An access key in the cache of a worker. */
typedef struct AccessKey AccessKey;

/*
 * The access key of this id, in a transaction; NULL if there is none.  Raises
 * an error if its role cannot be assumed (identity.h).  Valid until the next
 * call.
 */
extern AccessKey *AccessKeyFind(Slice id);

/* The role the key stands for. */
extern const Identity *AccessKeyIdentity(const AccessKey *key);

/* The key that signs on this date for this region, SIGV4_KEY_LEN bytes. */
extern const uint8 *AccessKeySigningKey(AccessKey *key, Slice date, Slice region);

/* The role of this name, from the same cache: for requests without a key. */
extern const Identity *RoleIdentity(const char *role);

/* What has been read of keys and roles is read again. */
extern void AccessKeysReload(void);

#endif							/* DYNAMO_ACCESS_KEY_H */
