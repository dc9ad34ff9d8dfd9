/*
 * restoring.c
 *	  Whether rows or statements come from a dump.
 *
 * A dump contains a table's rows, its index tables and its stream.  From a data-only
 * dump they come into tables that have their triggers.  Index tables and totals are
 * kept meanwhile as for any row, so that they are right in the end whatever was in the
 * table before and in whatever order the rows come.  But none of it is recorded in the
 * stream: the records of the dump tell of it already, with the numbers that new records
 * would get.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/rel.h"
#include "utils/rls.h"

#include "compat.h"
#include "table/restoring.h"

/* The table whose restored rows are the reason for the current writes. */
static Oid	restored = InvalidOid;

static Oid	stored_again = InvalidOid;

bool
IsDumpScript(void)
{
	return !check_function_bodies && namespace_search_path[0] == '\0';
}

bool
IsRestoring(Relation rel)
{
	return IsDumpScript() && !row_security &&
		RelationOwnercheck(RelationGetRelid(rel), GetUserId());
}

Oid
RestoredRowsBegin(Relation rel)
{
	Oid			outer = restored;

	if (IsRestoring(rel))
		restored = RelationGetRelid(rel);
	return outer;
}

void
RestoredRowsEnd(Oid outer)
{
	restored = outer;
}

void
SetStoredAgain(Oid relid)
{
	stored_again = relid;
}

bool
IsStoredAgain(Oid relid)
{
	return OidIsValid(stored_again) && stored_again == relid;
}

bool
IsWriteOfRestored(Relation rel)
{
	return restored == RelationGetRelid(rel);
}
