/*
 * entity_list.h
 *	  The list of entities in a table's definition, as JSON text.
 */
#ifndef DYNAMO_DESIGN_ENTITY_LIST_H
#define DYNAMO_DESIGN_ENTITY_LIST_H

#include "entity/entity.h"
#include "table/table.h"

/*
 * Returns the JSON of one entity, palloc'd; NULL if there is none with this
 * name.
 */
extern char *EntityJson(const TableDef *def, const char *entity_name);

/*
 * Removes the entity with this name from a definition, if it has it, and adds
 * another if json is not NULL.  Raises errors of the result.
 */
extern void ReplaceEntity(TableDef *def, const char *entity_name, const char *json);

/* Returns the entity with this name; raises an error if the table has none. */
extern const Entity *RequireEntity(const TableDef *def, const char *entity_name);

#endif							/* DYNAMO_DESIGN_ENTITY_LIST_H */
