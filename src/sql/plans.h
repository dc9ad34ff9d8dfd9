/*
 * plans.h
 *	  SPI plans that trigger functions keep for the length of a statement.
 */
#ifndef DYNAMO_PLANS_H
#define DYNAMO_PLANS_H

#include "executor/spi.h"

#include "compat.h"

/*
 * Prepares a statement, to be freed with a memory context (that of the
 * trigger's FmgrInfo).  SPI must be connected.
 */
extern SPIPlanPtr PrepareForContext(MemoryContext context, const char *sql,
									int nargs, Oid *types);

/* "schema"."table" */
extern char *RelationSqlName(Oid relid);

#endif							/* DYNAMO_PLANS_H */
