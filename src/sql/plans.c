/*
 * plans.c
 *	  SPI plans that live as long as a memory context.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "sql/plans.h"

static void
FreePlan(void *arg)
{
	SPI_freeplan(arg);
}

SPIPlanPtr
PrepareForContext(MemoryContext context, const char *sql, int nargs, Oid *types)
{
	MemoryContextCallback *callback = MemoryContextAllocZero(context, sizeof(MemoryContextCallback));
	SPIPlanPtr	plan = SPI_prepare(sql, nargs, types);

	if (plan == NULL || SPI_keepplan(plan) != 0)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	callback->func = FreePlan;
	callback->arg = plan;
	MemoryContextRegisterResetCallback(context, callback);
	return plan;
}

char *
RelationSqlName(Oid relid)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relid)),
									  get_rel_name(relid));
}
