/*
 * row_key.c
 *	  Primary keys of items as column values.
 */
#include "postgres.h"

#include "item/builder.h"
#include "store/store.h"

bool
RowKeyFromItem(const TableDef *def, ValueRef item, RowKey *key, Problem *problem)
{
	int			nkeys = KeyCount(&def->key);

	for (int i = 0; i < nkeys; i++)
	{
		const AttributeDef *attr = TableKeyAttribute(def, i);

		key->attributes[i] = AttributeFind(item, attr->name.data, attr->name.len);
		if (!KeyValueGetDatum(attr, key->attributes[i], &key->values[i], problem))
			return false;
	}
	return true;
}

struct varlena *
ItemOfKey(const TableDef *def, const RowKey *key)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);

	ItemBuilderBeginMap(b);
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		ItemBuilderName(b, TableKeyAttribute(def, i)->name.data, TableKeyAttribute(def, i)->name.len);
		ItemBuilderValue(b, key->attributes[i]);
	}
	ItemBuilderEnd(b);
	return ItemBuilderFinish(b);
}
