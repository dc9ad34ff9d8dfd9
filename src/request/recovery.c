/*
 * recovery.c
 *	  UpdateContinuousBackups and DescribeContinuousBackups.
 *
 * Point-in-time recovery of a table is a setting that is stored and returned.
 * What protects the data is the server's archiving of its log, for all tables at
 * once.  So restorable times are returned only if the server archives, and a
 * warning is raised otherwise.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "datatype/timestamp.h"

#include "errors.h"
#include "request/description.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/params.h"
#include "request/table_params.h"
#include "security/settings_owner.h"
#include "ddl/table_settings.h"

#define DEFAULT_RECOVERY_DAYS	35

/* The age of the latest restorable time, from the service's reference. */
#define RECOVERY_LAG	(300 * USECS_PER_SEC)

/*
 * Opens the table; these operations have an exception of their own for a
 * missing table.
 */
static void
OpenExisting(OpenedTable *table, const Field *input, LOCKMODE lockmode)
{
	const char *name = FieldTableName(input);

	if (!TableExists(name))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_TABLE_NOT_FOUND),
				 errmsg("Table not found: %s", name)));
	TableOpen(table, name, lockmode);
}

static void
WriterRestorableTimes(Writer *out, const TableSettings *settings)
{
	int64		now = SettingsTime();
	int64		earliest = now - settings->recovery_days * USECS_PER_DAY;

	WriterTimeMember(out, "EarliestRestorableDateTime", Max(settings->recovery_since, earliest));
	WriterTimeMember(out, "LatestRestorableDateTime",
					 Max(settings->recovery_since, now - RECOVERY_LAG));
}

static void
WriterRecovery(Writer *out, const TableSettings *settings)
{
	bool		enabled = settings->recovery_days > 0;

	WriterName(out, "PointInTimeRecoveryDescription");
	WriterBeginObject(out);
	WriterStringMember(out, "PointInTimeRecoveryStatus", enabled ? "ENABLED" : "DISABLED");
	if (enabled)
		WriterIntegerMember(out, "RecoveryPeriodInDays", settings->recovery_days);
	if (enabled && XLogArchivingActive())
		WriterRestorableTimes(out, settings);
	WriterEndObject(out);
}

static void
WriterContinuousBackups(Writer *out, const TableSettings *settings)
{
	WriterName(out, "ContinuousBackupsDescription");
	WriterBeginObject(out);
	/* the service returns this for every table, whatever its settings */
	WriterStringMember(out, "ContinuousBackupsStatus", "ENABLED");
	WriterRecovery(out, settings);
	WriterEndObject(out);
}

static void
WarnWithoutArchiving(const char *table_name)
{
	if (XLogArchivingActive())
		return;
	ereport(WARNING,
			(errmsg("point-in-time recovery of table \"%s\" is recorded but the server does not archive its log",
					table_name),
			 errhint("Set \"archive_mode\" and take base backups.")));
}

static void
SetRecovery(TableSettings *settings, bool enabled, int64 days)
{
	if (enabled && settings->recovery_days == 0)
		settings->recovery_since = SettingsTime();
	settings->recovery_days = enabled ? days : 0;
}

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
static const Shape update_recovery_input = STRUCTURE("UpdateContinuousBackupsInput", update_recovery_members);

static void
UpdateContinuousBackupsRequest(Request *request)
{
	const Field *specification = FieldMember(request->input, "PointInTimeRecoverySpecification");
	bool		enabled = FieldBool(specification, "PointInTimeRecoveryEnabled", false);
	OpenedTable table;

	if (!enabled && FieldMember(specification, "RecoveryPeriodInDays") != NULL)
		InvalidRequest("Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.");
	OpenExisting(&table, request->input, ShareUpdateExclusiveLock);
	SetRecovery(table.settings, enabled,
				FieldInteger(specification, "RecoveryPeriodInDays", DEFAULT_RECOVERY_DAYS));
	TableSettingsWrite(table.rel, table.settings);
	if (enabled)
		WarnWithoutArchiving(table.name);
	WriterContinuousBackups(request->out, table.settings);
	TableClose(&table);
}

OPERATION(UpdateContinuousBackups, &update_recovery_input, UpdateContinuousBackupsRequest, .changes = "TableName");

static const Member table_members[] = {
	REQUIRED("TableName", model_defined_table),
};
static const Shape describe_recovery_input = STRUCTURE("DescribeContinuousBackupsInput", table_members);

static void
DescribeContinuousBackupsRequest(Request *request)
{
	OpenedTable table;

	OpenExisting(&table, request->input, AccessShareLock);
	WriterContinuousBackups(request->out, table.settings);
	TableClose(&table);
}

OPERATION(DescribeContinuousBackups, &describe_recovery_input, DescribeContinuousBackupsRequest,
		  .on_coordinator = true);
