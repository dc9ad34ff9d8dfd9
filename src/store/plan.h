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

/*
 * The item in the first column of a row that the last statement returned, in
 * SPI's memory.  Raises an error if it is null, as it can be where NOT NULL is
 * not enforced: in a foreign table.
 */
extern Datum StatementItem(uint64 row);

/* Appends the relation's qualified, quoted name. */
extern void AppendRelationName(StringInfo sql, Relation rel);

/* "schema"."table" */
extern char *RelationSqlName(Oid relid);

#endif							/* DYNAMO_PLAN_H */
