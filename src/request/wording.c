/*
 * wording.c
 *	  The messages that the service has changed since June 2026.
 *
 * The columns are the words before that, those of most regions on 9 October 2026
 * (us-east-1 is always among them), and those that a few regions have already.
 * Nothing selects the last column yet: an operation whose words most regions
 * change is changed here by moving its text one column to the left.
 *
 * In the text of a member of a request %v stands for its value as the service
 * shows it, %j for its JSON, %p for its path, %t for the table that it belongs to.
 */
#include "postgres.h"

#include "request/wording.h"

typedef struct WordingRow
{
	const char *classic;
	const char *current;
	const char *next;			/* NULL: as current */
	bool		whole;			/* current is a whole message, which stands alone */
} WordingRow;

#define FAILED			" failed to satisfy constraint: "
#define LENGTH_LEAST	"Member must have length greater than or equal to "
#define LENGTH_MOST		"Member must have length less than or equal to "
#define VALUE_LEAST		"Member must have value greater than or equal to "
#define ENUM_SET		"Member must satisfy enum value set: "
#define ECHO			"Value '%v' at '%p'" FAILED
#define ONE_ERROR		"1 validation error detected: "
#define TABLE_NAMES \
	FAILED "Map keys must satisfy constraint: [" LENGTH_MOST "255, " LENGTH_LEAST "3, " \
	"Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]"
#define WRITES_IN_TABLE \
	ECHO "Map value must satisfy constraint: [" LENGTH_MOST "25, " LENGTH_LEAST "1]"
#define OPERATORS "Failed to satisfy constraint: " ENUM_SET "[ALL, OR]"
#define VALUES_ALONE "ExpressionAttributeValues can only be specified when using expressions"

static const WordingRow rows[] = {
	[WORDING_WRITTEN_TABLE] = {
		ECHO LENGTH_LEAST "1",
		"Value at 'TableName'" FAILED LENGTH_LEAST "1"
	},
	[WORDING_RETURN_VALUES] = {
		ECHO ENUM_SET "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
		"Failed to satisfy constraint: " ENUM_SET "[ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
	},
	[WORDING_CONDITIONAL] = {ECHO ENUM_SET "[OR, AND]", OPERATORS},
	[WORDING_QUERY_CONDITIONAL] = {ECHO ENUM_SET "[OR, AND]", OPERATORS, .whole = true},
	[WORDING_QUERY_LIMIT] = {
		"Value at 'Limit'" FAILED VALUE_LEAST "1",
		"Value at 'Limit'" FAILED VALUE_LEAST "1"
	},
	[WORDING_SCAN_LIMIT] = {
		ECHO VALUE_LEAST "1",
		ECHO VALUE_LEAST "1",
		"Value at 'Limit'" FAILED VALUE_LEAST "1"
	},
	[WORDING_SCAN_SEGMENT] = {
		ECHO VALUE_LEAST "0",
		ECHO VALUE_LEAST "0",
		"Value at 'Segment'" FAILED VALUE_LEAST "0"
	},
	/* op/read_check.c says what these three replace */
	[WORDING_SEGMENT_BEYOND] = {
		.next = "The Segment parameter is zero-based and must be less than parameter TotalSegments"
	},
	[WORDING_SCAN_START_KEY] = {.next = "The provided starting key is invalid"},
	[WORDING_SCAN_SPECIFIC] = {
		.next = ONE_ERROR "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
	},
	[WORDING_NO_KEYS] = {
		"The requestItems parameter is required for BatchGetItem",
		ONE_ERROR "Value at 'RequestItems'" FAILED LENGTH_LEAST "1"
	},
	[WORDING_TABLE_NO_KEYS] = {
		ECHO LENGTH_LEAST "1",
		"Value at 'RequestItems.%t.member.Keys'" FAILED LENGTH_LEAST "1"
	},
	[WORDING_TABLE_KEYS] = {
		ECHO LENGTH_MOST "100",
		"Value at 'RequestItems.%t.member.Keys'" FAILED LENGTH_MOST "100"
	},
	[WORDING_READ_TABLES] = {"Value '%v' at '%p'" TABLE_NAMES, "Value '%j' at '%p'" TABLE_NAMES},
	[WORDING_NO_WRITES] = {
		"The requestItems parameter is required for BatchWriteItem",
		"The requestItems parameter is required for BatchWriteItem",
		ONE_ERROR "Value at 'RequestItems'" FAILED LENGTH_LEAST "1"
	},
	[WORDING_TABLE_WRITES] = {
		WRITES_IN_TABLE,
		WRITES_IN_TABLE,
		"Value at 'RequestItems.%t.member'" FAILED LENGTH_MOST "25"
	},
	[WORDING_WRITTEN_TABLES] = {"Value '%v' at '%p'" TABLE_NAMES, "Value '%v' at '%p'" TABLE_NAMES},
	[WORDING_NO_ACTIONS] = {
		ECHO LENGTH_LEAST "1",
		ECHO LENGTH_LEAST "1",
		"Value at 'TransactItems'" FAILED LENGTH_LEAST "1"
	},
	[WORDING_MANY_ACTIONS] = {
		ECHO LENGTH_MOST "100",
		ECHO LENGTH_MOST "100",
		"Value at 'TransactItems'" FAILED LENGTH_MOST "100"
	},
	[WORDING_LONG_TOKEN] = {
		ECHO LENGTH_MOST "36",
		ECHO LENGTH_MOST "36",
		"Value at 'ClientRequestToken'" FAILED LENGTH_MOST "36"
	},
	[WORDING_NO_ACTION] = {
		"Invalid Request: TransactWriteRequest should contain Delete or Put or Update request",
		"Invalid Request: TransactWriteRequest should contain Delete or Put or Update request",
		ONE_ERROR "Value '' at 'transactItems'" FAILED
		"TransactWriteRequest should contain Delete or Put or Update or ConditionCheck"
	},
	[WORDING_VALUES_ALONE] = {VALUES_ALONE ": %s", VALUES_ALONE},
	[WORDING_REQUEST_ONLY] = {"", ONE_ERROR},
};

const char *
WordingTextIn(Wording id, ErrorWording wording)
{
	return wording == ERROR_WORDING_CLASSIC ? rows[id].classic : rows[id].current;
}

const char *
WordingText(Wording id)
{
	return WordingTextIn(id, (ErrorWording) error_wording);
}

bool
WordingIsWhole(Wording id, ErrorWording wording)
{
	return rows[id].whole && wording == ERROR_WORDING_CURRENT;
}
