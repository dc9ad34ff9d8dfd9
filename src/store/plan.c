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
 *
 * Statements with the rights of another role.  post_parse_analyze_hook sets
 * checkAsUser on their relations, as PostgreSQL does on those of a view, before
 * row security is applied.  PostgreSQL may analyze a cached statement again at
 * any time, and then calls the hook with the same text, at the same address.
 * The hook knows the statements by this address: as long as the text of one is
 * known here, its memory cannot contain another.
 */
#include "postgres.h"

#include "access/xact.h"
#include "common/hashfn.h"
#include "parser/analyze.h"
#include "rewrite/rewriteDefine.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/rel.h"

#include "extension_objects.h"
#include "store/plan.h"
#include "table/object_names.h"

#define PLAN_CACHE_SIZE		256
#define PLAN_MAX_ARGS		64	/* a plan with more arguments is not cached */

typedef struct PlanEntry
{
	uint64		hash;			/* hash of text and types; hash key */
	char	   *sql;
	int			nargs;
	Oid			argtypes[PLAN_MAX_ARGS];
	Oid			role;			/* with whose rights, as of StorePlanAs */
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

/* ---- statements with the rights of another role ---- */

typedef struct TextRole
{
	const char *text;			/* address of a cached plan's text; hash key */
	Oid			role;
} TextRole;

static HTAB *text_roles = NULL;
static TextRole preparing = {NULL, InvalidOid};	/* statement being prepared */
static post_parse_analyze_hook_type next_hook = NULL;

/* Returns the role whose rights a statement has; InvalidOid for all others. */
static Oid
RoleOfText(const char *text)
{
	const TextRole *known;

	if (text == NULL)
		return InvalidOid;
	if (text == preparing.text)
		return preparing.role;
	known = text_roles == NULL ? NULL : hash_search(text_roles, &text, HASH_FIND, NULL);
	return known == NULL ? InvalidOid : known->role;
}

static void
CheckAsRole(ParseState *state, Query *query, ConstantsOfQuery *constants)
{
	Oid			role = RoleOfText(state->p_sourcetext);

	if (OidIsValid(role))
		setRuleCheckAsUser((Node *) query, role);
	if (next_hook != NULL)
		next_hook(state, query, constants);
}

void
PlanInit(void)
{
	next_hook = post_parse_analyze_hook;
	post_parse_analyze_hook = CheckAsRole;
}

/* Returns the text of a plan, as PostgreSQL's cache keeps it. */
static const char *
TextOfPlan(SPIPlanPtr plan)
{
	return ((CachedPlanSource *) linitial(SPI_plan_get_plan_sources(plan)))->query_string;
}

static void
RememberRole(SPIPlanPtr plan, Oid role)
{
	const HASHCTL ctl = {.keysize = sizeof(char *), .entrysize = sizeof(TextRole)};
	const char *text = TextOfPlan(plan);
	bool		found;

	if (text_roles == NULL)
		text_roles = hash_create("dynamo roles of plans", 64, &ctl, HASH_ELEM | HASH_BLOBS);
	((TextRole *) hash_search(text_roles, &text, HASH_ENTER, &found))->role = role;
}

static void
ForgetRole(SPIPlanPtr plan)
{
	const char *text = TextOfPlan(plan);

	hash_search(text_roles, &text, HASH_REMOVE, NULL);
}

/* ---- plans ---- */

static void
DropPlan(PlanEntry *entry)
{
	if (entry->plan != NULL && OidIsValid(entry->role))
		ForgetRole(entry->plan);
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

/* Prepares a statement; the mark for the hook must be taken back after an error, too. */
static SPIPlanPtr
PreparePlan(const char *sql, int nargs, Oid *argtypes, Oid role)
{
	TextRole	outer = preparing;
	SPIPlanPtr	plan;

	preparing = (TextRole) {sql, role};
	PG_TRY();
	{
		plan = SPI_prepare(sql, nargs, argtypes);
	}
	PG_FINALLY();
	{
		preparing = outer;
	}
	PG_END_TRY();
	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	return plan;
}

/*
 * Includes the types: a recreated table can have the same statement with other
 * key types.
 */
static uint64
StatementHash(const char *sql, int nargs, const Oid *argtypes, Oid role)
{
	uint64		types = hash_bytes_extended((const unsigned char *) argtypes,
											(int) (nargs * sizeof(Oid)), role);

	return hash_bytes_extended((const unsigned char *) sql, (int) strlen(sql), types);
}

static bool
EntryMatches(const PlanEntry *entry, const char *sql, int nargs, const Oid *argtypes, Oid role)
{
	return entry->nargs == nargs && entry->role == role &&
		(nargs == 0 || memcmp(entry->argtypes, argtypes, nargs * sizeof(Oid)) == 0) &&
		strcmp(entry->sql, sql) == 0;
}

/* Keeps a plan as the entry of a hash that has none. */
static void
KeepPlan(uint64 hash, const char *sql, int nargs, const Oid *argtypes, Oid role, SPIPlanPtr plan)
{
	TimestampTz now = GetCurrentTransactionStartTimestamp();
	PlanEntry  *entry;
	char	   *text;
	bool		found;

	if (SPI_keepplan(plan) != 0)
		elog(ERROR, "SPI_keepplan failed");
	if (OidIsValid(role))
		RememberRole(plan, role);
	if (hash_get_num_entries(plans) >= PLAN_CACHE_SIZE)
		DropUnusedPlans(now);
	text = MemoryContextStrdup(TopMemoryContext, sql);
	entry = hash_search(plans, &hash, HASH_ENTER, &found);
	entry->sql = text;
	entry->nargs = nargs;
	if (nargs > 0)
		memcpy(entry->argtypes, argtypes, nargs * sizeof(Oid));
	entry->role = role;
	entry->plan = plan;
	entry->used = now;
}

/*
 * Another text with the same hash has the next one: a plan with the rights of
 * another role must be kept, because PostgreSQL may analyze it again.
 */
SPIPlanPtr
StorePlanAs(const char *sql, int nargs, Oid *argtypes, Oid role)
{
	uint64		hash = StatementHash(sql, nargs, argtypes, role);
	PlanEntry  *entry;
	SPIPlanPtr	plan;

	if (plans == NULL)
		CreatePlanCache();
	while ((entry = hash_search(plans, &hash, HASH_FIND, NULL)) != NULL)
	{
		if (EntryMatches(entry, sql, nargs, argtypes, role))
		{
			entry->used = GetCurrentTransactionStartTimestamp();
			return entry->plan;
		}
		hash++;
	}
	if (nargs > PLAN_MAX_ARGS && OidIsValid(role))
		elog(ERROR, "statement with %d parameters is too long", nargs);
	plan = PreparePlan(sql, nargs, argtypes, role);
	if (nargs <= PLAN_MAX_ARGS)
		KeepPlan(hash, sql, nargs, argtypes, role, plan);
	return plan;
}

SPIPlanPtr
StorePlan(const char *sql, int nargs, Oid *argtypes)
{
	return StorePlanAs(sql, nargs, argtypes, InvalidOid);
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
