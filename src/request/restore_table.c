/*
 * restore_table.c
 *	  RestoreTableFromBackup and RestoreTableToPointInTime.
 *
 * The table is created as CreateTable would create it, from what the backup
 * keeps of its table and the overrides of the request, and gets its entities,
 * copies and other parts (backup_parts.h).  DescribeTable returns CREATING until
 * the worker has restored the items: of the files of a backup, or of the source, as
 * of a time.  For the latter, what a backup would keep of the source is made when the
 * restore begins.
 */
#include "postgres.h"

#include <math.h>

#include "datatype/timestamp.h"
#include "utils/rel.h"

#include "archive/archive_model.h"
#include "errors.h"
#include "request/backup_details.h"
#include "request/backup_parts.h"
#include "request/backups.h"
#include "request/create_table.h"
#include "request/arn.h"
#include "request/model.h"
#include "request/params.h"
#include "request/recovery.h"
#include "request/table_params.h"
#include "table/placement.h"

typedef struct Restoring
{
	const Field *input;
	const Field *source;		/* the input of CreateTable for the backup's table */
	bool		on_demand;
	const Field *throughput;	/* ProvisionedThroughput of the new table; or NULL */
} Restoring;

/* ---- indexes ---- */

static bool
HasSameMember(const Field *a, const Field *b, const char *name)
{
	return SliceCompare(FieldSlice(a, name), FieldSlice(b, name)) == 0;
}

/* Two lists of attributes, either NULL; kind is the other member of their elements. */
static bool
HasSameSchema(const Field *a, const Field *b, const char *kind)
{
	if (a == NULL || b == NULL)
		return a == b;
	if (a->count != b->count)
		return false;
	for (int i = 0; i < a->count; i++)
	{
		if (!HasSameMember(a->fields[i], b->fields[i], "AttributeName") ||
			!HasSameMember(a->fields[i], b->fields[i], kind))
			return false;
	}
	return true;
}

static bool
IsNamedIn(const Field *names, Slice name)
{
	for (int i = 0; i < names->count; i++)
	{
		if (SliceCompare(names->fields[i]->string, name) == 0)
			return true;
	}
	return false;
}

/* The same names, in any order. */
static bool
HasSameNames(const Field *a, const Field *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	if (a->count != b->count)
		return false;
	for (int i = 0; i < a->count; i++)
	{
		if (!IsNamedIn(b, a->fields[i]->string))
			return false;
	}
	return true;
}

static bool
HasSameProjection(const Field *a, const Field *b)
{
	const Field *projection_a = FieldMember(a, "Projection");
	const Field *projection_b = FieldMember(b, "Projection");

	return HasSameMember(projection_a, projection_b, "ProjectionType") &&
		HasSameNames(FieldMember(projection_a, "NonKeyAttributes"), FieldMember(projection_b, "NonKeyAttributes"));
}

static bool
IsSameIndex(const Field *a, const Field *b)
{
	return HasSameSchema(FieldMember(a, "KeySchema"), FieldMember(b, "KeySchema"), "KeyType") &&
		HasSameProjection(a, b);
}

static bool
IsSameVectorIndex(const Field *a, const Field *b)
{
	return HasSameMember(FieldMember(a, "VectorAttribute"), FieldMember(b, "VectorAttribute"), "AttributeName") &&
		FieldInteger(a, "Dimensions", 0) == FieldInteger(b, "Dimensions", 0) &&
		HasSameMember(a, b, "DistanceFunction") &&
		HasSameSchema(FieldMember(a, "SearchSchema"), FieldMember(b, "SearchSchema"), "SearchSchemaElementType") &&
		HasSameProjection(a, b);
}

static void
CheckMatches(const Field *index, const Field *sources, bool (*same) (const Field *a, const Field *b))
{
	for (int i = 0; sources != NULL && i < sources->count; i++)
	{
		if (same(index, sources->fields[i]))
			return;
	}
	InvalidRequest("Invalid Request: Index %s does not match a secondary index that existed in the "
				   "source table and cannot be created during the restore operation",
				   FieldName(index, "IndexName"));
}

static void
WriterIndexThroughput(Writer *w, const Restoring *restoring, const Field *index)
{
	if (restoring->on_demand)
		WriterGivenMember(w, index, "OnDemandThroughput");
	else if (FieldMember(index, "ProvisionedThroughput") != NULL)
		WriterGivenMember(w, index, "ProvisionedThroughput");
	else if (restoring->throughput != NULL)
	{
		WriterName(w, "ProvisionedThroughput");
		WriterRaw(w, restoring->throughput->text);
	}
}

