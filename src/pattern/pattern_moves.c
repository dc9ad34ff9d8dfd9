/*
 * pattern_moves.c
 *	  Access patterns that read keys which change, while the items of their entity are moved.
 *
 * In that time an item is under the key of either version of its entity (table/moves.h).  The
 * body of such a function is replaced twice, each time with the table's definition:
 * at first by a query that reads the ranges of both versions,
 *
 *		WHERE (t."PK" = <by the one> AND dynamo.parse_key(t."PK", <the one>) IS NOT NULL)
 *		   OR (t."PK" = <by the other> AND dynamo.parse_key(t."PK", <the other>) IS NOT NULL)
 *		ORDER BY dynamo.pattern_order(t.tableoid, t.item, 'SK') COLLATE "C"
 *
 * and at the end by the one that dynamo.create_access_pattern would make now.  Only the body
 * changes: the function keeps its owner, rights, defaults and comment.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "design/entity_list.h"
#include "errors.h"
#include "extension_objects.h"
#include "item/convert.h"
#include "pattern/pattern.h"
#include "table/table_name.h"
#include "view/entity_view.h"

/* ---- the functions ---- */

static const char patterns_query[] =
"SELECT p.pattern::pg_catalog.oid FROM dynamo.access_patterns p "
"JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) $1 "
"JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace "
"WHERE p.relation OPERATOR(pg_catalog.=) pg_catalog.format('%I.%I', n.nspname, c.relname) "
"ORDER BY p.pattern::pg_catalog.oid";

/* The patterns of a table, whoever has declared them. */
static List *
PatternsOf(Oid relid)
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

static Oid
FunctionOwner(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid			owner = HeapTupleIsValid(tuple) ? ((Form_pg_proc) GETSTRUCT(tuple))->proowner : InvalidOid;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return owner;
}

static void
ReplaceBody(Oid function, const AccessPattern *pattern, const char *body)
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
static AccessPattern *
LockPattern(Oid function)
{
	LockDatabaseObject(ProcedureRelationId, function, 0, AccessExclusiveLock);
	return OidIsValid(FunctionOwner(function)) ? PatternOfFunction(function) : NULL;
}

/* ---- plans ---- */

static PatternTarget
TargetOf(const AccessPattern *p, const TableDef *def)
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
static AccessPattern *
PlanAnew(Oid function, const AccessPattern *p, PatternTarget *target)
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

/* Opens the view whose rows a pattern returns; NULL if it returns items.  The record can name another relation. */
static Relation
OpenViewOf(const AccessPattern *p, const PatternTarget *target)
{
	Relation	view = p->view == NULL ? NULL : TableNameOpen(p->view, AccessShareLock, false);
	const EntityViewDef *def = view == NULL ? NULL : EntityViewDefOf(view);

	if (view != NULL && (def == NULL || def->entity.data == NULL || !SliceEqual(def->entity, target->entities[0]->name)))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a view of entity \"%.*s\"", p->view,
						(int) target->entities[0]->name.len, target->entities[0]->name.data)));
	return view;
}

/* ---- errors ---- */

/* An error tells of which pattern it is. */
static void
TellPattern(void *arg)
{
	errcontext("access pattern %s", format_procedure(*(Oid *) arg));
}

typedef struct PatternContext
{
	ErrorContextCallback callback;
	Oid			function;
} PatternContext;

static void
BeginContext(PatternContext *context, Oid function)
{
	context->function = function;
	context->callback = (ErrorContextCallback) {error_context_stack, TellPattern, &context->function};
	error_context_stack = &context->callback;
}

static void
EndContext(const PatternContext *context)
{
	error_context_stack = context->callback.previous;
}

/* ---- what can read both ---- */

static void
RefusePattern(Oid function, const char *entity_name, const char *reason)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("access pattern %s cannot read the items of entity \"%s\" while they are moved", format_procedure(function), entity_name),
			 errdetail_internal("%s", reason),
			 errhint("Read the entity's view in place of the pattern, drop the pattern, and declare it again after the migration.")));
}

static const char *
WhyNotEither(Oid function, Oid relid, const char *entity_name, const AccessPattern *p, const PatternTarget *target)
{
	bool		items = strcmp(p->returns, "items") == 0;

	if (FunctionOwner(function) != RelationOwner(relid))
		return "It does not belong to the owner of the table.";
	if (PatternBasisIsEither(p->basis) || p->changed || p->condition == NULL)
		return "Its function is not as it was declared.";
	if (!items && p->view == NULL)
		return "It returns pages or documents, which are made of one range.";
	if (p->projection != NULL)
		return "It has a projection.";
	if (PatternListFind(p) >= 0)
		return "It reads a range for each element of a list.";
	if (list_length(p->entities) != 1 || strcmp(linitial(p->entities), entity_name) != 0)
		return "It does not read this entity alone, which it would have to distinguish from others by keys that change.";
	if (target->index != NULL && !target->index->kind->whole_items)
		return psprintf("Index \"%s\" is a table of its own.", p->index);
	if (items && target->index != NULL && target->index->projected != PROJECTED_ALL)
		return psprintf("Index \"%s\" has a projection.", p->index);
	return NULL;
}

