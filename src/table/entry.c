/*
 * entry.c
 *	  The projection of an index: the contents of its entries.
 */
#include "postgres.h"

#include "item/builder.h"
#include "table/table.h"

bool
IndexProjects(const TableDef *def, const IndexDef *index, Slice name)
{
	bool		projects;

	if (index->kind->projects != NULL && index->kind->projects(index, name, &projects))
		return projects;
	if (index->projected == PROJECTED_ALL)
		return true;
	for (int i = 0; i < index->nentry; i++)
	{
		if (SliceCompare(EntryAttribute(def, index, i)->name, name) == 0)
			return true;
	}
	for (int i = 0; i < index->nnon_key; i++)
	{
		if (SliceCompare(index->non_key[i], name) == 0)
			return true;
	}
	return false;
}

struct varlena *
IndexEntryItem(const TableDef *def, const IndexDef *index, ValueRef item)
{
	ItemBuilder *b;
	Container	map;

	if (EntryIsWholeItem(index))
		return ValueCopy(item);
	b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	ContainerOpen(item, &map);
	ItemBuilderBeginMap(b);
	for (uint32 i = 0; i < map.count; i++)
	{
		Slice		name;
		ValueRef	v = MapEntry(&map, i, &name);

		if (!IndexProjects(def, index, name))
			continue;
		ItemBuilderName(b, name.data, name.len);
		ItemBuilderValue(b, v);
	}
	ItemBuilderEnd(b);
	return ItemBuilderFinish(b);
}

uint64
IndexEntrySize(const TableDef *def, const IndexDef *index, ValueRef item)
{
	uint64		size = index->kind->size_beside != NULL ? index->kind->size_beside(index) : 0;
	Container	map;

	ContainerOpen(item, &map);
	for (uint32 i = 0; i < map.count; i++)
	{
		Slice		name;
		ValueRef	v = MapEntry(&map, i, &name);

		if (IndexProjects(def, index, name))
			size += name.len + ValueSize(v);
	}
	return size;
}

uint64
ItemWithEntriesSize(const TableDef *def, ValueRef item)
{
	uint64		size = ItemSize(item);

	for (int i = 0; i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];

		if (index->local && index->replaces == NULL && ItemInIndex(def, index, item))
			size += IndexEntrySize(def, index, item);
	}
	return size;
}
