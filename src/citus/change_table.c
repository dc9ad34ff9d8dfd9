/*
 * change_table.c
 *	  Creates change tables, and opens their shards.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type_d.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "citus/changes.h"
#include "extension_objects.h"
#include "table/link.h"

#define CHANGE_FILLFACTOR	100

static const char *const column_clauses =
"dynamo_number pg_catalog.int8 NOT NULL, dynamo_time pg_catalog.timestamptz NOT NULL, "
"dynamo_old dynamo.item, dynamo_new dynamo.item";

/* ---- creating ---- */

Oid
ChangeTableCreate(Oid relid, const TableDef *def)
{
	Oid			schema = get_rel_namespace(relid);
	StringInfoData columns;
	StringInfoData key;
	Oid			created;

	initStringInfo(&columns);
	initStringInfo(&key);
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		appendStringInfo(&columns, "%s NOT NULL, ", ColumnClause(TableKeyAttribute(def, i)));
		appendStringInfo(&key, "%s, ", quote_identifier(TableKeyAttribute(def, i)->column));
	}
	created = CreateTableBeside(relid, ChooseIndexRelation(def, schema, get_rel_name(relid), "changes"),
								psprintf("(%s%s, PRIMARY KEY (%sdynamo_number)) WITH (fillfactor = %d)",
										 columns.data, column_clauses, key.data, CHANGE_FILLFACTOR));
	StoreGuards(created);
	StoreLink(created, relid, CHANGES_LABEL);
	return created;
}

/* ---- opening ---- */

static bool
HasChangeColumns(Relation rel, const TableDef *def)
{
	const Oid	types[CHANGE_NCOLUMNS] = {INT8OID, TIMESTAMPTZOID, def->item_type, def->item_type};
	TupleDesc	desc = RelationGetDescr(rel);
	int			nkey = KeyCount(&def->key);

	if (desc->natts != nkey + CHANGE_NCOLUMNS)
		return false;
	for (int i = 0; i < desc->natts; i++)
	{
		Oid			type = i < nkey ? KeyColumnType(TableKeyAttribute(def, i)->type) : types[i - nkey];

		if (TupleDescAttr(desc, i)->atttypid != type)
			return false;
	}
	return true;
}

/* Whether the primary key consists of the key of the item and the number. */
static bool
HasChangeKey(Relation rel, const TableDef *def)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(PrimaryKeyIndex(rel)));
	Form_pg_index form;
	bool		fits;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_index) GETSTRUCT(tuple);
	fits = form->indnatts == KeyCount(&def->key) + 1 && form->indnkeyatts == form->indnatts && form->indisvalid;
	for (int i = 0; fits && i < form->indnatts; i++)
		fits = form->indkey.values[i] == i + 1;
	ReleaseSysCache(tuple);
	return fits;
}

Relation
ChangeShardOpen(Oid relid, const TableDef *def, Oid owner)
{
	Relation	rel = try_table_open(relid, RowExclusiveLock);

	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to the move of a shard of table \"%s\"",
						get_rel_name(def->relid))));
	if (rel->rd_rel->relkind != RELKIND_RELATION || rel->rd_rel->relowner != owner ||
		!HasChangeColumns(rel, def) || !HasChangeKey(rel, def) ||
		!HasTriggerOf(rel, SystemFunctionOid(FUNCTION_GUARD_INDEX)))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("\"%s\" does not have the changes of table \"%s\"",
						RelationGetRelationName(rel), get_rel_name(def->relid)),
				 errdetail("It must have the owner of the table, the columns and the primary key of a change table, and the trigger dynamo_system.guard_index.")));
	return rel;
}
