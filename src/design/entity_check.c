/*
 * entity_check.c
 *	  dynamo.check_entity and dynamo.apply_entity: find and change items that were
 *	  stored before their entity was declared, with other keys than it composes.
 *
 * Both are for the owner of the table, as verify_index is.  They use plain
 * statements, which run as the owner whoever has the owner's rights.  Items of a
 * distributed table are changed by a call for each shard.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "ddl/ddl.h"
#include "design/entity_list.h"
#include "entity/entity.h"
#include "item/convert.h"
#include "security/owner.h"
#include "stat/progress.h"
#include "store/elsewhere.h"
#include "table/distribution.h"
#include "table/placement.h"
#include "table/table_name.h"

/* ---- what is wrong with one item ---- */

static char *
DescribeValue(ValueRef v)
{
	if (ValueIsMissing(v))
		return "absent";
	if (ValueTypeOf(v) != VALUE_S)
		return psprintf("a value of type %s", ValueTypeName(ValueTypeOf(v)));
	return psprintf("\"%.*s\"", (int) ValuePayload(v).len, ValuePayload(v).data);
}

static char *
EntityKeyProblem(const Entity *entity, const ComposedKey *key, ValueRef item)
{
	ValueRef	given = AttributeFind(item, key->attribute.data, key->attribute.len);
	StringInfoData text;
	ComposeProblem why;
	ComposeStatus status = COMPOSE_MISSING;

	initStringInfo(&text);
	if (key->condition == NULL || ConditionMatches(key->condition, item))
		status = EntityComposeKey(entity, key, item, &text, &why);
	if (status == COMPOSE_UNFIT)
		return psprintf("key attribute \"%.*s\" cannot be composed: attribute \"%.*s\" %s",
						(int) key->attribute.len, key->attribute.data,
						(int) why.part->name.len, why.part->name.data, why.reason);
	if (status == COMPOSE_OK ? !ValueIsMissing(given) && ValueTypeOf(given) == VALUE_S &&
		SliceEqual(ValuePayload(given), (Slice) {text.data, text.len}) : ValueIsMissing(given))
		return NULL;
	return psprintf("key attribute \"%.*s\" is %s; it should be %s%s%s", (int) key->attribute.len, key->attribute.data,
					DescribeValue(given), status == COMPOSE_OK ? "\"" : "",
					status == COMPOSE_OK ? text.data : "absent", status == COMPOSE_OK ? "\"" : "");
}

/* A key that is left of a template which the entity had. */
static char *
FormerProblem(const Entity *entity, ValueRef item)
{
	for (int i = 0; i < entity->nformer; i++)
	{
		Slice		name = entity->former[i].attribute;

		if (FormerKeyStays(&entity->former[i], item))
			return psprintf("key attribute \"%.*s\" is %s, which no template composes any more",
							(int) name.len, name.data, DescribeValue(AttributeFind(item, name.data, name.len)));
	}
	return NULL;
}

static char *
ComputedProblem(const Entity *entity, ValueRef item)
{
	for (int i = 0; i < entity->nattributes; i++)
	{
		const EntityAttribute *a = &entity->attributes[i];
		ValueRef	v = AttributeFind(item, a->name.data, a->name.len);
		const EntityAttribute *other;
		Problem		problem = NO_PROBLEM;
		ValueRef	value;
		bool		agree;

		if (a->computed.data == NULL)
			continue;
		other = EntityCounterpart(entity, a);
		if (other != NULL)
		{
			if (!EntityCounterpartsAgree(entity, a, other, item, &agree, &problem))
				return psprintf("attribute \"%.*s\" cannot be computed", (int) a->name.len, a->name.data);
			if (!agree)
				return psprintf("attributes \"%.*s\" and \"%.*s\" contradict each other", (int) a->name.len, a->name.data,
								(int) other->name.len, other->name.data);
			continue;
		}
		if (!EntityCompute(entity, a, item, &value, &problem))
			return psprintf("attribute \"%.*s\" cannot be computed", (int) a->name.len, a->name.data);
		if (ValueIsMissing(value) ? !ValueIsMissing(v) : ValueIsMissing(v) || !ValueEqual(v, value))
			return psprintf("attribute \"%.*s\" is not what is computed", (int) a->name.len, a->name.data);
	}
	return NULL;
}

