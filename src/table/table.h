/*
 * table.h
 *	  The definition of a dynamo table, read from the catalogs and cached per
 *	  backend.
 *
 * The definition is the argument of the table's derive_keys trigger, a JSON
 * object:
 *
 *	{"version": 1, "id": "8a1dc4b2-7d0f-4c93-9d0a-0b4f4e9a6f10",
 *	 "attributes": [{"name": "PK", "type": "S", "column": "PK"}, ...],
 *	 "partition": ["PK"], "sort": ["SK"],
 *	 "indexes": [{"name": "GSI1", "local": false,
 *				  "partition": ["GSI1PK"], "sort": ["GSI1SK"],
 *				  "projection": "ALL", "non_key_attributes": [],
 *				  "storage": "inline", "shards": 0, "shard_by": null,
 *				  "relation": "ecommerce$GSI1", "status": "ACTIVE"}]}
 *
 * "column" is the attribute's column.  Its name differs from the attribute's
 * if that is longer than 63 bytes or equals "item" or a system column.
 *
 * "status" is CREATING from the statement that creates an index on a large
 * table until the index is built.  An index that will replace another one
 * (with another number of shards or another storage) has the additional member
 * "replaces", the name of the other index.  Users cannot give an index its
 * name, and only index maintenance uses it.  After the replacement, the old
 * index has "replaces" and is DELETING.
 *
 * A vector index has the additional member "vector", and at most one partition
 * attribute, its HASH attribute:
 *
 *	"vector": {"attribute": "emb", "dimensions": 4, "distance": "COSINE",
 *			   "filters": [{"name": "lang", "type": "S"}], "method": "exact"}
 *
 * "relation" is the name with which the btree (inline) or the index table
 * (table) was created; both can be renamed (index_relation.h).  A partition
 * has the definition of its table and uses the table's relations.
 *
 * Optional members: "table" is the DynamoDB name, if it is longer than 63
 * bytes and cannot be the relation's name.  "id", a UUID, identifies the
 * table; it is the key of settings made by requests (table_settings.h).
 * "time_to_live" is the attribute with the expiry time of an item
 * (time_to_live.h).  "restoring" is true from the request that restores the
 * table until its items are there: until then nothing is read or written.  It
 * remains if the restore fails and the table cannot be dropped.
 *
 * The trigger needs only this argument, never the relation's OID or name.
 *
 * The columns of an inline index are the index keys, followed by the table's
 * keys that are not among them.  An index table has the same columns in the
 * same order, followed by "item" (the projected item).  If it is sharded,
 * "dynamo_shard" (integer) precedes them: the table is list-partitioned by
 * this column, with one partition for each of 0 .. shards - 1.  Its primary
 * key has the columns of an inline index in the same order, followed by
 * dynamo_shard.  A vector index is an index table with the additional column
 * "dynamo_vector" (real[]) before "item", which then lacks the vector.
 *
 * The cache is keyed by relation and invalidated by relcache invalidation.  A
 * TableDef that a caller holds is valid until the caller closes the table:
 * definitions are reference counted and freed at the last release, at the
 * latest at the end of the transaction.
 */
#ifndef DYNAMO_TABLE_H
#define DYNAMO_TABLE_H

#include "access/attnum.h"
#include "access/htup.h"
#include "lib/ilist.h"
#include "nodes/bitmapset.h"
#include "nodes/pg_list.h"
#include "storage/lockdefs.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

/* The most shards, and the most attributes projected by name, of one index. */
#define MAX_SHARDS			1024
#define MAX_NON_KEY_PER_INDEX	20

/* The suffix of the name of a replacement; users cannot choose such a name. */
#define REPLACEMENT_SUFFIX	"$new"

#include "expr/expr.h"
#include "item/maybe_item.h"
#include "problem.h"
#include "table/index_kind.h"
#include "vector/vector.h"
#include "exported.h"

typedef enum Projected
{
	PROJECTED_ALL,
	PROJECTED_KEYS_ONLY,
	PROJECTED_INCLUDE
} Projected;

typedef enum IndexStatus
{
	INDEX_CREATING,
	INDEX_ACTIVE,
	INDEX_DELETING
} IndexStatus;

