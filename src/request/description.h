/*
 * description.h
 *	  TableDescription, as the operations on tables answer it.
 */
#ifndef DYNAMO_DESCRIPTION_H
#define DYNAMO_DESCRIPTION_H

#include "catalog/ddl.h"
#include "catalog/settings.h"
#include "request/writer.h"

/*
 * A table as the operations on tables see it.  Opening raises the control
 * plane's ResourceNotFoundException.
 */
typedef struct OpenedTable
{
	Relation	rel;
	TableDef   *def;
	TableSettings *settings;
	char	   *name;			/* the table's, without schema */
} OpenedTable;

extern bool TableExists(const char *name);
extern void TableOpen(OpenedTable *table, const char *name, LOCKMODE lockmode);

/* Keeps the lock. */
extern void TableClose(OpenedTable *table);

/* Raises ResourceNotFoundException about an index of the table. */
extern void IndexNotFound(const OpenedTable *table, const char *name) pg_attribute_noreturn();

/* Whether an index of the table is being built or dropped. */
extern bool TableIsChanging(const OpenedTable *table);

/*
 * Writes the value of Table or TableDescription.
 *
 * status: the table's, or NULL to tell it from its indexes.  index: the one
 * whose status is index_status in this answer; NULL for none.
 */
extern void WriterTable(Writer *w, const OpenedTable *table, const char *status,
						const char *index, const char *index_status);

#endif							/* DYNAMO_DESCRIPTION_H */
