/*
 * migrate_rename.c
 *	  Other names for attributes of an entity: dynamo.migrate_entity(rename => ...), and
 *	  dynamo.drop_attribute, which ends the time in which an attribute has two names.
 *
 * In that time the attribute is declared under both names, each computed from the other
 * (view/made_attributes.h), and a worker adds the new one to the items that there are.  It
 * takes the dropped one away again in the same manner.  Items keep their keys, so there is
 * nothing to prepare: the statement that changes the definition excludes writers.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_index.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"

#include "copy/copy.h"
#include "ddl/brief_lock.h"
#include "ddl/ddl.h"
#include "design/entity_list.h"
#include "errors.h"
#include "extension_objects.h"
#include "migrate/migrate.h"
#include "pattern/pattern.h"
#include "pattern/pattern_anew.h"
#include "table/distribution.h"
#include "table/moves.h"
#include "table/table_name.h"
#include "view/entity_view.h"
#include "view/made_attributes.h"

static void CannotRename(const Entity *entity, Slice name, const char *why, const char *hint) pg_attribute_noreturn();

static void
CannotRename(const Entity *entity, Slice name, const char *why, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("attribute \"%.*s\" of entity \"%.*s\" %s", (int) name.len, name.data,
					(int) entity->name.len, entity->name.data, why),
			 hint == NULL ? 0 : errhint("%s", hint)));
}

/* ---- renaming ---- */

static bool
IsTypeAttributeOf(const Entity *entity, Slice name)
{
	return entity->type_attribute.data != NULL && SliceEqual(entity->type_attribute, name);
}

static void
CheckOldName(const TableDef *def, const Entity *entity, Slice name)
{
	const EntityAttribute *a = EntityAttributeFind(entity, name);

	if (a == NULL)
		CannotRename(entity, name, "is not declared", NULL);
	if (a->type.data == NULL)
		CannotRename(entity, name, "has no type, and cannot be renamed", "Declare its type with dynamo.create_entity(replace => true) first.");
	if (EntityKeyFind(entity, name) != NULL || TableDefAttribute(def, name) >= 0 || IsTypeAttributeOf(entity, name))
		CannotRename(entity, name, "is a key or the type attribute, and cannot be renamed", NULL);
	if (a->computed.data != NULL || !ValueIsMissing(a->constant) || a->read_only)
		CannotRename(entity, name, "is computed, constant or read-only, and cannot be renamed", NULL);
}

static void
CheckNewName(const TableDef *def, const Entity *entity, Slice name)
{
	if (name.len == 0 || name.len > ENTITY_MAX_NAME)
		InvalidArgument("the new name of an attribute has %u bytes, not 1 to %d", name.len, ENTITY_MAX_NAME);
	if (EntityAttributeFind(entity, name) != NULL)
		CannotRename(entity, name, "is declared already", NULL);
	if (EntityKeyFind(entity, name) != NULL || TableDefAttribute(def, name) >= 0 || IsTypeAttributeOf(entity, name))
		CannotRename(entity, name, "is a key or the type attribute: choose another name", NULL);
	for (int i = 0; i < entity->nkeys; i++)
	{
		if (ComposedKeyUses(&entity->keys[i], name))
			CannotRename(entity, name, "is a part of a key already: choose another name", NULL);
	}
}

static void
CheckRenames(const TableDef *def, const Entity *entity, Jsonb *rename)
{
	JsonbIterator *it = JsonbIteratorInit(&rename->root);
	JsonbValue	name;
	JsonbValue	value;

	(void) JsonbIteratorNext(&it, &name, true);
	while (JsonbIteratorNext(&it, &name, true) == WJB_KEY)
	{
		Slice		old = {name.val.string.val, name.val.string.len};

		(void) JsonbIteratorNext(&it, &value, true);
		if (value.type != jbvString)
			InvalidArgument("the new name of attribute \"%.*s\" is not a string", (int) old.len, old.data);
		CheckOldName(def, entity, old);
		CheckNewName(def, entity, (Slice) {value.val.string.val, value.val.string.len});
	}
}

/* The items of a table whose rows the worker can change in place. */
static void
CheckTableCanChange(Relation rel, const TableDef *def, const Entity *entity)
{
	RefuseDistributed(rel, "a migration of an entity");
	RefuseMoving(entity, "migrate");
	RefuseWhileMoving(def, "migrate an entity beside");
	if (rel->rd_rel->relkind != RELKIND_RELATION || rel->rd_rel->relispartition || rel->rd_rel->relhassubclass)
		CannotRename(entity, entity->name, "is in a table that is partitioned, or has children",
					 "Declare the attribute under both names with dynamo.create_entity(replace => true), and call dynamo.apply_entity.");
	if (rel->rd_rel->relforcerowsecurity)
		CannotRename(entity, entity->name, "is in a table with row security that also applies to its owner",
					 "ALTER TABLE ... NO FORCE ROW LEVEL SECURITY until the migration has ended.");
}

