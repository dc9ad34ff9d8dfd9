/*
 * entity_view_row.c
 *	  Makes an item from a row of an entity view.
 *
 * Columns become attributes, and attributes without columns stay.  A new item
 * of an entity gets its type, and the key by which the table knows it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "extension_objects.h"
#include "item/builder.h"
#include "item/convert.h"
#include "item/splice.h"
#include "store/plan.h"
#include "view/attribute.h"
#include "view/entity_view_row.h"

/* ---- columns and attributes ---- */

static Oid
ColumnType(const EntityRow *row, int column)
{
	return TupleDescAttr(RelationGetDescr(row->view), column)->atttypid;
}

/*
 * Returns the value for the attribute of a column, palloc'd; missing for null.  before is
 * the value that it replaces, or missing.
 */
static ValueRef
NewAttribute(const SetColumn *column, ValueRef before)
{
	return column->isnull ? MISSING_VALUE : AttributeFromDatum(column->value, column->type, before);
}

static ValueRef
OldAttribute(const EntityRow *row, int column)
{
	if (row->old_nulls[column])
		return MISSING_VALUE;
	return AttributeFromDatum(row->old_values[column], ColumnType(row, column), MISSING_VALUE);
}

static int
ColumnOfAttribute(const EntityRow *row, Slice attribute)
{
	for (int i = 0; i < RelationGetDescr(row->view)->natts; i++)
	{
		if (row->attributes[i].data != NULL &&
			SliceCompare(row->attributes[i], attribute) == 0)
			return i;
	}
	return -1;
}

static bool
IsSupplied(const EntityRow *row, int column)
{
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(row->view), column);

	if (row->old == NULL)
		return !row->new_nulls[column];
	if (row->new_nulls[column] || row->old_nulls[column])
		return row->new_nulls[column] != row->old_nulls[column];
	return !datum_image_eq(row->new_values[column], row->old_values[column],
						   att->attbyval, att->attlen);
}

static void
DeformTuple(HeapTuple tuple, TupleDesc desc, Datum **values, bool **nulls)
{
	*values = palloc(sizeof(Datum) * Max(desc->natts, 1));
	*nulls = palloc(sizeof(bool) * Max(desc->natts, 1));
	heap_deform_tuple(tuple, desc, *values, *nulls);
}

void
EntityRowDeform(EntityRow *row)
{
	TupleDesc	desc = RelationGetDescr(row->view);

	if (row->old != NULL)
		DeformTuple(row->old, desc, &row->old_values, &row->old_nulls);
	if (row->new == NULL)
		return;
	DeformTuple(row->new, desc, &row->new_values, &row->new_nulls);
	row->supplied = palloc(sizeof(bool) * Max(desc->natts, 1));
	for (int i = 0; i < desc->natts; i++)
		row->supplied[i] = IsSupplied(row, i);
}

void
EntityOldKey(const EntityRow *row, RowKey *key)
{
	for (int i = 0; i < KeyCount(&row->table->key); i++)
	{
		const AttributeDef *attr = TableKeyAttribute(row->table, i);
		int			column = ColumnOfAttribute(row, attr->name);
		ValueRef	value = column < 0 ? MISSING_VALUE : OldAttribute(row, column);

		if (ValueIsMissing(value) || ValueTypeOf(value) != attr->type)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("view \"%s\" does not show key attribute \"%s\" of its table unchanged",
							RelationGetRelationName(row->view), attr->name.data)));
		key->attributes[i] = value;
		key->values[i] = KeyValueToDatum(attr, key->attributes[i]);
	}
}

/* ---- the old row ---- */

bool
EntityRowDependsOn(const EntityRow *row, int column)
{
	if (row->attributes[column].data == NULL)
		return false;
	return row->new == NULL || row->supplied[column];
}

/* Appends a row of the table, as t, with the item and the columns of parameters. */
static int
AppendTableRow(StringInfo sql, const TableDef *table, ValueRef item, Oid *types, Datum *values, char *nulls)
{
	appendStringInfo(sql, " FROM (SELECT $1 AS item, '%u'::pg_catalog.oid AS tableoid", table->relid);
	types[0] = ItemTypeOid();
	for (int i = 0; i < table->nattributes; i++)
	{
		const AttributeDef *attr = &table->attributes[i];
		ValueRef	v = AttributeFind(item, attr->name.data, attr->name.len);

		appendStringInfo(sql, ", $%d AS %s", i + 2, quote_identifier(attr->column));
		types[i + 1] = KeyColumnType(attr->type);
		nulls[i + 1] = ColumnOfValue(attr, v, &values[i + 1]) ? ' ' : 'n';
	}
	appendStringInfoString(sql, ") t");
	return table->nattributes + 1;
}

