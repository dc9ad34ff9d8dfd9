/*
 * event_drop.c
 *	  The event trigger after DROP: refuses to drop relations of indexes and
 *	  streams alone.  With a table, it drops its index tables and settings, and
 *	  closes its streams.
 *
 * A link (link.h) is dropped with either of its tables; if the other table
 * remains, only the link existed there.  A btree is dropped with a column of
 * its table (event.c), or by DROP INDEX (event_start.c).
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "ddl/ddl.h"
#include "ddl/event.h"
#include "ddl/feature.h"
#include "extension_objects.h"
#include "stat/stat.h"
#include "table/distribution.h"
#include "table/index_relation.h"
#include "table/link.h"

void
RefuseDropOfIndex(const IndexDef *index, Oid table, const char *verb)
{
	ereport(ERROR,
			(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
			 errmsg("cannot %s \"%s\" because it contains index \"%s\" of table \"%s\"",
					verb, index->relation, index->name, get_rel_name(table)),
			 errhint("Use dynamo.drop_index.")));
}

/* ---- a dropped relation whose table remains ---- */

/*
 * Refuses the drop if the table needs this index table and has no other for
 * the index.
 */
static void
RefuseDropOfIndexTable(const DroppedTrigger *link, Relation table)
{
	const TableDef *def = TableDefCopy(table);
	const IndexDef *index = def != NULL ? TableDefIndexOfRelation(def, link->argument) : NULL;

	if (index != NULL && index->kind->own_entries &&
		!OidIsValid(FindIndexRelation(def, index)))
		RefuseDropOfIndex(index, link->other, "drop");
}

/*
 * Refuses the drop of the changes that the index tables of a table have yet to get.  A table
 * that was restored from a dump has none to come.
 */
static void
RefuseDropOfChanges(const DroppedTrigger *link)
{
	if (strcmp(link->argument, CHANGES_LABEL) == 0 && RelationIsDistributed(link->other) &&
		!OidIsValid(FindChangeTable(link->other)))
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("cannot drop the table with changes of table \"%s\"", get_rel_name(link->other)),
				 errhint("Use dynamo.undistribute_table.")));
}

static void
RefuseDropOfLinked(const DroppedTrigger *link)
{
	Relation	table = IsTable(link->other) ? try_table_open(link->other, AccessShareLock) : NULL;

	if (table == NULL)
		return;
	if (!StatementIsOfNode())
	{
		RefuseDropOfIndexTable(link, table);
		RefuseDropOfChanges(link);
	}
	CALL_FEATURES(check_linked_drop, table, link->argument);
	table_close(table, AccessShareLock);
}

/* ---- a dropped table whose relations remain ---- */

/*
 * A user who drops a table may also drop its index tables, for example as the
 * owner of the schema.
 */
static bool
MayDrop(Oid relid)
{
	return RelationOwnercheck(relid, GetUserId()) ||
		NamespaceOwnercheck(get_rel_namespace(relid), GetUserId());
}

static bool
HasTriggerOfFunction(Oid relid, const char *function)
{
	Relation	rel = try_table_open(relid, AccessShareLock);
	bool		found;

	if (rel == NULL)
		return false;
	found = HasTriggerOf(rel, SystemFunctionOid(function));
	table_close(rel, AccessShareLock);
	return found;
}

static void
FollowDropOfTable(Oid relid)
{
	if (HasTriggerOfFunction(relid, FUNCTION_GUARD_INDEX))
	{
		if (MayDrop(relid))
			RunStatement("DROP TABLE %s", QualifiedName(get_rel_namespace(relid), get_rel_name(relid)));
	}
	else
		CALL_FEATURES(follow_drop, relid);
}

/* ---- the event trigger ---- */

static void
FollowDropOfLink(const DroppedTrigger *link)
{
	bool		table_stays = IsTable(link->other);

	if (link->is_clone || link->nargs != 1 || IsTable(link->relid) == table_stays)
		return;
	if (!table_stays && !StatementIsOfNode())
		FollowDropOfTable(link->relid);
	else if (table_stays && !StatementIsOurs())
		RefuseDropOfLinked(link);
}

static void
FollowDrop(const DroppedTrigger *trigger)
{
	if (trigger->function == SystemFunctionOid(FUNCTION_DERIVE_KEYS) &&
		!trigger->is_clone && !IsTable(trigger->relid))
	{
		CALL_FEATURES(forget_table, trigger->relid);
		StatForget(trigger->relid);
	}
	else if (trigger->function == SystemFunctionOid(FUNCTION_BELONGS_TO))
		FollowDropOfLink(trigger);
	else if (trigger->changes_rows && IsTable(trigger->relid))
		FollowTriggerOrder(trigger->relid, true);
}

DYNAMO_FUNCTION(dynamo_sql_drop);

Datum
dynamo_sql_drop(PG_FUNCTION_ARGS)
{
	const Node *statement = EventTriggerCall(fcinfo)->parsetree;
	List	   *triggers;
	ListCell   *cell;

	SPI_connect();
	triggers = DroppedTriggers();
	foreach(cell, triggers)
	{
		CheckPartitionsRemain(lfirst(cell), statement);
		FollowDrop(lfirst(cell));
	}
	SPI_finish();
	PG_RETURN_NULL();
}
