/*
 * definition.h
 *	  Functions that the readers of table and stream definitions share.
 */
#ifndef DYNAMO_TABLE_DEFINITION_H
#define DYNAMO_TABLE_DEFINITION_H

#include "fmgr.h"

#include "table/table.h"

/* Raises ERRCODE_DATA_CORRUPTED with this detail, a sentence. */
extern void DefinitionError(const char *detail) pg_attribute_noreturn();

/*
 * Checks a complete definition: names, columns and keys must be consistent and
 * within the limits.  Everything that the extension writes passes; otherwise
 * an error is raised.
 */
extern void DefinitionCheck(const TableDef *def);

/*
 * Returns the result of read for the text of a definition; NULL if read raises
 * an error for an invalid definition.
 */
extern void *DefinitionTry(void *(*read) (const char *text, void *arg), const char *text, void *arg);

/*
 * The result of the SQL function that returns the definition in the arguments
 * of a trigger, as pg_trigger.tgargs contains them; NULL for an invalid one.
 */
extern Datum DefinitionToSql(FunctionCallInfo fcinfo,
							 bool (*read) (const char *definition, Datum *json));

/*
 * Limits for reading a definition, so that the checks are fast.  PostgreSQL
 * tables have no more columns.  The settings allow 1000 indexes of each kind,
 * and each may have a replacement under construction.
 */
#define DEFINITION_MAX_BYTES		(4 * 1024 * 1024)
#define DEFINITION_MAX_ATTRIBUTES	1600
#define DEFINITION_MAX_INDEXES		2002

#endif							/* DYNAMO_TABLE_DEFINITION_H */
