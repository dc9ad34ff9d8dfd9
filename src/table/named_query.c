/*
 * named_query.c
 *	  Queries that have names, of the module that keeps them.
 */
#include "postgres.h"

#include "table/named_query.h"

static const NamedQueryMethods *named_queries = NULL;

void
NamedQueryRegister(const NamedQueryMethods *methods)
{
	named_queries = methods;
}

Slice
NamedQueryName(Slice index)
{
	uint32		len = strlen(NAMED_QUERY_PREFIX);

	if (named_queries == NULL || index.data == NULL || index.len <= len ||
		memcmp(index.data, NAMED_QUERY_PREFIX, len) != 0)
		return MISSING_SLICE;
	return (Slice) {index.data + len, index.len - len};
}

NamedQuery *
NamedQueryFind(Relation table, Slice name)
{
	return named_queries->find(table, name);
}

List *
NamedQueryMake(const NamedQuery *query, Relation table, ValueRef parameters)
{
	return named_queries->requests(query, table, parameters);
}
