/*
 * name_set.h
 *	  The set of attributes that a caller needs from an item.
 */
#ifndef DYNAMO_NAME_SET_H
#define DYNAMO_NAME_SET_H

#include "exported.h"
#include "expr/expr.h"

typedef struct NameSet
{
	Slice	   *names;			/* palloc'd; the slices point into the source */
	int			n;
	int			room;
} NameSet;

extern DYNAMO_EXPORT void NameSetAdd(NameSet *set, Slice name);

/*
 * Adds the top-level names of the paths of a projection and a condition;
 * either may be NULL.
 */
extern DYNAMO_EXPORT void NameSetAddPaths(NameSet *set, const Projection *projection,
										  const Condition *condition);

/* Sorts the names and removes duplicates, as ItemDatumPart requires. */
extern DYNAMO_EXPORT void NameSetFinish(NameSet *set);

#endif							/* DYNAMO_NAME_SET_H */
