/*
 * key_parts.h
 *	  Keys by parts: a key that is not given as the table's key attributes, but as what an
 *	  entity composes them of, {"kind": "order", "customer_id": "c7", "order_id": 42}.
 *
 * The module that composes such keys registers its functions when the library is loaded:
 * src/parts/ does.  It is asked only where a table has entities, and the key would be
 * refused otherwise.  Where none is registered, keys are those attributes.
 */
#ifndef DYNAMO_TABLE_KEY_PARTS_H
#define DYNAMO_TABLE_KEY_PARTS_H

#include "exported.h"
#include "table/table.h"

/* What a key condition on parts asks for. */
typedef struct PartsCondition
{
	KeyCondition *key;
	Condition  *filter;			/* which items in that range are meant; NULL: all */
} PartsCondition;

typedef struct KeyPartsMethods
{
	/*
	 * Composes the key of the item to which a key parameter refers by parts.  Sets *item,
	 * palloc'd, to the parts, the type attribute and the key attributes: what an update
	 * that creates the item begins with.  Sets it to NULL if the parameter names nothing
	 * of any entity.  Returns false if it notes a problem; raises it if problem is NULL.
	 */
	bool		(*compose) (const TableDef *def, ValueRef parts, struct varlena **item, Problem *problem);

	/*
	 * Chooses among attributes, a map, those that a key by parts could consist of: the parts
	 * of the entity that the type attribute names, or those of any.  Sets names, palloc'd;
	 * returns their number, 0 if the attributes name nothing of any entity.
	 */
	int			(*choose) (const TableDef *def, ValueRef attributes, Slice **names);

	/*
	 * Whether only the item with the key that parts compose can have these attributes: the
	 * type attribute is among them, and all items of its entity conform to it.
	 */
	bool		(*fix_item) (const TableDef *def, ValueRef parts);

	/*
	 * Turns a key condition on parts to one on the key attributes of the table, or of an
	 * index if it is not NULL.  Returns false if it names nothing of any entity; raises
	 * what else is wrong with it.
	 */
	bool		(*condition) (const TableDef *def, const IndexDef *index, const KeyClauses *clauses, PartsCondition *result);

	/*
	 * Finds the range in which all items with these attributes are that the table, or an
	 * index if it is not NULL, has.  Sets the tests of its first key attributes, with
	 * palloc'd values; returns their number, 0 if the items can be anywhere.
	 */
	int			(*range) (const TableDef *def, const IndexDef *index, ValueRef attributes, KeyTest *tests);
} KeyPartsMethods;

extern void KeyPartsRegister(const KeyPartsMethods *methods);

/*
 * Checks a key parameter as CheckKeyParameter does.  If it consists of parts, sets *key
 * to the item with its key attributes that KeyPartsMethods has composed.
 */
extern DYNAMO_EXPORT bool TakeKeyParameter(const TableDef *def, ValueRef *key, Problem *problem);

/*
 * If a key condition has clauses on other attributes than those of the key of the table, or
 * of an index if it is not NULL, and these are parts: sets *result and returns true.
 */
extern bool KeyConditionByParts(const TableDef *def, const IndexDef *index, const KeyClauses *clauses,
								PartsCondition *result);

/* See KeyPartsMethods; 0 also if the table has no entities. */
extern DYNAMO_EXPORT int ChooseKeyParts(const TableDef *def, ValueRef attributes, Slice **names);

/* See KeyPartsMethods; false also if the table has no entities. */
extern DYNAMO_EXPORT bool KeyPartsFixItem(const TableDef *def, ValueRef parts);

/* See KeyPartsMethods; 0 also if the table has no entities. */
extern DYNAMO_EXPORT int KeyPartsRange(const TableDef *def, const IndexDef *index, ValueRef attributes, KeyTest *tests);

/* Whether a key parameter has other names than the table's key attributes. */
extern bool KeyIsByParts(const TableDef *def, ValueRef key);

#endif							/* DYNAMO_TABLE_KEY_PARTS_H */
