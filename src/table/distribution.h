/*
 * distribution.h
 *	  Distributed tables (placement.h), and what is refused on them.
 *
 * Functions reach the rows of such a table on its shards: directly, or through
 * the node that has the shard (store/elsewhere.h).  Whatever reads or writes the
 * table's own heap, or needs one transaction, one lock or one catalog for all
 * nodes, is refused here by name: it would succeed with a wrong result.
 */
#ifndef DYNAMO_TABLE_DISTRIBUTION_H
#define DYNAMO_TABLE_DISTRIBUTION_H

#include "utils/relcache.h"

#include "table/table.h"
#include "exported.h"

/* Whether the rows of a relation are in shards.  Reads a catalog. */
extern DYNAMO_EXPORT bool RelationIsDistributed(Oid relid);

/*
 * The table whose shard an open relation is; InvalidOid if it is none.  Reads a
 * catalog only if the relation's name ends with a number.
 */
extern DYNAMO_EXPORT Oid	DistributedTableOf(Relation rel);

/* Whether a relation is a shard; it need not be open. */
extern bool RelationIsShard(Oid relid);

/* The number of an open relation that is a shard; 0 if it is none. */
extern DYNAMO_EXPORT int64 ShardNumberOf(Relation rel);

/* The column by whose hash a table is distributed; NULL if it is in another way. */
extern const char *HashDistributionColumn(Oid table);

/*
 * Raises an error for a distributed table, and for a shard.  what completes "is
 * not supported on distributed tables".
 */
extern void RefuseDistributed(Relation rel, const char *what);

/* The same for a table that is known to be distributed. */
extern DYNAMO_EXPORT void DistributedError(Oid relid, const char *what) pg_attribute_noreturn();

/* Raises the error if a relation is a shard: in triggers, which fire there. */
extern DYNAMO_EXPORT void RefuseShard(Relation rel, const char *what);

/* Raises an error with a message if this server is a worker node. */
extern DYNAMO_EXPORT void RequireCoordinator(const char *message);

/*
 * The table with the changes of a distributed table that its index tables have yet to get
 * (records_changes of store/elsewhere.h), for a table and its owner; InvalidOid if there is none.
 */
extern DYNAMO_EXPORT Oid	FindChangeTable(Oid table);

/*
 * What a definition or a trigger of a table has that is not supported on
 * distributed tables; NULL if there is nothing.  Of a distributed table, index tables and the
 * stream must be distributed, too.
 */
extern DYNAMO_EXPORT const char *FindUndistributable(Relation rel, const TableDef *def);

/* The same of an index of a table that is to be distributed; or of one that is to be created. */
extern const char *FindIndexProblem(const TableDef *def, const IndexDef *index);

/*
 * Raises an error if an update of a row of a shard gives another value to the
 * column that decides on the shard.
 */
extern void CheckStaysInShard(Relation rel, const char *column);

/* Whether this server is a worker node, with a coordinator elsewhere. */
extern DYNAMO_EXPORT bool ServerIsWorker(void);

/* Whether this session serves a session of another node. */
extern DYNAMO_EXPORT bool SessionIsOfNode(void);

/* The same on a worker node: it executes what the coordinator has checked. */
extern bool StatementIsOfNode(void);

/* Raises an error if no table can be created in a schema on this server. */
extern void CheckTableCanBeCreated(Oid schema);

/*
 * Raises an error if the settings of a table are those of another server: of
 * the coordinator, for a distributed table on a worker.
 */
extern void CheckSettingsAreHere(Relation rel);

/*
 * Raises an error if the tokens of requests for one of these tables are those of
 * another server: of the coordinator, for a distributed table on a worker.
 */
extern DYNAMO_EXPORT void CheckTokensAreHere(const Oid *tables, int n);

/*
 * Raises an error if a table whose heap the extension reads and writes itself
 * is distributed.  hint says what to do.
 */
extern DYNAMO_EXPORT void RequireLocalRows(Relation rel, const char *hint);

#endif							/* DYNAMO_TABLE_DISTRIBUTION_H */
