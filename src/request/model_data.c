/*
 * model_data.c
 *	  Inputs of the operations on items.
 */
#include "postgres.h"

#include "request/model.h"

static const char *const return_values[] = {
	"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW", NULL
};
static const char *const select_values[] = {
	"SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", NULL
};
static const char *const update_actions[] = {"ADD", "DELETE", "PUT", NULL};

static const Shape model_return_values = ENUM(return_values);
static const Shape model_select = ENUM(select_values);
static const Shape model_action = ENUM(update_actions);
static const Shape model_segment = {.kind = SHAPE_INTEGER, .not_negative = true, .max = 999999};
static const Shape model_total_segments = {.kind = SHAPE_INTEGER, .min = 1, .max = 1000000};
static const Shape model_token = {.kind = SHAPE_STRING, .min = 1, .max = 36};

/* Legacy parameters. */
static const Shape values = LIST_OF(model_value);

static const Member expected_members[] = {
	MEMBER("Value", model_value),
	MEMBER("Exists", model_boolean),
	MEMBER("ComparisonOperator", model_comparison_operator),
	MEMBER("AttributeValueList", values),
};
static const Shape expected_value = STRUCTURE("ExpectedAttributeValue", expected_members);
static const Shape expected = {.kind = SHAPE_MAP, .key = &model_attribute_name, .element = &expected_value};

static const Member condition_members[] = {
	REQUIRED("ComparisonOperator", model_comparison_operator),
	MEMBER("AttributeValueList", values),
};
static const Shape condition = STRUCTURE("Condition", condition_members);
static const Shape conditions = {.kind = SHAPE_MAP, .key = &model_attribute_name, .element = &condition};

static const Member update_members[] = {
	MEMBER("Action", model_action),
	MEMBER("Value", model_value),
};
static const Shape attribute_update = STRUCTURE("AttributeValueUpdate", update_members);
static const Shape attribute_updates = {.kind = SHAPE_MAP, .key = &model_attribute_name, .element = &attribute_update};

/* ---- single items ---- */

/* in writes, an empty name hides other violations */
#define WRITTEN_TABLE	{"TableName", &model_table_name, true, HIDES_IF_EMPTY}

