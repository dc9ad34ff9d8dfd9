/*
 * backups.c
 *	  CreateBackup, DescribeBackup, DeleteBackup and ListBackups.
 *
 * A backup is an export with a description of its table, in a directory that
 * is no bucket.  A backup that failed does not exist for clients, but they may delete it.
 */
#include "postgres.h"

#include "datatype/timestamp.h"

#include "archive/archive_model.h"
#include "archive/archive_remove.h"
#include "errors.h"
#include "request/backup_details.h"
#include "request/backups.h"
#include "request/job_request.h"
#include "request/model.h"
#include "request/params.h"

#define PAGE_LIMIT	100

static const Member create_backup_members[] = {
	REQUIRED("TableName", model_defined_table),
	REQUIRED("BackupName", model_new_name),
};
static const Shape create_backup_input = STRUCTURE("CreateBackupInput", create_backup_members);

/* ---- answers ---- */

static const char *
BackupStatus(const Job *backup)
{
	return JobIsUnfinished(backup) ? "CREATING" : "AVAILABLE";
}

static void
WriterBackupMembers(Writer *out, const Job *backup, const char *status)
{
	WriterStringMember(out, "BackupArn", backup->arn);
	WriterStringMember(out, "BackupName",
					   FieldString(JobInput(backup, &create_backup_input), "BackupName"));
	WriterIntegerMember(out, "BackupSizeBytes", backup->bytes);
	WriterStringMember(out, "BackupStatus", status);
	WriterStringMember(out, "BackupType", "USER");
	WriterTimeMember(out, "BackupCreationDateTime", backup->started);
}

static void
WriterBackupDetails(Writer *out, const Job *backup, const char *status)
{
	WriterName(out, "BackupDetails");
	WriterBeginObject(out);
	WriterBackupMembers(out, backup, status);
	WriterEndObject(out);
}

static void
WriterSourceTable(Writer *out, const Job *backup, const Field *details)
{
	const Field *creation = FieldMember(details, "Creation");

	WriterName(out, "SourceTableDetails");
	WriterBeginObject(out);
	WriterStringMember(out, "TableName", backup->table_name);
	WriterStringMember(out, "TableId", backup->table_id);
	WriterStringMember(out, "TableArn", backup->table_arn);
	WriterIntegerMember(out, "TableSizeBytes", backup->bytes);
	WriterGivenMember(out, creation, "KeySchema");
	WriterGivenMember(out, details, "TableCreationDateTime");
	WriterGivenMember(out, creation, "ProvisionedThroughput");
	WriterGivenMember(out, creation, "OnDemandThroughput");
	WriterIntegerMember(out, "ItemCount", backup->items);
	WriterGivenMember(out, creation, "BillingMode");
	WriterEndObject(out);
}

static void
WriterBackup(Writer *out, const Job *backup, const char *status)
{
	const Field *details = BackupDetailsRead(backup);

	WriterName(out, "BackupDescription");
	WriterBeginObject(out);
	WriterBackupDetails(out, backup, status);
	WriterSourceTable(out, backup, details);
	WriterGivenMember(out, details, "SourceTableFeatureDetails");
	WriterEndObject(out);
}

/* ---- operations ---- */

static void
OpenSaved(OpenedTable *table, const Field *input)
{
	const char *name = FieldTableName(input);

	if (!TableExists(name))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_TABLE_NOT_FOUND),
				 errmsg("Table not found: %s", name)));
	TableOpen(table, name, AccessShareLock);
}

static void
CreateBackupRequest(Request *request)
{
	OpenedTable table;
	Job		   *job;

	OpenSaved(&table, request->input);
	job = JobOfRequest(request, JOB_BACKUP, &table);
	job->bucket = BACKUP_BUCKET;
	job->details = BackupDetails(&table);
	job->model = ModelRead(table.rel, table.def);
	JobStart(job);
	WriterBackupDetails(request->out, job, "CREATING");
	TableClose(&table);
}

OPERATION(CreateBackup, &create_backup_input, CreateBackupRequest, .on_coordinator = true);

static Job *
FindAnyBackup(const Field *input, bool failed_too)
{
	const char *arn = FieldString(input, "BackupArn");
	char	   *id = JobIdOfArn(arn, JOB_BACKUP);
	Job		   *backup;

	if (id == NULL)
		InvalidRequest("Invalid Request: BackupArn is not valid");
	backup = JobFind(JOB_BACKUP, id);
	if (backup == NULL || (!failed_too && JobHasStatus(backup, JOB_FAILED)))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_BACKUP_NOT_FOUND),
				 errmsg("Backup not found: %s", arn)));
	return backup;
}

