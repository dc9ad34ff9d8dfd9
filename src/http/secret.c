/*
 * secret.c
 *	  dynamo_internal.secret: the SQL view of a secret.
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
SecretMake(const char *text)
{
	Secret	   *secret = palloc0(sizeof(Secret));

	Assert(strlen(text) > 0 && strlen(text) <= SECRET_MAX_LEN);
	RandomBytes(secret->salt, sizeof(secret->salt));
	memcpy(secret->text, text, strlen(text));
	return secret;
}

char *
SecretText(const Secret *secret)
{
	Size		len = strnlen(secret->text, SECRET_MAX_LEN);

	return len == 0 ? NULL : pnstrdup(secret->text, len);
}

/* A value that holds no secret, for what can be put in. */
static Secret *
FromMask(const char *text)
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
	PG_RETURN_POINTER(FromMask(PG_GETARG_CSTRING(0)));
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

	PG_RETURN_POINTER(FromMask(pq_getmsgtext(message, message->len - message->cursor, &len)));
}

DYNAMO_FUNCTION(dynamo_secret_send);
Datum
dynamo_secret_send(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(cstring_to_text(MASK));
}