/* Whether a condition on a key attribute is the same in both formats of a number. */
static bool
ReadsBothFormats(const AccessPattern *p, Slice attribute)
{
	for (int i = 0; i < p->nkeys; i++)
	{
		const PatternKey *key = &p->keys[i];
		const PatternValue *value = &key->values[0];

		if (SliceIs(attribute, key->attribute))
			return key->op == KEY_EQ || (key->op == KEY_BEGINS_WITH && (value->template == NULL || value->comparison == KEY_HAS_PREFIX));
	}
	return true;
}

/*
 * Sets the templates of the key attributes that change.  Returns whether they tell under which version's
 * key an item is, or that does not matter: those of the table's key that do not tell differ in the width
 * of numbers only (migrate/migrate_check.c).
 */
static bool
FindVersions(PatternVersions *v, const PatternTarget *before, const PatternTarget *after)
{
	bool		tell = false;
	bool		agree = true;

	for (int i = 0; i < KeyCount(before->key); i++)
	{
		Slice		attribute = before->key->attributes[i].name;
		const ComposedKey *one = EntityKeyFind(before->entities[0], attribute);
		const ComposedKey *other = EntityKeyFind(after->entities[0], attribute);
		StringInfoData example;

		if (one == NULL || other == NULL || SliceEqual(one->template->source, other->template->source))
			continue;
		initStringInfo(&example);
		v->templates[0][i] = pnstrdup(one->template->source.data, one->template->source.len);
		v->templates[1][i] = pnstrdup(other->template->source.data, other->template->source.len);
		if (!TemplatesOverlap(one->template, other->template, &example))
			tell = true;
		else
			agree = agree && one->base && ReadsBothFormats(v->plans[0], attribute) && ReadsBothFormats(v->plans[1], attribute);
	}
	return tell || agree;
}

static bool
NamesEntity(const AccessPattern *p, const char *entity_name)
{
	ListCell   *cell;

	foreach(cell, p->entities)
	{
		if (strcmp(lfirst(cell), entity_name) == 0)
			return true;
	}
	return p->entities == NIL;
}

/* ---- the beginning ---- */

/* What the patterns of a table are changed for. */
typedef struct Moves
{
	Oid			relid;
	const char *entity_name;
	const TableDef *before;
	const TableDef *after;
	const TableDef *now;		/* the table's definition */
} Moves;

static void
MakeEither(const Moves *m, Oid function, AccessPattern *p)
{
	PatternTarget before = TargetOf(p, m->before);
	PatternTarget after;
	PatternTarget now;
	PatternVersions versions = {0};
	AccessPattern either;
	const char *why = NamesEntity(p, m->entity_name) ? WhyNotEither(function, m->relid, m->entity_name, p, &before) :
		psprintf("With the new keys, %s.", PatternBasisProblem(m->after, p->basis));
	Relation	view;

	if (why != NULL)
		RefusePattern(function, m->entity_name, why);
	after = TargetOf(p, m->after);
	now = TargetOf(p, m->now);
	/* the record can name keys that the table does not have */
	versions.plans[0] = PlanAnew(function, p, &before);
	versions.plans[1] = PlanAnew(function, p, &after);
	if (versions.plans[0]->excludes || versions.plans[1]->excludes || versions.plans[0]->by_key || versions.plans[1]->by_key)
		RefusePattern(function, m->entity_name, "Its range has items of other entities, and the entity has no type attribute.");
	if (!FindVersions(&versions, &before, &after))
		RefusePattern(function, m->entity_name, "Its keys do not tell whether they are old or new.");
	either = *versions.plans[0];
	either.basis = PatternEitherBasis(versions.plans[0]->basis, versions.plans[1]->basis);
	view = OpenViewOf(p, &now);
	ReplaceBody(function, &either, PatternBodyOfEither(&either, &now, view, &versions));
	if (view != NULL)
		table_close(view, NoLock);
}

