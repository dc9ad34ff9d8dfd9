/*
 * update_rules.h
 *	  Which changes one UpdateTable may make, of those the model allows.
 */
#ifndef DYNAMO_UPDATE_RULES_H
#define DYNAMO_UPDATE_RULES_H

#include "request/shape.h"

/* The changes of indexes that the request asks for. */
typedef struct IndexChanges
{
	const Field *create;		/* NULL if there is none */
	const Field *drop;
	const Field *list;			/* the list of GlobalSecondaryIndexUpdate; may be NULL */
	const Field *vector_create; /* the same for vector indexes */
	const Field *vector_drop;
} IndexChanges;

/*
 * Makes the checks that need no table, in the service's order, and collects
 * the changes of indexes.
 */
extern void CheckUpdateRules(const Field *input, IndexChanges *changes);

/*
 * Raises LimitExceededException: only one index at a time can be created or
 * dropped.
 */
extern void TooManyIndexChanges(void) pg_attribute_noreturn();

/* Whether the request would take time in the service. */
extern bool IsLongUpdate(const Field *input, const IndexChanges *changes);

#endif							/* DYNAMO_UPDATE_RULES_H */
