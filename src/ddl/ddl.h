/*
 * ddl.h
 *	  Creates and drops tables and indexes, for the SQL functions and the
 *	  requests CreateTable, UpdateTable and DeleteTable.
 *
 * The functions run as the calling user and execute ordinary statements with
 * qualified and quoted names, so that PostgreSQL handles privileges, event
 * triggers and ownership.  Errors have the messages of the service's table
 * operations.
 */
#ifndef DYNAMO_DDL_H
#define DYNAMO_DDL_H

#include "fmgr.h"
#include "nodes/pg_list.h"
#include "storage/lockdefs.h"
#include "utils/jsonb.h"

#include "exported.h"
#include "table/ddl_statement.h"
#include "table/table.h"

#define DEFAULT_FILLFACTOR	90

extern int	max_global_indexes; /* dynamo.max_global_indexes */
extern int	max_local_indexes;	/* dynamo.max_local_indexes */
extern int	max_vector_indexes; /* dynamo.max_vector_indexes */

extern void DdlInit(void);

typedef struct CreateIndexSpec
{
	const char *name;
	bool		local;
	KeySchema	key;
	bool		untyped[KEY_MAX_ATTRIBUTES];	/* use the known type of the key attribute, or S */
	Projected	projected;
	int			nnon_key;
	Slice	   *non_key;
	const IndexKind *kind;
	int			shards;			/* 0 if not sharded */
	Slice		shard_by;		/* data is NULL to use the table's key */
	const VectorDef *vector;	/* NULL unless it is a vector index */
} CreateIndexSpec;

typedef struct CreateTableSpec
{
	const char *name;
	KeySchema	key;
	int			nindexes;
	CreateIndexSpec *indexes;
	int			fillfactor;
	int			partitions;		/* by hash of the partition key; 0 if none */
} CreateTableSpec;

/* ---- make_table.c ---- */

/* Raises the errors of the keys and indexes of a new table. */
extern DYNAMO_EXPORT void CheckTableSpec(const CreateTableSpec *spec);

/* Creates a table in the current schema; returns its relation. */
extern DYNAMO_EXPORT Oid	TableCreate(const CreateTableSpec *spec);

/* Drops a table, its index tables and its entity views. */
extern DYNAMO_EXPORT void TableDrop(const char *table_name);

/* ---- build_definition.c: building a definition, with the service's checks ---- */

/*
 * Checks a user's key schema: names have 1 to 255 bytes and are distinct.
 * max_partition and max_sort are 1 and 1 for a table, 4 and 4 for an index.
 */
extern DYNAMO_EXPORT void CheckKeySchema(const KeySchema *key, int max_partition, int max_sort);

/*
 * Returns an attribute of a definition under construction; a new attribute is
 * added with its column.  A type that differs from the existing one is an
 * error.
 */
extern int	AddAttribute(TableDef *def, const KeyAttribute *key);

/* Checks an index against the table and adds it to the definition. */
extern IndexDef *AddIndex(TableDef *def, Oid schema, const char *relation_name,
						  const CreateIndexSpec *spec);

/*
 * Chooses a name for the relation of an index, or of a shard, that no relation
 * has and that no relation of the table was created with.
 */
extern DYNAMO_EXPORT const char *ChooseIndexRelation(const TableDef *def, Oid schema, const char *relation_name,
													 const char *index_name);

/*
 * Parts of these checks, for IndexKind.check_spec: all of a secondary index, the name of an
 * attribute, and a projection.
 */
extern void CheckSecondaryIndex(const TableDef *def, const CreateIndexSpec *spec);
extern void CheckNameOfAttribute(Slice name);
extern void CheckSpecProjection(const TableDef *def, const CreateIndexSpec *spec);

/* Checks a change of an index: projection, storage, shards. */
extern void CheckIndexShape(const TableDef *def, const CreateIndexSpec *spec);

/* Applies the change to the definition of the index. */
extern void SetIndexShape(IndexDef *index, const CreateIndexSpec *spec);

/*
 * Adds a CREATING index beside the index of spec's name, with the same key and
 * the other members of spec.  Its name cannot be used by users.
 */
extern IndexDef *AddReplacement(TableDef *def, Oid schema, const char *relation_name,
								const CreateIndexSpec *spec);

/* ---- trigger.c ---- */

/*
 * Creates or replaces a trigger of the extension, ENABLE ALWAYS.  table is
 * quoted and qualified; when contains %s in its place.
 */
extern void StoreTrigger(const char *table, const char *name, const char *when,
						 const char *function, const char *argument);

/* Drops a trigger if it exists. */
extern DYNAMO_EXPORT void DropTrigger(Oid relid, const char *table, const char *name);

/*
 * Stores def as the definition of a table by replacing its triggers; those of a distributed
 * table on all nodes and shards, where this waits for writers and excludes them until the
 * end of the transaction.
 */
extern DYNAMO_EXPORT void StoreDefinition(Oid relid, const TableDef *def);

/* Whether a definition has index tables. */
extern DYNAMO_EXPORT bool HasIndexTables(const TableDef *def);

/*
 * Whether each row of a table must be processed after it was written: because
 * of index tables, or because a trigger could change the row after its key
 * columns were derived.
 */
extern bool NeedsRowMaintenance(Oid relid, const TableDef *def);

