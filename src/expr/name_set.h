/*
 * name_set.h
 *	  The attributes that somebody needs of an item.
 */
#ifndef DYNAMO_NAME_SET_H
#define DYNAMO_NAME_SET_H

#include "expr/expr.h"

typedef struct NameSet
{
	Slice	   *names;			/* palloc'd; they point to where they came from */
	int			n;
	int			room;
} NameSet;

extern void NameSetAdd(NameSet *set, Slice name);

/* Adds what the paths of a projection or a condition begin with; either may be NULL. */
extern void NameSetAddPaths(NameSet *set, const Projection *projection,
							const Condition *condition);

/* Sorts the names and leaves each once, as ItemDatumPart wants them. */
extern void NameSetFinish(NameSet *set);

#endif							/* DYNAMO_NAME_SET_H */
