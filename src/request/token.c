/*
 * token.c
 *	  ClientRequestToken: a transaction that is sent twice is executed once.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "common/hashfn.h"
#include "lib/qunique.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/builtins.h"

#include "errors.h"
#include "request/digest.h"
#include "request/token.h"
#include "request/token_table.h"
#include "request/wording.h"
#include "shuffle.h"
#include "table/distribution.h"

/* Advisory locks of users have the classes 1 and 2. */
#define TOKEN_LOCK_CLASS	0x4459

/*
 * One of so many tokens sweeps a part of the table, which deletes rows faster
 * than they are added.  The hash of a token decides whether it sweeps and
 * what, so that tests are deterministic.
 */
#define SWEEP_EVERY	32

/* ---- the digest of a request ---- */

/*
 * The digest covers the meaning of the request, not the form of its JSON:
 * items and values in their encoding, names in the order of their
 * placeholders.
 */
static void
DigestExpression(Digest *digest, const ExprText *expression)
{
	DigestBytes(digest, expression->given ? "+" : "-", 1);
	if (expression->given)
		DigestBytes(digest, expression->text.data, expression->text.len);
}

static void
DigestNames(Digest *digest, const ExprArgs *args)
{
	NamePair   *sorted = palloc(Max(args->nnames, 1) * sizeof(NamePair));

	if (args->nnames > 0)
		memcpy(sorted, args->names, args->nnames * sizeof(NamePair));
	Shuffle(sorted, args->nnames, sizeof(NamePair));
	qsort(sorted, args->nnames, sizeof(NamePair), CompareBySlice);
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

static void InProgressError(void) pg_attribute_noreturn();

static void
InProgressError(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_TRANSACTION_IN_PROGRESS),
			 errmsg(WORDING_TOKEN_IN_PROGRESS)));
}

/*
 * Locks a token; raises an error if another transaction has locked it.  If two
 * tokens have the same hash, one of them must be retried, as it must while the
 * other one counts.
 */
static void
LockToken(const TokenKey *key)
{
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32) (key->hash >> 32), (uint32) key->hash,
						 TOKEN_LOCK_CLASS);
	if (LockAcquire(&tag, ExclusiveLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
		InProgressError();
}

/* ---- what is stored of a transaction ---- */

/*
 * The stored content: the digest, the server and the tables (distinct OIDs in
 * ascending order).  A table that was created anew has another OID.  OIDs that
 * logical replication brings from another server do not identify tables here.
 */
typedef struct TokenContent
{
	uint8		digest[DIGEST_LENGTH];
	uint8		server[sizeof(uint64)];
	Oid			tables[FLEXIBLE_ARRAY_MEMBER];
} TokenContent;

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
	qsort(content->tables, n, sizeof(Oid), oid_cmp);
	ntables = (int) qunique(content->tables, n, sizeof(Oid), oid_cmp);
	SET_VARSIZE(result, header + ntables * sizeof(Oid));
	return result;
}

/* Returns how many tables of one transaction belong to another one, too. */
static int
CommonTables(const TokenContent *a, int n, const TokenContent *b, int m)
{
	int			common = 0;

	for (int i = 0; i < n; i++)
		common += bsearch(&a->tables[i], b->tables, m, sizeof(Oid), oid_cmp) != NULL;
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
 * Whether the stored transaction was this one, so that nothing must be done.
 * If all its tables were created anew since, it has left no effects, and this
 * is a new transaction.  If only some were, neither executing nor skipping it
 * would be right, and an error is raised.
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

	/*
	 * a copy, because the stored bytes may not be aligned; all stored rows are
	 * at least this long
	 */
	memcpy(stored, stored_bytes.data, stored_bytes.len);
	if (stored_bytes.len < header || memcmp(stored->digest, wanted->digest, DIGEST_LENGTH) != 0)
		MismatchError(NULL);
	/* the execution reports a table that does not exist */
	if (wanted->tables[0] == InvalidOid)
		return false;
	n = (int) ((stored_bytes.len - header) / sizeof(Oid));
	common = CommonTables(stored, n, wanted, m);
	if (memcmp(stored->server, wanted->server, sizeof(stored->server)) != 0 ||
		(common == n && common == m))
		return true;
	if (common > 0)
		MismatchError("Some tables of the request, but not all, have been created anew since the first call.");
	return false;
}

/* ---- taking a token ---- */

static TokenKey
KeyOfToken(Slice token)
{
	TokenKey	key = {.token = token};

	key.owner = SliceOf(psprintf("%u", GetUserId()));
	key.hash = hash_bytes_extended((const unsigned char *) key.owner.data, (int) key.owner.len, 0);
	key.hash = hash_bytes_extended((const unsigned char *) token.data, (int) token.len, key.hash);
	return key;
}

/*
 * Whether the row of a token stands for this transaction; deletes the row
 * otherwise.
 */
static bool
TokenStandsFor(const TokenTable *table, const TokenKey *key, const bytea *content)
{
	TokenRow	row;

	if (!TokenTableFind(table, key, &row))
		return false;
	if (TokenCounts(table, row.completed))
	{
		if (!row.same_token)
			InProgressError();
		if (IsRepetition(row.content, SliceOfVarlena(content)))
			return true;
	}
	TokenTableDelete(table, &row);
	return false;
}

/* Whether a token already stood for this transaction; if not, it does now. */
static bool
WasExecuted(const TokenTable *table, const TokenKey *key, bytea *content)
{
	if (TokenTableAdd(table, key, content))
		return false;
	if (TokenStandsFor(table, key, content))
		return true;
	/* only an administrator's statement can conflict */
	if (!TokenTableAdd(table, key, content))
		InProgressError();
	return false;
}

bool
TokenTake(Slice token, const bytea *digest, const Oid *tables, int n)
{
	TokenTable	table;
	TokenKey	key;
	bytea	   *content = MakeContent(digest, tables, n);
	bool		executed;

	if (memchr(token.data, '\0', token.len) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("ClientRequestToken must not contain U+0000")));
	/* the token would be stored before any table is opened for writing */
	PreventCommandIfReadOnly("a transaction with a ClientRequestToken");
	CheckTokensAreHere(tables, n);
	key = KeyOfToken(token);
	LockToken(&key);
	TokenTableOpen(&table);
	executed = WasExecuted(&table, &key, content);
	if (key.hash % SWEEP_EVERY == 0)
		TokenTableSweep(&table, (uint32) (key.hash >> 32));
	TokenTableClose(&table);
	return !executed;
}