/* What a list of indexes is in the source and in the request. */
typedef struct IndexOverride
{
	const char *list;
	const char *override_name;
	bool		(*same) (const Field *a, const Field *b);
} IndexOverride;

static const IndexOverride local_kind = {"LocalSecondaryIndexes", "LocalSecondaryIndexOverride", IsSameIndex};
static const IndexOverride global_kind = {"GlobalSecondaryIndexes", "GlobalSecondaryIndexOverride", IsSameIndex};
static const IndexOverride vector_kind = {"VectorIndexes", "VectorIndexOverride", IsSameVectorIndex};

static void
WriterRestoredIndex(Writer *w, const Restoring *restoring, const IndexOverride *kind, const Field *index)
{
	if (kind == &vector_kind)
	{
		WriterRaw(w, index->text);
		return;
	}
	WriterBeginObject(w);
	WriterGivenMember(w, index, "IndexName");
	WriterGivenMember(w, index, "KeySchema");
	WriterGivenMember(w, index, "Projection");
	if (kind == &global_kind)
		WriterIndexThroughput(w, restoring, index);
	WriterEndObject(w);
}

static void
WriterRestoredIndexes(Writer *w, const Restoring *restoring, const IndexOverride *kind)
{
	const Field *sources = FieldMember(restoring->source, kind->list);
	const Field *override = FieldMember(restoring->input, kind->override_name);
	const Field *list = override != NULL ? override : sources;

	if (list == NULL || list->count == 0)
		return;
	WriterName(w, kind->list);
	WriterBeginList(w);
	for (int i = 0; i < list->count; i++)
	{
		if (override != NULL)
			CheckMatches(list->fields[i], sources, kind->same);
		WriterRestoredIndex(w, restoring, kind, list->fields[i]);
	}
	WriterEndList(w);
}

/* ---- the table ---- */

/* Writes a member of the source unless the request overrides it. */
static void
WriterOverridden(Writer *w, const Restoring *restoring, const char *name, const char *override_name)
{
	const Field *override = FieldMember(restoring->input, override_name);
	const Field *value = override != NULL ? override : FieldMember(restoring->source, name);

	if (value == NULL)
		return;
	WriterName(w, name);
	WriterRaw(w, value->text);
}

/* The attributes that the keys of the new table use; all of them before that is known. */
static void
WriterUsedDefinitions(Writer *w, const Restoring *restoring, const Field *creation)
{
	const Field *definitions = FieldMember(restoring->source, "AttributeDefinitions");

	WriterName(w, "AttributeDefinitions");
	WriterBeginList(w);
	for (int i = 0; i < definitions->count; i++)
	{
		if (creation == NULL ||
			CreationUses(creation, FieldSlice(definitions->fields[i], "AttributeName")))
			WriterRaw(w, definitions->fields[i]->text);
	}
	WriterEndList(w);
}

static void
WriterThroughputMembers(Writer *w, const Restoring *restoring)
{
	if (restoring->on_demand)
		WriterOverridden(w, restoring, "OnDemandThroughput", "OnDemandThroughputOverride");
	else if (restoring->throughput != NULL)
	{
		WriterName(w, "ProvisionedThroughput");
		WriterRaw(w, restoring->throughput->text);
	}
}

static Field *
ComposeCreation(const Restoring *restoring, const Field *creation)
{
	Writer		w;

	WriterInit(&w);
	WriterBeginObject(&w);
	WriterUsedDefinitions(&w, restoring, creation);
	WriterName(&w, "TableName");
	WriterSlice(&w, FieldSlice(restoring->input, "TargetTableName"));
	WriterStringMember(&w, "BillingMode", restoring->on_demand ? "PAY_PER_REQUEST" : "PROVISIONED");
	WriterThroughputMembers(&w, restoring);
	WriterGivenMember(&w, restoring->source, "KeySchema");
	WriterRestoredIndexes(&w, restoring, &local_kind);
	WriterRestoredIndexes(&w, restoring, &global_kind);
	WriterRestoredIndexes(&w, restoring, &vector_kind);
	WriterOverridden(&w, restoring, "SSESpecification", "SSESpecificationOverride");
	WriterEndObject(&w);
	return RequestRead(&model_table_creation, w.out.data + VARHDRSZ, (uint32) w.out.len - VARHDRSZ, VALUE_WORDS_OLD);
}

