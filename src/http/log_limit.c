/*
 * log_limit.c
 *	  Limits the log messages that unauthenticated clients can cause, and counts their causes.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "http/log_limit.h"

typedef struct KindLimit
{
	pg_atomic_uint64 next;		/* time after which the next message is logged */
	pg_atomic_uint64 left_out;	/* messages suppressed since the last one */
	pg_atomic_uint64 all;		/* with those that were logged, since the server started */
} KindLimit;

static KindLimit *limits;

void
LogLimitAttach(void)
{
	bool		found;

	limits = ShmemInitStruct("dynamo HTTP log", LOG_KINDS * sizeof(KindLimit), &found);
	if (found)
		return;
	for (int i = 0; i < LOG_KINDS; i++)
	{
		pg_atomic_init_u64(&limits[i].next, 0);
		pg_atomic_init_u64(&limits[i].left_out, 0);
		pg_atomic_init_u64(&limits[i].all, 0);
	}
}

const char *
LogLimit(LogKind kind)
{
	static char text[64];
	KindLimit  *limit = &limits[kind];
	uint64		now = (uint64) GetCurrentTimestamp();
	uint64		next = pg_atomic_read_u64(&limit->next);
	uint64		left_out;

	(void) pg_atomic_fetch_add_u64(&limit->all, 1);
	if (now < next ||
		!pg_atomic_compare_exchange_u64(&limit->next, &next, now + USECS_PER_SEC))
	{
		(void) pg_atomic_fetch_add_u64(&limit->left_out, 1);
		return NULL;
	}
	left_out = pg_atomic_exchange_u64(&limit->left_out, 0);
	if (left_out == 0)
		return "";
	snprintf(text, sizeof(text), " (%llu more since the last message)",
			 (unsigned long long) left_out);
	return text;
}

uint64
LogLimitCount(LogKind kind)
{
	return pg_atomic_read_u64(&limits[kind].all);
}
