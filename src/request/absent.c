/*
 * absent.c
 *	  Read-only operations of unsupported features: backups, exports, replicas,
 *	  streams to Kinesis, insights, auto scaling, policies.
 *
 * Tools call these operations for every table.  The responses are those of a
 * table without these features.  Operations that would set them up are
 * unknown.
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
ListBackupsRequest(Request *request)
{
	EmptyList(request, "BackupSummaries");
}

void
ListExportsRequest(Request *request)
{
	EmptyList(request, "ExportSummaries");
}

void
ListImportsRequest(Request *request)
{
	EmptyList(request, "ImportSummaryList");
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

/* Raises the control plane's error if the table does not exist; its name. */
static const char *
ExistingTable(const Field *input)
{
	const char *name = FieldTableName(input);
	OpenedTable table;

	TableOpen(&table, name, AccessShareLock);
	TableClose(&table);
	return name;
}

/* This operation has an exception of its own for a table that is not there. */
void
DescribeContinuousBackupsRequest(Request *request)
{
	Writer	   *out = request->out;
	const char *name = FieldTableName(request->input);

	if (!TableExists(name))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_TABLE_NOT_FOUND),
				 errmsg("Table not found: %s", name)));
	WriterName(out, "ContinuousBackupsDescription");
	WriterBeginObject(out);
	/* so says the service of every table, whatever is set up */
	WriterStringMember(out, "ContinuousBackupsStatus", "ENABLED");
	WriterName(out, "PointInTimeRecoveryDescription");
	WriterBeginObject(out);
	WriterStringMember(out, "PointInTimeRecoveryStatus", "DISABLED");
	WriterEndObject(out);
	WriterEndObject(out);
}

void
DescribeKinesisRequest(Request *request)
{
	WriterStringMember(request->out, "TableName", ExistingTable(request->input));
	EmptyList(request, "KinesisDataStreamDestinations");
}

void
DescribeContributorInsightsRequest(Request *request)
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

/* Only tables with replicas have anything to describe. */
void
DescribeAutoScalingRequest(Request *request)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
			 errmsg("Global table with name: '%s' does not exist.",
					FieldTableName(request->input))));
}

/* ---- policies ---- */

void
GetResourcePolicyRequest(Request *request)
{
	const char *arn = FieldString(request->input, "ResourceArn");
	char	   *name = ResourceTable(arn);

	if (name != NULL && !TableExists(name))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: Table: %s not found", name)));
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_POLICY_NOT_FOUND),
			 errmsg("Resource-based policy not found for the provided ResourceArn: %s", arn)));
}
