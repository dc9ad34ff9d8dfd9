/*
 * shared_key.c
 *	  Access keys that the coordinator of a cluster keeps for its worker nodes.
 *
 * Every client can ask for keys.  Therefore only a few questions a second may concern
 * unknown keys, and the answer that a key does not exist is cached for a while, in a
 * table of fixed size.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/snapmgr.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "errors.h"
#include "http/shared_key.h"
#include "security/owner.h"
#include "store/elsewhere.h"

#define MAX_KEYS			1000
#define LIFE_MS				10000	/* a dropped key is refused after that */
#define UNKNOWN_MS			5000
#define NUNKNOWN			64
#define QUESTIONS_A_SECOND	10		/* about unknown keys */
#define ANSWER_MS			5000
#define SILENCE_MS			10000	/* pause after no answer */

#define HEX_LEN				(2 * SIGV4_KEY_LEN)
#define LETTERS_AND_DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/* A key that does not exist. */
typedef struct UnknownKey
{
	char		name[SHARED_KEY_NAME_LEN];
	TimestampTz asked_at;
} UnknownKey;

static HTAB *keys;
static UnknownKey unknown[NUNKNOWN];	/* by a hash of the name */
static TimestampTz silent_since;	/* 0: the coordinator answers */

/* ---- the coordinator's side ---- */

static void
CheckMayAsk(void)
{
	if (!superuser() || InSecurityRestrictedOperation() || IdentityIsEntered())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("only other nodes of Citus may ask for signing keys")));
}

static char *
KeysHex(const SigningKeys *signing_keys)
{
	char	   *hex = palloc(SIGV4_MAX_KEYS * HEX_LEN + 1);
	int			len = signing_keys->n * SIGV4_KEY_LEN;

	hex[hex_encode((const char *) signing_keys->keys, len, hex)] = '\0';
	return hex;
}

/*
 * signing_key(access_key_id text, date text, region text): the signing keys in
 * hexadecimal digits, a blank, and the role's name; empty if there is no such key.
 */
DYNAMO_FUNCTION(dynamo_signing_key);
Datum
dynamo_signing_key(PG_FUNCTION_ARGS)
{
	Slice		parts[3];
	const char *problem;
	AccessKey  *key;

	CheckMayAsk();
	for (int i = 0; i < 3; i++)
		parts[i] = SliceOfVarlena(PG_GETARG_TEXT_PP(i));
	if (parts[1].len + parts[2].len > ACCESS_KEY_SCOPE_LEN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid date or region")));
	key = AccessKeyFind(parts[0], &problem);
	if (key == NULL)
		PG_RETURN_TEXT_P(cstring_to_text(""));
	PG_RETURN_TEXT_P(cstring_to_text(psprintf("%s %s", KeysHex(AccessKeySigningKeys(key, parts[1], parts[2])),
											  GetUserNameFromId(AccessKeyIdentity(key)->role, false))));
}

/* ---- what is known ---- */

static bool
IsOlder(TimestampTz time, int ms)
{
	return TimestampDifferenceExceeds(time, GetCurrentStatementStartTimestamp(), ms);
}

/* The name of a signature's key; false if no key can have it. */
static bool
NameOfKey(const Signature *signature, char *name)
{
	Slice		id = signature->key_id;
	int			len = snprintf(name, SHARED_KEY_NAME_LEN, "%.*s %.*s %.*s", (int) id.len, id.data,
							   (int) signature->date.len, signature->date.data,
							   (int) signature->region.len, signature->region.data);

	return len < SHARED_KEY_NAME_LEN && id.len > 0 && id.len <= ACCESS_KEY_MAX_LEN &&
		strspn(name, LETTERS_AND_DIGITS "_-") == id.len;
}

static SharedKey *
FindSharedKey(const char *name)
{
	return keys == NULL ? NULL : hash_search(keys, name, HASH_FIND, NULL);
}

static void
ForgetKey(SharedKey *key)
{
	explicit_bzero(&key->signing_keys, sizeof(key->signing_keys));
	hash_search(keys, key->name, HASH_REMOVE, NULL);
}

static void
ForgetAllKeys(void)
{
	HASH_SEQ_STATUS status;
	SharedKey  *key;

	hash_seq_init(&status, keys);
	while ((key = hash_seq_search(&status)) != NULL)
		ForgetKey(key);
}

static void
InitKeys(void)
{
	HASHCTL		ctl = {0};

	ctl.keysize = SHARED_KEY_NAME_LEN;
	ctl.entrysize = sizeof(SharedKey);
	keys = hash_create("dynamo shared access keys", 64, &ctl, HASH_ELEM | HASH_STRINGS);
}

static SharedKey *
AddSharedKey(const char *name)
{
	if (keys == NULL)
		InitKeys();
	if (hash_get_num_entries(keys) >= MAX_KEYS)
		ForgetAllKeys();
	return hash_search(keys, name, HASH_ENTER, NULL);
}

static UnknownKey *
UnknownSlot(const char *name)
{
	return &unknown[hash_bytes((const unsigned char *) name, strlen(name)) % NUNKNOWN];
}

static bool
IsUnknown(const char *name)
{
	const UnknownKey *slot = UnknownSlot(name);

	return strcmp(slot->name, name) == 0 && !IsOlder(slot->asked_at, UNKNOWN_MS);
}

static void
RememberUnknown(const char *name)
{
	UnknownKey *slot = UnknownSlot(name);

	strlcpy(slot->name, name, SHARED_KEY_NAME_LEN);
	slot->asked_at = GetCurrentStatementStartTimestamp();
}

const SharedKey *
SharedKeyKnown(const Signature *signature)
{
	char		name[SHARED_KEY_NAME_LEN];
	SharedKey  *key;

	if (keys == NULL || !NameOfKey(signature, name))
		return NULL;
	key = FindSharedKey(name);
	return key == NULL || IsOlder(key->asked_at, LIFE_MS) ? NULL : key;
}

/* ---- asking ---- */

static void AskLater(void) pg_attribute_noreturn();

static void
AskLater(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_THROUGHPUT_EXCEEDED),
			 errmsg("The access key cannot be verified at the moment. Try again.")));
}

