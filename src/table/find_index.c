/*
 * find_index.c
 *	  Finds an index in a table's definition, and tells of one that is missing or
 *	  cannot be read.
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "errors.h"
#include "table/table.h"
#include "table/table_name.h"

const IndexDef *
TableDefIndex(const TableDef *def, const char *name)
{
	for (int i = 0; i < def->nindexes; i++)
	{
		if (strcmp(def->indexes[i].name, name) == 0)
			return &def->indexes[i];
	}
	return NULL;
}

const IndexDef *
TableDefIndexOfRelation(const TableDef *def, const char *relation)
{
	for (int i = 0; i < def->nindexes; i++)
	{
		if (strcmp(def->indexes[i].relation, relation) == 0)
			return &def->indexes[i];
	}
	return NULL;
}

const IndexDef *
TableDefIndexOf(const TableDef *def, const char *name)
{
	const IndexDef *index = TableDefIndex(def, name);

	if (index == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the definition of table \"%s\" has no index \"%s\"",
						get_rel_name(def->relid), name),
				 errdetail("A partition must have the same definition as its partitioned table.")));
	return index;
}

/* Returns a hint with the indexes of a table. */
static int
IndexNamesHint(const TableDef *def)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < def->nindexes; i++)
	{
		if (def->indexes[i].replaces == NULL)
			appendStringInfo(&names, "%s\"%s\"", names.len > 0 ? ", " : "", def->indexes[i].name);
	}
	if (names.len == 0)
		return errhint("Table \"%s\" has no index.", get_rel_name(def->relid));
	return errhint("The indexes of table \"%s\" are %s.", get_rel_name(def->relid), names.data);
}

void
FailNoIndex(const TableDef *def, const char *table_name, const char *index_name)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
			 errmsg("Requested resource not found: Index %s for table %s", index_name, TableNameForMessage(table_name)),
			 IndexNamesHint(def)));
}

const IndexDef *
TableDefIndexForRead(const TableDef *def, const char *name, bool query)
{
	const IndexDef *index = TableDefIndex(def, name);

	if (index == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("The table does not have the specified index: %s", name),
				 IndexNamesHint(def)));
	if (!index->kind->secondary)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 query ? errmsg("Query operation not supported on this index type.") :
				 errmsg("Scan operation not supported on this index type"),
				 errhint("Use dynamo.search_vectors.")));
	if (index->status == INDEX_CREATING)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("Cannot read from backfilling global secondary index: %s", name),
				 errhint("See dynamo.index_progress for builds in progress.")));
	if (index->status != INDEX_ACTIVE)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found"),
				 errdetail("Index \"%s\" is being dropped.", name)));
	if (index->kind->own_entries)
		CheckMaintained(def);
	return index;
}
