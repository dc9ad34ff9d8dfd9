/*
 * wording.h
 *	  The service's messages that requests raise themselves.
 *
 * The service began to change its words in June 2026, operation by operation and
 * region by region.  Texts that have changed somewhere stand in the table of
 * wording.c, once in each wording; dynamo.error_wording chooses.  Texts that have
 * not are macros here.  What the operations say stands in their own modules.
 *
 * Values of attributes have words of their own, by operation: item/builder.h.
 */
#ifndef DYNAMO_WORDING_H
#define DYNAMO_WORDING_H

#include "worker/api.h"

/* ---- texts that have changed (wording.c) ---- */

typedef enum Wording
{
	WORDING_NONE,				/* a member without a text of its own */
	WORDING_WRITTEN_TABLE,		/* PutItem, UpdateItem, DeleteItem: an empty TableName */
	WORDING_RETURN_VALUES,
	WORDING_CONDITIONAL,		/* their ConditionalOperator */
	WORDING_QUERY_CONDITIONAL,	/* that of Query */
	WORDING_QUERY_LIMIT,
	WORDING_SCAN_LIMIT,
	WORDING_SCAN_SEGMENT,
	WORDING_SEGMENT_BEYOND,
	WORDING_SCAN_START_KEY,
	WORDING_SCAN_SPECIFIC,
	WORDING_NO_KEYS,			/* BatchGetItem: no table */
	WORDING_TABLE_NO_KEYS,		/* a table without keys */
	WORDING_TABLE_KEYS,			/* a table with too many */
	WORDING_READ_TABLES,		/* names of tables */
	WORDING_NO_WRITES,			/* BatchWriteItem: no table */
	WORDING_TABLE_WRITES,		/* a table with too many requests, or without any */
	WORDING_WRITTEN_TABLES,		/* names of tables */
	WORDING_NO_ACTIONS,			/* transactions */
	WORDING_MANY_ACTIONS,
	WORDING_LONG_TOKEN,
	WORDING_NO_ACTION,			/* an action without a kind */
	WORDING_VALUES_ALONE,		/* PutItem, UpdateItem, DeleteItem */
	WORDING_REQUEST_ONLY		/* what stands before their errors that need no table */
} Wording;

/* The text by dynamo.error_wording, or in a given wording. */
extern const char *WordingText(Wording id);
extern const char *WordingTextIn(Wording id, ErrorWording wording);

/* Whether it is the whole message, alone, in the wording. */
extern bool WordingIsWhole(Wording id, ErrorWording wording);

static inline bool
WordingIsCurrent(void)
{
	return error_wording == ERROR_WORDING_CURRENT;
}

/* ---- model constraints (check.c) ---- */

#define WORDING_VIOLATIONS			"%d validation error%s detected: "
#define WORDING_FAILED_CONSTRAINT	"failed to satisfy constraint: "
#define WORDING_NOT_NULL			"Member must not be null"
#define WORDING_AT_LEAST			"Member must have %s greater than or equal to %lld"
#define WORDING_AT_MOST				"Member must have %s less than or equal to %lld"
#define WORDING_PATTERN				"Member must satisfy regular expression pattern: "
#define WORDING_ENUM				"Member must satisfy enum value set: "
#define WORDING_MAP_KEYS			"Map keys must satisfy constraint:"
#define WORDING_MAP_VALUE			"Map value must satisfy constraint:"

/* ---- JSON types (request_read.c) ---- */

/*
 * for SQL users only, because the service sends no message for text that is
 * not JSON
 */
#define WORDING_BAD_JSON			"invalid JSON in the request"

#define WORDING_CANNOT_CONVERT		"%s cannot be converted to %s"
#define WORDING_NULL				"invalid type: null, expected %s at line 1 column %u"
#define WORDING_MISSING_FIELD		"missing field `%s` at line 1 column %u"
#define WORDING_NOT_WHOLE			"invalid type: floating point `%s`, expected i32 at line 1 column %u"
#define WORDING_BAD_BOOLEAN			"Unexpected token received from parser"
#define WORDING_BAD_COLLECTION		"Unrecognized collection type %s"
#define WORDING_UNEXPECTED_MAP		"Start of structure or map found where not expected"
#define WORDING_UNEXPECTED_FIELD	"Unexpected field type"
#define WORDING_UNEXPECTED_VALUE	"Unexpected value type in payload"

