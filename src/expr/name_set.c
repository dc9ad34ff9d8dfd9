/*
 * name_set.c
 *	  The set of attributes that a caller needs from an item.  Only these parts
 *	  of a large item are read.
 */
#include "postgres.h"

#include "expr/name_set.h"

void
NameSetAdd(NameSet *set, Slice name)
{
	if (set->n == set->room)
	{
		set->room = Max(2 * set->room, 8);
		set->names = set->names == NULL ? palloc(set->room * sizeof(Slice)) :
			repalloc(set->names, set->room * sizeof(Slice));
	}
	set->names[set->n++] = name;
}

static bool
AddVisitor(Slice name, bool nested, void *arg)
{
	NameSetAdd(arg, name);
	return true;
}

void
NameSetAddPaths(NameSet *set, const Projection *projection, const Condition *condition)
{
	if (projection != NULL)
		ProjectionVisitPaths(projection, AddVisitor, set);
	if (condition != NULL)
		ConditionVisitPaths(condition, AddVisitor, set);
}

void
NameSetFinish(NameSet *set)
{
	int			n = 0;

	if (set->n > 1)
		qsort(set->names, set->n, sizeof(Slice), CompareBySlice);
	for (int i = 0; i < set->n; i++)
	{
		if (n == 0 || SliceCompare(set->names[n - 1], set->names[i]) != 0)
			set->names[n++] = set->names[i];
	}
	set->n = n;
}
