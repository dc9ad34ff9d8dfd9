/*
 * table.h
 *	  What a dynamo table is: its definition, read from the catalogs and
 *	  cached per backend.
 *
 * The definition is the argument of the table's derive_keys trigger, a JSON
 * object:
 *
 *	{"version": 1,
 *	 "attributes": [{"name": "PK", "type": "S", "column": "PK"}, ...],
 *	 "partition": ["PK"], "sort": ["SK"],
 *	 "indexes": [{"name": "GSI1", "local": false,
 *				  "partition": ["GSI1PK"], "sort": ["GSI1SK"],
 *				  "projection": "ALL", "non_key_attributes": [],
 *				  "storage": "inline", "shards": 0, "shard_by": null,
 *				  "relation": "ecommerce$GSI1", "status": "ACTIVE"}]}
 *
 * "column" is the attribute's column (another name than the attribute's when
 * that is longer than 63 bytes or collides with "item" or a system column).
 *
 * "status" is CREATING from the statement that creates an index on a large
 * table until the index is built.  An index that is built beside another to
 * take its place (another number of shards, another storage) has one member
 * more, "replaces": the other's name.  Its own name is not one a user can
 * give, and only index maintenance sees it.  When the two have changed
 * places, what was replaced is the one with "replaces", DELETING.
 *
 * "relation" is the name, in the table's schema, of the btree index (inline)
 * or of the index table (table).  A partition has the definition of its table,
 * and the relations beside that one.  "table", present only if the relation's
 * name could not hold it (longer than 63 bytes), is the DynamoDB name.  The
 * trigger needs nothing but this argument: never the relation's OID or name.
 * "time_to_live", if present, is the attribute that says when an item expires
 * (ttl.h).
 *
 * An inline index has the columns: index keys, then the table's keys that
 * are not already there.  An index table has the same columns in the same
 * order, then "item" (what is projected), and "dynamo_shard" (integer)
 * before all of them when it is sharded: it is list-partitioned by that
 * column, one partition for each of 0 .. shards - 1.  Its primary key has the
 * columns of an inline index in the same order; dynamo_shard comes last.
 *
 * The cache is keyed by relation and dropped by relcache invalidation; a
 * TableDef that a caller holds stays valid until the caller closes the table
 * (definitions are reference counted, freed at the last release, at the end
 * of the transaction at the latest).
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

#include "expr/expr.h"
#include "item/item.h"

typedef enum Projected
{
	PROJECTED_ALL,
	PROJECTED_KEYS_ONLY,
	PROJECTED_INCLUDE
} Projected;

typedef enum IndexStorage
{
	STORAGE_INLINE,				/* a partial btree on the table's columns */
	STORAGE_TABLE				/* an index table of its own */
} IndexStorage;

typedef enum IndexStatus
{
	INDEX_CREATING,
	INDEX_ACTIVE,
	INDEX_DELETING
} IndexStatus;

/* An attribute of AttributeDefinitions: it has a column. */
typedef struct AttributeDef
{
	Slice		name;
	ValueType	type;
	const char *column;
	AttrNumber	attnum;			/* of column in this relation */
	bool		is_key;			/* of the table or an index */
} AttributeDef;

typedef struct IndexDef
{
	const char *name;
	bool		local;
	KeySchema	key;
	int			attributes[KEY_MAX_ATTRIBUTES]; /* key's, in TableDef */
	Projected	projected;
	int			nnon_key;
	Slice	   *non_key;		/* NonKeyAttributes */
	IndexStorage storage;
	int			shards;			/* 0: not sharded */
	Slice		shard_by;		/* data NULL: hash of the base key (spread) */
	const char *relation;
	IndexStatus status;
	const char *replaces;		/* NULL, or built to take this one's place */
	int			nentry;			/* columns of an entry: index keys, table keys */
	int			entry[KEY_MAX_ATTRIBUTES + 2];	/* in TableDef's attributes */
} IndexDef;

