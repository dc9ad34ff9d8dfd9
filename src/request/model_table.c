/*
 * model_table.c
 *	  Shapes of the parts of a table's definition.
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
const Shape model_billing_mode = ENUM(billing_modes);
static const Shape stream_view = ENUM(stream_views);
static const Shape sse_type = ENUM(sse_types);

static const Shape positive_long = {.kind = SHAPE_LONG, .min = 1};
const Shape model_key_name = {.kind = SHAPE_STRING, .min = 1, .max = 255};

static const Member definition_members[] = {
	REQUIRED("AttributeName", model_key_name),
	REQUIRED("AttributeType", attribute_type),
};
static const Shape definition = STRUCTURE("AttributeDefinition", definition_members);
const Shape model_attribute_definitions = LIST_OF(definition);

static const Member key_element_members[] = {
	REQUIRED("AttributeName", model_key_name),
	REQUIRED("KeyType", key_type),
};
static const Shape key_element = STRUCTURE("KeySchemaElement", key_element_members);
const Shape model_key_schema = {.kind = SHAPE_LIST, .min = 1, .max = 2, .element = &key_element};

/* key of a global index: up to four attributes of each kind */
static const Shape index_key_schema = {.kind = SHAPE_LIST, .min = 1, .max = 8, .element = &key_element};

static const Shape non_key_attributes = {.kind = SHAPE_LIST, .min = 1, .max = 20, .element = &model_key_name};
static const Member projection_members[] = {
	MEMBER("ProjectionType", projection_type),
	MEMBER("NonKeyAttributes", non_key_attributes),
};
static const Shape projection = STRUCTURE("Projection", projection_members);

static const Member throughput_members[] = {
	REQUIRED("WriteCapacityUnits", positive_long),
	REQUIRED("ReadCapacityUnits", positive_long),
};
const Shape model_throughput = STRUCTURE("ProvisionedThroughput", throughput_members);

static const Member on_demand_members[] = {
	MEMBER("MaxReadRequestUnits", model_any_long),
	MEMBER("MaxWriteRequestUnits", model_any_long),
};
const Shape model_on_demand = STRUCTURE("OnDemandThroughput", on_demand_members);

static const Member warm_members[] = {
	MEMBER("ReadUnitsPerSecond", positive_long),
	MEMBER("WriteUnitsPerSecond", positive_long),
};
const Shape model_warm_throughput = STRUCTURE("WarmThroughput", warm_members);

static const Member stream_members[] = {
	REQUIRED("StreamEnabled", model_boolean),
	MEMBER("StreamViewType", stream_view),
};
const Shape model_stream = STRUCTURE("StreamSpecification", stream_members);

static const Member sse_members[] = {
	MEMBER("Enabled", model_boolean),
	MEMBER("SSEType", sse_type),
	MEMBER("KMSMasterKeyId", model_string),
};
const Shape model_encryption = STRUCTURE("SSESpecification", sse_members);

static const Member local_index_members[] = {
	REQUIRED("Projection", projection),
	REQUIRED("IndexName", model_new_name),
	REQUIRED("KeySchema", model_key_schema),
};
static const Shape local_index = STRUCTURE("LocalSecondaryIndex", local_index_members);
const Shape model_local_indexes = LIST_OF(local_index);

static const Member global_index_members[] = {
	REQUIRED("Projection", projection),
	REQUIRED("IndexName", model_new_name),
	MEMBER("ProvisionedThroughput", model_throughput),
	REQUIRED("KeySchema", index_key_schema),
	MEMBER("OnDemandThroughput", model_on_demand),
	MEMBER("WarmThroughput", model_warm_throughput),
};
static const Shape global_index = STRUCTURE("GlobalSecondaryIndex", global_index_members);
const Shape model_global_indexes = LIST_OF(global_index);
const Shape model_create_index = STRUCTURE("CreateGlobalSecondaryIndexAction", global_index_members);

/* ---- vector indexes ---- */

static const char *const distance_functions[] = {"COSINE", "DOT_PRODUCT", "EUCLIDEAN", NULL};
static const char *const search_element_types[] = {"HASH", "INLINE_FILTER", NULL};
static const Shape distance_function = ENUM(distance_functions);
static const Shape search_element_type = ENUM(search_element_types);

static const Member vector_attribute_members[] = {
	REQUIRED("AttributeName", model_key_name),
};
static const Shape vector_attribute = STRUCTURE("VectorAttribute", vector_attribute_members);
static const Member search_element_members[] = {
	REQUIRED("AttributeName", model_key_name),
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
const Shape model_vector_indexes = LIST_OF(vector_index);
const Shape model_create_vector_index = STRUCTURE("CreateVectorIndexAction", vector_index_members);
