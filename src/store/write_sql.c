/*
 * write_sql.c
 *	  Writes one row with SQL statements.
 *
 * This path is used for everything that is not a plain local heap table, and
 * tests compare the direct path with it.  Statements always contain the full
 * key, so that a distributed engine can route them.
 *
 * Put and update lock the row first, then decide, then write.  A missing row
 * cannot be locked: INSERT ... ON CONFLICT DO NOTHING shows whether another
 * transaction was faster, and then the write starts again.  With ON CONFLICT
 * DO UPDATE the decision could not be made on the version that is replaced.
 *
 * Delete does not lock, since a row lock requires the UPDATE privilege.  It
 * deletes the row only if it still has the item of the decision; otherwise it
 * starts again.  (A condition on ctid would not suffice: a TID scan does not
 * check it again for the newer version of a row.)
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "item/builder.h"
#include "store/partition.h"
#include "store/plan.h"
#include "store/write_paths.h"
#include "table/distribution.h"

#define MAX_ARGS	3

/* A statement under construction, with its parameters. */
typedef struct Statement
{
	StringInfoData sql;
	int			nargs;
	Oid			types[MAX_ARGS];
	Datum		values[MAX_ARGS];
} Statement;

typedef struct SqlWrite
{
	WriteRequest *request;
	MemoryContext caller;		/* for results that outlive SPI */
} SqlWrite;

/* ---- building and running statements ---- */

static const char *
KeyColumn(const TableDef *def, int i)
{
	return quote_identifier(TableKeyAttribute(def, i)->column);
}

static Form_pg_attribute
ItemColumn(const SqlWrite *w)
{
	const Store *store = w->request->store;

	return TupleDescAttr(RelationGetDescr(store->rel), store->def->item_attnum - 1);
}

static const char *
ItemColumnName(const SqlWrite *w)
{
	return quote_identifier(NameStr(ItemColumn(w)->attname));
}

/*
 * Starts a statement whose first parameters are the key's values.  verb is the
 * text before the relation's name.
 */
static void
BeginStatement(Statement *s, const SqlWrite *w, const char *verb)
{
	const TableDef *def = w->request->store->def;

	initStringInfo(&s->sql);
	appendStringInfoString(&s->sql, verb);
	AppendRelationName(&s->sql, w->request->store->rel);

	s->nargs = KeyCount(&def->key);
	for (int i = 0; i < s->nargs; i++)
	{
		s->types[i] = KeyColumnType(TableKeyAttribute(def, i)->type);
		s->values[i] = w->request->key->values[i];
	}
}

static void
AppendItemParameter(Statement *s, const SqlWrite *w, struct varlena *item)
{
	s->types[s->nargs] = ItemColumn(w)->atttypid;
	s->values[s->nargs] = PointerGetDatum(item);
	s->nargs++;
	appendStringInfo(&s->sql, "$%d", s->nargs);
}

static void
AppendKeyCondition(Statement *s, const SqlWrite *w)
{
	const TableDef *def = w->request->store->def;

	for (int i = 0; i < KeyCount(&def->key); i++)
		appendStringInfo(&s->sql, "%s %s OPERATOR(pg_catalog.=) $%d",
						 i == 0 ? " WHERE" : " AND", KeyColumn(def, i), i + 1);
}

static void
AppendKeyColumns(Statement *s, const SqlWrite *w)
{
	const TableDef *def = w->request->store->def;

	for (int i = 0; i < KeyCount(&def->key); i++)
		appendStringInfo(&s->sql, "%s%s", i == 0 ? "" : ", ", KeyColumn(def, i));
}

/* Runs the statement; the number of rows is in SPI_processed. */
static void
RunWriteStatement(const SqlWrite *w, Statement *s)
{
	SPIPlanPtr	plan = StorePlanAs(s->sql.data, s->nargs, s->types, StoreRights(w->request->store));
	int			code = SPI_execute_plan(plan, s->values, NULL, false, 0);

	if (code < 0)
		elog(ERROR, "SPI_execute_plan failed: %s", SPI_result_code_string(code));
}

/* ---- reading the row ---- */