/* ---- parameters (params.c) ---- */

#define WORDING_MIXED \
	"Can not use both expression and non-expression parameters in the same request: " \
	"Non-expression parameters: {%s} Expression parameters: {%s}"
#define WORDING_NAMES_ALONE \
	"ExpressionAttributeNames can only be specified when using expressions"
#define WORDING_READ_VALUES_ALONE \
	"ExpressionAttributeValues can only be specified when using expressions: %s"
#define WORDING_BAD_ARN		"1 validation error detected: Invalid %s in '%s'"

/* the service's message contains the user and the action */
#define WORDING_OTHER_ACCOUNT \
	"Account %s is not authorized to access resource: %s " \
	"because no resource-based policy allows it"
#define WORDING_START_KEY	"The provided starting key is invalid: %s"
#define WORDING_INVALID_VALUE \
	"ExpressionAttributeValues contains invalid value: %s for key %.*s"

/* ---- batches and transactions ---- */

#define WORDING_TOO_MANY_KEYS	"Too many items requested for the BatchGetItem call"
#define WORDING_TOO_MANY_WRITES	"Too many items requested for the BatchWriteItem call"
#define WORDING_ONE_REQUEST \
	"Supplied AttributeValue has more than one datatypes set, " \
	"must contain exactly one of the supported datatypes"
#define WORDING_DUPLICATE_KEYS	"Provided list of item keys contains duplicates"
#define WORDING_ONE_ACTION \
	"TransactItems can only contain one of Check, Put, Update or Delete"
#define WORDING_TRANSACTION_SIZE \
	"Transaction request size cannot exceed 4194304 bytes"
#define WORDING_TRANSACTION_ITEMS \
	"Transaction items size cannot exceed 4194304 bytes"

#define WORDING_TOKEN_IN_PROGRESS "Transaction from previous request is still in progress"
#define WORDING_TOKEN_MISMATCH \
	"Specified idempotent token was used with different request parameters " \
	"within the idempotency window"

/* ---- PartiQL ---- */

#define WORDING_NO_FULL_KEY \
	"Where clause does not contain a mandatory equality on all key attributes"
#define WORDING_INVALID_TOKEN	"Invalid NextToken"
#define WORDING_NO_INDEX		"The table does not have the specified index"
#define WORDING_STATEMENT_CONSISTENT \
	"Strongly consistent read is not supported on Global Secondary Indexes"
#define WORDING_ORDER_NO_PARTITION \
	"Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause."
#define WORDING_ORDER_NO_KEY \
	"Variable reference %.*s in ORDER BY clause must be part of the primary key"
#define WORDING_BATCH_SELECT \
	"Select statements within BatchExecuteStatement must specify the primary key in the where clause."
#define WORDING_MIXED_BATCH \
	"BatchExecuteStatement API does not support both read and write operations in the same request."
#define WORDING_MIXED_TRANSACTION \
	"ExecuteTransaction API does not support both read and write operations in the same request."
#define WORDING_TRANSACTION_SELECT \
	"Select statements within ExecuteTransaction must specify the primary key in the where clause."

#define WORDING_NO_INDEX_READS	"Reads on indices are not supported within transactions."
#define WORDING_EXISTS			"EXISTS() must contain a single item read with additional condition"
#define WORDING_NO_RETURNING	"RETURNING clause is not supported in ExecuteTransaction."
#define WORDING_TRANSACT_STATEMENT	"Validation failed in TransactStatements[%d]: %s"
#define WORDING_MULTI_ATTRIBUTE \
	"PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys."

/* the service's message is not known */
#define WORDING_ORDER_OF_KEY \
	"ORDER BY must have the attributes of the sort key in their order, in one direction"
#define WORDING_EXISTS_ALONE	"EXISTS can only be used in ExecuteTransaction"

/* ---- conflicts (failure.c) ---- */

#define WORDING_CONFLICT			"Transaction is ongoing for the item"
#define WORDING_INTERNAL			"Internal server error"
#define WORDING_CONFLICT_REASON		"Transaction is ongoing for the item."

#endif							/* DYNAMO_WORDING_H */
