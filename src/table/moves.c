/*
 * moves.c
 *	  What is registered to move items to other keys.
 */
#include "postgres.h"

#include "table/moves.h"

const MoveMethods *move_methods = NULL;

bool
MoveChangesKey(const Entity *entity, const KeySchema *schema)
{
	for (int i = 0; entity->source != NULL && i < KeyCount(schema); i++)
	{
		const ComposedKey *key = EntityKeyFind(entity, schema->attributes[i].name);
		const ComposedKey *other = EntityKeyFind(entity->source, schema->attributes[i].name);

		if (key != NULL && other != NULL && !SliceEqual(key->template->source, other->template->source))
			return true;
	}
	return false;
}

void
RefuseMoving(const Entity *entity, const char *what)
{
	if (entity != NULL && entity->moving)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("cannot %s entity \"%.*s\" while its %s", what, (int) entity->name.len, entity->name.data,
						entity->renames ? "attributes are renamed" :
						entity->other_type.data != NULL ? "items get another type" : "items are moved to other keys"),
				 errhint("Wait for the migration, or cancel it; see dynamo.migrations.")));
}

void
RefuseWhileMoving(const TableDef *def, const char *what)
{
	for (int i = 0; def->entities != NULL && i < def->entities->count; i++)
		RefuseMoving(&def->entities->entities[i], what);
}

void
MovesRegister(const MoveMethods *methods)
{
	move_methods = methods;
}
