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

#include "access/table.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "copy/copy.h"
#include "ddl/brief_lock.h"
#include "ddl/ddl.h"
#include "design/entity_list.h"
#include "errors.h"
#include "migrate/migrate.h"
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

static void
StoreRenamed(Oid relid, TableDef *def, const char *entity_name)
{
	SPI_connect();
	ComputedAttributesCheck(RequireEntity(def, entity_name));
	RefuseCopiedDefaults(relid, def);
	StoreDefinition(relid, def);
	SPI_finish();
}

/* ---- views and patterns ---- */

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
	MigratePatternsFollow(relid, before);
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

	MigrateCheckTable(rel, def, entity);
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

	MigrateCheckTable(rel, before, entity);
	if (EntityAttributeFind(entity, r->name) == NULL)
		CannotRename(entity, r->name, "is not declared", NULL);
	other = AttributeOtherName(entity, r->name);
	if (other.data == NULL)
		CannotRename(entity, r->name, "has no other name, under which its values stay", NULL);
	MigrateRefuseDropped(rel, before, entity, r->name);
	table_close(rel, NoLock);
	MigrateDefineDropping(def, r->entity_name, r->name, other);
	StoreRenamed(r->relid, def, r->entity_name);
	ViewsFollow(r->relid, r->entity_name);
	MigratePatternsFollow(r->relid, before);
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
	MigrateTellOfDropped(r.relid, r.entity_name, r.name);
	MigrateAtCommit(r.relid);
	PG_RETURN_VOID();
}
