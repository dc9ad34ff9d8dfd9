/*
 * derive_columns.c
 *	  Derives the key columns of a row from its item: in the derive_keys
 *	  trigger, and as a plain function for the direct path.
 *
 * The item is the source of truth.  For every write of a row (functions,
 * INSERT, UPDATE, MERGE, COPY, logical replication), the trigger sets the
 * columns and checks the item like the service checks an item in PutItem.
 *
 * A statement may set a key column only to the value in the item; on INSERT
 * this concerns values that are not null, on UPDATE changed values.  If the
 * trigger overwrote the column silently, UPDATE ... SET "SK" would be ignored.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "commands/trigger.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/numeric.h"
#include "utils/rel.h"

#include "errors.h"
#include "table/distribution.h"
#include "table/limits.h"
#include "table/moves.h"
#include "table/object_names.h"
#include "table/restoring.h"
#include "table/table.h"
#include "table/time_to_live.h"

/* ---- size limits ---- */

void
CheckKeyEntryLength(const TableDef *def, const Datum *values, const bool *nulls)
{
	if (PrimaryKeyIsTooLong(def, values, nulls))
		EntryTooLongError(NULL);
}

static void
CheckEntryLengths(const TableDef *def, ValueRef item, const Datum *values, const bool *nulls,
				  const ReplacedItem *replaced)
{
	CheckKeyEntryLength(def, values, nulls);
	for (int i = 0; i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];

		if (EntryIsTooLong(def, index, values, nulls) &&
			!KeepsEntryKey(def, index, item, replaced))
			EntryTooLongError(index);
	}
}

/*
 * Checks the size of the item; with local indexes, its entries in them count,
 * too.
 */
static void
CheckSizes(const TableDef *def, ValueRef item)
{
	uint64		size;

	CheckItemSize(item);
	if (!def->has_local || IsStoredAgain(def->root))
		return;
	size = ItemWithEntriesSize(def, item);
	if (size > ITEM_MAX_SIZE)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("Item size has exceeded the maximum allowed size"),
				 errdetail("The item and its entries in local indexes have " UINT64_FORMAT " bytes; the limit is %d.",
						   size, ITEM_MAX_SIZE)));
}

/* ---- deriving ---- */

static void
SetColumn(const AttributeDef *attr, ValueRef v, Datum *values, bool *nulls)
{
	nulls[attr->attnum - 1] = !ColumnOfValue(attr, v, &values[attr->attnum - 1]);
}

/*
 * Derives the expiry time.  The attribute is not a key: an invalid value is
 * treated as absent.
 */
static void
DeriveExpiry(const TableDef *def, ValueRef item, Datum *values, bool *nulls)
{
	int64		seconds = 0;

	if (def->ttl_attnum == InvalidAttrNumber)
		return;
	nulls[def->ttl_attnum - 1] =
		!TtlSeconds(AttributeFind(item, def->ttl.data, def->ttl.len), &seconds);
	values[def->ttl_attnum - 1] = Int64GetDatum(seconds);
}

/*
 * Whether the expiry time in a row differs from the one derived from its item.
 */
static bool
ExpiryDiffers(const TableDef *def, Datum given, bool isnull, const Datum *values, const bool *nulls)
{
	if (isnull || nulls[def->ttl_attnum - 1])
		return isnull != nulls[def->ttl_attnum - 1];
	return DatumGetInt64(given) != DatumGetInt64(values[def->ttl_attnum - 1]);
}

bool
DeriveStoredExpiry(const TableDef *def, ValueRef item, Datum *values, bool *nulls)
{
	Datum		stored;
	bool		isnull;

	if (def->ttl_attnum == InvalidAttrNumber)
		return false;
	stored = values[def->ttl_attnum - 1];
	isnull = nulls[def->ttl_attnum - 1];
	DeriveExpiry(def, item, values, nulls);
	return ExpiryDiffers(def, stored, isnull, values, nulls);
}

/*
 * Raises an error for a value that cannot be stored in a key column, such as
 * text with U+0000.  The service would accept it; its length and type have
 * been checked.
 */
