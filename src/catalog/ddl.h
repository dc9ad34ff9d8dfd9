/*
 * ddl.h
 *	  Creating and dropping tables and indexes: what the SQL functions and
 *	  the requests CreateTable, UpdateTable and DeleteTable have in common.
 *
 * All of it runs as the calling user, through ordinary statements with
 * qualified and quoted names: privileges, event triggers and ownership are
 * PostgreSQL's.  Errors are the service's for its control plane.
 */
#ifndef DYNAMO_DDL_H
#define DYNAMO_DDL_H

#include "fmgr.h"
#include "nodes/pg_list.h"
#include "storage/lockdefs.h"

#include "catalog/table.h"

#define DEFAULT_FILLFACTOR	90
#define MAX_SHARDS			1024
#define MAX_NON_KEY_PER_INDEX	20

extern int	max_global_indexes; /* dynamo.max_global_indexes */
extern int	max_local_indexes;	/* dynamo.max_local_indexes */

extern void DdlInit(void);

typedef struct CreateIndexSpec
{
	const char *name;
	bool		local;
	KeySchema	key;
	bool		untyped[KEY_MAX_ATTRIBUTES];	/* of key: the type is the one that is known, or S */
	Projected	projected;
	int			nnon_key;
	Slice	   *non_key;
	IndexStorage storage;
	int			shards;			/* 0: not sharded */
	Slice		shard_by;		/* data NULL: by the base key */
} CreateIndexSpec;

typedef struct CreateTableSpec
{
	const char *name;
	KeySchema	key;
	int			nindexes;
	CreateIndexSpec *indexes;
	int			fillfactor;
} CreateTableSpec;

/* ---- ddl_table.c ---- */

/* Raises what is wrong with the keys and indexes of a table to be. */
extern void CheckTableSpec(const CreateTableSpec *spec);

/* Creates a table in the current schema; returns its relation. */
extern Oid	TableCreate(const CreateTableSpec *spec);

/* Drops a table, its index tables and its entity views. */
extern void TableDrop(const char *table_name);

/* ---- ddl_definition.c: building a definition, checked in the service's words ---- */

/*
 * Checks a key schema given by a user: names of 1 to 255 bytes, none twice.
 * max_partition and max_sort: 1 and 1 for a table, 4 and 4 for an index.
 */
extern void CheckKeySchema(const KeySchema *key, int max_partition, int max_sort);

/*
 * The attribute of a definition under construction, added with a column of
 * its own if it is new.  Another type than before is an error.
 */
extern int	AddAttribute(TableDef *def, const KeyAttribute *key);

/* Checks an index against the table and adds it to the definition. */
extern IndexDef *AddIndex(TableDef *def, Oid schema, const char *relation_name,
						  const CreateIndexSpec *spec);

/*
 * A name for an index's relation, or for a shard of one, that no relation has.
 */
extern const char *ChooseIndexRelation(Oid schema, const char *relation_name,
									   const char *index_name);

/* Checks what an index may be changed to: projection, storage, shards. */
extern void CheckIndexShape(const TableDef *def, const CreateIndexSpec *spec);

/* Makes an index so. */
extern void SetIndexShape(IndexDef *index, const CreateIndexSpec *spec);

/*
 * Adds, beside the index of spec's name, one with the same key and what else
 * spec says, CREATING.  Users cannot name an index so.
 */
#define REPLACEMENT_SUFFIX	"$new"
extern IndexDef *AddReplacement(TableDef *def, Oid schema, const char *relation_name,
								const CreateIndexSpec *spec);

/* ---- ddl_statement.c ---- */

/* Runs one statement; SPI must be connected. */
extern void RunStatement(const char *format,...) pg_attribute_printf(1, 2);

/*
 * Whether such a statement is being run: event triggers let us do with our
 * relations and triggers what they refuse to users.
 */
extern bool StatementIsOurs(void);

/* "schema"."name" */
extern char *QualifiedName(Oid schema, const char *name);

/* "column" type COLLATE ... */
extern char *ColumnClause(const AttributeDef *attr);

