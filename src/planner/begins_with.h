/*
 * begins_with.h
 *	  Declarations that dynamo.begins_with and its planner support share.
 *
 * src/planner/ implements what PostgreSQL's planner and index machinery
 * require: support functions, statistics, operator classes.  It may use
 * everything below it in scripts/include-graph.
 */
#ifndef DYNAMO_PLANNER_BEGINS_WITH_H
#define DYNAMO_PLANNER_BEGINS_WITH_H

#include "nodes/primnodes.h"

#include "item/prefix.h"

/* How the planner support marks its calls of dynamo_system.prefix_upper. */
#define PREFIX_UPPER_IN_PLAN	COERCE_SQL_SYNTAX

#endif							/* DYNAMO_PLANNER_BEGINS_WITH_H */