static void
CheckKeyColumns(const TableDef *def, ValueRef item, const bool *nulls)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		const AttributeDef *attr = TableKeyAttribute(def, i);

		if (unlikely(nulls[attr->attnum - 1]))
			(void) KeyValueToDatum(attr, AttributeFind(item, attr->name.data, attr->name.len));
	}
}

static void
DeriveColumns(const TableDef *def, ValueRef item, Datum *values, bool *nulls,
			  const ReplacedItem *replaced)
{
	for (int i = 0; i < def->nattributes; i++)
	{
		const AttributeDef *attr = &def->attributes[i];
		ValueRef	v = AttributeFind(item, attr->name.data, attr->name.len);

		if (unlikely(!attr->is_key) && !ValueIsMissing(v))
			CheckOtherAttribute(attr, v);
		SetColumn(attr, v, values, nulls);
	}
	CheckKeyColumns(def, item, nulls);
	CheckEntryLengths(def, item, values, nulls, replaced);
	DeriveExpiry(def, item, values, nulls);
}

/* An item that is stored again replaces itself: what was left out of an index is again. */
static const ReplacedItem *
ReplacedOrItself(const TableDef *def, ValueRef item, const ReplacedItem *replaced, ReplacedItem *itself)
{
	if (likely(!IsStoredAgain(def->root)))
		return replaced;
	*itself = (ReplacedItem) {.item = item};
	return itself;
}

/* Checks an item to be stored and sets the values of all attribute columns. */
static void
DeriveKeys(const TableDef *def, ValueRef item, Datum *values, bool *nulls,
		   const ReplacedItem *replaced)
{
	ReplacedItem itself;

	replaced = ReplacedOrItself(def, item, replaced, &itself);
	CheckSizes(def, item);
	(void) CheckItemKeys(def, item, replaced, NULL);
	DeriveColumns(def, item, values, nulls, replaced);
}

void
DeriveCheckedKeys(const TableDef *def, ValueRef item, Datum *values, bool *nulls,
				  const ReplacedItem *replaced)
{
	ReplacedItem itself;

	if (def->has_local)
		CheckSizes(def, item);	/* including entries of local indexes */
	DeriveColumns(def, item, values, nulls, ReplacedOrItself(def, item, replaced, &itself));
}

bool
DeriveStoredKeys(const TableDef *def, ValueRef item, Datum *values, bool *nulls)
{
	bool		changed = false;

	for (int i = 0; i < def->nattributes; i++)
	{
		const AttributeDef *attr = &def->attributes[i];

		if (!nulls[attr->attnum - 1])
			continue;
		SetColumn(attr, AttributeFind(item, attr->name.data, attr->name.len), values, nulls);
		changed |= !nulls[attr->attnum - 1];
	}
	return changed;
}

/* ---- the trigger ---- */

bool
KeyDatumsEqual(ValueType type, Datum a, Datum b)
{
	if (type == VALUE_N)
		return DatumGetBool(DirectFunctionCall2(numeric_eq, a, b));
	return SliceEqual(SliceOfVarlena(PG_DETOAST_DATUM_PACKED(a)),
					  SliceOfVarlena(PG_DETOAST_DATUM_PACKED(b)));
}

static bool
IsSameColumn(ValueType type, Datum a, bool anull, Datum b, bool bnull)
{
	if (anull || bnull)
		return anull == bnull;
	return KeyDatumsEqual(type, a, b);
}

static void
ContradictionError(Relation rel, const AttributeDef *attr)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("column \"%s\" of table \"%s\" contradicts the item",
					attr->column, RelationGetRelationName(rel)),
			 errdetail("The column contains key attribute \"%s\", which is derived from the item.",
					   attr->name.data),
			 errhint("Change the attribute in the item, or omit the column.")));
}

/* Whether the expiry time in a tuple differs from the one derived. */
static bool
TupleExpiryDiffers(const TableDef *def, HeapTuple tuple, TupleDesc desc,
				   const Datum *values, const bool *nulls)
{
	bool		isnull;
	Datum		given;

	if (def->ttl_attnum == InvalidAttrNumber)
		return false;
	given = heap_getattr(tuple, def->ttl_attnum, desc, &isnull);
	return ExpiryDiffers(def, given, isnull, values, nulls);
}

