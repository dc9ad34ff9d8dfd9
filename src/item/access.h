/*
 * access.h
 *	  Finds parts of values by steps of a path.
 */
#ifndef DYNAMO_ACCESS_H
#define DYNAMO_ACCESS_H

#include "item/item.h"

/* Whether a step of a path, a text, is a number, as lists require. */
extern bool StepIsNumber(text *step, long *number);

/*
 * Returns the value that n steps, Datums of type text, lead to from a stored
 * item or value: names in maps, numbers in lists.  Returns MISSING_VALUE if there
 * is none, and for a step with a true nulls[i]; nulls may be NULL.
 */
extern ValueRef FindSteps(Datum value, const Datum *steps, const bool *nulls, int n);

#endif							/* DYNAMO_ACCESS_H */
