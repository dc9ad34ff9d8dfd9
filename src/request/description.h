/*
 * description.h
 *	  TableDescription, as the operations on tables answer it.
 */
#ifndef DYNAMO_DESCRIPTION_H
#define DYNAMO_DESCRIPTION_H

#include "catalog/ddl.h"
#include "catalog/settings.h"
#include "request/shape.h"
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

/* Whether a name means a dynamo table; opens one and locks it. */
extern bool TableExists(const char *name);
extern void TableOpen(OpenedTable *table, const char *name, LOCKMODE lockmode);

/* Keeps the lock. */
extern void TableClose(OpenedTable *table);

/* Raises ResourceNotFoundException about an index of the table. */
extern void IndexNotFound(const OpenedTable *table, const char *name) pg_attribute_noreturn();

/* Whether an index of the table is being built or dropped. */
extern bool TableIsChanging(const OpenedTable *table);

/* What an answer says is under way. */
typedef struct Transition
{
	const char *status;			/* of the table; NULL: ACTIVE */
	bool		created;		/* the table, by this request */
	bool		warm_given;		/* and WarmThroughput for it */
	bool		deleted;		/* the table, by this request */
	const char *index;			/* one that is made or dropped; NULL: none */
	const char *index_status;
	const Field *index_updates; /* GlobalSecondaryIndexUpdates; NULL: none */
} Transition;

/* Writes the value of Table or TableDescription. */
extern void WriterTable(Writer *w, const OpenedTable *table, const Transition *transition);

/* TableDescription of a table that is about to be gone: without its schema. */
extern void WriterDeletedTable(Writer *w, const OpenedTable *table);

#endif							/* DYNAMO_DESCRIPTION_H */