/*
 * Compares the columns that a statement sets with those derived.  Returns the
 * columns that must be changed, and their number.
 */
static int
CompareColumns(Relation rel, const TableDef *def, HeapTuple tuple, HeapTuple old,
			   const Datum *values, const bool *nulls, int *columns)
{
	TupleDesc	desc = RelationGetDescr(rel);
	int			n = 0;

	for (int i = 0; i < def->nattributes; i++)
	{
		const AttributeDef *attr = &def->attributes[i];
		bool		given_null;
		Datum		given = heap_getattr(tuple, attr->attnum, desc, &given_null);
		bool		supplied = !given_null;

		if (IsSameColumn(attr->type, given, given_null,
						 values[attr->attnum - 1], nulls[attr->attnum - 1]))
		{
			/* 2.0 equals 2, but the column must have the item's digits. */
			if (attr->type == VALUE_N && !given_null &&
				!datumIsEqual(given, values[attr->attnum - 1], false, -1))
				columns[n++] = attr->attnum;
			continue;
		}
		if (old != NULL)
		{
			bool		old_null;
			Datum		before = heap_getattr(old, attr->attnum, desc, &old_null);

			supplied = !IsSameColumn(attr->type, given, given_null, before, old_null);
		}
		if (supplied)
			ContradictionError(rel, attr);
		if (old != NULL)
			CheckStaysInShard(rel, attr->column);
		columns[n++] = attr->attnum;
	}
	if (TupleExpiryDiffers(def, tuple, desc, values, nulls))
		columns[n++] = def->ttl_attnum;
	return n;
}

static HeapTuple
SetColumns(Relation rel, HeapTuple tuple, int *columns, int n,
		   const Datum *values, const bool *nulls)
{
	Datum	   *set_values = palloc(sizeof(Datum) * n);
	bool	   *set_nulls = palloc(sizeof(bool) * n);

	for (int i = 0; i < n; i++)
	{
		set_values[i] = values[columns[i] - 1];
		set_nulls[i] = nulls[columns[i] - 1];
	}
	return heap_modify_tuple_by_cols(tuple, RelationGetDescr(rel), n,
									 columns, set_values, set_nulls);
}

static void
NoItemError(Relation rel)
{
	ereport(ERROR,
			(errcode(ERRCODE_NOT_NULL_VIOLATION),
			 errmsg("null value in column \"item\" of relation \"%s\" violates not-null constraint",
					RelationGetRelationName(rel)),
			 errhint("The key columns are derived from the item. Name the item column, as in INSERT INTO %s (item) VALUES (...).",
					 quote_identifier(RelationGetRelationName(rel))),
			 errtable(rel)));
}

/* Returns the item of the replaced row; false if there is none. */
static bool
FindReplaced(const TableDef *def, TupleDesc desc, HeapTuple old, ReplacedItem *replaced)
{
	bool		isnull = true;

	replaced->item = MISSING_VALUE;
	if (old != NULL)
		replaced->stored = heap_getattr(old, def->item_attnum, desc, &isnull);
	return !isnull;
}

/*
 * Fetches the columns of the old row, for an unchanged item.  Returns true if
 * all of them are set and unchanged, so that the item need not be read.  An
 * expiry time can be absent in both the column and the item, so the item must
 * be read for it.
 */
static bool
ColumnsComplete(const TableDef *def, TupleDesc desc, HeapTuple tuple,
				HeapTuple old, Datum *values, bool *nulls)
{
	bool		complete = def->ttl_attnum == InvalidAttrNumber;

	for (int i = 0; i < def->nattributes; i++)
	{
		const AttributeDef *attr = &def->attributes[i];
		int			column = attr->attnum - 1;
		bool		isnull;
		Datum		given = heap_getattr(tuple, attr->attnum, desc, &isnull);

		values[column] = heap_getattr(old, attr->attnum, desc, &nulls[column]);
		complete &= !nulls[column] && !isnull &&
			datumIsEqual(given, values[column], false, -1);
	}
	return complete;
}