static void
StoreRenamed(Oid relid, TableDef *def, const char *entity_name)
{
	SPI_connect();
	ComputedAttributesCheck(RequireEntity(def, entity_name));
	RefuseCopiedDefaults(relid, def);
	StoreDefinition(relid, def);
	SPI_finish();
}

/* ---- who names an attribute ---- */

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

static void DependsOnAttribute(const Entity *entity, Slice name, const char *what, const char *hint) pg_attribute_noreturn();

static void
DependsOnAttribute(const Entity *entity, Slice name, const char *what, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
			 errmsg("cannot drop attribute \"%.*s\" of entity \"%.*s\" because %s depends on it", (int) name.len, name.data,
					(int) entity->name.len, entity->name.data, what),
			 errhint("%s", hint)));
}

static void
RefuseNamedByIndexes(const TableDef *def, const Entity *entity, Slice name)
{
	for (int i = 0; i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];

		for (int j = 0; j < index->nnon_key; j++)
		{
			if (SliceEqual(index->non_key[j], name))
				DependsOnAttribute(entity, name, psprintf("the projection of index \"%s\"", index->name),
								   "Create an index that contains the other name, and drop this one.");
		}
	}
	for (int i = 0; i < entity->nkeys; i++)
	{
		const ComposedKey *key = &entity->keys[i];

		if (key->condition != NULL && ComposedKeyUses(key, name) && !TemplateUses(key->template, name))
			DependsOnAttribute(entity, name, psprintf("the condition of key \"%.*s\"", (int) key->attribute.len, key->attribute.data),
							   "Declare the entity with a condition on the other name first.");
	}
}

/* Expressions and predicates of indexes, of unique constraints too, and arguments of triggers. */
static void
RefuseNamedByRelation(Relation rel, const Entity *entity, Slice name)
{
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(rel))
	{
		char	   *sql = pg_get_indexdef_string(lfirst_oid(cell));
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);

		if ((!heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL) ||
			 !heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL)) && HasWord(sql, name))
			DependsOnAttribute(entity, name, psprintf("index \"%s\"", RelationGetRelationName(index)),
							   "Create it again with the other name, and drop this one.");
		index_close(index, AccessShareLock);
	}
	for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
	{
		const Trigger *t = &rel->trigdesc->triggers[i];

		if (t->tgnargs == 1 && (t->tgfoid == SystemFunctionOid(FUNCTION_CHECK_REFERENCE) || t->tgfoid == SystemFunctionOid(FUNCTION_CHECK_REFERENCED)) &&
			HasWord(t->tgargs[0], name))
			DependsOnAttribute(entity, name, psprintf("reference \"%s\"", t->tgname),
							   "Drop it with dynamo.drop_constraint, and create it again with the other name.");
	}
}

/* ---- access patterns ---- */

static bool
PatternNamesAttribute(const AccessPattern *p, Slice name)
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

/* A pattern that names an attribute is not right without it. */
static void
RefuseNamedByPatterns(Oid relid, const Entity *entity, Slice name)
{
	char	   *entity_name = pnstrdup(entity->name.data, entity->name.len);
	ListCell   *cell;

	foreach(cell, PatternsOfTable(relid))
	{
		Oid			function = lfirst_oid(cell);
		const AccessPattern *p = PatternOwner(function) == RelationOwner(relid) ? PatternIfAny(function) : NULL;

		if (p != NULL && PatternNamesEntity(p, entity_name) && PatternNamesAttribute(p, name))
			DependsOnAttribute(entity, name, psprintf("access pattern %s", format_procedure(function)),
							   "Declare the pattern with the other name, and drop this one.");
	}
}

/* A definition before it was changed. */
typedef struct Before
{
	const char *entity_name;
	const TableDef *def;
} Before;

/* A PatternAction: one that was right before gets the templates of the table's definition. */
static void
FollowTemplates(const TableDef *def, Oid function, const AccessPattern *p, const void *arg)
{
	const Before *before = arg;

	if (!PatternNamesEntity(p, before->entity_name) || p->changed || p->condition == NULL || p->basis == NULL ||
		!PatternBasisHolds(before->def, p->basis))
		return;
	p = PatternLock(function);
	if (p != NULL)
		PatternMakeAnew(def, function, p);
}