typedef struct TableDef
{
	Oid			relid;
	int			nattributes;
	AttributeDef *attributes;
	KeySchema	key;			/* one partition, at most one sort attribute */
	int			key_attributes[2];	/* key's, in attributes */
	AttrNumber	item_attnum;
	Oid			root;			/* the table, or that which it is a partition of */
	Oid			primary_key;	/* the primary key's index */
	Oid			guard_function; /* dynamo.guard_index, looked up once */
	Oid			item_type;		/* dynamo.item, likewise */
	int			nindexes;
	IndexDef   *indexes;
	bool		has_local;		/* any local index */
	bool		unmaintained;	/* nothing writes the entries of index tables */
	const char *later_trigger;	/* the first of FindLaterTriggers, or NULL */
	bool		checked_later;	/* HasRowMaintenance, if there is one */
	bool		distributed;	/* its rows are elsewhere: only SQL finds them */
	TransactionId written;		/* by whom the table's row of pg_class was */
	Oid			trigger;		/* that has this definition */
	TransactionId defined;		/* by whom it was written */
	const char *long_name;		/* the DynamoDB name if no relation's name */
	Slice		ttl;			/* time to live attribute; data NULL: none */
	AttrNumber	ttl_attnum;		/* of its column; invalid if there is none */
	MemoryContext context;		/* holds all of this */
	Bitmapset  *row_columns;	/* key and item, as permission checks want them */
	Bitmapset  *item_column;
	int			refcount;		/* of cache.c, as are the next */
	bool		cached;
	dlist_node	pinned;			/* linked while refcount > 0 */
} TableDef;

/* ---- definition.c: text of a definition and back; no catalog access ---- */

/*
 * Parses a trigger argument, which must make sense as a whole
 * (definition_check.c); column numbers are left invalid.  The result is a
 * child context of the current one.  Raises ERRCODE_DATA_CORRUPTED, or what
 * PostgreSQL's jsonb does.
 */
extern TableDef *TableDefParse(const char *definition);

/*
 * The same, but NULL for a text that is no definition: what one user wrote must
 * not stand in others' way.
 */
extern TableDef *TableDefTryParse(const char *definition);

/* The text as jsonb; false if it is no definition. */
extern bool TableDefToJsonb(const char *definition, Datum *json);

/* Whether an error tells that a text is no definition, rather than of the server. */
extern bool IsDefinitionError(int sqlstate);

/* The text TableDefParse reads; palloc'd. */
extern char *TableDefPrint(const TableDef *def);

/* Fills what follows from the rest of an index's definition. */
extern void IndexDefComplete(const TableDef *def, IndexDef *index);

/* The attribute of this name; -1 if there is none. */
extern int	TableDefAttribute(const TableDef *def, Slice name);

/* ---- resolve.c ---- */

/*
 * The relation a DynamoDB table name means, resolved as PostgreSQL resolves
 * names: through search_path; a name with a dot first as it is, then as
 * schema.table.  It may be no table of ours, but no index and no composite
 * type, so that table_open takes it.  InvalidOid if there is none and
 * missing_ok; otherwise ERRCODE_DYNAMO_RESOURCE_NOT_FOUND, "Requested resource
 * not found".
 */
extern Oid	TableNameResolve(const char *name, bool missing_ok);

/*
 * The same, locked: the relation was there, and had this name, when the lock
 * was granted.  Where the name means nothing (any more), no lock is held.
 */
extern Oid	TableNameLock(const char *name, LOCKMODE lockmode, bool missing_ok);

/*
 * The same, locked and opened as a table, to be closed by table_close; NULL if
 * there is none and missing_ok.
 */
extern Relation TableNameOpen(const char *name, LOCKMODE lockmode, bool missing_ok);

/* Counts what may have changed the relation that a name means. */
extern uint64 relation_changes;
extern void TableNamesInit(void);

/* ---- cache.c ---- */

extern void TableCacheInit(void);

/*
 * The definition of an open relation, pinned; raises
 * ERRCODE_DYNAMO_RESOURCE_NOT_FOUND if it is no dynamo table.
 */
extern TableDef *TableDefAcquire(Relation rel);
extern void TableDefRelease(TableDef *def);

/*
 * The table beside which the relations of a definition are, and whose owner
 * they have; of a definition that knows its table only, that.
 */
static inline Oid
TableDefRoot(const TableDef *def)
{
	return OidIsValid(def->root) ? def->root : def->relid;
}

/*
 * What the definition of an open relation says, whether it fits the relation
 * or not, in the current memory context; NULL if it is no dynamo table, or
 * its definition cannot be read.
 */
extern TableDef *TableDefCopy(Relation rel);

/* Whether a relation is a dynamo table: it has our key trigger. */
extern bool RelationIsDynamoTable(Relation rel);

/*
 * The names of triggers that may change a row after its key columns were
 * derived: BEFORE ROW triggers whose names sort after that of the key trigger.
 * NIL if the relation is no dynamo table.
 */
