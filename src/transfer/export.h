/*
 * export.h
 *	  Exports the items of a table as lines, for dynamo.export_items and for the
 *	  jobs of src/archive.
 */
#ifndef DYNAMO_EXPORT_H
#define DYNAMO_EXPORT_H

#include "lib/stringinfo.h"

#include "store/store.h"

typedef struct Export
{
	/*
	 * begin is called when the table can be read, before the first line; write
	 * with each line and its newline.  Both are called in the memory context of
	 * the call of ExportItems.
	 */
	void		(*begin) (void *arg);
	void		(*write) (void *arg, const char *line, int len);
	void	   *arg;

	/* If set, called with each item in place of write, in a context that is reset after each. */
	void		(*take) (void *arg, struct varlena *item);
	MemoryContext context;
	StringInfoData line;
	MemoryContext row_context;
	int64		items;
	int64		bytes;
} Export;

/*
 * Exports the items of an open table that a snapshot shows.  The caller has set
 * begin, write and arg; the other fields are zero.
 */
extern void ExportItems(Export *export, const Store *store);

#endif							/* DYNAMO_EXPORT_H */
