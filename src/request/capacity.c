/*
 * capacity.c
 *	  Consumed capacity: the units that a request would consume in DynamoDB.
 */
#include "postgres.h"

#include "access/table.h"
#include "storage/lockdefs.h"

#include "op/consumed.h"
#include "request/capacity.h"
#include "table/key_parts.h"

CapacityDetail
FieldCapacity(const Field *input)
{
	if (FieldIs(input, "ReturnConsumedCapacity", "TOTAL"))
		return CAPACITY_TOTAL;
	if (FieldIs(input, "ReturnConsumedCapacity", "INDEXES"))
		return CAPACITY_INDEXES;
	return CAPACITY_NONE;
}

void
CapacityBegin(Capacity *c, const char *table_name)
{
	Relation	rel = TableNameOpen(table_name, AccessShareLock, false);

	c->name = table_name;
	c->def = TableDefAcquire(rel);
	table_close(rel, NoLock);
	c->table = 0;
	c->indexes = palloc(Max(c->def->nindexes, 1) * sizeof(double));
	for (int i = 0; i < c->def->nindexes; i++)
		c->indexes[i] = -1;
}

void
CapacityEnd(Capacity *c)
{
	TableDefRelease(unconstify(TableDef *, c->def));
}

/* ---- reads ---- */

double
ReadUnits(uint64 size, bool consistent)
{
	return (double) (ReadBlocks(size) * HALVES_OF_READ(consistent)) / HALVES_PER_UNIT;
}

static void
AddToIndex(Capacity *c, int i, double units)
{
	c->indexes[i] = Max(c->indexes[i], 0) + units;
}

void
CapacityAddRead(Capacity *c, const char *index, double units)
{
	if (index == NULL)
	{
		c->table += units;
		return;
	}
	for (int i = 0; i < c->def->nindexes; i++)
	{
		if (strcmp(c->def->indexes[i].name, index) == 0)
			AddToIndex(c, i, units);
	}
}

/* ---- writes ---- */

void
CapacityAddWrite(Capacity *c, const struct varlena *old_item, const struct varlena *new_item)
{
	ValueRef	old_ref = old_item != NULL ? ItemRoot(old_item) : MISSING_VALUE;
	ValueRef	new_ref = new_item != NULL ? ItemRoot(new_item) : MISSING_VALUE;

	c->table += (double) TableWriteUnits(c->def, old_ref, new_ref);
	for (int i = 0; i < c->def->nindexes; i++)
	{
		uint64		units;

		if (c->def->indexes[i].replaces != NULL)
			continue;
		units = IndexWriteUnits(c->def, &c->def->indexes[i], old_ref, new_ref);
		if (units > 0)
			AddToIndex(c, i, (double) units);
	}
}

/* ---- the answer ---- */

/* Writes CapacityUnits and, in transactions, the kind of the units. */
static void
WriterUnitMembers(Writer *w, double units, CapacityKind kind)
{
	WriterName(w, "CapacityUnits");
	WriterUnits(w, units);
	if (kind == CAPACITY_PLAIN)
		return;
	WriterName(w, kind == CAPACITY_TRANSACT_READ ? "ReadCapacityUnits" : "WriteCapacityUnits");
	WriterUnits(w, units);
}