extern List *FindLaterTriggers(Relation rel);

/* Whether a trigger of this type may change a row that is written. */
extern bool TriggerChangesRows(int16 type);

/* Whether a trigger of ours looks at each row after all that could change it. */
extern bool HasRowMaintenance(Relation rel);

/* The type of a column for key values of this type. */
extern Oid	KeyColumnType(ValueType type);

/* The function that compares two of them for equality. */
extern Oid	KeyEqualityFunction(ValueType type);

/*
 * Whether a btree index of the table has the columns of an entry of an inline
 * index.  The definition may be one without column numbers.
 */
extern bool InlineIndexFits(const TableDef *def, const IndexDef *index, Oid relid);

/*
 * The relation of the name that an index's definition gives, which may be any:
 * who opens it checks what it is (else: FindIndexRelation, link.h).  Raises ERRCODE_DATA_CORRUPTED, with a hint
 * at dynamo.reindex, if there is none.
 */
extern Oid	IndexDefRelation(const TableDef *def, const IndexDef *index);

/*
 * Raises an error if nothing keeps the table's index tables, because somebody
 * has disabled or dropped the trigger: what they hold may be out of date.
 */
extern void CheckMaintained(const TableDef *def);

/*
 * Whether an index was ACTIVE, and in the same relation, by the definition that a
 * snapshot shows.
 */
extern bool IndexWasActive(const TableDef *def, const IndexDef *index, Snapshot snapshot);

/* NULL if there is no such index. */
extern const IndexDef *TableDefIndex(const TableDef *def, const char *name);

/*
 * An index that is there: of a partition, whose definition is its table's.
 * Raises ERRCODE_DATA_CORRUPTED if somebody has given it one of its own.
 */
extern const IndexDef *TableDefIndexOf(const TableDef *def, const char *name);

/*
 * Raises "The table does not have the specified index: <I>" if there is no
 * such index, and an error while it is built or dropped.
 */
extern const IndexDef *TableDefIndexForRead(const TableDef *def, const char *name);

/* ---- keys.c: key attributes of items; no catalog access ---- */

/*
 * What a column holds for a key value: text, numeric or bytea, palloc'd.
 * U+0000 in S: ERRCODE_DYNAMO_VALIDATION naming the attribute.  The value has
 * been checked to be there and of the right type; ERRCODE_DATA_CORRUPTED if
 * not.  Who has a stored item checks it before (stored.h).
 */
extern Datum KeyValueToDatum(const AttributeDef *attr, ValueRef v);

/* The same back; NULL for a number that no item can hold. */
extern struct varlena *KeyDatumToValue(ValueType type, Datum datum);

/*
 * The key attributes of an item that a client gives as a map (a palloc'd
 * item).  Raises the error of a key that does not fit the table.
 */
extern struct varlena *KeyOfItem(const TableDef *def, ValueRef item);

/* What the column of an attribute holds of a value; false: null. */
extern bool ColumnOfValue(const AttributeDef *attr, ValueRef v, Datum *column);

/*
 * The item that a write replaces: as it is stored, or what it holds if item is
 * not missing.  It is read only where something is wrong with the new one: an
 * index that has left an item out goes on to do so while the attributes of its
 * entry stay as they are.  NULL in the following: there is none.
 */
typedef struct ReplacedItem
{
	Datum		stored;
	ValueRef	item;
} ReplacedItem;

/*
 * Whether the attributes of an index's entry (its key's and the table's) are the
 * same as in the item replaced.
 */
extern bool KeepsEntryKey(const TableDef *def, const IndexDef *index, ValueRef item,
						  const ReplacedItem *replaced);

/*
 * An item given to be stored: has the key, of the right types, not empty,
 * not too long; index key attributes that are present likewise.  The
 * service's messages for PutItem.
 */
extern void CheckItemKeys(const TableDef *def, ValueRef item, const ReplacedItem *replaced);

/*
 * A value to be stored of an attribute that has a column, but is the key of
 * nothing: of the right type and size, too.
 */
extern void CheckOtherAttribute(const AttributeDef *attr, ValueRef v);

/*
 * Only the index keys, in UpdateItem's words: of the values that an update
 * gives, or of the item that it has made (computed).
 */
extern void CheckUpdatedIndexKeys(const TableDef *def, ValueRef item, bool computed,
								  const ReplacedItem *replaced);

