/*
 * pattern_anew.c
 *	  Access patterns whose functions are made anew as what they are made of changes: their keys
 *	  (pattern_moves.c), or the columns of the view whose rows they return.
 *
 * Only the body changes: a function keeps its owner, rights, defaults and comment.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "design/entity_list.h"
#include "errors.h"
#include "pattern/pattern.h"
#include "pattern/pattern_anew.h"
#include "view/entity_view.h"

/* ---- the functions ---- */

static const char patterns_query[] =
"SELECT p.pattern::pg_catalog.oid FROM dynamo.access_patterns p "
"JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) $1 "
"JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace "
"WHERE p.relation OPERATOR(pg_catalog.=) pg_catalog.format('%I.%I', n.nspname, c.relname) "
"ORDER BY p.pattern::pg_catalog.oid";

/* The patterns of a table, whoever has declared them. */
List *
PatternsOfTable(Oid relid)
{
	MemoryContext caller = CurrentMemoryContext;
	Oid			types[] = {OIDOID};
	Datum		values[] = {ObjectIdGetDatum(relid)};
	List	   *functions = NIL;

	SPI_connect();
	if (SPI_execute_with_args(patterns_query, 1, types, values, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the access patterns of a table");
	MemoryContextSwitchTo(caller);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;

		functions = lappend_oid(functions, DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull)));
	}
	SPI_finish();
	return functions;
}

Oid
PatternOwner(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid			owner = HeapTupleIsValid(tuple) ? ((Form_pg_proc) GETSTRUCT(tuple))->proowner : InvalidOid;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return owner;
}

void
PatternReplaceBody(Oid function, const AccessPattern *pattern, const char *body)
{
	Relation	functions = table_open(ProcedureRelationId, RowExclusiveLock);
	HeapTuple	old = SearchSysCacheCopy1(PROCOID, ObjectIdGetDatum(function));
	Datum		values[Natts_pg_proc] = {0};
	bool		nulls[Natts_pg_proc] = {0};
	bool		replaces[Natts_pg_proc] = {0};
	HeapTuple	new;

	if (!HeapTupleIsValid(old))
		elog(ERROR, "could not find function %u", function);
	values[Anum_pg_proc_prosrc - 1] = CStringGetTextDatum(psprintf("%s%s", PatternRecordPrint(pattern, body), body));
	replaces[Anum_pg_proc_prosrc - 1] = true;
	new = heap_modify_tuple(old, RelationGetDescr(functions), values, nulls, replaces);
	CatalogTupleUpdate(functions, &new->t_self, new);
	InvokeObjectPostAlterHook(ProcedureRelationId, function, 0);
	table_close(functions, RowExclusiveLock);
	CommandCounterIncrement();
}

/* Keeps others from dropping or changing a function; returns its pattern, or NULL if it is gone. */
AccessPattern *
PatternLock(Oid function)
{
	LockDatabaseObject(ProcedureRelationId, function, 0, AccessExclusiveLock);
	return OidIsValid(PatternOwner(function)) ? PatternOfFunction(function) : NULL;
}

bool
PatternNamesEntity(const AccessPattern *p, const char *entity_name)
{
	ListCell   *cell;

	foreach(cell, p->entities)
	{
		if (strcmp(lfirst(cell), entity_name) == 0)
			return true;
	}
	return p->entities == NIL;
}

/* ---- plans ---- */

PatternTarget
PatternTargetOf(const AccessPattern *p, const TableDef *def)
{
	PatternTarget target = {.table = def, .keys = MISSING_VALUE};
	ListCell   *cell;

	target.index = p->index == NULL ? NULL : TableDefIndex(def, p->index);
	target.key = target.index == NULL ? &def->key : &target.index->key;
	target.entities = palloc(sizeof(Entity *) * Max(list_length(p->entities), 1));
	foreach(cell, p->entities)
		target.entities[target.nentities++] = RequireEntity(def, lfirst(cell));
	return target;
}

/* Plans a pattern anew for a target; its record tells which parameters are null by default. */
AccessPattern *
PatternPlanAnew(Oid function, const AccessPattern *p, PatternTarget *target)
{
	AccessPattern *new = palloc(sizeof(AccessPattern));
	PatternClause *clauses;
	int			n;

	*new = *p;
	new->nkeys = 0;
	memset(new->keys, 0, sizeof(new->keys));
	new->kind_attribute = NULL;
	new->kinds = NIL;
	new->excludes = new->by_key = false;
	new->equalities = NIL;
	for (int i = 0; i < new->nparameters; i++)
		new->parameters[i].initial = PatternParameterIsOptional(p, new->parameters[i].name) ? "NULL" : NULL;
	clauses = PatternClauses(new, &n);
	target->typed = PatternIsTyped(target, clauses, n);
	PatternPlanClauses(new, target, clauses, n);
	PatternCheckFilter(new, target);
	new->basis = PatternBasis(new, target, get_func_name(function));
	return new;
}

