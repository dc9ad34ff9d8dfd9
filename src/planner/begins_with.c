/*
 * begins_with.c
 *	  dynamo.begins_with, and the upper bound of the values with a prefix.
 *
 * Everything works on bytes, never on collations, and raises no errors.  The
 * functions are leakproof, so that the planner may use an index for them
 * beneath row security and security barriers.
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/primnodes.h"

#include "compat.h"
#include "item/item.h"
#include "planner/begins_with.h"

/* Above every valid UTF-8 text: C0 is the lowest byte that occurs in none. */
#define TEXT_SENTINEL			0xFF

/*
 * Length of the bytea that is above every bytea an index can hold.  An index
 * entry is smaller than a page, and PostgreSQL's compression methods pack a
 * run of one byte by at most 255 to 1.
 */
#define BYTEA_SENTINEL_LENGTH	(BLCKSZ * 256)

/* Implements the functions on both text and bytea. */
DYNAMO_FUNCTION(dynamo_begins_with);
Datum
dynamo_begins_with(PG_FUNCTION_ARGS)
{
	struct varlena *value = PG_GETARG_VARLENA_PP(0);
	struct varlena *prefix = PG_GETARG_VARLENA_PP(1);
	bool		result = SliceBeginsWith(SliceOfVarlena(value), SliceOfVarlena(prefix));

	PG_FREE_IF_COPY(value, 0);
	PG_FREE_IF_COPY(prefix, 1);
	PG_RETURN_BOOL(result);
}

static struct varlena *
MakeVarlena(const void *data, Size len)
{
	struct varlena *result = palloc(VARHDRSZ + len);

	SET_VARSIZE(result, VARHDRSZ + len);
	memcpy(VARDATA(result), data, len);
	return result;
}

/*
 * Whether the planner made this call of prefix_upper for an index condition.
 * Such a condition needs a bound for every prefix, because no value is less
 * than NULL, and gets a sentinel.  The sentinel is not valid text and must not
 * reach users.  The planner's calls have a format that no query can write.
 */
static bool
IsCalledByIndexCondition(const FmgrInfo *flinfo)
{
	const Node *call = flinfo->fn_expr;

	return call != NULL && IsA(call, FuncExpr) &&
		((const FuncExpr *) call)->funcformat == PREFIX_UPPER_IN_PLAN;
}

DYNAMO_FUNCTION(dynamo_prefix_upper_text);
Datum
dynamo_prefix_upper_text(PG_FUNCTION_ARGS)
{
	struct varlena *upper = PrefixUpperText(PG_GETARG_VARLENA_PP(0));
	const uint8 sentinel = TEXT_SENTINEL;

	if (upper == NULL && IsCalledByIndexCondition(fcinfo->flinfo))
		upper = MakeVarlena(&sentinel, 1);
	if (upper == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(upper);
}

/*
 * The sentinel is long and rarely needed: it is made once for each call in a
 * query.
 */
static struct varlena *
GetByteaSentinel(FmgrInfo *flinfo)
{
	if (flinfo->fn_extra == NULL)
	{
		struct varlena *sentinel = MemoryContextAlloc(flinfo->fn_mcxt,
													  VARHDRSZ + BYTEA_SENTINEL_LENGTH);

		SET_VARSIZE(sentinel, VARHDRSZ + BYTEA_SENTINEL_LENGTH);
		memset(VARDATA(sentinel), 0xFF, BYTEA_SENTINEL_LENGTH);
		flinfo->fn_extra = sentinel;
	}
	return flinfo->fn_extra;
}

DYNAMO_FUNCTION(dynamo_prefix_upper_bytea);
Datum
dynamo_prefix_upper_bytea(PG_FUNCTION_ARGS)
{
	struct varlena *upper = PrefixUpperBytea(PG_GETARG_VARLENA_PP(0));

	if (upper == NULL && IsCalledByIndexCondition(fcinfo->flinfo))
		upper = GetByteaSentinel(fcinfo->flinfo);
	if (upper == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(upper);
}
