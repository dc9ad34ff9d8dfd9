/*
 * copy_apply.c
 *	  Changing the parents and children that a statement has an effect on.
 *
 * The statement's rows are locked already.  A parent's row, or its absence, is
 * locked before its totals are changed; so is each child before its copies are.
 * What others have committed until then is read with a new snapshot in every
 * isolation level: an older one would not show a child that someone who held
 * the lock before has written.  REPEATABLE READ fails where it matters.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "copy/copy.h"
#include "item/builder.h"

/* ---- totals ---- */

static ValueRef
SetTotals(const Copy *copy, ValueRef item, const Contribution *contributions)
{
	for (int i = 0; i < copy->ntotals; i++)
		item = WithAttribute(item, copy->totals[i].attribute, TotalValue(&copy->totals[i], &contributions[i]));
	return item;
}

/* Returns the item with the totals of the children in a snapshot. */
static ValueRef
ComputeTotals(const CopyTable *table, const Copy *copy, ValueRef key, ValueRef item, Snapshot snapshot)
{
	Contribution *contributions;

	PushActiveSnapshot(snapshot);
	contributions = CopyContributions(table->def, table->relid, copy, key);
	PopActiveSnapshot();
	return SetTotals(copy, item, contributions);
}

/*
 * Raises a serialization error if a transaction of a stricter level does not
 * see the current children.  Their writers have finished, because they locked
 * the parent, which is locked now.
 */
static void
CheckCount(const CopyTable *table, const Copy *copy, ValueRef key, ValueRef item, ValueRef now)
{
	if (IsolationUsesXactSnapshot() &&
		!ValueEqual(ComputeTotals(table, copy, key, item, GetTransactionSnapshot()), now))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent update")));
}

static ValueRef
CountAll(const CopyTable *table, const Copy *copy, ValueRef key, ValueRef item)
{
	Slice		bytes = {(const char *) key.data, key.len};
	ValueRef	now;

	CopyRememberCount(table->relid, copy, bytes, GetCurrentCommandId(false));
	now = ComputeTotals(table, copy, key, item, GetLatestSnapshot());
	CheckCount(table, copy, key, item, now);
	return now;
}

/*
 * Adds the contributions to the totals; returns false if they do not suffice.
 */
static bool
AddContributions(const Copy *copy, const CopyTask *task, ValueRef *item)
{
	ValueRef	changed = *item;

	for (int i = 0; i < copy->ntotals; i++)
	{
		const Total *t = &copy->totals[i];
		ValueRef	after;

		if (!TotalChanged(t, &task->contributions[i],
						  AttributeFind(*item, t->attribute.data, t->attribute.len), &after))
			return false;
		changed = WithAttribute(changed, t->attribute, after);
	}
	*item = changed;
	return true;
}

/* Whether a locked row is a parent. */
static bool
IsParent(const CopyTable *table, const Copy *copy, const CopyRow *row)
{
	return row->item != NULL && EntityOfItem(table->def->entities, ItemRoot(row->item)) == copy->parent;
}

/* Contributions on their way to a parent. */
typedef struct Adding
{
	const CopyTable *table;
	const Copy *copy;
	const CopyTask *task;
	ValueRef	key;			/* key of the parent */
	bool		done;			/* nothing remains to be done for the parent */
} Adding;

/* A WriteDecider. */
static WriteAction
AddToParent(void *arg, ValueRef old, struct varlena **item)
{
	Adding	   *adding = arg;
	ValueRef	changed = old;

	adding->done = false;
	if (ValueIsMissing(old) || !SameKey(adding->table->def, old, adding->key))
		return WRITE_NOTHING;
	if (EntityOfItem(adding->table->def->entities, old) == adding->copy->parent &&
		!AddContributions(adding->copy, adding->task, &changed))
		return WRITE_NOTHING;
	adding->done = true;
	if (!CopyRowNeedsWrite(adding->table, old, changed))
		return WRITE_NOTHING;
	*item = ValueCopy(changed);
	return WRITE_PUT;
}

/* Adds a task's contributions to the parent, if there is one and they suffice. */
static bool
ApplyToParent(CopyTable *table, const Copy *copy, const CopyTask *task, ValueRef key)
{
	Adding		adding = {.table = table, .copy = copy, .task = task, .key = key};

	CopyRowChange(table, key, AddToParent, &adding);
	return adding.done;
}

/* A child that has no parent may be changed and deleted by anybody. */
static void
CheckParentOfTotal(const CopyTable *table, const Copy *copy, ValueRef key)
{
	RowKey		row_key;

	if (!table->store.rel->rd_rel->relrowsecurity)
		return;
	(void) RowKeyFromItem(table->def, key, &row_key, NULL);
	if (StoreGet(unconstify(Store *, &table->store), &row_key) != NULL)
		CopyCheckParent(table->store.rel, table->def, copy, key);
}

/*
 * Of a parent that does not exist the absence is locked, until the children
 * that were written can be seen.
 */
static void
ApplyTotal(CopyTable *table, const Copy *copy, const CopyTask *task, CommandId command, ValueRef key)
{
	CopyRow		row;

	if (!task->whole)
		CheckParentOfTotal(table, copy, key);
	if (!task->whole && !CopyIsCounted(table->relid, copy, task->key, command) && ApplyToParent(table, copy, task, key))
		return;
	CopyRowLock(table, key, COPY_LOCK_UPDATE, &row);
	if (IsParent(table, copy, &row))
		CopyRowWrite(table, &row, CountAll(table, copy, key, ItemRoot(row.item)));
}

