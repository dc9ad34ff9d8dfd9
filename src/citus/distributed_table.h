/*
 * distributed_table.h
 *	  Tables and shards in the catalogs of Citus: most of it for table/placement.h.
 *
 * Citus lists its tables in pg_dist_partition: distributed tables, reference
 * tables and tables that it manages on one node.  Their rows are in shards,
 * which are tables with the name of the table and the number of the shard, on
 * the nodes that hold them.  Citus copies the triggers of a table to its
 * shards, so that the definition and derive_keys are there, too.
 */
#ifndef DYNAMO_CITUS_DISTRIBUTED_TABLE_H
#define DYNAMO_CITUS_DISTRIBUTED_TABLE_H

/* Whether this server is a worker node. */
extern bool ServerIsWorkerOfCitus(void);

/* Whether this session is one of Citus on a node, for a session of another node. */
extern bool SessionIsOfCitus(void);

/* Whether Citus keeps the rows of a relation in shards. */
extern bool TableIsOfCitus(Oid relid);

/* Whether Citus keeps all tables of a schema on one node of its choice. */
extern bool SchemaIsOfCitus(Oid schema);

/* The column that decides on the shard of a row, by its hash if hashed; NULL if there is none. */
extern const char *DistributionColumn(Oid table, bool hashed);

/* The colocation group of a table; 0 if it has none. */
extern uint32 ColocationOf(Oid table);

/* Whether the shards of two tables move together. */
extern bool TablesAreColocated(Oid table, Oid other);

/* The number that follows the last "_" of a name; 0 if there is none. */
extern int64 ShardNumber(const char *name);

/*
 * The table whose shard a relation is, by its name in a schema; or InvalidOid.  A shard has the
 * owner of its table: anybody can create a table whose shard would have the name of somebody's
 * table.
 */
extern Oid	TableOfShard(Oid relid, const char *name, Oid schema);

#endif							/* DYNAMO_CITUS_DISTRIBUTED_TABLE_H */
