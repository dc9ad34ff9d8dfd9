/*
 * faults_request.c
 *	  Executes requests with faults.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "errors.h"
#include "faults/faults.h"
#include "op/op.h"
#include "request/params.h"
#include "request/transaction.h"
#include "request/wording.h"

/* The service's messages. */
#define PROVISIONED_EXCEEDED \
	"The level of configured provisioned throughput for the table was exceeded. " \
	"Consider increasing your provisioning level with the UpdateTable API."
#define CAPACITY_EXCEEDED \
	"Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or " \
	"index so please try again shortly. If exceptions persist, check if you have a hot key: " \
	"https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html."

/* The operations on items: other requests have faults only if they are named. */
#define ITEM_OPERATIONS \
	"GetItem, PutItem, UpdateItem, DeleteItem, Query, Scan, BatchGetItem, BatchWriteItem, TransactGetItems, " \
	"TransactWriteItems, ExecuteStatement, BatchExecuteStatement, ExecuteTransaction"

/* ---- what a request is ---- */

const Field *
FaultMember(const Field *structure, const char *name)
{
	for (int i = 0; i < structure->shape->nmembers; i++)
	{
		if (strcmp(structure->shape->members[i].name, name) == 0)
			return structure->fields[i];
	}
	return NULL;
}

const Field *
FaultReplace(const Field *structure, const char *name, Field *value)
{
	Field	   *copy = palloc(sizeof(Field));

	*copy = *structure;
	copy->fields = palloc(sizeof(Field *) * copy->count);
	for (int i = 0; i < copy->count; i++)
		copy->fields[i] = strcmp(copy->shape->members[i].name, name) == 0 ? value : structure->fields[i];
	return copy;
}

static bool
Names(const Request *request, const char *operations)
{
	return FaultListHas(operations, request->operation->name);
}

static bool
TableIsNamed(Slice name_or_arn)
{
	return FaultListHas(fault_tables, TableNameOf(name_or_arn));
}

/* Whether a structure, or an action of a transaction, is about a table that has faults. */
static bool
NamesTable(const Field *structure)
{
	const Field *name = FaultMember(structure, "TableName");

	if (name != NULL)
		return TableIsNamed(name->string);
	for (int i = 0; i < structure->count; i++)
	{
		const Field *member = structure->fields[i];

		if (member != NULL && member->shape->kind == SHAPE_STRUCTURE && NamesTable(member))
			return true;
	}
	return false;
}

/* Whether a request is about a table that has faults.  Statements do not name theirs. */
static bool
HasTable(const Field *input)
{
	const Field *tables = FaultMember(input, "RequestItems");
	const Field *actions = FaultMember(input, "TransactItems");

	for (int i = 0; tables != NULL && i < tables->count; i++)
	{
		if (TableIsNamed(tables->names[i]))
			return true;
	}
	for (int i = 0; actions != NULL && i < actions->count; i++)
	{
		if (NamesTable(actions->fields[i]))
			return true;
	}
	return tables == NULL && actions == NULL && NamesTable(input);
}

static bool
HasFaults(const Request *request)
{
	return request->origin != REQUEST_OF_NODE &&
		Names(request, fault_operations[0] != '\0' ? fault_operations : ITEM_OPERATIONS) &&
		(fault_tables[0] == '\0' || HasTable(request->input));
}

/* Whether a statement of PartiQL reads. */
static bool
IsSelect(const Field *structure)
{
	const Field *statement = FaultMember(structure, "Statement");
	const char *text = statement->string.data;
	uint32		len = statement->string.len;

	while (len > 0 && isspace((unsigned char) *text))
		text++, len--;
	return len > 6 && pg_strncasecmp(text, "SELECT", 6) == 0;
}

/* ---- errors ---- */

static void
RaiseThrottled(void)
{
	ereport(ERROR,
			(errcode(fault_throttle_error),
			 errmsg_internal("%s", fault_throttle_error == ERRCODE_DYNAMO_THROTTLING ?
							 CAPACITY_EXCEEDED : PROVISIONED_EXCEEDED)));
}

static void
RaiseInternalError(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_INTERNAL),
			 errmsg("request fails because of \"dynamo_faults.internal_error\"")));
}

