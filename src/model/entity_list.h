/*
 * entity_list.h
 *	  The list of entities in a table's definition, as JSON text.
 */
#ifndef DYNAMO_MODEL_ENTITY_LIST_H
#define DYNAMO_MODEL_ENTITY_LIST_H

#include "entity/entity.h"
#include "table/table.h"

/* The JSON of one entity, palloc'd; NULL if there is none of this name. */
extern char *EntityJson(const TableDef *def, const char *entity_name);

/*
 * Takes the entity of this name out of a definition, if it is there, and adds
 * another, if json is not NULL.  Raises what is wrong with the result.
 */
extern void ReplaceEntity(TableDef *def, const char *entity_name, const char *json);

/* Raises the error of a table without such an entity, unless it has it. */
extern const Entity *RequireEntity(const TableDef *def, const char *entity_name);

#endif							/* DYNAMO_MODEL_ENTITY_LIST_H */
