/*
 * compose_keys.c
 *	  Composes keys of a written item by the table's entities.
 *
 * Every write calls this in one of two places: in the stages of an operation
 * (op/), which needs the item's key to find its row, or in the derive_keys
 * trigger, which runs after statements and users' triggers have changed the
 * item.  Composing an item twice does not change it again.
 */
#include "postgres.h"

#include "commands/trigger.h"

#include "entity/entity.h"
#include "table/table.h"

bool
PutNeedsOld(const TableDef *def)
{
	return def->entities != NULL && (def->entities->has_read_only || def->entities->settles_puts);
}

/* Whether an item that replaces another one must keep its read-only attributes. */
static bool
MustKeep(const TableDef *def, ValueRef old)
{
	return def->entities != NULL && def->entities->has_read_only && !ValueIsMissing(old) && SessionReplicationRole != SESSION_REPLICATION_ROLE_REPLICA;
}

/* Items that logical replication applies were composed on their own server. */
static bool
Compose(const TableDef *def, EntityWrite *write, struct varlena **composed)
{
	bool		keeps = MustKeep(def, write->old);

	write->set = def->entities;
	*composed = NULL;
	if (def->entities == NULL || SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA)
		return true;
	if (keeps && !EntityKeepsReadOnly(def->entities, write->item, write->old, write->problem))
		return false;
	return EntityCompose(write, composed) &&
		(!keeps || EntityKeepsKind(def->entities, *composed != NULL ? ItemRoot(*composed) : write->item, write->old, write->problem));
}

static bool
KeepsReadOnly(const TableDef *def, ValueRef item, ValueRef old, Problem *problem)
{
	return !MustKeep(def, old) || (EntityKeepsReadOnly(def->entities, item, old, problem) &&
								   EntityKeepsKind(def->entities, item, old, problem));
}

bool
ComposeEntityKeys(const TableDef *def, ValueRef item, ValueRef old, bool fixed_key,
				  bool final, struct varlena **composed, Problem *problem)
{
	EntityWrite write = {.item = item, .old = old, .fixed_key = fixed_key, .final = final, .problem = problem};

	return Compose(def, &write, composed);
}

bool
ComposePutItem(const TableDef *def, ValueRef item, bool final, struct varlena **composed, Problem *problem)
{
	EntityWrite write = {.item = item, .old = MISSING_VALUE, .unseen = true, .final = final, .problem = problem};

	return Compose(def, &write, composed);
}

bool
SettlePutItem(const TableDef *def, struct varlena **item, ValueRef old, bool final, Problem *problem)
{
	struct varlena *composed;

	if (!KeepsReadOnly(def, ItemRoot(*item), old, problem))
		return false;
	if (def->entities == NULL || !def->entities->settles_puts)
		return true;
	if (!ComposeEntityKeys(def, ItemRoot(*item), old, false, final, &composed, problem))
		return false;
	if (composed != NULL)
		*item = composed;
	return composed == NULL || CheckItemKeys(def, ItemRoot(composed), NULL, problem);
}

bool
ComposeUpdatedItem(const TableDef *def, ValueRef item, ValueRef old, bool final,
				   struct varlena **composed, Problem *problem)
{
	EntityWrite write = {
		.item = item,
		.old = old,
		.fixed_key = true,
		.upserts = ValueIsMissing(old),
		.final = final,
		.problem = problem
	};

	return Compose(def, &write, composed);
}
