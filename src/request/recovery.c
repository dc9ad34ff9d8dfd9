/*
 * recovery.c
 *	  UpdateContinuousBackups and DescribeContinuousBackups.
 */
#include "postgres.h"

#include "archive/archive_past.h"
#include "datatype/timestamp.h"
#include "ddl/table_settings.h"
#include "errors.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/params.h"
#include "request/recovery.h"
#include "request/table_params.h"
#include "security/settings_owner.h"
#include "stream/stream.h"

#define DEFAULT_RECOVERY_DAYS	35

/* The view type of the stream that recovery starts. */
#define RECOVERY_VIEW	"NEW_AND_OLD_IMAGES"

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

/* ---- times ---- */

RecoveryWindow
RecoveryWindowOf(const OpenedTable *table)
{
	RecoveryWindow window = {.latest = SettingsTime()};
	int64		since;

	window.recorded = PastIsRecorded(table->rel, &since);
	window.earliest = window.latest;
	if (!window.recorded)
		return window;
	since = Max(since, table->settings->recovery_since);
	since = Max(since, window.latest - table->settings->recovery_days * USECS_PER_DAY);
	window.recorded = since <= window.latest;
	window.earliest = Min(since, window.latest);
	return window;
}

void
CheckRecovery(const OpenedTable *table)
{
	if (table->settings->recovery_days == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RECOVERY_UNAVAILABLE),
				 errmsg("Point in time recovery is not enabled for table '%s'", table->name),
				 errhint("Call UpdateContinuousBackups.")));
}

/* ---- the stream ---- */

bool
RecoveryHidesStream(const OpenedTable *table)
{
	const char *hidden = table->settings->recovery_stream;
	TableStream stream;

	return hidden != NULL && TableStreamOf(table->rel, &stream) && strcmp(stream.label, hidden) == 0;
}

static bool
HasStreamWithOld(const OpenedTable *table)
{
	TableStream stream;

	return TableStreamOf(table->rel, &stream) && StreamViewHasOld(stream.view);
}

/* What the settings say of the open stream: shown, with its label, or hidden. */
static void
ShowStream(OpenedTable *table)
{
	TableStream stream;

	if (TableStreamOf(table->rel, &stream))
		table->settings->stream_label = pstrdup(stream.label);
	table->settings->recovery_stream = NULL;
}

static void
HideStream(OpenedTable *table)
{
	TableStream stream;

	if (TableStreamOf(table->rel, &stream))
		table->settings->recovery_stream = pstrdup(stream.label);
}

/* Starts the stream that recovery needs, of which requests show nothing. */
static void
StartHiddenStream(OpenedTable *table, const char *name)
{
	char	   *label = table->settings->stream_label;

	TableClose(table);
	(void) StreamEnable(name, RECOVERY_VIEW);
	TableOpen(table, name, ShareRowExclusiveLock);
	HideStream(table);
	table->settings->stream_label = label;
}

static void
RefuseStreamView(const OpenedTable *table, const char *view)
{
	if (table->settings->recovery_days > 0 && !StreamViewHasOld(view))
		InvalidRequest("Invalid Request: StreamViewType %s is not possible while point-in-time recovery is enabled, "
					   "which needs a stream with old images", view);
}

/* Returns whether the stream that is hidden is what is wanted. */
static bool
EnableShownStream(OpenedTable *table, const char *view)
{
	RefuseStreamView(table, view);
	if (!RecoveryHidesStream(table))
		return false;
	if (strcmp(view, RECOVERY_VIEW) != 0)
	{
		StreamDisable(table->name);
		return false;
	}
	ShowStream(table);
	TableSettingsWrite(table->rel, table->settings);
	return true;
}

/* Returns whether the stream remains, because it is needed, or is not shown anyway. */
static bool
DisableShownStream(OpenedTable *table)
{
	if (RecoveryHidesStream(table))
		InvalidRequest("Table has no stream to disable: TableName: %s", table->name);
	if (table->settings->recovery_days == 0 || !HasStreamWithOld(table))
		return false;
	HideStream(table);
	TableSettingsWrite(table->rel, table->settings);
	return true;
}