static char *
TestedProblem(const Entity *entity, ValueRef item)
{
	for (int i = 0; i < entity->nattributes; i++)
	{
		const EntityAttribute *a = &entity->attributes[i];
		ValueRef	v = AttributeFind(item, a->name.data, a->name.len);
		const char *why = a->tested ? EntityAttributeProblem(a, v) : NULL;

		if (why == NULL)
			why = EntityEnumProblem(a, v);

		if (why != NULL)
			return psprintf("attribute \"%.*s\" %s", (int) a->name.len, a->name.data, why);
	}
	return NULL;
}

static char *
RequiredProblem(const Entity *entity, ValueRef item)
{
	for (int i = 0; i < entity->nattributes; i++)
	{
		const EntityAttribute *a = &entity->attributes[i];

		if (a->required && !EntityHasRequired(entity, item, a->name))
			return psprintf("attribute \"%.*s\" is missing", (int) a->name.len, a->name.data);
	}
	return NULL;
}

/* Returns the first problem of an item; NULL if there is none. */
static char *
ItemProblem(const Entity *entity, ValueRef item)
{
	char	   *problem;

	for (int i = 0; i < entity->nkeys; i++)
	{
		problem = EntityKeyProblem(entity, &entity->keys[i], item);
		if (problem != NULL)
			return problem;
	}
	problem = ComputedProblem(entity, item);
	if (problem == NULL)
		problem = FormerProblem(entity, item);
	if (problem == NULL)
		problem = TestedProblem(entity, item);
	return problem != NULL ? problem : RequiredProblem(entity, item);
}

/*
 * entity_problem(relation oid, item dynamo.item, entity_name text) returns
 * text.  With entity_name, items of other entities have no problem; with NULL,
 * items without an entity have one.
 */
