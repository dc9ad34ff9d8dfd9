/*
 * archive_filter.h
 *	  The items of an export with a filter: those of a Query or a Scan, projected.
 */
#ifndef DYNAMO_ARCHIVE_FILTER_H
#define DYNAMO_ARCHIVE_FILTER_H

#include "item/json_reader.h"
#include "op/op.h"

/*
 * Reads the value of a member if it is ExpressionAttributeNames or
 * ExpressionAttributeValues; false if it is another one.
 */
extern bool ReadExprMember(JsonReader *r, Slice name, ExprArgs *args);

/*
 * Calls a function with the item of each row of a table that a filter (JSON of a
 * FilterSpecification) selects.  Returns the size of what was read.
 */
extern int64 ReadFiltered(Oid relid, const char *filter, void (*take) (void *arg, struct varlena *item), void *arg);

#endif							/* DYNAMO_ARCHIVE_FILTER_H */
