/*
 * ddl_statement.h
 *	  Executes DDL statements, and forms the names and clauses in them.
 */
#ifndef DYNAMO_TABLE_DDL_STATEMENT_H
#define DYNAMO_TABLE_DDL_STATEMENT_H

#include "exported.h"
#include "table/table.h"

/* Runs one statement; SPI must be connected. */
extern DYNAMO_EXPORT void RunStatement(const char *format,...) pg_attribute_printf(1, 2);

/*
 * Whether such a statement is running: event triggers then allow changes of
 * relations and triggers that they refuse to users.
 */
extern bool StatementIsOurs(void);

/*
 * Returns "schema"."name", quoted; an error if there is no such schema or name,
 * which may have been dropped meanwhile.
 */
extern DYNAMO_EXPORT char *QualifiedName(Oid schema, const char *name);

/*
 * The reverse, for such a name that was stored: which names have quotes depends on
 * quote_all_identifiers and on the version's reserved words, so texts cannot be
 * compared.  Returns false if the text is no such name.
 */
extern bool QualifiedNameSplit(const char *text, char **schema, char **name);

/* "column" type COMPRESSION ... COLLATE ... */
extern DYNAMO_EXPORT char *ColumnClause(const AttributeDef *attr);

#endif							/* DYNAMO_TABLE_DDL_STATEMENT_H */