/*
 * Derives the columns of a row; false if neither the item nor the columns have
 * changed.
 */
static bool
DeriveRow(Relation rel, const TableDef *def, HeapTuple tuple, HeapTuple old,
		  Datum *values, bool *nulls)
{
	TupleDesc	desc = RelationGetDescr(rel);
	bool		isnull;
	Datum		item = heap_getattr(tuple, def->item_attnum, desc, &isnull);
	ReplacedItem replaced;
	bool		replaces = FindReplaced(def, desc, old, &replaced);
	bool		unchanged;
	ValueRef	root;

	if (isnull)
		NoItemError(rel);
	/* true if the row has the same bytes, toasted or not */
	unchanged = replaces && datumIsEqual(item, replaced.stored, false, -1);
	if (unchanged && ColumnsComplete(def, desc, tuple, old, values, nulls))
		return false;
	root = ItemRoot(PG_DETOAST_DATUM_PACKED(item));
	if (unchanged)
	{
		DeriveStoredKeys(def, root, values, nulls);
		DeriveExpiry(def, root, values, nulls);
	}
	else
		DeriveKeys(def, root, values, nulls, replaces ? &replaced : NULL);
	return true;
}

/* ---- keys by entities ---- */

/*
 * Returns the item with the keys composed by its entity; NULL if nothing
 * changes.
 */
static struct varlena *
ComposedItem(const TableDef *def, TupleDesc desc, HeapTuple tuple, HeapTuple old)
{
	bool		isnull;
	Datum		item = heap_getattr(tuple, def->item_attnum, desc, &isnull);
	ReplacedItem replaced;
	bool		replaces = FindReplaced(def, desc, old, &replaced);
	struct varlena *composed;

	if (isnull || (replaces && datumIsEqual(item, replaced.stored, false, -1)))
		return NULL;
	(void) ComposeEntityKeys(def, DatumGetValue(item),
							 replaces ? DatumGetValue(replaced.stored) : MISSING_VALUE,
							 false, true, &composed, NULL);
	return composed;
}

static HeapTuple
ComposeTuple(Relation rel, const TableDef *def, HeapTuple tuple, HeapTuple old)
{
	struct varlena *composed = ComposedItem(def, RelationGetDescr(rel), tuple, old);
	int			column = def->item_attnum;
	Datum		value = PointerGetDatum(composed);
	bool		isnull = false;

	if (composed == NULL)
		return tuple;
	return heap_modify_tuple_by_cols(tuple, RelationGetDescr(rel), 1, &column, &value, &isnull);
}

/* Checks that no item of a moving entity is stored twice, under the key it has and the one it had. */
static void
CheckMoved(Relation rel, const TableDef *def, HeapTuple tuple, HeapTuple old)
{
	TupleDesc	desc = RelationGetDescr(rel);
	bool		isnull;
	Datum		item = heap_getattr(tuple, def->item_attnum, desc, &isnull);
	ReplacedItem replaced;
	bool		replaces = FindReplaced(def, desc, old, &replaced);

	if (!isnull && SessionReplicationRole != SESSION_REPLICATION_ROLE_REPLICA)
		move_methods->check_new(rel, def, DatumGetValue(item),
								replaces ? DatumGetValue(replaced.stored) : MISSING_VALUE);
}

static HeapTuple
DeriveTuple(Relation rel, const TableDef *def, HeapTuple tuple, HeapTuple old)
{
	int			natts = RelationGetDescr(rel)->natts;
	Datum	   *values = palloc(sizeof(Datum) * natts);
	bool	   *nulls = palloc(sizeof(bool) * natts);
	int		   *columns = palloc(sizeof(int) * (def->nattributes + 1));
	int			n;

	if (def->entities != NULL)
		tuple = ComposeTuple(rel, def, tuple, old);
	if (!DeriveRow(rel, def, tuple, old, values, nulls))
		return tuple;
	if (TableMoves(def))
		CheckMoved(rel, def, tuple, old);
	n = CompareColumns(rel, def, tuple, old, values, nulls, columns);
	return n == 0 ? tuple : SetColumns(rel, tuple, columns, n, values, nulls);
}