bool
CopyCountAgain(CopyTable *table, const Copy *copy, ValueRef key)
{
	CopyRow		row;
	ValueRef	item;

	CopyRowLock(table, key, COPY_LOCK_PRESENT, &row);
	if (!IsParent(table, copy, &row))
		return false;
	item = CountAll(table, copy, key, ItemRoot(row.item));
	CopyRowWrite(table, &row, item);
	return item.data != ItemRoot(row.item).data;
}

/* ---- copies ---- */

/* The children of a parent that get its attributes. */
typedef struct Spreading
{
	CopyTable  *table;
	const Copy *copy;
	struct varlena *key;		/* key of the parent */
	ValueRef	parent;			/* the parent; MISSING_VALUE if there is none */
	MemoryContext context;		/* of the parent */
	uint64		number;			/* of spreads when the parent was read */
	struct Spreading *outer;
} Spreading;

/* How often this session has begun to spread. */
static uint64 spreads = 0;

/* Those that have not come to their end; triggers of the children run others. */
static Spreading *spreading = NULL;

bool
CopyIsSpreading(ValueRef key)
{
	for (const Spreading *s = spreading; s != NULL; s = s->outer)
	{
		if (ValueEqual(ItemRoot(s->key), key))
			return true;
	}
	return false;
}

/*
 * Updates a child, unless it has changed or moved to another parent since it
 * was read.
 */
static void
SpreadToCurrent(const Spreading *s, ValueRef child_key)
{
	CopyRow		row;
	ValueRef	current;
	MaybeItem	key;

	CopyRowLock(s->table, child_key, COPY_LOCK_PRESENT, &row);
	if (row.item == NULL)
		return;
	current = ItemRoot(row.item);
	if (EntityOfItem(s->table->def->entities, current) != s->copy->child)
		return;
	key = CopyParentKey(s->table->def, s->copy, current);
	if (MaybeItemExists(key) && MaybeItemEqual(key, MaybeItemOf(s->key)))
		CopyRowWrite(s->table, &row, WithCopies(s->copy, current, s->parent));
}

/*
 * Returns the parent, whose row this transaction has written and therefore
 * locked.
 */
static ValueRef
ReadParent(CopyTable *table, const Copy *copy, ValueRef key)
{
	RowKey		row_key;
	struct varlena *item;

	(void) RowKeyFromItem(table->def, key, &row_key, NULL);
	item = StoreGet(&table->store, &row_key);
	if (item == NULL || EntityOfItem(table->def->entities, ItemRoot(item)) != copy->parent)
		return MISSING_VALUE;
	return ItemRoot(item);
}

static void
ReadSpreadParent(Spreading *s)
{
	ValueRef	key = ItemRoot(s->key);
	MemoryContext old = MemoryContextSwitchTo(s->context);

	s->number = spreads;
	PushActiveSnapshot(GetLatestSnapshot());
	s->parent = ReadParent(s->table, s->copy, key);
	PopActiveSnapshot();
	MemoryContextSwitchTo(old);
}

/*
 * A ChildVisitor.  The snapshot of the transaction decides whether a row can
 * be written.  A row stored by hand whose item has no key cannot be found again.
 * A trigger of a child that was written may have changed the parent, and all its
 * children.
 */
static void
SpreadToChild(void *arg, ValueRef child)
{
	Spreading  *s = arg;
	ValueRef	key;

	if (s->number != spreads)
		ReadSpreadParent(s);
	if (!CopyRowNeedsWrite(s->table, child, WithCopies(s->copy, child, s->parent)) ||
		!MaybeItemOpen(ItemKey(s->table->def, child), &key))
		return;
	PushActiveSnapshot(GetTransactionSnapshot());
	SpreadToCurrent(s, key);
	PopActiveSnapshot();
}

static void
ApplyCopy(CopyTable *table, const Copy *copy, ValueRef key)
{
	Spreading	s = {.table = table, .copy = copy, .key = ValueCopy(key), .context = CurrentMemoryContext, .outer = spreading};

	if (CopyHasLaterTrigger(table->store.rel))
		CopyRememberCount(table->relid, copy, (Slice) {(const char *) key.data, key.len}, GetCurrentCommandId(false));
	spreads++;
	ReadSpreadParent(&s);
	PushActiveSnapshot(GetLatestSnapshot());
	spreading = &s;
	PG_TRY();
	{
		CopyVisitChildren(table->def, table->relid, copy, key, SpreadToChild, &s);
	}
	PG_FINALLY();
	{
		spreading = s.outer;
	}
	PG_END_TRY();
	PopActiveSnapshot();
}

/* ---- all ---- */

static void
ApplyTask(CopyTable *table, const CopySet *set, const CopyTask *task, CommandId command)
{
	const Copy *copy = &set->copies[task->copy];
	ValueRef	key = {(const uint8 *) task->key.data, task->key.len};

	if (copy->ntotals > 0)
		ApplyTotal(table, copy, task, command, key);
	else
		ApplyCopy(table, copy, key);
}

void
CopyApply(Relation rel, const TableDef *def, const CopySet *set, CopyTasks *tasks)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dynamo copies", ALLOCSET_DEFAULT_SIZES);
	CopyTable	table;

	CommandCounterIncrement();	/* makes the statement's own rows visible */
	CopyTableOpen(&table, RelationGetRelid(rel), def);
	for (int i = 0; i < tasks->count; i++)
	{
		MemoryContext old = MemoryContextSwitchTo(context);

		CHECK_FOR_INTERRUPTS();
		ApplyTask(&table, set, tasks->tasks[i], tasks->command);
		MemoryContextSwitchTo(old);
		MemoryContextReset(context);
	}
	CopyTableClose(&table);
	MemoryContextDelete(context);
	CopyTasksFree(tasks);
}
