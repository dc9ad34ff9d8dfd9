/*
 * bulk.h
 *	  Functions that import and export of JSON lines share.
 *
 * A line is an object whose member "Item" is an item in DynamoDB JSON, the
 * format of DynamoDB's export to S3 and import from S3:
 *
 *	{"Item":{"PK":{"S":"CUSTOMER#1"},"SK":{"S":"METADATA"}}}
 *
 * Progress is reported in pg_stat_progress_copy.
 */
#ifndef DYNAMO_BULK_H
#define DYNAMO_BULK_H

#include "lib/stringinfo.h"

#include "item/item.h"

/*
 * Skips a byte order mark at the start of any line: files that begin with one
 * may be concatenated, and clients may send a file line by line.
 */
extern void SkipByteOrderMark(const char **line, Size *len);

/*
 * Returns the item of a line; palloc'd.  Raises the errors of DynamoDB JSON.
 */
extern struct varlena *ItemFromExportLine(const char *line, uint32 len);

/* Appends the line of an item, without a newline. */
extern void ItemToExportLine(StringInfo out, ValueRef item);

/*
 * Raises an error unless the user has the privileges of pg_read_server_files
 * or pg_write_server_files.
 */
extern void CheckServerFilePrivilege(bool for_writing);

/*
 * Opens a server file by the rules of COPY: the path must be absolute and no
 * directory.  The caller has checked the privilege.
 */
extern FILE *OpenServerFile(const char *name, bool for_writing);
extern void CloseServerFile(FILE *file, const char *name);

/*
 * Starts a row of pg_stat_progress_copy.  bytes_total is 0 if it is not known.
 */
extern void BulkProgressStart(Oid relid, bool import, bool file, int64 bytes_total);
extern void BulkProgressUpdate(int64 bytes, int64 items, int64 skipped);

#endif							/* DYNAMO_BULK_H */
