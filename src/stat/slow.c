/*
 * slow.c
 *	  Slow requests in the server log.
 */
#include "postgres.h"

#include <limits.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#include "stat/slow.h"

int			log_min_request_duration = -1;

void
SlowInit(void)
{
	DefineCustomIntVariable("dynamo.log_min_request_duration",
							"Duration from which on requests are logged; -1 turns it off.",
							"The server log gets a hash of the key, and no items.",
							&log_min_request_duration, -1, -1, INT_MAX, PGC_SUSET,
							GUC_UNIT_MS, NULL, NULL, NULL);
}

void
SlowNoteTable(const char *schema, const char *table)
{
	if (stat_current->table[0] == '\0')
		snprintf(stat_current->table, sizeof(stat_current->table), "%s.%s",
				 schema != NULL ? schema : "", table);
}

void
SlowNoteKey(const uint64 *hashes, int n)
{
	StatRequest *r = stat_current;

	if (r->nkeys++ > 0)
		return;
	r->nhashes = Min(n, STAT_HASHES);
	memcpy(r->hashes, hashes, r->nhashes * sizeof(uint64));
}

static void
AppendRequestKey(StringInfo out, const StatRequest *r)
{
	for (int i = 0; i < r->nhashes; i++)
		appendStringInfo(out, "%s%016llx", i == 0 ? ", key " : ":", (unsigned long long) r->hashes[i]);
	if (r->nkeys > 1)
		appendStringInfo(out, " and %d more", r->nkeys - 1);
}

void
SlowLog(const StatRequest *r, const char *operation, const char *request_id, int sqlstate)
{
	int64		duration = r->start != 0 ? GetCurrentTimestamp() - r->start : 0;
	StringInfoData what;

	if (log_min_request_duration < 0 || r->start == 0 ||
		duration < (int64) log_min_request_duration * 1000)
		return;
	initStringInfo(&what);
	appendStringInfoString(&what, operation);
	if (r->table[0] != '\0')
		appendStringInfo(&what, ", table \"%s\"%s", r->table, r->several ? " and others" : "");
	AppendRequestKey(&what, r);
	if (request_id != NULL)
		appendStringInfo(&what, ", request id %s", request_id);
	if (sqlstate != 0)
		appendStringInfo(&what, ", error %s", unpack_sql_state(sqlstate));
	ereport(LOG,
			(errmsg("duration: %lld.%03d ms  slow request: %s", (long long) (duration / 1000),
					(int) (duration % 1000), what.data),
			 errhidestmt(true), errhidecontext(true)));
	pfree(what.data);
}