static bool
IsSameDatum(Form_pg_attribute attr, Datum a, bool anull, Datum b, bool bnull)
{
	if (anull || bnull)
		return anull == bnull;
	return datum_image_eq(a, b, attr->attbyval, attr->attlen);
}

int
EntityRowChanged(const EntityRow *row, const struct varlena *item)
{
	TupleDesc	desc = RelationGetDescr(row->view);
	int			size = row->table->nattributes + 1;
	Oid		   *types = palloc(sizeof(Oid) * size);
	Datum	   *values = palloc(sizeof(Datum) * size);
	char	   *nulls = palloc(size + 1);
	StringInfoData sql;
	int			nargs;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	EntityViewAppendColumns(&sql, row->view, row->table, true);
	values[0] = PointerGetDatum(item);
	nulls[0] = ' ';
	nargs = AppendTableRow(&sql, row->table, ItemRoot(item), types, values, nulls);
	nulls[nargs] = '\0';
	if (SPI_execute_plan(StorePlan(sql.data, nargs, types), values, nulls, true, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not read an item through an entity view");
	for (int i = 0; i < desc->natts; i++)
	{
		bool		isnull;
		Datum		shown = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1, &isnull);

		if (EntityRowDependsOn(row, i) &&
			!IsSameDatum(TupleDescAttr(desc, i), row->old_values[i], row->old_nulls[i], shown, isnull))
			return i;
	}
	return -1;
}

/* ---- changes by others ---- */

void
EntityRowChangedError(Slice attribute)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not serialize access due to concurrent update"),
			 errdetail("Attribute \"%.*s\" was changed by another transaction.",
					   (int) attribute.len, attribute.data),
			 errhint("Repeat the transaction.")));
}

/*
 * Whether the statement may have read a column from the item.  An UPDATE gives the trigger no
 * columns that it does not use (entity_view_old_row.c), so that one that is null may have
 * been read if the attribute was missing.
 */
static bool
MayHaveRead(const EntityRow *row, int column, ValueRef item)
{
	Slice		name = row->attributes[column];

	return !row->old_nulls[column] || ValueIsMissing(AttributeFind(item, name.data, name.len));
}

static bool
AttributeDiffers(ValueRef before, ValueRef now, Slice name)
{
	before = AttributeFind(before, name.data, name.len);
	now = AttributeFind(now, name.data, name.len);
	return ValueIsMissing(before) ? !ValueIsMissing(now) : !ValueEqual(before, now);
}

/*
 * Raises an error if an attribute that the statement sets has been changed by the statement
 * itself, which would change it again: by a trigger, or for another joined row.
 */
static void
CheckNotChangedTwice(const EntityRow *row, ValueRef read, ValueRef locked, Slice name)
{
	if (AttributeDiffers(read, locked, name))
		ereport(ERROR,
				(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
				 errmsg("an item of view \"%s\" was already changed by this statement", RelationGetRelationName(row->view)),
				 errdetail("The statement sets attribute \"%.*s\" again.", (int) name.len, name.data),
				 errhint("An UPDATE with FROM must join one row to each item, and triggers must not set what the statement sets.")));
}

void
EntityRowCheckUnchanged(const EntityRow *row, ValueRef read, ValueRef locked, ValueRef others)
{
	for (int i = 0; i < RelationGetDescr(row->view)->natts; i++)
	{
		Slice		name = row->attributes[i];
		bool		set = EntityRowDependsOn(row, i);

		if (name.data == NULL || KeySchemaHas(&row->table->key, name))
			continue;			/* the row was found by its key */
		if ((set || MayHaveRead(row, i, read)) && AttributeDiffers(read, others, name))
			EntityRowChangedError(name);
		if (set)
			CheckNotChangedTwice(row, read, locked, name);
	}
}

/* ---- the new item ---- */

/*
 * Raises an error for a column that was added to the view by hand: it is
 * computed from others.
 */
static void
RefuseColumn(const EntityRow *row, int column)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("column \"%s\" of view \"%s\" cannot be written",
					NameStr(TupleDescAttr(RelationGetDescr(row->view), column)->attname),
					RelationGetRelationName(row->view)),
			 errdetail("The definition of the view has no attribute for it.")));
}

