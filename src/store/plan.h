/*
 * plan.h
 *	  Kept plans.
 */
#ifndef DYNAMO_PLAN_H
#define DYNAMO_PLAN_H

#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/relcache.h"

#include "item/item.h"

/*
 * The plan of a statement, from the backend's cache or prepared and kept now.
 * SPI must be connected.  The plan may be used until the end of the
 * transaction.
 */
extern SPIPlanPtr StorePlan(const char *sql, int nargs, Oid *argtypes);

/* Appends the relation's qualified, quoted name. */
extern void AppendRelationName(StringInfo sql, Relation rel);

/* "schema"."table" */
extern char *RelationSqlName(Oid relid);

#endif							/* DYNAMO_PLAN_H */
