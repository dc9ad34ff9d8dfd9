/*
 * job_request.c
 *	  What the requests of exports, imports, backups and restores share.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/rel.h"

#include "compat.h"
#include "errors.h"
#include "request/arn.h"
#include "request/job_request.h"
#include "request/params.h"
#include "request/table_params.h"
#include "security/settings_owner.h"
#include "table/table_id.h"
#include "transfer/export_tree.h"
#include "worker/api.h"

#define PAGE_LIMIT	25

/* ---- ARNs ---- */

char *
JobIdOfArn(const char *text, const char *kind)
{
	char	   *below = psprintf("/%s/", kind);
	const char *rest;
	char	   *name;
	Arn			arn;

	if (strncmp(text, "arn:", 4) != 0 || !ArnParse(text, &arn) || !ArnHasTable(&arn, &name))
		return NULL;
	rest = strchr(arn.resource + strlen("table/"), '/');
	if (rest == NULL || strncmp(rest, below, strlen(below)) != 0 || !IsTreeId(rest + strlen(below)))
		return NULL;
	return pstrdup(rest + strlen(below));
}

/* ---- beginning a job ---- */

void
CheckJobOwner(const OpenedTable *table)
{
	if (!RelationOwnercheck(RelationGetRelid(table->rel), GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(table->rel));
}

Job *
JobWithoutFiles(const Request *request, const char *kind, const OpenedTable *table)
{
	Job		   *job = palloc0(sizeof(Job));

	CheckJobOwner(table);
	PreventCommandIfReadOnly(request->operation->name);
	job->directory = pstrdup("");
	job->bucket = pstrdup("");
	job->started = SettingsTime();
	job->id = TreeNewId(job->started);
	job->kind = pstrdup(kind);
	job->status = JOB_QUEUED;
	JobSetOwner(job, table->rel->rd_rel->relowner);
	job->relation = RelationGetRelid(table->rel);
	job->table_name = table->name;
	job->table_id = table->settings->table_id;
	job->table_arn = TableArn(table->name);
	job->arn = psprintf("%s/%s/%s", job->table_arn, kind, job->id);
	job->parameters = pnstrdup(request->input->text.data, request->input->text.len);
	return job;
}

Job *
JobOfRequest(const Request *request, const char *kind, const OpenedTable *table)
{
	char	   *directory = ArchiveDirectory();
	Job		   *job = JobWithoutFiles(request, kind, table);

	job->directory = directory;
	return job;
}

void
JobStart(const Job *job)
{
	JobsEndLost();
	JobInsert(job);
	JobLaunchAtCommit(job);
}

static void
CheckBucketOwner(const Field *input)
{
	const char *owner = FieldString(input, "S3BucketOwner");

	if (owner != NULL && strcmp(owner, request_account) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_ACCESS_DENIED),
				 errmsg("Buckets belong to account %s", request_account)));
}

void
JobSetPlace(Job *job, const Field *structure, const char *prefix)
{
	CheckBucketOwner(structure);
	job->bucket = FieldName(structure, "S3Bucket");
	CheckBucket(job->bucket);
	if (FieldMember(structure, prefix) == NULL)
		return;
	job->prefix = FieldName(structure, prefix);
	CheckPrefix(job->prefix);
}

void
JobSetToken(Job *job, const Field *input)
{
	job->token = FieldMember(input, "ClientToken") != NULL ? FieldName(input, "ClientToken") : NewTableId();
}

/* ---- stored requests ---- */

Field *
JobInput(const Job *job, const Shape *shape)
{
	return RequestRead(shape, job->parameters, (uint32) strlen(job->parameters), VALUE_WORDS_OLD);
}

static Jsonb *
JsonbOf(const char *text)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
}

bool
JobHasInput(const Job *job, const Request *request)
{
	Slice		text = request->input->text;
	Jsonb	   *before = JsonbOf(job->parameters);
	Jsonb	   *now = JsonbOf(pnstrdup(text.data, text.len));

	return compareJsonbContainers(&before->root, &now->root) == 0;
}

/* ---- answers ---- */

const char *
JobStatusName(const Job *job)
{
	if (JobIsUnfinished(job))
		return "IN_PROGRESS";
	return JobHasStatus(job, JOB_COMPLETED) ? "COMPLETED" : "FAILED";
}

void
WriterFailure(Writer *out, const Job *job)
{
	if (!JobHasStatus(job, JOB_FAILED) || job->failure_code == NULL)
		return;
	WriterStringMember(out, "FailureCode", job->failure_code);
	WriterStringMember(out, "FailureMessage", job->failure_message);
}

void
WriterGivenMember(Writer *out, const Field *structure, const char *name)
{
	const Field *field = FieldMember(structure, name);

	if (field == NULL)
		return;
	WriterName(out, name);
	WriterRaw(out, field->text);
}

/* ---- lists ---- */

static List *
ListOfTable(const Field *input, const char *kind)
{
	return JobList(kind, FieldMember(input, "TableArn") == NULL ? NULL :
				   TableNameOf(FieldSlice(input, "TableArn")));
}

void
ListJobs(Request *request, const JobPage *page)
{
	const char *after = FieldString(request->input, "NextToken");
	int64		limit = FieldInteger(request->input, page->limit, PAGE_LIMIT);
	const Job  *last = NULL;
	bool		more = false;
	ListCell   *cell;

	if (after != NULL && !IsTreeId(after))
		InvalidRequest(WORDING_INVALID_TOKEN);
	WriterName(request->out, page->list);
	WriterBeginList(request->out);
	foreach(cell, ListOfTable(request->input, page->kind))
	{
		const Job  *job = lfirst(cell);

		if (after != NULL && strcmp(job->id, after) >= 0)
			continue;
		more = limit-- == 0;
		if (more)
			break;
		WriterBeginObject(request->out);
		page->write(request->out, job);
		WriterEndObject(request->out);
		last = job;
	}
	WriterEndList(request->out);
	if (more)
		WriterStringMember(request->out, "NextToken", last->id);
}
