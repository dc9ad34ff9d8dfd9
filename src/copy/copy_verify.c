/*
 * copy_verify.c
 *	  dynamo.check_copies and dynamo.repair_copies; filling a new copy or total.
 *
 * Both are for the owner of the table, as verify_index is.  A check reads all items
 * with one snapshot, which shows an item and all that is kept of it alike.
 *
 * A repair in batches goes on where the session's last one stopped, so that all of
 * them together read the table a few times, and not once for each.  At the end of
 * the table it begins anew: if it finds nothing, nothing is wrong.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "copy/copy.h"
#include "ddl/ddl.h"
#include "item/builder.h"
#include "item/json.h"
#include "security/owner.h"
#include "stat/progress.h"
#include "table/table_name.h"

/* Maximum bytes of an item's text in a problem. */
#define MAX_SHOWN_ITEM	200

/* Items that a new definition fills at a time, whose keys are in memory. */
#define FILL_ITEMS		10000

/* The state of a check. */
typedef struct Check
{
	Relation	rel;
	TableDef   *def;
	const CopySet *set;			/* NULL if there is nothing to check */
	Slice		name;			/* name of the definition to check; data is NULL for all */
	Store		store;			/* for reading parents */
	ValueRef	start;			/* the key after which the check begins; MISSING_VALUE for all items */
	StringInfoData problem;
} Check;

/* Where the last repair of this session stopped. */
static struct
{
	Oid			relid;
	uint32		name;			/* a hash of the definition's name; 0 for all */
	struct varlena *key;		/* of the last item that it repaired; NULL if there is nothing to go on with */
}			stopped;

/* ---- one item ---- */

static void
AppendCopiedValue(StringInfo out, ValueRef v)
{
	if (ValueIsMissing(v))
		appendStringInfoString(out, "absent");
	else
		ValueToJson(out, v);
}

/* Whether an attribute has the expected value; notes a problem otherwise. */
static bool
CheckCopiedAttribute(Check *c, const Copy *copy, Slice name, ValueRef is, ValueRef must_be)
{
	if (SameAttribute(is, must_be))
		return true;
	appendStringInfo(&c->problem, "attribute %.*s of \"%.*s\" is ", (int) name.len, name.data,
					 (int) copy->name.len, copy->name.data);
	AppendCopiedValue(&c->problem, is);
	appendStringInfoString(&c->problem, "; it should be ");
	AppendCopiedValue(&c->problem, must_be);
	return false;
}

static ValueRef
FindCopiedAttribute(ValueRef item, Slice name)
{
	return AttributeFind(item, name.data, name.len);
}

static bool
CheckTotals(Check *c, const Copy *copy, ValueRef item)
{
	Contribution *contributions = CopyContributions(c->def, RelationGetRelid(c->rel), copy, item);

	for (int i = 0; i < copy->ntotals; i++)
	{
		const Total *t = &copy->totals[i];

		if (!CheckCopiedAttribute(c, copy, t->attribute, FindCopiedAttribute(item, t->attribute), TotalValue(t, &contributions[i])))
			return false;
	}
	return true;
}

static bool
CheckCopies(Check *c, const Copy *copy, ValueRef item)
{
	ValueRef	key;
	ValueRef	parent = MISSING_VALUE;
	struct varlena *found;
	RowKey		row_key;

	if (!MaybeItemOpen(CopyParentKey(c->def, copy, item), &key))
		return true;
	(void) RowKeyFromItem(c->def, key, &row_key, NULL);
	found = StoreGet(&c->store, &row_key);
	if (found != NULL && EntityOfItem(c->def->entities, ItemRoot(found)) == copy->parent)
		parent = ItemRoot(found);
	for (int i = 0; i < copy->nattributes; i++)
	{
		const CopiedAttribute *a = &copy->attributes[i];

		if (!CheckCopiedAttribute(c, copy, a->child, FindCopiedAttribute(item, a->child), FindCopiedAttribute(parent, a->parent)))
			return false;
	}
	return true;
}

