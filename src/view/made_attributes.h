/*
 * made_attributes.h
 *	  Values that the database makes: computed attributes and default functions.
 */
#ifndef DYNAMO_MADE_ATTRIBUTES_H
#define DYNAMO_MADE_ATTRIBUTES_H

#include "entity/entity.h"

/* Registers how entities make values. */
extern void MadeAttributesInit(void);

/* Raises the errors of an entity's expressions. */
extern void ComputedAttributesCheck(const Entity *entity);

/*
 * Returns the attribute that always has the same value: it is computed from this one, by its name
 * alone, and this one from it.  data is NULL if there is none.
 */
extern Slice AttributeOtherName(const Entity *entity, Slice name);

#endif							/* DYNAMO_MADE_ATTRIBUTES_H */
