/*
 * copy_before.c
 *	  Sets the copies and totals of a written item before it is stored.
 *
 * An item that stays the same parent, or the child of the same parent, keeps
 * what the replaced one has: nobody else can have changed that meanwhile, for
 * the row is locked.  A new parent starts with the totals of no children; those
 * that are there are counted after the statement.  A new child locks its parent
 * and reads it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_trigger.h"
#include "utils/datum.h"
#include "utils/rel.h"

#include "copy/copy.h"
#include "extension_objects.h"
#include "item/builder.h"

/* A row being written. */
typedef struct Written
{
	Relation	rel;
	TableDef   *def;
	const CopySet *set;
	ValueRef	item;			/* the item with the attributes set so far */
	ValueRef	whole;			/* with composed keys, which decide its parent and children */
	ValueRef	old;			/* the replaced item; MISSING_VALUE if there is none */
	const Entity *entity;		/* NULL if there is none */
	const Entity *old_entity;
} Written;

static ValueRef
FindWrittenAttribute(ValueRef item, Slice name)
{
	return AttributeFind(item, name.data, name.len);
}

/* ---- totals of a parent ---- */

static bool
StaysSameItem(const Written *w)
{
	return w->entity == w->old_entity && SameKey(w->def, w->whole, w->old);
}

static void
KeepTotals(Written *w, const Copy *copy)
{
	bool		same = StaysSameItem(w);

	for (int i = 0; i < copy->ntotals; i++)
	{
		const Total *t = &copy->totals[i];

		w->item = WithAttribute(w->item, t->attribute, same ? FindWrittenAttribute(w->old, t->attribute) : TotalOfNone(t));
	}
}

/* ---- copies of a child ---- */

/*
 * Locks the parent of a new child.  A parent whose totals the child will
 * change is locked for an update at once: two sessions that share the lock
 * would wait for each other.
 */
CopyLock
CopyParentLock(const CopySet *set, const Copy *copy)
{
	for (int i = 0; i < set->count; i++)
	{
		if (set->copies[i].ntotals > 0 && set->copies[i].parent == copy->parent && set->copies[i].child == copy->child)
			return COPY_LOCK_UPDATE;
	}
	return COPY_LOCK_SHARED;
}

/*
 * Returns the current parent, which is locked; MISSING_VALUE if there is none.
 */
static ValueRef
LockParent(const Written *w, const Copy *copy, ValueRef key)
{
	CopyTable	table;
	CopyRow		row;

	CopyTableOpen(&table, RelationGetRelid(w->rel), w->def);
	CopyRowLock(&table, key, CopyParentLock(w->set, copy), &row);
	CopyTableClose(&table);
	if (row.item == NULL || EntityOfItem(w->def->entities, ItemRoot(row.item)) != copy->parent)
		return MISSING_VALUE;
	return ItemRoot(row.item);
}

static void
KeepCopies(Written *w, const Copy *copy)
{
	MaybeItem	maybe = CopyParentKey(w->def, copy, w->whole);
	MaybeItem	old_key = w->old_entity == copy->child ? CopyParentKey(w->def, copy, w->old) : NO_ITEM;
	ValueRef	key;

	if (!MaybeItemOpen(maybe, &key))
		return;
	/* one that gets another key while its parent is being copied would be missed */
	if (!MaybeItemEqual(maybe, old_key) || CopyIsSpreading(key))
	{
		w->item = WithCopies(copy, w->item, LockParent(w, copy, key));
		return;
	}
	for (int i = 0; i < copy->nattributes; i++)
		w->item = WithAttribute(w->item, copy->attributes[i].child, FindWrittenAttribute(w->old, copy->attributes[i].child));
}

/*
 * Checks that the user may refer to the parent of a child that is new, or comes
 * to another parent.
 */
static void
CheckNewParent(const Written *w, const Copy *copy)
{
	MaybeItem	maybe = CopyParentKey(w->def, copy, w->whole);
	MaybeItem	old_key = w->old_entity == copy->child ? CopyParentKey(w->def, copy, w->old) : NO_ITEM;
	ValueRef	key;

	if (MaybeItemOpen(maybe, &key) && !MaybeItemEqual(maybe, old_key))
		CopyCheckParent(w->rel, w->def, copy, key);
}

/* ---- the row ---- */

