/*
 * entity_view.h
 *	  Entity views: the items of one entity of a table, as typed rows.
 *
 * The definition of a view is the argument of its INSTEAD OF trigger, so that
 * every form of dump preserves it.  It is an item in DynamoDB JSON:
 *
 *	{"columns": {"L": [{"M": {"column": {"S": "total"},
 *							  "attribute": {"S": "total_amount"}}}, ...]},
 *	 "entity":	{"S": "order"}, "declared": {"BOOL": true}, "invalid": {"S": "null"}}
 *
 * Without "entity" the view is of all items.  "declared": its columns are the
 * attributes that the entity declares, also later ones.  "invalid": what the view
 * shows for values that cannot be cast to the type of their column.
 */
#ifndef DYNAMO_ENTITY_VIEW_H
#define DYNAMO_ENTITY_VIEW_H

#include "nodes/parsenodes.h"
#include "nodes/pg_list.h"
#include "utils/reltrigger.h"

#include "entity/entity.h"
#include "exported.h"
#include "table/table.h"
#include "view/attribute.h"

/*
 * A column of the view and its attribute; data is NULL if the definition does
 * not name it.
 */
typedef struct EntityColumn
{
	Slice		name;
	Slice		attribute;
} EntityColumn;

typedef struct EntityViewDef
{
	int			ncolumns;
	EntityColumn *columns;
	Slice		entity;			/* data is NULL if there is none */
	bool		declared;		/* the columns are those that the entity declares */
	InvalidValues invalid;
} EntityViewDef;

/*
 * For what a view has its trigger.  DELETE is PostgreSQL's own, which deletes rows of the table
 * in place of those of the view, but not on distributed tables.
 */
#define VIEW_EVENTS				"INSERT OR UPDATE"
#define VIEW_EVENTS_DISTRIBUTED	"INSERT OR UPDATE OR DELETE"

/* ---- entity_view.c ---- */

/* Reads the text of a definition; palloc'd.  Raises ERRCODE_DATA_CORRUPTED. */
extern EntityViewDef *EntityViewDefRead(const char *text);

/* Returns the definition from the cache; valid until the transaction ends. */
extern const EntityViewDef *EntityViewDefRecall(const char *text);

/*
 * Returns the number of the column with this name, counted from 0; -1 if none.
 */
extern int	EntityColumnNumber(const EntityViewDef *def, const char *column);

/* Returns the attribute of a column; data is NULL if there is none. */
extern Slice EntityColumnAttribute(const EntityViewDef *def, int column);

/* Whether the view shows an item of the table. */
extern bool EntityViewShows(const EntityViewDef *def, const TableDef *table, ValueRef item);

/* ---- entity_view_create.c ---- */

/* Creates the view of a table's entity in the current schema. */
extern Oid	EntityViewCreate(const char *view_name, Oid relid, const char *entity_name);

/* Whether a view of this name in the current schema is one of a table's entity. */
extern bool EntityViewExists(const char *view_name, Oid relid, const char *entity_name);

/*
 * Makes an entity's views anew, by CREATE OR REPLACE VIEW, so that their rights
 * and what depends on them stay: with the entity's present keys, and columns for
 * new attributes at the end.  Only those that EntityViewsOf finds.  Columns of a name
 * that was dropped show the attribute under the other one.
 */
extern void EntityViewsReplace(Oid relid, const char *entity_name, const DroppedName *dropped, int ndropped);

/*
 * The same for the views with a column of one of these attributes (of char *), which the table's
 * definition lacks: they read it from the item.  SPI must be connected.
 */
extern void EntityViewsLeaveColumns(Oid relid, const List *attributes);

/* What an open view is made of; NULL if it is no entity view. */
extern const EntityViewDef *EntityViewDefOf(Relation view);

/* The table that an open view selects from, which its query names first; or InvalidOid. */
extern DYNAMO_EXPORT Oid	EntityViewTable(Relation view);

/* ---- entity_view_describe.c ---- */

/*
 * Makes what an entity declares of its attributes the comments of the columns of a view,
 * but for columns with a comment of somebody else.  SPI must be connected.
 */
extern void EntityViewDescribe(Oid view, const Entity *entity);

/* ---- entity_view_query.c ---- */

/*
 * Appends the expressions of an entity view's columns, of the table as t.  Columns
 * that were added by hand are an error or, with others, null, as are values that
 * cannot be cast.
 */
extern void EntityViewAppendColumns(StringInfo sql, Relation view, const TableDef *table, bool others);

/* Appends the expression of column i, counted from 0, which is of this attribute. */
extern void EntityViewAppendColumn(StringInfo sql, Relation view, const TableDef *table, int i, Slice attribute,
								   InvalidValues invalid);

/* ---- entity_view_old_row.c ---- */

/* The name that the executor expects of the old row of a view. */
#define ENTITY_OLD_ROW "wholerow"

/*
 * Leaves columns out of the old rows of entity views that a statement writes, if it
 * does not need them.  Returns whether its plan then depends on the user.
 */
extern DYNAMO_EXPORT bool EntityViewHideColumns(Query *query);

/* Has that done, and UPDATE made one of the table if it can be, when a statement is planned. */
extern void EntityViewPlanInit(void);

/* ---- entity_view_update.c ---- */

/*
 * Makes the UPDATE of an entity view, whose rows a subquery reads, one of its table, if
 * that has the same effects.  shown: the columns of the subquery, before any was hidden.
 */
extern bool EntityViewUpdateTable(Query *query, int rows, const List *shown);

/* ---- entity_view_rights.c ---- */

/* The statement that marks the trigger of a new view as its owner's; palloc'd. */
extern const char *EntityViewMark(const char *trigger, const char *view);

/* Whether a view is written with the rights of its owner, not those of the user. */
extern bool EntityViewUsesOwner(Relation view, const Trigger *trigger, Oid table);

/*
 * In PG_CATCH: raises the error again without its detail, which goes to the log.
 * The message of an error about a value, which has the value, goes there, too.
 */
extern void EntityViewHideDetail(void) pg_attribute_noreturn();

/* Registers the hint for a role that may use a view of a table, but not the table. */
extern void EntityViewRightsInit(void);

/* ---- entity_view_drop.c ---- */

/* Registers that entity views are dropped with their table. */
extern void EntityViewInit(void);

/*
 * The OIDs of the entity views of a table, of one entity or (NULL) all, that
 * belong to its owner or the user.  SPI must be connected, as for the next.
 */
extern DYNAMO_EXPORT List *EntityViewsOf(Oid relid, const char *entity_name);

/* The same, of all entities, whoever they belong to: definitions of others are not read. */
extern DYNAMO_EXPORT List *EntityViewsOfAnyone(Oid relid);

/* Drops these. */
extern void EntityViewsDrop(Oid relid, const char *entity_name);

#endif							/* DYNAMO_ENTITY_VIEW_H */
