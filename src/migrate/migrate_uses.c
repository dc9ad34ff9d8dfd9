/*
 * migrate_uses.c
 *	  What depends on an attribute that items lose, or whose value changes in all items.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "catalog/pg_index.h"
#include "commands/trigger.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"

#include "copy/copy.h"
#include "extension_objects.h"
#include "migrate/migrate.h"
#include "pattern/pattern.h"
#include "pattern/pattern_anew.h"
#include "table/table_name.h"

/* An attribute of an entity, and what is to happen to it. */
typedef struct AttributeUse
{
	const Entity *entity;
	Slice		name;
	const char *verb;
	const char *again;			/* how what depends on it is created again */
	const char *hint;			/* what to do about all that depends on it; NULL if that differs */
} AttributeUse;

static void DependsOnAttribute(const AttributeUse *u, const char *what, const char *hint) pg_attribute_noreturn();

static void
DependsOnAttribute(const AttributeUse *u, const char *what, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
			 errmsg("cannot %s attribute \"%.*s\" of entity \"%.*s\" because %s depends on it", u->verb,
					(int) u->name.len, u->name.data, (int) u->entity->name.len, u->entity->name.data, what),
			 errhint("%s", u->hint == NULL ? hint : u->hint)));
}

static bool
IsNameByte(char c)
{
	return c == '_' || IS_HIGHBIT_SET(c) || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether a text has a name as a word of its own, which is not that of a parameter. */
static bool
HasWord(const char *text, Slice name)
{
	const char *word = pnstrdup(name.data, name.len);

	for (const char *at = text == NULL ? NULL : strstr(text, word); at != NULL; at = strstr(at + 1, word))
	{
		if ((at == text || (!IsNameByte(at[-1]) && at[-1] != ':')) && !IsNameByte(at[name.len]))
			return true;
	}
	return false;
}

/* ---- the table ---- */

static void
RefuseNamedByProjections(const AttributeUse *u, const TableDef *def)
{
	for (int i = 0; i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];

		for (int j = 0; j < index->nnon_key; j++)
		{
			if (SliceEqual(index->non_key[j], u->name))
				DependsOnAttribute(u, psprintf("the projection of index \"%s\"", index->name),
								   "Create an index that contains the other name, and drop this one.");
		}
	}
}

static void
RefuseNamedByConditions(const AttributeUse *u)
{
	for (int i = 0; i < u->entity->nkeys; i++)
	{
		const ComposedKey *key = &u->entity->keys[i];

		if (ConditionUses(key->condition, u->name))
			DependsOnAttribute(u, psprintf("the condition of key \"%.*s\"", (int) key->attribute.len, key->attribute.data),
							   "Declare the entity with a condition on the other name first.");
	}
}

/* Expressions and predicates of indexes, of unique constraints too, and arguments of triggers. */
static void
RefuseNamedByRelation(const AttributeUse *u, Relation rel)
{
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(rel))
	{
		char	   *sql = pg_get_indexdef_string(lfirst_oid(cell));
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);

		if ((!heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL) ||
			 !heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL)) && HasWord(sql, u->name))
			DependsOnAttribute(u, psprintf("index \"%s\"", RelationGetRelationName(index)),
							   "Create it again with the other name, and drop this one.");
		index_close(index, AccessShareLock);
	}
	for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
	{
		const Trigger *t = &rel->trigdesc->triggers[i];

		if (t->tgnargs == 1 && (t->tgfoid == SystemFunctionOid(FUNCTION_CHECK_REFERENCE) || t->tgfoid == SystemFunctionOid(FUNCTION_CHECK_REFERENCED)) &&
			HasWord(t->tgargs[0], u->name))
			DependsOnAttribute(u, psprintf("reference \"%s\"", t->tgname),
							   "Drop it with dynamo.drop_constraint, and create it again with the other name.");
	}
}

/* ---- access patterns ---- */

bool
MigratePatternNames(const AccessPattern *p, Slice name)
{
	PatternClause *clauses;
	Container	names;
	int			n;

	clauses = PatternClauses(p, &n);
	for (int i = 0; i < n; i++)
	{
		if (SliceEqual(clauses[i].attribute, name))
			return true;
	}
	if (!ValueIsMissing(p->names))
	{
		ContainerOpen(p->names, &names);
		for (uint32 i = 0; i < names.count; i++)
		{
			Slice		placeholder;
			ValueRef	v = MapEntry(&names, i, &placeholder);

			if (ValueTypeOf(v) == VALUE_S && SliceEqual(ValuePayload(v), name))
				return true;
		}
	}
	return HasWord(p->filter, name) || HasWord(p->projection, name);
}

/* A PatternAction: a pattern that names an attribute is not right without it. */
static void
RefuseNaming(const TableDef *def, Oid function, const AccessPattern *p, const void *use)
{
	const AttributeUse *u = use;

	if (PatternNamesEntity(p, pnstrdup(u->entity->name.data, u->entity->name.len)) && MigratePatternNames(p, u->name))
		DependsOnAttribute(u, psprintf("access pattern %s", format_procedure(function)),
						   "Declare the pattern with the other name, and drop this one.");
}

/* ---- all ---- */

/* What depends on a name and on a value alike. */
static void
RefuseUses(const AttributeUse *u, Relation rel)
{
	RefuseNamedByConditions(u);
	RefuseNamedByRelation(u, rel);
	RefuseCopiedAttribute(RelationGetRelid(rel), pnstrdup(u->entity->name.data, u->entity->name.len), u->name, u->verb, u->again);
	PatternsOfOwner(RelationGetRelid(rel), RefuseNaming, u);
}

void
MigrateRefuseDropped(Relation rel, const TableDef *def, const Entity *entity, Slice name)
{
	AttributeUse u = {entity, name, "drop", "with the other name", NULL};

	if (TableDefAttribute(def, name) >= 0)
		DependsOnAttribute(&u, "a key", "Use an index whose key is the other name.");
	if (def->ttl.data != NULL && SliceEqual(def->ttl, name))
		DependsOnAttribute(&u, "the time to live", "Call dynamo.update_time_to_live with the other name first.");
	RefuseNamedByProjections(&u, def);
	RefuseUses(&u, rel);
}

/* Whether templates, expressions or declarations of an entity depend on the value of its type attribute. */
static const char *
OwnUseOfType(const Entity *entity)
{
	Slice		name = entity->type_attribute;
	const EntityAttribute *a = EntityAttributeFind(entity, name);

	for (int i = 0; i < entity->nkeys; i++)
	{
		if (TemplateUses(entity->keys[i].template, name))
			return psprintf("the template of key \"%.*s\"", (int) entity->keys[i].attribute.len, entity->keys[i].attribute.data);
	}
	if (entity->has_rules && EntityComputesFrom(entity, name))
		return "a computed attribute";
	if (a != NULL && (a->read_only || !ValueIsMissing(a->constant) || !ValueIsMissing(a->initial) || !ValueIsMissing(a->allowed)))
		return "its own declaration";
	return NULL;
}

void
MigrateRefuseTypeUses(Relation rel, const TableDef *def, const Entity *entity)
{
	AttributeUse u = {entity, entity->type_attribute, "change", "after the migration", NULL};
	const char *own = OwnUseOfType(entity);

	if (own != NULL)
		DependsOnAttribute(&u, own,
						   "Declare the entity without it first, with dynamo.create_entity(replace => true): a template can contain the type as text.");
	u.hint = "Drop it, and create it again after the migration.";
	if (TableDefAttribute(def, u.name) >= 0)
		DependsOnAttribute(&u, "a key of the table or of an index", NULL);
	RefuseUses(&u, rel);
}
