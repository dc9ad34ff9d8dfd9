/*
 * global_tables.c
 *	  Global tables: there are none, since no server is a region's replica.
 *
 * Tools ask for them for every table.  The responses are those of the service
 * for a table without replicas; what would make or change some is refused, after
 * the check of its parameters.
 */
#include "postgres.h"

#include "errors.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/params.h"

static void
NoGlobalTable(const Request *request)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_GLOBAL_TABLE_NOT_FOUND),
			 errmsg("Global table not found: Global table with name: '%s' does not exist.",
					FieldString(request->input, "GlobalTableName"))));
}

/* Auto scaling of replicas has an exception of its own. */
static void
NoReplicas(const Request *request)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
			 errmsg("Global table with name: '%s' does not exist.", FieldTableName(request->input))));
}

/* ---- parts of models: what is inside them is never used ---- */

static const Shape region_update = {.kind = SHAPE_STRUCTURE, .name = "ReplicaUpdate"};
static const Shape region_updates = LIST_OF(region_update);
static const Shape scaling_update = {.kind = SHAPE_STRUCTURE, .name = "AutoScalingSettingsUpdate"};
static const Shape settings_update = {.kind = SHAPE_STRUCTURE, .name = "ReplicaSettingsUpdate"};
static const Shape index_scaling_updates = {.kind = SHAPE_LIST, .min = 1, .element = &scaling_update};
static const Shape index_settings_updates = {.kind = SHAPE_LIST, .min = 1, .max = 20, .element = &settings_update};
static const Shape replica_settings_updates = {.kind = SHAPE_LIST, .min = 1, .max = 50, .element = &settings_update};
static const Shape replica_scaling_updates = {.kind = SHAPE_LIST, .min = 1, .element = &settings_update};
static const Shape positive_units = {.kind = SHAPE_LONG, .min = 1};

static const Member replica_members[] = {
	MEMBER("RegionName", model_string),
};
static const Shape replica = STRUCTURE("Replica", replica_members);
static const Shape replica_group = LIST_OF(replica);

/* ---- global tables of 2017, which the service itself no longer makes ---- */

static const Member list_global_members[] = {
	MEMBER("ExclusiveStartGlobalTableName", model_new_name),
	MEMBER("Limit", model_positive_integer),
	MEMBER("RegionName", model_string),
};
static const Shape list_global_tables_input = STRUCTURE("ListGlobalTablesInput", list_global_members);

static void
ListGlobalTablesRequest(Request *request)
{
	WriterName(request->out, "GlobalTables");
	WriterBeginList(request->out);
	WriterEndList(request->out);
}

OPERATION(ListGlobalTables, &list_global_tables_input, ListGlobalTablesRequest);

static const Member create_global_members[] = {
	REQUIRED("GlobalTableName", model_new_name),
	REQUIRED("ReplicationGroup", replica_group),
};
static const Shape create_global_table_input = STRUCTURE("CreateGlobalTableInput", create_global_members);

static void
CreateGlobalTableRequest(Request *request)
{
	InvalidRequest("Global tables of version 2017.11.29 cannot be created: %s",
				   FieldString(request->input, "GlobalTableName"));
}

OPERATION(CreateGlobalTable, &create_global_table_input, CreateGlobalTableRequest);

static const Member global_table_members[] = {
	REQUIRED("GlobalTableName", model_new_name),
};
static const Shape describe_global_table_input = STRUCTURE("DescribeGlobalTableInput", global_table_members);

static void
DescribeGlobalTableRequest(Request *request)
{
	NoGlobalTable(request);
}

OPERATION(DescribeGlobalTable, &describe_global_table_input, DescribeGlobalTableRequest);

static const Member update_global_members[] = {
	REQUIRED("GlobalTableName", model_new_name),
	REQUIRED("ReplicaUpdates", region_updates),
};
static const Shape update_global_table_input = STRUCTURE("UpdateGlobalTableInput", update_global_members);

static void
UpdateGlobalTableRequest(Request *request)
{
	NoGlobalTable(request);
}

OPERATION(UpdateGlobalTable, &update_global_table_input, UpdateGlobalTableRequest);

static const Shape describe_global_settings_input = STRUCTURE("DescribeGlobalTableSettingsInput", global_table_members);

static void
DescribeGlobalSettingsRequest(Request *request)
{
	NoGlobalTable(request);
}

OPERATION(DescribeGlobalTableSettings, &describe_global_settings_input, DescribeGlobalSettingsRequest);

static const Member update_settings_members[] = {
	REQUIRED("GlobalTableName", model_new_name),
	MEMBER("GlobalTableBillingMode", model_billing_mode),
	MEMBER("GlobalTableProvisionedWriteCapacityUnits", positive_units),
	MEMBER("GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate", scaling_update),
	MEMBER("GlobalTableGlobalSecondaryIndexSettingsUpdate", index_settings_updates),
	MEMBER("ReplicaSettingsUpdate", replica_settings_updates),
};
static const Shape update_global_settings_input = STRUCTURE("UpdateGlobalTableSettingsInput", update_settings_members);

static void
UpdateGlobalSettingsRequest(Request *request)
{
	NoGlobalTable(request);
}

OPERATION(UpdateGlobalTableSettings, &update_global_settings_input, UpdateGlobalSettingsRequest);

/* ---- auto scaling of replicas ---- */

static const Member table_members[] = {
	REQUIRED("TableName", model_defined_table),
};
static const Shape describe_auto_scaling_input =
STRUCTURE("DescribeTableReplicaAutoScalingInput", table_members);

static void
DescribeAutoScalingRequest(Request *request)
{
	NoReplicas(request);
}

OPERATION(DescribeTableReplicaAutoScaling, &describe_auto_scaling_input, DescribeAutoScalingRequest);

static const Member update_scaling_members[] = {
	MEMBER("GlobalSecondaryIndexUpdates", index_scaling_updates),
	REQUIRED("TableName", model_defined_table),
	MEMBER("ProvisionedWriteCapacityAutoScalingUpdate", scaling_update),
	MEMBER("ReplicaUpdates", replica_scaling_updates),
};
static const Shape update_auto_scaling_input =
STRUCTURE("UpdateTableReplicaAutoScalingInput", update_scaling_members);

static void
UpdateAutoScalingRequest(Request *request)
{
	NoReplicas(request);
}

OPERATION(UpdateTableReplicaAutoScaling, &update_auto_scaling_input, UpdateAutoScalingRequest);