/* An attribute of AttributeDefinitions, which has a column. */
typedef struct AttributeDef
{
	Slice		name;
	ValueType	type;
	const char *column;
	AttrNumber	attnum;			/* attribute number in this relation */
	char		compression;	/* attcompression of the column in this relation */
	bool		is_key;			/* key of the table or an index */
} AttributeDef;

typedef struct IndexDef
{
	const char *name;
	bool		local;
	KeySchema	key;
	int			attributes[KEY_MAX_ATTRIBUTES]; /* key; numbers in TableDef */
	Projected	projected;
	int			nnon_key;
	Slice	   *non_key;		/* NonKeyAttributes */
	const IndexKind *kind;		/* of its storage, shards and vector */
	int			shards;			/* 0 if not sharded */
	Slice		shard_by;		/* data is NULL for a hash of the base key */
	const char *relation;		/* its name when created */
	IndexStatus status;
	const char *replaces;		/* index to be replaced by this one, or NULL */
	const VectorDef *vector;	/* of a vector index, whose kind alone reads it */
	int			nentry;			/* columns of an entry: index keys, table keys */
	int			entry[KEY_MAX_ATTRIBUTES + 2];	/* in TableDef's attributes */
	Oid			relid;			/* see index_relation.c, also for the next */
	uint64		found_at;		/* linked_table_changes when relid was found */
	bool		verified;		/* verified by IndexTableOpen */
	Bitmapset  *verified_shards;
	const struct ShardMap *places;	/* of a distributed index table; NULL until read: placement.h */
} IndexDef;

#define TABLE_MAX_SLOTS	7

typedef struct TableDef
{
	Oid			relid;
	int			nattributes;
	AttributeDef *attributes;
	KeySchema	key;			/* one partition, at most one sort attribute */
	int			key_attributes[2];	/* attributes of the key */
	AttrNumber	item_attnum;
	Oid			root;			/* the table, or its topmost partitioned table */
	Oid			primary_key;	/* the primary key's index */
	Oid			copies_function;	/* OID of dynamo_system.keep_copies */
	Oid			item_type;		/* OID of dynamo.item */
	int			nindexes;
	IndexDef   *indexes;
	bool		has_local;		/* has a local index */
	bool		checks_items;	/* has an index with IndexKind.check_item */
	bool		unmaintained;	/* nothing writes the entries of index tables */
	bool		only_maintained;	/* maintain_indexes alone fires after writes, and always */
	const char *later_trigger;	/* first of FindLaterTriggers, or NULL */
	bool		checked_later;	/* later_trigger is followed by a check */
	bool		restoring;		/* its items are not there yet */
	bool		distributed;	/* rows are not in its own heap */
	const char *undistributable;	/* FindUndistributable, if distributed */
	TransactionId written;		/* wrote the table's row of pg_class */
	Oid			trigger;		/* the trigger with this definition */
	TransactionId defined;		/* wrote the row of this trigger */
	const char *id;				/* a UUID, or NULL */
	const char *long_name;		/* too long for a relation, or NULL */
	const struct EntitySet *entities;	/* see entity/; or NULL */
	const char *entities_text;	/* text in the definition, or NULL */
	Slice		ttl;			/* time to live attribute; data may be NULL */
	AttrNumber	ttl_attnum;		/* its column, or InvalidAttrNumber */
	MemoryContext context;		/* contains the definition */
	void	   *slots[TABLE_MAX_SLOTS + 1];	/* what higher floors keep: table_slot.h */
	int			new_puts;		/* how many last puts of this session were of new keys */
	Bitmapset  *row_columns;	/* key and item, for permission checks */
	Bitmapset  *item_column;
	int			refcount;		/* see table_cache.c, also for the next */
	bool		cached;
	dlist_node	pinned;			/* linked while refcount > 0 */
	SubTransactionId pinned_by; /* with which all uses end */
} TableDef;

/* Returns attribute i of the table's key. */
static inline const AttributeDef *
TableKeyAttribute(const TableDef *def, int i)
{
	return &def->attributes[def->key_attributes[i]];
}

/* Returns the attribute of column i of an index's entries. */
static inline const AttributeDef *
EntryAttribute(const TableDef *def, const IndexDef *index, int i)
{
	return &def->attributes[index->entry[i]];
}

/* ---- definition.c: conversion from and to text; no catalog access ---- */

