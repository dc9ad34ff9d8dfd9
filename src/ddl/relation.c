/*
 * relation.c
 *	  Creates the relations of secondary indexes.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "ddl/ddl.h"
#include "extension_objects.h"
#include "table/link.h"
#include "table/object_names.h"

char *
EntryColumns(const TableDef *def, const IndexDef *index)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < index->nentry; i++)
		appendStringInfo(&out, "%s%s", i > 0 ? ", " : "",
						 quote_identifier(EntryAttribute(def, index, i)->column));
	return out.data;
}

/* ---- index tables ---- */

static char *
IndexTableColumns(const TableDef *def, const IndexDef *index)
{
	const IndexColumn *before = index->kind->before;
	const IndexColumn *beside = index->kind->beside;
	StringInfoData out;

	initStringInfo(&out);
	if (before != NULL)
		appendStringInfo(&out, "%s %s NOT NULL, ", before->name, before->type);
	for (int i = 0; i < index->nentry; i++)
		appendStringInfo(&out, "%s NOT NULL, ", ColumnClause(EntryAttribute(def, index, i)));
	if (beside != NULL)
		appendStringInfo(&out, "%s %s NOT NULL, ", beside->name, beside->type);
	appendStringInfo(&out, "%s %s.item NOT NULL, PRIMARY KEY (%s%s%s)",
					 ITEM_COLUMN, DYNAMO_SCHEMA, EntryColumns(def, index),
					 before != NULL ? ", " : "", before != NULL ? before->name : "");
	return out.data;
}

/* Gives an index table and its shards the owner of the table. */
static void
GiveToOwner(const char *relation, Oid owner)
{
	if (owner != GetUserId())
		RunStatement("ALTER TABLE %s OWNER TO %s", relation,
					 quote_identifier(GetUserNameFromId(owner, false)));
}

void
MatchPersistence(Oid relid, Oid index_table)
{
	char		persistence = get_rel_persistence(relid);

	if (get_rel_relkind(index_table) != RELKIND_RELATION ||
		persistence == get_rel_persistence(index_table) ||
		persistence == RELPERSISTENCE_TEMP)
		return;
	RunStatement("ALTER TABLE %s SET %s",
				 QualifiedName(get_rel_namespace(index_table), get_rel_name(index_table)),
				 persistence == RELPERSISTENCE_UNLOGGED ? "UNLOGGED" : "LOGGED");
}

bool
HasRowSecurity(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	bool		result;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", relid);
	result = ((Form_pg_class) GETSTRUCT(tuple))->relrowsecurity;
	ReleaseSysCache(tuple);
	return result;
}

void
MatchRowSecurity(Oid relid, Oid index_table)
{
	bool		wanted = HasRowSecurity(relid);

	if (wanted != HasRowSecurity(index_table))
		RunStatement("ALTER TABLE %s %s ROW LEVEL SECURITY",
					 QualifiedName(get_rel_namespace(index_table), get_rel_name(index_table)),
					 wanted ? "ENABLE" : "DISABLE");
}

Oid
CreateTableBeside(Oid relid, const char *name, const char *clauses)
{
	Oid			schema = get_rel_namespace(relid);
	Oid			created;

	RunStatement("CREATE TABLE %s %s", QualifiedName(schema, name), clauses);
	created = get_relname_relid(name, schema);
	GiveToOwner(QualifiedName(schema, name), RelationOwner(relid));
	MatchPersistence(relid, created);
	MatchRowSecurity(relid, created);
	return created;
}

void
CreateIndexTable(Oid relid, const TableDef *def, const IndexDef *index, bool limited)
{
	const IndexKind *kind = index->kind;
	Oid			index_table = CreateTableBeside(relid, index->relation,
												psprintf("(%s) %s", IndexTableColumns(def, index),
														 kind->table_clauses(index)));

	if (kind->complete_table != NULL)
		kind->complete_table(relid, index_table, def, index);
	StoreGuards(index_table);
	StoreLink(index_table, relid, index->relation);
	if (kind->before_filling != NULL)
		kind->before_filling(index_table, def, index);
}

void
DropIndexRelation(Oid relid)
{
	char		kind = get_rel_relkind(relid);

	RunStatement("DROP %s %s",
				 kind == RELKIND_INDEX || kind == RELKIND_PARTITIONED_INDEX ? "INDEX" : "TABLE",
				 QualifiedName(get_rel_namespace(relid), get_rel_name(relid)));
}
