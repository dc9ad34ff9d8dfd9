/*
 * create_table.h
 *	  Creates tables from the input of CreateTable, which ImportTable and
 *	  RestoreTableFromBackup have, too.
 */
#ifndef DYNAMO_CREATE_TABLE_H
#define DYNAMO_CREATE_TABLE_H

#include "request/shape.h"

/* The members of CreateTable, in other requests. */
extern const Shape model_table_creation;

/*
 * Checks the input, of a shape with the members of CreateTable, and creates
 * the table, with partitions by hash of the partition key unless their number is
 * 0; returns its name.
 */
extern char *CreateTableFrom(const Field *input, int partitions);

/* Distributes a new table, complete with all its parts, if dynamo.new_table_shards says so. */
extern void DistributeNewTable(const char *name);

/* Whether the key of the table or of an index has this attribute. */
extern bool CreationUses(const Field *input, Slice name);

#endif							/* DYNAMO_CREATE_TABLE_H */
