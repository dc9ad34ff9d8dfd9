/*
 * unsupported.c
 *	  Operations of unsupported features: replicas, streams to Kinesis, insights,
 *	  auto scaling, policies.
 *
 * Tools call these operations for every table.  The responses are those of a
 * table without these features; what disables or deletes one succeeds.
 * Operations that would set them up are unknown.
 */
#include "postgres.h"

#include "errors.h"
#include "request/description.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/params.h"
#include "request/resource.h"

/* ---- lists without elements ---- */

static void
EmptyList(Request *request, const char *name)
{
	WriterName(request->out, name);
	WriterBeginList(request->out);
	WriterEndList(request->out);
}

static const Member list_global_members[] = {
	MEMBER("ExclusiveStartGlobalTableName", model_new_name),
	MEMBER("Limit", model_positive_integer),
	MEMBER("RegionName", model_string),
};
static const Shape list_global_tables_input = STRUCTURE("ListGlobalTablesInput", list_global_members);

static void
ListGlobalTablesRequest(Request *request)
{
	EmptyList(request, "GlobalTables");
}

OPERATION(ListGlobalTables, &list_global_tables_input, ListGlobalTablesRequest);

static const Shape at_most_hundred = {.kind = SHAPE_INTEGER, .max = 100};
static const Member list_insights_members[] = {
	MEMBER("TableName", model_defined_table),
	MEMBER("NextToken", model_string),
	MEMBER("MaxResults", at_most_hundred),
};
static const Shape list_insights_input = STRUCTURE("ListContributorInsightsInput", list_insights_members);

static void
ListContributorInsightsRequest(Request *request)
{
	EmptyList(request, "ContributorInsightsSummaries");
}

OPERATION(ListContributorInsights, &list_insights_input, ListContributorInsightsRequest);

/* ---- of one table ---- */

/*
 * Returns the name of an existing table; raises the error of control
 * operations if it does not exist.
 */
static const char *
ExistingTable(const Field *input)
{
	const char *name = FieldTableName(input);
	OpenedTable table;

	TableOpen(&table, name, AccessShareLock);
	TableClose(&table);
	return name;
}

static const Member table_members[] = {
	REQUIRED("TableName", model_defined_table),
};
static const Shape describe_kinesis_input =
STRUCTURE("DescribeKinesisStreamingDestinationInput", table_members);

static void
DescribeKinesisRequest(Request *request)
{
	WriterStringMember(request->out, "TableName", ExistingTable(request->input));
	EmptyList(request, "KinesisDataStreamDestinations");
}

OPERATION(DescribeKinesisStreamingDestination, &describe_kinesis_input, DescribeKinesisRequest);

static const Member disable_kinesis_members[] = {
	REQUIRED("TableName", model_defined_table),
	REQUIRED("StreamArn", model_part_arn),
};
static const Shape disable_kinesis_input =
STRUCTURE("DisableKinesisStreamingDestinationInput", disable_kinesis_members);

/* A table has no destinations, so nothing must be disabled. */
static void
DisableKinesisRequest(Request *request)
{
	WriterStringMember(request->out, "TableName", ExistingTable(request->input));
	WriterStringMember(request->out, "StreamArn", FieldString(request->input, "StreamArn"));
	WriterStringMember(request->out, "DestinationStatus", "DISABLED");
}

OPERATION(DisableKinesisStreamingDestination, &disable_kinesis_input, DisableKinesisRequest);

static void
DescribeInsights(Request *request)
{
	const char *index = FieldString(request->input, "IndexName");
	OpenedTable table;

	TableOpen(&table, FieldTableName(request->input), AccessShareLock);
	WriterStringMember(request->out, "TableName", table.name);
	if (index != NULL)
	{
		if (TableDefIndex(table.def, index) == NULL)
			IndexNotFound(&table, index);
		WriterStringMember(request->out, "IndexName", index);
	}
	WriterStringMember(request->out, "ContributorInsightsStatus", "DISABLED");
	TableClose(&table);
}