/* Where an edit goes among those before it, which are in the order of names. */
static int
EditPlace(const SpliceEdit *edits, int n, Slice name)
{
	while (n > 0 && SliceCompare(edits[n - 1].name, name) > 0)
		n--;
	return n;
}

/*
 * Sets an attribute, or removes it if the value is missing.  Two columns may be
 * of one attribute: a value counts more than null, the last one most.
 */
static int
AddEdit(SpliceEdit *edits, int n, const Container *old, Slice name, ValueRef value)
{
	SpliceEdit	edit = {
		.name = name,
		.inserts = !ValueIsMissing(value),
		.bytes = {(const char *) value.data, value.len},
	};
	int			place = EditPlace(edits, n, name);

	edit.removes = MapPosition(old, name, &edit.position);
	if (place > 0 && SliceCompare(edits[place - 1].name, name) == 0)
	{
		if (edit.inserts)
			edits[place - 1] = edit;
		return n;
	}
	memmove(&edits[place + 1], &edits[place], sizeof(SpliceEdit) * (n - place));
	edits[place] = edit;
	return n + 1;
}

/* Returns the columns of the new row that the statement has set. */
static SetColumn *
SuppliedColumns(const EntityRow *row, int *n)
{
	int			natts = RelationGetDescr(row->view)->natts;
	SetColumn  *columns = palloc(sizeof(SetColumn) * (natts + 1));

	*n = 0;
	for (int i = 0; i < natts; i++)
	{
		if (!row->supplied[i])
			continue;
		if (row->attributes[i].data == NULL)
			RefuseColumn(row, i);
		columns[(*n)++] = (SetColumn) {
			.attribute = row->attributes[i],
			.value = row->new_values[i],
			.isnull = row->new_nulls[i],
			.type = ColumnType(row, i),
		};
	}
	return columns;
}

/* Returns an item with columns.  before is the item that they change, or missing. */
static struct varlena *
MergeColumns(const SetColumn *columns, int ncolumns, ValueRef before)
{
	SpliceEdit *edits = palloc(sizeof(SpliceEdit) * (ncolumns + 1));
	Container	old = {.type = VALUE_M};
	int			n = 0;

	if (!ValueIsMissing(before))
		ContainerOpen(before, &old);
	for (int i = 0; i < ncolumns; i++)
	{
		Slice		name = columns[i].attribute;

		n = AddEdit(edits, n, &old, name, NewAttribute(&columns[i], AttributeFind(before, name.data, name.len)));
	}
	return ItemSplice(ValueIsMissing(before) ? NULL : &old, edits, n);
}

/* Returns the item as the table's entity will compose it. */
static const struct varlena *
ComposeByTable(const EntityRow *row, struct varlena *item, ValueRef before)
{
	struct varlena *composed = NULL;

	if (row->def->entity.data != NULL)
		(void) ComposeEntityKeys(row->table, ItemRoot(item), before, false, false, &composed, NULL);
	return composed != NULL ? composed : item;
}

static void
CheckKind(const EntityRow *row, const struct varlena *item)
{
	if (!EntityViewShows(row->def, row->table, ItemRoot(item)))
		ereport(ERROR,
				(errcode(ERRCODE_WITH_CHECK_OPTION_VIOLATION),
				 errmsg("new row would not be in view \"%s\"", get_rel_name(row->view_oid)),
				 errdetail("The view does not show items of this kind.")));
}

/* The view knows of which entity a new item is, whatever other entities could be. */
static struct varlena *
MakeNew(const EntityRow *row, struct varlena *item)
{
	EntityWrite write = {
		.set = row->table->entities,
		.entity = EntitySetFind(row->table->entities, row->def->entity),
		.item = ItemRoot(item),
		.old = MISSING_VALUE,
	};
	struct varlena *composed = NULL;

	if (write.entity != NULL)
		(void) EntityCompose(&write, &composed);
	return composed != NULL ? composed : item;
}

struct varlena *
EntityItemWithColumns(const EntityRow *row, const SetColumn *columns, int n, ValueRef before)
{
	struct varlena *item = MergeColumns(columns, n, before);

	if (ValueIsMissing(before))
		item = MakeNew(row, item);
	CheckKind(row, ComposeByTable(row, item, before));
	return item;
}

struct varlena *
EntityRowItem(const EntityRow *row, ValueRef before)
{
	int			n;
	SetColumn  *columns = SuppliedColumns(row, &n);

	return EntityItemWithColumns(row, columns, n, before);
}

