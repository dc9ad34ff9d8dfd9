/*
 * token.c
 *	  ClientRequestToken: a transaction that is sent twice runs once.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "lib/qunique.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/builtins.h"

#include "catalog/settings.h"
#include "errors.h"
#include "request/digest.h"
#include "request/token.h"
#include "request/wording.h"

/* Users' own advisory locks are of classes 1 and 2. */
#define TOKEN_LOCK_CLASS	0x4459

/* ---- the digest of a request ---- */

/*
 * What is digested is what the request means, not how its JSON is written:
 * items and values in their one encoding, names in the order of their
 * placeholders.
 */
static void
DigestExpression(Digest *digest, const ExprText *expression)
{
	DigestBytes(digest, expression->given ? "+" : "-", 1);
	if (expression->given)
		DigestBytes(digest, expression->text.data, expression->text.len);
}

static int
ComparePairs(const void *a, const void *b)
{
	return SliceCompare(((const NamePair *) a)->placeholder,
						((const NamePair *) b)->placeholder);
}

static void
DigestNames(Digest *digest, const ExprArgs *args)
{
	NamePair   *sorted = palloc(Max(args->nnames, 1) * sizeof(NamePair));

	if (args->nnames > 0)
		memcpy(sorted, args->names, args->nnames * sizeof(NamePair));
	qsort(sorted, args->nnames, sizeof(NamePair), ComparePairs);
	DigestBytes(digest, &args->nnames, sizeof(args->nnames));
	for (int i = 0; i < args->nnames; i++)
	{
		DigestBytes(digest, sorted[i].placeholder.data, sorted[i].placeholder.len);
		DigestBytes(digest, sorted[i].name.data, sorted[i].name.len);
	}
	pfree(sorted);
}

static void
DigestAction(Digest *digest, const WriteOp *op)
{
	char		kind = (char) op->kind;

	DigestBytes(digest, &kind, 1);
	DigestBytes(digest, op->table_name, strlen(op->table_name));
	DigestValue(digest, op->item);
	DigestExpression(digest, &op->update);
	DigestExpression(digest, &op->condition);
	DigestValue(digest, op->args.values);
	DigestNames(digest, &op->args);
	DigestBytes(digest, op->return_old_on_failure ? "1" : "0", 1);
}

bytea *
DigestOfActions(const WriteOp *actions, int n)
{
	Digest		digest;

	DigestBegin(&digest);
	for (int i = 0; i < n; i++)
		DigestAction(&digest, &actions[i]);
	return DigestEnd(&digest);
}

/* ---- the lock ---- */

/*
 * Locks a token of this user; an error if another transaction has it.  Two
 * tokens with one hash only make one of them wait for a retry.
 */
static void
LockToken(Slice token)
{
	uint64		hash = hash_bytes_extended((const unsigned char *) token.data,
										   (int) token.len, GetUserId());
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32) (hash >> 32), (uint32) hash,
						 TOKEN_LOCK_CLASS);
	if (LockAcquire(&tag, ExclusiveLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_TRANSACTION_IN_PROGRESS),
				 errmsg(WORDING_TOKEN_IN_PROGRESS)));
}

/* ---- what is stored of a transaction ---- */

/*
 * Its digest, the server and its tables (OIDs, sorted, each once).  A table
 * that is made anew has another OID; what logical replication brings from
 * another server tells nothing of the tables here.
 */
typedef struct TokenContent
{
	uint8		digest[DIGEST_LENGTH];
	uint8		server[sizeof(uint64)];
	Oid			tables[FLEXIBLE_ARRAY_MEMBER];
} TokenContent;

static int
CompareOids(const void *a, const void *b)
{
	Oid			x = *(const Oid *) a;
	Oid			y = *(const Oid *) b;

	return x < y ? -1 : x > y;
}

static bytea *
MakeContent(const bytea *digest, const Oid *tables, int n)
{
	Size		header = VARHDRSZ + offsetof(TokenContent, tables);
	bytea	   *result = palloc0(header + n * sizeof(Oid));
	TokenContent *content = (TokenContent *) VARDATA(result);
	uint64		server = GetSystemIdentifier();
	int			ntables;

	memcpy(content->digest, VARDATA_ANY(digest), DIGEST_LENGTH);
	memcpy(content->server, &server, sizeof(server));
	memcpy(content->tables, tables, n * sizeof(Oid));
	qsort(content->tables, n, sizeof(Oid), CompareOids);
	ntables = (int) qunique(content->tables, n, sizeof(Oid), CompareOids);
	SET_VARSIZE(result, header + ntables * sizeof(Oid));
	return result;
}

/* How many of the tables of one transaction are those of another. */
static int
CommonTables(const TokenContent *a, int n, const TokenContent *b, int m)
{
	int			common = 0;

	for (int i = 0; i < n; i++)
		common += bsearch(&a->tables[i], b->tables, m, sizeof(Oid), CompareOids) != NULL;
	return common;
}

static void MismatchError(const char *detail) pg_attribute_noreturn();

