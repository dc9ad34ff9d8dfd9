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
 *					 {"name": "size", "type": "size", "qualified": "shop.size"},
 *					 {"name": "status", "type": "text", "default": "OPEN"},
 *					 {"name": "version", "type": "integer", "constant": 1},
 *					 {"name": "state", "type": "text", "enum": ["OPEN", "PAID"], "read_only": true},
 *					 {"name": "id", "type": "uuid", "default_function": "uuid"},
 *					 {"name": "quarter", "type": "integer", "computed": "extract(quarter FROM day)"}],
 *	  "on_mismatch": "replace", "applied": true, "composed": true,
 *	  "former": [{"attribute": "GSI2PK", "template": "STATUS#{status}"}],
 *	  "moves": {"keys": [{"attribute": "PK", "template": "{customer_id}"}, ...]}}, ...]
 *
 * Of an entity all but the name may be absent; of an attribute, too.
 *
 * "composed": the index keys of all its items are what it composes.  "applied": this,
 * and all items conform to what it declares.  "former": templates that it had, and
 * by which older items still have keys.
 *
 * "moves": the entity is being migrated.  Its "keys" are the templates of the table's key
 * by which items may still have it: its source.  Everything that is written gets the key
 * of the entity.  Or "moves" has "drops", such as {"mail": "email"}: names that items
 * lose, and under which other name the attribute has its value.  Or it has "type":
 * {"other": ...}, another value that items may have in the type attribute, too; with
 * "ahead": true none has it yet.  Everything that is written gets the value of the entity
 * or, if a condition "when" holds, the other one; with "keep": true it keeps what it has.
 * Other members of "moves" belong to whoever moves the items (table/moves.h).
 *
 * An item is of the entity that its type attribute names.  If it has none that
 * names one, it is of the entity without type attribute whose templates its
 * key fits.
 *
 * Values of attributes with "computed", an SQL expression over other attributes, and
 * with "default_function" come from whom EntitySetValueSource registers.  Two attributes
 * may be computed from each other: counterparts.  The one that a write changes makes the
 * other.
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

#define ENTITY_MAX_COUNT		1000	/* maximum of a table */
#define ENTITY_MAX_ATTRIBUTES	1000	/* maximum of an entity, and of keys */
#define ENTITY_MAX_NAME			255

/* A key attribute of the table or an index, and its template. */
typedef struct ComposedKey
{
	Slice		attribute;
	const Template *template;
	bool		base;			/* belongs to the table's key; these come first */
	Condition  *condition;		/* condition of items in the index; NULL for all items */
} ComposedKey;

typedef enum DefaultFunction
{
	DEFAULT_NO_FUNCTION,
	DEFAULT_UUID,				/* a random one */
	DEFAULT_NOW					/* when the transaction began */
} DefaultFunction;

typedef struct EntityAttribute
{
	Slice		name;
	Slice		type;			/* SQL type; data is NULL if it is not declared */
	Slice		qualified;		/* its name with its schema; data is NULL if it is one of PostgreSQL's own */
	int			holds;			/* ValueType that the value must have; -1 for any */
	bool		uuid;			/* the value must be the text of a uuid */
	bool		tested;			/* the condition of an index tests it */
	bool		required;
	ValueRef	constant;		/* MISSING_VALUE if there is none */
	ValueRef	initial;		/* value in new items; MISSING_VALUE if there is none */
	DefaultFunction function;	/* which makes the value in new items */
	ValueRef	allowed;		/* a list of values; MISSING_VALUE for any */
	bool		read_only;		/* an item keeps what it was created with */
	Slice		computed;		/* SQL expression; data is NULL if there is none */
} EntityAttribute;

/* A name that items lose: the attribute has its value under the other name, too. */
typedef struct DroppedName
{
	Slice		name;
	Slice		other;
} DroppedName;

typedef struct Entity
{
	Slice		name;
	Slice		type_attribute; /* data is NULL if items are recognized by their key */
	Slice		type_value;
	Slice		other_type;		/* another value that items may have while they are moved; data is NULL if there is none */
	bool		type_is_ahead;	/* no item has it yet */
	bool		keeps_types;	/* an item keeps which of the two it has */
	Condition  *other_when;		/* condition of items that get the other one; NULL if none does */
	int			nkeys;
	ComposedKey *keys;
	int			nbase;			/* keys[0 .. nbase) belong to the table's key */
	int			nattributes;
	EntityAttribute *attributes;
	int			nformer;		/* templates of index keys that the entity had, see FormerKeyStays */
	ComposedKey *former;
	bool		composed;		/* the index keys of all its items are composed */
	bool		applied;		/* composed, and all items conform to what is declared */
	bool		replaces;		/* replace a given key that differs from the composed one */
	bool		checks_types;	/* refuse attributes that cannot be cast to their types */
	bool		has_rules;		/* some attribute is computed, or has a function or a list of values */
	bool		has_read_only;
	bool		may_have_counterparts;	/* expressions of two attributes contain the name of the other */
	bool		moving;			/* its items get other keys, another type, or other names of attributes */
	bool		renames;		/* other names */
	int			ndropped;
	DroppedName *dropped;
	const struct Entity *source;	/* the same with the key that items may still have; NULL if none may */
} Entity;