/*
 * Checks the copies and totals of an item; returns false and sets c->problem
 * if they are wrong.
 */
static bool
CheckItem(Check *c, ValueRef item)
{
	const Entity *entity = EntityOfItem(c->def->entities, item);

	resetStringInfo(&c->problem);
	for (int i = 0; i < c->set->count; i++)
	{
		const Copy *copy = &c->set->copies[i];

		if (c->name.data != NULL && !SliceEqual(c->name, copy->name))
			continue;
		if ((copy->ntotals > 0 && copy->parent == entity && !CheckTotals(c, copy, item)) ||
			(copy->nattributes > 0 && copy->child == entity && !CheckCopies(c, copy, item)))
			return false;
	}
	return true;
}

/* ---- all items ---- */

/* Says which item it is that has no key: by its beginning. */
static void
DescribeItem(Check *c, ValueRef item)
{
	StringInfoData text;

	initStringInfo(&text);
	ItemToJson(&text, item);
	appendStringInfo(&c->problem, ", in an item without the key of the table: %.*s",
					 pg_mbcliplen(text.data, text.len, MAX_SHOWN_ITEM), text.data);
}

typedef bool (*NoteProblem) (void *arg, MaybeItem key, const char *problem);

/* Returns false if note did. */
static bool
CheckAndNote(Check *c, ValueRef item, NoteProblem note, void *arg)
{
	MaybeItem	key;

	CHECK_FOR_INTERRUPTS();
	ProgressRow();
	if (CheckItem(c, item))
		return true;
	key = ItemKey(c->def, item);
	if (!MaybeItemExists(key))
		DescribeItem(c, item);
	return note(arg, key, c->problem.data);
}

/* Checks the items after a key, up to another; both may be missing.  Returns false if note did. */
static bool
CheckRange(Check *c, Store *store, ValueRef start, ValueRef last, NoteProblem note, void *arg)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dynamo check", ALLOCSET_DEFAULT_SIZES);
	ScanRange	range = {.forward = true, .start = start, .shard = -1};
	StoreScan  *scan = StoreScanBegin(store, &range);
	struct varlena *item;
	bool		more = true;
	bool		ends = false;

	while (more && !ends && StoreScanNext(scan, &item))
	{
		MemoryContext old = MemoryContextSwitchTo(context);

		more = CheckAndNote(c, ItemRoot(item), note, arg);
		ends = !ValueIsMissing(last) && SameKey(c->def, ItemRoot(item), last);
		MemoryContextSwitchTo(old);
		MemoryContextReset(context);
	}
	StoreScanEnd(scan);
	MemoryContextDelete(context);
	return more;
}

/*
 * Calls note for the key of each item with a problem, until it returns false; of all
 * items, or only of those after c->start.
 */
static void
CheckItems(Check *c, bool all, NoteProblem note, void *arg)
{
	Store		store;

	StoreOpenAs(&store, RelationGetRelid(c->rel), ACL_SELECT, c->rel->rd_rel->relowner, true);
	StoreOpenAs(&c->store, RelationGetRelid(c->rel), ACL_SELECT, c->rel->rd_rel->relowner, true);
	ProgressBegin(PROGRESS_CHECK_COPIES, RelationGetRelid(c->rel), c->rel->rd_rel->reltuples);
	if (CheckRange(c, &store, c->start, MISSING_VALUE, note, arg) && all && !ValueIsMissing(c->start))
		(void) CheckRange(c, &store, MISSING_VALUE, c->start, note, arg);
	ProgressEnd();
	StoreClose(&c->store);
	StoreClose(&store);
}