/* A transaction is canceled by one of its actions, a write of one item fails itself. */
static void
RaiseConflict(const Request *request)
{
	const Field *actions = FaultMember(request->input, "TransactItems");

	if (actions == NULL)
		actions = FaultMember(request->input, "TransactStatements");
	if (actions != NULL)
		TransactionCancelBy(actions->count, FaultPick(actions->count), "TransactionConflict", WORDING_CONFLICT_REASON);
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_TRANSACTION_CONFLICT),
			 errmsg(WORDING_CONFLICT)));
}

static bool
CanConflict(const Request *request)
{
	return Names(request, "PutItem, UpdateItem, DeleteItem, TransactGetItems, TransactWriteItems, ExecuteTransaction") ||
		(Names(request, "ExecuteStatement") && !IsSelect(request->input));
}

static void
FailSometimes(const Request *request)
{
	if (FaultHappens(fault_internal_error) && FaultIsAllowed())
		RaiseInternalError();
	if (FaultHappens(fault_throttle) && FaultIsAllowed())
		RaiseThrottled();
	if (CanConflict(request) && FaultHappens(fault_transaction_conflict) && FaultIsAllowed())
		RaiseConflict(request);
}

/* ---- pages ---- */

/* Query, Scan and ExecuteStatement have the member, and end a page there as at 1 MB. */
static void
LimitPage(Request *request)
{
	const Shape *shape = request->input->shape;
	const Field *given = FaultMember(request->input, "Limit");

	if (fault_page_items == 0 || (given != NULL && given->integer <= fault_page_items))
		return;
	for (int i = 0; i < shape->nmembers; i++)
	{
		if (strcmp(shape->members[i].name, "Limit") == 0)
		{
			Field	   *limit = palloc0(sizeof(Field));

			limit->shape = shape->members[i].shape;
			limit->integer = fault_page_items;
			request->input = FaultReplace(request->input, "Limit", limit);
		}
	}
}

/* ---- stale reads ---- */

/* Whether a read, or one of a batch, is eventually consistent. */
static bool
IsEventual(const Field *read)
{
	const Field *consistent = FaultMember(read, "ConsistentRead");

	return consistent == NULL || !consistent->boolean;
}

/* Whether all reads of a batch are eventually consistent; PartiQL has them among others. */
static bool
AllAreEventual(const Field *reads, bool statements)
{
	for (int i = 0; i < reads->count; i++)
	{
		if (!IsEventual(reads->fields[i]) || (statements && !IsSelect(reads->fields[i])))
			return false;
	}
	return true;
}

static bool
MayBeStale(const Request *request)
{
	const Field *input = request->input;

	if (fault_stale_reads == 0 || request->origin != REQUEST_OF_CLIENT)
		return false;
	if (fault_stale_indexes_only && FaultMember(input, "IndexName") == NULL)
		return false;
	if (Names(request, "BatchGetItem"))
		return AllAreEventual(FaultMember(input, "RequestItems"), false);
	if (Names(request, "BatchExecuteStatement"))
		return AllAreEventual(FaultMember(input, "Statements"), true);
	if (Names(request, "ExecuteStatement"))
		return IsEventual(input) && IsSelect(input);
	return Names(request, "GetItem, Query, Scan") && IsEventual(input);
}

/* ---- the request ---- */

static void
Execute(Request *request)
{
	if (!FaultExecutePart(request))
		request->operation->execute(request);
}

void
FaultExecute(Request *request)
{
	bool		resumed = request->pause != NULL && request->pause->context != NULL;

	FaultSettingsCatchUp();
	if (request->origin == REQUEST_OF_CLIENT)
		FaultStaleAwait();
	if (!HasFaults(request))
	{
		request->operation->execute(request);
		return;
	}
	if (!resumed)
	{
		if (fault_latency > 0)
			(void) DirectFunctionCall1(pg_sleep, Float8GetDatum(fault_latency / 1000.0));
		FailSometimes(request);
	}
	LimitPage(request);
	if (MayBeStale(request))
	{
		PushActiveSnapshot(FaultStaleSnapshot());
		Execute(request);
		PopActiveSnapshot();
	}
	else
		Execute(request);
}
