/*
 * copy_children.c
 *	  Reading the children of a parent.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "copy/copy.h"
#include "extension_objects.h"

/* A search for children. */
typedef struct Search
{
	const TableDef *def;
	const Copy *copy;
	MaybeItem	key;			/* key of the parent */
} Search;

static bool
IsChild(const Search *s, ValueRef item)
{
	const Entity *entity = EntityOfItem(s->def->entities, item);
	MaybeItem	key = entity == s->copy->child ? CopyParentKey(s->def, s->copy, item) : NO_ITEM;

	return MaybeItemExists(key) && MaybeItemEqual(key, s->key);
}

/*
 * Visits the children in a range, each in a memory context that is reset
 * afterwards.
 */
static void
VisitRange(StoreScan *scan, const Search *s, ChildVisitor visit, void *arg)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dynamo child", ALLOCSET_DEFAULT_SIZES);
	struct varlena *item;

	while (StoreScanNext(scan, &item))
	{
		MemoryContext old = MemoryContextSwitchTo(context);

		CHECK_FOR_INTERRUPTS();
		if (IsChild(s, ItemRoot(item)))
			visit(arg, ItemRoot(item));
		MemoryContextSwitchTo(old);
		MemoryContextReset(context);
	}
	MemoryContextDelete(context);
}

void
CopyVisitChildren(const TableDef *def, Oid relid, const Copy *copy, ValueRef key, ChildVisitor visit, void *arg)
{
	Search		s = {def, copy, ItemKey(def, key)};
	KeyCondition condition;
	ScanRange	range = {.condition = &condition, .forward = true, .start = MISSING_VALUE, .shard = -1};
	StoreScan  *scan;
	Store		store;

	if (!MaybeItemExists(s.key) || !CopyCondition(def, copy, key, &condition))
		return;
	StoreOpenAs(&store, relid, ACL_SELECT, RelationOwner(relid), true);
	if (copy->index != NULL)
		range.index = TableDefIndexForRead(store.def, copy->index->name, true);
	scan = StoreScanBegin(&store, &range);
	VisitRange(scan, &s, visit, arg);
	StoreScanEnd(scan);
	StoreClose(&store);
}

/* ---- totals ---- */

typedef struct Counting
{
	const Copy *copy;
	Contribution *contributions;
	MemoryContext context;		/* context of the contributions */
} Counting;

/* A ChildVisitor. */
static void
CountChild(void *arg, ValueRef child)
{
	Counting   *counting = arg;
	MemoryContext old = MemoryContextSwitchTo(counting->context);

	for (int i = 0; i < counting->copy->ntotals; i++)
		Contribute(&counting->copy->totals[i], &counting->contributions[i], child, false);
	MemoryContextSwitchTo(old);
}

Contribution *
CopyContributions(const TableDef *def, Oid relid, const Copy *copy, ValueRef key)
{
	Counting	counting = {copy, palloc0(sizeof(Contribution) * Max(copy->ntotals, 1)), CurrentMemoryContext};

	CopyVisitChildren(def, relid, copy, key, CountChild, &counting);
	return counting.contributions;
}
