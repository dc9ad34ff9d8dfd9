/*
 * trigger.c
 *	  The extension's triggers, which contain the definition, maintain index
 *	  tables and guard them against other writes.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "commands/trigger.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "ddl/ddl.h"
#include "ddl/event.h"
#include "extension_objects.h"

void
StoreTrigger(const char *table, const char *name, const char *when,
			 const char *function, const char *argument)
{
	RunStatement("CREATE OR REPLACE TRIGGER %s %s EXECUTE FUNCTION %s.%s(%s)",
				 quote_identifier(name), psprintf(when, table),
				 SYSTEM_SCHEMA, function, argument);
	RunStatement("ALTER TABLE %s ENABLE ALWAYS TRIGGER %s", table, quote_identifier(name));
}

static bool
HasTrigger(Oid relid, const char *name)
{
	return OidIsValid(get_trigger_oid(relid, name, true));
}

void
DropTrigger(Oid relid, const char *table, const char *name)
{
	if (HasTrigger(relid, name))
		RunStatement("DROP TRIGGER %s ON %s", quote_identifier(name), table);
}

bool
HasIndexTables(const TableDef *def)
{
	for (int i = 0; i < def->nindexes; i++)
	{
		if (def->indexes[i].kind->own_entries)
			return true;
	}
	return false;
}

static void
StoreTruncation(Oid relid, bool needed)
{
	char	   *table = QualifiedName(get_rel_namespace(relid), get_rel_name(relid));

	if (needed)
		StoreTrigger(table, TRIGGER_TRUNCATE_INDEXES, "AFTER TRUNCATE ON %s FOR EACH STATEMENT",
					 FUNCTION_MAINTAIN_INDEXES, "");
	else
		DropTrigger(relid, table, TRIGGER_TRUNCATE_INDEXES);
}

void
StorePartitionTriggers(Oid partition)
{
	const TableDef *def = RootDefinition(partition);

	if (def != NULL && HasIndexTables(def) && !HasTrigger(partition, TRIGGER_TRUNCATE_INDEXES))
		StoreTruncation(partition, true);
}

/*
 * Whether a table or a partition of it has a trigger that fires after
 * derive_keys.
 */
static bool
HasLaterTrigger(Oid relid)
{
	bool		has_later = false;
	ListCell   *cell;

	foreach(cell, find_all_inheritors(relid, AccessShareLock, NULL))
	{
		/* the table itself may not be locked: the statement can concern one partition */
		Relation	rel = relation_open(lfirst_oid(cell), AccessShareLock);

		has_later |= FindLaterTriggers(rel) != NIL;
		relation_close(rel, NoLock);
	}
	return has_later;
}

bool
NeedsRowMaintenance(Oid relid, const TableDef *def)
{
	return HasIndexTables(def) || HasLaterTrigger(relid);
}

void
StoreRowMaintenance(Oid relid, const TableDef *def)
{
	char	   *table = QualifiedName(get_rel_namespace(relid), get_rel_name(relid));

	if (NeedsRowMaintenance(relid, def))
		StoreTrigger(table, TRIGGER_MAINTAIN_INDEXES,
					 "AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW",
					 FUNCTION_MAINTAIN_INDEXES, "");
	else
		DropTrigger(relid, table, TRIGGER_MAINTAIN_INDEXES);
}

/*
 * Creates or drops the two triggers that maintain index tables.  Partitions
 * inherit the row trigger, but not the statement trigger.
 */
void
StoreAllMaintenance(Oid relid, const TableDef *def)
{
	bool		needed = HasIndexTables(def);
	ListCell   *cell;

	StoreRowMaintenance(relid, def);
	StoreTruncation(relid, needed);
	if (get_rel_relkind(relid) != RELKIND_PARTITIONED_TABLE)
		return;
	foreach(cell, find_all_inheritors(relid, AccessShareLock, NULL))
	{
		if (lfirst_oid(cell) != relid && get_rel_relkind(lfirst_oid(cell)) != RELKIND_FOREIGN_TABLE)
			StoreTruncation(lfirst_oid(cell), needed);
	}
}

void
StoreDefinition(Oid relid, const TableDef *def)
{
	char	   *table = QualifiedName(get_rel_namespace(relid), get_rel_name(relid));
	int			level = DistributedDdlBegin(relid);

	StoreTrigger(table, TRIGGER_DERIVE_KEYS, "BEFORE INSERT OR UPDATE ON %s FOR EACH ROW",
				 FUNCTION_DERIVE_KEYS, quote_literal_cstr(TableDefPrint(def)));
	StoreAllMaintenance(relid, def);
	DistributedDdlEnd(level);
}

static void
GuardTruncate(Oid relid)
{
	StoreTrigger(QualifiedName(get_rel_namespace(relid), get_rel_name(relid)),
				 TRIGGER_GUARD_TRUNCATE, "BEFORE TRUNCATE ON %s FOR EACH STATEMENT",
				 FUNCTION_GUARD_INDEX, "");
}

static void
GuardRows(Oid relid)
{
	StoreTrigger(QualifiedName(get_rel_namespace(relid), get_rel_name(relid)),
				 TRIGGER_GUARD_INDEX, "BEFORE INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW",
				 FUNCTION_GUARD_INDEX, "");
}

/*
 * Each shard has its own triggers.  A parallel pg_restore creates those of a table after the
 * table's rows, and a partitioned table has none: the rows of its partitions would be
 * copied after a trigger that they inherit, and skipped.
 */
void
StoreGuards(Oid index_table)
{
	ListCell   *cell;

	if (get_rel_relkind(index_table) != RELKIND_PARTITIONED_TABLE)
		GuardRows(index_table);
	GuardTruncate(index_table);
	foreach(cell, find_inheritance_children(index_table, AccessShareLock))
	{
		GuardRows(lfirst_oid(cell));
		GuardTruncate(lfirst_oid(cell));
	}
}