/* ---- the row for RETURNING ---- */

/*
 * Whether the view or the entity has set the attribute of a column, not the
 * statement.
 */
static bool
IsMadeByView(const EntityRow *row, int column)
{
	Slice		name = row->attributes[column];

	if (name.data == NULL)
		return false;
	return row->def->entity.data != NULL &&
		(row->old == NULL ? !row->supplied[column] : TableDefAttribute(row->table, name) >= 0);
}

/* Whether an item may have the attribute of a column in its key alone. */
static bool
KeyTellsColumn(const EntityRow *row, int column)
{
	const Entity *entity = EntitySetFind(row->table->entities, row->def->entity);

	return entity != NULL && EntityKeyTells(entity, row->attributes[column]);
}

/* Evaluates the view's expression for an attribute. */
static Datum
ShownAttribute(const EntityRow *row, const struct varlena *item, int column, bool *isnull)
{
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(row->view), column);
	Slice		name = row->attributes[column];
	int			size = row->table->nattributes + 1;
	Oid		   *types = palloc(sizeof(Oid) * size);
	Datum	   *values = palloc(sizeof(Datum) * size);
	char	   *nulls = palloc(size + 1);
	StringInfoData sql;
	int			nargs = 1;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	types[0] = ItemTypeOid();
	values[0] = PointerGetDatum(item);
	nulls[0] = ' ';
	if (KeyTellsColumn(row, column))
	{
		EntityViewAppendColumn(&sql, row->view, row->table, column, name, row->def->invalid);
		nargs = AppendTableRow(&sql, row->table, ItemRoot(item), types, values, nulls);
	}
	else
	{
		AppendAttributeExpression(&sql, pnstrdup(name.data, name.len), att->atttypid, att->atttypmod, row->def->invalid);
		appendStringInfo(&sql, " FROM (SELECT $1 AS item, '%u'::pg_catalog.oid AS tableoid) t", row->table->relid);
	}
	nulls[nargs] = '\0';
	if (SPI_execute_plan(StorePlan(sql.data, nargs, types), values, nulls, true, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not read an attribute of an entity view");
	return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, isnull);
}

static bool
IsString(const struct varlena *item, Slice name)
{
	ValueRef	v = AttributeFind(ItemRoot(item), name.data, name.len);

	return !ValueIsMissing(v) && ValueTypeOf(v) == VALUE_S;
}

/* ShownAttribute for a string in a text column, as most key columns are. */
static Datum
ShownText(const EntityRow *row, const struct varlena *item, int column, bool *isnull)
{
	Slice		name = row->attributes[column];
	ValueRef	value = AttributeFind(ItemRoot(item), name.data, name.len);

	*isnull = ValueIsMissing(value);
	return *isnull ? (Datum) 0 : PointerGetDatum(SliceToText(ValuePayload(value)));
}

/* Whether the statement has left a column with text as the item has it. */
static bool
ShowsText(const EntityRow *row, const struct varlena *item, int column)
{
	Slice		name = row->attributes[column];
	ValueRef	value;

	if (row->new_nulls[column] || ColumnType(row, column) != TEXTOID)
		return false;
	value = AttributeFind(ItemRoot(item), name.data, name.len);
	return !ValueIsMissing(value) && ValueTypeOf(value) == VALUE_S &&
		SliceEqual(ValuePayload(value), SliceOfVarlena(DatumGetTextPP(row->new_values[column])));
}

HeapTuple
EntityResultRow(const EntityRow *row, const struct varlena *item)
{
	TupleDesc	desc = RelationGetDescr(row->view);
	int		   *columns = palloc(sizeof(int) * desc->natts);
	Datum	   *values = palloc(sizeof(Datum) * desc->natts);
	bool	   *nulls = palloc(sizeof(bool) * desc->natts);
	int			n = 0;

	for (int i = 0; i < desc->natts; i++)
	{
		if (!IsMadeByView(row, i) || ShowsText(row, item, i))
			continue;
		columns[n] = i + 1;
		if (IsString(item, row->attributes[i]) && ColumnType(row, i) == TEXTOID)
			values[n] = ShownText(row, item, i, &nulls[n]);
		else
			values[n] = ShownAttribute(row, item, i, &nulls[n]);
		n++;
	}
	return n == 0 ? row->new : heap_modify_tuple_by_cols(row->new, desc, n, columns, values, nulls);
}