static const Member describe_insights_members[] = {
	REQUIRED("TableName", model_defined_table),
	MEMBER("IndexName", model_new_name),
};
static const Shape describe_insights_input =
STRUCTURE("DescribeContributorInsightsInput", describe_insights_members);

static void
DescribeContributorInsightsRequest(Request *request)
{
	DescribeInsights(request);
}

OPERATION(DescribeContributorInsights, &describe_insights_input, DescribeContributorInsightsRequest);

static const char *const insights_actions[] = {"ENABLE", "DISABLE", NULL};
static const Shape insights_action = ENUM(insights_actions);
static const Member update_insights_members[] = {
	REQUIRED("TableName", model_defined_table),
	MEMBER("IndexName", model_new_name),
	REQUIRED("ContributorInsightsAction", insights_action),
};
static const Shape update_insights_input =
STRUCTURE("UpdateContributorInsightsInput", update_insights_members);

static void
UpdateContributorInsightsRequest(Request *request)
{
	if (FieldIs(request->input, "ContributorInsightsAction", "ENABLE"))
		InvalidRequest("Contributor insights are not supported");
	DescribeInsights(request);
}

OPERATION(UpdateContributorInsights, &update_insights_input, UpdateContributorInsightsRequest);

static const Shape describe_auto_scaling_input =
STRUCTURE("DescribeTableReplicaAutoScalingInput", table_members);

/* Only tables with replicas have auto scaling settings of replicas. */
static void
DescribeAutoScalingRequest(Request *request)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
			 errmsg("Global table with name: '%s' does not exist.",
					FieldTableName(request->input))));
}

OPERATION(DescribeTableReplicaAutoScaling, &describe_auto_scaling_input, DescribeAutoScalingRequest);

/* ---- what was never made ---- */

static void
FailNotFound(const Request *request, int sqlstate, const char *kind, const char *member)
{
	ereport(ERROR,
			(errcode(sqlstate),
			 errmsg("%s not found: %s", kind, FieldString(request->input, member))));
}

static const Member global_table_members[] = {
	REQUIRED("GlobalTableName", model_new_name),
};
static const Shape describe_global_table_input =
STRUCTURE("DescribeGlobalTableInput", global_table_members);

static void
DescribeGlobalTableRequest(Request *request)
{
	FailNotFound(request, ERRCODE_DYNAMO_GLOBAL_TABLE_NOT_FOUND, "Global table", "GlobalTableName");
}

OPERATION(DescribeGlobalTable, &describe_global_table_input, DescribeGlobalTableRequest);

/* ---- policies ---- */

/*
 * Raises an error unless the ARN is that of an existing table or of its
 * stream.
 */
static void
CheckResource(const char *arn)
{
	char	   *name = ResourceTable(arn);

	if (name != NULL && !TableExists(name))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: Table: %s not found", name)));
}

static const Member delete_policy_members[] = {
	REQUIRED("ResourceArn", model_resource_arn),
	MEMBER("ExpectedRevisionId", model_string),
};
static const Shape delete_resource_policy_input = STRUCTURE("DeleteResourcePolicyInput", delete_policy_members);

static void
DeleteResourcePolicyRequest(Request *request)
{
	CheckResource(FieldString(request->input, "ResourceArn"));
}

OPERATION(DeleteResourcePolicy, &delete_resource_policy_input, DeleteResourcePolicyRequest);

static const Member get_policy_members[] = {
	REQUIRED("ResourceArn", model_resource_arn),
};
static const Shape get_resource_policy_input = STRUCTURE("GetResourcePolicyInput", get_policy_members);

static void
GetResourcePolicyRequest(Request *request)
{
	const char *arn = FieldString(request->input, "ResourceArn");

	CheckResource(arn);
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_POLICY_NOT_FOUND),
			 errmsg("Resource-based policy not found for the provided ResourceArn: %s", arn)));
}

OPERATION(GetResourcePolicy, &get_resource_policy_input, GetResourcePolicyRequest);