/*
 * Parses a trigger argument, which must be consistent (definition_check.c).
 * Column numbers remain invalid.  The result is in a child context of the
 * current one.  Raises ERRCODE_DATA_CORRUPTED or errors of PostgreSQL's jsonb.
 */
extern DYNAMO_EXPORT TableDef *TableDefParse(const char *definition);

/*
 * Parses a trigger argument; returns NULL for an invalid definition, because
 * the definition of one user must not affect others.
 */
extern TableDef *TableDefTryParse(const char *definition);

/* Returns the text as jsonb; false if it is not a definition. */
extern bool TableDefToJsonb(const char *definition, Datum *json);

/* The text TableDefParse reads; palloc'd. */
extern DYNAMO_EXPORT char *TableDefPrint(const TableDef *def);

/* Fills in the derived members of an index's definition. */
extern void IndexDefComplete(const TableDef *def, IndexDef *index);

/* Returns the number of the attribute with this name; -1 if there is none. */
extern DYNAMO_EXPORT int	TableDefAttribute(const TableDef *def, Slice name);

/* ---- resolve.c ---- */

/*
 * Resolves a table name (table_name.h) to a relation.  The relation need not be a
 * dynamo table, but it is neither an index nor a composite type, so that
 * table_open accepts it.  If there is none, returns InvalidOid with missing_ok;
 * otherwise raises ERRCODE_DYNAMO_RESOURCE_NOT_FOUND, "Requested resource not
 * found".  Raises other errors for an ambiguous name, and for a schema that the
 * user may not use.
 */
extern Oid	TableNameResolve(const char *name, bool missing_ok);

/* Returns InvalidOid in place of these errors, for an estimate or a list. */
extern Oid	TableNameTryResolve(const char *name);

/* Returns the relation that this name without parts has in the search path. */
extern Oid	RelationInSearchPath(const char *relation);

/*
 * Whether a name without a schema can mean a relation that has it in the search
 * path: always, except over HTTP.
 */
extern bool NameMayMean(Oid relid);

/*
 * From now on names come from clients over HTTP: temporary tables are not looked
 * up, and without any_owner no relation of the search path that cannot be meant
 * (creators.h).
 */
extern void TableNamesComeFromHttp(bool any_owner);

/*
 * For the end of a message that there is no table with this name: what else there
 * is over HTTP, or "".
 */
extern DYNAMO_EXPORT const char *TableNameAdvice(const char *name);

/* For errdetail: says where there is no table with this name. */
extern int	TableNameMissingDetail(const char *name);

/*
 * Resolves a name and locks the relation, which exists under this name when
 * the lock is granted.  No lock is held if there is no such relation.
 */
extern DYNAMO_EXPORT Oid	TableNameLock(const char *name, LOCKMODE lockmode, bool missing_ok);

/*
 * Resolves a name, and locks and opens the table; close it with table_close.
 * Returns NULL if there is none and missing_ok.
 */
extern DYNAMO_EXPORT Relation TableNameOpen(const char *name, LOCKMODE lockmode, bool missing_ok);

/* A counter of events that may change the meaning of names. */
extern uint64 relation_changes;
extern void TableNamesInit(void);

/* ---- table_cache.c ---- */

extern void TableCacheInit(void);

/*
 * Returns the pinned definition of an open relation; raises
 * ERRCODE_DYNAMO_RESOURCE_NOT_FOUND if it is not a dynamo table.
 */
extern DYNAMO_EXPORT TableDef *TableDefAcquire(Relation rel);

/*
 * Returns the definition in the cache, as of the last invalidation that this session has
 * seen; NULL if there is none.  The caller need not have the table open.
 */
extern TableDef *TableDefAcquireCached(Oid relid);
extern DYNAMO_EXPORT void TableDefRelease(TableDef *def);

/*
 * Returns the table to which the relations in a definition belong; for a
 * definition without that information, the definition's own table.
 */
static inline Oid
TableDefRoot(const TableDef *def)
{
	return OidIsValid(def->root) ? def->root : def->relid;
}

/*
 * Returns the definition of an open relation in the current memory context,
 * without checking it against the relation.  Returns NULL if the relation is
 * not a dynamo table or its definition is invalid.
 */
extern DYNAMO_EXPORT TableDef *TableDefCopy(Relation rel);

/*
 * Counts invalidations of linked tables (link.h) that are watched.  Cached
 * facts about such a table are valid while the counter does not change.
 */
