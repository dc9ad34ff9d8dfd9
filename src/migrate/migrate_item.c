/*
 * migrate_item.c
 *	  Finds and moves one item whose entity has a source.
 *
 * Moves are made with the rights of the table's owner, like entries of index tables: whoever
 * writes an item needs no right to its old key.  Triggers run as the user, as in the write.
 */
#include "postgres.h"

#include "commands/trigger.h"
#include "utils/rel.h"

#include "entity/entity.h"
#include "errors.h"
#include "extension_objects.h"
#include "item/builder.h"
#include "migrate/migrate.h"
#include "store/store.h"
#include "table/limits.h"
#include "table/moves.h"

/* What was found where an item may be. */
typedef enum Found
{
	FOUND_NOTHING,
	FOUND_OTHER,				/* an item that does not move */
	FOUND_MOVED					/* and has moved it */
} Found;

/* Returns the entity whose items may be under two keys; NULL if there is none. */
static const Entity *
EntityWithSource(const TableDef *def)
{
	for (int i = 0; def->entities != NULL && i < def->entities->count; i++)
	{
		if (def->entities->entities[i].source != NULL)
			return &def->entities->entities[i];
	}
	return NULL;
}

/* ---- the two keys ---- */

/* Computes the key of one version from that of another; false if that is not possible. */
static bool
ComposeOther(const TableDef *def, const Entity *from, const Entity *to, ValueRef item, RowKey *other)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		const AttributeDef *attr = TableKeyAttribute(def, i);
		const ComposedKey *key = EntityKeyFind(to, attr->name);
		StringInfoData text;
		ComposeProblem why;

		initStringInfo(&text);
		if (key == NULL)
			other->attributes[i] = AttributeFind(item, attr->name.data, attr->name.len);
		else if (EntityComposeKey(from, key, item, &text, &why) != COMPOSE_OK)
			return false;
		else
			other->attributes[i] = ValueOfString((Slice) {text.data, text.len});
		if (!KeyValueGetDatum(attr, other->attributes[i], &other->values[i], &(Problem) {0}))
			return false;
	}
	return true;
}

static bool
HasKey(const TableDef *def, ValueRef item, const RowKey *key)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		Slice		name = def->key.attributes[i].name;

		if (!ValueEqual(AttributeFind(item, name.data, name.len), key->attributes[i]))
			return false;
	}
	return true;
}

static bool
FindOtherKey(const TableDef *def, ValueRef item, RowKey *other)
{
	const Entity *entity = EntityWithSource(def);
	bool		of_entity;

	memset(other, 0, sizeof(*other));
	if (entity == NULL)
		return false;
	of_entity = EntityKeyIsOf(entity, item);
	if (!of_entity && !EntityKeyIsOf(entity->source, item))
		return false;
	return ComposeOther(def, of_entity ? entity : entity->source, of_entity ? entity->source : entity, item, other) &&
		!HasKey(def, item, other);
}

static bool
IsMeant(const TableDef *def, ValueRef item)
{
	const Entity *entity = EntityWithSource(def);

	return entity != NULL && EntityOfItem(def->entities, item) == entity && EntityKeyIsComposed(entity, item);
}

/* ---- moves ---- */

/* Returns the item with the keys that its entity composes; NULL if it has them. */
static struct varlena *
ComposeMoved(const TableDef *def, const Entity *entity, ValueRef item, Problem *problem)
{
	EntityWrite write = {.set = def->entities, .item = item, .old = item, .final = true, .problem = problem};
	struct varlena *composed;

	write.repairs = EntityVersionOf(entity, item) == entity;
	if (write.repairs)
		write.old = MISSING_VALUE;
	return EntityCompose(&write, &composed) ? composed : NULL;
}

/*
 * Items whose keys contradict their attributes stay where they are, as in the views.  One whose keys
 * cannot be composed has to be moved: that it cannot stops the migration, at whose end all items have
 * the keys of the entity.
 */
bool
MigrateNeedsMove(const TableDef *def, const Entity *entity, ValueRef item)
{
	Problem		problem = NO_PROBLEM;

	if (EntityOfItem(def->entities, item) != entity)
		return false;
	if (!EntityKeyIsComposed(entity, item))
		return entity->source != NULL && EntityKeyIsComposed(entity->source, item);
	if (EntityVersionOf(entity, item) != entity)
		return true;
	if (entity->other_type.data != NULL)
		return EntityNewType(entity, item).data != NULL;
	return (!entity->composed || entity->renames) && (ComposeMoved(def, entity, item, &problem) != NULL || ProblemIsNoted(&problem));
}

