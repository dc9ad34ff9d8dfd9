/*
 * segment_map.c
 *	  The ranges of a table's keys, in the statistics of its item column.
 *
 * The column's statistics have a slot with an item for each key that has
 * ranges: {"index": "GSI1", "bounds": [{"GSI1PK": "a"}, {"GSI1PK": "k"},
 * ...]}, without "index" for the key of the table.  Ranges that do not fit the
 * definition are ignored (an index was recreated with other attributes).
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class_d.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "item/builder.h"
#include "store/segment.h"

#define NAME_INDEX	"index"
#define NAME_BOUNDS	"bounds"

static const KeySchema *
ChooseKey(const TableDef *def, const IndexDef *index)
{
	return index != NULL ? &index->key : &def->key;
}

/* ---- reading ---- */

/*
 * Whether an item contains the ranges of this index, or with NULL of the
 * table.
 */
static bool
ItemIsOfIndex(ValueRef item, const IndexDef *index)
{
	ValueRef	name = AttributeFind(item, NAME_INDEX, strlen(NAME_INDEX));

	if (index == NULL || ValueIsMissing(name))
		return index == NULL && ValueIsMissing(name);
	return ValueTypeOf(name) == VALUE_S && SliceIs(ValuePayload(name), index->name);
}

/*
 * Reads the values of a bound; false if it does not consist of the partition
 * key.
 */
static bool
ReadBound(ValueRef bound, const KeySchema *key, ValueRef *values)
{
	Container	map;

	if (ValueTypeOf(bound) != VALUE_M)
		return false;
	ContainerOpen(bound, &map);
	if (map.count != (uint32) key->npartition)
		return false;
	for (int i = 0; i < key->npartition; i++)
	{
		const KeyAttribute *attr = &key->attributes[i];

		values[i] = AttributeFind(bound, attr->name.data, attr->name.len);
		if (ValueIsMissing(values[i]) || ValueTypeOf(values[i]) != attr->type)
			return false;
	}
	return true;
}

/* Whether bound i is not less than the previous bound. */
static bool
IsAscending(const SegmentMap *map, uint32 i)
{
	const ValueRef *bound = &map->bounds[i * map->npartition];
	int			order = 0;

	for (int k = 0; i > 0 && k < map->npartition && order == 0; k++)
		order = SliceCompare(ValuePayload(bound[k - map->npartition]), ValuePayload(bound[k]));
	return order <= 0;
}

static void
ReadBounds(ValueRef item, const KeySchema *key, SegmentMap *map)
{
	ValueRef	list = AttributeFind(item, NAME_BOUNDS, strlen(NAME_BOUNDS));
	Container	bounds;

	if (ValueIsMissing(list) || ValueTypeOf(list) != VALUE_L)
		return;
	ContainerOpen(list, &bounds);
	if (bounds.count >= SEGMENT_MAX_RANGES)
		return;
	map->bounds = palloc(sizeof(ValueRef) * (bounds.count * key->npartition + 1));
	for (uint32 i = 0; i < bounds.count; i++)
	{
		if (!ReadBound(ListElement(&bounds, i), key, &map->bounds[i * key->npartition]) ||
			!IsAscending(map, i))
			return;
	}
	map->nranges = (int) bounds.count + 1;
}

/* Returns the item for a key from the statistics; NULL if there is none. */
static struct varlena *
FindItem(const AttStatsSlot *slot, const IndexDef *index)
{
	for (int i = 0; i < slot->nvalues; i++)
	{
		struct varlena *item = PG_DETOAST_DATUM_COPY(slot->values[i]);

		if (ItemIsOfIndex(ItemRoot(item), index))
			return item;
		pfree(item);
	}
	return NULL;
}

SegmentMap *
SegmentMapWhole(const KeySchema *key)
{
	SegmentMap *map = palloc0(sizeof(SegmentMap));

	map->nranges = 1;
	map->npartition = key->npartition;
	return map;
}

SegmentMap *
SegmentMapRead(Relation rel, const TableDef *def, const IndexDef *index)
{
	const KeySchema *key = ChooseKey(def, index);
	SegmentMap *map = SegmentMapWhole(key);
	bool		inherited = rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE;
	HeapTuple	statistics = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(RelationGetRelid(rel)),
											 Int16GetDatum(def->item_attnum), BoolGetDatum(inherited));
	AttStatsSlot slot;

	if (!HeapTupleIsValid(statistics))
		return map;
	if (get_attstatsslot(&slot, statistics, SEGMENT_STATISTICS, InvalidOid, ATTSTATSSLOT_VALUES))
	{
		struct varlena *item = slot.valuetype == def->item_type ? FindItem(&slot, index) : NULL;

		if (item != NULL)
			ReadBounds(ItemRoot(item), key, map);
		free_attstatsslot(&slot);
	}
	ReleaseSysCache(statistics);
	return map;
}

/* ---- writing ---- */

static void
BuildBound(ItemBuilder *b, const KeySchema *key, const ValueRef *values)
{
	ItemBuilderBeginMap(b);
	for (int i = 0; i < key->npartition; i++)
	{
		ItemBuilderName(b, key->attributes[i].name.data, key->attributes[i].name.len);
		ItemBuilderValue(b, values[i]);
	}
	ItemBuilderEnd(b);
}

struct varlena *
SegmentMapItem(const SegmentMap *map, const KeySchema *key, const char *index_name)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);

	ItemBuilderBeginMap(b);
	ItemBuilderName(b, NAME_BOUNDS, strlen(NAME_BOUNDS));
	ItemBuilderBeginList(b);
	for (int i = 0; i < map->nranges - 1; i++)
		BuildBound(b, key, &map->bounds[i * map->npartition]);
	ItemBuilderEnd(b);
	if (index_name != NULL)
	{
		ItemBuilderName(b, NAME_INDEX, strlen(NAME_INDEX));
		ItemBuilderString(b, index_name, strlen(index_name));
	}
	ItemBuilderEnd(b);
	return ItemBuilderFinish(b);
}
