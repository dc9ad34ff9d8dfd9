/*
 * entity_view_row.h
 *	  A row of an entity view being written, and its item.  Private to
 *	  entity_view_write.c, entity_view_update.c and entity_view_row.c.
 */
#ifndef DYNAMO_ENTITY_VIEW_ROW_H
#define DYNAMO_ENTITY_VIEW_ROW_H

#include "access/htup.h"
#include "utils/relcache.h"

#include "store/store.h"
#include "view/entity_view.h"

struct EntityWriter;

/* The new value of a column that a statement changes. */
typedef struct SetColumn
{
	Slice		attribute;
	Datum		value;
	bool		isnull;
	Oid			type;
} SetColumn;

typedef struct EntityRow
{
	struct EntityWriter *writer;	/* of entity_view_write.c */
	const EntityViewDef *def;
	const Slice *attributes;	/* of the columns; data may be NULL */
	Relation	view;			/* of the trigger; NULL without it */
	Oid			view_oid;
	const TableDef *table;
	HeapTuple	old;			/* rows of the view, or NULL */
	HeapTuple	new;

	/* Set by EntityRowDeform, for each column. */
	Datum	   *old_values;
	bool	   *old_nulls;
	Datum	   *new_values;
	bool	   *new_nulls;
	bool	   *supplied;		/* the statement has set the column */
} EntityRow;

/* Deforms the rows; palloc'd. */
extern void EntityRowDeform(EntityRow *row);

/* Returns the key of the old row's item, palloc'd. */
extern void EntityOldKey(const EntityRow *row, RowKey *key);

/*
 * Returns the item with the new row's columns and its composed keys, palloc'd.
 * before is the item that it replaces, or missing.  Raises an error if the
 * item would not be in the view.
 */
extern struct varlena *EntityRowItem(const EntityRow *row, ValueRef before);

/* The same for columns in place of the new row; the row need have only def, table and view_oid. */
extern struct varlena *EntityItemWithColumns(const EntityRow *row, const SetColumn *columns, int n, ValueRef before);

/* Whether a column is one that an UPDATE sets, or any of a DELETE. */
extern bool EntityRowDependsOn(const EntityRow *row, int column);

/*
 * Raises an error if an attribute is not any more what the statement has read, and its result
 * can depend on it: one that it sets (total = total + 1), by which the row may have been
 * chosen, or from which a value may have been computed.  They are compared with the item as
 * others have left it, for triggers of this statement, such as those of copies, can have
 * changed it, too.  One that it sets is also compared with the locked item.
 */
extern void EntityRowCheckUnchanged(const EntityRow *row, ValueRef read, ValueRef locked, ValueRef others);
extern void EntityRowChangedError(Slice attribute);

/*
 * Returns a column on which the result of the statement can depend, and which the
 * view shows otherwise than in the old row if its item is this; -1 if there is none.
 */
extern int	EntityRowChanged(const EntityRow *row, const struct varlena *item);

/*
 * Returns the row that the view now shows, for RETURNING: with its composed
 * keys, and with the attributes that the item has because of its kind.
 */
extern HeapTuple EntityResultRow(const EntityRow *row, const struct varlena *item);

#endif							/* DYNAMO_ENTITY_VIEW_ROW_H */