/*
 * Composes the item as it will be stored, without the attributes set here;
 * returns false if it will not be stored.
 */
static bool
ComposeWhole(Written *w)
{
	struct varlena *composed;
	Problem		problem = NO_PROBLEM;

	if (!ComposeEntityKeys(w->def, w->item, w->old, false, true, &composed, &problem))
		return false;
	w->whole = composed == NULL ? w->item : ItemRoot(composed);
	w->entity = EntityOfItem(w->def->entities, w->whole);
	w->old_entity = ValueIsMissing(w->old) ? NULL : EntityOfItem(w->def->entities, w->old);
	return w->entity != NULL;
}

static void
KeepAll(Written *w)
{
	for (int i = 0; i < w->set->count; i++)
	{
		const Copy *copy = &w->set->copies[i];

		if (copy->ntotals > 0 && copy->parent == w->entity)
			KeepTotals(w, copy);
		if (copy->nattributes > 0 && copy->child == w->entity)
			KeepCopies(w, copy);
		if (copy->child == w->entity && w->rel->rd_rel->relrowsecurity)
			CheckNewParent(w, copy);
	}
}

/*
 * Removes the composed index keys, which are composed again, because they may
 * contain attributes set here.  Given index keys are those of the given item
 * (ComposeWhole).
 */
static void
ForgetIndexKeys(Written *w)
{
	for (int i = w->entity->nbase; i < w->entity->nkeys; i++)
		w->item = WithAttribute(w->item, w->entity->keys[i].attribute, MISSING_VALUE);
}

/*
 * Returns the tuple without its index columns, which a new row of a dump
 * contains: they are derived from the item again.
 */
static HeapTuple
RemoveIndexColumns(const Written *w, HeapTuple tuple)
{
	Datum		value = (Datum) 0;
	bool		isnull = true;

	for (int i = w->entity->nbase; i < w->entity->nkeys; i++)
	{
		int			a = TableDefAttribute(w->def, w->entity->keys[i].attribute);
		int			column = a >= 0 ? w->def->attributes[a].attnum : 0;

		if (column > 0)
			tuple = heap_modify_tuple_by_cols(tuple, RelationGetDescr(w->rel), 1, &column, &value, &isnull);
	}
	return tuple;
}

bool
CopyHasLaterTrigger(Relation rel)
{
	const TriggerDesc *triggers = rel->trigdesc;

	for (int i = triggers == NULL ? -1 : triggers->numtriggers - 1; i >= 0 && strcmp(triggers->triggers[i].tgname, TRIGGER_COPY) > 0; i--)
	{
		const Trigger *t = &triggers->triggers[i];

		if (TRIGGER_FOR_ROW(t->tgtype) && TRIGGER_FOR_BEFORE(t->tgtype) && strcmp(t->tgname, TRIGGER_DERIVE_KEYS) != 0)
			return true;
	}
	return false;
}

HeapTuple
CopyBeforeRow(const TriggerData *trigger, TableDef *def, const CopySet *set)
{
	TupleDesc	desc = RelationGetDescr(trigger->tg_relation);
	bool		update = TRIGGER_FIRED_BY_UPDATE(trigger->tg_event);
	HeapTuple	tuple = update ? trigger->tg_newtuple : trigger->tg_trigtuple;
	int			column = def->item_attnum;
	bool		isnull;
	bool		old_isnull = true;
	Datum		item = heap_getattr(tuple, column, desc, &isnull);
	Datum		old = update ? heap_getattr(trigger->tg_trigtuple, column, desc, &old_isnull) : (Datum) 0;
	Written		w = {.rel = trigger->tg_relation, .def = def, .set = set, .old = MISSING_VALUE};
	ValueRef	given;

	if (isnull || IsCopyRowWrite() || (!old_isnull && datumIsEqual(item, old, false, -1)))
		return tuple;
	w.item = given = DatumGetValue(item);
	if (!old_isnull)
		w.old = DatumGetValue(old);
	if (!ComposeWhole(&w))
		return tuple;
	KeepAll(&w);
	if (w.item.data == given.data)
		return tuple;
	ForgetIndexKeys(&w);
	item = PointerGetDatum(ValueCopy(w.item));
	tuple = heap_modify_tuple_by_cols(tuple, desc, 1, &column, &item, &isnull);
	return update ? tuple : RemoveIndexColumns(&w, tuple);
}
