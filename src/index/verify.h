/*
 * verify.h
 *	  Comparing an index with its table: the parts of verify_index.
 */
#ifndef DYNAMO_VERIFY_H
#define DYNAMO_VERIFY_H

#include "utils/snapshot.h"
#include "utils/tuplestore.h"

#include "index/index.h"

/* Where rows are: the base table, or each of its partitions. */
typedef struct BaseTable
{
	Relation	rel;
	TableDef   *def;
	const IndexDef *index;
} BaseTable;

/* One comparison under way. */
typedef struct Verification
{
	Relation	rel;			/* the base table, or the partition at hand */
	TableDef   *def;
	const IndexDef *index;
	BaseTable  *bases;			/* with the same index of each */
	int			nbases;
	Snapshot	snapshot;		/* all reading is under this one */
	Tuplestorestate *problems;	/* (problem text, key dynamo.item, detail text) */
	TupleDesc	problems_desc;
	MemoryContext row_context;	/* reset after each row */
} Verification;

/* Adds a problem; key may be NULL. */
extern void ReportProblem(Verification *v, const char *problem,
						  struct varlena *key, const char *detail);

/*
 * What the index's columns of a row should be, by its item: values and nulls
 * are as IndexDef.entry.  Reports columns that differ and unusable keys
 * unless v is NULL.
 */
extern void ExpectedEntry(Verification *v, const TableDef *def, const IndexDef *index,
						  BaseRow *row, Datum *values, bool *nulls);

/* Makes one of bases the one at hand. */
extern void UseBaseTable(Verification *v, const BaseTable *base);

/* ---- verify_inline.c, verify_table.c ---- */

/* Compare an index with its table: a btree, an index table. */
extern void VerifyInline(Verification *v, Oid btree);
extern void VerifyTable(Verification *v);

#endif							/* DYNAMO_VERIFY_H */
