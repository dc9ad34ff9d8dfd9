/*
 * moves.h
 *	  Items of an entity that are getting another key while the table is in use.
 *
 * Such an entity has a source (entity/entity.h): an item is under the key of the entity or
 * under that of its source, and under one of them only.  A write gives it the key of the
 * entity.  The two keys of an item determine each other.
 *
 * A module that moves items registers its functions when the library is loaded: src/migrate/
 * does.  Where none is registered, entities with a source are read and written by one key.
 */
#ifndef DYNAMO_TABLE_MOVES_H
#define DYNAMO_TABLE_MOVES_H

#include "entity/entity.h"
#include "exported.h"
#include "table/table.h"

struct Store;					/* store/store.h */
struct RowKey;

typedef struct MoveMethods
{
	/* The other key under which an item with the key attributes of this one may be; false if there is none. */
	bool		(*other_key) (const TableDef *def, ValueRef item, struct RowKey *other);

	/* Whether an item that was found under the other key is the one that was meant. */
	bool		(*is_meant) (const TableDef *def, ValueRef item);

	/*
	 * Before a write of the item with a key: moves it, if it is under the key of the source.  A
	 * key of the source is replaced by the other one if replaces, as the key of an item that
	 * need not exist; returns whether it was.
	 */
	bool		(*bring) (struct Store *store, struct RowKey *key, bool replaces);

	/*
	 * Raises an error if an item that is stored under a key which the old one did not have is
	 * still there under the other key.  old may be missing.
	 */
	void		(*check_new) (Relation rel, const TableDef *def, ValueRef item, ValueRef old);

	/* The definition with the other version of the entity whose items may have been moved, palloc'd; NULL if there is none. */
	TableDef   *(*other_version) (const TableDef *def);
} MoveMethods;

/* What is registered, or NULL. */
extern DYNAMO_EXPORT const MoveMethods *move_methods;

/* Whether items of a table are moved. */
static inline bool
TableMoves(const TableDef *def)
{
	return unlikely(def->entities != NULL && def->entities->moves) && move_methods != NULL;
}

/* These do nothing where no items are moved. */
static inline bool
MoveOtherKey(const TableDef *def, ValueRef item, struct RowKey *other)
{
	return TableMoves(def) && move_methods->other_key(def, item, other);
}

static inline const TableDef *
MoveOtherVersion(const TableDef *def)
{
	return move_methods == NULL ? NULL : move_methods->other_version(def);
}

static inline void
MoveCheckNew(Relation rel, const TableDef *def, ValueRef item, ValueRef old)
{
	if (TableMoves(def))
		move_methods->check_new(rel, def, item, old);
}

/*
 * Whether items of an entity may have either of two keys by this schema, that of the table or of an
 * index: some of its attributes are those of the table's key, and change.
 */
extern bool MoveChangesKey(const Entity *entity, const KeySchema *schema);

/* Raises an error if items of an entity are moved: it cannot be changed, or be what another definition is made of. */
extern void RefuseMoving(const Entity *entity, const char *what);

/* The same for any entity of a table: for what is made of keys, and would miss items. */
extern void RefuseWhileMoving(const TableDef *def, const char *what);

/* Registers a module; the structure must be permanent. */
extern void MovesRegister(const MoveMethods *methods);

#endif							/* DYNAMO_TABLE_MOVES_H */
