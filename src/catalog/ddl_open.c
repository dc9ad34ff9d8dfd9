/*
 * ddl_open.c
 *	  Opening tables whose definition is to be changed.
 */
#include "postgres.h"

#include "access/table.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/rel.h"

#include "catalog/ddl.h"
#include "compat.h"
#include "errors.h"

static Relation
OpenOwnTable(const char *table_name, LOCKMODE lockmode)
{
	Relation	rel = TableNameOpen(table_name, lockmode, true);

	if (rel == NULL || !RelationIsDynamoTable(rel))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: Table: %s not found", table_name),
				 rel == NULL ? errdetail("There is no table \"%s\" in the search path.", table_name) :
				 errdetail("\"%s\" is not a dynamo table.", RelationGetRelationName(rel))));
	if (!RelationOwnercheck(RelationGetRelid(rel), GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(rel));
	return rel;
}

Relation
OpenTableForDdl(const char *table_name, LOCKMODE lockmode)
{
	if (lockmode > AccessShareLock)
		table_close(OpenOwnTable(table_name, AccessShareLock), AccessShareLock);
	return OpenOwnTable(table_name, lockmode);
}

TableDef *
LockDefinition(const char *table_name, Oid *relid)
{
	Relation	rel = OpenTableForDdl(table_name, AccessExclusiveLock);
	TableDef   *held = TableDefAcquire(rel);
	TableDef   *def = TableDefParse(TableDefPrint(held));

	*relid = RelationGetRelid(rel);
	def->relid = *relid;
	TableDefRelease(held);
	table_close(rel, NoLock);
	return def;
}
