/*
 * prefix.h
 *	  Prefixes of text and bytea as ranges in byte order.
 *
 * In byte order, the values that begin with a prefix p are the half-open range
 * from p to the lowest value above all of them, the upper bound.
 */
#ifndef DYNAMO_PREFIX_H
#define DYNAMO_PREFIX_H

#include "compat.h"

/*
 * Returns the lowest text in byte order above all texts that begin with
 * prefix; NULL if there is none, because prefix is empty or consists of
 * U+10FFFF.  prefix must be valid UTF-8, and so is the result, palloc'd.
 */
extern struct varlena *PrefixUpperText(const struct varlena *prefix);

/*
 * Returns the upper bound for bytea; NULL if prefix is empty or consists of
 * 0xFF.
 */
extern struct varlena *PrefixUpperBytea(const struct varlena *prefix);

#endif							/* DYNAMO_PREFIX_H */