/* The view whose rows a pattern returns, or InvalidOid: a view may have got another name than the record's. */
static Oid
ViewOfPattern(Oid function, const AccessPattern *p)
{
	return p->view == NULL ? InvalidOid : get_typ_typrelid(get_func_rettype(function));
}

/* Opens that view; NULL if the pattern returns items.  Somebody may have written the record by hand. */
Relation
PatternOpenView(Oid function, const AccessPattern *p, const PatternTarget *target)
{
	Oid			relid = ViewOfPattern(function, p);
	Relation	view = OidIsValid(relid) ? try_relation_open(relid, AccessShareLock) : NULL;
	const EntityViewDef *def = view == NULL ? NULL : EntityViewDefOf(view);

	if (p->view != NULL && (def == NULL || def->entity.data == NULL || !SliceEqual(def->entity, target->entities[0]->name) ||
							EntityViewTable(view) != target->table->relid))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a view of entity \"%.*s\"", view != NULL ? RelationGetRelationName(view) : p->view,
						(int) target->entities[0]->name.len, target->entities[0]->name.data)));
	return view;
}

/* ---- the patterns of an owner ---- */

/* An error tells of which pattern it is. */
static void
TellPattern(void *arg)
{
	errcontext("access pattern %s", format_procedure(*(Oid *) arg));
}

void
PatternsOfOwner(Oid relid, PatternAction action, const void *arg)
{
	Relation	rel = table_open(relid, NoLock);
	TableDef   *def = TableDefAcquire(rel);
	ListCell   *cell;

	foreach(cell, PatternsOfTable(relid))
	{
		Oid			function = lfirst_oid(cell);
		const AccessPattern *p = PatternOwner(function) == rel->rd_rel->relowner ? PatternIfAny(function) : NULL;
		ErrorContextCallback callback = {error_context_stack, TellPattern, &function};

		if (p == NULL)
			continue;
		error_context_stack = &callback;
		action(def, function, p, arg);
		error_context_stack = callback.previous;
	}
	TableDefRelease(def);
	table_close(rel, NoLock);
}

static AccessPattern *
PlanByDefinition(const TableDef *def, Oid function, const AccessPattern *p, PatternTarget *target)
{
	*target = PatternTargetOf(p, def);
	target->keys = PatternBasisKeys(p->basis);
	return PatternPlanAnew(function, p, target);
}

bool
PatternWouldDiffer(const TableDef *def, Oid function, const AccessPattern *p)
{
	PatternTarget target;

	return strcmp(PlanByDefinition(def, function, p, &target)->basis, p->basis) != 0;
}

void
PatternMakeAnew(const TableDef *def, Oid function, const AccessPattern *p)
{
	PatternTarget target;
	AccessPattern *plan = PlanByDefinition(def, function, p, &target);
	Relation	view;

	view = PatternOpenView(function, p, &target);
	PatternReplaceBody(function, plan, PatternBody(plan, &target, view));
	if (view != NULL)
		table_close(view, NoLock);
}

/* ---- views that were replaced ---- */

static bool
ReturnsRowsOf(Oid function, const AccessPattern *p, Oid relid, const char *entity_name)
{
	Oid			view = ViewOfPattern(function, p);
	bool		is;

	if (!OidIsValid(view))
		return false;
	SPI_connect();
	is = list_member_oid(EntityViewsOf(relid, entity_name), view);
	SPI_finish();
	return is;
}

/* A PatternAction.  One that does not find all items anyway raises errors until it is declared anew. */
static void
FollowView(const TableDef *def, Oid function, const AccessPattern *p, const void *entity_name)
{
	if (!ReturnsRowsOf(function, p, def->relid, entity_name))
		return;
	p = PatternLock(function);
	if (p != NULL && !p->changed && p->condition != NULL && p->basis != NULL && PatternBasisHolds(def, p->basis))
		PatternMakeAnew(def, function, p);
}

/* See DdlFeature: patterns of the table's owner return the columns that the views have now. */
void
PatternsFollowViews(Oid relid, const char *entity_name)
{
	PatternsOfOwner(relid, FollowView, entity_name);
}
