/*
 * access_key_sql.c
 *	  Making and dropping access keys.
 *
 * The table of secrets is its owner's alone, so the statements here run with
 * the owner's rights, after the caller's have been checked.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/objects.h"
#include "catalog/settings.h"
#include "compat.h"
#include "http/access_key.h"
#include "item/base64.h"

#define ID_PREFIX		"DYNA"
#define ID_RANDOM		16		/* characters */
#define SECRET_BYTES	30		/* 40 characters of base64 */

/* ---- who may ---- */

/*
 * Keys of a role are made by itself, by superusers, and by those who may give
 * the role to others.  Code that is not trusted makes none.
 */
static void
CheckMayManage(Oid role)
{
	if (InSecurityRestrictedOperation())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot change access keys within a security-restricted operation")));
	if (!superuser() && role != GetUserId() && !is_admin_of_role(GetUserId(), role))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to change access keys of role \"%s\"",
						GetUserNameFromId(role, false)),
				 errhint("The role itself may, superusers, and members of the role with the ADMIN option.")));
}

static void
CheckCanLogIn(Oid role)
{
	HeapTuple	tuple = SearchSysCache1(AUTHOID, ObjectIdGetDatum(role));
	bool		login;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role with OID %u does not exist", role)));
	login = ((Form_pg_authid) GETSTRUCT(tuple))->rolcanlogin;
	ReleaseSysCache(tuple);
	if (!login)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION),
				 errmsg("role \"%s\" is not permitted to log in", GetUserNameFromId(role, false)),
				 errhint("An access key is for a role with the LOGIN attribute.")));
}

/* ---- new keys ---- */

static void
Random(void *bytes, int n)
{
	if (!pg_strong_random(bytes, n))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
}

static char *
NewId(void)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	char	   *id = palloc(sizeof(ID_PREFIX) + ID_RANDOM);
	uint8		bytes[ID_RANDOM];

	Random(bytes, sizeof(bytes));
	strcpy(id, ID_PREFIX);
	for (int i = 0; i < ID_RANDOM; i++)
		id[strlen(ID_PREFIX) + i] = alphabet[bytes[i] % 32];
	id[strlen(ID_PREFIX) + ID_RANDOM] = '\0';
	return id;
}

static char *
NewSecret(void)
{
	char		bytes[SECRET_BYTES];
	StringInfoData secret;

	Random(bytes, sizeof(bytes));
	initStringInfo(&secret);
	Base64Append(&secret, bytes, sizeof(bytes));
	return secret.data;
}

/* A text of 1 to 128 of these bytes. */
static void
CheckText(const char *what, const char *text, const char *allowed, const char *hint)
{
	size_t		len = strlen(text);

	if (len == 0 || len > ACCESS_KEY_MAX_LEN || strspn(text, allowed) != len)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid %s", what),
				 errhint("%s", hint)));
}

#define LETTERS_AND_DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

static char *
GivenId(text *given)
{
	char	   *id = text_to_cstring(given);

	CheckText("access key id", id, LETTERS_AND_DIGITS "_-",
			  "Access key ids are 1 to 128 letters, digits, hyphens and underscores.");
	return id;
}

static char *
GivenSecret(text *given)
{
	char	   *secret = text_to_cstring(given);

	CheckText("secret access key", secret, LETTERS_AND_DIGITS "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
			  "Secret access keys are 1 to 128 printable ASCII characters without spaces.");
	return secret;
}

/* ---- the table ---- */

/* Keys of roles that have been dropped go when others are made. */
static const char *const sweep =
"DELETE FROM dynamo." ACCESS_KEY_TABLE " s WHERE NOT EXISTS "
"(SELECT FROM pg_catalog.pg_roles r WHERE r.oid OPERATOR(pg_catalog.=) s.role)";

static const char *const insert_key =
"INSERT INTO dynamo." ACCESS_KEY_TABLE " VALUES ($1, $2, $3, pg_catalog.now()) "
"ON CONFLICT (access_key_id) DO NOTHING";

static const char *const find_role =
"SELECT role::pg_catalog.oid FROM dynamo." ACCESS_KEY_TABLE " "
"WHERE access_key_id OPERATOR(pg_catalog.=) $1";

static const char *const delete_key =
"DELETE FROM dynamo." ACCESS_KEY_TABLE " WHERE access_key_id OPERATOR(pg_catalog.=) $1";

/* Workers that have read keys read them again. */
static void
TellWorkers(void)
{
	CacheInvalidateRelcacheByRelid(get_relname_relid(ACCESS_KEY_TABLE,
													 get_namespace_oid(DYNAMO_SCHEMA, false)));
}

static void
InsertKey(const char *id, const char *secret, Oid role)
{
	Oid			types[] = {TEXTOID, TEXTOID, OIDOID};
	Datum		values[3];
	uint64		inserted;

	values[0] = CStringGetTextDatum(id);
	values[1] = CStringGetTextDatum(secret);
	values[2] = ObjectIdGetDatum(role);
	SPI_connect();
	ExecuteAsSettingsOwner(sweep, 0, NULL, NULL, NULL);
	ExecuteAsSettingsOwner(insert_key, 3, types, values, NULL);
	inserted = SPI_processed;
	SPI_finish();
	if (inserted == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("access key \"%s\" already exists", id)));
	TellWorkers();
}

static Datum
KeyRow(FunctionCallInfo fcinfo, const char *id, const char *secret)
{
	TupleDesc	desc;
	Datum		values[2];
	bool		nulls[2] = {false, false};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = CStringGetTextDatum(id);
	values[1] = CStringGetTextDatum(secret);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}

DYNAMO_FUNCTION(dynamo_create_access_key);
Datum
dynamo_create_access_key(PG_FUNCTION_ARGS)
{
	Oid			role;
	const char *id;
	const char *secret;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("role must not be null")));
	role = PG_GETARG_OID(0);
	CheckCanLogIn(role);
	CheckMayManage(role);
	id = PG_ARGISNULL(1) ? NewId() : GivenId(PG_GETARG_TEXT_PP(1));
	secret = PG_ARGISNULL(2) ? NewSecret() : GivenSecret(PG_GETARG_TEXT_PP(2));
	InsertKey(id, secret, role);
	return KeyRow(fcinfo, id, secret);
}

/* The role of a key; InvalidOid if there is none. */
static Oid
RoleOfKey(Datum id)
{
	Oid			type = TEXTOID;
	Oid			role = InvalidOid;
	bool		isnull;

	ExecuteAsSettingsOwner(find_role, 1, &type, &id, NULL);
	if (SPI_processed > 0)
		role = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc,
											  1, &isnull));
	return role;
}

DYNAMO_FUNCTION(dynamo_drop_access_key);
Datum
dynamo_drop_access_key(PG_FUNCTION_ARGS)
{
	Datum		id = PG_GETARG_DATUM(0);
	Oid			type = TEXTOID;
	Oid			role;

	SPI_connect();
	role = RoleOfKey(id);
	if (!OidIsValid(role))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("access key \"%s\" does not exist", TextDatumGetCString(id))));
	CheckMayManage(role);
	ExecuteAsSettingsOwner(delete_key, 1, &type, &id, NULL);
	SPI_finish();
	TellWorkers();
	PG_RETURN_VOID();
}
