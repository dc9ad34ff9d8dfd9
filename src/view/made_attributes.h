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

#endif							/* DYNAMO_MADE_ATTRIBUTES_H */
