/*
 * placement.h
 *	  Where a row is: what tables ask of whoever distributes them over the nodes of a cluster.
 *
 * The rows of a distributed table are in shards: tables with the name of the table and a
 * number, on the nodes that hold them.  Each has the rows whose partition key has a hash in
 * its range.  One node is the coordinator, where tables are changed; the others are workers.
 *
 * A module that distributes tables registers its functions when the library is loaded:
 * src/citus/ does, for Citus.  Where none is registered, no table is distributed, and the
 * functions that are not for distributed tables alone say so.  table/distribution.h has what
 * is refused on distributed tables; store/elsewhere.h reads and writes rows on other nodes.
 *
 * A shard on this server is a table.  It can be read and written directly under two
 * conditions.  First, it must not be moved before the transaction ends: its place is locked,
 * and is checked after that.  Second, the distributing module must know, because it may have
 * read or written the same rows through a connection.
 */
#ifndef DYNAMO_TABLE_PLACEMENT_H
#define DYNAMO_TABLE_PLACEMENT_H

#include "storage/lockdefs.h"
#include "utils/relcache.h"

#include "exported.h"
#include "table/table.h"

/* The shards of a table.  They have positions from 0, in the order of their hashes. */
typedef struct ShardMap ShardMap;

/* How a shard is locked in its place, until the end of the transaction. */
typedef enum PlaceLock
{
	PLACE_TO_READ,				/* only if it is returned, without waiting */
	PLACE_TO_WRITE,				/* waits while the shard is moved */
	PLACE_TO_WRITE_AT_ONCE		/* without waiting; not returned if it is being moved */
} PlaceLock;