extern DYNAMO_EXPORT uint64 linked_table_changes;
extern DYNAMO_EXPORT void WatchLinkedTable(Oid relid);

/* Whether a relation is a dynamo table: it has the key trigger. */
extern DYNAMO_EXPORT bool RelationIsDynamoTable(Relation rel);

/*
 * Returns the names of triggers that may change a row after its key columns
 * were derived: BEFORE ROW triggers that sort after the key trigger.  NIL if
 * the relation is not a dynamo table.
 */
extern List *FindLaterTriggers(Relation rel);

/* Whether a trigger of this type may change a row being written. */
extern bool TriggerChangesRows(int16 type);

/*
 * Whether the extension has a trigger that checks each row after all triggers
 * that could change it.
 */
extern bool HasRowMaintenance(Relation rel);

/* Returns the column type for key values of this type. */
extern DYNAMO_EXPORT Oid	KeyColumnType(ValueType type);

/*
 * Raises an error if index tables of the table are not maintained, because the
 * trigger was disabled or dropped.  Their entries may then be out of date.
 */
extern DYNAMO_EXPORT void CheckMaintained(const TableDef *def);

/* Raises an error if the items of the table are yet to be restored. */
extern DYNAMO_EXPORT void CheckRestored(const TableDef *def);

/*
 * Whether an index was ACTIVE, with the same relation, in the definition that
 * a snapshot sees.
 */
extern bool IndexWasActive(const TableDef *def, const IndexDef *index, Snapshot snapshot);

/*
 * Returns the definition that a snapshot sees, without what is not in its text; NULL
 * if it sees none.
 */
extern TableDef *TableDefSeenBy(const TableDef *def, Snapshot snapshot);

/* ---- find_index.c ---- */

/*
 * Return an index by its name, or by the name that its relation was created
 * with; NULL if it does not exist.
 */
extern DYNAMO_EXPORT const IndexDef *TableDefIndex(const TableDef *def, const char *name);
extern const IndexDef *TableDefIndexOfRelation(const TableDef *def, const char *relation);

/*
 * Returns an index that must exist, because a partition has the same
 * definition as its table.  Raises ERRCODE_DATA_CORRUPTED if the partition has
 * its own definition.
 */
extern DYNAMO_EXPORT const IndexDef *TableDefIndexOf(const TableDef *def, const char *name);

/*
 * Returns an index for a Query or a Scan.  Raises "The table does not have the
 * specified index: <I>" if it does not exist, and an error while it is built or
 * dropped, or if it is a vector index.
 */
extern DYNAMO_EXPORT const IndexDef *TableDefIndexForRead(const TableDef *def, const char *name, bool query);

/* Raises ResourceNotFoundException for an index that is to be changed; lists the table's indexes. */
extern DYNAMO_EXPORT void FailNoIndex(const TableDef *def, const char *table_name, const char *index_name)
						  pg_attribute_noreturn();

/* ---- table_keys.c: key attributes of items; no catalog access ---- */

/*
 * Returns the column value of a key value: text, numeric or bytea, palloc'd.
 * U+0000 in an S raises ERRCODE_DYNAMO_VALIDATION with the attribute's name.
 * The value must have been checked for presence and type; otherwise
 * ERRCODE_DATA_CORRUPTED is raised.  Stored items must be checked before
 * (stored.h).
 */
extern DYNAMO_EXPORT Datum KeyValueToDatum(const AttributeDef *attr, ValueRef v);

/* Converts a key value; returns false if it notes the problem of U+0000. */
extern DYNAMO_EXPORT bool KeyValueGetDatum(const AttributeDef *attr, ValueRef v, Datum *datum, Problem *problem);

/* Converts a column value to a key value; there is none for a number that no item can contain. */
extern MaybeItem KeyDatumToValue(ValueType type, Datum datum);

/*
 * Returns the key attributes of a client's key map as a palloc'd item.  Raises
 * the error of a key that does not match the table.
 */
extern DYNAMO_EXPORT struct varlena *KeyOfItem(const TableDef *def, ValueRef item);

/* Computes the column value of an attribute; false for null. */
extern DYNAMO_EXPORT bool ColumnOfValue(const AttributeDef *attr, ValueRef v, Datum *column);

