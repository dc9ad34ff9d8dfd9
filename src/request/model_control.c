/*
 * model_control.c
 *	  Inputs of the operations on tables.
 */
#include "postgres.h"

#include "request/model.h"

static const char *const attribute_types[] = {"B", "N", "S", NULL};
static const char *const key_types[] = {"HASH", "RANGE", NULL};
static const char *const projection_types[] = {"ALL", "INCLUDE", "KEYS_ONLY", NULL};
static const char *const billing_modes[] = {"PROVISIONED", "PAY_PER_REQUEST", NULL};
static const char *const stream_views[] = {
	"NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY", NULL
};
static const char *const sse_types[] = {"AES256", "KMS", NULL};

static const Shape attribute_type = ENUM(attribute_types);
static const Shape key_type = ENUM(key_types);
static const Shape projection_type = ENUM(projection_types);
static const Shape billing_mode = ENUM(billing_modes);
static const Shape stream_view = ENUM(stream_views);
static const Shape sse_type = ENUM(sse_types);

static const Shape positive_long = {.kind = SHAPE_LONG, .min = 1};
static const Shape any_long = {.kind = SHAPE_LONG};
static const Shape key_name = {.kind = SHAPE_STRING, .min = 1, .max = 255};

/* ---- parts of table definitions ---- */

static const Member definition_members[] = {
	REQUIRED("AttributeName", key_name),
	REQUIRED("AttributeType", attribute_type),
};
static const Shape definition = STRUCTURE("AttributeDefinition", definition_members);
static const Shape definitions = LIST_OF(definition);

static const Member key_element_members[] = {
	REQUIRED("AttributeName", key_name),
	REQUIRED("KeyType", key_type),
};
static const Shape key_element = STRUCTURE("KeySchemaElement", key_element_members);
static const Shape key_schema = {.kind = SHAPE_LIST, .min = 1, .max = 2, .element = &key_element};

/* key of a global index: up to four attributes of each kind */
static const Shape index_key_schema = {.kind = SHAPE_LIST, .min = 1, .max = 8, .element = &key_element};

static const Shape non_key_attributes = {.kind = SHAPE_LIST, .min = 1, .max = 20, .element = &key_name};
static const Member projection_members[] = {
	MEMBER("ProjectionType", projection_type),
	MEMBER("NonKeyAttributes", non_key_attributes),
};
static const Shape projection = STRUCTURE("Projection", projection_members);

static const Member throughput_members[] = {
	REQUIRED("WriteCapacityUnits", positive_long),
	REQUIRED("ReadCapacityUnits", positive_long),
};
static const Shape throughput = STRUCTURE("ProvisionedThroughput", throughput_members);

static const Member on_demand_members[] = {
	MEMBER("MaxReadRequestUnits", any_long),
	MEMBER("MaxWriteRequestUnits", any_long),
};
static const Shape on_demand = STRUCTURE("OnDemandThroughput", on_demand_members);

static const Member warm_members[] = {
	MEMBER("ReadUnitsPerSecond", positive_long),
	MEMBER("WriteUnitsPerSecond", positive_long),
};
static const Shape warm = STRUCTURE("WarmThroughput", warm_members);

static const Member stream_members[] = {
	REQUIRED("StreamEnabled", model_boolean),
	MEMBER("StreamViewType", stream_view),
};
static const Shape stream = STRUCTURE("StreamSpecification", stream_members);

static const Member sse_members[] = {
	MEMBER("Enabled", model_boolean),
	MEMBER("SSEType", sse_type),
	MEMBER("KMSMasterKeyId", model_string),
};
static const Shape sse = STRUCTURE("SSESpecification", sse_members);

static const Member local_index_members[] = {
	REQUIRED("Projection", projection),
	REQUIRED("IndexName", model_new_name),
	REQUIRED("KeySchema", key_schema),
};
static const Shape local_index = STRUCTURE("LocalSecondaryIndex", local_index_members);
static const Shape local_indexes = LIST_OF(local_index);

static const Member global_index_members[] = {
	REQUIRED("Projection", projection),
	REQUIRED("IndexName", model_new_name),
	MEMBER("ProvisionedThroughput", throughput),
	REQUIRED("KeySchema", index_key_schema),
	MEMBER("OnDemandThroughput", on_demand),
	MEMBER("WarmThroughput", warm),
};
static const Shape global_index = STRUCTURE("GlobalSecondaryIndex", global_index_members);
static const Shape global_indexes = LIST_OF(global_index);

/* ---- vector indexes ---- */