static void
StoreMoved(Store *store, const RowKey *key, const RowLock *lock, struct varlena *item, struct varlena *moved)
{
	ReplacedItem replaced = {.item = ItemRoot(item)};
	struct varlena *stored;
	RowKey		other;
	WriteAction action;

	CheckItemSize(ItemRoot(moved));
	(void) CheckItemKeys(store->def, ItemRoot(moved), &replaced, NULL);
	if (!HasKey(store->def, ItemRoot(moved), key) &&
		(!FindOtherKey(store->def, ItemRoot(item), &other) || !HasKey(store->def, ItemRoot(moved), &other)))
		elog(ERROR, "the two keys of an item do not determine each other");
	action = StoreWriteLocked(store, key, lock, WRITE_PUT, moved, &stored);
	if (action == WRITE_NOTHING || MigrateNeedsMove(store->def, MigrateEntity(store->def), ItemRoot(stored)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("an item of table \"%s\" cannot be moved to its new key", RelationGetRelationName(store->rel)),
				 errdetail("A trigger has suppressed or undone the change of its row.")));
}

/* Whether an item that does not move has the key that another one is to get. */
static bool
KeyIsTaken(Store *store, const RowKey *key)
{
	RowLock		lock;
	struct varlena *item = StoreLockPresent(store, key, &lock);

	return item != NULL && !IsMeant(store->def, ItemRoot(item));
}

/* Moves the item with a key, if it moves, unless its new key is given and taken. */
static Found
MoveAt(Oid relid, const RowKey *key, const RowKey *new)
{
	Store		store;
	RowLock		lock;
	struct varlena *item;
	struct varlena *moved = NULL;
	const Entity *entity;
	Found		found = FOUND_NOTHING;

	StoreOpenAs(&store, relid, ACL_SELECT | ACL_UPDATE, RelationOwner(relid), true);
	entity = MigrateEntity(store.def);
	item = entity == NULL ? NULL : StoreLockPresent(&store, key, &lock);
	if (item != NULL)
	{
		found = FOUND_OTHER;
		if (MigrateNeedsMove(store.def, entity, ItemRoot(item)) && (new == NULL || !KeyIsTaken(&store, new)))
			moved = ComposeMoved(store.def, entity, ItemRoot(item), NULL);
	}
	if (moved != NULL)
	{
		StoreMoved(&store, key, &lock, item, moved);
		found = FOUND_MOVED;
	}
	StoreClose(&store);
	return found;
}

void
MigrateMove(const TableDef *def, ValueRef item)
{
	RowKey		key;

	(void) RowKeyFromItem(def, item, &key, NULL);
	(void) MoveAt(def->relid, &key, NULL);
}

/* ---- before writes ---- */

static bool
WritesAreComposed(void)
{
	return SessionReplicationRole != SESSION_REPLICATION_ROLE_REPLICA;
}

static bool
Bring(Store *store, RowKey *key, bool replaces)
{
	const Entity *entity = EntityWithSource(store->def);
	Oid			relid = RelationGetRelid(store->rel);
	ValueRef	item = ItemRoot(ItemOfKey(store->def, key));
	RowKey		other;

	if (!WritesAreComposed() || !FindOtherKey(store->def, item, &other))
		return false;
	if (EntityKeyIsOf(entity, item))
	{
		(void) MoveAt(relid, &other, key);
		return false;
	}
	if (!replaces || MoveAt(relid, key, NULL) == FOUND_OTHER)
		return false;
	*key = other;
	return true;
}

static void
StillThereError(Relation rel)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNIQUE_VIOLATION),
			 errmsg("duplicate key in table \"%s\"", RelationGetRelationName(rel)),
			 errdetail("The item exists under the other key of its entity, whose items are moved to new keys."),
			 errhint("dynamo.put_item, dynamo.update_item and UPDATE of the entity's view find it under either key.")));
}

static void
CheckNew(Relation rel, const TableDef *def, ValueRef item, ValueRef old)
{
	RowKey		key;
	RowKey		other;
	Store		store;
	RowLock		lock;
	struct varlena *there;

	if (!IsMeant(def, item) || !RowKeyFromItem(def, item, &key, NULL) || !FindOtherKey(def, item, &other))
		return;
	if (!ValueIsMissing(old) && (HasKey(def, old, &key) || HasKey(def, old, &other)))
		return;
	StoreOpenAs(&store, RelationGetRelid(rel), ACL_SELECT | ACL_UPDATE, rel->rd_rel->relowner, true);
	there = StoreLockPresent(&store, &other, &lock);
	if (there != NULL && IsMeant(def, ItemRoot(there)))
		StillThereError(rel);
	StoreClose(&store);
}

static const MoveMethods methods = {
	.other_key = FindOtherKey,
	.is_meant = IsMeant,
	.bring = Bring,
	.check_new = CheckNew,
	.other_version = MigrateOtherVersion
};

void
MigrateItemInit(void)
{
	MovesRegister(&methods);
}
