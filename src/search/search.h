/*
 * search.h
 *	  Searches: the items of a vector index whose vectors are nearest to one.
 *
 *	search.c	the operation SearchVectors: checks in the service's order, results
 *	exact.c		reads all entries, or those of one partition
 *	approximate.c	reads entries through an HNSW index
 *	vector_entry.c	filters, visibility and score of one entry
 *	nearest.c	the best entries so far
 *	search_sql.c	the SQL functions
 *
 * A search reads the index table with the snapshot of the statement, so that it
 * sees what the statement sees.  Who may read the table may search its indexes;
 * entries of rows that row security hides are skipped.
 */
#ifndef DYNAMO_SEARCH_H
#define DYNAMO_SEARCH_H

#include "exported.h"
#include "op/op.h"

#define SEARCH_MAX_RESULTS	100 /* TopK */

/*
 * The parameters of SearchVectors.
 */
typedef struct SearchOp
{
	const char *table_name;
	const char *index_name;
	const float *vector;		/* of finite numbers */
	int			dimensions;
	int64		count;			/* TopK */
	ExprText	condition;
	ExprText	projection;
	ExprArgs	args;
} SearchOp;

/* One result. */
typedef struct SearchMatch
{
	struct varlena *item;		/* projected */
	double		score;
} SearchMatch;

typedef struct SearchResult
{
	int			count;
	SearchMatch *matches;		/* the best first */
	uint64		stored_bytes;	/* of the entries found */
} SearchResult;

/* ---- search.c ---- */

/* Searches.  The caller has checked the vector and the number of results. */
extern DYNAMO_EXPORT void SearchVectors(const SearchOp *op, SearchResult *result);

/* Raises an error if the number of results is out of range. */
extern DYNAMO_EXPORT void SearchCheckCount(int64 count);

/* Raises the error for a vector with elements that are not finite numbers. */
extern DYNAMO_EXPORT void SearchVectorError(void) pg_attribute_noreturn();

/* ---- nearest.c ---- */

/* An entry that may be a result. */
typedef struct Candidate
{
	double		score;
	uint64		position;		/* in the order in which entries are read */
	struct varlena *item;		/* of the entry */
	float	   *vector;			/* NULL if it is not needed */
} Candidate;

/* The best entries of those offered. */
typedef struct Nearest Nearest;

extern Nearest *NearestCreate(int count, VectorDistance distance);

/* Whether an entry with this score, read after all others, is among the best. */
extern bool NearestAccepts(const Nearest *nearest, double score);

/*
 * Adds an entry with an accepted score, and removes the worst if there are too
 * many; copies the item and the vector.
 */
extern void NearestAdd(Nearest *nearest, double score, ValueRef item,
					   const float *vector, int dimensions);

/* Returns the entries and their number; the best entry is first. */
extern Candidate *NearestFinish(Nearest *nearest, int *n);

/* Whether there is an entry, and the score of the worst of those kept. */
extern bool NearestWorst(const Nearest *nearest, double *score);

/* ---- a search ---- */

typedef struct VectorSearch
{
	Store	   *store;
	const IndexDef *index;
	const float *vector;
	VectorQuery query;			/* of vector */
	int			ntests;
	const SearchTest *tests;
	ValueRef	hash;			/* of the partition; MISSING_VALUE for all entries */
	bool		hidden;			/* row security may hide rows from the user */
	bool		keep_vectors;
} VectorSearch;

/* ---- vector_entry.c ---- */

/* An entry that was read. */
typedef struct VectorEntry
{
	const VectorSearch *search;
	Relation	rel;			/* the index table */
	ItemPointer tid;
	ValueRef	item;
} VectorEntry;

/* Raises the error for an entry that the extension cannot have written. */
extern void InvalidVectorEntry(const VectorEntry *entry, const char *problem) pg_attribute_noreturn();

/* Whether its item passes the tests. */
extern bool VectorEntryPasses(const VectorEntry *entry);

/* Whether the user may see its row. */
extern bool VectorEntryIsVisible(const VectorEntry *entry);

/* Returns the elements of its vector, given the column. */
extern const float *VectorEntryElements(const VectorEntry *entry, Datum stored);

/* ---- exact.c, approximate.c ---- */

/* Offers all entries that pass the tests and that the user may see. */
extern void SearchExactly(const VectorSearch *search, Nearest *nearest);

/*
 * Offers the nearest of them, as the HNSW index finds them.  Returns false if
 * the search must be exact.
 */
extern bool SearchApproximately(const VectorSearch *search, int count, Nearest *nearest);

/* Defines dynamo.search_candidates. */
extern void SearchInit(void);

#endif							/* DYNAMO_SEARCH_H */
