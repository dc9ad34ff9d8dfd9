/*
 * parts_range.c
 *	  The range of keys in which all items with some attributes are.
 *
 * A SELECT with the type attribute and some parts of an entity's key,
 *
 *		kind = 'order' AND customer_id = 'c7' AND total > 10
 *
 * means items of this entity, whose keys are composed of their attributes.  So it need not
 * read the whole table, only what the parts compose; it tests all conditions again.
 */
#include "postgres.h"

#include "item/builder.h"
#include "parts/parts.h"

/*
 * Sets the test of a key attribute by what the known parts compose: the whole key, or what
 * it begins with.  Returns false if that is nothing.
 */
static bool
TestOfParts(const Entity *entity, const KeyAttribute *attribute, ValueRef item, KeyTest *test)
{
	const ComposedKey *key = EntityKeyFind(entity, attribute->name);
	StringInfoData text;
	ComposeProblem why;
	ComposeStatus status;

	if (key == NULL || attribute->type != VALUE_S)
		return false;
	initStringInfo(&text);
	status = EntityComposeKey(entity, key, item, &text, &why);
	if (status == COMPOSE_UNFIT || text.len == 0)
		return false;
	*test = (KeyTest) {status == COMPOSE_OK ? KEY_EQ : KEY_BEGINS_WITH, ValueOfString((Slice) {text.data, text.len}), MISSING_VALUE};
	return true;
}

/*
 * Whether every item of the index with these attributes has the key that they compose.  In
 * the table they always have; an entity may leave items out of an index.
 */
static bool
IsComposedInIndex(const Entity *entity, const KeySchema *schema)
{
	for (int i = 0; i < KeyCount(schema); i++)
	{
		const ComposedKey *key = EntityKeyFind(entity, schema->attributes[i].name);

		if (key != NULL && key->condition != NULL)
			return false;
	}
	return true;
}

int
PartsRange(const TableDef *def, const IndexDef *index, ValueRef attributes, KeyTest *tests)
{
	const KeySchema *schema = index != NULL ? &index->key : &def->key;
	const Entity *entity = EntityOfType(def->entities, attributes);
	ValueRef	item;

	if (entity == NULL || !entity->applied || entity->moving || schema->npartition > 1 || !IsComposedInIndex(entity, schema))
		return 0;
	item = ItemRoot(PartsItem(entity, attributes));
	if (!TestOfParts(entity, &schema->attributes[0], item, &tests[0]) || tests[0].op != KEY_EQ)
		return 0;
	if (schema->nsort == 0 || !TestOfParts(entity, &schema->attributes[1], item, &tests[1]) ||
		(index != NULL && tests[1].op != KEY_EQ))
		return 1;
	return 2;
}
