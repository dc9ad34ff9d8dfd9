/*
 * secret_key.c
 *	  Reads the keys that encrypt secrets from a command.
 *
 * The command is run like that of ssl_passphrase_command, by the process that
 * needs a key.
 */
#include "postgres.h"

#include "storage/fd.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "http/secret_key.h"
#include "item/base64.h"
#include "sha256.h"
#include "worker/endpoint.h"

#define MAX_KEYS		2
#define HEX_KEY_LEN		(SECRET_KEY_LEN * 2)
#define BASE64_KEY_LEN	44
#define LINE_SIZE		256
#define RETRY_MS		1000

/* The number of runs in this time for different keys. */
#define MAX_TRIES		4

/* The text from which, with the key, the id of the key is computed. */
#define ID_LABEL		"dynamo secrets of access keys"

typedef struct KeySet
{
	int			n;
	SecretKey	keys[MAX_KEYS];
} KeySet;

static KeySet loaded;
static char *loaded_command;	/* NULL if none has been run */
static TimestampTz tried_at;
static int	tries;				/* within RETRY_MS */
static uint8 missing_id[SECRET_KEY_ID_LEN];	/* for which the command was run last */

bool
SecretKeysAreSet(void)
{
	return http_secret_key_command[0] != '\0';
}

/* ---- output of the command ---- */

static bool
ParseHex(const char *line, uint8 *bytes)
{
	/* hex_decode would show a wrong digit to the user */
	if (strspn(line, "0123456789abcdefABCDEF") != HEX_KEY_LEN)
		return false;
	(void) hex_decode(line, HEX_KEY_LEN, (char *) bytes);
	return true;
}

static bool
ParseBase64(const char *line, uint8 *bytes)
{
	char		decoded[BASE64_DECODED_MAX(BASE64_KEY_LEN)];
	uint32		len = 0;
	bool		valid = Base64Decode(line, BASE64_KEY_LEN, decoded, &len) == BASE64_OK &&
		len == SECRET_KEY_LEN;

	if (valid)
		memcpy(bytes, decoded, SECRET_KEY_LEN);
	explicit_bzero(decoded, sizeof(decoded));
	return valid;
}

static bool
ParseKeyBytes(const char *line, uint8 *bytes)
{
	switch (strlen(line))
	{
		case HEX_KEY_LEN:
			return ParseHex(line, bytes);
		case BASE64_KEY_LEN:
			return ParseBase64(line, bytes);
		default:
			return false;
	}
}

/* Computes the id, from which the key cannot be computed. */
static void
SetId(SecretKey *key)
{
	uint8		digest[PG_SHA256_DIGEST_LENGTH];

	Sha256KeyedDigest(digest, key->bytes, SECRET_KEY_LEN, ID_LABEL, strlen(ID_LABEL));
	memcpy(key->id, digest, SECRET_KEY_ID_LEN);
}

/* Adds the key in a line; returns NULL, or what is wrong with the line. */
static const char *
AddKeyLine(KeySet *set, char *line)
{
	line[strcspn(line, "\r\n")] = '\0';
	if (line[0] == '\0')
		return NULL;
	if (set->n == MAX_KEYS)
		return "It has printed more than two lines.";
	if (!ParseKeyBytes(line, set->keys[set->n].bytes))
		return "It has printed a line that is neither 64 hexadecimal digits nor 32 bytes as base64.";
	set->n++;
	return NULL;
}

/* Reads all output; returns NULL, or what is wrong with it. */
static const char *
ReadOutput(FILE *output, KeySet *set)
{
	char		line[LINE_SIZE];
	const char *problem = NULL;

	while (fgets(line, sizeof(line), output) != NULL)
	{
		if (problem == NULL)
			problem = AddKeyLine(set, line);
	}
	explicit_bzero(line, sizeof(line));
	if (problem == NULL && set->n == 0)
		return "It has printed nothing.";
	return problem;
}

/* ---- running the command ---- */

/* The error does not show the command, which may contain a password. */
static void
RunCommand(KeySet *set)
{
	FILE	   *output = OpenPipeStream(http_secret_key_command, "r");
	const char *problem;
	int			status;

	if (output == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
				 errmsg("could not run the command of \"dynamo.http_secret_key_command\": %m")));
	problem = ReadOutput(output, set);
	status = ClosePipeStream(output);
	if (status != 0)
		problem = wait_result_to_str(status);
	if (problem == NULL)
		return;
	explicit_bzero(set, sizeof(KeySet));
	ereport(ERROR,
			(errcode(status != 0 ? ERRCODE_EXTERNAL_ROUTINE_EXCEPTION : ERRCODE_CONFIG_FILE_ERROR),
			 errmsg("command of \"dynamo.http_secret_key_command\" failed"),
			 errdetail_internal("%s", problem)));
}

static void
ForgetKeys(void)
{
	explicit_bzero(&loaded, sizeof(loaded));
	if (loaded_command != NULL)
		pfree(loaded_command);
	loaded_command = NULL;
}

static bool
TriedJustNow(void)
{
	return !TimestampDifferenceExceeds(tried_at, GetCurrentTimestamp(), RETRY_MS);
}

static void
LoadKeys(void)
{
	KeySet		set = {0};

	ForgetKeys();
	loaded_command = MemoryContextStrdup(TopMemoryContext, http_secret_key_command);
	if (!TriedJustNow())
		tries = 0;
	tries++;
	tried_at = GetCurrentTimestamp();
	RunCommand(&set);
	for (int i = 0; i < set.n; i++)
		SetId(&set.keys[i]);
	loaded = set;
	explicit_bzero(&set, sizeof(set));
}

/* ---- keys ---- */

bool
SecretKeyCurrent(SecretKey *key)
{
	if (!SecretKeysAreSet())
		return false;
	LoadKeys();
	*key = loaded.keys[0];
	return true;
}

static bool
FindLoaded(const uint8 *id, SecretKey *key)
{
	for (int i = 0; i < loaded.n; i++)
	{
		if (memcmp(loaded.keys[i].id, id, SECRET_KEY_ID_LEN) == 0)
		{
			*key = loaded.keys[i];
			return true;
		}
	}
	return false;
}

/*
 * Whether to run the command for a key that is not loaded.  Clients can ask often for a
 * secret whose key is gone, but the key may also have been changed twice just now.
 */
static bool
MayTry(const uint8 *id)
{
	return !TriedJustNow() ||
		(loaded.n > 0 && tries < MAX_TRIES && memcmp(missing_id, id, SECRET_KEY_ID_LEN) != 0);
}

bool
SecretKeyFind(const uint8 *id, SecretKey *key)
{
	if (loaded_command != NULL && strcmp(loaded_command, http_secret_key_command) != 0)
	{
		ForgetKeys();
		tried_at = 0;
	}
	if (FindLoaded(id, key))
		return true;
	if (MayTry(id))
	{
		LoadKeys();
		memcpy(missing_id, id, SECRET_KEY_ID_LEN);
	}
	else if (loaded.n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
				 errmsg("command of \"dynamo.http_secret_key_command\" failed less than a second ago"),
				 errdetail_log("An earlier message has the reason.")));
	return FindLoaded(id, key);
}
