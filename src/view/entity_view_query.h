/*
 * entity_view_query.h
 *	  The statement that creates an entity view, for entity_view_create.c.
 */
#ifndef DYNAMO_ENTITY_VIEW_QUERY_H
#define DYNAMO_ENTITY_VIEW_QUERY_H

#include "utils/relcache.h"

#include "entity/entity.h"
#include "table/table.h"
#include "view/attribute.h"

typedef struct ViewColumn
{
	char	   *name;
	char	   *attribute;
	Oid			type;
	int32		typmod;
	Oid			collation;		/* that the column of a view has; InvalidOid: any */
	InvalidValues invalid;
} ViewColumn;

/*
 * Returns CREATE VIEW ... AS with the query on an open table, of all items or of those
 * of an entity; create is what it begins with.  Sets what the columns show for invalid
 * values.
 */
extern char *EntityViewStatement(const char *create, Relation rel, const TableDef *table, const Entity *entity,
								 InvalidValues invalid, ViewColumn *columns, int n);

#endif							/* DYNAMO_ENTITY_VIEW_QUERY_H */
