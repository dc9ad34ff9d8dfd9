/*
 * archive_execute.c
 *	  What the worker of a job does: writes the items of a table to files, or
 *	  the items of files to a table.
 *
 * Both run as the owner of the table, restricted as maintenance is, so that
 * code of the owner gains nothing from the worker's rights.
 */
#include "postgres.h"

#include "access/xact.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "archive/archive.h"
#include "archive/archive_changes.h"
#include "archive/archive_filter.h"
#include "archive/archive_model.h"
#include "archive/archive_past.h"
#include "errors.h"
#include "extension_objects.h"
#include "security/owner.h"
#include "security/settings_owner.h"
#include "store/store.h"
#include "table/restoring.h"
#include "table/table_name.h"
#include "transfer/bulk.h"
#include "transfer/export.h"
#include "transfer/export_tree.h"
#include "transfer/files.h"
#include "transfer/import.h"
#include "transfer/source.h"

#define FAILED_ITEMS "Some of the items failed validation checks and were not imported. " \
	"Please check CloudWatch error logs for more details."

/* ---- the table ---- */

static bool
IsRestore(const Job *job)
{
	return strcmp(job->kind, JOB_RESTORE) == 0;
}

/* Returns the model of the open table. */
static char *
ModelOf(const Store *store)
{
	return ModelRead(store->rel, store->def);
}

/* The items of a backup must be those that its model describes. */
static void
CheckModel(const Job *job, const Store *store)
{
	if (strcmp(job->kind, JOB_BACKUP) == 0 && !ModelsEqual(job->model, ModelOf(store)))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_IN_USE),
				 errmsg("Entities or copies of table %s were changed while its backup began", job->table_name)));
}

/* A restore does not let others write until it ends. */
void
JobEnterTable(const Job *job, OwnerScope *scope, Store *store, AclMode access)
{
	Oid			relid = (Oid) job->relation;
	Oid			owner;

	LockRelationOid(relid, IsRestore(job) ? ShareRowExclusiveLock : AccessShareLock);
	if (get_rel_name(relid) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Table not found: %s", job->table_name)));
	owner = RelationOwner(relid);
	if (JobOwner(job) != owner)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_ACCESS_DENIED),
				 errmsg("The owner of table %s has changed", job->table_name)));
	OwnerScopeEnter(scope, owner);
	StoreOpenRelation(store, relid, access);
	if (!IsRestore(job))
		CheckRestored(store->def);
	if (access == ACL_SELECT)
		StoreAwaitRewrites(store);
	else
		CheckMaintained(store->def);
}

void
JobLeaveTable(OwnerScope *scope, Store *store)
{
	StoreClose(store);
	OwnerScopeLeave(scope);
}

/* ---- to files ---- */

typedef struct ExportJob
{
	Job		   *job;
	char	   *directory;
	ExportTree	tree;
	StringInfoData line;		/* of an export with a filter */
} ExportJob;

static void
BeginJobTree(void *arg)
{
	ExportJob  *export = arg;

	TreeBegin(&export->tree, export->directory, PrefixAsPath(export->job->prefix), export->job->id,
			  export->job->since != 0);
	if (export->job->details != NULL)
		TreeFile(&export->tree, "table.json", export->job->details,
				 (int) strlen(export->job->details));
}

static void
WriteToJobTree(void *arg, const char *line, int len)
{
	ExportJob  *export = arg;

	TreeLine(&export->tree, line, len);
}

static void
WriteFilteredItem(void *arg, struct varlena *item)
{
	ExportJob  *export = arg;
	StringInfo	line = &export->line;

	resetStringInfo(line);
	ItemToExportLine(line, ItemRoot(item));
	appendStringInfoChar(line, '\n');
	TreeLine(&export->tree, line->data, line->len);
}

static void
ExportFiltered(ExportJob *export, const TreeSummary *summary)
{
	Job		   *job = export->job;
	OwnerScope	scope;
	Store		store;

	initStringInfo(&export->line);
	BeginJobTree(export);
	JobEnterTable(job, &scope, &store, ACL_SELECT);
	PushActiveSnapshot(StoreSnapshot(&store));
	job->bytes = ReadFiltered((Oid) job->relation, job->filter, WriteFilteredItem, export);
	PopActiveSnapshot();
	JobLeaveTable(&scope, &store);
	TreeEnd(&export->tree, summary);
	job->items = export->tree.items;
}

static void
ExportTable(ExportJob *export, const TreeSummary *summary)
{
	Export		items = {.begin = BeginJobTree, .write = WriteToJobTree, .arg = export};
	OwnerScope	scope;
	Store		store;

	JobEnterTable(export->job, &scope, &store, ACL_SELECT);
	CheckModel(export->job, &store);
	if (export->job->since != 0)
		ChangesExport(export->job, &store, &items);
	else
		ExportItems(&items, &store);
	JobLeaveTable(&scope, &store);
	TreeEnd(&export->tree, summary);
	export->job->items = items.items;
	export->job->bytes = items.bytes;
}

