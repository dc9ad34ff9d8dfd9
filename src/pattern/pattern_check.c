/*
 * pattern_check.c
 *	  C functions of dynamo.check_access_patterns, which is written in SQL.
 */
#include "postgres.h"

#include "executor/instrument.h"
#include "fmgr.h"
#include "utils/builtins.h"

#include "compat.h"

/* buffers_used() returns bigint */
DYNAMO_FUNCTION(dynamo_buffers_used);
Datum
dynamo_buffers_used(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(pgBufferUsage.shared_blks_hit + pgBufferUsage.shared_blks_read);
}

/* refuse_findings(table_name text, findings text) returns boolean */
DYNAMO_FUNCTION(dynamo_refuse_findings);
Datum
dynamo_refuse_findings(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_BOOL(true);
	ereport(ERROR,
			(errcode(ERRCODE_CHECK_VIOLATION),
			 errmsg("access patterns of table \"%s\" have problems", text_to_cstring(PG_GETARG_TEXT_PP(0))),
			 errdetail("%s", text_to_cstring(PG_GETARG_TEXT_PP(1)))));
}