/* Creates or drops the trigger for that. */
extern void StoreRowMaintenance(Oid relid, const TableDef *def);

/* The same for this trigger and the one after TRUNCATE. */
extern DYNAMO_EXPORT void StoreAllMaintenance(Oid relid, const TableDef *def);

/* Creates the missing triggers of a new partition of a dynamo table. */
extern void StorePartitionTriggers(Oid partition);

/*
 * Creates the triggers of an index table that refuse all writes except those
 * of index maintenance.
 */
extern DYNAMO_EXPORT void StoreGuards(Oid index_table);

/* ---- open_for_ddl.c ---- */

/*
 * Opens a table for DDL: resolves the name, checks that the caller owns the
 * table, and locks it.  A user who is not the owner does not block readers and
 * writers, not even by waiting for the lock.  Raises the not-found error of
 * table operations.
 */
extern Relation OpenTableForDdl(const char *table_name, LOCKMODE lockmode);

/*
 * The same without refusing distributed tables, on the coordinator: the caller changes them by
 * statements that are executed on all nodes (distributed.c).
 */
extern Relation OpenAnyTableForDdl(const char *table_name, LOCKMODE lockmode);

/* The same, and on a worker node, too. */
extern DYNAMO_EXPORT Relation OpenTableForDrop(const char *table_name, LOCKMODE lockmode);

/*
 * Locks a table in the same way, at least against writers; returns a copy of its
 * definition that may be changed.
 */
extern TableDef *LockDefinition(const char *table_name, LOCKMODE lockmode, Oid *relid);

/* The same for OpenAnyTableForDdl.  StoreDefinition excludes writers on other nodes. */
extern DYNAMO_EXPORT TableDef *LockAnyDefinition(const char *table_name, LOCKMODE lockmode, Oid *relid);

/* ---- distributed.c ---- */

/*
 * Has the shards of this node changed in this session, if a table is distributed.  Otherwise
 * another session does it, which waits for this one if the statement changes relations
 * that belong together.  Nothing in the transaction can then use a connection to this node.
 */
extern void DistributedDdlHere(Oid relid);

/* The same for statements on a table, which may be distributed; they may be nested. */
extern int	DistributedDdlBegin(Oid relid);
extern void DistributedDdlEnd(int level);

/* As PlacementMethods has it, for a distributed table. */
extern void LockOnAllNodes(Oid relid, LOCKMODE mode);

/* ---- relation.c ---- */

/*
 * Makes an index table, or a shard, logged or unlogged like its table, because
 * entries must not outlive a crash that empties the table.
 */
extern void MatchPersistence(Oid relid, Oid index_table);

/* Whether row security is enabled on a table. */
extern bool HasRowSecurity(Oid relid);

/*
 * Enables row security without policies on an index table if its table has row
 * security.  A role with privileges on all tables of a schema then sees no
 * entries.
 */
extern void MatchRowSecurity(Oid relid, Oid index_table);

/*
 * Creates a table in the schema of another, with its owner, persistence and row
 * security; clauses follow the name in CREATE TABLE.  Returns the new table.
 */
extern DYNAMO_EXPORT Oid	CreateTableBeside(Oid relid, const char *name, const char *clauses);

/*
 * Creates the index table of an index; limited is without meaning.  The kinds create
 * all relations of indexes (IndexKind.create), those with index tables by this.
 */
extern void CreateIndexTable(Oid relid, const TableDef *def, const IndexDef *index, bool limited);

/* Returns the columns of an entry: "a", "b". */
extern char *EntryColumns(const TableDef *def, const IndexDef *index);

/* Drops the relation of an index. */
extern void DropIndexRelation(Oid relid);

/* ---- arguments.c: converting SQL arguments to these structures ---- */

/*
 * Returns an argument of jsonb or dynamo_internal.json_text, which must be an object;
 * NULL for null.
 */
extern Jsonb *JsonObjectArgument(FunctionCallInfo fcinfo, int n, const char *name);

/* Returns an argument of type text, palloc'd; NULL for null. */
extern char *TextArgument(FunctionCallInfo fcinfo, int arg);

/* The same for one that must not be null. */
extern char *RequiredText(FunctionCallInfo fcinfo, int arg, const char *name);

/* Returns a text array as C strings; none if the argument is null. */
extern char **TextArrayArgument(FunctionCallInfo fcinfo, int arg, int *n);

/* Returns the type of a key attribute by its name: S, N or B. */
extern ValueType KeyTypeOfName(const char *name);

/*
 * Appends attributes and their types to an index's key; returns n.  There must
 * be as many types as attributes, or none; attributes without types are
 * untyped.
 */
extern int	AppendKeyPart(CreateIndexSpec *spec, char **names, int n, char **types, int ntypes);

/* Reads a projection; NULL means ALL. */
extern void SetProjection(CreateIndexSpec *spec, const char *projection,
						  char **non_key, int n);

#define SHARDS_NOT_GIVEN	PG_INT32_MIN

/*
 * Reads storage and shards.  storage NULL means "table" for a sharded index,
 * otherwise "inline".  shards is SHARDS_NOT_GIVEN for an index that is not
 * sharded.
 */
extern void SetStorage(CreateIndexSpec *spec, const char *storage, int shards,
					   const char *shard_by);

#endif							/* DYNAMO_DDL_H */