Job *
FindBackup(const Field *input)
{
	return FindAnyBackup(input, false);
}

void
BackupInUse(const Job *backup)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_BACKUP_IN_USE),
			 errmsg("Backup is being created or restored: %s", backup->arn)));
}

static const Member backup_arn_members[] = {
	REQUIRED("BackupArn", model_part_arn),
};
static const Shape describe_backup_input = STRUCTURE("DescribeBackupInput", backup_arn_members);

static void
DescribeBackupRequest(Request *request)
{
	const Job  *backup = FindBackup(request->input);

	WriterBackup(request->out, backup, BackupStatus(backup));
}

OPERATION(DescribeBackup, &describe_backup_input, DescribeBackupRequest, .on_coordinator = true);

static const Shape delete_backup_input = STRUCTURE("DeleteBackupInput", backup_arn_members);

static void
DeleteBackupRequest(Request *request)
{
	const Job  *backup = FindAnyBackup(request->input, true);
	char	   *directory = ArchiveDirectory();

	if (JobIsUnfinished(backup) || BackupIsBeingRestored(backup->id))
		BackupInUse(backup);
	JobDelete(backup->id);
	JobRemoveFilesAtCommit(backup, directory);
	WriterBackup(request->out, backup, "DELETED");
}

OPERATION(DeleteBackup, &delete_backup_input, DeleteBackupRequest, .on_coordinator = true);

/* ---- ListBackups ---- */

static bool
IsListedBackup(const Field *input, const Job *backup, const char *after)
{
	int64		created = backup->started / USECS_PER_SEC;

	return !JobHasStatus(backup, JOB_FAILED) &&
		(after == NULL || strcmp(backup->id, after) < 0) &&
		created >= FieldInteger(input, "TimeRangeLowerBound", PG_INT64_MIN) &&
		created < FieldInteger(input, "TimeRangeUpperBound", PG_INT64_MAX);
}

/* All that a request asks for, without its limit. */
static List *
ListedBackups(const Field *input)
{
	const char *arn = FieldString(input, "ExclusiveStartBackupArn");
	const char *after = arn != NULL ? JobIdOfArn(arn, JOB_BACKUP) : NULL;
	List	   *listed = NIL;
	ListCell   *cell;

	if (arn != NULL && after == NULL)
		InvalidRequest("Invalid Request: ExclusiveStartBackupArn is not valid");
	if (FieldIs(input, "BackupType", "SYSTEM") || FieldIs(input, "BackupType", "AWS_BACKUP"))
		return NIL;
	foreach(cell, JobList(JOB_BACKUP, FieldMember(input, "TableName") != NULL ? FieldTableName(input) : NULL))
	{
		if (IsListedBackup(input, lfirst(cell), after))
			listed = lappend(listed, lfirst(cell));
	}
	return listed;
}

static void
WriterBackupSummary(Writer *out, const Job *backup)
{
	WriterBeginObject(out);
	WriterStringMember(out, "TableName", backup->table_name);
	WriterStringMember(out, "TableId", backup->table_id);
	WriterStringMember(out, "TableArn", backup->table_arn);
	WriterBackupMembers(out, backup, BackupStatus(backup));
	WriterEndObject(out);
}

static const char *const backup_types[] = {"USER", "SYSTEM", "AWS_BACKUP", "ALL", NULL};
static const Shape backup_type = ENUM(backup_types);
static const Member list_backups_members[] = {
	MEMBER("TableName", model_defined_table),
	MEMBER("Limit", model_page_of_100),
	MEMBER("TimeRangeLowerBound", model_any_long),
	MEMBER("TimeRangeUpperBound", model_any_long),
	MEMBER("ExclusiveStartBackupArn", model_part_arn),
	MEMBER("BackupType", backup_type),
};
static const Shape list_backups_input = STRUCTURE("ListBackupsInput", list_backups_members);

static void
ListBackupsRequest(Request *request)
{
	List	   *backups = ListedBackups(request->input);
	int			n = (int) Min(FieldInteger(request->input, "Limit", PAGE_LIMIT), list_length(backups));

	WriterName(request->out, "BackupSummaries");
	WriterBeginList(request->out);
	for (int i = 0; i < n; i++)
		WriterBackupSummary(request->out, list_nth(backups, i));
	WriterEndList(request->out);
	if (n < list_length(backups))
		WriterStringMember(request->out, "LastEvaluatedBackupArn", ((const Job *) list_nth(backups, n - 1))->arn);
}

OPERATION(ListBackups, &list_backups_input, ListBackupsRequest, .on_coordinator = true);