/* Returns the item, or NULL if there is none. */
static struct varlena *
SqlFindRow(const SqlWrite *w, bool lock)
{
	Statement	s;

	BeginStatement(&s, w, psprintf("SELECT %s FROM ", ItemColumnName(w)));
	AppendKeyCondition(&s, w);
	if (lock)
		appendStringInfoString(&s.sql, w->request->share ? " FOR SHARE" : " FOR NO KEY UPDATE");
	RunWriteStatement(w, &s);
	StatementCheckOneRow();
	return SPI_processed == 0 ? NULL : PG_DETOAST_DATUM_PACKED(StatementItem(0));
}

/* ---- writing ---- */

static struct varlena *
CopyItem(MemoryContext context, struct varlena *item)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	struct varlena *copy = ValueCopy(ItemRoot(item));

	MemoryContextSwitchTo(old);
	return copy;
}

/*
 * Runs a statement that returns the item it has stored; false if it stored
 * none.
 */
static bool
StoreItem(Statement *s, const SqlWrite *w)
{
	appendStringInfo(&s->sql, " RETURNING %s", ItemColumnName(w));
	RunWriteStatement(w, s);
	if (SPI_processed == 0)
		return false;
	w->request->stored = CopyItem(w->caller, PG_DETOAST_DATUM_PACKED(StatementItem(0)));
	return true;
}

/* Returns whether a row was inserted. */
static bool
SqlInsertRow(const SqlWrite *w, struct varlena *item, bool on_conflict)
{
	Statement	s;

	if (!w->request->store->def->distributed &&
		!StoreOfKey(w->request->store, w->request->key)->local)
		LockKeyByName(w->request->store, w->request->key);

	BeginStatement(&s, w, "INSERT INTO ");
	appendStringInfoString(&s.sql, " (");
	AppendKeyColumns(&s, w);
	appendStringInfo(&s.sql, ", %s) VALUES (", ItemColumnName(w));
	for (int i = 0; i < s.nargs; i++)
		appendStringInfo(&s.sql, "$%d, ", i + 1);
	AppendItemParameter(&s, w, item);
	appendStringInfoChar(&s.sql, ')');
	if (on_conflict)
	{
		appendStringInfoString(&s.sql, " ON CONFLICT (");
		AppendKeyColumns(&s, w);
		appendStringInfoString(&s.sql, ") DO NOTHING");
	}
	return StoreItem(&s, w);
}

/*
 * Returns whether a row was updated; a trigger may have suppressed it.  A row of a
 * shard that has gone since it was locked was moved.
 */
static bool
SqlUpdateRow(const SqlWrite *w, struct varlena *item)
{
	const Store *store = w->request->store;
	Statement	s;
	bool		updated;

	BeginStatement(&s, w, "UPDATE ");
	appendStringInfo(&s.sql, " SET %s = ", ItemColumnName(w));
	AppendItemParameter(&s, w, item);
	AppendKeyCondition(&s, w);
	updated = StoreItem(&s, w);
	if (!updated && store->def->distributed && StoreItemIsFinal(store))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to the move of a shard of table \"%s\"",
						RelationGetRelationName(store->rel))));
	return updated;
}

/* Deletes the row if it still has the item of the decision. */
static bool
SqlDeleteRow(const SqlWrite *w, struct varlena *old)
{
	Statement	s;

	BeginStatement(&s, w, "DELETE FROM ");
	AppendKeyCondition(&s, w);
	if (w->request->need_old)
	{
		appendStringInfo(&s.sql, " AND %s OPERATOR(dynamo.=) ", ItemColumnName(w));
		AppendItemParameter(&s, w, old);
	}
	RunWriteStatement(w, &s);
	return SPI_processed > 0;
}

/* ---- one write ---- */

static WriteAction
SqlDecide(const SqlWrite *w, struct varlena *old_item, struct varlena **item)
{
	WriteRequest *r = w->request;
	MemoryContext old = MemoryContextSwitchTo(w->caller);
	WriteAction action;

	*item = NULL;
	action = r->decide(r->arg,
					   old_item != NULL ? ItemRoot(old_item) : MISSING_VALUE,
					   item);
	MemoryContextSwitchTo(old);
	return action;
}

/*
 * Makes one attempt of a put; true when done.  After a conflict with a row
 * that we do not see, the second attempt is a plain INSERT.  Either a trigger
 * suppresses the insertion, or row security hides the row; the unique
 * violation is then the right error, as in SQL.
 */
