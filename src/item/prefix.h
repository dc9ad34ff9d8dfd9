/*
 * prefix.h
 *	  Prefixes of text and bytea as ranges of their order.
 *
 * The values that begin with a prefix p are, in byte order, the half-open
 * range from p to the least value above them all, the upper bound.
 */
#ifndef DYNAMO_PREFIX_H
#define DYNAMO_PREFIX_H

#include "compat.h"

/*
 * The least text above every text that begins with prefix, in byte order, or
 * NULL if there is none: prefix is empty, or U+10FFFF only.  prefix is valid
 * UTF-8 and so is the result, palloc'd.
 */
extern struct varlena *PrefixUpperText(const struct varlena *prefix);

/* The same for bytea; NULL for a prefix that is empty or 0xFF only. */
extern struct varlena *PrefixUpperBytea(const struct varlena *prefix);

#endif							/* DYNAMO_PREFIX_H */
