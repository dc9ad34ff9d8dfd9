/*
 * verify.c
 *	  dynamo.verify_index: finds every difference between an index and its
 *	  table.
 *
 * Three things are compared with the items, which are the source of truth: the
 * key columns of the rows, the entries of the index, and the triggers that
 * maintain both.  Nothing is changed or locked against writers: everything is
 * read with one snapshot, but each shard of a distributed table with its own.  The
 * items and entries of a distributed index table are read under a lock (verify_distributed.c).
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type_d.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

#include "errors.h"
#include "extension_objects.h"
#include "index/verify.h"
#include "security/owner.h"
#include "stat/progress.h"
#include "store/elsewhere.h"
#include "table/distribution.h"
#include "table/index_relation.h"
#include "table/stored.h"
#include "table/table_name.h"

void
ReportProblem(Verification *v, const char *problem, MaybeItem key, const char *detail)
{
	Datum		values[3];
	bool		nulls[3] = {false, false, detail == NULL};

	values[0] = CStringGetTextDatum(problem);
	values[1] = MaybeItemDatum(key, &nulls[1]);
	values[2] = detail != NULL ? CStringGetTextDatum(detail) : (Datum) 0;
	tuplestore_putvalues(v->problems, v->problems_desc, values, nulls);
}

/* ---- triggers ---- */

static const Trigger *
FindVerifiedTrigger(Relation rel, const char *function_name, bool truncate)
{
	Oid			function = SystemFunctionOid(function_name);

	for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
	{
		const Trigger *trigger = &rel->trigdesc->triggers[i];

		if (trigger->tgfoid == function &&
			(TRIGGER_FOR_TRUNCATE(trigger->tgtype) != 0) == truncate)
			return trigger;
	}
	return NULL;
}

static void
VerifyTrigger(Verification *v, Relation rel, const char *function_name, bool truncate)
{
	const Trigger *trigger = FindVerifiedTrigger(rel, function_name, truncate);

	if (trigger == NULL)
		ReportProblem(v, "trigger missing", NO_ITEM,
					  psprintf("Table \"%s\" has no trigger with " SYSTEM_SCHEMA ".%s%s.",
							   RelationGetRelationName(rel), function_name,
							   truncate ? " for TRUNCATE" : ""));
	else if (trigger->tgenabled != TRIGGER_FIRES_ALWAYS)
		ReportProblem(v, "trigger disabled", NO_ITEM,
					  psprintf("Trigger \"%s\" of table \"%s\" does not always fire.",
							   trigger->tgname, RelationGetRelationName(rel)));
}

/*
 * Reports a later BEFORE trigger, which could change the item after its
 * columns were set.
 */
static void
VerifyTriggerOrder(Verification *v)
{
	ListCell   *cell;

	foreach(cell, FindLaterTriggers(v->rel))
		ReportProblem(v, "trigger order", NO_ITEM,
					  psprintf("Trigger \"%s\" fires after the key columns are derived.",
							   (char *) lfirst(cell)));
}

