/*
 * privileges.c
 *	  Checks the privileges that an operation needs on a table, and tells
 *	  modules such as pgaudit of the access.
 *
 * Such a module hooks into the executor's check of privileges.  It may rely on
 * what the executor does before: pgaudit writes into the state that its hook at
 * the start of a statement has made, and ends the server if there is none.  So
 * the hook is never called by itself: the executor is given a statement with the
 * same table and privileges, which has no rows, and calls all hooks in its order.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "tcop/dest.h"
#include "tcop/pquery.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "store/privileges.h"
#include "table/ddl_statement.h"

/* Whether the role has all privileges on the whole table.  The executor makes this check first. */
static bool
HasTablePrivileges(const Store *store)
{
	return pg_class_aclmask(RelationGetRelid(store->rel), OidIsValid(store->role) ? store->role : GetUserId(),
							store->access, ACLMASK_ALL) == store->access;
}

static StoreHint denied_hint = NULL;

void
StoreSetDeniedHint(StoreHint hint)
{
	denied_hint = hint;
}

/* Raises PostgreSQL's error for a user without privileges; hints: with a hint if there is one to give. */
static void RaiseDenied(const Store *store, bool hints) pg_attribute_noreturn();

static void
RaiseDenied(const Store *store, bool hints)
{
	char	   *hint = !hints || denied_hint == NULL ? NULL : denied_hint(RelationGetRelid(store->rel));

	if (hint != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for table %s", RelationGetRelationName(store->rel)),
				 errhint("%s", hint)));
	aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(store->rel->rd_rel->relkind),
				   RelationGetRelationName(store->rel));
	pg_unreachable();
}

static RangeTblEntry *
MakeCheckedEntry(const Store *store, PermissionsNode **perms)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);

	rte->rtekind = RTE_RELATION;
	rte->relid = RelationGetRelid(store->rel);
	rte->relkind = store->rel->rd_rel->relkind;
	rte->rellockmode = StoreForWriting(store) ? RowExclusiveLock : AccessShareLock;
	rte->eref = makeAlias(RelationGetRelationName(store->rel), NIL);
	rte->inFromCl = !StoreForWriting(store);

	*perms = MakePermissionsNode(rte);
	(*perms)->relid = rte->relid;
	(*perms)->requiredPerms = store->access;
	(*perms)->checkAsUser = store->role;
	(*perms)->selectedCols = store->def->row_columns;
	if (store->access & ACL_INSERT)
		(*perms)->insertedCols = (*perms)->selectedCols;
	if (store->access & ACL_UPDATE)
		(*perms)->updatedCols = store->def->item_column;
	return rte;
}

/* Whether the user has the privileges on columns if not on the table; no module is asked. */
static bool
HasPrivileges(const Store *store)
{
	ExecutorCheckPerms_hook_type hook = ExecutorCheckPerms_hook;
	PermissionsNode *perms;
	RangeTblEntry *rte = MakeCheckedEntry(store, &perms);
	bool		has;

	ExecutorCheckPerms_hook = NULL;
	PG_TRY();
	{
		has = HavePermissionsNode(rte, perms);
	}
	PG_FINALLY();
	{
		ExecutorCheckPerms_hook = hook;
	}
	PG_END_TRY();
	return has;
}

void
CheckPrivileges(const Store *store, bool named)
{
	if (!HasTablePrivileges(store) && !HasPrivileges(store))
		RaiseDenied(store, named);
}

/* ---- telling modules ---- */

static CmdType
CommandOf(AclMode access)
{
	return (access & ACL_INSERT) ? CMD_INSERT :
		(access & ACL_UPDATE) ? CMD_UPDATE :
		(access & ACL_DELETE) ? CMD_DELETE : CMD_SELECT;
}

/*
 * What a log says of the access.  A request has no statement that would be
 * logged beside it, so its operation stands here, too.
 */
static const char *
DescribeAccess(const Store *store, CmdType command)
{
	const char *verb = command == CMD_INSERT ? "INSERT INTO" :
		command == CMD_UPDATE ? "UPDATE" :
		command == CMD_DELETE ? "DELETE FROM" : "SELECT FROM";
	const char *table = QualifiedName(RelationGetNamespace(store->rel), RelationGetRelationName(store->rel));
	const char *request = ActivePortal == NULL ? debug_query_string : NULL;

	if (request == NULL || strstr(request, "*/") != NULL)
		return psprintf("%s %s", verb, table);
	return psprintf("%s %s /* %s */", verb, table, request);
}

/* A statement with the table and no rows. */
static PlannedStmt *
MakeEmptyStatement(const Store *store, CmdType command)
{
	PlannedStmt *statement = makeNode(PlannedStmt);
	Result	   *nothing = makeNode(Result);
	PermissionsNode *perms;

	nothing->resconstantqual = (Node *) list_make1(makeBoolConst(false, false));
	statement->commandType = command;
	statement->canSetTag = true;
	statement->planTree = &nothing->plan;
	statement->rtable = list_make1(MakeCheckedEntry(store, &perms));
	SetPermissionsOfPlan(statement, perms);
	KeepTableOfPlan(statement, 1);
	statement->stmt_location = -1;
	return statement;
}

static void
RunInExecutor(PlannedStmt *statement, const char *text)
{
	QueryDesc  *query;

	PushActiveSnapshot(ActiveSnapshotSet() ? GetActiveSnapshot() : GetTransactionSnapshot());
	query = CreateQueryDesc(statement, text, GetActiveSnapshot(), InvalidSnapshot, None_Receiver,
							NULL, NULL, 0);
	ExecutorStart(query, EXEC_FLAG_SKIP_TRIGGERS);
	RunWholeQuery(query);
	ExecutorFinish(query);
	ExecutorEnd(query);
	FreeQueryDesc(query);
	PopActiveSnapshot();
}

/*
 * The memory belongs to the transaction: modules learn of an error when the
 * memory of the statement is freed.
 */
void
AnnounceAccess(const Store *store)
{
	CmdType		command = CommandOf(store->access);
	MemoryContext context;
	MemoryContext caller;

	if (ExecutorCheckPerms_hook == NULL || !(store->direct || store->direct_partitions))
		return;
	context = AllocSetContextCreate(CurTransactionContext, "dynamo access", ALLOCSET_SMALL_SIZES);
	caller = MemoryContextSwitchTo(context);
	RunInExecutor(MakeEmptyStatement(store, command), DescribeAccess(store, command));
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}