typedef struct EntitySet
{
	int			count;
	Entity	   *entities;
	bool		has_read_only;	/* one of them */
	bool		settles_puts;	/* of an item that is put, what the replaced one has matters */
	bool		moves;			/* an entity has a source */
} EntitySet;

/* ---- entity_read.c ---- */

/*
 * Reads a list of entities, palloc'd, which points into its bytes; key is the
 * table's key.  Returns NULL and a sentence in *problem if the list is invalid
 * as a whole.  Raises errors in expressions.
 */
extern EntitySet *EntitySetRead(ValueRef list, const KeySchema *key, const char **problem);

/* Returns the entity with this name; NULL if there is none, or no set. */
extern const Entity *EntitySetFind(const EntitySet *set, Slice name);

/*
 * Whether the attribute affects to which entity an item belongs, or what the
 * entity makes of it.
 */
extern bool EntitySetConcerns(const EntitySet *set, Slice attribute);

/* Returns the declaration of an attribute; NULL if there is none. */
extern const EntityAttribute *EntityAttributeFind(const Entity *entity, Slice name);

/* Returns the key of an attribute; NULL if it has no template. */
extern const ComposedKey *EntityKeyFind(const Entity *entity, Slice attribute);

/* Whether a part of a template is of an attribute, or within it. */
extern bool TemplateUses(const Template *t, Slice attribute);

/* Whether a condition, which may be NULL, names an attribute. */
extern bool ConditionUses(const Condition *condition, Slice attribute);

/* Whether the template or the condition of a key names an attribute. */
extern bool ComposedKeyUses(const ComposedKey *key, Slice attribute);

/* ---- entity_conflict.c ---- */

/*
 * Returns a sentence about items that could be of an entity and of another one of the set, to which it sets
 * *other; NULL if there are none.  One of the same name is the entity itself, or what it was before.
 */
extern const char *EntitySetConflict(const EntitySet *set, const Entity *entity, const Entity **other);

/* ---- entity_kind.c ---- */

/* Returns the entity that the type attribute of an item or of parts names; NULL if it is absent or names none. */
extern const Entity *EntityOfType(const EntitySet *set, ValueRef item);

/* Returns the entity to which an item belongs; NULL if there is none. */
extern const Entity *EntityOfItem(const EntitySet *set, ValueRef item);

/* Whether a value of the type attribute is one of the entity's: its type, or the other one. */
extern bool EntityIsType(const Entity *entity, ValueRef v);

/* Returns the type that an item gets in place of the one that it has; data is NULL if it keeps that, or has none. */
extern Slice EntityNewType(const Entity *entity, ValueRef item);

/*
 * Returns the entity whose key can be composed from the attributes of an item
 * without a key.  Returns NULL if there is none, or if it notes the problem
 * that there are several.
 */
extern const Entity *EntityOfParts(const EntitySet *set, ValueRef item, Problem *problem);

/*
 * Returns the entity with a type attribute whose templates the key of an item without
 * this attribute fits.  Returns NULL if there is none, or if it notes the problem that
 * there are several.
 */
extern const Entity *EntityOfKey(const EntitySet *set, ValueRef item, Problem *problem);

/*
 * Returns the value of a part: the item's attribute or, if that is missing,
 * the value in the table's key; MISSING_VALUE if neither has it.
 */
extern ValueRef EntityPartValue(const Entity *entity, ValueRef item, const TemplatePart *part);

/*
 * Whether the attributes that an item's key contains compose this key, whatever its other
 * attributes are.
 */
extern bool EntityKeyIsOf(const Entity *entity, ValueRef item);

/* Returns the source of an entity if the key of an item is of that, otherwise the entity. */
extern const Entity *EntityVersionOf(const Entity *entity, ValueRef item);

/* Whether an attribute is a time in some template. */
extern bool EntityHasTime(const Entity *entity, Slice name);

/* Whether an attribute may be missing because the table's key contains it. */
extern bool EntityKeyTells(const Entity *entity, Slice name);

/* ---- entity_rules.c: what attributes may be, and what makes them ---- */

/*
 * Returns a clause that says why an attribute differs from its declaration;
 * NULL if it conforms or is missing.
 */
extern const char *EntityAttributeProblem(const EntityAttribute *declared, ValueRef value);

/*
 * Whether an item has a required attribute, or its key does.  If it is a part
 * of a key, an empty string is missing, as it is in templates.
 */
extern bool EntityHasRequired(const Entity *entity, ValueRef item, Slice name);

