/*
 * ddl_relation.c
 *	  Creating the relations that hold secondary indexes.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/ddl.h"

/* "a", "b": the columns of an entry. */
static char *
EntryColumns(const TableDef *def, const IndexDef *index)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < index->nentry; i++)
		appendStringInfo(&out, "%s%s", i > 0 ? ", " : "",
						 quote_identifier(def->attributes[index->entry[i]].column));
	return out.data;
}

static bool
IsTableKey(const TableDef *def, int attribute)
{
	for (int i = 0; i < def->key.npartition + def->key.nsort; i++)
	{
		if (def->key_attributes[i] == attribute)
			return true;
	}
	return false;
}

/*
 * WHERE the partition attributes are there; those of the table's key always
 * are.  Sort attributes are not in it: a plain query on the partition alone
 * could not use the index otherwise.
 */
static char *
SparsePredicate(const TableDef *def, const IndexDef *index)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < index->key.npartition; i++)
	{
		if (IsTableKey(def, index->attributes[i]))
			continue;
		appendStringInfo(&out, "%s%s IS NOT NULL", out.len > 0 ? " AND " : " WHERE ",
						 quote_identifier(def->attributes[index->attributes[i]].column));
	}
	return out.data;
}

static void
CreateInlineIndex(Oid relid, const TableDef *def, const IndexDef *index)
{
	RunStatement("CREATE INDEX %s ON %s USING btree (%s)%s",
				 quote_identifier(index->relation),
				 QualifiedName(get_rel_namespace(relid), get_rel_name(relid)),
				 EntryColumns(def, index), SparsePredicate(def, index));
}

void
CreateIndexRelation(Oid relid, const TableDef *def, const IndexDef *index)
{
	if (index->storage == STORAGE_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("index tables are not implemented yet")));
	CreateInlineIndex(relid, def, index);
}