/* ---- ddl_trigger.c ---- */

/*
 * Creates or replaces a trigger of ours and makes it fire always.  table is
 * quoted and qualified; when has %s in its place.
 */
extern void StoreTrigger(const char *table, const char *name, const char *when,
						 const char *function, const char *argument);

/* Drops a trigger if it is there. */
extern void DropTrigger(Oid relid, const char *table, const char *name);

/* Makes def the definition of a table: replaces its triggers. */
extern void StoreDefinition(Oid relid, const TableDef *def);

/* Whether a definition has indexes with tables of their own. */
extern bool HasIndexTables(const TableDef *def);

/*
 * Whether each row of a table is to be looked at after it was written: index
 * tables have its entries, or a trigger could change it after its key columns
 * were derived.
 */
extern bool NeedsRowMaintenance(Oid relid, const TableDef *def);

/* Makes or drops the trigger for that. */
extern void StoreRowMaintenance(Oid relid, const TableDef *def);

/* Makes the triggers that a new partition of a dynamo table has not yet. */
extern void StorePartitionTriggers(Oid partition);

/*
 * Makes the triggers of an index table that keep all writes but those of
 * index maintenance out.  Their arguments say whose index it is.
 */
extern void StoreGuards(Oid index_table, const char *table_name, const char *index_name);

/* ---- ddl_open.c ---- */

/*
 * Opens a table for DDL: resolves the name, locks the relation, checks that
 * the caller owns it; nobody else gets in the way of readers and writers, not
 * even by waiting for the lock.  The control plane's not-found error.
 */
extern Relation OpenTableForDdl(const char *table_name, LOCKMODE lockmode);

/*
 * Locks a table in the same way against all others; returns a copy of its
 * definition that may be changed.
 */
extern TableDef *LockDefinition(const char *table_name, Oid *relid);

/* ---- event_reference.c ---- */

/*
 * Raises an error if items of a table that is not dropped, too (a list of
 * OIDs), refer to items of this one.
 */
extern void RefuseReferenced(Oid relid, const List *dropped);

/* ---- ddl_relation.c ---- */

/*
 * Makes an index table, or a shard of one, unlogged or logged as its table
 * is: entries must not outlive a crash that empties the table.
 */
extern void MatchPersistence(Oid relid, Oid index_table);

/* Whether row security is enabled on a table. */
extern bool HasRowSecurity(Oid relid);

/*
 * Enables row security on an index table, without any policy, if its table has
 * it: whoever was granted all tables of a schema sees no entries by it.
 */
extern void MatchRowSecurity(Oid relid, Oid index_table);

/*
 * Creates the relation that holds an index: a btree or an index table.
 * limited: the btree must test the limits of keys (limits.h).
 */
extern void CreateIndexRelation(Oid relid, const TableDef *def, const IndexDef *index,
								bool limited);

/*
 * The statement that builds the btree of an inline index; concurrently: while
 * the table is written, outside of a transaction.
 */
extern char *InlineIndexStatement(Oid relid, const TableDef *def, const IndexDef *index,
								  bool limited, bool concurrently);

/* ---- ddl_args.c: arguments of SQL functions to these structures ---- */

/* A text argument that may not be null. */
extern char *RequiredText(FunctionCallInfo fcinfo, int arg, const char *name);

/*
 * Appends attributes and their types to an index's key; returns n.  There must be
 * as many types as attributes, or none: these are untyped then.
 */
extern int	AppendKeyPart(CreateIndexSpec *spec, char **names, int n, char **types, int ntypes);

/* projection NULL: ALL. */
extern void SetProjection(CreateIndexSpec *spec, const char *projection,
						  char **non_key, int n);

#define SHARDS_NOT_GIVEN	PG_INT32_MIN

/*
 * storage NULL: "table" for a sharded index, else "inline".  shards:
 * SHARDS_NOT_GIVEN for an index that is not sharded.
 */
extern void SetStorage(CreateIndexSpec *spec, const char *storage, int shards,
					   const char *shard_by);

#endif							/* DYNAMO_DDL_H */
