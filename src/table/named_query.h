/*
 * named_query.h
 *	  Queries of a table that have names: what requests ask of whoever declares them.
 *
 * The module that keeps them registers its functions when the library is loaded:
 * src/pattern/ does, whose access patterns they are.
 */
#ifndef DYNAMO_TABLE_NAMED_QUERY_H
#define DYNAMO_TABLE_NAMED_QUERY_H

#include "nodes/pg_list.h"

#include "exported.h"
#include "table/table.h"

/* Where a request has the name of an index, this stands before that of a query. */
#define NAMED_QUERY_PREFIX	"pattern:"

typedef struct NamedQuery
{
	int			nparameters;
	Slice	   *parameters;		/* their names */
	void	   *declared;		/* what the module knows */
} NamedQuery;

typedef struct NamedQueryMethods
{
	/* Finds a query of a table that the user may make, palloc'd; raises an error if there is none. */
	NamedQuery *(*find) (Relation table, Slice name);

	/*
	 * Returns the request Query, JSON, for parameters, a map of values by name; NIL if it
	 * can find nothing.  Several requests are one read: only values in their key conditions
	 * differ.  Raises an error for a parameter that is missing or unknown, and if the query
	 * does not find all items any more.
	 */
	List	   *(*requests) (const NamedQuery *query, Relation table, ValueRef parameters);
} NamedQueryMethods;

extern void NamedQueryRegister(const NamedQueryMethods *methods);

/* The name of a query, from where that of an index may be; data is NULL if it is none. */
extern DYNAMO_EXPORT Slice NamedQueryName(Slice index);

/* See the methods. */
extern DYNAMO_EXPORT NamedQuery *NamedQueryFind(Relation table, Slice name);
extern DYNAMO_EXPORT List *NamedQueryMake(const NamedQuery *query, Relation table, ValueRef parameters);

#endif							/* DYNAMO_TABLE_NAMED_QUERY_H */
