/*
 * model_common.c
 *	  Shapes that several operations share.
 */
#include "postgres.h"

#include "request/model.h"
#include "request/model_read.h"
#include "table/named_query.h"

static bool
IsName(Slice string)
{
	for (uint32 i = 0; i < string.len; i++)
	{
		unsigned char c = (unsigned char) string.data[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			  (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-'))
			return false;
	}
	return string.len > 0;
}

/* In operations on items, an empty name violates the minimum length only. */
static bool
IsNameOrEmpty(Slice string)
{
	return string.len == 0 || IsName(string);
}

/* No name of an index contains a colon. */
static bool
IsQueriedName(Slice string)
{
	return NamedQueryName(string).data != NULL || NamesChecksum(string) || IsName(string);
}

#define NAME_PATTERN "[a-zA-Z0-9_.-]+"

static const Pattern name_pattern = {NAME_PATTERN, IsName};
static const Pattern queried_pattern = {NAME_PATTERN, IsQueriedName};
const Pattern model_table_pattern = {NAME_PATTERN, IsNameOrEmpty};

const Shape model_string = {.kind = SHAPE_STRING};
const Shape model_boolean = {.kind = SHAPE_BOOLEAN};

const Shape model_table_name = {.kind = SHAPE_STRING, .min = 1, .max = 255, .pattern = &model_table_pattern, .or_arn = true};
const Shape model_new_name = {.kind = SHAPE_STRING, .min = 3, .max = 255, .pattern = &name_pattern};
const Shape model_queried_name = {.kind = SHAPE_STRING, .min = 3, .max = 255, .pattern = &queried_pattern};
const Shape model_defined_table = {.kind = SHAPE_STRING, .min = 3, .max = 255, .pattern = &name_pattern, .or_arn = true};
const Shape model_positive_integer = {.kind = SHAPE_INTEGER, .min = 1};
const Shape model_resource_arn = {.kind = SHAPE_STRING, .min = 1, .max = 1283};
const Shape model_part_arn = {.kind = SHAPE_STRING, .min = 37, .max = MAX_ARN};
const Shape model_any_long = {.kind = SHAPE_LONG};
const Shape model_page_of_25 = {.kind = SHAPE_INTEGER, .min = 1, .max = 25};
const Shape model_page_of_100 = {.kind = SHAPE_INTEGER, .min = 1, .max = 100};
const Shape model_request_token = {.kind = SHAPE_STRING, .min = 1, .max = 36};
const Shape model_bucket = {.kind = SHAPE_STRING, .max = 255};
const Shape model_object_prefix = {.kind = SHAPE_STRING, .max = 1024};

const Shape model_attribute_name = {.kind = SHAPE_STRING, .max = ITEM_MAX_NAME};
const Shape model_attribute_names = {.kind = SHAPE_LIST, .min = 1, .max = 255, .element = &model_attribute_name};
const Shape model_name_map = {.kind = SHAPE_MAP, .key = &model_string, .element = &model_attribute_name};

/* Values are read by item/; FieldExpand uses the member. */
static const Member value_members[] = {MEMBER("N", model_string)};

const Shape model_value = {.kind = SHAPE_STRUCTURE, .name = "AttributeValue", .raw = true,
.nmembers = lengthof(value_members), .members = value_members};
const Shape model_values = LIST_OF(model_value);
const Shape model_item = {.kind = SHAPE_MAP, .raw = true, .element = &model_value};
const Shape model_value_map = {.kind = SHAPE_MAP, .raw = true, .placeholders = true,
.element = &model_value};

static const char *const return_capacity[] = {"INDEXES", "TOTAL", "NONE", NULL};
static const char *const return_metrics[] = {"SIZE", "NONE", NULL};
static const char *const return_on_failure[] = {"ALL_OLD", "NONE", NULL};
const char *const model_conditional_operators[] = {"OR", "AND", NULL};
static const char *const comparison_operator[] = {
	"IN", "NULL", "BETWEEN", "LT", "NOT_CONTAINS", "EQ", "GT", "NOT_NULL", "NE",
	"LE", "BEGINS_WITH", "GE", "CONTAINS", NULL
};

const Shape model_return_capacity = ENUM(return_capacity);
const Shape model_return_metrics = ENUM(return_metrics);
const Shape model_return_on_failure = ENUM(return_on_failure);
const Shape model_conditional_operator = ENUM(model_conditional_operators);
const Shape model_comparison_operator = ENUM(comparison_operator);

const Shape model_tag_key = {.kind = SHAPE_STRING, .min = 1, .max = 128};
static const Shape tag_value = {.kind = SHAPE_STRING, .max = 256};
static const Member tag_members[] = {
	REQUIRED("Key", model_tag_key),
	MEMBER("Value", tag_value),
};
static const Shape tag = STRUCTURE("Tag", tag_members);

const Shape model_tags = LIST_OF(tag);