/* name is that of the definition to check, or NULL for all. */
static void
CheckBeginNamed(Check *c, const char *table_name, const char *name)
{
	memset(c, 0, sizeof(*c));
	c->start = MISSING_VALUE;
	c->rel = OpenTableForDdl(table_name, AccessShareLock);
	c->def = TableDefAcquire(c->rel);
	c->set = c->def->entities == NULL ? NULL : CopySetOf(c->rel, c->def);
	initStringInfo(&c->problem);
	if (name == NULL)
		return;
	c->name = SliceOf(name);
	for (int i = 0; c->set != NULL && i < c->set->count; i++)
	{
		if (SliceEqual(c->set->copies[i].name, c->name))
			return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("the table has no copy or total \"%.*s\"", (int) c->name.len, c->name.data)));
}

static void
CheckBegin(Check *c, FunctionCallInfo fcinfo)
{
	const char *table_name = RequiredTableArgument(fcinfo, 0);

	CheckBeginNamed(c, table_name, PG_ARGISNULL(1) ? NULL : RequiredText(fcinfo, 1, "copy_name"));
}

static void
CheckEnd(Check *c)
{
	TableDefRelease(c->def);
	table_close(c->rel, NoLock);
}

static bool
PutProblem(void *arg, MaybeItem key, const char *problem)
{
	ReturnSetInfo *result = arg;
	bool		nulls[2] = {false, false};
	Datum		values[2] = {MaybeItemDatum(key, &nulls[0]), CStringGetTextDatum(problem)};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	return true;
}

/* check_copies(table_name text, copy_name text) returns table (key dynamo.item, problem text) */
DYNAMO_FUNCTION(dynamo_check_copies);
Datum
dynamo_check_copies(PG_FUNCTION_ARGS)
{
	OwnerScope	scope;
	Check		c;

	InitMaterializedSRF(fcinfo, 0);
	CheckBegin(&c, fcinfo);
	OwnerScopeEnterForMaintenance(&scope, c.rel->rd_rel->relowner);
	if (c.set != NULL)
		CheckItems(&c, true, PutProblem, fcinfo->resultinfo);
	OwnerScopeLeave(&scope);
	CheckEnd(&c);
	return (Datum) 0;
}

/* ---- repair ---- */

/* The keys of items to repair. */
typedef struct Repairs
{
	MemoryContext context;
	List	   *keys;
	int			left;
} Repairs;

/* An item without a key cannot be repaired: it is not found by one. */
static bool
KeepKey(void *arg, MaybeItem maybe, const char *problem)
{
	Repairs    *r = arg;
	MemoryContext old;
	ValueRef	key;

	if (!MaybeItemOpen(maybe, &key))
		return true;
	old = MemoryContextSwitchTo(r->context);
	r->keys = lappend(r->keys, ValueCopy(key));
	MemoryContextSwitchTo(old);
	return --r->left > 0;
}

static uint32
HashRepaired(const Check *c)
{
	return c->name.data == NULL ? 0 : hash_bytes((const unsigned char *) c->name.data, c->name.len) | 1;
}

/* Begins where the last repair of the same definitions stopped. */
static void
GoOn(Check *c)
{
	if (stopped.key != NULL && stopped.relid == RelationGetRelid(c->rel) && stopped.name == HashRepaired(c) &&
		MaybeItemExists(ItemKey(c->def, ItemRoot(stopped.key))))
		c->start = ItemRoot(ValueCopy(ItemRoot(stopped.key)));
}

/* Remembers where this repair stops, if it has not seen all items. */
static void
RememberStop(const Check *c, const Repairs *r)
{
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

	if (stopped.key != NULL)
		pfree(stopped.key);
	stopped.key = NULL;
	stopped.relid = RelationGetRelid(c->rel);
	stopped.name = HashRepaired(c);
	if (r->left <= 0)
		stopped.key = ValueCopy(ItemRoot(llast(r->keys)));
	MemoryContextSwitchTo(old);
}

/*
 * Locks a child, then its parent, and sets the child's copies; returns whether
 * they differed.
 */
