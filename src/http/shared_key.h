/*
 * shared_key.h
 *	  Access keys that the coordinator of a cluster keeps for its worker nodes.
 *
 * A worker node asks for a key that it does not have: not for its secrets, but for
 * the signing keys that are derived from them for the day and the region of a request.
 * A secret thus never leaves the server that keeps it, and no statement reads one.
 */
#ifndef DYNAMO_SHARED_KEY_H
#define DYNAMO_SHARED_KEY_H

#include "http/access_key.h"

/* A key id, a day and a region, with blanks between them. */
#define SHARED_KEY_NAME_LEN	(ACCESS_KEY_MAX_LEN + 100)

typedef struct SharedKey
{
	char		name[SHARED_KEY_NAME_LEN];	/* the hash key */
	TimestampTz asked_at;
	NameData	role;			/* OIDs differ between the nodes */
	SigningKeys signing_keys;
} SharedKey;

/* The key of a signature, if the coordinator was asked within the last seconds; or NULL. */
extern const SharedKey *SharedKeyKnown(const Signature *signature);

/*
 * Asks the coordinator for the key of a signature.  Returns NULL if this server is
 * no worker node, or there is no such key.  While the coordinator does not answer,
 * returns a key that it has told before; otherwise raises an error after which
 * clients try again, as it does when too many unknown keys are asked for.  Must be
 * called in a transaction.
 */
extern const SharedKey *SharedKeyAsk(const Signature *signature);

#endif							/* DYNAMO_SHARED_KEY_H */
