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

void
ListGlobalTablesRequest(Request *request)
{
	EmptyList(request, "GlobalTables");
}

void
ListContributorInsightsRequest(Request *request)
{
	EmptyList(request, "ContributorInsightsSummaries");
}

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

void
DescribeKinesisRequest(Request *request)
{
	WriterStringMember(request->out, "TableName", ExistingTable(request->input));
	EmptyList(request, "KinesisDataStreamDestinations");
}

/* A table has no destinations, so nothing must be disabled. */
void
DisableKinesisRequest(Request *request)
{
	WriterStringMember(request->out, "TableName", ExistingTable(request->input));
	WriterStringMember(request->out, "StreamArn", FieldString(request->input, "StreamArn"));
	WriterStringMember(request->out, "DestinationStatus", "DISABLED");
}

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

void
DescribeContributorInsightsRequest(Request *request)
{
	DescribeInsights(request);
}

void
UpdateContributorInsightsRequest(Request *request)
{
	if (FieldIs(request->input, "ContributorInsightsAction", "ENABLE"))
		InvalidRequest("Contributor insights are not supported");
	DescribeInsights(request);
}

/* Only tables with replicas have auto scaling settings of replicas. */
void
DescribeAutoScalingRequest(Request *request)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
			 errmsg("Global table with name: '%s' does not exist.",
					FieldTableName(request->input))));
}

/* ---- what was never made ---- */

static void
FailNotFound(const Request *request, int sqlstate, const char *kind, const char *member)
{
	ereport(ERROR,
			(errcode(sqlstate),
			 errmsg("%s not found: %s", kind, FieldString(request->input, member))));
}

void
DescribeGlobalTableRequest(Request *request)
{
	FailNotFound(request, ERRCODE_DYNAMO_GLOBAL_TABLE_NOT_FOUND, "Global table", "GlobalTableName");
}

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

void
DeleteResourcePolicyRequest(Request *request)
{
	CheckResource(FieldString(request->input, "ResourceArn"));
}

void
GetResourcePolicyRequest(Request *request)
{
	const char *arn = FieldString(request->input, "ResourceArn");

	CheckResource(arn);
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_POLICY_NOT_FOUND),
			 errmsg("Resource-based policy not found for the provided ResourceArn: %s", arn)));
}