/*
 * The item that a write replaces: the stored datum, or item if it is not
 * missing.  It is only read if the new item is invalid: an index that has
 * omitted an item continues to omit it while the attributes of its entry do
 * not change.  In the following functions, NULL means that there is none.
 */
typedef struct ReplacedItem
{
	Datum		stored;
	ValueRef	item;
} ReplacedItem;

/*
 * Whether the attributes of an index's entry (the keys of the index and the
 * table) are the same as in the replaced item.
 */
extern bool KeepsEntryKey(const TableDef *def, const IndexDef *index, ValueRef item,
						  const ReplacedItem *replaced);

/*
 * The following checks note a problem and return false; if problem is NULL
 * they raise it (problem.h).
 */

/*
 * Checks an item to be stored: the key attributes must be present and have the
 * right type; keys must not be empty or too long, nor must index key
 * attributes that are present.  Has the service's messages for PutItem.
 */
extern DYNAMO_EXPORT bool CheckItemKeys(const TableDef *def, ValueRef item, const ReplacedItem *replaced,
						  Problem *problem);

/*
 * Checks only what indexes check in items beside their keys (IndexKind.check_item), and only
 * what is not as before.
 */
extern bool CheckOtherThanKeys(const TableDef *def, ValueRef item, const ReplacedItem *replaced,
							 Problem *problem);

/*
 * Checks only the index keys, with UpdateItem's messages: the values in an
 * update or, if computed, the updated item.
 */
extern bool CheckUpdatedIndexKeys(const TableDef *def, ValueRef item, bool computed,
								  const ReplacedItem *replaced, Problem *problem);

/*
 * Whether an attribute of an item that is older than its index can be in its
 * column: it is absent, or at least one index could contain it.  limits.h
 * decides whether an index does.
 */
extern bool StoredKeyIsUsable(const TableDef *def, int attribute, ValueRef item);

/*
 * Checks a value of the right type for a key, which must be neither empty nor
 * too long.  prefix is the start of the messages.
 */
extern bool CheckKeyValue(const char *prefix, Slice name, ValueRef v, bool partition,
						  Problem *problem);

/*
 * The problem of a key that does not have exactly the table's key attributes.
 * given is the attribute that is missing or has the wrong type.
 */
extern DYNAMO_EXPORT bool NoteKeyMismatch(const TableDef *def, ValueRef given, Problem *problem);

/* Checks a Key parameter, which must have exactly the key attributes. */
extern bool CheckKeyParameter(const TableDef *def, ValueRef key, Problem *problem);

/*
 * Checks the value of an attribute that has a column but is not part of a key;
 * it must also have the right type and size.  Raises an error.
 */
extern void CheckOtherAttribute(const AttributeDef *attr, ValueRef v);

/*
 * Returns why an index omits an item because of a key attribute, as a clause;
 * NULL if it does not.  limits.h checks the length of entries.
 */
extern const char *IndexKeyViolation(const TableDef *def, const IndexDef *index,
									 ValueRef item);

/*
 * Whether an index has an entry for an item: the item has all key attributes,
 * and all are valid.
 */
extern DYNAMO_EXPORT bool ItemInIndex(const TableDef *def, const IndexDef *index, ValueRef item);

/* ---- entry.c: entries of an index ---- */

/* Whether the item of an entry is the whole item. */
static inline bool
EntryIsWholeItem(const IndexDef *index)
{
	return index->projected == PROJECTED_ALL && index->kind->beside == NULL;
}

/* Whether the items of an index's entries contain an attribute with this name. */
extern bool IndexProjects(const TableDef *def, const IndexDef *index, Slice name);

/*
 * Returns the projected item: index keys, table keys and the projected
 * attributes of the item (all for PROJECTED_ALL).  Palloc'd.
 */
extern DYNAMO_EXPORT struct varlena *IndexEntryItem(const TableDef *def, const IndexDef *index,
													ValueRef item);

/* The size of the projected item, and of what is beside it, by the service's rules. */
extern uint64 IndexEntrySize(const TableDef *def, const IndexDef *index, ValueRef item);

/* The size of an item together with its entries in local indexes. */
extern uint64 ItemWithEntriesSize(const TableDef *def, ValueRef item);

/* ---- index_shard.c: shards of an index table ---- */

