/*
 * whole_statement.c
 *	  Recognizes a call of a function that is a whole transaction.
 *
 * Nothing has happened in the transaction before the call, nothing happens with it, and
 * nothing can follow.  When in doubt, the answer is no: the write is then a part of the
 * transaction, as always.
 *
 * Before: there is no transaction block, explicit, implicit or by pipelining; nothing
 * was written here, nothing read or written elsewhere through Citus.
 *
 * With it: the client sent the statement, and it is SELECT of this call alone.  Then the
 * plan of the active portal returns one row, and its only expression is the one being
 * evaluated.  A call from a function, a trigger or DO belongs to another plan; a cursor,
 * COPY, EXPLAIN and EXECUTE have no portal of this kind.  The arguments only compute:
 * functions in SQL or a procedural language, or volatile ones, could leave something
 * for the commit, such as a notification.
 *
 * After: a client that uses the extended protocol may send more statements for the same
 * transaction, until it sends Sync.  Drivers send it together with the statement, so
 * that it waits in the buffer.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_language_d.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "tcop/pquery.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "citus/distributed_table.h"
#include "citus/node_link.h"
#include "citus/remote.h"
#include "citus/whole_statement.h"
#include "compat.h"

/*
 * This file does not need GSSAPI, whose headers the server's development
 * package requires but does not install.
 */
#undef ENABLE_GSS
#include "libpq/libpq.h"

/* The type of the message Sync. */
#define SYNC_MESSAGE	'S'

static bool done;				/* by another node, in this transaction */

/* ---- the statement ---- */

/* The only expression of a statement that returns one row, from no table; or NULL. */
static const Expr *
OnlyExpression(const PlannedStmt *statement)
{
	const Plan *plan = statement->planTree;

	if (statement->commandType != CMD_SELECT || statement->subplans != NIL || !IsA(plan, Result) ||
		plan->lefttree != NULL || plan->initPlan != NIL || plan->qual != NIL ||
		((const Result *) plan)->resconstantqual != NULL || list_length(plan->targetlist) != 1)
		return NULL;
	return linitial_node(TargetEntry, plan->targetlist)->expr;
}

/* Whether a function may do more than compute a value. */
static bool
FunctionMayDoMore(Oid function, void *context)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool		result = true;

	if (HeapTupleIsValid(tuple))
	{
		Form_pg_proc form = (Form_pg_proc) GETSTRUCT(tuple);

		result = form->provolatile == PROVOLATILE_VOLATILE ||
			(form->prolang != INTERNALlanguageId && form->prolang != ClanguageId);
		ReleaseSysCache(tuple);
	}
	return result;
}

/* The same for a part of an argument. */
static bool
NodeMayDoMore(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Const:
			return false;
		case T_Param:
			return ((Param *) node)->paramkind != PARAM_EXTERN;
		case T_List:
		case T_FuncExpr:
		case T_OpExpr:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_ArrayExpr:
			return check_functions_in_node(node, FunctionMayDoMore, NULL) ||
				expression_tree_walker(node, NodeMayDoMore, NULL);
		default:
			return true;
	}
}

/* Whether this call is the whole statement of a portal. */
static bool
CallIsWholeStatement(FunctionCallInfo fcinfo, const Portal portal)
{
	const Node *call = fcinfo->flinfo->fn_expr;

	return portal->strategy == PORTAL_ONE_SELECT && portal->queryDesc != NULL &&
		call != NULL && IsA(call, FuncExpr) &&
		(const Node *) OnlyExpression(portal->queryDesc->plannedstmt) == call &&
		!NodeMayDoMore((Node *) ((const FuncExpr *) call)->args, NULL);
}

/* ---- what is before and after it ---- */

/* Whether the next message of the client has arrived, and is Sync. */
static bool
SyncFollows(void)
{
	bool		follows;

	if (!ClientDataIsBuffered())
		return false;
	pq_startmsgread();
	follows = pq_peekbyte() == SYNC_MESSAGE;
	pq_endmsgread();
	return follows;
}

/*
 * Whether the transaction ends with the statement of a portal.  The portals of
 * statements of clients have no name, if they are not cursors; those of simple queries
 * are invisible.
 */
static bool
EndsWithStatement(const Portal portal)
{
	return portal->name[0] == '\0' && MyBackendType == B_BACKEND && !SessionIsOfCitus() &&
		!IsTransactionBlock() && (MyXactFlags & XACT_FLAGS_PIPELINING) == 0 &&
		GetCurrentTransactionNestLevel() == 1 &&
		(!portal->visible || SyncFollows());
}

/* Whether this transaction has done nothing yet. */
static bool
HasDoneNothing(void)
{
	return !IsolationUsesXactSnapshot() && !XactReadOnly &&
		!TransactionIdIsValid(GetTopTransactionIdIfAny()) && RemoteIsPossible() && !RemoteHasBegun();
}

bool
CallIsWholeTransaction(FunctionCallInfo fcinfo)
{
	return LinksArePossible() && ActivePortal != NULL && !done &&
		CallIsWholeStatement(fcinfo, ActivePortal) && EndsWithStatement(ActivePortal) && HasDoneNothing();
}

/* ---- the end ---- */

/* After an error nobody holds off cancels. */
static void
EndWholeStatement(XactEvent event, void *arg)
{
	if (!done)
		return;
	if (event == XACT_EVENT_PRE_COMMIT)
	{
		RESUME_CANCEL_INTERRUPTS();
		return;
	}
	done = false;
	if (event == XACT_EVENT_ABORT)
		ereport(WARNING,
				(errcode(ERRCODE_TRANSACTION_RESOLUTION_UNKNOWN),
				 errmsg("another node of Citus has executed the write of the failed statement")));
}

void
WholeTransactionIsDone(void)
{
	static bool registered = false;

	if (!registered)
		RegisterXactCallback(EndWholeStatement, NULL);
	registered = true;
	done = true;
	HOLD_CANCEL_INTERRUPTS();
}
