/*
 * open_for_ddl.c
 *	  Opens tables whose definition will be changed.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "ddl/brief_lock.h"
#include "ddl/ddl.h"
#include "errors.h"
#include "extension_objects.h"
#include "table/distribution.h"
#include "table/table_name.h"

/*
 * Refuses partition keys with expressions, at any depth.  Statements on a
 * table run as the caller, and looking up its partitions evaluates the owner's
 * expressions.
 */
static void
RefuseExpressionKeys(Relation rel)
{
	ListCell   *cell;

	if (rel->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		return;
	foreach(cell, find_all_inheritors(RelationGetRelid(rel), NoLock, NULL))
	{
		if (IsPartitionedByExpression(lfirst_oid(cell)))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("table \"%s\" is partitioned by an expression", get_rel_name(lfirst_oid(cell))),
					 errdetail("A dynamo table must be partitioned by key columns.")));
	}
}

static Relation
OpenOwnTable(const char *table_name, LOCKMODE lockmode)
{
	Relation	rel = TableNameOpen(table_name, lockmode, true);

	if (rel == NULL || !RelationIsDynamoTable(rel))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: Table: %s not found", TableNameForMessage(table_name)),
				 rel == NULL ? TableNameMissingDetail(table_name) :
				 errdetail("\"%s\" is not a dynamo table.", RelationGetRelationName(rel))));
	if (!RelationOwnercheck(RelationGetRelid(rel), GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(rel));
	RefuseExpressionKeys(rel);
	return rel;
}

Relation
OpenTableForDrop(const char *table_name, LOCKMODE lockmode)
{
	if (lockmode > AccessShareLock)
	{
		Relation	rel = OpenOwnTable(table_name, AccessShareLock);
		Oid			relid = RelationGetRelid(rel);

		table_close(rel, AccessShareLock);
		LockRelationBriefly(relid, lockmode);
	}
	return OpenOwnTable(table_name, lockmode);
}

Relation
OpenTableForDdl(const char *table_name, LOCKMODE lockmode)
{
	Relation	rel = OpenTableForDrop(table_name, lockmode);

	RefuseDistributed(rel, "this operation");
	return rel;
}

/* Refuses what could not be changed with a distributed table on all nodes. */
static void
CheckCanChangeOnAllNodes(Relation rel)
{
	TableDef   *def;

	RefuseShard(rel, "this operation");
	if (!RelationIsDistributed(RelationGetRelid(rel)))
		return;
	if (ServerIsWorker())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot change distributed table \"%s\" on a worker node of Citus",
						RelationGetRelationName(rel)),
				 errhint("Call the function on the coordinator.")));
	def = TableDefAcquire(rel);
	if (def->undistributable != NULL)
		DistributedError(def->relid, def->undistributable);
	TableDefRelease(def);
}

Relation
OpenAnyTableForDdl(const char *table_name, LOCKMODE lockmode)
{
	Relation	rel;
	Oid			relid;

	if (lockmode > AccessShareLock)
	{
		rel = OpenOwnTable(table_name, AccessShareLock);
		CheckCanChangeOnAllNodes(rel);
		relid = RelationGetRelid(rel);
		table_close(rel, AccessShareLock);
		if (RelationIsDistributed(relid))
			LockOnAllNodes(relid, lockmode);
		else
			LockRelationBriefly(relid, lockmode);
	}
	rel = OpenOwnTable(table_name, lockmode);
	CheckCanChangeOnAllNodes(rel);
	return rel;
}

/* Copies the definition of an open table, and closes the table. */
static TableDef *
CopyAndClose(Relation rel, Oid *relid)
{
	TableDef   *held = TableDefAcquire(rel);
	TableDef   *def = TableDefParse(TableDefPrint(held));

	*relid = RelationGetRelid(rel);
	def->relid = *relid;
	TableDefRelease(held);
	table_close(rel, NoLock);
	return def;
}

TableDef *
LockDefinition(const char *table_name, LOCKMODE lockmode, Oid *relid)
{
	return CopyAndClose(OpenTableForDdl(table_name, lockmode), relid);
}

TableDef *
LockAnyDefinition(const char *table_name, LOCKMODE lockmode, Oid *relid)
{
	return CopyAndClose(OpenAnyTableForDdl(table_name, lockmode), relid);
}
