/*
 * vector_entry.c
 *	  Filters, visibility and vector of one entry in a search.
 */
#include "postgres.h"

#include "utils/rel.h"

#include "search/search.h"
#include "table/stored.h"

void
InvalidVectorEntry(const VectorEntry *entry, const char *problem)
{
	RowPlace	place = {RelationGetRelid(entry->rel), *entry->tid, NULL};

	InvalidRowError(&place, problem);
}

bool
VectorEntryPasses(const VectorEntry *entry)
{
	for (int i = 0; i < entry->search->ntests; i++)
	{
		const SearchTest *test = &entry->search->tests[i];
		ValueRef	v = AttributeFind(entry->item, test->attribute.data, test->attribute.len);

		if (ValueIsMissing(v) || !ValueEqual(v, test->value))
			return false;
	}
	return true;
}

/* The entry's item may contain anything. */
static void
CheckRowKey(const VectorEntry *entry)
{
	const TableDef *def = entry->search->store->def;

	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		const AttributeDef *attr = TableKeyAttribute(def, i);
		const char *problem = KeyAttributeProblem(attr, AttributeFind(entry->item, attr->name.data, attr->name.len),
												  i < def->key.npartition ? KEY_MAX_PARTITION : KEY_MAX_SORT);

		if (problem != NULL)
			InvalidVectorEntry(entry, problem);
	}
}

bool
VectorEntryIsVisible(const VectorEntry *entry)
{
	RowKey		key;

	if (!entry->search->hidden)
		return true;
	CheckRowKey(entry);
	(void) RowKeyFromItem(entry->search->store->def, entry->item, &key, NULL);
	return StoreGet(entry->search->store, &key) != NULL;
}

const float *
VectorEntryElements(const VectorEntry *entry, Datum stored)
{
	bool		copy;
	const float *vector = VectorOfArray(stored, entry->search->query.dimensions, &copy);

	if (vector == NULL)
		InvalidVectorEntry(entry, "The vector does not have the dimensions of the index.");
	return vector;
}