/*
 * Returns the shard of an item's entry, 0 .. shards - 1.  Spread: by a stable
 * hash of the table's key.  Calculated: by the shard_by attribute; an item
 * without it is in shard 0.
 */
extern int	IndexShardOf(const TableDef *def, const IndexDef *index, ValueRef item);

/*
 * Returns the shard of all entries with this value of the shard_by attribute.
 */
extern int	IndexShardOfValue(const IndexDef *index, ValueRef value);

/* Whether an index table has exactly the partitions 0 .. shards - 1. */
extern bool IndexHasShards(Relation index_table, const IndexDef *index);

/* Raises an error if it does not have exactly these partitions. */
extern void CheckIndexShards(Relation index_table, const IndexDef *index);

/*
 * Returns the partition of a shard, after CheckIndexShards.  Raises
 * ERRCODE_DATA_CORRUPTED if the partitions have changed since.
 */
extern Oid	IndexShardRelation(Relation index_table, const IndexDef *index, int shard);

/* ---- compose_keys.c: keys by the table's entities ---- */

/*
 * Composes the keys of an item by its entity and adds the attributes that the
 * entity declares.  Sets *composed, palloc'd; NULL if nothing changes.
 *
 * old is the item that is replaced, or missing.  fixed_key: another key of the
 * table is an error, as in UpdateItem.  final: no other code changes the item
 * before it is stored; otherwise index keys are left to the derive_keys
 * trigger.  Returns false if it notes a problem, ERRCODE_DYNAMO_VALIDATION.
 */
extern DYNAMO_EXPORT bool ComposeEntityKeys(const TableDef *def, ValueRef item, ValueRef old, bool fixed_key,
							  bool final, struct varlena **composed, Problem *problem);

/*
 * The same for the result of an update.  If there was no item, the key tells of which
 * entity the new one is, which gets its type attribute; a key that several entities
 * can have is a problem.
 */
extern bool ComposeUpdatedItem(const TableDef *def, ValueRef item, ValueRef old, bool final,
							   struct varlena **composed, Problem *problem);

/*
 * Composes an item that is put, before it is known whether it replaces one.  Whoever
 * replaces or inserts it then calls SettlePutItem, if PutNeedsOld: old may have read-only
 * attributes, and tells which of two attributes that are computed from each other was
 * changed.  That sets *item to another one, palloc'd, if the item changes; returns false
 * if it notes a problem.
 */
extern DYNAMO_EXPORT bool PutNeedsOld(const TableDef *def);
extern DYNAMO_EXPORT bool ComposePutItem(const TableDef *def, ValueRef item, bool final, struct varlena **composed,
										 Problem *problem);
extern DYNAMO_EXPORT bool SettlePutItem(const TableDef *def, struct varlena **item, ValueRef old, bool final,
										Problem *problem);

/* ---- derive_columns.c: deriving the columns of a row from its item ---- */

/*
 * Sets the values of all attribute columns from an item to be stored, whose
 * size and keys have been checked, and checks the length of index entries.
 * Does not set the item column.  values and nulls are indexed by attnum - 1.
 */
extern void DeriveCheckedKeys(const TableDef *def, ValueRef item, Datum *values,
							  bool *nulls, const ReplacedItem *replaced);

/*
 * Sets columns from an item that is already stored.  values and nulls contain
 * the current columns; a null is replaced if the item's attribute is usable
 * (StoredKeyIsUsable).  Raises no errors.  Returns whether a column changed.
 */
extern bool DeriveStoredKeys(const TableDef *def, ValueRef item, Datum *values, bool *nulls);

/*
 * Sets the column of the expiry time in the same way, whether or not it is
 * null.
 */
extern bool DeriveStoredExpiry(const TableDef *def, ValueRef item, Datum *values, bool *nulls);

/* Checks only the length of the primary key's index entry. */
extern void CheckKeyEntryLength(const TableDef *def, const Datum *values, const bool *nulls);

/*
 * Checks a row of an INSERT, or of an UPDATE of old, whose item or columns
 * other triggers may have changed after its columns were derived.
 */
extern void CheckDerivedRow(Relation rel, const TableDef *def, HeapTuple tuple, HeapTuple old);

/* Whether two column values of a key attribute are the same key. */
extern DYNAMO_EXPORT bool KeyDatumsEqual(ValueType type, Datum a, Datum b);

#endif							/* DYNAMO_TABLE_H */