static const char *const distance_functions[] = {"COSINE", "DOT_PRODUCT", "EUCLIDEAN", NULL};
static const char *const search_element_types[] = {"HASH", "INLINE_FILTER", NULL};
static const Shape distance_function = ENUM(distance_functions);
static const Shape search_element_type = ENUM(search_element_types);

static const Member vector_attribute_members[] = {
	REQUIRED("AttributeName", key_name),
};
static const Shape vector_attribute = STRUCTURE("VectorAttribute", vector_attribute_members);
static const Member search_element_members[] = {
	REQUIRED("AttributeName", key_name),
	REQUIRED("SearchSchemaElementType", search_element_type),
};
static const Shape search_element = STRUCTURE("SearchSchemaElement", search_element_members);
static const Shape search_schema = {.kind = SHAPE_LIST, .min = 1, .element = &search_element};

static const Member vector_index_members[] = {
	REQUIRED("IndexName", model_new_name),
	REQUIRED("VectorAttribute", vector_attribute),
	REQUIRED("Dimensions", positive_long),
	REQUIRED("DistanceFunction", distance_function),
	REQUIRED("Projection", projection),
	MEMBER("SearchSchema", search_schema),
};
static const Shape vector_index = STRUCTURE("VectorIndex", vector_index_members);
static const Shape vector_indexes = LIST_OF(vector_index);

static const Member vector_index_delete_members[] = {
	REQUIRED("IndexName", model_new_name),
};
static const Shape vector_index_create = STRUCTURE("CreateVectorIndexAction", vector_index_members);
static const Shape vector_index_delete = STRUCTURE("DeleteVectorIndexAction", vector_index_delete_members);
static const Member vector_index_change_members[] = {
	MEMBER("Create", vector_index_create),
	MEMBER("Delete", vector_index_delete),
};
static const Shape vector_index_change = STRUCTURE("VectorIndexUpdate", vector_index_change_members);
static const Shape vector_index_changes = LIST_OF(vector_index_change);

/* ---- refused as a whole, so that nothing is said of what is in it ---- */

static const Shape replica_change = {.kind = SHAPE_STRUCTURE, .name = "ReplicationGroupUpdate"};
static const Shape replica_changes = LIST_OF(replica_change);

/* ---- operations ---- */

static const Member create_table_members[] = {
	REQUIRED("AttributeDefinitions", definitions),
	REQUIRED("TableName", model_defined_table),
	MEMBER("BillingMode", billing_mode),
	MEMBER("ProvisionedThroughput", throughput),
	REQUIRED("KeySchema", key_schema),
	MEMBER("LocalSecondaryIndexes", local_indexes),
	MEMBER("GlobalSecondaryIndexes", global_indexes),
	MEMBER("StreamSpecification", stream),
	MEMBER("SSESpecification", sse),
	MEMBER("Tags", model_tags),
	MEMBER("TableClass", model_string),
	MEMBER("DeletionProtectionEnabled", model_boolean),
	MEMBER("OnDemandThroughput", on_demand),
	MEMBER("WarmThroughput", warm),
	MEMBER("ResourcePolicy", model_string),
	MEMBER("VectorIndexes", vector_indexes),
};
const Shape model_create_table = STRUCTURE("CreateTableInput", create_table_members);

/* The service's has no local indexes, tags and streams, which do no harm. */
const Shape model_table_creation = STRUCTURE("TableCreationParameters", create_table_members);

static const Member index_update_members[] = {
	REQUIRED("IndexName", model_new_name),
	MEMBER("ProvisionedThroughput", throughput),
	MEMBER("OnDemandThroughput", on_demand),
	MEMBER("WarmThroughput", warm),
};
static const Member index_delete_members[] = {
	REQUIRED("IndexName", model_new_name),
};
static const Shape index_create = STRUCTURE("CreateGlobalSecondaryIndexAction", global_index_members);
static const Shape index_update = STRUCTURE("UpdateGlobalSecondaryIndexAction", index_update_members);
static const Shape index_delete = STRUCTURE("DeleteGlobalSecondaryIndexAction", index_delete_members);
static const Member index_change_members[] = {
	MEMBER("Update", index_update),
	MEMBER("Create", index_create),
	MEMBER("Delete", index_delete),
};
static const Shape index_change = STRUCTURE("GlobalSecondaryIndexUpdate", index_change_members);
static const Shape index_changes = LIST_OF(index_change);