extern const char *DefaultFunctionName(DefaultFunction function);
extern bool DefaultFunctionFromName(Slice name, DefaultFunction *function);

/* Returns a clause that says which values an attribute may have; NULL if it may have this one. */
extern const char *EntityEnumProblem(const EntityAttribute *a, ValueRef value);

/*
 * Whether an expression may use an attribute: it is certain only that those are used for
 * which this is true.
 */
extern bool EntityComputedUses(const EntityAttribute *a, Slice attribute);

/* Whether the value of a computed attribute may depend on an attribute. */
extern bool EntityComputesFrom(const Entity *entity, Slice attribute);

/* Whether two attributes could be computed from each other: it is certain only that others are not. */
extern bool EntityMayBeCounterparts(const EntityAttribute *a, const EntityAttribute *b);

typedef struct EntityValueSource
{
	/* Returns the value of an attribute with a default function. */
	ValueRef	(*make_default) (const EntityAttribute *a);

	/* Sets *value to that of a computed attribute; returns false if it notes a problem. */
	bool		(*compute) (const Entity *entity, const EntityAttribute *a, ValueRef item, ValueRef *value, Problem *problem);

	/* Whether two computed attributes are computed from each other, and nothing else. */
	bool		(*are_counterparts) (const Entity *entity, const EntityAttribute *a, const EntityAttribute *b);
} EntityValueSource;

extern void EntitySetValueSource(const EntityValueSource *source);
extern ValueRef EntityMakeDefault(const EntityAttribute *a);
extern bool EntityCompute(const Entity *entity, const EntityAttribute *a, ValueRef item, ValueRef *value, Problem *problem);

/* Returns the attribute from which this one is computed and which is computed from it; NULL if there is none. */
extern const EntityAttribute *EntityCounterpart(const Entity *entity, const EntityAttribute *a);

/*
 * Sets *agree to whether an attribute or its counterpart is what is computed from the other;
 * both may be missing.  Returns false if it notes a problem.
 */
extern bool EntityCounterpartsAgree(const Entity *entity, const EntityAttribute *a, const EntityAttribute *b, ValueRef item,
									bool *agree, Problem *problem);

/*
 * Whether an item has the read-only attributes of the one that it replaces.  Returns
 * false if it notes the problem.
 */
extern bool EntityKeepsReadOnly(const EntitySet *set, ValueRef item, ValueRef old, Problem *problem);

/*
 * The same for what the item is: an item of an entity with read-only attributes stays one of
 * it.  The keys of the item are composed.
 */
extern bool EntityKeepsKind(const EntitySet *set, ValueRef item, ValueRef old, Problem *problem);

/* ---- entity_compose.c ---- */

/* An item that is being written. */
typedef struct EntityWrite
{
	const EntitySet *set;
	const Entity *entity;		/* the intended entity; NULL for the one to which the item belongs */
	ValueRef	item;
	ValueRef	old;			/* the replaced item; MISSING_VALUE if there is none */
	bool		unseen;			/* the item may replace one that is not known yet */
	bool		fixed_key;		/* a key that differs from the old one is an error */
	bool		upserts;		/* an update of a missing item creates it: its key tells the entity */
	bool		final;			/* the item is stored as it is, without further changes */
	bool		repairs;		/* replace index keys, but not the table's key; add no defaults */
	Problem    *problem;		/* where a problem is noted; NULL to raise it */
} EntityWrite;

/*
 * Sets *result to the item with its constants, defaults and composed keys,
 * palloc'd; to NULL if the item has them already, or belongs to no entity.
 * Does not compose index keys if the item is not final.  Returns false if it
 * notes a problem.
 */
extern bool EntityCompose(const EntityWrite *write, struct varlena **composed);

/*
 * Checks that the attributes of an item can be cast to their types, but for those that
 * are as in the old item, which may be missing.  Returns false if it notes a problem.
 */
typedef bool (*EntityTypeCheck) (const Entity *entity, ValueRef item, ValueRef old, Problem *problem);

/* Registers this check, which needs catalogs. */
extern void EntitySetTypeCheck(EntityTypeCheck check);

/* Appends the key of a template; sets *problem if it cannot be composed. */
extern ComposeStatus EntityComposeKey(const Entity *entity, const ComposedKey *key,
									  ValueRef item, StringInfo out, ComposeProblem *problem);

/*
 * Whether an item has an index key of a template that its entity had, and now has
 * none for.
 */
extern bool FormerKeyStays(const ComposedKey *former, ValueRef item);

/* Whether the attributes of an item compose its key. */
extern bool EntityKeyIsComposed(const Entity *entity, ValueRef item);

/* Notes why a key cannot be composed; returns false. */
extern bool NoteComposeProblem(const Entity *entity, const ComposedKey *key,
							   const ComposeProblem *why, Problem *problem);

#endif							/* DYNAMO_ENTITY_ENTITY_H */
