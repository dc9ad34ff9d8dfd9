/*
 * consumed.c
 *	  Units of capacity by the service's rules, and their statistics.
 *
 * Most items are small.  Their units are known from the length of their
 * encoding: an encoded element takes at least three quarters of its size (see
 * CheckItemSize), so that an item of up to three quarters of a block takes one.
 */
#include "postgres.h"

#include "utils/rel.h"

#include "op/consumed.h"
#include "table/index_relation.h"

#define READ_BLOCK	4096
#define WRITE_BLOCK	1024

/* ---- units ---- */

static uint64
BlocksOf(uint64 size, uint64 block)
{
	return Max((size + block - 1) / block, 1);
}

uint64
ReadBlocks(uint64 size)
{
	return BlocksOf(size, READ_BLOCK);
}

/* Returns the units of a write of this size; at least one. */
static uint64
WriteUnits(uint64 size)
{
	return BlocksOf(size, WRITE_BLOCK);
}

static bool
TakesOneBlock(ValueRef item, uint32 block)
{
	return ValueIsMissing(item) || item.len <= block / 4 * 3;
}

uint64
ReadBlocksOfItem(ValueRef item)
{
	return TakesOneBlock(item, READ_BLOCK) ? 1 : ReadBlocks(ItemSize(item));
}

/* The size of an item for the units of a write. */
static uint64
WrittenSize(const TableDef *def, ValueRef item)
{
	int64		size = (int64) ItemSize(item);

	for (int i = 0; i < def->nindexes; i++)
	{
		if (def->indexes[i].kind->size_change != NULL)
			size += def->indexes[i].kind->size_change(def, i, item);
	}
	return (uint64) size;
}

static uint64
WriteUnitsOfItem(const TableDef *def, ValueRef item)
{
	return TakesOneBlock(item, WRITE_BLOCK) ? 1 : WriteUnits(WrittenSize(def, item));
}

uint64
TableWriteUnits(const TableDef *def, ValueRef old_item, ValueRef new_item)
{
	return Max(WriteUnitsOfItem(def, old_item), WriteUnitsOfItem(def, new_item));
}

/* ---- indexes ---- */

/* Whether two items differ in an attribute of this schema. */
static bool
KeysDiffer(const KeySchema *key, ValueRef a, ValueRef b)
{
	for (int i = 0; i < KeyCount(key); i++)
	{
		Slice		name = key->attributes[i].name;

		if (!ValueEqual(AttributeFind(a, name.data, name.len),
						AttributeFind(b, name.data, name.len)))
			return true;
	}
	return false;
}

/* Whether a has a projected attribute that b has not, or another value of it. */
static bool
HasOtherProjected(const TableDef *def, const IndexDef *index, ValueRef a, ValueRef b)
{
	Container	map;

	ContainerOpen(a, &map);
	for (uint32 i = 0; i < map.count; i++)
	{
		Slice		name;
		ValueRef	value = MapEntry(&map, i, &name);

		if (IndexProjects(def, index, name) &&
			!ValueEqual(value, AttributeFind(b, name.data, name.len)))
			return true;
	}
	return false;
}

/*
 * Of the entry of an item; 0 if it has none.  Entries of indexes that are no secondary
 * ones are measured in bytes.
 */
static uint64
EntryUnits(const TableDef *def, const IndexDef *index, ValueRef item)
{
	if (ValueIsMissing(item) || !ItemInIndex(def, index, item))
		return 0;
	if (!index->kind->secondary)
		return Max(IndexEntrySize(def, index, item), WRITE_BLOCK);
	return TakesOneBlock(item, WRITE_BLOCK) ? 1 :
		WriteUnits(IndexEntrySize(def, index, item));
}

/*
 * An entry is created, removed or rewritten in place, or, if its key changes,
 * removed and created.
 */
uint64
IndexWriteUnits(const TableDef *def, const IndexDef *index, ValueRef old_item, ValueRef new_item)
{
	uint64		old_units = EntryUnits(def, index, old_item);
	uint64		new_units = EntryUnits(def, index, new_item);

	if (old_units == 0 || new_units == 0 || KeysDiffer(&index->key, old_item, new_item))
		return old_units + new_units;
	if ((index->kind->beside_changes != NULL && index->kind->beside_changes(index, old_item, new_item)) ||
		HasOtherProjected(def, index, old_item, new_item) ||
		HasOtherProjected(def, index, new_item, old_item))
		return Max(old_units, new_units);
	return 0;
}

/* ---- statistics ---- */

static Oid
IndexOid(const TableDef *def, const IndexDef *index)
{
	return index != NULL ? FindIndexRelation(def, index) : InvalidOid;
}

void
CountRead(const Store *store, const IndexDef *index, uint64 blocks, int halves)
{
	if (ConsumptionIsCounted() && blocks > 0)
		StatConsumed(RelationGetRelid(store->rel), IndexOid(store->def, index),
					 blocks * (uint64) halves, 0);
}

ValueRef
ItemAfter(WriteAction action, ValueRef old_item, const struct varlena *new_item)
{
	switch (action)
	{
		case WRITE_PUT:
			return ItemRoot(new_item);
		case WRITE_DELETE:
			return MISSING_VALUE;
		default:
			return old_item;
	}
}

void
WriteConsumptionCompute(WriteConsumption *c, const TableDef *def,
						ValueRef old_item, ValueRef new_item)
{
	c->table = TableWriteUnits(def, old_item, new_item);
	if (def->nindexes == 0)
		return;
	if (c->indexes == NULL)
		c->indexes = palloc(def->nindexes * sizeof(uint64));
	for (int i = 0; i < def->nindexes; i++)
		c->indexes[i] = def->indexes[i].replaces != NULL || !def->indexes[i].kind->secondary ? 0 :
			IndexWriteUnits(def, &def->indexes[i], old_item, new_item);
}

void
WriteConsumptionCount(const WriteConsumption *c, const Store *store, int factor)
{
	const TableDef *def = store->def;
	Oid			relation = RelationGetRelid(store->rel);

	StatConsumed(relation, InvalidOid, 0, c->table * (uint64) factor);
	for (int i = 0; i < def->nindexes; i++)
	{
		if (c->indexes[i] > 0)
			StatConsumed(relation, IndexOid(def, &def->indexes[i]), 0, c->indexes[i]);
	}
}
