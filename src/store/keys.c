/*
 * keys.c
 *	  Primary keys of items as column values.
 */
#include "postgres.h"

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