/* The input of CreateTable for the new table, checked like that of a client. */
static const Field *
CreationOfRestore(const Field *input, const Field *source)
{
	Restoring	restoring = {.input = input, .source = source};
	Field	   *creation;

	restoring.on_demand = FieldMember(input, "BillingModeOverride") != NULL ?
		FieldIs(input, "BillingModeOverride", "PAY_PER_REQUEST") :
		FieldIs(source, "BillingMode", "PAY_PER_REQUEST");
	restoring.throughput = FieldMember(input, "ProvisionedThroughputOverride");
	if (restoring.throughput == NULL)
		restoring.throughput = FieldMember(source, "ProvisionedThroughput");
	creation = ComposeCreation(&restoring, ComposeCreation(&restoring, NULL));
	RequestCheck(creation);
	return creation;
}

/* ---- the operation ---- */

static void
CheckTarget(const char *name)
{
	if (TableExists(name))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_TABLE_ALREADY_EXISTS),
				 errmsg("Table already exists: %s", name)));
}

static Job *
BeginRestore(const Request *request, const Job *backup, const OpenedTable *table)
{
	Job		   *job = JobOfRequest(request, JOB_RESTORE, table);

	job->arn = backup->arn;
	job->table_arn = backup->table_arn;
	job->bucket = BACKUP_BUCKET;
	job->prefix = BackupPrefix(backup->id);
	job->compression = "GZIP";
	job->expected = backup->items;
	JobStart(job);
	return job;
}

/* ---- what both operations do ---- */

/* Creates the table for what a backup keeps. */
static const char *
CreateRestored(const Field *input, const Job *backup)
{
	const Field *details = BackupDetailsRead(backup);
	const Field *parts = FieldMember(details, "Parts");
	const Field *creation = CreationOfRestore(input, FieldMember(details, "Creation"));
	const char *name = CreateTableFrom(creation, parts != NULL ? (int) FieldInteger(parts, "partitions", 0) : 0);

	if (backup->model != NULL)
		ModelWrite(name, backup->model);
	BackupPartsRestore(backup, parts, TableNameLock(name, AccessShareLock, false));
	if (new_table_shards == 0)
		MarkRestoring(name);
	DistributeNewTable(name);
	return name;
}

static void
AnswerRestore(Request *request, OpenedTable *table, const Job *job)
{
	Transition	transition = {.status = "CREATING", .created = true, .restore = job};

	WriterName(request->out, "TableDescription");
	WriterTable(request->out, table, &transition);
	TableClose(table);
}

/* ---- from a backup ---- */

static const Member restore_members[] = {
	REQUIRED("TargetTableName", model_new_name),
	REQUIRED("BackupArn", model_part_arn),
	MEMBER("BillingModeOverride", model_billing_mode),
	MEMBER("GlobalSecondaryIndexOverride", model_global_indexes),
	MEMBER("LocalSecondaryIndexOverride", model_local_indexes),
	MEMBER("ProvisionedThroughputOverride", model_throughput),
	MEMBER("OnDemandThroughputOverride", model_on_demand),
	MEMBER("SSESpecificationOverride", model_encryption),
	MEMBER("VectorIndexOverride", model_vector_indexes),
};
static const Shape restore_table_input = STRUCTURE("RestoreTableFromBackupInput", restore_members);

static void
RestoreTableRequest(Request *request)
{
	const Job  *backup;
	OpenedTable table;

	(void) ArchiveDirectory();
	backup = FindBackup(request->input);
	if (JobIsUnfinished(backup) || BackupIsBeingRestored(backup->id))
		BackupInUse(backup);
	CheckTarget(FieldString(request->input, "TargetTableName"));
	TableOpen(&table, CreateRestored(request->input, backup), AccessShareLock);
	AnswerRestore(request, &table, BeginRestore(request, backup, &table));
}

OPERATION(RestoreTableFromBackup, &restore_table_input, RestoreTableRequest,
		  .changes = "TargetTableName", .on_coordinator = true);

/* ---- to a time ---- */