static void
ExecuteExport(Job *job)
{
	bool		backup = strcmp(job->kind, JOB_BACKUP) == 0;
	TreeSummary summary = {
		.export_arn = job->arn,
		.table_arn = job->table_arn,
		.table_id = job->table_id,
		.bucket = backup ? NULL : job->bucket,
		.prefix = job->prefix,
		.sse_algorithm = "AES256",
		.started = job->started,
		.exported = job->since != 0 ? job->moment : SettingsTime(),
		.since = job->since,
		.images = job->images
	};
	ExportJob	export = {.job = job};

	export.directory = PlaceToWrite(job->directory, job->bucket, job->prefix);
	PG_TRY();
	{
		if (job->filter != NULL)
			ExportFiltered(&export, &summary);
		else
			ExportTable(&export, &summary);
	}
	PG_CATCH();
	{
		TreeRemove(&export.tree);
		PG_RE_THROW();
	}
	PG_END_TRY();
}

/* ---- from files ---- */

/*
 * Returns what the prefix of a job means: exports, if it is the directory of one, or
 * of several; otherwise all files whose names it begins.
 */
static List *
FindSourcesOfJob(const Job *job)
{
	const char *prefix = PrefixAsPath(job->prefix);
	char	   *rest;
	char	   *directory = PlaceToRead(job->directory, job->bucket, prefix, &rest);

	/* raises an error if HasExports would follow a link */
	if (directory != NULL)
		(void) PlaceToRead(job->directory, job->bucket, psprintf("%s" TREE_TOP "/", prefix), &rest);
	if (directory != NULL && HasExports(directory))
		return SourcesOfDirectory(directory, LOG);
	directory = PlaceToRead(job->directory, job->bucket, job->prefix, &rest);
	return directory != NULL ? SourcesOfFiles(FilesBelow(directory, rest)) : NIL;
}

/* Sets the names of attributes from the header of a job. */
static void
SetHeader(CsvFormat *csv, const char *header)
{
	int			n = 0;

	for (const char *c = header; *c != '\0'; c++)
		n += *c == '\n';
	csv->names = palloc(n * sizeof(char *));
	for (; *header != '\0'; header += strcspn(header, "\n") + 1)
		csv->names[csv->nnames++] = pnstrdup(header, strcspn(header, "\n"));
}

static CsvFormat *
MakeCsvFormat(const Job *job, const TableDef *def)
{
	CsvFormat  *csv = palloc0(sizeof(CsvFormat));

	csv->def = def;
	csv->delimiter = job->delimiter != NULL ? job->delimiter[0] : ',';
	if (job->header != NULL)
		SetHeader(csv, job->header);
	return csv;
}

/*
 * Has an open table filled: removes its mark, sets its model aside and opens it again.
 * Returns the model; NULL if there is none.
 */
static char *
SetModelAside(Store *store)
{
	char	   *model = ModelOf(store);
	Oid			relid = store->def->relid;

	if (!AwaitsRestore(store->def))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" is not one that is being restored", RelationGetRelationName(store->rel))));
	if (model == NULL && !store->def->restoring)
		return NULL;
	StoreClose(store);
	ModelSetAside(TableNameOfOid(relid), model);
	StoreOpenRelation(store, relid, ACL_INSERT | ACL_UPDATE | ACL_DELETE);
	return model;
}

/* Fills a table that is restored, and that then has the model of its backup or source. */
static void
ExecuteRestore(Job *job, Import *import, const List *sources)
{
	char	   *model;
	OwnerScope	scope;
	Store		store;

	JobEnterTable(job, &scope, &store, ACL_INSERT | ACL_UPDATE | ACL_DELETE);
	import->store = &store;
	model = SetModelAside(&store);
	SetStoredAgain((Oid) job->relation);
	if (job->source != 0)
		PastCopy(job, import);
	else
		ImportSources(import, sources, INPUT_GZIP);
	SetStoredAgain(InvalidOid);
	StoreClose(&store);
	if (model != NULL)
		ModelWrite(TableNameOfOid((Oid) job->relation), model);
	OwnerScopeLeave(&scope);
	if (job->source == 0 && import->imported != job->expected)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the backup has " INT64_FORMAT " items instead of " INT64_FORMAT,
						import->imported, job->expected)));
}

static void
ExecuteImport(Job *job, Import *import, const List *sources)
{
	OwnerScope	scope;
	Store		store;

	JobEnterTable(job, &scope, &store,
			   ACL_INSERT | ACL_UPDATE | (SourcesHaveChanges(sources) ? ACL_DELETE : 0));
	import->store = &store;
	if (job->format != NULL && strcmp(job->format, "CSV") == 0)
		import->csv = MakeCsvFormat(job, store.def);
	ImportSources(import, sources, InputCompressionOf(job->compression));
	StoreClose(&store);
	OwnerScopeLeave(&scope);
}

static void
ExecuteLoad(Job *job)
{
	List	   *sources = job->source == 0 ? FindSourcesOfJob(job) : NIL;
	Import		import = {
		.from_file = job->source == 0,
		.skip_errors = !IsRestore(job),
		.notice_level = LOG
	};

	SourcesVerify(sources);
	if (IsRestore(job))
		ExecuteRestore(job, &import, sources);
	else
		ExecuteImport(job, &import, sources);
	job->items = import.imported;
	job->errors = import.failed;
	job->processed = import.imported + import.failed;
	job->bytes = import.bytes;
	if (import.failed > 0)
	{
		job->failure_code = "ItemValidationError";
		job->failure_message = FAILED_ITEMS;
	}
}

void
JobExecute(Job *job)
{
	if (strcmp(job->kind, JOB_EXPORT) == 0 || strcmp(job->kind, JOB_BACKUP) == 0)
		ExecuteExport(job);
	else
		ExecuteLoad(job);
}
