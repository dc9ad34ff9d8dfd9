/*
 * request_tables.c
 *	  DescribeTable, DeleteTable and ListTables.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/rel.h"

#include "archive/archive.h"
#include "compat.h"
#include "errors.h"
#include "index/build.h"
#include "request/description.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/params.h"
#include "table/table_list.h"

#define LIST_LIMIT	100

/*
 * A table that is being loaded is shown as under creation, and so is one that could be
 * neither restored nor dropped.  A restore that the end of the server has interrupted goes
 * on when its owner looks.
 */
static void
ShowLoading(const OpenedTable *table, Transition *transition)
{
	const Job  *job = JobThatLoads(table->def);
	Problem		problem = NO_PROBLEM;

	if (job != NULL || table->def->restoring)
		transition->status = "CREATING";
	if (job == NULL || strcmp(job->kind, JOB_RESTORE) != 0)
		return;
	transition->restore = job;
	if (!RecoveryInProgress() && !XactReadOnly && !InSecurityRestrictedOperation() &&
		!JobIsAlive(job->id) && RelationOwnercheck(RelationGetRelid(table->rel), GetUserId()) &&
		JobHasRoom(job, &problem))
		JobLaunchAtCommit(job);
}

static const Member table_members[] = {
	REQUIRED("TableName", model_defined_table),
};
static const Shape describe_table_input = STRUCTURE("DescribeTableInput", table_members);

static void
DescribeTableRequest(Request *request)
{
	Transition	transition = {NULL};
	OpenedTable table;

	TableOpen(&table, FieldTableName(request->input), AccessShareLock);
	BuildIfPending(table.rel, table.def);
	ShowLoading(&table, &transition);
	WriterName(request->out, "Table");
	WriterTable(request->out, &table, &transition);
	TableClose(&table);
}

OPERATION(DescribeTable, &describe_table_input, DescribeTableRequest, .on_coordinator = true);

static void
CheckNotBusy(const char *name)
{
	OpenedTable table;
	bool		building;
	bool		loading;

	TableOpen(&table, name, AccessShareLock);
	building = HasPendingBuild(table.def);
	loading = JobThatLoads(table.def) != NULL;
	TableClose(&table);
	if (loading)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_IN_USE),
				 errmsg("Attempt to change a resource which is still in use: "
						"Table is being created: %s", name)));
	if (building)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_IN_USE),
				 errmsg("Attempt to change a resource which is still in use: Cannot delete table while indexes are being created, updated, or deleted.")));
}

static const Shape delete_table_input = STRUCTURE("DeleteTableInput", table_members);

/* The response describes the table before it was dropped. */
static void
DeleteTableRequest(Request *request)
{
	const char *name = FieldTableName(request->input);
	OpenedTable table;

	CheckNotBusy(name);
	TableOpen(&table, name, AccessExclusiveLock);
	if (table.settings->deletion_protection)
		InvalidRequest("Resource cannot be deleted as it is currently protected against deletion. "
					   "Disable deletion protection first.");
	if (TableIsChanging(&table))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_IN_USE),
				 errmsg("Attempt to change a resource which is still in use: "
						"Cannot delete table while indexes are being created, updated, or deleted.")));
	WriterName(request->out, "TableDescription");
	WriterDeletedTable(request->out, &table);
	TableClose(&table);
	TableDrop(name);
}

OPERATION(DeleteTable, &delete_table_input, DeleteTableRequest, .changes = "TableName");

/* ---- ListTables ---- */

static const Member list_tables_members[] = {
	MEMBER("ExclusiveStartTableName", model_new_name),
	MEMBER("Limit", model_page_of_100),
};
static const Shape list_tables_input = STRUCTURE("ListTablesInput", list_tables_members);

/*
 * The tables that names without a schema find, because requests name tables
 * so.
 */
static void
ListTablesRequest(Request *request)
{
	const char *start = FieldString(request->input, "ExclusiveStartTableName");
	int64		limit = FieldInteger(request->input, "Limit", LIST_LIMIT);
	Writer	   *out = request->out;
	/* one more than requested tells whether there are more */
	List	   *names = VisibleTableNames(start != NULL ? start : "", limit + 1);

	WriterName(out, "TableNames");
	WriterBeginList(out);
	for (int i = 0; i < list_length(names) && i < limit; i++)
		WriterString(out, list_nth(names, i));
	WriterEndList(out);
	if (list_length(names) > limit)
		WriterStringMember(out, "LastEvaluatedTableName", list_nth(names, (int) limit - 1));
}

OPERATION(ListTables, &list_tables_input, ListTablesRequest, .on_coordinator = true);
