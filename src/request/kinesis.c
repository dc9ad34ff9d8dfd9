/*
 * kinesis.c
 *	  Kinesis destinations of tables.
 *
 * No stream of Kinesis can be reached from here.  The service accepts a
 * destination that it cannot reach, and reports later that enabling it has
 * failed.  So a destination is stored, and is ENABLE_FAILED from the next request
 * on until it is disabled.
 */
#include "postgres.h"

#include "errors.h"
#include "request/description.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/params.h"
#include "security/settings_owner.h"

#define MAX_DESTINATIONS	10	/* that a table remembers */

#define STATUS_FAILED	"ENABLE_FAILED"
#define STATUS_DISABLED "DISABLED"

/*
 * The value of an attachment: the status, and after a space the precision if
 * one was requested.
 */
static char *
DestinationStatus(const TableAttachment *destination)
{
	return pnstrdup(destination->value, strcspn(destination->value, " "));
}

static const char *
DestinationPrecision(const TableAttachment *destination)
{
	const char *space = strchr(destination->value, ' ');

	return space != NULL ? space + 1 : NULL;
}

static bool
DestinationIs(const TableAttachment *destination, const char *status)
{
	return strcmp(DestinationStatus(destination), status) == 0;
}

/* A new destination takes the place of the oldest one that is disabled. */
static void
MakeRoomForDestination(const OpenedTable *table)
{
	int			n;
	TableAttachment *all = TableAttachmentsRead(table->rel, ATTACHED_KINESIS, &n);
	const TableAttachment *oldest = NULL;

	if (n < MAX_DESTINATIONS)
		return;
	for (int i = 0; i < n; i++)
	{
		if (DestinationIs(&all[i], STATUS_DISABLED) && (oldest == NULL || all[i].changed < oldest->changed))
			oldest = &all[i];
	}
	if (oldest == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_LIMIT_EXCEEDED),
				 errmsg("Table %s has %d Kinesis streaming destinations: disable one first",
						table->name, MAX_DESTINATIONS)));
	TableAttachmentRemove(table->rel, ATTACHED_KINESIS, oldest->name);
}

static void
WriterDestination(Writer *out, const OpenedTable *table, const char *arn, const char *status)
{
	WriterStringMember(out, "TableName", table->name);
	WriterStringMember(out, "StreamArn", arn);
	WriterStringMember(out, "DestinationStatus", status);
}

/* A member with the precision, if there is one. */
static void
WriterPrecision(Writer *out, const char *name, const char *precision)
{
	if (precision == NULL)
		return;
	WriterName(out, name);
	WriterBeginObject(out);
	WriterStringMember(out, "ApproximateCreationDateTimePrecision", precision);
	WriterEndObject(out);
}

/* ---- DescribeKinesisStreamingDestination ---- */

static const Member table_members[] = {
	REQUIRED("TableName", model_defined_table),
};
static const Shape describe_kinesis_input =
STRUCTURE("DescribeKinesisStreamingDestinationInput", table_members);

static void
WriterDescription(Writer *out, const TableAttachment *destination)
{
	const char *precision = DestinationPrecision(destination);

	WriterBeginObject(out);
	WriterStringMember(out, "StreamArn", destination->name);
	WriterStringMember(out, "DestinationStatus", DestinationStatus(destination));
	if (DestinationIs(destination, STATUS_FAILED))
		WriterStringMember(out, "DestinationStatusDescription", "The stream cannot be reached from this server.");
	if (precision != NULL)
		WriterStringMember(out, "ApproximateCreationDateTimePrecision", precision);
	WriterEndObject(out);
}

static void
DescribeKinesisRequest(Request *request)
{
	Writer	   *out = request->out;
	OpenedTable table;
	TableAttachment *all;
	int			n;

	TableOpen(&table, FieldTableName(request->input), AccessShareLock);
	all = TableAttachmentsRead(table.rel, ATTACHED_KINESIS, &n);
	WriterStringMember(out, "TableName", table.name);
	WriterName(out, "KinesisDataStreamDestinations");
	WriterBeginList(out);
	for (int i = 0; i < n; i++)
		WriterDescription(out, &all[i]);
	WriterEndList(out);
	TableClose(&table);
}

OPERATION(DescribeKinesisStreamingDestination, &describe_kinesis_input, DescribeKinesisRequest, .on_coordinator = true);

/* ---- changes ---- */

