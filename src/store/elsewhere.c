/*
 * elsewhere.c
 *	  Who reads and writes rows on other nodes; without anybody, there are none.
 */
#include "postgres.h"

#include "store/elsewhere.h"

static bool
NoRequests(void)
{
	return false;
}

static bool
NoCoordinator(void)
{
	return false;
}

static bool
NoRecords(Relation rel, const TableDef *def)
{
	return false;
}

static const ElsewhereMethods nowhere = {
	.executes_requests = NoRequests,
	.coordinator_is_known = NoCoordinator,
	.records_changes = NoRecords
};

const ElsewhereMethods *elsewhere = &nowhere;

void
ElsewhereRegister(const ElsewhereMethods *methods)
{
	elsewhere = methods;
}
