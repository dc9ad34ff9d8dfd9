/*
 * elsewhere.h
 *	  Rows that are elsewhere: reads and writes of rows of distributed tables on other nodes.
 *
 * table/placement.h says where a row is.  What distributes tables registers these functions
 * beside it when the library is loaded.  Where nothing is registered there are no distributed
 * tables, and only the functions that are not for those alone may be called.
 *
 * What is decided on a row is decided here, and so are all checks of an operation; the other
 * node finds, locks and stores rows, with the rights of the same user.
 */
#ifndef DYNAMO_STORE_ELSEWHERE_H
#define DYNAMO_STORE_ELSEWHERE_H

#include "datatype/timestamp.h"

#include "store/store.h"

struct ScanKeys;
struct ScanShard;
struct ScanSource;
struct StreamRead;
struct StreamShards;
struct WriteRequest;

/* Takes the result for a shard, a text; NULL for a null. */
typedef void (*ShardResult) (void *arg, const char *result);

/* A statement for each shard of a table, on the node that has it. */
typedef struct ShardStatement
{
	const char *sql;			/* $1 is the name of the shard; the result is one text */
	bool		writes;
	const char *argument;		/* $2, a text */
	ShardResult take;
	void	   *arg;			/* of take */
} ShardStatement;

typedef struct ElsewhereMethods
{
	/*
	 * ---- one row ----
	 *
	 * They return false if the row is not to be accessed in this way, before they have done
	 * anything.
	 */

	/* As StoreGetPart, for the whole item, which may have been read ahead. */
	bool		(*get) (Store *store, const RowKey *key, struct varlena **item);

	/* As StoreWriteSql. */
	bool		(*write) (struct WriteRequest *request, WriteAction *action);

	/* Locks the row with a key; absence: or its absence.  *item is its item, or NULL. */
	bool		(*lock) (struct WriteRequest *request, bool absence, struct varlena **item);

	/*
	 * Locks the row with a key, or its absence, for a statement on the table that reads it.
	 * This server may also be the other node, if it is accessed over a connection in this
	 * transaction.
	 */
	bool		(*hold) (struct WriteRequest *request);

	/* ---- several rows ---- */

	/*
	 * Reads rows of the keys of a batch ahead: those on one node with one call.  The keys must
	 * stay where they are.
	 */
	void		(*read_ahead) (Store *store, const RowKey *keys, int n);

	/*
	 * Creates a source that reads a range on another node, which has the shard; NULL if there
	 * is no such node.  Store, range, keys and snapshot must live as long as the source.  The
	 * range has a condition on the partition key, or is the whole shard.
	 */
	struct ScanSource *(*scan) (const Store *store, const struct ScanShard *shard, const ScanRange *range,
								const struct ScanKeys *keys, Snapshot snapshot);

	/* ---- shards of streams: as the functions of stream/stream_shards.h ---- */

	void		(*read_stream) (const struct StreamShards *shards, int shard, struct StreamRead *read);
	void		(*range_of_stream) (const struct StreamShards *shards, int shard, int64 *first, int64 *last);
	int64		(*latest_of_stream) (const struct StreamShards *shards, int shard);
	int64		(*trim_stream) (const struct StreamShards *shards, int shard, TimestampTz cutoff, int64 max_records);

	/* ---- all shards ---- */

	/*
	 * Runs a statement for each shard, as the current user, in this transaction.  Raises
	 * its errors.  what completes "is not supported on distributed tables", which is the
	 * error if the distribution of the table does not allow it.
	 */
	void		(*run_on_shards) (TableDef *def, const ShardStatement *statement, const char *what);
} ElsewhereMethods;

/* What is registered; never NULL. */
extern const ElsewhereMethods *elsewhere;

/* Registers a module; the structure must be permanent. */
extern void ElsewhereRegister(const ElsewhereMethods *methods);

#endif							/* DYNAMO_STORE_ELSEWHERE_H */
