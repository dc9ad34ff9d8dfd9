/*
 * relation_change.c
 *	  Notice of changed relations.
 */
#include "postgres.h"

#include "utils/inval.h"

#include "table/relation_change.h"

#define MAX_CALLBACKS	4

static RelationChangeCallback callbacks[MAX_CALLBACKS];
static int	ncallbacks;

static void
RelationChanged(Datum arg, Oid relid)
{
	for (int i = 0; i < ncallbacks; i++)
		callbacks[i] (relid);
}

void
OnRelationChange(RelationChangeCallback callback)
{
	if (ncallbacks == MAX_CALLBACKS)
		elog(ERROR, "too many functions are to be called for changed relations");
	if (ncallbacks == 0)
		CacheRegisterRelcacheCallback(RelationChanged, (Datum) 0);
	callbacks[ncallbacks++] = callback;
}