/* ---- triggers that fire later ---- */

static void
ChangedLaterError(Relation rel, const TableDef *def, const char *column)
{
	ereport(ERROR,
			(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
			 errmsg("column \"%s\" of table \"%s\" contradicts the item after other triggers have fired",
					column, RelationGetRelationName(rel)),
			 errdetail("Trigger \"%s\" fires after the column has been derived from the item, and changes the column or the item.",
					   def->later_trigger),
			 errhint("Triggers fire in the order of their names. Choose a name that sorts before the name of the trigger with dynamo_system.derive_keys.")));
}

static void
ComposedLaterError(Relation rel, const TableDef *def)
{
	ereport(ERROR,
			(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
			 errmsg("keys of an item of table \"%s\" are not what its entity composes after its triggers have fired",
					RelationGetRelationName(rel)),
			 errdetail("Trigger \"%s\" fires after they are composed, and changes the item.", def->later_trigger),
			 errhint("Triggers fire in the order of their names: give it one that sorts before that of the trigger with dynamo_system.derive_keys.")));
}

void
CheckDerivedRow(Relation rel, const TableDef *def, HeapTuple tuple, HeapTuple old)
{
	TupleDesc	desc = RelationGetDescr(rel);
	Datum	   *values = palloc(sizeof(Datum) * desc->natts);
	bool	   *nulls = palloc(sizeof(bool) * desc->natts);

	if (def->entities != NULL && ComposedItem(def, desc, tuple, old) != NULL)
		ComposedLaterError(rel, def);
	if (!DeriveRow(rel, def, tuple, old, values, nulls))
		return;
	for (int i = 0; i < def->nattributes; i++)
	{
		const AttributeDef *attr = &def->attributes[i];
		bool		isnull;
		Datum		stored = heap_getattr(tuple, attr->attnum, desc, &isnull);

		if (!IsSameColumn(attr->type, stored, isnull, values[attr->attnum - 1], nulls[attr->attnum - 1]))
			ChangedLaterError(rel, def, attr->column);
	}
	if (def->ttl_attnum != InvalidAttrNumber)
	{
		bool		isnull;
		Datum		stored = heap_getattr(tuple, def->ttl_attnum, desc, &isnull);

		if (ExpiryDiffers(def, stored, isnull, values, nulls))
			ChangedLaterError(rel, def, TTL_COLUMN);
	}
}

/*
 * The event trigger normally adds a check for such a trigger; here there is
 * none.
 */
static void
RefuseUnchecked(Relation rel, const TableDef *def)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("trigger \"%s\" on table \"%s\" fires after key columns have been derived from the item",
					def->later_trigger, RelationGetRelationName(rel)),
			 errdetail("Changes of the item by this trigger would not be detected."),
			 errhint("Triggers fire in the order of their names. Choose a name that sorts before the name of the trigger with dynamo_system.derive_keys.")));
}

DYNAMO_FUNCTION(dynamo_derive_keys);

Datum
dynamo_derive_keys(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	HeapTuple	tuple;
	HeapTuple	old = NULL;
	TableDef   *def;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(trigger->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(trigger->tg_event) ||
		TRIGGER_FIRED_BY_DELETE(trigger->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo_system.derive_keys must be a BEFORE INSERT OR UPDATE row trigger")));
	tuple = trigger->tg_trigtuple;
	if (TRIGGER_FIRED_BY_UPDATE(trigger->tg_event))
	{
		old = tuple;
		tuple = trigger->tg_newtuple;
	}
	def = TableDefAcquire(trigger->tg_relation);
	CheckRestored(def);
	if (unlikely(def->later_trigger != NULL) && !def->checked_later)
		RefuseUnchecked(trigger->tg_relation, def);
	tuple = DeriveTuple(trigger->tg_relation, def, tuple, old);
	TableDefRelease(def);
	return PointerGetDatum(tuple);
}
