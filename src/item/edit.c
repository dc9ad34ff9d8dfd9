/*
 * edit.c
 *	  SQL functions that set, remove or merge attributes of items.
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "fmgr.h"
#include "utils/array.h"

#include "item/builder.h"
#include "item/item.h"

/* ---- merging ---- */

static void
CopyEntry(ItemBuilder *b, const Container *c, uint32 i)
{
	Slice		name;
	ValueRef	value = MapEntry(c, i, &name);

	ItemBuilderName(b, name.data, name.len);
	ItemBuilderValue(b, value);
}

/*
 * Compares the names of two entries; an entry past the end is the greater one.
 */
static int
CompareEntries(const Container *x, uint32 i, const Container *y, uint32 j)
{
	Slice		name_x;
	Slice		name_y;

	if (i >= x->count || j >= y->count)
		return i < x->count ? -1 : 1;
	(void) MapEntry(x, i, &name_x);
	(void) MapEntry(y, j, &name_y);
	return SliceCompare(name_x, name_y);
}

/*
 * Returns an item with the attributes of both, in order; if both have one, y's
 * is taken.
 */
static struct varlena *
MergeAttributes(ValueRef x, ValueRef y)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	Container	cx;
	Container	cy;
	uint32		i = 0;
	uint32		j = 0;

	ContainerOpen(x, &cx);
	ContainerOpen(y, &cy);
	ItemBuilderReserve(b, (Size) x.len + y.len);
	ItemBuilderBeginMap(b);
	while (i < cx.count || j < cy.count)
	{
		int			order = CompareEntries(&cx, i, &cy, j);

		if (order < 0)
			CopyEntry(b, &cx, i++);
		else
		{
			if (order == 0)
				i++;
			CopyEntry(b, &cy, j++);
		}
	}
	ItemBuilderEnd(b);
	return ItemBuilderFinish(b);
}

DYNAMO_FUNCTION(dynamo_merge_items);

Datum
dynamo_merge_items(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(MergeAttributes(PG_GETARG_VALUE(0), PG_GETARG_VALUE(1)));
}

/* ---- one attribute ---- */

/*
 * Returns an item with one attribute; a missing value becomes the NULL type.
 */
static struct varlena *
SingleAttribute(text *name, ValueRef value)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);

	ItemBuilderBeginMap(b);
	ItemBuilderName(b, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
	if (ValueIsMissing(value))
		ItemBuilderNull(b);
	else
		ItemBuilderValue(b, value);
	ItemBuilderEnd(b);
	return ItemBuilderFinish(b);
}

DYNAMO_FUNCTION(dynamo_set_attribute);

Datum
dynamo_set_attribute(PG_FUNCTION_ARGS)
{
	ValueRef	value = MISSING_VALUE;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("attribute name must not be null")));
	if (!PG_ARGISNULL(2))
		value = PG_GETARG_VALUE(2);

	PG_RETURN_POINTER(MergeAttributes(PG_GETARG_VALUE(0),
							ItemRoot(SingleAttribute(PG_GETARG_TEXT_PP(1), value))));
}

/* ---- removing ---- */

/* Names to remove; nulls among them are ignored. */
typedef struct NameList
{
	Datum	   *names;
	bool	   *nulls;
	int			n;
} NameList;

static bool
NameListHas(const NameList *list, Slice name)
{
	for (int i = 0; i < list->n; i++)
	{
		text	   *t;

		if (list->nulls[i])
			continue;
		t = DatumGetTextPP(list->names[i]);
		if (SliceEqual(SliceOfVarlena(t), name))
			return true;
	}
	return false;
}

static struct varlena *
RemoveAttributes(ValueRef item, const NameList *list)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	Container	c;

	ContainerOpen(item, &c);
	ItemBuilderReserve(b, item.len);
	ItemBuilderBeginMap(b);
	for (uint32 i = 0; i < c.count; i++)
	{
		Slice		name;

		(void) MapEntry(&c, i, &name);
		if (!NameListHas(list, name))
			CopyEntry(b, &c, i);
	}
	ItemBuilderEnd(b);
	return ItemBuilderFinish(b);
}

DYNAMO_FUNCTION(dynamo_remove_attribute);

Datum
dynamo_remove_attribute(PG_FUNCTION_ARGS)
{
	Datum		name = PG_GETARG_DATUM(1);
	bool		null = false;
	NameList	list = {&name, &null, 1};

	PG_RETURN_POINTER(RemoveAttributes(PG_GETARG_VALUE(0), &list));
}

DYNAMO_FUNCTION(dynamo_remove_attributes);

Datum
dynamo_remove_attributes(PG_FUNCTION_ARGS)
{
	ArrayType  *names = PG_GETARG_ARRAYTYPE_P(1);
	NameList	list;

	deconstruct_array(names, ARR_ELEMTYPE(names), -1, false, TYPALIGN_INT,
					  &list.names, &list.nulls, &list.n);
	PG_RETURN_POINTER(RemoveAttributes(PG_GETARG_VALUE(0), &list));
}