DYNAMO_FUNCTION(dynamo_entity_problem);
Datum
dynamo_entity_problem(PG_FUNCTION_ARGS)
{
	ValueRef	item;
	text	   *name = PG_ARGISNULL(2) ? NULL : PG_GETARG_TEXT_PP(2);
	Relation	rel;
	TableDef   *def;
	const Entity *entity;
	char	   *problem = NULL;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	item = PG_GETARG_VALUE(1);
	rel = try_table_open(PG_GETARG_OID(0), AccessShareLock);
	if (rel == NULL)
		PG_RETURN_NULL();
	def = TableDefAcquire(rel);
	entity = def->entities == NULL ? NULL : EntityOfItem(def->entities, item);
	if (entity == NULL)
		problem = name == NULL ? "the item is of no entity" : NULL;
	else if (name == NULL || SliceEqual(SliceOfVarlena(name), entity->name))
		problem = ItemProblem(EntityVersionOf(entity, item), item);
	TableDefRelease(def);
	table_close(rel, AccessShareLock);
	if (problem == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}

/*
 * compose_item(relation oid, item dynamo.item) returns dynamo.item: with the
 * index keys and constants of its entity; unchanged if they cannot be composed.
 * A default is for new items only.
 */
DYNAMO_FUNCTION(dynamo_compose_item);
Datum
dynamo_compose_item(PG_FUNCTION_ARGS)
{
	Problem		problem = NO_PROBLEM;
	EntityWrite write = {.item = PG_GETARG_VALUE(1), .final = true, .repairs = true, .problem = &problem};
	Relation	rel = try_table_open(PG_GETARG_OID(0), AccessShareLock);
	struct varlena *composed = NULL;
	TableDef   *def;

	if (rel == NULL)
		PG_RETURN_DATUM(PG_GETARG_DATUM(1));
	def = TableDefAcquire(rel);
	write.set = def->entities;
	if (write.set != NULL && EntityOfItem(write.set, write.item) != NULL && !EntityCompose(&write, &composed))
		composed = NULL;
	TableDefRelease(def);
	table_close(rel, AccessShareLock);
	if (composed == NULL)
		PG_RETURN_DATUM(PG_GETARG_DATUM(1));
	PG_RETURN_POINTER(composed);
}

/* ---- all items ---- */

/*
 * Returns "schema"."table" of the caller's table, which must have the entity
 * if one is named.
 */
static char *
TableToCheck(FunctionCallInfo fcinfo, TableDef **def, Relation *rel)
{
	*rel = OpenAnyTableForDdl(TableArgument(fcinfo, 0), AccessShareLock);
	*def = TableDefAcquire(*rel);
	if (!PG_ARGISNULL(1))
		(void) RequireEntity(*def, text_to_cstring(PG_GETARG_TEXT_PP(1)));
	return QualifiedName(RelationGetNamespace(*rel), RelationGetRelationName(*rel));
}

/* The query for keys and problems, of which an item may have several; $1 is the entity. */
static char *
ProblemsQuery(const TableDef *def, const char *table)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT p.key, u.problem FROM (SELECT dynamo.build_item(");
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		const AttributeDef *attr = TableKeyAttribute(def, i);

		appendStringInfo(&sql, "%s%s::pg_catalog.text, t.%s", i == 0 ? "" : ", ",
						 quote_literal_cstr(attr->name.data), quote_identifier(attr->column));
	}
	/* the function is called once for an item; of a distributed table, the result of such a subquery would be collected first */
	appendStringInfo(&sql, ") AS key, ARRAY[dynamo.entity_problem(t.tableoid, t.item, $1)] OPERATOR(pg_catalog.||) "
					 "dynamo.type_problems(t.tableoid, t.item, $1) AS problems FROM %s t%s) p "
					 "CROSS JOIN LATERAL pg_catalog.unnest(p.problems) u(problem) WHERE u.problem IS NOT NULL",
					 table, def->distributed ? "" : " OFFSET 0");
	return sql.data;
}

/* check_entity(table_name text, entity_name text) returns table (key dynamo.item, problem text) */
DYNAMO_FUNCTION(dynamo_check_entity);
Datum
dynamo_check_entity(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Oid			types[1] = {TEXTOID};
	Datum		values[1] = {PG_ARGISNULL(1) ? (Datum) 0 : PG_GETARG_DATUM(1)};
	char		nulls[1] = {PG_ARGISNULL(1) ? 'n' : ' '};
	TableDef   *def;
	Relation	rel;
	OwnerScope	scope;
	char	   *query;
	Portal		portal;

	if (PG_ARGISNULL(0))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("table_name must not be null")));
	InitMaterializedSRF(fcinfo, 0);
	query = TableToCheck(fcinfo, &def, &rel);
	query = ProblemsQuery(def, query);
	OwnerScopeEnterForMaintenance(&scope, rel->rd_rel->relowner);
	ProgressBegin(PROGRESS_CHECK_ENTITY, RelationGetRelid(rel), rel->rd_rel->reltuples);
	SPI_connect();
	portal = SPI_cursor_open_with_args(NULL, query, 1, types, values, nulls, true, 0);
	for (SPI_cursor_fetch(portal, true, 1000); SPI_processed > 0; SPI_cursor_fetch(portal, true, 1000))
	{
		for (uint64 i = 0; i < SPI_processed; i++)
			tuplestore_puttuple(result->setResult, SPI_tuptable->vals[i]);
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
	SPI_finish();
	ProgressEnd();
	OwnerScopeLeave(&scope);
	TableDefRelease(def);
	table_close(rel, NoLock);
	return (Datum) 0;
}

/*
 * Where the last call of this session stopped.  Calls for at most so many items go on
 * there, so that all of them together read the table a few times, and not once for each.
 */
static struct
{
	Oid			relid;
	Oid			part;			/* the table itself, or one of its partitions */
	ItemPointerData at;
}			stopped;

/* A call that composes items. */
typedef struct Composing
{
	const char *table;			/* qualified name */
	char		entity_null;	/* 'n': of all entities */
	Datum		entity;
	char		left_null;		/* 'n': any number of items */
	int64		left;			/* so many items more */
	int64		changed;
} Composing;

/*
 * Composes items in a part of the table that stand behind $2, at most $3.  Returns the
 * number of changed items, and where the last one was found; NULL if there are no more.
 */
