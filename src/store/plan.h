/*
 * plan.h
 *	  Cached plans.
 */
#ifndef DYNAMO_PLAN_H
#define DYNAMO_PLAN_H

#include "catalog/pg_authid_d.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/relcache.h"

#include "exported.h"
#include "item/item.h"

extern void PlanInit(void);

/*
 * Returns the plan of a statement, from the backend's cache or newly prepared.
 * SPI must be connected.  The plan is valid until the end of the transaction.
 */
extern DYNAMO_EXPORT SPIPlanPtr StorePlan(const char *sql, int nargs, Oid *argtypes);

/*
 * The same for a statement that has the rights of another role, as a view has
 * those of its owner: the role's privileges are checked, and its row security
 * applies, but all code that the statement runs (triggers, defaults, checks,
 * functions of policies) runs as the current user.  InvalidOid means the
 * current user's rights.
 *
 * With PLAN_ALL_ROWS nothing is checked, and row security hides no rows.  The
 * caller must have checked privileges.
 */
#define PLAN_ALL_ROWS	BOOTSTRAP_SUPERUSERID

extern SPIPlanPtr StorePlanAs(const char *sql, int nargs, Oid *argtypes, Oid role);

/*
 * Raises an error if column column, counted from 1, of the last statement's
 * result has another type.  The relation may have changed after its definition
 * was read, by its owner's code in this session, or may never have been
 * checked against a definition.
 */
extern DYNAMO_EXPORT void StatementCheckColumn(int column, Oid type);

/*
 * Returns the item in the first column of a row of the last statement's
 * result, in SPI's memory.  Raises an error if it is not an item or is null,
 * which is possible if NOT NULL is not enforced (in a foreign table).
 */
extern Datum StatementItem(uint64 row);

/*
 * Raises an error if the last statement has found more than one row with a key,
 * as a stricter isolation level may show (get_row.c).
 */
extern void StatementCheckOneRow(void);

/* Appends the relation's qualified, quoted name. */
extern void AppendRelationName(StringInfo sql, Relation rel);

/* "schema"."table" */
extern DYNAMO_EXPORT char *RelationSqlName(Oid relid);

#endif							/* DYNAMO_PLAN_H */
