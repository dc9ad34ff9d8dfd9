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
#include "utils/snapshot.h"

#include "lib/stringinfo.h"

#include "exported.h"
#include "vector/vector.h"

struct AttributeDef;
struct ConcurrentBuild;
struct CreateIndexSpec;
struct EntryKey;
struct EntryTable;
struct IndexDef;
struct ScanSource;
struct StoreScan;
struct TableDef;
struct Verification;

/* What is wrong with the key attribute of an item. */
typedef enum KeyFault
{
	KEY_VALID,
	KEY_TYPE_MISMATCH,
	KEY_EMPTY,
	KEY_TOO_LONG,
	KEY_HAS_NUL					/* contains U+0000, which text cannot */
} KeyFault;

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

	/* ---- definition: ddl/build_definition.c ---- */

	/* Raises the errors of an index to be created, with the service's words. */
	void		(*check_spec) (const struct TableDef *def, const struct CreateIndexSpec *spec);

	/* ---- items: table/table_keys.c ---- */

	/*
	 * Whether an item with valid key attributes is in the index.  violation returns why it
	 * is not, as a clause, or NULL.
	 */
	bool		(*has_item) (const struct IndexDef *index, ValueRef item);
	const char *(*violation) (const struct IndexDef *index, ValueRef item);

	/*
	 * Checks what else the index needs of an item to be stored; old is the item it replaces,
	 * or missing.  Returns false if it notes a problem (problem.h).
	 */
	bool		(*check_item) (const struct IndexDef *index, ValueRef item, ValueRef old, Problem *problem);

	/* Notes, in its own words, that a key attribute has another type or is too long. */
	bool		(*note_key) (const struct IndexDef *index, const struct AttributeDef *attr,
							 KeyFault what, ValueType actual, Problem *problem);

	/* ---- entries: table/entry.c, index/entry_table.c, index/maintain.c ---- */

	/*
	 * Whether the items of entries have an attribute; returns false if that depends on the
	 * projection alone.
	 */
	bool		(*projects) (const struct IndexDef *index, Slice name, bool *projects);

	/*
	 * Computes from an item what the key of its entry has beside the columns; clears
	 * present if the item has no entry.
	 */
	void		(*complete_key) (const struct TableDef *def, const struct IndexDef *index,
								 ValueRef item, struct EntryKey *key);

	/* Sets the values of the columns before and beside from it. */
	void		(*form_entry) (const struct IndexDef *index, const struct EntryKey *key,
							   Datum *before, Datum *beside);

	/*
	 * Of an index with a column beside the item: whether the entries of two keys have the
	 * same in it, whether the entry that was found has what the key has, and what
	 * verify_index reports if not.
	 */
	bool		(*same_beside) (const struct IndexDef *index, const struct EntryKey *a,
								const struct EntryKey *b);
	bool		(*has_beside) (struct EntryTable *t, const struct EntryKey *key);
	const char *beside_differs;

	/* ---- cost: table/entry.c, op/consumed.c; sizes by the service's rules ---- */

	/* The size of what is in this column. */
	uint64		(*size_beside) (const struct IndexDef *index);

	/* Whether it differs for two items that are in the index. */
	bool		(*beside_changes) (const struct IndexDef *index, ValueRef old_item, ValueRef new_item);

	/* What index number i of a table changes in the size of an item that is written. */
	int64		(*size_change) (const struct TableDef *def, int i, ValueRef item);

	/* ---- description: op/describe_table.c ---- */

	/* Appends members of the description in JSON, each with a comma after it. */
	void		(*describe) (const struct IndexDef *index, StringInfo out);

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

	/*
	 * Finds the relation of an index of a table; InvalidOid if there is none
	 * (FindIndexRelation).
	 */
	Oid			(*find) (Oid table, const struct TableDef *def, const struct IndexDef *index);

	/* ---- reading: store/scan.h ---- */

	/* Creates the source of a scan, whose range has this index. */
	struct ScanSource *(*begin_scan) (struct StoreScan *scan);

	/* Whether a snapshot is too old to see all entries (StoreIndexIsNewer). */
	bool		(*is_newer) (const struct TableDef *def, const struct IndexDef *index, Snapshot snapshot);

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