/* Writes the indexes of one kind that consumed units, if there are any. */
static void
WriterIndexUnits(Writer *w, const Capacity *c, bool local, CapacityKind kind)
{
	bool		begun = false;

	for (int i = 0; i < c->def->nindexes; i++)
	{
		const IndexDef *index = &c->def->indexes[i];

		if (index->local != local || !index->kind->secondary || c->indexes[i] < 0)
			continue;
		if (!begun)
		{
			WriterName(w, local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes");
			WriterBeginObject(w);
			begun = true;
		}
		WriterName(w, index->name);
		WriterBeginObject(w);
		WriterUnitMembers(w, c->indexes[i], kind);
		WriterEndObject(w);
	}
	if (begun)
		WriterEndObject(w);
}

/* The bytes written to vector indexes, if any. */
static void
WriterVectorBytes(Writer *w, const Capacity *c)
{
	bool		begun = false;

	for (int i = 0; i < c->def->nindexes; i++)
	{
		if (c->def->indexes[i].kind->secondary || c->indexes[i] < 0)
			continue;
		if (!begun)
		{
			WriterName(w, "VectorIndexes");
			WriterBeginObject(w);
			begun = true;
		}
		WriterName(w, c->def->indexes[i].name);
		WriterBeginObject(w);
		WriterName(w, "VectorWriteRequestBytes");
		WriterUnits(w, c->indexes[i]);
		WriterEndObject(w);
	}
	if (begun)
		WriterEndObject(w);
}

void
WriterCapacity(Writer *w, const Capacity *c, CapacityDetail detail, CapacityKind kind)
{
	double		table = kind == CAPACITY_PLAIN ? c->table : 2 * c->table;
	double		total = table;

	for (int i = 0; i < c->def->nindexes; i++)
		total += c->def->indexes[i].kind->secondary ? Max(c->indexes[i], 0) : 0;
	WriterBeginObject(w);
	WriterStringMember(w, "TableName", c->name);
	WriterUnitMembers(w, total, kind);
	if (detail == CAPACITY_INDEXES)
	{
		WriterName(w, "Table");
		WriterBeginObject(w);
		WriterUnitMembers(w, table, kind);
		WriterEndObject(w);
		WriterIndexUnits(w, c, true, kind);
		WriterIndexUnits(w, c, false, kind);
		WriterVectorBytes(w, c);
	}
	WriterEndObject(w);
}

void
WriterPageCapacity(Writer *w, CapacityDetail detail, const ReadOp *op,
				   const ReadPageResult *page)
{
	double		fetched = (double) page->fetched_units;
	Capacity	c;

	if (detail == CAPACITY_NONE)
		return;
	CapacityBegin(&c, op->table_name);
	CapacityAddRead(&c, op->index_name, ReadUnits(page->size, op->consistent));
	CapacityAddRead(&c, NULL, op->consistent ? fetched : fetched / 2);
	WriterName(w, "ConsumedCapacity");
	WriterCapacity(w, &c, detail, CAPACITY_PLAIN);
	CapacityEnd(&c);
}

/* ---- several tables ---- */

void
CapacityListInit(CapacityList *list, int max)
{
	list->n = 0;
	list->tables = palloc(Max(max, 1) * sizeof(Capacity));
}

Capacity *
CapacityListGet(CapacityList *list, const char *table_name)
{
	for (int i = 0; i < list->n; i++)
	{
		if (strcmp(list->tables[i].name, table_name) == 0)
			return &list->tables[i];
	}
	CapacityBegin(&list->tables[list->n], table_name);
	return &list->tables[list->n++];
}

void
WriterCapacityList(Writer *w, CapacityList *list, CapacityDetail detail, CapacityKind kind)
{
	if (detail != CAPACITY_NONE)
	{
		WriterName(w, "ConsumedCapacity");
		WriterBeginList(w);
		for (int i = 0; i < list->n; i++)
			WriterCapacity(w, &list->tables[i], detail, kind);
		WriterEndList(w);
	}
	for (int i = 0; i < list->n; i++)
		CapacityEnd(&list->tables[i]);
}

/* ---- item collections ---- */

/*
 * Writes the estimate that the service returns for small collections, because
 * item collections have no size limit here.
 */
ValueRef
CollectionKey(const TableDef *def, const WriteOp *write, const WriteResult *result)
{
	Slice		name = def->key.attributes[0].name;
	ValueRef	item = write->item;
	struct varlena *composed = NULL;
	Problem		problem = NO_PROBLEM;
	bool		found = true;

	if (write->kind == WRITE_KIND_PUT && result->new_item != NULL)
		item = ItemRoot(result->new_item);
	else if (write->kind == WRITE_KIND_PUT)
		found = ComposePutItem(def, item, false, &composed, &problem);
	else
		found = TakeKeyParameter(def, &item, &problem);
	if (!found)
		return MISSING_VALUE;
	return AttributeFind(composed != NULL ? ItemRoot(composed) : item, name.data, name.len);
}

bool
MetricsNeedItems(const Field *input)
{
	return FieldCapacity(input) != CAPACITY_NONE || FieldIs(input, "ReturnItemCollectionMetrics", "SIZE");
}

void
WriterCollection(Writer *w, const TableDef *def, ValueRef key)
{
	Slice		name = def->key.attributes[0].name;

	/* the name may refer to another table by now */
	if (ValueIsMissing(key))
		NoteKeyMismatch(def, key, NULL);
	WriterBeginObject(w);
	WriterName(w, "ItemCollectionKey");
	WriterBeginObject(w);
	WriterNameSlice(w, name);
	WriterValue(w, key);
	WriterEndObject(w);
	WriterName(w, "SizeEstimateRangeGB");
	WriterBeginList(w);
	WriterUnits(w, 0);
	WriterUnits(w, 1);
	WriterEndList(w);
	WriterEndObject(w);
}