static const char *const precisions[] = {"MILLISECOND", "MICROSECOND", NULL};
static const Shape precision_name = ENUM(precisions);
static const Member configuration_members[] = {
	MEMBER("ApproximateCreationDateTimePrecision", precision_name),
};
static const Shape enable_configuration = STRUCTURE("EnableKinesisStreamingConfiguration", configuration_members);
static const Shape update_configuration = STRUCTURE("UpdateKinesisStreamingConfiguration", configuration_members);
static const Member enable_kinesis_members[] = {
	REQUIRED("TableName", model_defined_table),
	REQUIRED("StreamArn", model_part_arn),
	MEMBER("EnableKinesisStreamingConfiguration", enable_configuration),
};
static const Member update_kinesis_members[] = {
	REQUIRED("TableName", model_defined_table),
	REQUIRED("StreamArn", model_part_arn),
	MEMBER("UpdateKinesisStreamingConfiguration", update_configuration),
};
static const Shape enable_kinesis_input =
STRUCTURE("EnableKinesisStreamingDestinationInput", enable_kinesis_members);
static const Shape disable_kinesis_input =
STRUCTURE("DisableKinesisStreamingDestinationInput", enable_kinesis_members);
static const Shape update_kinesis_input =
STRUCTURE("UpdateKinesisStreamingDestinationInput", update_kinesis_members);

/* The precision in the configuration of a request, or NULL. */
static const char *
RequestedPrecision(const Request *request, const char *name)
{
	const Field *configuration = FieldMember(request->input, name);

	return configuration != NULL ? FieldString(configuration, "ApproximateCreationDateTimePrecision") : NULL;
}

static void
StoreDestination(const OpenedTable *table, const char *arn, const char *status, const char *precision)
{
	TableAttachment destination = {
		.name = pstrdup(arn),
		.value = precision != NULL ? psprintf("%s %s", status, precision) : pstrdup(status),
		.changed = SettingsTime()
	};

	TableAttachmentWrite(table->rel, ATTACHED_KINESIS, &destination);
}

static void
EnableKinesisRequest(Request *request)
{
	const char *arn = FieldString(request->input, "StreamArn");
	const char *precision = RequestedPrecision(request, "EnableKinesisStreamingConfiguration");
	OpenedTable table;

	TableOpen(&table, FieldTableName(request->input), ShareUpdateExclusiveLock);
	if (TableAttachmentRead(table.rel, ATTACHED_KINESIS, arn) == NULL)
		MakeRoomForDestination(&table);
	StoreDestination(&table, arn, STATUS_FAILED, precision);
	WriterDestination(request->out, &table, arn, "ENABLING");
	WriterPrecision(request->out, "EnableKinesisStreamingConfiguration", precision);
	TableClose(&table);
}

OPERATION(EnableKinesisStreamingDestination, &enable_kinesis_input, EnableKinesisRequest, .changes = "TableName");

/* Opens the table and returns its destination, which must be there. */
static const TableAttachment *
OpenDestination(OpenedTable *table, const Request *request)
{
	const char *arn = FieldString(request->input, "StreamArn");
	const TableAttachment *destination;

	TableOpen(table, FieldTableName(request->input), ShareUpdateExclusiveLock);
	destination = TableAttachmentRead(table->rel, ATTACHED_KINESIS, arn);
	if (destination == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: Kinesis streaming destination %s of table %s not found",
						arn, table->name)));
	return destination;
}

static void
WrongState(const char *verb, const char *operation, const char *needed, const char *change)
{
	InvalidRequest("Table is not in a valid state to %s Kinesis Streaming Destination: "
				   "%sKinesisStreamingDestination must be %s to perform %s operation.",
				   verb, operation, needed, change);
}

static void
DisableKinesisRequest(Request *request)
{
	OpenedTable table;
	const TableAttachment *destination = OpenDestination(&table, request);
	const char *precision = DestinationPrecision(destination);

	if (DestinationIs(destination, STATUS_DISABLED))
		WrongState("disable", "Disable", "ACTIVE or ENABLE_FAILED", "DISABLE");
	StoreDestination(&table, destination->name, STATUS_DISABLED, precision);
	WriterDestination(request->out, &table, destination->name, "DISABLING");
	WriterPrecision(request->out, "EnableKinesisStreamingConfiguration", precision);
	TableClose(&table);
}

OPERATION(DisableKinesisStreamingDestination, &disable_kinesis_input, DisableKinesisRequest, .changes = "TableName");

/* No destination is ever active. */
static void
UpdateKinesisRequest(Request *request)
{
	OpenedTable table;

	(void) OpenDestination(&table, request);
	WrongState("update", "Update", "ACTIVE", "UPDATE");
}

OPERATION(UpdateKinesisStreamingDestination, &update_kinesis_input, UpdateKinesisRequest, .changes = "TableName");
