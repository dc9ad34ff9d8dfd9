/*
 * access_key.c
 *	  The access keys cached by a worker.
 *
 * An entry is read again when its role, the database or the table of keys has
 * changed, which PostgreSQL reports.  Changed settings of roles are not
 * reported, so that they are read again after some seconds.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "utils/acl.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "http/access_key.h"
#include "http/access_key_table.h"
#include "http/access_key_use.h"
#include "http/role.h"
#include "table/relation_change.h"

#define MAX_ENTRIES		1000
#define MAX_AGE_MS		5000
#define SCOPE_LEN		ACCESS_KEY_SCOPE_LEN

/* Roles without a key are cached, too, under a name that no key can have. */
#define ROLE_PREFIX		"role "
#define ENTRY_NAME_LEN	(ACCESS_KEY_MAX_LEN + 1)

/* The minimum time between notes of the use of a previous secret. */
#define NOTE_USE_MS		1000

/* The positions of the secrets of a key, and of its signing keys. */
enum
{
	CURRENT,
	PREVIOUS
};

typedef struct KeySecrets
{
	char	   *texts[SIGV4_MAX_KEYS];	/* NULL: there is none */
	TimestampTz previous_until; /* the previous one is not accepted then */
} KeySecrets;

struct AccessKey
{
	char		name[ENTRY_NAME_LEN];	/* the hash key */
	MemoryContext context;		/* of what follows; NULL: not read */
	uint64		generation;
	TimestampTz read_at;
	Identity	identity;
	KeySecrets	secrets;
	TimestampTz used_at;		/* when a use of the previous one was noted */

	/* the last derived signing keys, and their day and region */
	char		scope[SCOPE_LEN];
	uint32		scope_len;
	SigningKeys signing_keys;
};

static HTAB *entries;

/* Incremented when what was read may have changed. */
static uint64 generation;
static Oid	key_table;

/* ---- invalidation ---- */

static void
CatalogChanged(Datum arg, int cache, uint32 hash)
{
	generation++;
}

static void
KeyTableChanged(Oid relid)
{
	if (relid == InvalidOid || relid == key_table)
		generation++;
}

void
AccessKeysReload(void)
{
	generation++;
}

static void
InitAccessKeys(void)
{
	HASHCTL		ctl = {0};

	if (entries == NULL)
	{
		CacheRegisterSyscacheCallback(AUTHOID, CatalogChanged, (Datum) 0);
		CacheRegisterSyscacheCallback(DATABASEOID, CatalogChanged, (Datum) 0);
		OnRelationChange(KeyTableChanged);
	}
	ctl.keysize = ENTRY_NAME_LEN;
	ctl.entrysize = sizeof(AccessKey);
	entries = hash_create("dynamo access keys", 64, &ctl, HASH_ELEM | HASH_STRINGS);
}

/* ---- entries ---- */

static void
ForgetEntry(AccessKey *entry)
{
	if (entry->context != NULL)
		MemoryContextDelete(entry->context);
	explicit_bzero(&entry->signing_keys, sizeof(entry->signing_keys));
	hash_search(entries, entry->name, HASH_REMOVE, NULL);
}

static void
ForgetAll(void)
{
	HASH_SEQ_STATUS status;
	AccessKey  *entry;

	hash_seq_init(&status, entries);
	while ((entry = hash_seq_search(&status)) != NULL)
		ForgetEntry(entry);
}

/* Creates a context for what is read; it is freed with the request if reading fails. */
static MemoryContext
MakeContext(void)
{
	return AllocSetContextCreate(CurrentMemoryContext, "dynamo access key",
								 ALLOCSET_SMALL_SIZES);
}

/* Moves what was read, which is in context, into an entry. */
static void
FillEntry(AccessKey *entry, MemoryContext context, const Identity *identity,
		  const KeySecrets *secrets)
{
	entry->identity = *identity;
	entry->secrets = *secrets;
	entry->read_at = GetCurrentStatementStartTimestamp();
	MemoryContextSetParent(context, TopMemoryContext);
	entry->context = context;
}

/* Copies secrets into the current memory context. */
static KeySecrets
CopySecrets(const KeySecrets *secrets)
{
	KeySecrets	copy = *secrets;

	for (int i = 0; i < SIGV4_MAX_KEYS; i++)
	{
		if (copy.texts[i] != NULL)
			copy.texts[i] = pstrdup(copy.texts[i]);
	}
	return copy;
}

/* Reads the role again if it was read long ago; returns false if it may not be assumed. */
static bool
RenewEntry(AccessKey *entry)
{
	MemoryContext context;
	MemoryContext old;
	Identity	identity;
	KeySecrets	secrets;
	const char *problem;

	if (!TimestampDifferenceExceeds(entry->read_at, GetCurrentStatementStartTimestamp(), MAX_AGE_MS))
		return true;
	context = MakeContext();
	old = MemoryContextSwitchTo(context);
	problem = RoleRead(&identity, entry->identity.role);
	secrets = CopySecrets(&entry->secrets);
	MemoryContextSwitchTo(old);
	if (problem != NULL)
		return false;
	MemoryContextDelete(entry->context);
	FillEntry(entry, context, &identity, &secrets);
	return true;
}

/* Returns the valid entry with this name, or NULL; removes an entry that is not valid. */
static AccessKey *
FindAccessKey(const char *name)
{
	AccessKey  *entry;

	if (entries == NULL)
		InitAccessKeys();
	entry = hash_search(entries, name, HASH_FIND, NULL);
	if (entry == NULL || (entry->generation == generation && RenewEntry(entry)))
		return entry;
	ForgetEntry(entry);
	return NULL;
}

