/*
 * update_rules.h
 *	  Which changes one UpdateTable may make, of those the model allows.
 */
#ifndef DYNAMO_UPDATE_RULES_H
#define DYNAMO_UPDATE_RULES_H

#include "request/shape.h"

/* What the request is to do with the indexes. */
typedef struct IndexChanges
{
	const Field *create;		/* NULL: none */
	const Field *drop;
	const Field *list;			/* of GlobalSecondaryIndexUpdate; may be NULL */
	const Field *vector_create; /* the same for vector indexes */
	const Field *vector_drop;
} IndexChanges;

/*
 * The checks that need no table, in the service's order; finds the changes of
 * indexes.
 */
extern void CheckUpdateRules(const Field *input, IndexChanges *changes);

/* Raises LimitExceededException: one index at a time is made or dropped. */
extern void TooManyIndexChanges(void) pg_attribute_noreturn();

/* Whether the service would take a while for the request. */
extern bool IsLongUpdate(const Field *input, const IndexChanges *changes);

#endif							/* DYNAMO_UPDATE_RULES_H */
