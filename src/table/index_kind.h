/*
 * index_kind.h
 *	  A kind of index: what an index does differently from others.
 *
 * The folder index_kind/ has a file for each kind, which fills in an IndexKind, and a list
 * of them, which is registered when the library is loaded:
 *
 *	inline		a partial btree on the columns of the table's rows
 *	table		an index table: a table of its own with an entry for each item
 *	sharded		an index table in parts, the shards
 *	vector		an index table with a vector in each entry, found by distance
 *
 * Code of all floors asks an index's kind, IndexDef.kind, and does not compare kinds.
 */
#ifndef DYNAMO_TABLE_INDEX_KIND_H
#define DYNAMO_TABLE_INDEX_KIND_H

#include "nodes/pg_list.h"
#include "utils/relcache.h"

#include "exported.h"
#include "vector/vector.h"

struct ConcurrentBuild;
struct IndexDef;
struct TableDef;
struct Verification;

/* A column of index tables that not all kinds have. */
typedef struct IndexColumn
{
	const char *name;
	const char *type;			/* in SQL */
	Oid			typid;
} IndexColumn;

/* Functions that are NULL have nothing to do. */
typedef struct IndexKind
{
	/* ---- properties ---- */

	/* The member "storage" of a definition (table.h). */
	const char *storage;

	/*
	 * Whether an index with this storage is of this kind, by its number of shards and its
	 * vector, which may be NULL.  NULL for the kind without such parameters.
	 */
	bool		(*has_parameters) (int shards, const VectorDef *vector);

	/*
	 * Its entries are rows of an index table, which the trigger maintain_indexes keeps;
	 * otherwise the rows of the table, those without all of the index's key attributes, too.
	 */
	bool		own_entries;

	/* Reads return whole items; otherwise the projected ones that the entries contain. */
	bool		whole_items;

	/*
	 * The service calls it a global or local secondary index: it has a key, Query and Scan
	 * read it, and its capacity is measured in units.
	 */
	bool		secondary;

	/* Its table is partitioned by the shard. */
	bool		in_parts;

	/*
	 * Columns of an index table, or NULL: one before those of an entry, which is the last
	 * of the primary key; and one beside the item, whose item lacks what is in it.
	 */
	const IndexColumn *before;
	const IndexColumn *beside;

	/* Why a table with it is not distributed; NULL if it can be. */
	const char *undistributable;

	/* ---- relations: index_kind/, ddl/relation.c ---- */

	/*
	 * Creates the relation of an index.  limited: a btree must test the limits of keys
	 * (limits.h).
	 */
	void		(*create) (Oid relid, const struct TableDef *def, const struct IndexDef *index, bool limited);

	/* Of an index table: the clauses after its columns, and what it gets before its guards. */
	char	   *(*table_clauses) (const struct IndexDef *index);
	void		(*complete_table) (Oid relid, Oid index_table, const struct TableDef *def,
								   const struct IndexDef *index);

	/*
	 * Handle the further btrees and the like of a locked index table before it is emptied,
	 * and before and after it is filled.
	 */
	void		(*before_emptying) (Oid index_table);
	void		(*before_filling) (Oid index_table, const struct TableDef *def, const struct IndexDef *index);
	void		(*after_filling) (Oid index_table, const struct IndexDef *index);

	/* ---- building: index_kind/, index/ ---- */

	/*
	 * Fills an index of a locked table at once.  new_columns: the index has key attributes
	 * that had no column before.
	 */
	void		(*fill) (Oid relid, const struct TableDef *def, const struct IndexDef *index,
						 bool limited, bool new_columns);

	/* Repairs an index of a locked table, whose relation was found or is InvalidOid. */
	void		(*rebuild) (Oid relid, const struct TableDef *def, const struct IndexDef *index,
							Oid found, bool limited);

	/*
	 * Determines what an online build must build concurrently at its end; false if the
	 * table does not exist any more.
	 */
	bool		(*plan) (const struct TableDef *def, const struct IndexDef *index,
						 struct ConcurrentBuild *build);

	/* Whether that still exists: it may have been dropped since. */
	bool		(*is_built) (const struct TableDef *def, const struct IndexDef *index);

	/* Returns the statements that users can execute for this, of char *. */
	List	   *(*build_statements) (const struct TableDef *def, const struct IndexDef *index);

	/* ---- verifying: index/verify.h ---- */

	/* Reports what is wrong with the relation of an index; false if it cannot be read. */
	bool		(*verify_relation) (struct Verification *v, Relation rel);

	/* Compares it with its tables. */
	void		(*verify) (struct Verification *v, Relation rel);
} IndexKind;

/*
 * Returns the kind of an index with this storage, these shards and this vector; NULL if
 * there is no such storage.
 */
extern DYNAMO_EXPORT const IndexKind *IndexKindFind(const char *storage, int shards, const VectorDef *vector);

/*
 * Registers the kinds.  Of those with the same storage, one without parameters is the
 * last.
 */
extern void IndexKindsRegister(const IndexKind *const *kinds, int n);

#endif							/* DYNAMO_TABLE_INDEX_KIND_H */
