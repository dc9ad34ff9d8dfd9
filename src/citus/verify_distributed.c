/*
 * verify_distributed.c
 *	  Compares the index table of a distributed table with the items.
 *
 * An item and its entry are on different nodes.  While nobody writes, the recorded changes are
 * applied; then each item has the entry that dynamo_system.entry_of_item computes on its shard.  Citus
 * brings what is there and what should be there to this node.
 */
#include "postgres.h"

#include "access/table.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "citus/apply.h"
#include "compat.h"
#include "extension_objects.h"
#include "index/verify.h"
#include "table/index_relation.h"

/* ---- the statement ---- */

/* Appends the columns of an entry as c0, c1 and so on. */
static void
AppendEntryColumns(StringInfo sql, const Verification *v)
{
	for (int i = 0; i < v->index->nentry; i++)
		appendStringInfo(sql, "%s AS c%d, ", quote_identifier(EntryAttribute(v->def, v->index, i)->column), i);
}

/* Appends what is true of a column of both sides: of those of the table's key, or of all. */
static void
AppendEqual(StringInfo sql, const Verification *v, bool table_key)
{
	for (int i = 0; i < v->index->nentry; i++)
	{
		bool		is_key = false;

		for (int j = 0; j < KeyCount(&v->def->key); j++)
			is_key |= v->def->key_attributes[j] == v->index->entry[i];
		if (is_key || !table_key)
			appendStringInfo(sql, " AND w.c%d OPERATOR(pg_catalog.=) p.c%d", i, i);
	}
}

static char *
TableOf(Oid relid)
{
	return QualifiedName(get_rel_namespace(relid), get_rel_name(relid));
}

static char *
ComparisonStatement(const Verification *v)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "WITH t AS MATERIALIZED (SELECT ");
	AppendEntryColumns(&sql, v);
	appendStringInfo(&sql, "dynamo_system.entry_of_item(%s, %s, %s, item) AS entry FROM %s), p AS MATERIALIZED (SELECT ",
					 quote_literal_cstr(get_namespace_name(RelationGetNamespace(v->rel))),
					 quote_literal_cstr(RelationGetRelationName(v->rel)),
					 quote_literal_cstr(v->index->name), TableOf(v->def->relid));
	AppendEntryColumns(&sql, v);
	appendStringInfo(&sql, "item AS entry FROM %s) SELECT CASE WHEN p.entry IS NULL THEN 'missing entry' "
					 "WHEN w.entry IS NULL THEN 'surplus entry' ELSE 'stale entry' END",
					 TableOf(IndexDefRelation(v->def, v->index)));
	for (int i = 0; i < v->index->nentry; i++)
		appendStringInfo(&sql, ", coalesce(w.c%d, p.c%d)", i, i);
	appendStringInfoString(&sql, " FROM (SELECT * FROM t WHERE entry IS NOT NULL) w FULL JOIN p ON (true");
	AppendEqual(&sql, v, true);
	appendStringInfoString(&sql, ") WHERE NOT coalesce(w.entry OPERATOR(dynamo.=) p.entry");
	AppendEqual(&sql, v, false);
	appendStringInfoString(&sql, ", false)");
	return sql.data;
}

/* ---- the result ---- */

static void
ReportRow(Verification *v, HeapTuple tuple, TupleDesc desc)
{
	EntryKey	key = {.present = true};
	bool		isnull;

	for (int i = 0; i < v->index->nentry; i++)
	{
		key.keys[i] = SPI_getbinval(tuple, desc, i + 2, &isnull);
		if (isnull)
			key.present = false;
	}
	ReportProblem(v, SPI_getvalue(tuple, desc, 1), key.present ? BuildBaseKey(v, &key) : NO_ITEM,
				  "The entry and the item are on different nodes of Citus.");
}

void
VerifyDistributed(Verification *v)
{
	int			code;

	ApplyAllChanges(v->def->relid);
	code = SPI_execute(ComparisonStatement(v), false, 0);
	if (code != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute failed: %s", SPI_result_code_string(code));
	for (uint64 i = 0; i < SPI_processed; i++)
		ReportRow(v, SPI_tuptable->vals[i], SPI_tuptable->tupdesc);
}

/* ---- the entry of an item ---- */

DYNAMO_FUNCTION(dynamo_entry_of_item);
Datum
dynamo_entry_of_item(PG_FUNCTION_ARGS)
{
	RangeVar   *name = makeRangeVar(text_to_cstring(PG_GETARG_TEXT_PP(0)), text_to_cstring(PG_GETARG_TEXT_PP(1)), -1);
	char	   *index_name = text_to_cstring(PG_GETARG_TEXT_PP(2));
	ValueRef	item = DatumGetValue(PG_GETARG_DATUM(3));
	Relation	rel = table_openrv(name, AccessShareLock);
	TableDef   *def = TableDefAcquire(rel);
	const IndexDef *index = TableDefIndex(def, index_name);
	struct varlena *entry = NULL;
	EntryKey	key;

	if (index == NULL)
		FailNoIndex(def, RelationGetRelationName(rel), index_name);
	EntryKeyOfItem(def, index, item, &key);
	if (key.present)
		entry = IndexEntryItem(def, index, item);
	TableDefRelease(def);
	table_close(rel, AccessShareLock);
	if (entry == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(entry);
}
