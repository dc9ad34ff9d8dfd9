/*
 * op.h
 *	  DynamoDB's operations on items.  One implementation for every door: the
 *	  SQL functions fill these structures from their arguments, request/ from
 *	  JSON.
 *
 * A structure's expressions are texts; binding and every check of the service
 * happen inside, in the service's order: request-only checks (expressions,
 * values), table lookup, schema-dependent checks, condition, application,
 * resulting size.
 */
#ifndef DYNAMO_OP_H
#define DYNAMO_OP_H

#include "store/store.h"

typedef enum ReturnValues
{
	RETURN_NONE,
	RETURN_ALL_OLD,
	RETURN_UPDATED_OLD,
	RETURN_ALL_NEW,
	RETURN_UPDATED_NEW
} ReturnValues;

/* False, and no result, if the text is none of their names. */
extern bool ReturnValuesFromText(Slice text, ReturnValues *result);

/*
 * An expression that may be absent.  Legacy parameters arrive as the trees
 * they mean, in members named built_...; an operation has one or the other.
 */
typedef struct ExprText
{
	bool		given;
	Slice		text;
} ExprText;

/* expression_attribute_values and expression_attribute_names. */
typedef struct ExprArgs
{
	ValueRef	values;			/* map; MISSING_VALUE: not given */
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
	struct varlena *datum;		/* the varlena whose root item is; may be NULL */
	ExprText	update;
	ExprText	condition;
	ExprArgs	args;
	Update	   *built_update;	/* NULL: none, as the next */
	Condition  *built_condition;
	bool		insert;			/* put only: an item that is there is
								 * ERRCODE_DYNAMO_DUPLICATE_ITEM */
	ReturnValues return_values;
	bool		return_old_on_failure;
	bool		count_overhead; /* update only: the item's size is limited as
								 * UpdateItem does, see UpdateOverhead */
	bool		sizes;			/* fill in the sizes of the result */
	bool		images;			/* fill in its items */
} WriteOp;

typedef struct WriteResult
{
	struct varlena *attributes; /* as return_values asks; NULL: absent */
	uint64		old_size;		/* if asked for: ItemSize before and after; */
	uint64		new_size;		/* 0: no item */
	struct varlena *old_item;	/* likewise the items; NULL: no item */
	struct varlena *new_item;
} WriteResult;

/* PutItem, UpdateItem or DeleteItem. */
extern void WriteItem(const WriteOp *op, WriteResult *result);

typedef struct GetOp
{
	const char *table_name;
	ValueRef	key;
	ExprText	projection;
	ExprArgs	args;
	Projection *built_projection;	/* NULL: none, as the next */
	Condition  *built_filter;	/* an item that does not match is none */
	bool		sizes;			/* fill in the size of the result */
} GetOp;

typedef struct GetResult
{
	struct varlena *item;		/* projected; NULL: no item */
	uint64		size;			/* if asked for: of the whole stored item */
} GetResult;

/* GetItem; a missing item is no error. */
extern void GetItem(const GetOp *op, GetResult *result);

/* ---- batches and transactions ---- */

/*
 * BatchWriteItem: puts and deletes without conditions, over any tables.
 * Raises "Provided list of item keys contains duplicates".  Everything is
 * checked before anything is written; rows are locked in the order of their
 * keys.  results: one per write; the sizes, if asked for.
 */
extern void BatchWriteItem(const WriteOp *writes, int n, WriteResult *results);

/* One table of BatchGetItem. */
typedef struct BatchGetTable
{
	const char *table_name;
	int			nkeys;
	const ValueRef *keys;
	ExprText	projection;
	ExprArgs	args;
	Projection *built_projection;	/* NULL: none */
	bool		sizes;
	bool		repeats;		/* a key may be given twice */
} BatchGetTable;

/*
 * BatchGetItem.  results[t][k] is the item at key k of table t, NULL if there
 * is none, all under the active snapshot.  Raises "Provided list of item keys
 * contains duplicates", unless keys may repeat.
 */
extern void BatchGetItem(const BatchGetTable *tables, int n, GetResult **results);

/*
 * TransactGetItems: results[i] for gets[i], all under the active snapshot.
 * Raises "Transaction request cannot include multiple operations on one item",
 * and ERRCODE_DYNAMO_TRANSACTION_CANCELED for a key that does not fit a table.
 */
extern void TransactGetItems(const GetOp *gets, int n, GetResult *results);

/* Why an action canceled a transaction. */
typedef struct TransactReason
{
	const char *code;			/* "None", "ConditionalCheckFailed", ... */
	const char *message;		/* NULL for None */
	struct varlena *item;		/* if asked for and there is one */
} TransactReason;

typedef struct TransactResult
{
	bool		canceled;		/* then nothing was written */
	TransactReason *reasons;	/* if canceled: one per action */
	WriteResult *writes;		/* if not: one per action; sizes if asked for */
	int			locking;		/* the action whose row was locked last: tells
								 * where a conflict was; -1 if none was */
} TransactResult;