/* Counts a question about an unknown key; raises an error if there are too many. */
static void
CountQuestion(void)
{
	static TimestampTz second;
	static int	questions;

	if (IsOlder(second, 1000))
	{
		second = GetCurrentStatementStartTimestamp();
		questions = 0;
	}
	if (++questions > QUESTIONS_A_SECOND)
		AskLater();
}

static char *
SigningKeyQuery(const Signature *signature)
{
	Slice		parts[] = {signature->key_id, signature->date, signature->region};
	char	   *literals[3];

	for (int i = 0; i < 3; i++)
		literals[i] = quote_literal_cstr(pnstrdup(parts[i].data, parts[i].len));
	return psprintf("SELECT dynamo_internal.signing_key(%s, %s, %s)", literals[0], literals[1], literals[2]);
}

/*
 * Asks the coordinator as a superuser.  NULL if it does not answer; an error, too,
 * leaves it silent.
 */
static char *
AskForSharedKey(const Signature *signature)
{
	OwnerScope	scope;
	char	   *answer;

	silent_since = GetCurrentStatementStartTimestamp();
	PushActiveSnapshot(GetTransactionSnapshot());
	enable_timeout_after(STATEMENT_TIMEOUT, ANSWER_MS);
	OwnerScopeEnterForExtension(&scope, BOOTSTRAP_SUPERUSERID);
	answer = elsewhere->try_on_coordinator(SigningKeyQuery(signature));
	OwnerScopeLeave(&scope);
	disable_timeout(STATEMENT_TIMEOUT, false);
	PopActiveSnapshot();
	if (answer != NULL)
		silent_since = 0;
	return answer;
}

/* Caches the answer of the coordinator about a key. */
static const SharedKey *
KeepAnswer(const char *name, const char *answer)
{
	size_t		digits = strcspn(answer, " ");
	SharedKey  *key;

	if (digits == 0 || digits % HEX_LEN != 0 || digits > SIGV4_MAX_KEYS * HEX_LEN ||
		strlen(answer) < digits + 2)
		elog(ERROR, "the coordinator has returned no signing key");
	key = AddSharedKey(name);
	key->asked_at = GetCurrentStatementStartTimestamp();
	key->signing_keys.n = (int) (digits / HEX_LEN);
	(void) hex_decode(answer, digits, (char *) key->signing_keys.keys);
	namestrcpy(&key->role, answer + digits + 1);
	return key;
}

const SharedKey *
SharedKeyAsk(const Signature *signature)
{
	char		name[SHARED_KEY_NAME_LEN];
	SharedKey  *key;
	char	   *answer = NULL;

	if (!elsewhere->coordinator_is_known() || !NameOfKey(signature, name) || IsUnknown(name))
		return NULL;
	key = FindSharedKey(name);
	if (key == NULL)
		CountQuestion();
	if (silent_since == 0 || IsOlder(silent_since, SILENCE_MS))
		answer = AskForSharedKey(signature);
	if (answer == NULL && key == NULL)
		AskLater();
	if (answer == NULL)
		return key;
	if (answer[0] != '\0')
		return KeepAnswer(name, answer);
	if (key != NULL)
		ForgetKey(key);
	RememberUnknown(name);
	return NULL;
}
