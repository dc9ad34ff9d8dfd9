/*
 * prefix.h
 *	  What the functions and the planner support of dynamo.begins_with share.
 *
 * src/sql/ holds what serves plain SQL on dynamo tables: planner support,
 * entity views, constraints, import and export.  It may use everything below
 * request/.
 */
#ifndef DYNAMO_SQL_PREFIX_H
#define DYNAMO_SQL_PREFIX_H

#include "nodes/primnodes.h"

#include "item/prefix.h"

/* How the planner support marks its calls of dynamo.prefix_upper. */
#define PREFIX_UPPER_IN_PLAN	COERCE_SQL_SYNTAX

#endif							/* DYNAMO_SQL_PREFIX_H */