static bool
RepairChild(Check *c, CopyTable *table, const Copy *copy, ValueRef item_key)
{
	CopyRow		row;
	CopyRow		parent;
	ValueRef	item;
	ValueRef	key;

	CopyRowLock(table, item_key, COPY_LOCK_PRESENT, &row);
	if (row.item == NULL || EntityOfItem(c->def->entities, ItemRoot(row.item)) != copy->child)
		return false;
	if (!MaybeItemOpen(CopyParentKey(c->def, copy, ItemRoot(row.item)), &key))
		return false;
	CopyRowLock(table, key, CopyParentLock(c->set, copy), &parent);
	item = WithCopies(copy, ItemRoot(row.item),
					  parent.item != NULL && EntityOfItem(c->def->entities, ItemRoot(parent.item)) == copy->parent ?
					  ItemRoot(parent.item) : MISSING_VALUE);
	CopyRowWrite(table, &row, item);
	return item.data != ItemRoot(row.item).data;
}

/* Repairs an item; returns whether it still had a problem. */
static bool
RepairItem(Check *c, CopyTable *table, ValueRef key)
{
	bool		repaired = false;

	for (int i = 0; i < c->set->count; i++)
	{
		const Copy *copy = &c->set->copies[i];

		if (c->name.data != NULL && !SliceEqual(c->name, copy->name))
			continue;
		repaired |= copy->ntotals > 0 ? CopyCountAgain(table, copy, key) : RepairChild(c, table, copy, key);
	}
	return repaired;
}

static int64
RepairAll(Check *c, const Repairs *repairs)
{
	CopyTable	table;
	int64		n = 0;
	ListCell   *cell;

	CopyTableOpen(&table, RelationGetRelid(c->rel), c->def);
	foreach(cell, repairs->keys)
		n += RepairItem(c, &table, ItemRoot(lfirst(cell)));
	CopyTableClose(&table);
	return n;
}

/* repair_copies(table_name text, copy_name text, max_items integer) returns bigint */
DYNAMO_FUNCTION(dynamo_repair_copies);
Datum
dynamo_repair_copies(PG_FUNCTION_ARGS)
{
	Repairs		repairs = {CurrentMemoryContext, NIL, PG_ARGISNULL(2) ? PG_INT32_MAX : PG_GETARG_INT32(2)};
	OwnerScope	scope;
	int64		n = 0;
	Check		c;

	CheckBegin(&c, fcinfo);
	OwnerScopeEnterForMaintenance(&scope, c.rel->rd_rel->relowner);
	if (c.set != NULL && repairs.left > 0)
	{
		GoOn(&c);
		CheckItems(&c, true, KeepKey, &repairs);
		RememberStop(&c, &repairs);
	}
	if (repairs.keys != NIL)
		n = RepairAll(&c, &repairs);
	OwnerScopeLeave(&scope);
	CheckEnd(&c);
	PG_RETURN_INT64(n);
}

/* ---- filling ---- */

/*
 * Repairs up to FILL_ITEMS items after c->start, and moves it; returns false if there
 * were no more.
 */
static bool
FillCopies(Check *c, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Repairs		repairs = {context, NIL, FILL_ITEMS};

	CheckItems(c, false, KeepKey, &repairs);
	(void) RepairAll(c, &repairs);
	MemoryContextSwitchTo(old);
	if (repairs.left > 0)
		return false;
	c->start = ItemRoot(ValueCopy(ItemRoot(llast(repairs.keys))));
	return true;
}

void
CopyFill(const char *table_name, const char *name)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dynamo fill", ALLOCSET_DEFAULT_SIZES);
	OwnerScope	scope;
	bool		more = true;
	Check		c;

	CommandCounterIncrement();
	PushActiveSnapshot(GetLatestSnapshot());	/* newer than the lock: all rows */
	CheckBeginNamed(&c, table_name, name);
	OwnerScopeEnterForMaintenance(&scope, c.rel->rd_rel->relowner);
	while (more)
	{
		more = FillCopies(&c, context);
		MemoryContextReset(context);
	}
	OwnerScopeLeave(&scope);
	CheckEnd(&c);
	PopActiveSnapshot();
	MemoryContextDelete(context);
}
