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

#include "exported.h"
#include "vector/vector.h"

typedef struct IndexKind
{
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

	/* Its table is partitioned by the shard, a column before those of an entry. */
	bool		in_parts;

	/* Why a table with it is not distributed; NULL if it can be. */
	const char *undistributable;
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
