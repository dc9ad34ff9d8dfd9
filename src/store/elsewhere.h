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

#include "exported.h"
#include "store/store.h"

struct BaseRow;
struct ExprArgs;
struct ExprText;
struct LeftOut;
struct PreparedWrite;
struct RowEvent;
struct ScanKeys;
struct ScanShard;
struct ScanSource;
struct StreamRead;
struct StreamShards;
struct Verification;
struct WriteRequest;
struct WriteResult;

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

	/* ---- operations ---- */

	/* The members of a range with a filter for other nodes; it points into a palloc'd item. */
	ValueRef	(*filter) (const struct ExprText *filter, const struct ExprArgs *args);

	/*
	 * Lets the other node execute and commit a write of a SQL function as a whole.  Returns
	 * false if it has not done so, and the write must be executed here.  Only attributes of the
	 * result are set.
	 */
	bool		(*write_operation) (const Store *store, const struct PreparedWrite *write, struct WriteResult *result);

	/* Whether other nodes can execute requests: with and without distributed tables. */
	bool		(*executes_requests) (void);

	/*
	 * Has a node of a group (is_elsewhere of placement.h) execute a request as a transaction of
	 * its own, by its operation and its JSON.  Returns false if nothing was executed; then it
	 * must be executed here.
	 */
	bool		(*execute_request) (int group, bool writes, Slice operation, Slice json, Slice *response);

	/* ---- the coordinator, as a worker node knows it ---- */

	/* Whether this server is a worker node that knows the coordinator: without, too. */
	bool		(*coordinator_is_known) (void);

	/*
	 * Runs a statement on the coordinator as the current user, in a transaction of its own, and
	 * returns its result, one text; palloc'd.  Raises an error if the statement fails or the
	 * coordinator cannot be reached; in the second case the statement may have been executed.
	 */
	char	   *(*run_on_coordinator) (const char *statement);

	/* The same, but returns NULL if the statement fails or the coordinator cannot be reached. */
	char	   *(*try_on_coordinator) (const char *statement);

	/*
	 * Returns the call of a function that sets the custom settings of this session until the end
	 * of the transaction, for another node; palloc'd.  NULL if there are none.
	 */
	char	   *(*custom_settings) (void);

	/* ---- index tables, whose entries are on other nodes than their items ---- */

	/*
	 * Whether changes of an open relation's rows are recorded, for entries to follow later: it
	 * is a shard of a distributed table with index tables.  For any relation.
	 */
	bool		(*records_changes) (Relation rel, const TableDef *def);

	/* Records a change of such a relation's row; there may be no old or no new one. */
	void		(*record_change) (const TableDef *def, const struct RowEvent *event,
								  struct BaseRow *old, struct BaseRow *new);

	/* Applies all recorded changes of a table in this transaction, which excludes writers. */
	void		(*apply_changes) (Oid table);

	/* Compares an index table with the items; SPI must be connected. */
	void		(*verify_index) (struct Verification *v);

	/*
	 * Does work (ShardWork of index/index.h) on the rows of each shard of a table whose
	 * definition has changed, in this transaction.  *found is what SHARD_SEARCH finds.
	 */
	void		(*work_on_shards) (Oid table, int work, const char *index_name, struct LeftOut *found);

	/* ---- all shards ---- */

	/*
	 * Returns the estimated number of rows and the size of a table, or of one of its indexes, on
	 * all nodes that can be reached.
	 */
	void		(*count_rows) (Oid table, Oid relid, int64 *rows, int64 *bytes);

	/*
	 * Runs a statement for each shard, as the current user, in this transaction.  Raises
	 * its errors.  what completes "is not supported on distributed tables", which is the
	 * error if the distribution of the table does not allow it.
	 */
	void		(*run_on_shards) (TableDef *def, const ShardStatement *statement, const char *what);
} ElsewhereMethods;

/* What is registered; never NULL. */
extern DYNAMO_EXPORT const ElsewhereMethods *elsewhere;

/* Registers a module; the structure must be permanent. */
extern DYNAMO_EXPORT void ElsewhereRegister(const ElsewhereMethods *methods);

#endif							/* DYNAMO_STORE_ELSEWHERE_H */
