/*
 * keys.c
 *	  Primary keys of items as column values.
 */
#include "postgres.h"

#include "store/store.h"

void
RowKeyFromItem(const TableDef *def, ValueRef item, RowKey *key)
{
	int			nkeys = def->key.npartition + def->key.nsort;

	for (int i = 0; i < nkeys; i++)
	{
		const AttributeDef *attr = &def->attributes[def->key_attributes[i]];

		key->attributes[i] = AttributeFind(item, attr->name.data, attr->name.len);
		key->values[i] = KeyValueToDatum(attr, key->attributes[i]);
	}
}