/*
 * Whether an attribute of an item stored before its index can be in its column:
 * absent, or such as some index may have it.  Whether an index admits it is
 * another matter (limits.h).
 */
extern bool StoredKeyIsUsable(const TableDef *def, int attribute, ValueRef item);

/*
 * A value of the right type for a key: neither empty nor too long.  prefix is
 * what the messages begin with.
 */
extern void CheckKeyValue(const char *prefix, Slice name, ValueRef v, bool partition);

/*
 * The error of a key that has not exactly the table's key attributes.  given:
 * the attribute that is not of the right type, or missing.
 */
extern void KeyMismatchError(const TableDef *def, ValueRef given) pg_attribute_noreturn();

/* A Key parameter: exactly the key attributes, checked likewise. */
extern void CheckKeyParameter(const TableDef *def, ValueRef key);

/*
 * Why an index leaves out an item for one of its key attributes, as a clause;
 * NULL if it does not.  That its entry may be too long is limits.h's.
 */
extern const char *IndexKeyViolation(const TableDef *def, const IndexDef *index,
									 ValueRef item);

/* Entry of an index: whether the item has all its key attributes, none unusable. */
extern bool ItemInIndex(const TableDef *def, const IndexDef *index, ValueRef item);

/* ---- entry.c: what an index holds of an item ---- */

/* Whether entries of an index have an attribute of this name. */
extern bool IndexProjects(const TableDef *def, const IndexDef *index, Slice name);

/*
 * The projected item: index keys, table keys and the projected attributes
 * that the item has (all of it for PROJECTED_ALL).  Palloc'd.
 */
extern struct varlena *IndexEntryItem(const TableDef *def, const IndexDef *index,
									  ValueRef item);

/* The service's size of that. */
extern uint64 IndexEntrySize(const TableDef *def, const IndexDef *index, ValueRef item);

/* The size of an item and of its entries in local indexes together. */
extern uint64 ItemWithEntriesSize(const TableDef *def, ValueRef item);

/* ---- shard.c: shards of an index table ---- */

/*
 * The shard of an item's entry, 0 .. shards - 1.  Spread: a stable hash of
 * the base key.  Calculated: of the shard_by attribute; an item without it is
 * in shard 0.
 */
extern int	IndexShardOf(const TableDef *def, const IndexDef *index, ValueRef item);

/* The shard of all entries with this value of the shard_by attribute. */
extern int	IndexShardOfValue(const IndexDef *index, ValueRef value);

/* Whether an index table has the partitions 0 .. shards - 1 and no others. */
extern bool IndexHasShards(Relation index_table, const IndexDef *index);

/* Raises an error if it has not. */
extern void CheckIndexShards(Relation index_table, const IndexDef *index);

/*
 * These partitions, by shard: oids[index->shards].  Raises
 * ERRCODE_DATA_CORRUPTED if they are not as they should be.
 */
extern void IndexShardRelations(Relation index_table, const IndexDef *index, Oid *oids);

/* ---- derive.c: the columns of a row from its item ---- */

/*
 * Sets the values of all attribute columns from an item to be stored, whose
 * size and keys were checked before; checks the length of index entries.
 * item's own column is left alone.  values and nulls are indexed by
 * attnum - 1.
 */
extern void DeriveCheckedKeys(const TableDef *def, ValueRef item, Datum *values,
							  bool *nulls, const ReplacedItem *replaced);

/*
 * The same for an item that is stored already: values and nulls hold the
 * columns as they are.  Those that are null are set if the item's attribute
 * is usable (StoredKeyIsUsable); nothing is raised.  Returns whether any
 * column changed.
 */
extern bool DeriveStoredKeys(const TableDef *def, ValueRef item, Datum *values, bool *nulls);

/* The same for the time of expiry, set or not. */
extern bool DeriveStoredExpiry(const TableDef *def, ValueRef item, Datum *values, bool *nulls);

/* Checks the length of the primary key's index entry alone. */
extern void CheckKeyEntryLength(const TableDef *def, const Datum *values, const bool *nulls);

/*
 * Checks a row, of an INSERT or of an UPDATE of old, whose item or columns other
 * triggers may have changed since its columns were derived.
 */
extern void CheckDerivedRow(Relation rel, const TableDef *def, HeapTuple tuple, HeapTuple old);

/* Whether two column values of a key attribute are the same key. */
extern bool KeyDatumsEqual(ValueType type, Datum a, Datum b);

#endif							/* DYNAMO_TABLE_H */
