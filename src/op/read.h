/*
 * read.h
 *	  A query or scan in progress; only for read*.c.
 *
 *	read.c			opening in the service's order, rows, position
 *	read_check.c	the service's checks that need no row
 *	read_page.c		pages
 *	read_partitions.c	pages of several partitions
 *	read_functions.c	the SQL functions
 */
#ifndef DYNAMO_READ_H
#define DYNAMO_READ_H

#include "op/op.h"

struct Reader
{
	const ReadOp *op;
	Store		store;
	const IndexDef *index;		/* NULL for the table */
	const KeySchema *key;		/* key of the index or table */
	KeyClauses *key_clauses;	/* of the key condition; NULL if there is none */
	KeyCondition *condition;	/* NULL for a scan */
	Condition  *filter;			/* NULL if there is none */
	Projection *projection;		/* requested projection; NULL if there is none */

	/*
	 * The attributes that the index projects, if rows contain whole items but
	 * must be returned or measured as index entries; otherwise NULL.
	 */
	Projection *entry_projection;
	bool		fetch;			/* entries lack attributes of the result */
	bool		filter_entry;	/* the filter would see what the index does not project */
	bool		return_entry;	/* results are made with entry_projection */

	struct SegmentSlice *segment;	/* NULL for all segments */
	StoreScan  *scan;
	MemoryContext row_context;	/* NULL if rows are returned unchanged */
	struct varlena *stored;		/* the last row read */
};

/* The last row read. */
static inline ValueRef
ReaderRow(const Reader *r)
{
	return ItemRoot(r->stored);
}

/*
 * Returns an attribute of the row's key (of the table or index read), checked.
 */
extern ValueRef ReaderKey(const Reader *r, int attribute);

/* Appends a readable description of the read and its steps. */
extern void ReaderDescribe(const Reader *r, StringInfo out);

/* ---- read_page.c ---- */

/* A page that is being filled. */
typedef struct PageBuilder
{
	ReadPageResult *page;
	bool		count_only;
	int64		limit;
	int			allocated;
	Oid			relation;		/* what is read, if it is counted */
	Oid			index;			/* InvalidOid for the table itself */
} PageBuilder;

/* Starts a page of at most limit rows; 0 for as many as fit. */
extern void PageBegin(PageBuilder *b, ReadPageResult *page, const ReadOp *op, int64 limit);

/* Notes what the rows of a page are read from. */
extern void PageReader(PageBuilder *b, const Reader *reader);

/* Counts the capacity of a whole page. */
extern void PageEnd(const PageBuilder *b, const ReadOp *op);

/* Adds a row; returns whether the page ends with it. */
extern bool PageAdd(PageBuilder *b, const ReadRow *row);

/* ---- read_check.c ---- */

/* Checks parameters that exclude or require each other, without the table. */
extern void CheckReadParameters(const ReadOp *op);

/* Checks that shards are only requested of sharded indexes. */
extern void CheckShards(const Reader *r);

/*
 * The shard to read, if the parameters or the condition determine it;
 * otherwise -1.
 */
extern int	ShardOfRead(const Reader *r);

/*
 * Checks that the start key has exactly the attributes of a position, with
 * their types.
 */
extern void CheckStartKey(const Reader *r);

/* Checks that values of the key condition are neither empty nor too long. */
extern void CheckConditionValues(const Reader *r);

/* Checks that the start key is within the range read. */
extern void CheckStartPosition(const Reader *r);

/*
 * Checks the paths of projection and filter, and Select, against keys and
 * index.
 */
extern void CheckReadPaths(const Reader *r);

/*
 * Whether the projection, or the filter, uses attributes that the index does not
 * project.
 */
extern bool ReturnsUnprojected(const Reader *r);
extern bool FiltersUnprojected(const Reader *r);

/* The attributes of a position: index keys and table keys. */
extern const int *PositionAttributes(const Reader *r, int *n);

#endif							/* DYNAMO_READ_H */
