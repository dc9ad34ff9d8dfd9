/*
 * definition.h
 *	  The halves of reading a definition; private to definition*.c.
 */
#ifndef DYNAMO_DEFINITION_H
#define DYNAMO_DEFINITION_H

#include "catalog/table.h"

/* Raises ERRCODE_DATA_CORRUPTED with this detail, a sentence. */
extern void DefinitionError(const char *detail) pg_attribute_noreturn();

/*
 * Checks a definition that has been read as a whole: names, columns and keys
 * that do not contradict each other, and no more of each than there can be.
 * Everything that the extension writes passes; raises the error otherwise.
 */
extern void DefinitionCheck(const TableDef *def);

/*
 * What may be read at all, so that no check takes long.  PostgreSQL has no more
 * columns; the settings of limits allow 1000 indexes of a kind, and one is built
 * beside another.
 */
#define DEFINITION_MAX_BYTES		(4 * 1024 * 1024)
#define DEFINITION_MAX_ATTRIBUTES	1600
#define DEFINITION_MAX_INDEXES		2002

#endif							/* DYNAMO_DEFINITION_H */