/* Adds an entry with what was read, which is in context. */
static AccessKey *
AddAccessKey(const char *name, MemoryContext context, const Identity *identity,
			 const KeySecrets *secrets, uint64 generation_before)
{
	AccessKey  *entry;

	if (hash_get_num_entries(entries) >= MAX_ENTRIES)
		ForgetAll();
	entry = hash_search(entries, name, HASH_ENTER, NULL);
	MemSet((char *) entry + ENTRY_NAME_LEN, 0, sizeof(AccessKey) - ENTRY_NAME_LEN);
	entry->generation = generation_before;
	FillEntry(entry, context, identity, secrets);
	return entry;
}

/* ---- reading ---- */

static void
ReadSecrets(const AccessKeyRow *row, const char *id, KeySecrets *secrets)
{
	secrets->texts[CURRENT] = SecretText(row->secret, id);
	secrets->texts[PREVIOUS] = row->previous != NULL ? SecretText(row->previous, id) : NULL;
	secrets->previous_until = row->previous_until;
}

/*
 * Reads a key and its role into the current memory context.  Returns NULL, or
 * what is wrong with the key.
 */
static const char *
ReadAccessKey(const char *id, Identity *identity, KeySecrets *secrets)
{
	Relation	rel = AccessKeyTableOpenNow();
	AccessKeyRow row;
	bool		found;
	const char *problem;

	if (rel == NULL)
		return "does not exist";
	key_table = RelationGetRelid(rel);
	found = AccessKeyRead(rel, id, &row);
	table_close(rel, AccessShareLock);
	if (!found)
		return "does not exist";
	ReadSecrets(&row, id, secrets);
	if (secrets->texts[CURRENT] == NULL)
		return "has no secret";
	problem = RoleRead(identity, row.role);
	return problem == NULL ? NULL : psprintf("is for role %u, which %s", row.role, problem);
}

/* Whether a text can be the id of a key, and is not the name of a role's entry. */
static bool
IsKeyId(Slice id)
{
	return id.len > 0 && id.len <= ACCESS_KEY_MAX_LEN &&
		memchr(id.data, ' ', id.len) == NULL && memchr(id.data, '\0', id.len) == NULL;
}

AccessKey *
AccessKeyFind(Slice id, const char **problem)
{
	char		name[ENTRY_NAME_LEN];
	AccessKey  *entry;
	MemoryContext context;
	MemoryContext old;
	Identity	identity;
	KeySecrets	secrets;
	uint64		before;

	*problem = "does not exist";
	if (!IsKeyId(id))
		return NULL;
	memcpy(name, id.data, id.len);
	name[id.len] = '\0';
	entry = FindAccessKey(name);
	if (entry != NULL)
		return entry;
	before = generation;
	context = MakeContext();
	old = MemoryContextSwitchTo(context);
	*problem = ReadAccessKey(name, &identity, &secrets);
	MemoryContextSwitchTo(old);
	if (*problem != NULL)
		return NULL;
	return AddAccessKey(name, context, &identity, &secrets, before);
}

const Identity *
RoleIdentity(const char *role, const char **problem)
{
	static const KeySecrets no_secrets = {0};
	char		name[ENTRY_NAME_LEN];
	AccessKey  *entry;
	MemoryContext context;
	MemoryContext old;
	Identity	identity;
	uint64		before;

	snprintf(name, sizeof(name), ROLE_PREFIX "%s", role);
	entry = FindAccessKey(name);
	if (entry != NULL)
		return &entry->identity;
	before = generation;
	context = MakeContext();
	old = MemoryContextSwitchTo(context);
	*problem = RoleRead(&identity, get_role_oid(role, true));
	MemoryContextSwitchTo(old);
	if (*problem != NULL)
		return NULL;
	return &AddAccessKey(name, context, &identity, &no_secrets, before)->identity;
}

const Identity *
AccessKeyIdentity(const AccessKey *key)
{
	return &key->identity;
}

/* Derives the signing keys of all secrets. */
static void
DeriveSigningKeys(AccessKey *key, Slice date, Slice region)
{
	for (int i = 0; i < SIGV4_MAX_KEYS; i++)
	{
		if (key->secrets.texts[i] != NULL)
			SignatureDeriveKey(key->signing_keys.keys[i], key->secrets.texts[i], date, region);
	}
	memcpy(key->scope, date.data, date.len);
	memcpy(key->scope + date.len, region.data, region.len);
	key->scope_len = date.len + region.len;
}

SigningKeys *
AccessKeySigningKeys(AccessKey *key, Slice date, Slice region)
{
	uint32		len = date.len + region.len;
	bool		both = key->secrets.texts[PREVIOUS] != NULL &&
		GetCurrentStatementStartTimestamp() < key->secrets.previous_until;

	/* a region's length is limited by its setting */
	Assert(len <= SCOPE_LEN);
	if (key->scope_len != len || memcmp(key->scope, date.data, date.len) != 0 ||
		memcmp(key->scope + date.len, region.data, region.len) != 0)
		DeriveSigningKeys(key, date, region);
	key->signing_keys.n = both ? 2 : 1;
	return &key->signing_keys;
}

void
AccessKeyNoteUse(AccessKey *key, int which)
{
	TimestampTz now = GetCurrentStatementStartTimestamp();

	if (which != PREVIOUS || !TimestampDifferenceExceeds(key->used_at, now, NOTE_USE_MS))
		return;
	AccessKeyUseNote(key->name, now);
	key->used_at = now;
}
