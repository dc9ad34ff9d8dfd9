/*
 * entity.h
 *	  Entities: the kinds of items in a table, and how their keys are composed.
 *
 * A table's definition has a list of them, in plain JSON:
 *
 *	[{"name": "order",
 *	  "type": {"attribute": "_et", "value": "order"},
 *	  "keys": [{"attribute": "PK", "template": "CUSTOMER#{customer_id}"},
 *			   {"attribute": "SK", "template": "ORDER#{order_id:08}"},
 *			   {"attribute": "GSI1PK", "template": "OPEN", "condition": "#s = :open",
 *				"names": {"#s": "status"}, "values": "{\":open\": {\"S\": \"OPEN\"}}"}],
 *	  "attributes": [{"name": "order_id", "type": "integer", "holds": "N", "required": true},
 *					 {"name": "token", "type": "uuid", "holds": "uuid"},
 *					 {"name": "status", "type": "text", "default": "OPEN"},
 *					 {"name": "version", "type": "integer", "constant": 1}],
 *	  "on_mismatch": "replace", "applied": true}, ...]
 *
 * Of an entity all but the name may be absent; of an attribute, too.
 *
 * An item is of the entity that its type attribute names.  If it has none that
 * names one, it is of the entity without type attribute whose templates its
 * key fits.
 *
 * The keys of an item are composed when it is written.  A part that it lacks as
 * an attribute is read from its key, if that is one by the templates.
 *
 * Nothing here knows of catalogs.
 */
#ifndef DYNAMO_ENTITY_ENTITY_H
#define DYNAMO_ENTITY_ENTITY_H

#include "entity/template.h"
#include "expr/expr.h"
#include "problem.h"

#define ENTITY_MAX_COUNT		1000	/* of a table */
#define ENTITY_MAX_ATTRIBUTES	1000	/* of an entity; as of keys */
#define ENTITY_MAX_NAME			255

/* A key attribute of the table or an index, by a template. */
typedef struct ComposedKey
{
	Slice		attribute;
	const Template *template;
	bool		base;			/* of the table's key; these come first */
	Condition  *condition;		/* of items in the index; NULL: all */
} ComposedKey;

typedef struct EntityAttribute
{
	Slice		name;
	Slice		type;			/* SQL type; data NULL: not said */
	int			holds;			/* ValueType that a part must have; -1: any */
	bool		uuid;			/* and its text is that of a uuid */
	bool		tested;			/* a condition of an index names it */
	bool		required;
	ValueRef	constant;		/* or MISSING_VALUE, as the next */
	ValueRef	initial;		/* of a new item without the attribute */
} EntityAttribute;

typedef struct Entity
{
	Slice		name;
	Slice		type_attribute; /* data NULL: known by its key */
	Slice		type_value;
	int			nkeys;
	ComposedKey *keys;
	int			nbase;			/* keys[0 .. nbase) are of the table's key */
	int			nattributes;
	EntityAttribute *attributes;
	bool		applied;		/* older than all items: their index keys are composed */
	bool		replaces;		/* a given key that is not what is composed */
} Entity;

typedef struct EntitySet
{
	int			count;
	Entity	   *entities;
} EntitySet;

/* ---- entity_read.c ---- */

/*
 * Reads a list, palloc'd, which points into its bytes; key: of the table.
 * NULL, with a sentence that tells what is wrong, if it makes no sense as a
 * whole.  Raises the errors of expressions.
 */
extern EntitySet *EntitySetRead(ValueRef list, const KeySchema *key, const char **problem);

/* The entity of this name; NULL if there is none, or no set. */
extern const Entity *EntitySetFind(const EntitySet *set, Slice name);

/*
 * Whether what entities make of an item, or which one it is of, depends on an
 * attribute.
 */
extern bool EntitySetConcerns(const EntitySet *set, Slice attribute);

/* Why an attribute is not what is declared, a clause; NULL if it is, or is missing. */
extern const char *EntityAttributeProblem(const EntityAttribute *declared, ValueRef value);

/* The declaration of an attribute; NULL if there is none. */
extern const EntityAttribute *EntityAttributeFind(const Entity *entity, Slice name);

/*
 * What two entities have in common, a sentence with an example of a key; NULL
 * if no item can be of both.
 */
extern const char *EntityConflict(const Entity *a, const Entity *b);

/* ---- entity_kind.c ---- */

/* The entity that an item is of; NULL if it is of none. */
extern const Entity *EntityOfItem(const EntitySet *set, ValueRef item);

/*
 * The entity whose key can be composed of the attributes of an item without
 * key; NULL if there is none, or a problem is noted because there are several.
 */
extern const Entity *EntityOfParts(const EntitySet *set, ValueRef item, Problem *problem);

/* Whether an item has all attributes of the table's key that have templates. */
extern bool HasBaseKey(const Entity *entity, ValueRef item);

/*
 * The value of a part: the item's attribute or, if that is missing, what the
 * table's key tells; MISSING_VALUE if neither does.
 */
extern ValueRef EntityPartValue(const Entity *entity, ValueRef item, const TemplatePart *part);

/* Whether an attribute can be missing because the table's key tells it. */
extern bool EntityKeyTells(const Entity *entity, Slice name);

/* ---- entity_compose.c ---- */

/* An item that is being written. */
typedef struct EntityWrite
{
	const EntitySet *set;
	const Entity *entity;		/* what the item is to be of; NULL: what it is of */
	ValueRef	item;
	ValueRef	old;			/* what it replaces; MISSING_VALUE: nothing */
	bool		fixed_key;		/* another key than the old one is an error */
	bool		final;			/* nothing changes the item before it is stored */
	bool		repairs;		/* index keys are replaced, that of the table is not */
	Problem    *problem;		/* where one is noted; NULL: it is raised */
} EntityWrite;

/*
 * Sets the item with its constants, defaults and composed keys, palloc'd; NULL
 * if it is that already, or is of no entity.  Keys of indexes are left for later
 * if the item is not final.  False if a problem is noted.
 */
extern bool EntityCompose(const EntityWrite *write, struct varlena **composed);

/* Appends the key by a template; *problem is set if that is not possible. */
extern ComposeStatus EntityComposeKey(const Entity *entity, const ComposedKey *key,
									  ValueRef item, StringInfo out, ComposeProblem *problem);

/* Whether the attributes of an item make the table's key that it has. */
extern bool EntityKeyIsComposed(const Entity *entity, ValueRef item);

/* Notes why a key cannot be composed; false. */
extern bool NoteComposeProblem(const Entity *entity, const ComposedKey *key,
							   const ComposeProblem *why, Problem *problem);

#endif							/* DYNAMO_ENTITY_ENTITY_H */
