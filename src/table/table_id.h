/*
 * table_id.h
 *	  The id of a table, by which rows of the extension's own tables belong to it.
 *
 * The id is part of the table's definition, so that it remains valid if the
 * table is renamed, and in a dump of the database.
 *
 * A definition can be copied by hand, or by restoring a dump of a table under
 * another name.  The row of settings contains the table to which the id belongs.
 * When a trigger is created with the id of another existing table, the table
 * gets a new id.  Where that has not happened, the copy's id is derived from its
 * OID.
 */
#ifndef DYNAMO_TABLE_TABLE_ID_H
#define DYNAMO_TABLE_TABLE_ID_H

#include "utils/relcache.h"

#include "exported.h"

/* Returns a new table id; palloc'd. */
extern DYNAMO_EXPORT char *NewTableId(void);

/* Returns the id of a table; palloc'd. */
extern char *TableIdOf(Relation rel);

/*
 * Claims the id in a definition for the table on which it was created.
 * Returns false if the id belongs to another table; the definition must then
 * get another id.  SPI must be connected.
 */
extern bool TableIdClaim(Oid relid, const char *id);

#endif							/* DYNAMO_TABLE_TABLE_ID_H */
