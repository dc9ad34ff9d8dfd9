/*
 * plan.c
 *	  Cached plans, by statement text and parameter types.
 *
 * Statements qualify and quote the names of relations, so that a plan does not
 * depend on search_path; PostgreSQL's plan cache handles changes of the
 * relations and of the role.
 *
 * The cache is bounded.  A plan may be in use further up the stack (a trigger
 * runs while its statement runs), so that only plans that this transaction has
 * not used are removed.
 */
#include "postgres.h"

#include "access/xact.h"
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "store/plan.h"
#include "table/object_names.h"
#include "table/objects.h"

#define PLAN_CACHE_SIZE		256
#define PLAN_MAX_ARGS		32	/* a plan with more arguments is not cached */

typedef struct PlanEntry
{
	uint64		hash;			/* hash of text and types; hash key */
	char	   *sql;
	int			nargs;
	Oid			argtypes[PLAN_MAX_ARGS];
	SPIPlanPtr	plan;
	TimestampTz used;			/* start of the last transaction that used it */
} PlanEntry;

static HTAB *plans = NULL;

static void
CreatePlanCache(void)
{
	const HASHCTL ctl = {.keysize = sizeof(uint64), .entrysize = sizeof(PlanEntry)};

	plans = hash_create("dynamo plans", 64, &ctl, HASH_ELEM | HASH_BLOBS);
}

static void
DropPlan(PlanEntry *entry)
{
	if (entry->plan != NULL)
		SPI_freeplan(entry->plan);
	if (entry->sql != NULL)
		pfree(entry->sql);
	hash_search(plans, &entry->hash, HASH_REMOVE, NULL);
}

static void
DropUnusedPlans(TimestampTz now)
{
	HASH_SEQ_STATUS status;
	PlanEntry  *entry;

	hash_seq_init(&status, plans);
	while ((entry = hash_seq_search(&status)) != NULL)
	{
		if (entry->used != now)
			DropPlan(entry);
	}
}

static SPIPlanPtr
PreparePlan(const char *sql, int nargs, Oid *argtypes)
{
	SPIPlanPtr	plan = SPI_prepare(sql, nargs, argtypes);

	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	return plan;
}

/*
 * Includes the types: a recreated table can have the same statement with other
 * key types.
 */
static uint64
StatementHash(const char *sql, int nargs, const Oid *argtypes)
{
	uint64		types = hash_bytes_extended((const unsigned char *) argtypes,
											(int) (nargs * sizeof(Oid)), 0);

	return hash_bytes_extended((const unsigned char *) sql, (int) strlen(sql), types);
}

static bool
EntryMatches(const PlanEntry *entry, const char *sql, int nargs, const Oid *argtypes)
{
	return entry->nargs == nargs &&
		memcmp(entry->argtypes, argtypes, nargs * sizeof(Oid)) == 0 &&
		strcmp(entry->sql, sql) == 0;
}

SPIPlanPtr
StorePlan(const char *sql, int nargs, Oid *argtypes)
{
	uint64		hash = StatementHash(sql, nargs, argtypes);
	TimestampTz now = GetCurrentTransactionStartTimestamp();
	PlanEntry  *entry;
	SPIPlanPtr	plan;
	char	   *text;
	bool		found;

	if (plans == NULL)
		CreatePlanCache();
	entry = hash_search(plans, &hash, HASH_FIND, NULL);
	if (entry != NULL && EntryMatches(entry, sql, nargs, argtypes))
	{
		entry->used = now;
		return entry->plan;
	}

	plan = PreparePlan(sql, nargs, argtypes);
	if (entry != NULL || nargs > PLAN_MAX_ARGS)
		return plan;			/* another text with this hash */
	if (SPI_keepplan(plan) != 0)
		elog(ERROR, "SPI_keepplan failed");

	if (hash_get_num_entries(plans) >= PLAN_CACHE_SIZE)
		DropUnusedPlans(now);
	text = MemoryContextStrdup(TopMemoryContext, sql);
	entry = hash_search(plans, &hash, HASH_ENTER, &found);
	entry->sql = text;
	entry->nargs = nargs;
	memcpy(entry->argtypes, argtypes, nargs * sizeof(Oid));
	entry->plan = plan;
	entry->used = now;
	return plan;
}

void
StatementCheckColumn(int column, Oid type)
{
	if (SPI_gettypeid(SPI_tuptable->tupdesc, column) != type)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" has a different type than in the definition of its table",
						SPI_fname(SPI_tuptable->tupdesc, column))));
}

Datum
StatementItem(uint64 row)
{
	bool		isnull;
	Datum		item;

	if (row == 0)
		StatementCheckColumn(1, ItemTypeOid());
	item = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 1, &isnull);
	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("null value in column \"%s\"", ITEM_COLUMN)));
	return item;
}

void
StatementCheckOneRow(void)
{
	if (SPI_processed > 1 && IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent delete")));
}

void
AppendRelationName(StringInfo sql, Relation rel)
{
	char	   *schema = get_namespace_name(RelationGetNamespace(rel));

	appendStringInfoString(sql, quote_qualified_identifier(schema, RelationGetRelationName(rel)));
}

char *
RelationSqlName(Oid relid)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relid)),
									  get_rel_name(relid));
}
