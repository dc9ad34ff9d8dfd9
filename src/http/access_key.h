/*
 * access_key.h
 *	  Access keys: credentials of the AWS SDKs, each for a role.
 */
#ifndef DYNAMO_ACCESS_KEY_H
#define DYNAMO_ACCESS_KEY_H

#include "http/identity.h"
#include "http/sigv4.h"

#define ACCESS_KEY_MAX_LEN	128

/* An access key in the cache of a worker. */
typedef struct AccessKey AccessKey;

/*
 * The access key of this id, in a transaction; NULL if it does not exist or
 * its role may not be assumed (identity.h), and what a log says of the key.
 * Valid until the next call.
 */
extern AccessKey *AccessKeyFind(Slice id, const char **problem);

/* The role the key stands for. */
extern const Identity *AccessKeyIdentity(const AccessKey *key);

/* The key that signs on this date for this region, SIGV4_KEY_LEN bytes. */
extern const uint8 *AccessKeySigningKey(AccessKey *key, Slice date, Slice region);

/*
 * The role of this name, from the same cache: for requests without a key.
 * NULL if it may not be assumed, and what is to be said of it.
 */
extern const Identity *RoleIdentity(const char *role, const char **problem);

/* What has been read of keys and roles is read again. */
extern void AccessKeysReload(void);

#endif							/* DYNAMO_ACCESS_KEY_H */
