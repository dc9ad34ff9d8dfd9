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
 *				  "relation": "ecommerce_GSI1", "status": "ACTIVE"}]}
 *
 * "column" is the attribute's column (another name than the attribute's when
 * that is longer than 63 bytes or collides with "item" or a system column).
 * "relation" is the name, in the table's schema, of the btree index (inline)
 * or of the index table (table).  The trigger needs nothing but this
 * argument: never the relation's OID or name.
 *
 * The cache is keyed by relation and dropped by relcache invalidation; a
 * TableDef that a caller holds stays valid until the caller closes the table
 * (definitions are reference counted, freed at the last release, at the end
 * of the transaction at the latest).
 */
#ifndef DYNAMO_TABLE_H
#define DYNAMO_TABLE_H

#include "access/attnum.h"
#include "utils/relcache.h"

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
} IndexDef;

typedef struct TableDef
{
	Oid			relid;
	int			nattributes;
	AttributeDef *attributes;
	KeySchema	key;			/* one partition, at most one sort attribute */
	int			key_attributes[2];	/* key's, in attributes */
	AttrNumber	item_attnum;
	Oid			primary_key;	/* the primary key's index */
	int			nindexes;
	IndexDef   *indexes;
	MemoryContext context;		/* holds all of this */
	int			refcount;
} TableDef;

/* ---- definition.c: text of a definition and back; no catalog access ---- */

/*
 * Parses a trigger argument; column numbers are left invalid.  The result is
 * a child context of the current one.  Raises ERRCODE_DATA_CORRUPTED.
 */
extern TableDef *TableDefParse(const char *definition);
extern char *TableDefPrint(const TableDef *def);

/* ---- cache.c ---- */

extern void TableCacheInit(void);

/*
 * The relation a DynamoDB table name means, resolved as PostgreSQL resolves
 * names: through search_path; a name with a dot first as it is, then as
 * schema.table.  InvalidOid if there is none and missing_ok; otherwise
 * ERRCODE_DYNAMO_RESOURCE_NOT_FOUND, "Requested resource not found".
 */
extern Oid	TableNameResolve(const char *name, bool missing_ok);

/*
 * The definition of an open relation, pinned; raises
 * ERRCODE_DYNAMO_RESOURCE_NOT_FOUND if it is no dynamo table.
 */
extern TableDef *TableDefAcquire(Relation rel);
extern void TableDefRelease(TableDef *def);

/* NULL if there is no such index. */
extern const IndexDef *TableDefIndex(const TableDef *def, const char *name);

/*
 * Raises "The table does not have the specified index: <I>" if there is no
 * such index, ERRCODE_DYNAMO_RESOURCE_NOT_FOUND while it is not ACTIVE.
 */
extern const IndexDef *TableDefIndexForRead(const TableDef *def, const char *name);

/* ---- keys.c: key attributes of items; no catalog access ---- */

/*
 * What a column holds for a key value: text, numeric or bytea, palloc'd.
 * U+0000 in S: ERRCODE_DYNAMO_VALIDATION naming the attribute.
 */
extern Datum KeyValueToDatum(const AttributeDef *attr, ValueRef v);
extern struct varlena *KeyDatumToValue(ValueType type, Datum datum);

/* The key attributes of an item as a map (a palloc'd item). */
extern struct varlena *KeyOfItem(const TableDef *def, ValueRef item);

/*
 * An item given to be stored: has the key, of the right types, not empty,
 * not too long; index key attributes that are present likewise.  The
 * service's messages for PutItem.
 */
extern void CheckItemKeys(const TableDef *def, ValueRef item);

/* A Key parameter: exactly the key attributes, checked likewise. */
extern void CheckKeyParameter(const TableDef *def, ValueRef key);

/* Entry of an index: whether the item has all its key attributes. */
extern bool ItemInIndex(const TableDef *def, const IndexDef *index, ValueRef item);

#endif							/* DYNAMO_TABLE_H */
