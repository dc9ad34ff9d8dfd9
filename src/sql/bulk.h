/*
 * bulk.h
 *	  What import and export of JSON lines share.
 *
 * A line is an object whose member "Item" is an item in DynamoDB JSON, as the
 * service's export to S3 writes it and its import reads it:
 *
 *		{"Item":{"PK":{"S":"CUSTOMER#1"},"SK":{"S":"METADATA"}}}
 *
 * Progress is shown where COPY shows its own: pg_stat_progress_copy.
 */
#ifndef DYNAMO_BULK_H
#define DYNAMO_BULK_H

#include "lib/stringinfo.h"

#include "item/item.h"

/*
 * A byte order mark is no part of a line: files that begin with one are
 * concatenated, and clients send them line by line.
 */
extern void SkipByteOrderMark(const char **line, Size *len);

/* The item in a line; palloc'd.  Raises the errors of DynamoDB JSON. */
extern struct varlena *ItemFromExportLine(const char *line, uint32 len);

/* Appends the line, without an end of line. */
extern void ItemToExportLine(StringInfo out, ValueRef item);

/* Reads a file line by line, whatever bytes are in it. */
typedef struct LineReader
{
	FILE	   *file;
	size_t		position;
	size_t		length;			/* bytes in buffer */
	char		buffer[64 * 1024];
} LineReader;

/* Appends the next line with its newline; false at the end or on ferror. */
extern bool ReadLine(LineReader *reader, StringInfo line);

/*
 * Raises an error unless the user has the privileges of pg_read_server_files
 * or pg_write_server_files.
 */
extern void CheckServerFilePrivilege(bool for_writing);

/*
 * Opens a server file, whose privilege was checked, as COPY would: an absolute
 * path, no directory.
 */
extern FILE *OpenServerFile(const char *name, bool for_writing);
extern void CloseServerFile(FILE *file, const char *name);

/* Starts a row of pg_stat_progress_copy.  bytes_total 0: not known. */
extern void BulkProgressStart(Oid relid, bool import, bool file, int64 bytes_total);
extern void BulkProgressUpdate(int64 bytes, int64 items, int64 skipped);

#endif							/* DYNAMO_BULK_H */
