/*
 * op.h
 *	  DynamoDB's operations on items, with one implementation for all callers:
 *	  the SQL functions fill in these structures from their arguments, request/
 *	  from JSON.
 *
 * The expressions in a structure are texts.  The operations bind them and run
 * all checks of the service in its order: request-only checks (expressions,
 * values), table lookup, schema-dependent checks, condition, update, resulting
 * size.
 */
#ifndef DYNAMO_OP_H
#define DYNAMO_OP_H

#include "exported.h"
#include "store/store.h"

typedef enum ReturnValues
{
	RETURN_NONE,
	RETURN_ALL_OLD,
	RETURN_UPDATED_OLD,
	RETURN_ALL_NEW,
	RETURN_UPDATED_NEW
} ReturnValues;

/*
 * Returns false, without a result, if the text is not a name of ReturnValues.
 */
extern DYNAMO_EXPORT bool ReturnValuesFromText(Slice text, ReturnValues *result);

/*
 * An expression that may be absent.  Legacy parameters are passed as bound
 * trees in members named built_...; an operation has either an expression or a
 * tree.
 */
typedef struct ExprText
{
	bool		given;
	Slice		text;
} ExprText;

/* expression_attribute_values and expression_attribute_names. */
typedef struct ExprArgs
{
	ValueRef	values;			/* map; MISSING_VALUE if not given */
	bool		names_given;
	int			nnames;
	NamePair   *names;
} ExprArgs;

/*
 * PutItem, UpdateItem, DeleteItem and the condition check of transactions.
 * item is the item (put) or the key (update, delete, check).
 */
typedef enum WriteKind
{
	WRITE_KIND_PUT,
	WRITE_KIND_UPDATE,
	WRITE_KIND_DELETE,
	WRITE_KIND_CHECK
} WriteKind;

typedef struct WriteOp
{
	WriteKind	kind;
	const char *table_name;
	ValueRef	item;
	struct varlena *datum;		/* the varlena with item as its root; may be NULL */
	ExprText	update;
	ExprText	condition;
	ExprArgs	args;
	Update	   *built_update;	/* NULL if there is none */
	Condition  *built_condition;
	bool		insert;			/* put only: an existing item raises
								 * ERRCODE_DYNAMO_DUPLICATE_ITEM */
	ReturnValues return_values;
	bool		return_old_on_failure;
	bool		charge_update;	/* limit what UpdateItem charges, see UpdateCharge */
	bool		sizes;			/* fill in the sizes of the result */
	bool		images;			/* fill in the items of the result */
	bool		of_node;		/* for another node: see StoreServeNode */
	struct FunctionCallInfoBaseData *call;	/* of the SQL function that writes, for
								 * write_elsewhere.h; or NULL */
} WriteOp;

typedef struct WriteResult
{
	struct varlena *attributes; /* selected by return_values; NULL if absent */
	uint64		old_size;		/* if requested: ItemSize before; 0: no item */
	uint64		new_size;		/* if requested: ItemSize after; 0: no item */
	struct varlena *old_item;	/* if requested; NULL: no item */
	struct varlena *new_item;	/* if requested; NULL: no item */
} WriteResult;

/* Executes PutItem, UpdateItem or DeleteItem. */
extern DYNAMO_EXPORT void WriteItem(const WriteOp *op, WriteResult *result);

typedef struct GetOp
{
	const char *table_name;
	ValueRef	key;
	ExprText	projection;
	ExprArgs	args;
	Projection *built_projection;	/* NULL if there is none */
	Condition  *built_filter;	/* an item that does not match counts as missing */
	bool		sizes;			/* fill in the size of the result */
	bool		consistent;		/* for statistics of capacity, as the next */
	bool		transaction;	/* of a transaction that is repeated */
	bool		of_node;		/* for another node: see StoreServeNode */
} GetOp;

typedef struct GetResult
{
	struct varlena *item;		/* projected; NULL: no item */
	uint64		size;			/* if requested: of the whole stored item */
} GetResult;

/*
 * Executes GetItem; a missing item is not an error.  Returns false if it notes
 * a problem of the key; raises it if problem is NULL.
 */
extern DYNAMO_EXPORT bool GetItem(const GetOp *op, GetResult *result, Problem *problem);

/* ---- batches and transactions ---- */

/*
 * BatchWriteItem: puts and deletes in any tables, without conditions.  Raises
 * "Provided list of item keys contains duplicates".  Everything is checked
 * before anything is written; rows are locked in key order.  results has one
 * element for each write, with sizes if requested.
 */
extern DYNAMO_EXPORT void BatchWriteItem(const WriteOp *writes, int n, WriteResult *results);

