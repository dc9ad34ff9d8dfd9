/*
 * contains.h
 *	  Containment of items, as jsonb has it: a @> b.
 */
#ifndef DYNAMO_CONTAINS_H
#define DYNAMO_CONTAINS_H

#include "item/item.h"

/*
 * Whether a contains b.  A map contains one whose entries it has, each value
 * containing the other's; a list one whose elements are each contained in
 * some element of its own; a set its subsets of the same type; a scalar its
 * equal.
 */
extern bool ValueContains(ValueRef a, ValueRef b);

#endif							/* DYNAMO_CONTAINS_H */
