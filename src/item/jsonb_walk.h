/*
 * jsonb_walk.h
 *	  Walking over the members or elements of a container of jsonb.
 *
 * In the order in which they are stored, each in place.  JsonbIterator does
 * the same for a whole tree, with a call, a state and a copy for each of its
 * tokens; items are made of jsonb often enough for this to be felt.
 *
 *		JsonbWalkInit(&walk, container);
 *		while (JsonbWalkMember(&walk, &name, &value))
 *			...
 *
 * A value that is a container itself is a jbvBinary.
 */
#ifndef DYNAMO_JSONB_WALK_H
#define DYNAMO_JSONB_WALK_H

#include "utils/jsonb.h"

#include "item/item.h"

typedef struct JsonbWalk
{
	JsonbContainer *container;
	char	   *data;			/* of all children */
	uint32		count;			/* of members or elements */
	uint32		next;
	uint32		name_start;		/* of the next member, in data */
	uint32		value_start;
} JsonbWalk;

extern void JsonbWalkInit(JsonbWalk *w, JsonbContainer *container);

/* The next member of an object; false if there is none. */
extern bool JsonbWalkMember(JsonbWalk *w, Slice *name, JsonbValue *value);

/* The next element of an array. */
extern bool JsonbWalkElement(JsonbWalk *w, JsonbValue *value);

#endif							/* DYNAMO_JSONB_WALK_H */
