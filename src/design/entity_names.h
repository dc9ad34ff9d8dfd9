/*
 * entity_names.h
 *	  The names that the conditions of an entity may use as they are: those that it declares.
 */
#ifndef DYNAMO_DESIGN_ENTITY_NAMES_H
#define DYNAMO_DESIGN_ENTITY_NAMES_H

#include "utils/jsonb.h"

#include "design/bare_names.h"
#include "design/entity_attributes.h"

/* What declares names. */
typedef struct EntityNames
{
	const DeclaredAttributes *attributes;
	const char *type_attribute; /* NULL: none */
	Jsonb	   *keys;			/* NULL: none; their parts count if the entity declares no attributes */
} EntityNames;

/*
 * Finds the names in all conditions, by index, so that each of them is stored with the same
 * names.  declared must stay as long as names is used.  conditions may be NULL.
 */
extern void EntityNamesFind(BareNames *names, const EntityNames *declared, Jsonb *conditions);

#endif							/* DYNAMO_DESIGN_ENTITY_NAMES_H */