void
RecoveryChangeStream(const char *name, const Field *stream)
{
	bool		enable = FieldBool(stream, "StreamEnabled", false);
	const char *view = FieldString(stream, "StreamViewType");
	OpenedTable table;
	bool		done;

	TableOpen(&table, name, AccessShareLock);
	done = enable ? EnableShownStream(&table, view) : DisableShownStream(&table);
	TableClose(&table);
	if (done)
		return;
	if (enable)
		(void) StreamEnable(name, view);
	else
		StreamDisable(name);
}

/* ---- the answer ---- */

static void
WriterRecovery(Writer *out, const OpenedTable *table)
{
	bool		enabled = table->settings->recovery_days > 0;

	WriterName(out, "PointInTimeRecoveryDescription");
	WriterBeginObject(out);
	WriterStringMember(out, "PointInTimeRecoveryStatus", enabled ? "ENABLED" : "DISABLED");
	if (enabled)
	{
		RecoveryWindow window = RecoveryWindowOf(table);

		WriterIntegerMember(out, "RecoveryPeriodInDays", table->settings->recovery_days);
		WriterTimeMember(out, "EarliestRestorableDateTime", window.earliest);
		WriterTimeMember(out, "LatestRestorableDateTime", window.latest);
	}
	WriterEndObject(out);
}

static void
WriterContinuousBackups(Writer *out, const OpenedTable *table)
{
	WriterName(out, "ContinuousBackupsDescription");
	WriterBeginObject(out);
	/* the service returns this for every table, whatever its settings */
	WriterStringMember(out, "ContinuousBackupsStatus", "ENABLED");
	WriterRecovery(out, table);
	WriterEndObject(out);
}

/* ---- operations ---- */

static void
RefuseRecovery(const OpenedTable *table, const char *reason, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_BACKUPS_UNAVAILABLE),
			 errmsg("Backups are not available for the table: %s. %s", table->name, reason),
			 errhint("%s", hint)));
}

/* Makes sure that changes are recorded; or refuses what could not be kept. */
static void
EnableRecovery(OpenedTable *table, const char *name, int64 days)
{
	TableStream stream;

	if (table->def->distributed)
		RefuseRecovery(table, "A distributed table cannot be restored to a time.",
					   "Use CreateBackup, or the archiving of the servers.");
	if (!TableStreamOf(table->rel, &stream))
		StartHiddenStream(table, name);
	else if (!StreamViewHasOld(stream.view))
		RefuseRecovery(table, psprintf("Its stream has the view type %s, without the old images that a restore needs.", stream.view),
					   "Disable the stream, or enable it with NEW_AND_OLD_IMAGES.");
	if (table->settings->recovery_days == 0)
		table->settings->recovery_since = SettingsTime();
	table->settings->recovery_days = days;
}

static void
DisableRecovery(OpenedTable *table, const char *name)
{
	bool		hidden = RecoveryHidesStream(table);

	table->settings->recovery_days = 0;
	table->settings->recovery_stream = NULL;
	TableSettingsWrite(table->rel, table->settings);
	if (!hidden)
		return;
	TableClose(table);
	StreamDisable(name);
	TableOpen(table, name, AccessShareLock);
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
	if (enabled)
	{
		EnableRecovery(&table, FieldTableName(request->input),
					   FieldInteger(specification, "RecoveryPeriodInDays", DEFAULT_RECOVERY_DAYS));
		TableSettingsWrite(table.rel, table.settings);
	}
	else
		DisableRecovery(&table, FieldTableName(request->input));
	WriterContinuousBackups(request->out, &table);
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
	WriterContinuousBackups(request->out, &table);
	TableClose(&table);
}

OPERATION(DescribeContinuousBackups, &describe_recovery_input, DescribeContinuousBackupsRequest,
		  .on_coordinator = true);