/*
 * TransactWriteItems: all actions or none.  Rows, and the absence of rows,
 * are locked in the order of their keys until the transaction ends; then all
 * conditions are evaluated, all updates applied, and only then is anything
 * written.
 *
 * What concerns the request as a whole is raised (expressions, items that are
 * too large, tables, duplicates, empty keys); what concerns one action cancels, and is returned
 * as data.
 */
extern void TransactWriteItems(const WriteOp *ops, int n, TransactResult *result);

/*
 * Raises TransactionCanceled for a canceled result, the reasons in DETAIL as
 * the JSON list CancellationReasons.
 */
extern void TransactCanceledError(const TransactResult *result, int n)
			pg_attribute_noreturn();

/* Select */
typedef enum SelectKind
{
	SELECT_DEFAULT,
	SELECT_ALL_ATTRIBUTES,
	SELECT_ALL_PROJECTED,
	SELECT_SPECIFIC,
	SELECT_COUNT
} SelectKind;

/* False if the text is no Select; then SELECT_KIND_SET says what would be. */
extern bool SelectKindFromText(Slice text, SelectKind *kind);

#define SELECT_KIND_SET \
	"Member must satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"

/* Query and Scan. */
typedef struct ReadOp
{
	bool		query;			/* Query (with a key condition), or Scan */
	const char *table_name;
	const char *index_name;		/* NULL: the table */
	ExprText	key_condition;
	ExprText	filter;
	ExprText	projection;
	ExprArgs	args;
	bool		key_tests_given;	/* instead of key_condition: */
	int			nkey_tests;		/* one test per attribute */
	Slice		key_attributes[KEY_MAX_ATTRIBUTES];
	KeyTest		key_tests[KEY_MAX_ATTRIBUTES];
	Condition  *built_filter;	/* NULL: none, as the next */
	Projection *built_projection;
	bool		filter_on_keys; /* the filter of a query may test its keys */
	SelectKind	select;
	bool		consistent;
	bool		forward;
	ValueRef	start;			/* ExclusiveStartKey */
	int			shard;			/* -1: all, or as the key condition tells */
	ValueRef	shard_value;	/* value of the shard attribute */
	bool		segment_given;	/* Segment, and TotalSegments */
	bool		total_segments_given;
	int64		segment;
	int64		total_segments;
	bool		sizes;			/* fill in the sizes of rows */
} ReadOp;

/* A read under way: items one by one, so that callers stop when they like. */
typedef struct Reader Reader;

/*
 * All checks of the service, in its order, then the scan.  Allocates in the
 * current memory context, which must outlive the reader, as must *op and what
 * it points to.
 */
extern Reader *ReaderOpen(const ReadOp *op);

typedef struct ReadRow
{
	bool		matched;		/* passed the filter */
	struct varlena *item;		/* projected; only if matched, and no COUNT */
	uint64		size;			/* if asked for: of the item or index entry */
	uint64		fetched_size;	/* of the table's item, where a local index
								 * had to fetch it; else 0 */
} ReadRow;

/* The next row evaluated; false at the end.  Row memory: until the next. */
extern bool ReaderNext(Reader *reader, ReadRow *row);

/* The key of the row last returned, as LastEvaluatedKey has it. */
extern struct varlena *ReaderPosition(const Reader *reader);
extern void ReaderClose(Reader *reader);

/* One page of a Query or Scan, as the service answers it. */
typedef struct ReadPageResult
{
	int			count;			/* items that passed the filter */
	int			scanned_count;	/* items evaluated */
	struct varlena **items;		/* NULL for COUNT */
	struct varlena *last_key;	/* LastEvaluatedKey; NULL at the end */
	uint64		size;			/* of all that was read, before the filter */
	uint64		fetched_size;	/* of the items that a local index fetched
								 * from the table */
	uint64		fetched_units;	/* and their 4 KB units, each rounded up */
	bool		index_local;	/* kind of the index that was read, if any */
} ReadPageResult;

/* The size at which a page ends. */
#define READ_PAGE_SIZE	(1024 * 1024)

/* limit: Limit, the number of items to evaluate; 0: as many as fit. */
extern void ReadPage(const ReadOp *op, int64 limit, ReadPageResult *page);

/*
 * A query of one partition or several as one.  op has key tests, those of the
 * partition attributes first; of each partition, in turn, these are equalities
 * with its values.  op's start may lie in any of the partitions.
 *
 * Partitions follow one another in the order of their values; or, if merged,
 * rows are in the order of their sort attributes, those of equal ones in the
 * order of their partitions.
 */
typedef struct PartitionsOp
{
	const ReadOp *op;
	const KeySchema *key;		/* of the index or the table */
	int			npartitions;
	ValueRef  (*partitions)[KEY_MAX_ATTRIBUTES];	/* all different; sorted here */
	bool		descending;		/* the order of partitions */
	bool		merged;
} PartitionsOp;

/*
 * The same as ReadPage, but that there is no LastEvaluatedKey behind the last
 * row of a table without sort key: that row's key tells that nothing follows.
 */
extern void ReadPartitionsPage(const PartitionsOp *op, int64 limit, ReadPageResult *page);

#endif							/* DYNAMO_OP_H */
