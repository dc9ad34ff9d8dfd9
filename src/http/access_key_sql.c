/*
 * access_key_sql.c
 *	  Creates, rotates, drops and encrypts access keys.
 *
 * No role has privileges on the table of keys; these functions check what the
 * caller may do.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "http/access_key.h"
#include "http/access_key_table.h"
#include "http/secret.h"
#include "item/base64.h"
#include "worker/endpoint.h"

#define ID_PREFIX		"DYNA"
#define ID_RANDOM		16		/* characters */
#define SECRET_BYTES	30		/* 40 characters of base64 */

StaticAssertDecl(ACCESS_KEY_MAX_LEN == SECRET_MAX_LEN, "ids and secrets have one limit");

/* ---- who may ---- */

/*
 * Refuses to change keys in code that others may have written: code that runs
 * during maintenance of a table, and code that a table's owner runs in a request
 * of the HTTP endpoint.
 */
static void
CheckTrustedCode(void)
{
	if (InSecurityRestrictedOperation())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot change access keys within a security-restricted operation")));
	if (IdentityIsEntered())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot change access keys within an HTTP request")));
}

/*
 * Keys of a role can be changed by the role itself, by superusers, and by roles
 * that may grant it to others.
 */
static void
CheckMayManage(Oid role)
{
	CheckTrustedCode();
	if (!superuser() && role != GetUserId() &&
		(!OidIsValid(role) || !is_admin_of_role(GetUserId(), role)))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to change access keys of role \"%s\"",
						GetUserNameFromId(role, false)),
				 errhint("Only superusers, the role itself, and its members with the ADMIN option may change them.")));
}

static void
CheckMayServe(Oid role)
{
	HeapTuple	tuple = SearchSysCache1(AUTHOID, ObjectIdGetDatum(role));
	Form_pg_authid form;
	bool		login;
	bool		superuser;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role with OID %u does not exist", role)));
	form = (Form_pg_authid) GETSTRUCT(tuple);
	login = form->rolcanlogin;
	superuser = form->rolsuper;
	ReleaseSysCache(tuple);
	if (!login)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION),
				 errmsg("role \"%s\" is not permitted to log in", GetUserNameFromId(role, false)),
				 errhint("Access keys require a role with the LOGIN attribute.")));
	if (superuser && !http_allow_superuser)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION),
				 errmsg("role \"%s\" is a superuser", GetUserNameFromId(role, false)),
				 errhint("Create a role with the privileges that clients need, or set \"dynamo.http_allow_superuser\".")));
}

/* ---- new keys ---- */

static char *
MakeId(void)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	char	   *id = palloc(sizeof(ID_PREFIX) + ID_RANDOM);
	uint8		bytes[ID_RANDOM];

	RandomBytes(bytes, sizeof(bytes));
	strcpy(id, ID_PREFIX);
	for (int i = 0; i < ID_RANDOM; i++)
		id[strlen(ID_PREFIX) + i] = alphabet[bytes[i] % 32];
	id[strlen(ID_PREFIX) + ID_RANDOM] = '\0';
	return id;
}

static char *
MakeSecret(void)
{
	char		bytes[SECRET_BYTES];
	StringInfoData secret;

	RandomBytes(bytes, sizeof(bytes));
	initStringInfo(&secret);
	Base64Append(&secret, bytes, sizeof(bytes));
	return secret.data;
}

/* A text of 1 to 128 of these bytes. */
static void
CheckKeyText(const char *what, const char *text, const char *allowed, const char *hint)
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

	CheckKeyText("access key id", id, LETTERS_AND_DIGITS "_-",
				 "Access key ids are 1 to 128 letters, digits, hyphens and underscores.");
	return id;
}

static char *
GivenSecret(text *given)
{
	char	   *secret = text_to_cstring(given);

	CheckKeyText("secret access key", secret, LETTERS_AND_DIGITS "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
				 "Secret access keys are 1 to 128 printable ASCII characters without spaces.");
	return secret;
}

/* ---- the functions ---- */

/* The table, to be written by a function of this name. */
static Relation
OpenTable(const char *function, LOCKMODE lock)
{
	Relation	rel;

	PreventCommandIfReadOnly(function);
	rel = AccessKeyTableOpen(lock);
	if (rel == NULL)
		elog(ERROR, "the table of access keys is missing");
	return rel;
}

