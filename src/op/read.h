/*
 * read.h
 *	  A query or scan under way; shared by read*.c only.
 *
 *		read.c			opening in the service's order, rows, position
 *		read_check.c	the checks of the service that need no row
 *		read_page.c		pages
 *		read_partitions.c	pages of several partitions
 *		read_functions.c	the SQL functions
 */
#ifndef DYNAMO_READ_H
#define DYNAMO_READ_H

#include "op/op.h"

struct Reader
{
	const ReadOp *op;
	Store		store;
	const IndexDef *index;		/* NULL: the table */
	const KeySchema *key;		/* of the index or the table */
	KeyClauses *key_clauses;	/* of the key condition; NULL: none */
	KeyCondition *condition;	/* NULL: a scan */
	Condition  *filter;			/* NULL: none */
	Projection *projection;		/* as asked for; NULL: none */

	/*
	 * What the index projects, where rows come whole but are to be returned
	 * (or measured) as entries; NULL otherwise.
	 */
	Projection *entry_projection;
	bool		fetch;			/* entries lack what the result needs */
	bool		filter_entry;	/* the filter would see what the index does not project */
	bool		return_entry;	/* entry_projection makes the result */

	struct SegmentSlice *segment;	/* NULL: all of it */
	StoreScan  *scan;
	MemoryContext row_context;	/* NULL: rows are returned as they are stored */
	struct varlena *stored;		/* the row last read */
};

/* The row last read. */
static inline ValueRef
ReaderRow(const Reader *r)
{
	return ItemRoot(r->stored);
}

/* An attribute of its key, that of the table or index read; checked. */
extern ValueRef ReaderKey(const Reader *r, int attribute);

/* Appends, in lines of words, what is read and what is done with it. */
extern void ReaderDescribe(const Reader *r, StringInfo out);

/* ---- read_page.c ---- */

/* A page that is being filled. */
typedef struct PageBuilder
{
	ReadPageResult *page;
	bool		count_only;
	int64		limit;
	int			allocated;
} PageBuilder;

/* Begins to fill a page of at most limit rows; 0: as many as fit. */
extern void PageBegin(PageBuilder *b, ReadPageResult *page, const ReadOp *op, int64 limit);

/* Adds a row; whether the page ends with it. */
extern bool PageAdd(PageBuilder *b, const ReadRow *row);

/* ---- read_check.c ---- */

/* Parameters that exclude or require each other; no table is needed. */
extern void CheckReadParameters(const ReadOp *op);

/* Shards are asked for only where there are some. */
extern void CheckShards(const Reader *r);

/* The one shard to read, where the parameters or the condition tell; or -1. */
extern int	ShardOfRead(const Reader *r);

/* The start key has exactly the attributes of a position, and their types. */
extern void CheckStartKey(const Reader *r);

/* Values of the key condition are neither empty nor too long. */
extern void CheckConditionValues(const Reader *r);

/* The start key lies within what is read. */
extern void CheckStartPosition(const Reader *r);

/* Paths of projection and filter, and Select, against keys and index. */
extern void CheckReadPaths(const Reader *r);

/* Whether a path of projection or filter leads out of the index's entries. */
extern bool ReadsUnprojected(const Reader *r);

/* The attributes of a position: index keys, table keys. */
extern const int *PositionAttributes(const Reader *r, int *n);

#endif							/* DYNAMO_READ_H */
