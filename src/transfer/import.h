/*
 * import.h
 *	  Imports lines into a table, for the functions of import.c and for the
 *	  jobs of src/archive.
 */
#ifndef DYNAMO_IMPORT_H
#define DYNAMO_IMPORT_H

#include "security/owner.h"
#include "store/store.h"
#include "transfer/csv.h"
#include "transfer/input.h"
#include "transfer/source.h"

typedef struct ImportLine
{
	const char *text;
	uint32		len;
	int64		number;			/* counted from 1 in each file */
	const char *file;			/* its name */
} ImportLine;

/* An item of a batch, and the values of its key columns. */
typedef struct ImportedItem
{
	struct varlena *item;
	Datum		key[2];
} ImportedItem;

typedef struct Import
{
	Store	   *store;			/* of the caller */
	OwnerScope	scope;
	bool		from_file;
	bool		skip_errors;
	int			notice_level;	/* of messages on skipped lines */
	CsvFormat  *csv;			/* NULL if lines are JSON */
	bool		changes;		/* lines are of an incremental export */
	bool		many_files;		/* messages name the file */
	int64		bytes_total;
	int64		bytes;			/* of lines */
	int64		imported;
	int64		failed;
	const ImportLine *current;	/* for the context of errors */

	MemoryContext line_context; /* the item of one line; reset after each */
	MemoryContext batch_context;	/* the lines of a batch; reset after each */
	ImportLine *batch;
	int			nbatch;
	Size		batch_bytes;
	int64		line_number;
	int64		lines;			/* of the file, without blank ones */
	const char *file_name;
	ErrorContextCallback callback;

	/* of a distributed table: the items that a statement imports together */
	bool		by_statement;
	MemoryContext items_context;
	ImportedItem *items;
	int			nitems;
} Import;

/*
 * Starts an import into an open table.  The caller has set the fields from
 * store to bytes_total; the others are zero.
 */
extern void ImportBegin(Import *import);

/* Imports the lines of a file. */
extern void ImportFile(Import *import, FILE *file, const char *name, InputCompression compression);

/*
 * Imports all files of sources, in their order.  Raises an error if a file does not have
 * as many lines as it must.  Changes are put and deleted in the order of their times.
 */
extern void ImportSources(Import *import, const List *sources, InputCompression compression);

/* Ends the import of all lines. */
extern void ImportEnd(Import *import);

/* ---- import_item.c ---- */

/*
 * Put an item, or delete one by its keys, between ImportBegin and ImportEnd without lines;
 * "changes" must be set.  The second returns whether there was one.
 */
extern void ImportPut(Import *import, struct varlena *item);
extern bool ImportDelete(Import *import, struct varlena *keys);

/* Imports a line, in the memory context of lines. */
extern void PutImportLine(Import *import, const ImportLine *line);

/* Imports the items that PutImportLine has kept for one statement. */
extern void PutKept(Import *import);

/* ---- import_shards.c ---- */

/* Whether the items of a batch are imported by one statement, which is sent to the shards. */
extern bool ImportsByStatement(const Import *import);

/* Imports items by a statement. */
extern void ImportByStatement(Import *import, const ImportedItem *items, int n);

#endif							/* DYNAMO_IMPORT_H */