static void
InsertKey(const char *id, const char *secret, Oid role)
{
	Relation	rel = OpenTable("dynamo.create_access_key()", RowExclusiveLock);

	if (!AccessKeyInsert(rel, id, secret, role))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("access key \"%s\" already exists", id)));
	AccessKeysSweep(rel, id);
	table_close(rel, NoLock);
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
	CheckMayManage(role);
	CheckMayServe(role);
	id = PG_ARGISNULL(1) ? MakeId() : GivenId(PG_GETARG_TEXT_PP(1));
	secret = PG_ARGISNULL(2) ? MakeSecret() : GivenSecret(PG_GETARG_TEXT_PP(2));
	InsertKey(id, secret, role);
	return KeyRow(fcinfo, id, secret);
}

static void FailNoSuchKey(const char *id) pg_attribute_noreturn();

static void
FailNoSuchKey(const char *id)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("access key \"%s\" does not exist", id)));
}

/* Opens the table and locks a key that the caller may change. */
static Relation
OpenKey(const char *function, const char *id, AccessKeyRow *row)
{
	Relation	rel = OpenTable(function, RowExclusiveLock);

	if (!AccessKeyLock(rel, id, row))
		FailNoSuchKey(id);
	CheckMayManage(row->role);
	return rel;
}

DYNAMO_FUNCTION(dynamo_drop_access_key);
Datum
dynamo_drop_access_key(PG_FUNCTION_ARGS)
{
	char	   *id = text_to_cstring(PG_GETARG_TEXT_PP(0));
	AccessKeyRow row;
	Relation	rel = OpenKey("dynamo.drop_access_key()", id, &row);

	AccessKeyDelete(rel, &row);
	table_close(rel, NoLock);
	PG_RETURN_VOID();
}

/* ---- rotation ---- */

/* Returns the time until which a secret that is replaced now is accepted; always if interval is NULL. */
static TimestampTz
TimeAfter(const Interval *interval)
{
	TimestampTz now = GetCurrentTransactionStartTimestamp();
	TimestampTz until;

	if (interval == NULL)
		return DT_NOEND;
	until = DatumGetTimestampTz(DirectFunctionCall2(timestamptz_pl_interval, TimestampTzGetDatum(now),
													IntervalPGetDatum(interval)));
	if (until < now)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("keep_previous must not be negative")));
	return until;
}

/* Refuses a third secret, which would invalidate one that clients may still use. */
static void
CheckNoPrevious(const AccessKeyRow *row, const char *id)
{
	if (row->previous == NULL)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("access key \"%s\" still has a previous secret", id),
			 errhint("Call dynamo.drop_previous_secret() when no client uses it, or set keep_previous to 0 to end the use of all its secrets.")));
}

DYNAMO_FUNCTION(dynamo_rotate_access_key);
Datum
dynamo_rotate_access_key(PG_FUNCTION_ARGS)
{
	const char *id;
	const char *secret;
	TimestampTz until;
	AccessKeyRow row;
	Relation	rel;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("access_key_id must not be null")));
	id = text_to_cstring(PG_GETARG_TEXT_PP(0));
	secret = PG_ARGISNULL(1) ? MakeSecret() : GivenSecret(PG_GETARG_TEXT_PP(1));
	until = TimeAfter(PG_ARGISNULL(2) ? NULL : PG_GETARG_INTERVAL_P(2));
	rel = OpenKey("dynamo.rotate_access_key()", id, &row);
	if (until > GetCurrentTransactionStartTimestamp())
		CheckNoPrevious(&row, id);
	AccessKeyRotate(rel, &row, id, secret, until);
	table_close(rel, NoLock);
	PG_RETURN_TEXT_P(cstring_to_text(secret));
}

DYNAMO_FUNCTION(dynamo_drop_previous_secret);
Datum
dynamo_drop_previous_secret(PG_FUNCTION_ARGS)
{
	char	   *id = text_to_cstring(PG_GETARG_TEXT_PP(0));
	AccessKeyRow row;
	Relation	rel = OpenKey("dynamo.drop_previous_secret()", id, &row);

	AccessKeyDropPrevious(rel, &row);
	table_close(rel, NoLock);
	PG_RETURN_BOOL(row.previous != NULL);
}

/* ---- encryption ---- */

DYNAMO_FUNCTION(dynamo_encrypt_access_keys);
Datum
dynamo_encrypt_access_keys(PG_FUNCTION_ARGS)
{
	Relation	rel;
	SecretKey	key;
	int64		encrypted;

	CheckTrustedCode();
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("only superusers may encrypt access keys")));
	if (!SecretKeyCurrent(&key))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("\"dynamo.http_secret_key_command\" is not set")));
	rel = OpenTable("dynamo.encrypt_access_keys()", ShareRowExclusiveLock);
	encrypted = AccessKeysEncrypt(rel, &key);
	explicit_bzero(&key, sizeof(key));
	table_close(rel, NoLock);
	PG_RETURN_INT64(encrypted);
}
