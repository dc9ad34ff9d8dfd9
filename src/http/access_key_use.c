/*
 * access_key_use.c
 *	  When previous secrets of access keys were last used.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "http/access_key_use.h"
#include "worker/endpoint.h"

#define MAX_USES	256

/* Free ones have the time zero. */
typedef struct Use
{
	uint64		key;			/* hash of the access key's id, in this database */
	TimestampTz at;
} Use;

typedef struct Uses
{
	LWLock	   *lock;
	Use			uses[MAX_USES];
} Uses;

static Uses *shared;

void
AccessKeyUseAttach(void)
{
	bool		found;

	shared = ShmemInitStruct(ENDPOINT_KEY_LOCK, sizeof(Uses), &found);
	if (!found)
	{
		memset(shared, 0, sizeof(Uses));
		shared->lock = &GetNamedLWLockTranche(ENDPOINT_KEY_LOCK)->lock;
	}
}

static uint64
KeyOfId(const char *id)
{
	return hash_bytes_extended((const unsigned char *) id, (int) strlen(id), MyDatabaseId);
}

/* Returns the entry of a key; if it has none, the least recently used entry. */
static Use *
FindUse(uint64 key)
{
	Use		   *oldest = &shared->uses[0];

	for (int i = 0; i < MAX_USES; i++)
	{
		Use		   *use = &shared->uses[i];

		if (use->key == key && use->at != 0)
			return use;
		if (use->at < oldest->at)
			oldest = use;
	}
	return oldest;
}

void
AccessKeyUseNote(const char *id, TimestampTz now)
{
	uint64		key = KeyOfId(id);

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	*FindUse(key) = (Use) {key, now};
	LWLockRelease(shared->lock);
}

/* Returns zero if the key is not among the remembered ones. */
static TimestampTz
FindLastUse(const char *id)
{
	uint64		key = KeyOfId(id);
	Use			use;

	LWLockAcquire(shared->lock, LW_SHARED);
	use = *FindUse(key);
	LWLockRelease(shared->lock);
	return use.key == key ? use.at : 0;
}

/* previous_secret_used_at(access_key_id text, since timestamptz) returns timestamptz */
DYNAMO_FUNCTION(dynamo_previous_secret_used_at);
Datum
dynamo_previous_secret_used_at(PG_FUNCTION_ARGS)
{
	TimestampTz at = shared != NULL ? FindLastUse(text_to_cstring(PG_GETARG_TEXT_PP(0))) : 0;

	if (at == 0 || at <= PG_GETARG_TIMESTAMPTZ(1))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(at);
}