static const Member restore_to_time_members[] = {
	MEMBER("SourceTableArn", model_resource_arn),
	MEMBER("SourceTableName", model_new_name),
	REQUIRED("TargetTableName", model_new_name),
	MEMBER("UseLatestRestorableTime", model_boolean),
	MEMBER("RestoreDateTime", model_any_long),
	MEMBER("BillingModeOverride", model_billing_mode),
	MEMBER("GlobalSecondaryIndexOverride", model_global_indexes),
	MEMBER("LocalSecondaryIndexOverride", model_local_indexes),
	MEMBER("ProvisionedThroughputOverride", model_throughput),
	MEMBER("OnDemandThroughputOverride", model_on_demand),
	MEMBER("SSESpecificationOverride", model_encryption),
	MEMBER("VectorIndexOverride", model_vector_indexes),
};
static const Shape restore_to_time_input = STRUCTURE("RestoreTableToPointInTimeInput", restore_to_time_members);

static void
CheckRestoreChoice(const Field *input)
{
	bool		latest = FieldBool(input, "UseLatestRestorableTime", false);

	if ((FieldMember(input, "SourceTableArn") != NULL) == (FieldMember(input, "SourceTableName") != NULL))
		InvalidRequest("Invalid Request: Must provide exactly one of: sourceTableArn, sourceTableName");
	if (latest == (FieldMember(input, "RestoreDateTime") != NULL))
		InvalidRequest("Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both");
}

static void
OpenRestored(OpenedTable *source, const Field *input)
{
	bool		by_arn = FieldMember(input, "SourceTableArn") != NULL;
	const char *given = FieldString(input, by_arn ? "SourceTableArn" : "SourceTableName");
	const char *name = by_arn ? TableNameOf(FieldSlice(input, "SourceTableArn")) : given;

	if (!TableExists(name))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_TABLE_NOT_FOUND),
				 errmsg("Table not found: %s", given)));
	TableOpen(source, name, AccessShareLock);
}

/*
 * Returns the time to restore; 0 for the present of a table whose changes are not recorded.
 * Clients know times to a second, so the second of the earliest time means that time.
 */
static int64
TimeToRestore(const OpenedTable *source, const Field *input)
{
	RecoveryWindow window = RecoveryWindowOf(source);
	int64		time = FieldMicroseconds(input, "RestoreDateTime", window.latest);

	if (window.recorded && time < window.earliest && time / USECS_PER_SEC == window.earliest / USECS_PER_SEC)
		time = window.earliest;
	if (time < window.earliest || time > window.latest)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_INVALID_RESTORE_TIME),
				 errmsg("RestoreDateTime must be between EarliestRestorableDateTime %.3f and LatestRestorableDateTime %.3f",
						(double) window.earliest / USECS_PER_SEC, (double) window.latest / USECS_PER_SEC)));
	return window.recorded ? time : 0;
}

/* What a backup of the source would keep. */
static Job *
DescribeSource(const OpenedTable *source)
{
	Job		   *backup = palloc0(sizeof(Job));

	JobSetOwner(backup, source->rel->rd_rel->relowner);
	backup->table_name = source->name;
	backup->details = BackupDetails(source);
	backup->model = ModelRead(source->rel, source->def);
	return backup;
}

static Job *
BeginRestoreToTime(const Request *request, const OpenedTable *source, int64 moment, const OpenedTable *table)
{
	Job		   *job = JobWithoutFiles(request, JOB_RESTORE, table);

	job->arn = pstrdup("");
	job->table_arn = TableArn(source->name);
	job->source = RelationGetRelid(source->rel);
	job->moment = moment;
	JobStart(job);
	return job;
}

static void
RestoreToTimeRequest(Request *request)
{
	const Field *input = request->input;
	OpenedTable source;
	OpenedTable table;
	int64		moment;

	CheckRestoreChoice(input);
	OpenRestored(&source, input);
	CheckJobOwner(&source);
	CheckRecovery(&source);
	moment = TimeToRestore(&source, input);
	CheckTarget(FieldString(input, "TargetTableName"));
	TableOpen(&table, CreateRestored(input, DescribeSource(&source)), AccessShareLock);
	AnswerRestore(request, &table, BeginRestoreToTime(request, &source, moment, &table));
	TableClose(&source);
}

OPERATION(RestoreTableToPointInTime, &restore_to_time_input, RestoreToTimeRequest,
		  .changes = "TargetTableName", .on_coordinator = true);
