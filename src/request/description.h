/*
 * description.h
 *	  TableDescription, the response of the operations on tables.
 */
#ifndef DYNAMO_DESCRIPTION_H
#define DYNAMO_DESCRIPTION_H

#include "archive/archive.h"
#include "ddl/ddl.h"
#include "request/shape.h"
#include "request/writer.h"
#include "ddl/table_settings.h"

/*
 * A table for the operations on tables.  Opening it raises the
 * ResourceNotFoundException of these operations.
 */
typedef struct OpenedTable
{
	Relation	rel;
	TableDef   *def;
	TableSettings *settings;
	char	   *name;			/* name of the table without schema */
} OpenedTable;

/*
 * Whether a name is that of a dynamo table; and opening and locking of the
 * table.
 */
extern bool TableExists(const char *name);
extern void TableOpen(OpenedTable *table, const char *name, LOCKMODE lockmode);

/* Closes the table and keeps the lock. */
extern void TableClose(OpenedTable *table);

/* Raises ResourceNotFoundException for an index of the table. */
extern void IndexNotFound(const OpenedTable *table, const char *name) pg_attribute_noreturn();

/* Whether an index of the table is being built or dropped. */
extern bool TableIsChanging(const OpenedTable *table);

/* The changes in progress that a response reports. */
typedef struct Transition
{
	const char *status;			/* of the table; NULL for ACTIVE */
	bool		created;		/* this request creates the table */
	bool		warm_given;		/* WarmThroughput is given for a new table */
	bool		deleted;		/* this request deletes the table */
	const char *index;			/* index being created or dropped; NULL if none */
	const char *index_status;
	const Field *index_updates; /* GlobalSecondaryIndexUpdates; NULL if none */
	const Job  *restore;		/* that loads the table; NULL if none */
} Transition;

/* Writes the value of Table or TableDescription. */
extern void WriterTable(Writer *w, const OpenedTable *table, const Transition *transition);

/* Writes the TableDescription of a table being deleted, without its schema. */
extern void WriterDeletedTable(Writer *w, const OpenedTable *table);

/* Parts of a description: members with the value of an object or a list. */
extern void WriterDefinitions(Writer *w, const TableDef *def);
extern void WriterKeySchema(Writer *w, const KeySchema *key);
extern void WriterProjection(Writer *w, const IndexDef *index);
extern void WriterEncryption(Writer *w, const TableSettings *s);

/* The member with the list in which an index is described. */
extern const char *ListOfIndex(const IndexDef *index);

/* Returns the label of the stream; NULL if the table has none. */
extern const char *WriterStreamSpecification(Writer *w, const OpenedTable *table, const char *name);

#endif							/* DYNAMO_DESCRIPTION_H */
