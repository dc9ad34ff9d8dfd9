/*
 * secret.c
 *	  dynamo_internal.secret: the stored form of a secret, and its SQL view.
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"

#include "http/secret.h"

#define MASK	"********"

void
RandomBytes(void *bytes, int n)
{
	if (!pg_strong_random(bytes, n))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
}

Secret *
SecretMake(const char *access_key_id, const char *text, const SecretKey *key)
{
	Secret	   *secret = palloc0(sizeof(Secret));

	Assert(strlen(text) > 0 && strlen(text) <= SECRET_MAX_LEN);
	RandomBytes(secret->salt, sizeof(secret->salt));
	memcpy(secret->text, text, strlen(text));
	if (key == NULL)
		return secret;
	secret->form = SECRET_AES_256_GCM;
	memcpy(secret->key_id, key->id, SECRET_KEY_ID_LEN);
	SecretEncrypt(key, secret->salt, access_key_id, secret->text, SECRET_MAX_LEN, secret->tag);
	return secret;
}

static void
FindSecretKey(const Secret *secret, const char *access_key_id, SecretKey *key)
{
	if (!SecretKeysAreSet())
		ereport(ERROR,
				(errcode(ERRCODE_CONFIG_FILE_ERROR),
				 errmsg("secret of access key \"%s\" is encrypted, and \"dynamo.http_secret_key_command\" is not set",
						access_key_id)));
	if (!SecretKeyFind(secret->key_id, key))
		ereport(ERROR,
				(errcode(ERRCODE_CONFIG_FILE_ERROR),
				 errmsg("secret of access key \"%s\" was encrypted with another key", access_key_id),
				 errhint("The command of \"dynamo.http_secret_key_command\" can print that key as its second line.")));
}

/* Decrypts a value in place. */
static void
DecryptSecret(Secret *secret, const char *access_key_id)
{
	SecretKey	key;
	bool		done;

	FindSecretKey(secret, access_key_id, &key);
	done = SecretDecrypt(&key, secret->salt, access_key_id, secret->text, SECRET_MAX_LEN, secret->tag);
	explicit_bzero(&key, sizeof(key));
	if (!done)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("secret of access key \"%s\" is damaged", access_key_id)));
}

char *
SecretText(const Secret *secret, const char *access_key_id)
{
	Secret		copy = *secret;
	Size		len;
	char	   *text;

	if (copy.form == SECRET_AES_256_GCM)
		DecryptSecret(&copy, access_key_id);
	else if (copy.form != SECRET_PLAIN)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("secret of access key \"%s\" has the unknown form %d", access_key_id, copy.form)));
	len = strnlen(copy.text, SECRET_MAX_LEN);
	text = len == 0 ? NULL : pnstrdup(copy.text, len);
	explicit_bzero(&copy, sizeof(copy));
	return text;
}

/* Returns an empty value for the mask, the only text that can be input. */
static Secret *
ReadMask(const char *text)
{
	if (strcmp(text, MASK) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot accept a value of type dynamo_internal.secret"),
				 errhint("Use dynamo.create_access_key() to create access keys.")));
	return palloc0(sizeof(Secret));
}

DYNAMO_FUNCTION(dynamo_secret_in);
Datum
dynamo_secret_in(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(ReadMask(PG_GETARG_CSTRING(0)));
}

DYNAMO_FUNCTION(dynamo_secret_out);
Datum
dynamo_secret_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(pstrdup(MASK));
}

DYNAMO_FUNCTION(dynamo_secret_recv);
Datum
dynamo_secret_recv(PG_FUNCTION_ARGS)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	int			len;

	PG_RETURN_POINTER(ReadMask(pq_getmsgtext(message, message->len - message->cursor, &len)));
}

DYNAMO_FUNCTION(dynamo_secret_send);
Datum
dynamo_secret_send(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(cstring_to_text(MASK));
}
