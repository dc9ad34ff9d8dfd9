/*
 * restore_order.c
 *	  Triggers that a parallel pg_restore may create only after the rows of partitions.
 *
 * Such a restore creates a trigger as soon as the rows of the relations are there on which it
 * depends.  A partitioned table has no rows of its own, so that its triggers would fire for
 * rows of partitions that are copied later: they would write entries of index tables and
 * records of streams that the dump contains, too.  These triggers therefore depend on each
 * partition.  It can be neither dropped nor detached without them in any case.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "nodes/parsenodes.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "ddl/ddl.h"
#include "ddl/event.h"
#include "ddl/feature.h"
#include "extension_objects.h"

static bool
KeepsPartitions(Oid function)
{
	const DdlFeature *feature = FeatureOfFunction(function);

	return function == SystemFunctionOid(FUNCTION_MAINTAIN_INDEXES) ||
		(feature != NULL && feature->check_partitions != NULL);
}

/* maintain_indexes is also the trigger of tables without index tables, whose partitions may change. */
static bool
FollowsRows(const Trigger *trigger, const TableDef *def)
{
	return TRIGGER_FOR_ROW(trigger->tgtype) && KeepsPartitions(trigger->tgfoid) &&
		(trigger->tgfoid != SystemFunctionOid(FUNCTION_MAINTAIN_INDEXES) || HasIndexTables(def));
}

/* The relations on which a trigger depends. */
static List *
RelationsOfTrigger(Oid trigger)
{
	Relation	rel = table_open(DependRelationId, AccessShareLock);
	List	   *relids = NIL;
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&keys[0], Anum_pg_depend_classid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(TriggerRelationId));
	ScanKeyInit(&keys[1], Anum_pg_depend_objid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(trigger));
	scan = systable_beginscan(rel, DependDependerIndexId, true, NULL, 2, keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend form = (Form_pg_depend) GETSTRUCT(tuple);

		if (form->refclassid == RelationRelationId)
			relids = lappend_oid(relids, form->refobjid);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return relids;
}

static void
FollowRows(Oid trigger, const List *partitions)
{
	const List *known = RelationsOfTrigger(trigger);
	const ListCell *cell;

	foreach(cell, partitions)
	{
		ObjectAddress depender;
		ObjectAddress partition;

		if (get_rel_relkind(lfirst_oid(cell)) != RELKIND_RELATION || list_member_oid(known, lfirst_oid(cell)))
			continue;
		ObjectAddressSet(depender, TriggerRelationId, trigger);
		ObjectAddressSet(partition, RelationRelationId, lfirst_oid(cell));
		recordDependencyOn(&depender, &partition, DEPENDENCY_NORMAL);
	}
}

static void
TriggersFollow(Oid table, const List *partitions)
{
	Relation	rel = RootOpen(table);
	const TableDef *def = rel != NULL ? TableDefCopy(rel) : NULL;
	const TriggerDesc *triggers = def != NULL ? CopyTriggerDesc(rel->trigdesc) : NULL;

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		if (FollowsRows(&triggers->triggers[i], def))
			FollowRows(triggers->triggers[i].tgoid, partitions);
	}
	if (rel != NULL)
		table_close(rel, AccessShareLock);
}

void
TriggersFollowPartitions(Oid table)
{
	if (get_rel_relkind(table) == RELKIND_PARTITIONED_TABLE)
		TriggersFollow(table, find_all_inheritors(table, AccessShareLock, NULL));
}

void
TriggersFollowPartition(Oid partition)
{
	TriggersFollow(partition, list_make1_oid(partition));
}

/* DROP TRIGGER itself is refused before it begins. */
void
CheckPartitionsRemain(const DroppedTrigger *trigger, const Node *statement)
{
	if (trigger->is_clone || !IsTable(trigger->relid) || !KeepsPartitions(trigger->function) ||
		(IsA(statement, DropStmt) && ((const DropStmt *) statement)->removeType == OBJECT_TRIGGER))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("cannot drop a partition of dynamo table \"%s\"", get_rel_name(trigger->relid)),
			 errdetail("The table has index tables or a stream, which would not be changed with it.")));
}
