/*
 * verify.h
 *	  The parts of verify_index, which compares an index with its table.
 */
#ifndef DYNAMO_VERIFY_H
#define DYNAMO_VERIFY_H

#include "utils/snapshot.h"
#include "utils/tuplestore.h"

#include "exported.h"
#include "index/index.h"

/* A table that contains rows: the base table, or one of its partitions. */
typedef struct BaseTable
{
	Relation	rel;
	TableDef   *def;
	const IndexDef *index;
} BaseTable;

/* A comparison in progress. */
typedef struct Verification
{
	Relation	rel;			/* the base table, or the current partition */
	TableDef   *def;
	const IndexDef *index;
	BaseTable  *bases;			/* each with its own definition of the index */
	int			nbases;
	Snapshot	snapshot;		/* snapshot of all reads */
	Tuplestorestate *problems;	/* (problem text, key dynamo.item, detail text) */
	TupleDesc	problems_desc;
	MemoryContext row_context;	/* reset after each row */
} Verification;

/* Adds a problem of the row with a key, or of none. */
extern DYNAMO_EXPORT void ReportProblem(Verification *v, const char *problem, MaybeItem key, const char *detail);

/*
 * Computes the index's columns of a row from its item; values and nulls are in
 * the order of IndexDef.entry.  Reports columns that differ and invalid keys,
 * unless v is NULL.
 */
extern void ExpectedEntry(Verification *v, const TableDef *def, const IndexDef *index,
						  BaseRow *row, Datum *values, bool *nulls);

/* Makes one of bases the current one. */
extern void UseBaseTable(Verification *v, const BaseTable *base);

/* ---- verify_inline.c, verify_table.c ---- */

/* Compare a btree, or an index table, with its tables (IndexKind.verify). */
extern void VerifyInline(Verification *v, Relation btree);
extern void VerifyTable(Verification *v, Relation index_table);

/* The part of VerifyTable that compares the columns of the rows with their items. */
extern void VerifyColumns(Verification *v);

/*
 * Returns the base key in the columns of an entry, unless they contain values
 * that no item can contain.
 */
extern DYNAMO_EXPORT MaybeItem BuildBaseKey(const Verification *v, const EntryKey *key);

#endif							/* DYNAMO_VERIFY_H */
