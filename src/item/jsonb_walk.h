/*
 * jsonb_walk.h
 *	  Iterates over the members or elements of a jsonb container.
 *
 * They are returned in storage order, in place.  JsonbIterator iterates over a
 * whole tree, with a call, a state and a copy for each token; jsonb is
 * converted to items often enough for the difference to matter.
 *
 *	JsonbWalkInit(&walk, container);
 *	while (JsonbWalkMember(&walk, &name, &value))
 *		...
 *
 * A value that is itself a container is a jbvBinary.
 */
#ifndef DYNAMO_JSONB_WALK_H
#define DYNAMO_JSONB_WALK_H

#include "utils/jsonb.h"

#include "item/item.h"

typedef struct JsonbWalk
{
	JsonbContainer *container;
	char	   *data;			/* data of all children */
	uint32		count;			/* number of members or elements */
	uint32		next;
	uint32		name_start;		/* position of the next member's name in data */
	uint32		value_start;
} JsonbWalk;

extern void JsonbWalkInit(JsonbWalk *w, JsonbContainer *container);

/* Returns the next member of an object; false if there is none. */
extern bool JsonbWalkMember(JsonbWalk *w, Slice *name, JsonbValue *value);

/* Returns the next element of an array; false if there is none. */
extern bool JsonbWalkElement(JsonbWalk *w, JsonbValue *value);

#endif							/* DYNAMO_JSONB_WALK_H */