/* One table of BatchGetItem. */
typedef struct BatchGetTable
{
	const char *table_name;
	int			nkeys;
	const ValueRef *keys;
	ExprText	projection;
	ExprArgs	args;
	Projection *built_projection;	/* NULL if there is none */
	bool		sizes;
	bool		consistent;		/* for statistics of capacity */
	bool		repeats;		/* keys may be repeated */
} BatchGetTable;

/*
 * BatchGetItem.  results[t][k] is the item with key k of table t, NULL if it
 * does not exist; all items are read with the active snapshot.  Raises
 * "Provided list of item keys contains duplicates", unless keys may be
 * repeated.
 */
extern DYNAMO_EXPORT void BatchGetItem(const BatchGetTable *tables, int n, GetResult **results);

/*
 * TransactGetItems: results[i] is the result of gets[i]; all items are read
 * with the active snapshot.  Raises "Transaction request cannot include
 * multiple operations on one item", and ERRCODE_DYNAMO_TRANSACTION_CANCELED
 * for a key that does not fit its table.
 */
extern DYNAMO_EXPORT void TransactGetItems(const GetOp *gets, int n, GetResult *results);

/* Why an action canceled a transaction. */
typedef struct TransactReason
{
	const char *code;			/* "None", "ConditionalCheckFailed", ... */
	const char *message;		/* NULL for None */
	struct varlena *item;		/* if requested and existing */
} TransactReason;

typedef struct TransactResult
{
	bool		canceled;		/* the caller must raise an error */
	TransactReason *reasons;	/* if canceled: one for each action */
	WriteResult *writes;		/* if not canceled: one for each action */
	int			locking;		/* the action whose row was locked last, where
								 * a conflict occurred; -1 if none */
} TransactResult;

/*
 * TransactWriteItems: executes all actions or none.  Rows, including missing
 * ones, are locked in key order until the transaction ends.  Then all
 * conditions are evaluated and all updates computed.
 *
 * Errors of the whole request are raised (expressions, oversized items,
 * tables, duplicates, empty keys).  Errors of single actions cancel the
 * transaction and are returned as reasons.  The caller must then raise an
 * error, such as TransactCanceledError, which undoes what has been written.
 */
extern void TransactWriteItems(const WriteOp *ops, int n, TransactResult *result);

/*
 * The same in steps, for a caller that reads the actions one after another and
 * must report the first fault: binds the expressions of action i of n, whose
 * item may still be missing, raising what is wrong with them; then executes
 * all.  The ops must live as long as the transaction.
 */
typedef struct TransactWrite TransactWrite;

extern DYNAMO_EXPORT TransactWrite *TransactWriteBegin(const WriteOp *ops, int n);
extern DYNAMO_EXPORT void TransactWriteBind(TransactWrite *t, int i);
extern DYNAMO_EXPORT void TransactWriteExecute(TransactWrite *t, TransactResult *result);

/*
 * Raises TransactionCanceled for a canceled result; DETAIL is the JSON list
 * CancellationReasons.
 */
extern DYNAMO_EXPORT void TransactCanceledError(const TransactResult *result, int n)
			pg_attribute_noreturn();

/* The values of Select. */
typedef enum SelectKind
{
	SELECT_DEFAULT,
	SELECT_ALL_ATTRIBUTES,
	SELECT_ALL_PROJECTED,
	SELECT_SPECIFIC,
	SELECT_COUNT
} SelectKind;

/*
 * Returns false if the text is not a value of Select; SELECT_KIND_SET
 * describes the valid ones.
 */
extern DYNAMO_EXPORT bool SelectKindFromText(Slice text, SelectKind *kind);

#define SELECT_KIND_SET \
	"Member must satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"

/* The parameters of Query and Scan. */
typedef struct ReadOp
{
	bool		query;			/* Query (with a key condition), or Scan */
	const char *table_name;
	const char *index_name;		/* NULL for the table */
	ExprText	key_condition;
	ExprText	filter;
	ExprText	projection;
	ExprArgs	args;
	bool		key_tests_given;	/* the following tests replace key_condition */
	int			nkey_tests;		/* one test for each attribute */
	Slice		key_attributes[KEY_MAX_ATTRIBUTES];
	KeyTest		key_tests[KEY_MAX_ATTRIBUTES];
	Condition  *built_filter;	/* NULL if there is none; both hold if there is a filter, too */
	Projection *built_projection;	/* NULL if there is none */
	bool		filter_on_keys; /* the filter of a query may test its keys */
	bool		filter_projected;	/* the filter sees only what an index projects */
	SelectKind	select;
	bool		consistent;
	bool		forward;
	ValueRef	start;			/* ExclusiveStartKey */
	int			shard;			/* -1: all, or the one in the key condition */
	ValueRef	shard_value;	/* value of the shard attribute */
	bool		segment_given;	/* Segment is given */
	bool		total_segments_given;
	int64		segment;
	int64		total_segments;
	bool		sizes;			/* fill in the sizes of rows */
	int64		rows;			/* expected to be read; 0: not known */
	bool		matches_only;	/* rows that do not match may be left out */
	bool		of_node;		/* for another node: see StoreServeNode */
	struct ReadPause *pause;	/* NULL if ReadPage is not to be interrupted */
} ReadOp;