static void
VerifyGuards(Verification *v, Oid index_table)
{
	Relation	rel = table_open(index_table, AccessShareLock);

	if (rel->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		VerifyTrigger(v, rel, FUNCTION_GUARD_INDEX, false);
	VerifyTrigger(v, rel, FUNCTION_GUARD_INDEX, true);
	table_close(rel, AccessShareLock);
}

/* Reports triggers of the extension that are missing or do not fire. */
static void
VerifyTriggers(Verification *v)
{
	ListCell   *cell;

	VerifyTrigger(v, v->rel, FUNCTION_DERIVE_KEYS, false);
	VerifyTriggerOrder(v);
	if (!v->index->kind->own_entries)
		return;
	VerifyTrigger(v, v->rel, FUNCTION_MAINTAIN_INDEXES, false);
	VerifyTrigger(v, v->rel, FUNCTION_MAINTAIN_INDEXES, true);
	VerifyGuards(v, IndexDefRelation(v->def, v->index));
	foreach(cell, find_inheritance_children(IndexDefRelation(v->def, v->index), AccessShareLock))
		VerifyGuards(v, lfirst_oid(cell));
}

/* ---- the columns of a row ---- */

static void
ReportStaleColumn(Verification *v, BaseRow *row, const AttributeDef *attr)
{
	if (v != NULL)
		ReportProblem(v, "stale column", BaseRowKey(v->def, row),
					  psprintf("Column \"%s\" differs from attribute \"%s\" of the item.",
							   attr->column, attr->name.data));
}

static void
ReportInvalidKey(Verification *v, BaseRow *row, const char *problem)
{
	const ItemPointerData *tid = &row->tuple->t_self;

	if (v != NULL)
		ReportProblem(v, "unusable key", BaseRowKey(v->def, row),
					  psprintf("%s The row is (%u,%u).", problem,
							   ItemPointerGetBlockNumber(tid), ItemPointerGetOffsetNumber(tid)));
}

/*
 * Derives a column of the table's key from the item.  If the item has no
 * usable key, the stored column is used, because the row's entries contain it.
 */
static void
DeriveTableKey(Verification *v, const TableDef *def, int i, BaseRow *row,
			   Datum *values, bool *nulls)
{
	const AttributeDef *attr = TableKeyAttribute(def, i);
	ValueRef	key = AttributeFind(BaseRowItem(def, row), attr->name.data, attr->name.len);
	const char *problem = KeyAttributeProblem(attr, key, i < def->key.npartition ?
											  KEY_MAX_PARTITION : KEY_MAX_SORT);
	int			column = attr->attnum - 1;

	if (problem == NULL)
	{
		values[column] = KeyValueToDatum(attr, key);
		nulls[column] = false;
		return;
	}
	ReportInvalidKey(v, row, problem);
	values[column] = BaseRowColumn(row, attr->attnum, &nulls[column]);
}

/* Derives all columns from the item; unusable keys of indexes are null. */
static void
DeriveFromItem(Verification *v, const TableDef *def, BaseRow *row, Datum *values, bool *nulls)
{
	for (int i = 0; i < def->nattributes; i++)
		nulls[def->attributes[i].attnum - 1] = true;
	for (int i = 0; i < KeyCount(&def->key); i++)
		DeriveTableKey(v, def, i, row, values, nulls);
	DeriveStoredKeys(def, BaseRowItem(def, row), values, nulls);
}

void
ExpectedEntry(Verification *v, const TableDef *def, const IndexDef *index,
			  BaseRow *row, Datum *values, bool *nulls)
{
	Datum	   *derived = palloc0(sizeof(Datum) * row->desc->natts);
	bool	   *missing = palloc0(sizeof(bool) * row->desc->natts);
	const char *reason;

	DeriveFromItem(v, def, row, derived, missing);
	reason = LeftOutReason(def, index, BaseRowItem(def, row), derived, missing);
	if (v != NULL && reason != NULL)
		ReportProblem(v, "unusable key", BaseRowKey(def, row),
					  psprintf("The index leaves the item out: %s.", reason));
	for (int i = 0; i < index->nentry; i++)
	{
		const AttributeDef *attr = EntryAttribute(def, index, i);
		bool		isnull;
		Datum		stored = BaseRowColumn(row, attr->attnum, &isnull);

		values[i] = derived[attr->attnum - 1];
		nulls[i] = missing[attr->attnum - 1];
		if (nulls[i] != isnull || (!isnull && !KeyDatumsEqual(attr->type, values[i], stored)))
			ReportStaleColumn(v, row, attr);
	}
}

/* ---- partitions ---- */

void
UseBaseTable(Verification *v, const BaseTable *base)
{
	v->rel = base->rel;
	v->def = base->def;
	v->index = base->index;
}

static void
OpenBaseTables(Verification *v)
{
	List	   *relids = find_all_inheritors(RelationGetRelid(v->rel), AccessShareLock, NULL);
	ListCell   *cell;

	v->bases = palloc(sizeof(BaseTable) * list_length(relids));
	foreach(cell, relids)
	{
		BaseTable  *base = &v->bases[v->nbases];

		if (get_rel_relkind(lfirst_oid(cell)) != RELKIND_RELATION)
			continue;
		base->rel = table_open(lfirst_oid(cell), NoLock);
		base->def = TableDefAcquire(base->rel);
		base->index = TableDefIndexOf(base->def, v->index->name);
		v->nbases++;
	}
}

static void
CloseBaseTables(Verification *v)
{
	for (int i = 0; i < v->nbases; i++)
	{
		TableDefRelease(v->bases[i].def);
		table_close(v->bases[i].rel, NoLock);
	}
}

/* ---- the index's relation ---- */

static void
VerifyContent(Verification *v, Relation rel)
{
	VerifyTriggers(v);
	if (v->index->kind->verify_relation != NULL && !v->index->kind->verify_relation(v, rel))
		return;
	OpenBaseTables(v);
	v->index->kind->verify(v, rel);
	CloseBaseTables(v);
}

/*
 * Verifies the index's relation.  It is locked meanwhile, so that nobody drops
 * it.
 */
static void
VerifyRelation(Verification *v)
{
	Relation	rel = IndexRelationTryOpen(v->def, v->index, AccessShareLock);

	if (rel == NULL)
	{
		ReportProblem(v, "index missing", NO_ITEM,
					  psprintf("Relation \"%s\" does not exist.", v->index->relation));
		return;
	}
	VerifyContent(v, rel);
	relation_close(rel, NoLock);
}

/* ---- distributed tables ---- */

/* The entries of a shard's items are in other shards: only its columns and triggers are verified. */
static void
VerifyShardOfTable(Verification *v)
{
	VerifyTrigger(v, v->rel, FUNCTION_DERIVE_KEYS, false);
	VerifyTriggerOrder(v);
	VerifyTrigger(v, v->rel, FUNCTION_MAINTAIN_INDEXES, false);
	VerifyColumns(v);
}

/* A ShardResult: adds the problems of a shard, which are a JSON array. */
static void
AddProblemsOfShard(void *arg, const char *result)
{
	Verification *v = arg;
	Oid			types[] = {TEXTOID};
	Datum		values[1];

	if (result == NULL)
		return;
	values[0] = CStringGetTextDatum(result);
	SPI_connect();
	if (SPI_execute_with_args("SELECT problem, key, detail FROM pg_catalog.json_to_recordset($1::pg_catalog.json) "
							  "AS problems (problem pg_catalog.text, key dynamo.item, detail pg_catalog.text)",
							  1, types, values, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the problems of a shard");
	for (uint64 i = 0; i < SPI_processed; i++)
		tuplestore_puttuple(v->problems, SPI_tuptable->vals[i]);
	SPI_finish();
}

/* Each shard is verified on its node: its rows, and its own part of an inline index. */
static void
VerifyShards(Verification *v)
{
	ShardStatement statement = {
		.sql = "SELECT pg_catalog.json_agg(pg_catalog.json_build_object('problem', problem, 'key', key::pg_catalog.text, "
		"'detail', detail))::pg_catalog.text FROM dynamo.verify_index($1, $2)",
		.argument = v->index->name,
		.take = AddProblemsOfShard,
		.arg = v
	};

	elsewhere->run_on_shards(v->def, &statement, "verifying an index");
}

/* Row security that is forced on the owner would also hide rows on other nodes. */
static void
CheckCanVerify(const TableDef *def, Oid owner)
{
	RequireCoordinator(psprintf("index tables of distributed table \"%s\" are verified on the Citus coordinator",
								get_rel_name(def->relid)));
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("index tables of distributed tables are verified in isolation level READ COMMITTED")));
	if (check_enable_rls(def->relid, owner, true) == RLS_ENABLED)
		DistributedError(def->relid, "verifying an index table with row security that its owner is subject to");
}

/*
 * Verifies an index table; meanwhile, nobody writes to the table.  The statements are planned
 * and executed as the owner, because predicates of indexes are code of the owner.
 */
static void
VerifyIndexTable(Verification *v)
{
	OwnerScope	scope;
	int			level;

	CheckCanVerify(v->def, v->rel->rd_rel->relowner);
	OwnerScopeEnter(&scope, v->rel->rd_rel->relowner);
	LockOnAllNodes(v->def->relid, ShareLock);
	SPI_connect();
	level = DistributedDdlBegin(v->def->relid);
	VerifyTriggers(v);
	VerifyShards(v);
	elsewhere->verify_index(v);
	DistributedDdlEnd(level);
	SPI_finish();
	OwnerScopeLeave(&scope);
}

static void
VerifyOnNodes(Verification *v)
{
	if (!v->index->kind->own_entries)
		VerifyShards(v);
	else
		VerifyIndexTable(v);
}

/* ---- the function ---- */

/* Verifies an index of a table with rows of its own. */
static void
VerifyOwnRows(Verification *v)
{
	OwnerScope	scope;

	OwnerScopeEnter(&scope, v->rel->rd_rel->relowner);
	v->snapshot = RegisterSnapshot(GetTransactionSnapshot());
	v->row_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo verify_index",
										   ALLOCSET_DEFAULT_SIZES);
	ProgressBegin(PROGRESS_VERIFY_INDEX, RelationGetRelid(v->rel), v->rel->rd_rel->reltuples);
	if (v->index->kind->own_entries && OidIsValid(DistributedTableOf(v->rel)))
		VerifyShardOfTable(v);
	else
		VerifyRelation(v);
	ProgressEnd();
	MemoryContextDelete(v->row_context);
	UnregisterSnapshot(v->snapshot);
	OwnerScopeLeave(&scope);
}

DYNAMO_FUNCTION(dynamo_verify_index);

Datum
dynamo_verify_index(PG_FUNCTION_ARGS)
{
	char	   *table_name = TableArgument(fcinfo, 0);
	char	   *index_name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Relation	rel = OpenTableForDrop(table_name, AccessShareLock);
	TableDef   *def = TableDefAcquire(rel);
	Verification v = {.rel = rel, .def = def};

	v.index = TableDefIndex(v.def, index_name);
	if (v.index == NULL)
		FailNoIndex(v.def, table_name, index_name);
	InitMaterializedSRF(fcinfo, 0);
	v.problems = result->setResult;
	v.problems_desc = result->setDesc;
	if (def->distributed)
		VerifyOnNodes(&v);
	else
		VerifyOwnRows(&v);
	TableDefRelease(def);
	table_close(rel, AccessShareLock);
	return (Datum) 0;
}
