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
 *		ORDER BY dynamo_system.pattern_order(t.tableoid, t.item, 'SK') COLLATE "C"
 *
 * of a list by one that joins either version's keys of its elements (pattern_sql.c),
 * and at the end by the one that dynamo.create_access_pattern would make now.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "fmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/rel.h"

#include "compat.h"
#include "design/entity_list.h"
#include "errors.h"
#include "extension_objects.h"
#include "item/convert.h"
#include "pattern/pattern.h"
#include "pattern/pattern_anew.h"
#include "table/table_name.h"
#include "view/entity_view.h"

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
WhyNotEither(const char *entity_name, const AccessPattern *p, const PatternTarget *target)
{
	bool		items = strcmp(p->returns, "items") == 0;

	if (PatternBasisIsEither(p->basis) || p->changed || p->condition == NULL)
		return "Its function is not as it was declared.";
	if (!items && p->view == NULL)
		return "It returns pages or documents, which are made of one range.";
	if (p->projection != NULL)
		return "It has a projection.";
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

/* ---- the beginning ---- */

/* What the patterns of a table are changed for. */
typedef struct Moves
{
	Oid			relid;
	const char *entity_name;
	const TableDef *before;
	const TableDef *after;
} Moves;

static void
MakeEither(const Moves *m, const TableDef *def, Oid function, AccessPattern *p)
{
	PatternTarget before = PatternTargetOf(p, m->before);
	PatternTarget after;
	PatternTarget now;
	PatternVersions versions = {0};
	AccessPattern either;
	const char *why = PatternNamesEntity(p, m->entity_name) ? WhyNotEither(m->entity_name, p, &before) :
		psprintf("With the new keys, %s.", PatternBasisProblem(m->after, p->basis));
	Relation	view;

	if (why != NULL)
		RefusePattern(function, m->entity_name, why);
	after = PatternTargetOf(p, m->after);
	now = PatternTargetOf(p, def);
	/* the record can name keys that the table does not have */
	versions.plans[0] = PatternPlanAnew(function, p, &before);
	versions.plans[1] = PatternPlanAnew(function, p, &after);
	if (versions.plans[0]->excludes || versions.plans[1]->excludes || versions.plans[0]->by_key || versions.plans[1]->by_key)
		RefusePattern(function, m->entity_name, "Its range has items of other entities, and the entity has no type attribute.");
	if (!FindVersions(&versions, &before, &after))
		RefusePattern(function, m->entity_name, "Its keys do not tell whether they are old or new.");
	either = *versions.plans[0];
	either.basis = PatternEitherBasis(versions.plans[0]->basis, versions.plans[1]->basis);
	view = PatternOpenView(function, p, &now);
	PatternReplaceBody(function, &either, PatternBodyOfEither(&either, &now, view, &versions));
	if (view != NULL)
		table_close(view, NoLock);
}

/* Whether a pattern without entities, which has templates of its own, reads a key that changes. */
static bool
ReadsChangingKey(const Moves *m, const AccessPattern *p)
{
	PatternTarget target = PatternTargetOf(p, m->before);
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
 * declared anew.
 */
static bool
IsConcerned(const Moves *m, const AccessPattern *p)
{
	return p->basis != NULL && PatternBasisProblem(m->before, p->basis) == NULL &&
		(PatternBasisProblem(m->after, p->basis) != NULL || ReadsChangingKey(m, p));
}

/* A PatternAction. */
static void
ReadEither(const TableDef *def, Oid function, const AccessPattern *p, const void *arg)
{
	const Moves *m = arg;
	AccessPattern *locked = IsConcerned(m, p) ? PatternLock(function) : NULL;

	if (locked != NULL)
		MakeEither(m, def, function, locked);
}

void
PatternsReadEither(Oid relid, const char *entity_name, const TableDef *before, const TableDef *after)
{
	Moves		m = {relid, entity_name, before, after};

	PatternsOfOwner(relid, ReadEither, &m);
}

List *
PatternsOfOthers(Oid relid, const char *entity_name)
{
	Oid			owner = RelationOwner(relid);
	List	   *others = NIL;
	ListCell   *cell;

	foreach(cell, PatternsOfTable(relid))
	{
		Oid			function = lfirst_oid(cell);
		const AccessPattern *p = PatternIfAny(function);	/* its owner may have dropped it */
		Oid			other = PatternOwner(function);

		if (p != NULL && OidIsValid(other) && other != owner && PatternNamesEntity(p, entity_name) &&
			pg_class_aclcheck(relid, other, ACL_SELECT) == ACLCHECK_OK)
			others = lappend_oid(others, function);
	}
	return others;
}

/* ---- the end ---- */

/* Whether a pattern is as PatternsReadEither has left it. */
static bool
ReadsEither(const AccessPattern *p)
{
	return !p->changed && p->basis != NULL && PatternBasisIsEither(p->basis) && p->condition != NULL &&
		list_length(p->entities) == 1;
}

/* A PatternAction. */
static void
ReadOne(const TableDef *def, Oid function, const AccessPattern *p, const void *arg)
{
	p = PatternLock(function);
	if (p != NULL && ReadsEither(p))
		PatternMakeAnew(def, function, p);
}

void
PatternsReadOne(Oid relid)
{
	PatternsOfOwner(relid, ReadOne, NULL);
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
