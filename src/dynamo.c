/*
 * dynamo.c
 *	  Module magic and start-up: every module registers what it owns.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/guc.h"

#include "compat.h"
#include "request/operation.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	RequestInit();
	MarkGUCPrefixReserved("dynamo");
}