typedef struct PlacementMethods
{
	/* ---- servers and sessions: with and without distributed tables ---- */

	/* Whether this server is a worker node, with a coordinator elsewhere. */
	bool		(*server_is_worker) (void);

	/* Whether this session serves a session of another node. */
	bool		(*session_is_of_node) (void);

	/* Whether this session can reach shards of other nodes in its transaction. */
	bool		(*nodes_are_reachable) (void);

	/* ---- catalogs: the same ---- */

	/* Whether the rows of a relation are in shards. */
	bool		(*is_distributed) (Oid relid);

	/* Whether all tables of a schema are kept on a node that is chosen for them. */
	bool		(*schema_is_distributed) (Oid schema);

	/*
	 * The table whose shard a relation is, by its name in a schema; InvalidOid if it is none.
	 * Reads a catalog only if the name ends with a number.
	 */
	Oid			(*table_of_shard) (Oid relid, const char *name, Oid schema);

	/* The number in the name of a shard. */
	int64		(*number_of_shard) (const char *name);

	/* ---- catalogs: of distributed tables ---- */

	/* The column that decides on the shard of a row, by its hash if hashed; or NULL. */
	const char *(*distribution_column) (Oid table, bool hashed);

	/* Whether the shards of two tables move together. */
	bool		(*is_colocated) (Oid table, Oid other);

	/* The shard of a table, on this server, that moves with a shard of another; or InvalidOid. */
	Oid			(*colocated_shard) (int64 shard, Oid table);

	/* ---- the shards of a table: with and without distributed tables ---- */

	/*
	 * Whether the partition key determines the shard of a row, and each shard is in
	 * one place.  The first call reads the shards of the table.
	 */
	bool		(*key_determines_shard) (TableDef *def);

	/*
	 * The number of shards if each of them can be read by itself, in the order of their
	 * hashes; otherwise 0.  A position in this order is kept until the table is split
	 * or distributed again.
	 */
	int			(*shards_in_order) (TableDef *def);

	/* ---- the shards of a table that is distributed so ---- */

	/* Returns the position of the shard with a value of the partition key. */
	int			(*shard_of_key) (TableDef *def, Datum value);

	/* Returns some value of the partition key whose items are in a shard. */
	Datum		(*key_in_shard) (TableDef *def, int shard);

	/* Sets *first and *end to the shards of a segment of a parallel scan: first <= shard < end. */
	void		(*shards_of_segment) (TableDef *def, uint32 segment, uint32 total_segments, int *first, int *end);

	/* Raises an error if a shard has been split since the definition was read. */
	void		(*check_shard_is_whole) (const TableDef *def, int shard);

	/*
	 * Returns the shard with a value of the partition key if it is on this server and can
	 * be accessed directly; otherwise InvalidOid, and it must be accessed by statements on the
	 * table.  *placed is the transaction that moved the shard here: a snapshot that does not
	 * see this transaction may not see the rows that came with the shard.
	 */
	Oid			(*lock_shard) (TableDef *def, Datum value, PlaceLock lock, bool direct, TransactionId *placed);

	/*
	 * Locks an open shard in its place for a write.  Returns false if it is not to be accessed:
	 * it has been moved away, or there is no such lock.
	 */
	bool		(*lock_own_shard) (Relation shard);

	/* ---- maps of shards ---- */

	/*
	 * The shards of a table, those of another distributed one, read now, and those of a
	 * distributed index table; NULL if the attribute does not determine the shard.  The first
	 * and the last live as long as the definition.
	 */
	const ShardMap *(*shards_of_table) (TableDef *def); /* without distributed tables, too */
	const ShardMap *(*shards_of_relation) (Oid relid, const AttributeDef *attr);
	const ShardMap *(*shards_of_index) (const TableDef *def, const IndexDef *index);

	int			(*count_shards) (const ShardMap *map);
	int			(*find_position) (const ShardMap *map, Datum value);

	/* The hashes of a shard. */
	void		(*get_range) (const ShardMap *map, int position, int32 *min, int32 *max);

	/*
	 * Whether a known node has a shard, and that is another one, as it was when the map was
	 * read; *group is that of the node.
	 */
	bool		(*is_elsewhere) (const ShardMap *map, int position, int *group);

	/* As lock_shard, for a shard that is to be accessed directly. */
	Oid			(*lock_shard_at) (const ShardMap *map, int position, bool writing, TransactionId *placed);

	/*
	 * Returns a shard if it is on this server, locked in its place until the end of the
	 * transaction, for what can be read in no other way: waits while the shard is moved.
	 * Otherwise returns InvalidOid.
	 */
	Oid			(*lock_shard_for_reader) (const ShardMap *map, int position, TransactionId *placed);

	/* ---- transactions: of distributed tables ---- */

	/*
	 * Has this transaction committed on all nodes or on none, including its writes to other
	 * tables here.  Raises an error for a table if that is not possible.
	 */
	void		(*commit_together) (Oid table);

	/* Lets statements change rows of shards until the end of the level of settings. */
	void		(*allow_shard_writes) (void);

	/* ---- statements that change distributed tables ---- */

	/*
	 * Begins and ends statements that change a table or its triggers; they may be nested.  All
	 * their commands for a node see each other's changes.  begin_ddl returns a level of
	 * settings, which end_ddl takes back.
	 */
	int			(*begin_ddl) (Oid table);
	void		(*end_ddl) (int level);

	/*
	 * Has the shards of this node changed in this session.  Otherwise another session does it,
	 * which waits for this one if the statement changes relations that belong together.
	 */
	void		(*ddl_here) (Oid table);

	/*
	 * Locks a table on all nodes, whose writers have then ended, before a change of it
	 * locks anything else; in mode SHARE, SHARE ROW EXCLUSIVE or ACCESS EXCLUSIVE.
	 */
	void		(*lock_on_all_nodes) (Oid table, LOCKMODE mode);

	/* Runs a statement on all workers in this transaction, as the current user, if it can. */
	void		(*tell_workers) (const char *statement);

	/*
	 * Distributes an open dynamo table, on which the caller has AccessExclusiveLock, by its
	 * partition key, and closes it.  If shards is 0, their number is chosen.
	 */
	void		(*distribute) (Relation rel, int shards);

	/*
	 * Distributes the new index table of an index, with what it needs beside the table; def is
	 * the definition to be stored.
	 */
	void		(*distribute_index) (Oid table, const TableDef *def, const IndexDef *index);

	/* Distributes an empty table by a column, so that its shards move with those of another. */
	void		(*distribute_beside) (Oid relid, const char *column, Oid table);
} PlacementMethods;

/* What is registered; never NULL. */
extern DYNAMO_EXPORT const PlacementMethods *placement;

/*
 * dynamo.new_table_shards, the number of shards of tables that requests create; 0 if they are
 * not distributed.
 */
extern DYNAMO_EXPORT int	new_table_shards;

/* The most shards that a table can have. */
#define MAX_TABLE_SHARDS	64000

/*
 * Defines the setting.  As long as nothing is registered, a function loads what registers
 * itself when a database has a catalog of this name: it may list tables.
 */
extern void PlacementInit(const char *catalog, void (*load) (void));

/* Registers a module; the structure must be permanent. */
extern DYNAMO_EXPORT void PlacementRegister(const PlacementMethods *methods);

#endif							/* DYNAMO_TABLE_PLACEMENT_H */
