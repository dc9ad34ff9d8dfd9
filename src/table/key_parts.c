/*
 * key_parts.c
 *	  Key parameters and key conditions, of which some are given by parts.
 */
#include "postgres.h"

#include "table/key_parts.h"

static const KeyPartsMethods *key_parts = NULL;

void
KeyPartsRegister(const KeyPartsMethods *methods)
{
	key_parts = methods;
}

bool
KeyIsByParts(const TableDef *def, ValueRef key)
{
	int			nkey = KeyCount(&def->key);
	Container	c;

	if (def->entities == NULL || key_parts == NULL)
		return false;
	ContainerOpen(key, &c);
	if (c.count != (uint32) nkey)
		return true;
	for (int i = 0; i < nkey; i++)
	{
		Slice		name = def->key.attributes[i].name;

		if (ValueIsMissing(MapFind(&c, name.data, name.len)))
			return true;
	}
	return false;
}

/* Checks the key attributes of an item whose key was composed. */
static bool
CheckKeyAttributes(const TableDef *def, ValueRef item, Problem *problem)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		const KeyAttribute *attr = &def->key.attributes[i];
		ValueRef	v = AttributeFind(item, attr->name.data, attr->name.len);

		if (ValueIsMissing(v) || ValueTypeOf(v) != attr->type)
			return NoteKeyMismatch(def, v, problem);
		if (!CheckKeyValue("", attr->name, v, i < def->key.npartition, problem))
			return false;
	}
	return true;
}

static bool
NamesOtherThanKeys(const KeySchema *key, const KeyClauses *clauses)
{
	Slice		attribute;
	KeyTest		test;

	for (int i = 0; KeyClauseGet(clauses, i, &attribute, &test); i++)
	{
		if (!KeySchemaHas(key, attribute))
			return true;
	}
	return false;
}

bool
KeyConditionByParts(const TableDef *def, const IndexDef *index, const KeyClauses *clauses, PartsCondition *result)
{
	return def->entities != NULL && key_parts != NULL &&
		NamesOtherThanKeys(index != NULL ? &index->key : &def->key, clauses) &&
		key_parts->condition(def, index, clauses, result);
}

int
ChooseKeyParts(const TableDef *def, ValueRef attributes, Slice **names)
{
	return def->entities == NULL || key_parts == NULL ? 0 : key_parts->choose(def, attributes, names);
}

bool
KeyPartsFixItem(const TableDef *def, ValueRef parts)
{
	return def->entities != NULL && key_parts != NULL && key_parts->fix_item(def, parts);
}

int
KeyPartsRange(const TableDef *def, const IndexDef *index, ValueRef attributes, KeyTest *tests)
{
	return def->entities == NULL || key_parts == NULL ? 0 : key_parts->range(def, index, attributes, tests);
}

bool
TakeKeyParameter(const TableDef *def, ValueRef *key, Problem *problem)
{
	Problem		refused = NO_PROBLEM;
	struct varlena *item;

	if (def->entities == NULL)
		return CheckKeyParameter(def, *key, problem);
	if (CheckKeyParameter(def, *key, &refused))
		return true;
	if (!KeyIsByParts(def, *key))
		return ProblemNote(problem, &refused);
	if (!key_parts->compose(def, *key, &item, problem))
		return false;
	if (item == NULL)
		return ProblemNote(problem, &refused);
	*key = ItemRoot(item);
	return CheckKeyAttributes(def, *key, problem);
}