static void
PatternsFollowTemplates(Oid relid, const char *entity_name, const TableDef *before)
{
	PatternsOfOwner(relid, FollowTemplates, &(Before) {entity_name, before});
}

/* Columns of names that are lost show the attributes under their other names. */
static void
ViewsFollow(Oid relid, const char *entity_name)
{
	Relation	rel = table_open(relid, NoLock);
	TableDef   *def = TableDefCopy(rel);
	const Entity *entity = RequireEntity(def, entity_name);

	table_close(rel, NoLock);
	EntityViewsReplace(relid, entity_name, entity->dropped, entity->ndropped);
}

void
MigrateRenameBack(Oid relid, const char *entity_name, const TableDef *before)
{
	ViewsFollow(relid, entity_name);
	PatternsFollowTemplates(relid, entity_name, before);
}

/* ---- the beginning of a rename ---- */

/* An action of RunWithBriefLocks. */
static void
BeginRename(void *arg)
{
	MigrateRenameRequest *r = arg;
	TableDef   *def = LockAnyDefinition(r->table_name, ShareRowExclusiveLock, &r->relid);
	const Entity *entity = RequireEntity(def, r->entity_name);
	Relation	rel = table_open(r->relid, NoLock);

	CheckTableCanChange(rel, def, entity);
	CheckRenames(def, entity, r->rename);
	table_close(rel, NoLock);
	MigrateDefineRenaming(def, r->entity_name, r->rename);
	StoreRenamed(r->relid, def, r->entity_name);
	ViewsFollow(r->relid, r->entity_name);
	MigrateStateStart(r->relid, r->entity_name);
	MigrateStatePhase(r->relid, r->entity_name, "moving");
}

void
MigrateRename(MigrateRenameRequest *r)
{
	RunWithBriefLocks(BeginRename, r);
	MigrateAtCommit(r->relid);
}

/* ---- dropping ---- */

static void
RefuseDrop(Relation rel, const TableDef *def, const Entity *entity, Slice name)
{
	if (TableDefAttribute(def, name) >= 0)
		DependsOnAttribute(entity, name, "a key", "Use an index whose key is the other name.");
	if (def->ttl.data != NULL && SliceEqual(def->ttl, name))
		DependsOnAttribute(entity, name, "the time to live", "Call dynamo.update_time_to_live with the other name first.");
	RefuseNamedByIndexes(def, entity, name);
	RefuseNamedByRelation(rel, entity, name);
	RefuseCopiedAttribute(RelationGetRelid(rel), pnstrdup(entity->name.data, entity->name.len), name);
	RefuseNamedByPatterns(RelationGetRelid(rel), entity, name);
}

typedef struct DropRequest
{
	char	   *table_name;
	char	   *entity_name;
	Slice		name;
	Oid			relid;
} DropRequest;

/* An action of RunWithBriefLocks. */
static void
DropAttribute(void *arg)
{
	DropRequest *r = arg;
	TableDef   *def = LockAnyDefinition(r->table_name, ShareRowExclusiveLock, &r->relid);
	TableDef   *before = TableDefParse(TableDefPrint(def));
	const Entity *entity = RequireEntity(before, r->entity_name);
	Relation	rel = table_open(r->relid, NoLock);
	Slice		other;

	CheckTableCanChange(rel, before, entity);
	if (EntityAttributeFind(entity, r->name) == NULL)
		CannotRename(entity, r->name, "is not declared", NULL);
	other = AttributeOtherName(entity, r->name);
	if (other.data == NULL)
		CannotRename(entity, r->name, "has no other name, under which its values stay", NULL);
	RefuseDrop(rel, before, entity, r->name);
	table_close(rel, NoLock);
	MigrateDefineDropping(def, r->entity_name, r->name, other);
	StoreRenamed(r->relid, def, r->entity_name);
	ViewsFollow(r->relid, r->entity_name);
	PatternsFollowTemplates(r->relid, r->entity_name, before);
	MigrateStateStart(r->relid, r->entity_name);
	MigrateStatePhase(r->relid, r->entity_name, "moving");
}

/* drop_attribute(table_name text, entity_name text, attribute text) */
DYNAMO_FUNCTION(dynamo_drop_attribute);
Datum
dynamo_drop_attribute(PG_FUNCTION_ARGS)
{
	DropRequest r = {RequiredTableArgument(fcinfo, 0), RequiredText(fcinfo, 1, "entity_name")};

	r.name = SliceOf(RequiredText(fcinfo, 2, "attribute"));
	RunWithBriefLocks(DropAttribute, &r);
	MigrateAtCommit(r.relid);
	PG_RETURN_VOID();
}
