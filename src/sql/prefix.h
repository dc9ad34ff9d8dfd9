/*
 * prefix.h
 *	  Prefixes of text and bytea as ranges of their order.
 *
 * src/sql/ holds what serves plain SQL on dynamo tables: planner support,
 * entity views, constraints, import and export.  It may use everything below
 * request/.
 *
 * The values that begin with a prefix p are, in byte order, the half-open
 * range from p to the least value above them all, the upper bound.  prefix.c
 * computes the bound and defines dynamo.begins_with; prefix_support.c tells
 * the planner of both.
 */
#ifndef DYNAMO_PREFIX_H
#define DYNAMO_PREFIX_H

#include "nodes/primnodes.h"

#include "compat.h"

/* How the planner support marks its calls of dynamo.prefix_upper. */
#define PREFIX_UPPER_IN_PLAN	COERCE_SQL_SYNTAX

/*
 * The least text above every text that begins with prefix, in byte order, or
 * NULL if there is none: prefix is empty, or U+10FFFF only.  prefix is valid
 * UTF-8 and so is the result, palloc'd.
 */
extern struct varlena *PrefixUpperText(const struct varlena *prefix);

/* The same for bytea; NULL for a prefix that is empty or 0xFF only. */
extern struct varlena *PrefixUpperBytea(const struct varlena *prefix);

#endif							/* DYNAMO_PREFIX_H */