/*
 * A read in progress.  It returns items one by one, so that callers can stop
 * early.
 */
typedef struct Reader Reader;

/*
 * Runs all checks of the service in its order and starts the scan.  Allocates
 * in the current memory context, which must outlive the reader, like *op and
 * everything it points to.
 */
extern DYNAMO_EXPORT Reader *ReaderOpen(const ReadOp *op);

typedef struct ReadRow
{
	bool		matched;		/* passed the filter */
	struct varlena *item;		/* projected; only if matched and not COUNT */
	uint64		size;			/* if requested: of the item or index entry */
	uint64		fetched_size;	/* of the table's item, if a local index had
								 * to fetch it; otherwise 0 */
} ReadRow;

/*
 * Evaluates the next row; false at the end.  The row is valid until the next
 * call.
 */
extern DYNAMO_EXPORT bool ReaderNext(Reader *reader, ReadRow *row);

/* The key of the last returned row in the form of LastEvaluatedKey. */
extern struct varlena *ReaderPosition(const Reader *reader);
extern DYNAMO_EXPORT void ReaderClose(Reader *reader);

/* The result of one page of a Query or Scan. */
typedef struct ReadPageResult
{
	int			count;			/* items that passed the filter */
	int			scanned_count;	/* items evaluated */
	struct varlena **items;		/* NULL for COUNT */
	struct varlena *last_key;	/* LastEvaluatedKey; NULL at the end */
	uint64		size;			/* of everything read, before the filter */
	uint64		fetched_size;	/* of the items that a local index fetched
								 * from the table */
	uint64		fetched_units;	/* their 4 KB units, rounded up for each item */
	bool		index_local;	/* whether the index read, if any, is local */
} ReadPageResult;

/* The size in bytes at which a page ends. */
#define READ_PAGE_SIZE	(1024 * 1024)

/*
 * Lets a caller that executes one request at a time interrupt the reading of a
 * page to serve others.  When wanted returns true, ReadPage copies what it has
 * read to page, sets paused and raises an error.  The caller rolls back.  When
 * it executes the request again, ReadPage continues behind last_key of page.
 */
typedef struct ReadPause
{
	bool		(*wanted) (void);	/* called between rows */
	MemoryContext parent;		/* of context; must outlive the transaction */
	MemoryContext context;		/* of page; NULL if the page was never interrupted */
	ReadPageResult page;		/* valid if context is set */
	bool		paused;
} ReadPause;

/*
 * Reads a page.  limit is the number of items to evaluate; 0 for as many as
 * fit.
 */
extern DYNAMO_EXPORT void ReadPage(const ReadOp *op, int64 limit, ReadPageResult *page);

/* A partition to read, or a range of it that overlaps with no other. */
typedef struct PartitionRange
{
	ValueRef	partition[KEY_MAX_ATTRIBUTES];	/* values of the partition attributes */
	const KeyTest *tests;		/* of the sort attributes, as many as op has; NULL: op's own */
} PartitionRange;

/*
 * A query of one or several partitions.  The first key tests of op are those
 * of the partition attributes, which are set to the values of each partition
 * in turn.  op's start may be in any of the partitions.
 *
 * Partitions are read one after another in the order of their values, ranges of
 * one partition in the order of their sort attributes.  If merged, rows are in the
 * order of their sort attributes and, if these are equal, in the order of their
 * partitions, which must then be different.
 */
typedef struct PartitionsOp
{
	const ReadOp *op;
	const KeySchema *key;		/* key of the index or table */
	int			npartitions;
	PartitionRange *partitions; /* distinct; sorted by the function */
	bool		descending;		/* partitions in descending order */
	bool		merged;
} PartitionsOp;

/*
 * Reads a page like ReadPage, but sets no LastEvaluatedKey after the last row
 * of a table without sort key, because no row can follow.
 */
extern DYNAMO_EXPORT void ReadPartitionsPage(const PartitionsOp *op, int64 limit, ReadPageResult *page);

/*
 * Reads a page of several queries as one: op with each of n maps of values, of which only
 * those in the key condition differ.  Rows are in the order of their sort attributes, those
 * with equal ones in the order of their partitions.  Queries of the same range are one;
 * others must not overlap.
 */
extern DYNAMO_EXPORT void ReadEachPage(const ReadOp *op, const ValueRef *values, int n, int64 limit, ReadPageResult *page);

#endif							/* DYNAMO_OP_H */
