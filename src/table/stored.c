/*
 * stored.c
 *	  Checks stored rows, which may contain anything.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "item/builder.h"
#include "table/object_names.h"
#include "table/stored.h"

/* ---- errors ---- */

static char *
PlaceText(const RowPlace *place)
{
	if (ItemPointerIsValid(&place->tid))
		return psprintf("(%u,%u)", ItemPointerGetBlockNumber(&place->tid),
						ItemPointerGetOffsetNumber(&place->tid));
	return place->key != NULL ? psprintf("with key %s", place->key) : pstrdup("");
}

/* The relation may have been dropped meanwhile. */
static char *
RelationText(Oid relid)
{
	char	   *name = OidIsValid(relid) ? get_rel_name(relid) : NULL;

	return name != NULL ? name : psprintf("%u", relid);
}

void
InvalidRowError(const RowPlace *place, const char *problem)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("invalid row %s in table \"%s\"", PlaceText(place), RelationText(place->relid)),
			 errdetail("%s", problem),
			 errhint("Correct the item, or delete the row, with plain SQL.")));
}

void
InvalidTupleError(Oid relid, HeapTuple tuple, const char *problem)
{
	RowPlace	place = {relid, tuple->t_self, NULL};

	InvalidRowError(&place, problem);
}

void
NullItemError(Oid relid, ItemPointer tid)
{
	RowPlace	place = {relid, *tid, NULL};

	InvalidRowError(&place, "Column \"" ITEM_COLUMN "\" is null.");
}

/* ---- values ---- */

Datum
TupleItem(const TableDef *def, HeapTuple tuple, TupleDesc desc)
{
	bool		isnull;
	Datum		item = heap_getattr(tuple, def->item_attnum, desc, &isnull);

	if (unlikely(isnull))
		NullItemError(def->relid, &tuple->t_self);
	return item;
}

const char *
KeyAttributeProblem(const AttributeDef *attr, ValueRef v, uint32 max)
{
	const char *name = attr->name.data;

	if (ValueIsMissing(v))
		return psprintf("The item has no attribute \"%s\", which is a key.", name);
	if (ValueTypeOf(v) != attr->type)
		return psprintf("Attribute \"%s\" of the item, which is a key, has type %s, not %s.",
						name, ValueTypeName(ValueTypeOf(v)), ValueTypeName(attr->type));
	if (attr->type == VALUE_N)
		return NULL;
	if (v.len == 1)
		return psprintf("Attribute \"%s\" of the item, which is a key, is empty.", name);
	if (v.len - 1 > max)
		return psprintf("Attribute \"%s\" of the item, which is a key, has %u bytes; the limit is %u.",
						name, v.len - 1, max);
	if (attr->type == VALUE_S && memchr(v.data + 1, '\0', v.len - 1) != NULL)
		return psprintf("Attribute \"%s\" of the item, which is a key, contains U+0000.", name);
	return NULL;
}

/* ---- columns ---- */

static char *
ColumnText(ValueType type, Datum value)
{
	if (type == VALUE_S)
		return TextDatumGetCString(value);
	return DatumGetCString(DirectFunctionCall1(type == VALUE_N ? numeric_out : byteaout, value));
}

char *
ColumnProblem(const AttributeDef *attr, Datum value, bool isnull)
{
	return psprintf("Column \"%s\", which is a key, is %s, which no item can hold.",
					attr->column, isnull ? "null" : ColumnText(attr->type, value));
}

MaybeItem
KeyOfTuple(const TableDef *def, HeapTuple tuple, TupleDesc desc, const char **problem)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);

	ItemBuilderBeginMap(b);
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		const AttributeDef *attr = TableKeyAttribute(def, i);
		bool		isnull;
		Datum		datum = heap_getattr(tuple, attr->attnum, desc, &isnull);
		ValueRef	value;

		if (isnull || !MaybeItemOpen(KeyDatumToValue(attr->type, datum), &value))
		{
			*problem = ColumnProblem(attr, datum, isnull);
			return NO_ITEM;
		}
		ItemBuilderName(b, attr->name.data, attr->name.len);
		ItemBuilderValue(b, value);
	}
	ItemBuilderEnd(b);
	return MaybeItemOf(ItemBuilderFinish(b));
}

char *
KeyColumnsText(const AttributeDef *const *attributes, int n,
			   const Datum *values, const bool *nulls)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < n; i++)
		appendStringInfo(&out, "%s%s", i == 0 ? "(" : ", ",
						 nulls[i] ? "null" : ColumnText(attributes[i]->type, values[i]));
	appendStringInfoChar(&out, ')');
	return out.data;
}