static void
MismatchError(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_IDEMPOTENT_MISMATCH),
			 errmsg(WORDING_TOKEN_MISMATCH),
			 detail != NULL ? errdetail("%s", detail) : 0));
}

/*
 * Whether the transaction that is stored was this one, so that nothing is to be
 * done.  A transaction whose tables have all been made anew since has left
 * nothing: it is another one, on other tables.  Where only some of them are
 * others, neither to execute it nor to leave it would be right.
 */
static bool
IsRepetition(Slice stored_bytes, Slice wanted_bytes)
{
	Size		header = offsetof(TokenContent, tables);
	TokenContent *stored = palloc(stored_bytes.len);
	const TokenContent *wanted = (const TokenContent *) wanted_bytes.data;
	int			n;
	int			m = (int) ((wanted_bytes.len - header) / sizeof(Oid));
	int			common;

	/* a copy, since it need not be aligned; nothing shorter was ever written */
	memcpy(stored, stored_bytes.data, stored_bytes.len);
	if (stored_bytes.len < header || memcmp(stored->digest, wanted->digest, DIGEST_LENGTH) != 0)
		MismatchError(NULL);
	/* of a table that is not there, the execution tells */
	if (wanted->tables[0] == InvalidOid)
		return false;
	n = (int) ((stored_bytes.len - header) / sizeof(Oid));
	common = CommonTables(stored, n, wanted, m);
	if (memcmp(stored->server, wanted->server, sizeof(stored->server)) != 0 ||
		(common == n && common == m))
		return true;
	if (common > 0)
		MismatchError("Some of its tables, but not all, have been created anew since.");
	return false;
}

/* ---- the rows ---- */

/*
 * Adds a token, or takes over one that has expired; no row is returned if it
 * stands for an earlier transaction.
 */
static const char *const add_token =
"INSERT INTO dynamo.request_tokens AS t VALUES ($1, $2, $3, pg_catalog.clock_timestamp()) "
"ON CONFLICT (owner, token) DO UPDATE "
"SET digest = EXCLUDED.digest, completed_at = EXCLUDED.completed_at "
"WHERE t.completed_at OPERATOR(pg_catalog.<) "
"      (pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) '10 minutes'::pg_catalog.interval) "
"RETURNING 1";

static const char *const read_token =
"SELECT digest FROM dynamo.request_tokens "
"WHERE owner OPERATOR(pg_catalog.=) $1 AND token OPERATOR(pg_catalog.=) $2";

static const char *const renew_token =
"UPDATE dynamo.request_tokens SET digest = $3, completed_at = pg_catalog.clock_timestamp() "
"WHERE owner OPERATOR(pg_catalog.=) $1 AND token OPERATOR(pg_catalog.=) $2";

/* More than one is added, so that the rows do not pile up. */
static const char *const sweep_tokens =
"DELETE FROM dynamo.request_tokens WHERE ctid OPERATOR(pg_catalog.=) ANY (ARRAY("
"SELECT ctid FROM dynamo.request_tokens "
"WHERE completed_at OPERATOR(pg_catalog.<) "
"      (pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) '10 minutes'::pg_catalog.interval) "
"ORDER BY completed_at LIMIT 4 FOR UPDATE SKIP LOCKED))";

/* Whether the token stands for this transaction already. */
static bool
WasExecuted(Datum *values, Oid *types)
{
	bool		isnull;
	Datum		stored;

	ExecuteAsSettingsOwner(read_token, 2, types, values, NULL);
	if (SPI_processed != 1)
		elog(ERROR, "request token was removed concurrently");
	stored = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	if (IsRepetition(SliceOfVarlena(DatumGetByteaPP(stored)),
					 SliceOfVarlena((bytea *) DatumGetPointer(values[2]))))
		return true;
	ExecuteAsSettingsOwner(renew_token, 3, types, values, NULL);
	return false;
}

/* Whether the transaction is to be executed; the token then stands for it. */
static bool
AddToken(Slice token, bytea *content)
{
	Oid			types[] = {TEXTOID, TEXTOID, BYTEAOID};
	Datum		values[3];
	bool		added;

	values[0] = CStringGetTextDatum(GetUserNameFromId(GetUserId(), false));
	values[1] = PointerGetDatum(cstring_to_text_with_len(token.data, token.len));
	values[2] = PointerGetDatum(content);
	SPI_connect();
	ExecuteAsSettingsOwner(add_token, 3, types, values, NULL);
	added = SPI_processed > 0;
	if (added)
		ExecuteAsSettingsOwner(sweep_tokens, 0, NULL, NULL, NULL);
	else
		added = !WasExecuted(values, types);
	SPI_finish();
	return added;
}

bool
TokenTake(Slice token, const bytea *digest, const Oid *tables, int n)
{
	if (memchr(token.data, '\0', token.len) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("ClientRequestToken must not contain U+0000")));
	LockToken(token);
	return AddToken(token, MakeContent(digest, tables, n));
}