static const Member get_item_members[] = {
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	MEMBER("AttributesToGet", model_attribute_names),
	REQUIRED("TableName", model_table_name),
	REQUIRED("Key", model_item),
	MEMBER("ConsistentRead", model_boolean),
	MEMBER("ProjectionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
};
const Shape model_get_item = STRUCTURE("GetItemInput", get_item_members);

/*
 * the order of returnValues and returnConsumedCapacity was captured from the
 * service
 */
static const Member put_item_members[] = {
	MEMBER("ReturnValues", model_return_values),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	WRITTEN_TABLE,
	REQUIRED("Item", model_item),
	MEMBER("ConditionalOperator", model_conditional_operator),
	MEMBER("Expected", expected),
	MEMBER("ReturnItemCollectionMetrics", model_return_metrics),
	MEMBER("ReturnValuesOnConditionCheckFailure", model_return_on_failure),
	MEMBER("ConditionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
	MEMBER("ExpressionAttributeValues", model_value_map),
};
const Shape model_put_item = STRUCTURE("PutItemInput", put_item_members);

static const Member update_item_members[] = {
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	WRITTEN_TABLE,
	MEMBER("ReturnItemCollectionMetrics", model_return_metrics),
	{"ReturnValues", &model_return_values, false, HIDES_ALWAYS},
	REQUIRED("Key", model_item),
	MEMBER("ConditionalOperator", model_conditional_operator),
	MEMBER("Expected", expected),
	MEMBER("AttributeUpdates", attribute_updates),
	MEMBER("ReturnValuesOnConditionCheckFailure", model_return_on_failure),
	MEMBER("UpdateExpression", model_string),
	MEMBER("ConditionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
	MEMBER("ExpressionAttributeValues", model_value_map),
};
const Shape model_update_item = STRUCTURE("UpdateItemInput", update_item_members);

static const Member delete_item_members[] = {
	MEMBER("ReturnValues", model_return_values),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	WRITTEN_TABLE,
	MEMBER("ReturnItemCollectionMetrics", model_return_metrics),
	REQUIRED("Key", model_item),
	MEMBER("ConditionalOperator", model_conditional_operator),
	MEMBER("Expected", expected),
	MEMBER("ReturnValuesOnConditionCheckFailure", model_return_on_failure),
	MEMBER("ConditionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
	MEMBER("ExpressionAttributeValues", model_value_map),
};
const Shape model_delete_item = STRUCTURE("DeleteItemInput", delete_item_members);

/* ---- query and scan ---- */

static const Member query_members[] = {
	MEMBER("Select", model_select),
	MEMBER("IndexName", model_new_name),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	MEMBER("QueryFilter", conditions),
	REQUIRED("TableName", model_table_name),
	MEMBER("ConditionalOperator", model_conditional_operator),
	MEMBER("AttributesToGet", model_attribute_names),
	MEMBER("Limit", model_positive_integer),
	MEMBER("KeyConditions", conditions),
	MEMBER("ExclusiveStartKey", model_item),
	MEMBER("ConsistentRead", model_boolean),
	MEMBER("ScanIndexForward", model_boolean),
	MEMBER("ProjectionExpression", model_string),
	MEMBER("FilterExpression", model_string),
	MEMBER("KeyConditionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
	MEMBER("ExpressionAttributeValues", model_value_map),
};
const Shape model_query = STRUCTURE("QueryInput", query_members);

static const Member scan_members[] = {
	MEMBER("Select", model_select),
	MEMBER("IndexName", model_new_name),
	MEMBER("TotalSegments", model_total_segments),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	REQUIRED("TableName", model_table_name),
	MEMBER("ConditionalOperator", model_conditional_operator),
	MEMBER("ScanFilter", conditions),
	MEMBER("Segment", model_segment),
	MEMBER("Limit", model_positive_integer),
	MEMBER("AttributesToGet", model_attribute_names),
	MEMBER("ExclusiveStartKey", model_item),
	MEMBER("ConsistentRead", model_boolean),
	MEMBER("ProjectionExpression", model_string),
	MEMBER("FilterExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
	MEMBER("ExpressionAttributeValues", model_value_map),
};
const Shape model_scan = STRUCTURE("ScanInput", scan_members);

/* ---- batches ---- */

static const Shape batch_keys = {.kind = SHAPE_LIST, .min = 1, .max = 100, .element = &model_item};

static const Member batch_get_members[] = {
	REQUIRED("Keys", batch_keys),
	MEMBER("AttributesToGet", model_attribute_names),
	MEMBER("ConsistentRead", model_boolean),
	MEMBER("ProjectionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
};
static const Shape keys_and_attributes = STRUCTURE("KeysAndAttributes", batch_get_members);

/* no minimum length, because an empty map has a message of its own */
static const Shape batch_get_tables = {.kind = SHAPE_MAP, .max = 100,
.key = &model_table_name, .element = &keys_and_attributes};

static const Member batch_get_item_members[] = {
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	REQUIRED("RequestItems", batch_get_tables),
};
const Shape model_batch_get_item = STRUCTURE("BatchGetItemInput", batch_get_item_members);

static const Member put_request_members[] = {REQUIRED("Item", model_item)};
static const Member delete_request_members[] = {REQUIRED("Key", model_item)};
static const Shape put_request = STRUCTURE("PutRequest", put_request_members);
static const Shape delete_request = STRUCTURE("DeleteRequest", delete_request_members);

static const Member write_request_members[] = {
	MEMBER("PutRequest", put_request),
	MEMBER("DeleteRequest", delete_request),
};
static const Shape write_request = STRUCTURE("WriteRequest", write_request_members);
static const Shape write_requests = {.kind = SHAPE_LIST, .min = 1, .max = 25, .element = &write_request};
static const Shape batch_write_tables = {.kind = SHAPE_MAP, .max = 25,
.key = &model_table_name, .element = &write_requests};

static const Member batch_write_item_members[] = {
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	MEMBER("ReturnItemCollectionMetrics", model_return_metrics),
	REQUIRED("RequestItems", batch_write_tables),
};
const Shape model_batch_write_item = STRUCTURE("BatchWriteItemInput", batch_write_item_members);

/* ---- transactions ---- */

static const Member transact_get_members[] = {
	REQUIRED("Key", model_item),
	REQUIRED("TableName", model_table_name),
	MEMBER("ProjectionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
};
static const Shape transact_get = STRUCTURE("Get", transact_get_members);
static const Member transact_get_item_members[] = {REQUIRED("Get", transact_get)};
static const Shape transact_get_item = STRUCTURE("TransactGetItem", transact_get_item_members);
static const Shape transact_get_list = {.kind = SHAPE_LIST, .min = 1, .max = 100,
.element = &transact_get_item};

static const Member transact_get_items_members[] = {
	REQUIRED("TransactItems", transact_get_list),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
};
const Shape model_transact_get_items = STRUCTURE("TransactGetItemsInput", transact_get_items_members);

#define TRANSACT_COMMON \
	REQUIRED("TableName", model_table_name), \
	MEMBER("ExpressionAttributeNames", model_name_map), \
	MEMBER("ExpressionAttributeValues", model_value_map), \
	MEMBER("ReturnValuesOnConditionCheckFailure", model_return_on_failure)

static const Member check_members[] = {
	REQUIRED("Key", model_item),
	REQUIRED("ConditionExpression", model_string),
	TRANSACT_COMMON,
};
static const Member transact_put_members[] = {
	REQUIRED("Item", model_item),
	MEMBER("ConditionExpression", model_string),
	TRANSACT_COMMON,
};
static const Member transact_delete_members[] = {
	REQUIRED("Key", model_item),
	MEMBER("ConditionExpression", model_string),
	TRANSACT_COMMON,
};
static const Member transact_update_members[] = {
	REQUIRED("Key", model_item),
	REQUIRED("UpdateExpression", model_string),
	MEMBER("ConditionExpression", model_string),
	TRANSACT_COMMON,
};
static const Shape transact_check = STRUCTURE("ConditionCheck", check_members);
static const Shape transact_put = STRUCTURE("Put", transact_put_members);
static const Shape transact_delete = STRUCTURE("Delete", transact_delete_members);
static const Shape transact_update = STRUCTURE("Update", transact_update_members);

static const Member transact_write_members[] = {
	MEMBER("ConditionCheck", transact_check),
	MEMBER("Put", transact_put),
	MEMBER("Delete", transact_delete),
	MEMBER("Update", transact_update),
};
static const Shape transact_write = STRUCTURE("TransactWriteItem", transact_write_members);
static const Shape transact_write_list = {.kind = SHAPE_LIST, .min = 1, .max = 100,
.element = &transact_write};

static const Member transact_write_items_members[] = {
	REQUIRED("TransactItems", transact_write_list),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	MEMBER("ReturnItemCollectionMetrics", model_return_metrics),
	MEMBER("ClientRequestToken", model_token),
};
const Shape model_transact_write_items = STRUCTURE("TransactWriteItemsInput", transact_write_items_members);

/* ---- vector searches ---- */

/* Their constraints are checked, with other messages, by search_vectors.c. */
static const Shape search_string = {.kind = SHAPE_STRING, .not_null = "a string"};
static const Shape search_vector = {.kind = SHAPE_LIST, .element = &model_value, .not_null = "a sequence"};
static const Shape top_k = {.kind = SHAPE_INTEGER, .whole = true, .not_null = "i32"};
static const Member search_vectors_members[] = {
	MEMBER("TableName", search_string),
	MEMBER("IndexName", search_string),
	MEMBER("SearchVector", search_vector),
	MEMBER("TopK", top_k),
	MEMBER("SearchConditionExpression", model_string),
	MEMBER("ProjectionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
	MEMBER("ExpressionAttributeValues", model_value_map),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
};
const Shape model_search_vectors = STRUCTURE("SearchVectorsInput", search_vectors_members);