static const Member update_table_members[] = {
	MEMBER("AttributeDefinitions", definitions),
	REQUIRED("TableName", model_defined_table),
	MEMBER("BillingMode", billing_mode),
	MEMBER("ProvisionedThroughput", throughput),
	MEMBER("GlobalSecondaryIndexUpdates", index_changes),
	MEMBER("StreamSpecification", stream),
	MEMBER("SSESpecification", sse),
	MEMBER("TableClass", model_string),
	MEMBER("DeletionProtectionEnabled", model_boolean),
	MEMBER("OnDemandThroughput", on_demand),
	MEMBER("WarmThroughput", warm),
	MEMBER("ReplicaUpdates", replica_changes),
	MEMBER("VectorIndexUpdates", vector_index_changes),
};
const Shape model_update_table = STRUCTURE("UpdateTableInput", update_table_members);

static const Member table_members[] = {
	REQUIRED("TableName", model_defined_table),
};
const Shape model_describe_table = STRUCTURE("DescribeTableInput", table_members);
const Shape model_delete_table = STRUCTURE("DeleteTableInput", table_members);

static const Shape list_limit = {.kind = SHAPE_INTEGER, .min = 1, .max = 100};
static const Member list_tables_members[] = {
	MEMBER("ExclusiveStartTableName", model_new_name),
	MEMBER("Limit", list_limit),
};
const Shape model_list_tables = STRUCTURE("ListTablesInput", list_tables_members);

const Shape model_describe_limits = {.kind = SHAPE_STRUCTURE, .name = "DescribeLimitsInput"};
const Shape model_describe_endpoints = {.kind = SHAPE_STRUCTURE, .name = "DescribeEndpointsRequest"};

/* ---- time to live and tags ---- */

static const Member ttl_members[] = {
	REQUIRED("Enabled", model_boolean),
	REQUIRED("AttributeName", key_name),
};
static const Shape ttl = STRUCTURE("TimeToLiveSpecification", ttl_members);
static const Member update_ttl_members[] = {
	REQUIRED("TableName", model_defined_table),
	REQUIRED("TimeToLiveSpecification", ttl),
};
const Shape model_update_ttl = STRUCTURE("UpdateTimeToLiveInput", update_ttl_members);
const Shape model_describe_ttl = STRUCTURE("DescribeTimeToLiveInput", table_members);

static const Member tag_resource_members[] = {
	REQUIRED("ResourceArn", model_resource_arn),
	REQUIRED("Tags", model_tags),
};
const Shape model_tag_resource = STRUCTURE("TagResourceInput", tag_resource_members);

static const Shape tag_key = {.kind = SHAPE_STRING, .min = 1, .max = 128};
static const Shape tag_keys = LIST_OF(tag_key);
static const Member untag_resource_members[] = {
	REQUIRED("ResourceArn", model_resource_arn),
	REQUIRED("TagKeys", tag_keys),
};
const Shape model_untag_resource = STRUCTURE("UntagResourceInput", untag_resource_members);

static const Member list_tags_members[] = {
	REQUIRED("ResourceArn", model_resource_arn),
	MEMBER("NextToken", model_string),
};
const Shape model_list_tags = STRUCTURE("ListTagsOfResourceInput", list_tags_members);

/* ---- point-in-time recovery ---- */

static const Shape recovery_days = {.kind = SHAPE_INTEGER, .min = 1, .max = 35};
static const Member recovery_members[] = {
	REQUIRED("PointInTimeRecoveryEnabled", model_boolean),
	MEMBER("RecoveryPeriodInDays", recovery_days),
};
static const Shape recovery = STRUCTURE("PointInTimeRecoverySpecification", recovery_members);
static const Member update_recovery_members[] = {
	REQUIRED("TableName", model_defined_table),
	REQUIRED("PointInTimeRecoverySpecification", recovery),
};
const Shape model_update_recovery =
STRUCTURE("UpdateContinuousBackupsInput", update_recovery_members);
const Shape model_describe_recovery = STRUCTURE("DescribeContinuousBackupsInput", table_members);

/* ---- restoring ---- */

static const Shape backup_arn = {.kind = SHAPE_STRING, .min = 37, .max = MAX_ARN};
static const Member restore_members[] = {
	REQUIRED("TargetTableName", model_new_name),
	REQUIRED("BackupArn", backup_arn),
	MEMBER("BillingModeOverride", billing_mode),
	MEMBER("GlobalSecondaryIndexOverride", global_indexes),
	MEMBER("LocalSecondaryIndexOverride", local_indexes),
	MEMBER("ProvisionedThroughputOverride", throughput),
	MEMBER("OnDemandThroughputOverride", on_demand),
	MEMBER("SSESpecificationOverride", sse),
	MEMBER("VectorIndexOverride", vector_indexes),
};
const Shape model_restore_table = STRUCTURE("RestoreTableFromBackupInput", restore_members);