/* Whether a pattern without entities, which has templates of its own, reads a key that changes. */
static bool
ReadsChangingKey(const Moves *m, const AccessPattern *p)
{
	PatternTarget target = TargetOf(p, m->before);
	const Entity *before = RequireEntity(m->before, m->entity_name);
	const Entity *after = RequireEntity(m->after, m->entity_name);

	for (int i = 0; p->entities == NIL && i < KeyCount(target.key); i++)
	{
		const ComposedKey *one = EntityKeyFind(before, target.key->attributes[i].name);
		const ComposedKey *other = EntityKeyFind(after, target.key->attributes[i].name);

		if (one != NULL && other != NULL && !SliceEqual(one->template->source, other->template->source))
			return true;
	}
	return false;
}

/*
 * Whether a pattern reads what changes.  One that does not find all items anyway raises errors until it is
 * declared anew; those of roles that cannot read the table are nobody's concern.
 */
static bool
IsConcerned(const Moves *m, Oid function, const AccessPattern *p)
{
	Oid			owner = FunctionOwner(function);

	if (owner != RelationOwner(m->relid) && pg_class_aclcheck(m->relid, owner, ACL_SELECT) != ACLCHECK_OK)
		return false;
	return p->basis != NULL && PatternBasisProblem(m->before, p->basis) == NULL &&
		(PatternBasisProblem(m->after, p->basis) != NULL || ReadsChangingKey(m, p));
}

void
PatternsReadEither(Oid relid, const char *entity_name, const TableDef *before, const TableDef *after)
{
	Relation	rel = table_open(relid, NoLock);
	TableDef   *now = TableDefAcquire(rel);
	Moves		m = {relid, entity_name, before, after, now};
	ListCell   *cell;

	foreach(cell, PatternsOf(relid))
	{
		Oid			function = lfirst_oid(cell);
		PatternContext context;
		AccessPattern *p;

		BeginContext(&context, function);
		p = IsConcerned(&m, function, PatternOfFunction(function)) ? LockPattern(function) : NULL;
		if (p != NULL)
			MakeEither(&m, function, p);
		EndContext(&context);
	}
	TableDefRelease(now);
	table_close(rel, NoLock);
}

/* ---- the end ---- */

static void
MakeOne(const TableDef *def, Oid function, const AccessPattern *p)
{
	PatternTarget target = TargetOf(p, def);
	AccessPattern *plan = PlanAnew(function, p, &target);
	Relation	view = OpenViewOf(p, &target);

	ReplaceBody(function, plan, PatternBody(plan, &target, view));
	if (view != NULL)
		table_close(view, NoLock);
}

/* Whether a pattern is as PatternsReadEither has left it. */
static bool
ReadsEither(const AccessPattern *p)
{
	return !p->changed && p->basis != NULL && PatternBasisIsEither(p->basis) && p->condition != NULL &&
		list_length(p->entities) == 1;
}

void
PatternsReadOne(Oid relid)
{
	Relation	rel = table_open(relid, NoLock);
	TableDef   *def = TableDefAcquire(rel);
	ListCell   *cell;

	foreach(cell, PatternsOf(relid))
	{
		Oid			function = lfirst_oid(cell);
		PatternContext context;
		AccessPattern *p;

		if (FunctionOwner(function) != rel->rd_rel->relowner)
			continue;
		BeginContext(&context, function);
		p = LockPattern(function);
		if (p != NULL && ReadsEither(p))
			MakeOne(def, function, p);
		EndContext(&context);
	}
	TableDefRelease(def);
	table_close(rel, NoLock);
}

/* ---- the order ---- */

/* pattern_order(relation oid, item dynamo.item, attribute text) returns text */
DYNAMO_FUNCTION(dynamo_pattern_order);
Datum
dynamo_pattern_order(PG_FUNCTION_ARGS)
{
	Relation	rel = try_table_open(PG_GETARG_OID(0), AccessShareLock);
	ValueRef	item = PG_GETARG_VALUE(1);
	Slice		attribute = SliceOfVarlena(PG_GETARG_TEXT_PP(2));
	ValueRef	given = AttributeFind(item, attribute.data, attribute.len);
	TableDef   *def = rel != NULL && RelationIsDynamoTable(rel) ? TableDefAcquire(rel) : NULL;
	const Entity *entity = def == NULL || def->entities == NULL ? NULL : EntityOfItem(def->entities, item);
	const ComposedKey *key = entity == NULL ? NULL : EntityKeyFind(entity, attribute);
	ComposeProblem problem;
	StringInfoData text;

	initStringInfo(&text);
	if (key == NULL || EntityComposeKey(entity, key, item, &text, &problem) != COMPOSE_OK)
	{
		resetStringInfo(&text);
		if (!ValueIsMissing(given) && ValueTypeOf(given) == VALUE_S)
			appendBinaryStringInfo(&text, ValuePayload(given).data, ValuePayload(given).len);
	}
	if (def != NULL)
		TableDefRelease(def);
	if (rel != NULL)
		table_close(rel, AccessShareLock);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(text.data, text.len));
}