static bool
PutRow(const SqlWrite *w, struct varlena *old, struct varlena *item,
	   int *unseen, WriteAction *action)
{
	if (old != NULL)
	{
		*action = SqlUpdateRow(w, item) ? WRITE_PUT : WRITE_NOTHING;
		return true;
	}
	if (SqlInsertRow(w, item, *unseen == 0))
	{
		*action = WRITE_PUT;
		return true;
	}
	*action = WRITE_NOTHING;
	return (*unseen)++ > 0;
}

/* Whether a DELETE may keep a row that it sees. */
static bool
DeleteMayBeSuppressed(Relation rel)
{
	return rel->rd_rel->relrowsecurity || rel->rd_rel->relhasrules ||
		(rel->trigdesc != NULL && rel->trigdesc->trig_delete_before_row);
}

/*
 * Makes one attempt of a deletion; true when done.  If nothing was deleted and
 * the same item still exists, a trigger, a rule or a policy keeps it.
 */
static bool
RemoveRow(const SqlWrite *w, struct varlena *old, struct varlena *previous,
		  WriteAction *action)
{
	*action = WRITE_NOTHING;
	if (old == NULL)
		return true;
	if (SqlDeleteRow(w, old))
	{
		*action = WRITE_DELETE;
		return true;
	}
	return previous != NULL &&
		ValueEqual(ItemRoot(previous), ItemRoot(old)) &&
		DeleteMayBeSuppressed(w->request->store->rel);
}

static WriteAction
WriteLoop(const SqlWrite *w)
{
	bool		lock = (w->request->store->access & ACL_UPDATE) != 0;
	struct varlena *old = NULL;
	int			unseen = 0;
	bool		done = false;
	WriteAction action = WRITE_NOTHING;

	while (!done)
	{
		struct varlena *previous = old;
		struct varlena *item;

		CHECK_FOR_INTERRUPTS();
		old = SqlFindRow(w, lock);
		action = SqlDecide(w, old, &item);
		if (action == WRITE_NOTHING)
			break;
		if (action == WRITE_PUT)
			done = PutRow(w, old, item, &unseen, &action);
		else
			done = RemoveRow(w, old, previous, &action);
	}
	return action;
}

static void
ConnectSpi(void)
{
	int			code = SPI_connect();

	if (code != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed: %s", SPI_result_code_string(code));
}

WriteAction
StoreWriteSql(WriteRequest *request)
{
	SqlWrite	w = {request, CurrentMemoryContext};
	WriteAction action;

	ConnectSpi();
	action = WriteLoop(&w);
	SPI_finish();
	return action;
}

/* ---- locking only ---- */

static void
SqlRemovePlaceholder(const SqlWrite *w)
{
	Statement	s;

	BeginStatement(&s, w, "DELETE FROM ");
	AppendKeyCondition(&s, w);
	RunWriteStatement(w, &s);
}

/*
 * Locks the absence of a row on the node with its shard, for all nodes, as lock.c
 * does in a heap, for a shard that cannot be accessed there: inserts a row and deletes it.
 * Returns the item of another transaction that was faster, locked; or NULL.  Triggers would
 * fire.  After a conflict with a row that we do not see, the second attempt says so.
 */
static struct varlena *
SqlLockAbsence(const SqlWrite *w)
{
	const Store *store = w->request->store;
	struct varlena *item = NULL;
	bool		unseen = false;

	if (!StoreHasOurTriggersOnly(store))
		DistributedError(store->def->relid,
						 "a transaction on an absent item of a table with row triggers or CHECK constraints");
	while (item == NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (SqlInsertRow(w, ItemOfKey(store->def, w->request->key), !unseen))
		{
			SqlRemovePlaceholder(w);
			break;
		}
		item = SqlFindRow(w, true);
		unseen = true;
	}
	return item;
}

/* Locks the absence of a row that was not found; returns the item of one that appears. */
static struct varlena *
LockNoRow(const SqlWrite *w)
{
	if (w->request->store->def->distributed)
		return SqlLockAbsence(w);
	LockKeyByName(w->request->store, w->request->key);
	return SqlFindRow(w, true);
}

struct varlena *
StoreLockSql(WriteRequest *request, SqlLock lock)
{
	SqlWrite	w = {request, CurrentMemoryContext};
	struct varlena *item;

	ConnectSpi();
	item = SqlFindRow(&w, lock != SQL_LOCK_NOTHING);
	if (item == NULL && lock == SQL_LOCK_ROW_OR_ABSENCE)
		item = LockNoRow(&w);
	if (item != NULL)
		item = CopyItem(w.caller, item);
	SPI_finish();
	return item;
}