static char *
ComposeStatement(const char *table, Oid part)
{
	return psprintf("WITH found AS MATERIALIZED (SELECT s.ctid AS at FROM %s s "
					"WHERE s.ctid OPERATOR(pg_catalog.>) $2 AND dynamo.entity_problem(s.tableoid, s.item, $1) IS NOT NULL "
					"AND NOT (dynamo.compose_item(s.tableoid, s.item) OPERATOR(dynamo.=) s.item) LIMIT $3), "
					"changed AS (UPDATE %s t SET item = dynamo.compose_item(t.tableoid, t.item) "
					"WHERE t.ctid OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT f.at FROM found f)) AND t.tableoid OPERATOR(pg_catalog.=) %u "
					"AND NOT (dynamo.compose_item(t.tableoid, t.item) OPERATOR(dynamo.=) t.item) RETURNING 1) "
					"SELECT (SELECT pg_catalog.count(*) FROM changed), "
					"(SELECT CASE WHEN pg_catalog.count(*) OPERATOR(pg_catalog.=) $3 THEN pg_catalog.max(f.at) END FROM found f)",
					QualifiedName(get_rel_namespace(part), get_rel_name(part)), table, part);
}

/* Composes items of a part behind *at; returns whether it has seen all of them, or moves *at. */
static bool
ComposePart(Composing *c, Oid part, ItemPointer at)
{
	Oid			types[3] = {TEXTOID, TIDOID, INT8OID};
	Datum		values[3] = {c->entity, PointerGetDatum(at), Int64GetDatum(c->left)};
	char		nulls[3] = {c->entity_null, ' ', c->left_null};
	int64		changed;
	Datum		last;
	bool		isnull;

	if (SPI_execute_with_args(ComposeStatement(c->table, part), 3, types, values, nulls, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not update items of an entity");
	changed = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	last = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &isnull);
	c->changed += changed;
	c->left -= changed;
	if (!isnull)
		*at = *(ItemPointer) DatumGetPointer(last);
	return isnull;
}

/* The relations that hold the items of a table. */
static List *
ItemRelations(Relation rel)
{
	List	   *parts = NIL;
	ListCell   *cell;

	if (rel->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		return list_make1_oid(RelationGetRelid(rel));
	foreach(cell, find_all_inheritors(RelationGetRelid(rel), AccessShareLock, NULL))
	{
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_RELATION)
			parts = lappend_oid(parts, lfirst_oid(cell));
	}
	return parts;
}

/* Composes items of all parts, from the one where the last call stopped, to the same once more. */
static void
ComposeParts(Composing *c, Oid relid, const List *parts)
{
	int			n = list_length(parts);
	bool		goes_on = stopped.relid == relid && list_member_oid(parts, stopped.part);
	int			first = 0;

	while (goes_on && list_nth_oid(parts, first) != stopped.part)
		first++;
	for (int i = 0; i < n + goes_on; i++)
	{
		Oid			part = list_nth_oid(parts, (first + i) % n);
		ItemPointerData at;

		if (i == 0 && goes_on)
			at = stopped.at;
		else
			ItemPointerSet(&at, 0, 0);
		while (!ComposePart(c, part, &at))
		{
			stopped.relid = relid;
			stopped.part = part;
			stopped.at = at;
			if (c->left <= 0)
				return;
		}
	}
	stopped.relid = InvalidOid;
}

/* Composes the items of one entity or of all; returns their number. */
static int64
ComposeItems(Relation rel, const char *table, FunctionCallInfo fcinfo)
{
	Composing	c = {.table = table, .entity_null = PG_ARGISNULL(1) ? 'n' : ' ', .left_null = PG_ARGISNULL(2) ? 'n' : ' '};
	int			level = NewGUCNestLevel();

	c.entity = PG_ARGISNULL(1) ? (Datum) 0 : PG_GETARG_DATUM(1);
	c.left = PG_ARGISNULL(2) ? 0 : PG_GETARG_INT32(2);
	/* a scan reads the blocks in their order */
	(void) set_config_option("synchronize_seqscans", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	ComposeParts(&c, RelationGetRelid(rel), ItemRelations(rel));
	AtEOXact_GUC(false, level);
	return c.changed;
}

/* The changes of a distributed table's items. */
typedef struct ShardsWork
{
	int64		changed;
	int64		room;			/* number of items that may still be changed; < 0: any number */
	char		argument[MAXINT8LEN + 1];	/* the same, or nothing */
} ShardsWork;

/* A ShardResult. */
static void
TakeChanged(void *arg, const char *result)
{
	ShardsWork *work = arg;
	int64		changed = pg_strtoint64(result);

	work->changed += changed;
	if (work->room < 0)
		return;
	work->room = Max(work->room - changed, 0);
	snprintf(work->argument, sizeof(work->argument), INT64_FORMAT, work->room);
}

/* ComposeItems for the items of a distributed table, on their nodes. */
static int64
ComposeOnShards(TableDef *def, FunctionCallInfo fcinfo)
{
	ShardsWork	work = {.room = PG_ARGISNULL(2) ? -1 : PG_GETARG_INT32(2)};
	ShardStatement statement = {
		.sql = psprintf("SELECT dynamo.apply_entity($1, %s, CASE WHEN $2 OPERATOR(pg_catalog.<>) '' THEN $2::pg_catalog.int4 END)::pg_catalog.text",
						PG_ARGISNULL(1) ? "NULL" : quote_literal_cstr(text_to_cstring(PG_GETARG_TEXT_PP(1)))),
		.writes = true,
		.argument = work.argument,
		.take = TakeChanged,
		.arg = &work
	};

	if (work.room >= 0)
		snprintf(work.argument, sizeof(work.argument), INT64_FORMAT, work.room);
	elsewhere->run_on_shards(def, &statement, "dynamo.apply_entity");
	return work.changed;
}

/*
 * Whether a table is a shard, for a call of ComposeOnShards.  Keeps the shard in its place.
 */
static bool
LockIfShard(Relation rel)
{
	if (!OidIsValid(DistributedTableOf(rel)))
		return false;
	if (!placement->lock_own_shard(rel))
		RefuseShard(rel, "this operation");
	return true;
}

/* Problems of items that dynamo.apply_entity corrects, and all. */
#define KEY_PROBLEMS	"NOT (dynamo.compose_item(t.tableoid, t.item) OPERATOR(dynamo.=) t.item)"
#define ALL_PROBLEMS	"true"

/*
 * Whether no item of an entity has such a problem.  A snapshot from before the
 * entity would miss items, so a new one is used.
 */
static bool
HasNoProblems(const char *table, Slice entity_name, const char *which)
{
	Oid			types[1] = {TEXTOID};
	Datum		values[1] = {PointerGetDatum(SliceToText(entity_name))};

	if (SPI_execute_with_args(psprintf("SELECT 1 FROM %s t WHERE dynamo.entity_problem(t.tableoid, t.item, $1) IS NOT NULL AND %s",
											   table, which),
							  1, types, values, NULL, false, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not read items of an entity");
	return SPI_processed == 0;
}

/* What is known of the items of an entity. */
typedef struct EntityMark
{
	char	   *name;
	bool		applied;		/* they conform to all that it declares, not only to its templates */
} EntityMark;

/*
 * Returns the marks, in the caller's SPI context, of entities whose items have the
 * keys that they compose, where that was not known.
 */
static List *
FindConformingEntities(const TableDef *def, const char *table, const char *only, MemoryContext caller)
{
	List	   *marks = NIL;

	for (int i = 0; !IsolationUsesXactSnapshot() && def->entities != NULL && i < def->entities->count; i++)
	{
		const Entity *e = &def->entities->entities[i];
		bool		applied;
		EntityMark *mark;

		if (e->applied || (only != NULL && !SliceIs(e->name, only)))
			continue;
		applied = HasNoProblems(table, e->name, ALL_PROBLEMS);
		if (!applied && (e->composed || !HasNoProblems(table, e->name, KEY_PROBLEMS)))
			continue;
		MemoryContextSwitchTo(caller);
		mark = palloc(sizeof(EntityMark));
		*mark = (EntityMark) {pnstrdup(e->name.data, e->name.len), applied};
		marks = lappend(marks, mark);
	}
	return marks;
}

/* Returns an entity's definition with the mark; no item has a former key any more. */
static char *
MarkedJson(const TableDef *def, const EntityMark *mark)
{
	Datum		json = DirectFunctionCall1(jsonb_in, CStringGetDatum(EntityJson(def, mark->name)));
	Datum		flag = DirectFunctionCall1(jsonb_in, CStringGetDatum(mark->applied ? "{\"composed\": true, \"applied\": true}" :
																	  "{\"composed\": true}"));

	json = DirectFunctionCall2(jsonb_delete, json, CStringGetTextDatum("former"));
	json = DirectFunctionCall2(jsonb_concat, json, flag);
	return DatumGetCString(DirectFunctionCall1(jsonb_out, json));
}

/*
 * Marks entities as composed, so that access patterns rely on their index keys, or
 * as applied, so that the planner does.
 */
static void
MarkEntities(const char *table_name, List *marks)
{
	Oid			relid;
	TableDef   *def = LockAnyDefinition(table_name, ShareRowExclusiveLock, &relid);
	ListCell   *cell;

	foreach(cell, marks)
	{
		const EntityMark *mark = lfirst(cell);

		ReplaceEntity(def, mark->name, MarkedJson(def, mark));
	}
	StoreDefinition(relid, def);
}

/*
 * Whether the marks can be set without waiting for writers of the table, which may
 * wait for the items that were changed here.
 */
static bool
CanMark(const Relation rel, FunctionCallInfo fcinfo, int64 changed)
{
	if (!PG_ARGISNULL(2) && changed >= PG_GETARG_INT32(2) && changed > 0)
		return false;
	return changed == 0 || ConditionalLockRelation(rel, ShareRowExclusiveLock);
}

/* Changes items by ComposeItems if the table is a shard; false if it is none. */
static bool
ComposeShard(FunctionCallInfo fcinfo, int64 *changed)
{
	Relation	rel = OpenTableForDrop(TableArgument(fcinfo, 0), AccessShareLock);
	bool		is_shard = LockIfShard(rel);
	OwnerScope	scope;
	int			level;

	if (is_shard)
	{
		OwnerScopeEnterForMaintenance(&scope, rel->rd_rel->relowner);
		level = NewGUCNestLevel();
		placement->allow_shard_writes();
		SPI_connect();
		*changed = ComposeItems(rel, QualifiedName(RelationGetNamespace(rel), RelationGetRelationName(rel)), fcinfo);
		SPI_finish();
		AtEOXact_GUC(false, level);
		OwnerScopeLeave(&scope);
	}
	table_close(rel, NoLock);
	return is_shard;
}

/* apply_entity(table_name text, entity_name text, max_items integer) returns bigint */
DYNAMO_FUNCTION(dynamo_apply_entity);
Datum
dynamo_apply_entity(PG_FUNCTION_ARGS)
{
	TableDef   *def;
	Relation	rel;
	OwnerScope	scope;
	char	   *table;
	int64		changed = 0;
	MemoryContext caller = CurrentMemoryContext;
	List	   *in_order = NIL;

	if (PG_ARGISNULL(0))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("table_name must not be null")));
	if (ComposeShard(fcinfo, &changed))
		PG_RETURN_INT64(changed);
	table = TableToCheck(fcinfo, &def, &rel);
	if (def->distributed)
		changed = ComposeOnShards(def, fcinfo);
	OwnerScopeEnterForMaintenance(&scope, rel->rd_rel->relowner);
	ProgressBegin(PROGRESS_APPLY_ENTITY, RelationGetRelid(rel), rel->rd_rel->reltuples);
	SPI_connect();
	if (!def->distributed)
		changed = ComposeItems(rel, table, fcinfo);
	if (CanMark(rel, fcinfo, changed))
		in_order = FindConformingEntities(def, table, PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1)), caller);
	SPI_finish();
	ProgressEnd();
	OwnerScopeLeave(&scope);
	TableDefRelease(def);
	table_close(rel, NoLock);
	if (in_order != NIL)
	{
		SPI_connect();
		MarkEntities(TableArgument(fcinfo, 0), in_order);
		SPI_finish();
	}
	PG_RETURN_INT64(changed);
}
