/*
 * path.c
 *	  Compares bound document paths and follows them into a value.
 */
#include "postgres.h"

#include "expr/bind.h"

static bool
ElementEqual(const PathElement *a, const PathElement *b)
{
	if (a->step != b->step)
		return false;
	if (a->step == PATH_INDEX)
		return a->index == b->index;
	return SliceEqual(a->name, b->name);
}

bool
PathEqual(const Path *a, const Path *b)
{
	if (a->n != b->n)
		return false;
	for (int i = 0; i < a->n; i++)
	{
		if (!ElementEqual(&a->elements[i], &b->elements[i]))
			return false;
	}
	return true;
}

static ValueRef
StepInto(const PathElement *step, ValueRef v)
{
	ValueType	need = step->step == PATH_INDEX ? VALUE_L : VALUE_M;
	Container	c;

	if (ValueTypeOf(v) != need)
		return MISSING_VALUE;
	ContainerOpen(v, &c);
	if (need == VALUE_M)
		return MapFind(&c, step->name.data, step->name.len);
	if (step->index >= c.count)
		return MISSING_VALUE;
	return ListElement(&c, step->index);
}

ValueRef
PathResolve(const Path *path, const Container *root)
{
	const PathElement *e = path->elements;
	const PathElement *end = e + path->n;
	ValueRef	v = MapFind(root, e->name.data, e->name.len);

	while (++e < end && !ValueIsMissing(v))
		v = StepInto(e, v);
	return v;
}
