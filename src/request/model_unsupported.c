/*
 * model_unsupported.c
 *	  Inputs of the operations of unsupported features.
 */
#include "postgres.h"

#include "request/model.h"

static const Shape at_most_hundred = {.kind = SHAPE_INTEGER, .max = 100};

static const Member table_members[] = {
	REQUIRED("TableName", model_defined_table),
};
const Shape model_describe_kinesis =
STRUCTURE("DescribeKinesisStreamingDestinationInput", table_members);
const Shape model_describe_auto_scaling =
STRUCTURE("DescribeTableReplicaAutoScalingInput", table_members);

static const Member describe_insights_members[] = {
	REQUIRED("TableName", model_defined_table),
	MEMBER("IndexName", model_new_name),
};
const Shape model_describe_insights =
STRUCTURE("DescribeContributorInsightsInput", describe_insights_members);

static const Member list_insights_members[] = {
	MEMBER("TableName", model_defined_table),
	MEMBER("NextToken", model_string),
	MEMBER("MaxResults", at_most_hundred),
};
const Shape model_list_insights = STRUCTURE("ListContributorInsightsInput", list_insights_members);

static const Member list_global_members[] = {
	MEMBER("ExclusiveStartGlobalTableName", model_new_name),
	MEMBER("Limit", model_positive_integer),
	MEMBER("RegionName", model_string),
};
const Shape model_list_global_tables = STRUCTURE("ListGlobalTablesInput", list_global_members);

/* ---- what a disabling or deleting operation takes ---- */

static const char *const insights_actions[] = {"ENABLE", "DISABLE", NULL};
static const Shape insights_action = ENUM(insights_actions);
static const Member update_insights_members[] = {
	REQUIRED("TableName", model_defined_table),
	MEMBER("IndexName", model_new_name),
	REQUIRED("ContributorInsightsAction", insights_action),
};
const Shape model_update_insights =
STRUCTURE("UpdateContributorInsightsInput", update_insights_members);

/* The ARN of an object below a table. */
static const Shape part_arn = {.kind = SHAPE_STRING, .min = 37, .max = MAX_ARN};

static const Member disable_kinesis_members[] = {
	REQUIRED("TableName", model_defined_table),
	REQUIRED("StreamArn", part_arn),
};
const Shape model_disable_kinesis =
STRUCTURE("DisableKinesisStreamingDestinationInput", disable_kinesis_members);

static const Member delete_policy_members[] = {
	REQUIRED("ResourceArn", model_resource_arn),
	MEMBER("ExpectedRevisionId", model_string),
};
const Shape model_delete_policy = STRUCTURE("DeleteResourcePolicyInput", delete_policy_members);

static const Member global_table_members[] = {
	REQUIRED("GlobalTableName", model_new_name),
};
const Shape model_describe_global_table =
STRUCTURE("DescribeGlobalTableInput", global_table_members);

static const Member get_policy_members[] = {
	REQUIRED("ResourceArn", model_resource_arn),
};
const Shape model_get_policy = STRUCTURE("GetResourcePolicyInput", get_policy_members);
