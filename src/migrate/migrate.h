/*
 * migrate.h
 *	  Gives the items of an entity other keys while the table is in use: dynamo.migrate_entity.
 *
 * A migration is part of the entity's definition, in its member "moves":
 *
 *	{"keys": [...], "phase": "moving", "other": {...}, "marks": {"composed": true}}
 *
 * "keys": templates of the table's key by which items may still have it (entity/entity.h);
 * absent if only keys of indexes change.  "other": the definition of the entity with the other
 * keys.  "marks": what is known of its items before the migration, and again at its end.
 *
 *	preparing	the entity has the old keys, and its source the new ones.  Items are read under
 *				both, and written under the old one.  When every transaction that may know
 *				only one of them has ended, the two change their roles:
 *	moving		the entity has the new keys, its source the old ones.  A worker moves all items;
 *				so does every write.
 *	cancelling	the same, back: the entity has the old keys, its source the new ones.
 *
 * At the end, when no item is under the key of the source, and no snapshot shows one, the
 * member is removed.
 *
 * Or items get another type (migrate_type.h): "type" has the other one that they may have.
 *
 * Or attributes get other names (migrate_rename.c).  Then "drops" has the names that items lose
 * in this phase, with the other name of each, and "returns" those that they lose if it is
 * cancelled.  There is no source, and no preparing.
 *
 * An item is under one key at each moment: a move is an UPDATE of its row.  No row gets a key of
 * the source any more once a phase has begun, because the statement that begins it excludes
 * writers, and each write composes the key of the entity.  Each of the two keys can be computed
 * from the other (migrate_check.c), so that an item is found by either.
 */
#ifndef DYNAMO_MIGRATE_H
#define DYNAMO_MIGRATE_H

#include "datatype/timestamp.h"
#include "storage/block.h"
#include "utils/jsonb.h"

#include "entity/entity.h"
#include "table/table.h"

/* Registers the functions of table/moves.h and what DDL does to migrations, and the worker. */
extern void MigrateInit(void);

/* ---- migrate_item.c: one item ---- */

/* Registers the functions of table/moves.h. */
extern void MigrateItemInit(void);

/* Whether an item of a moving entity has yet to get its keys. */
extern bool MigrateNeedsMove(const TableDef *def, const Entity *entity, ValueRef item);

/* Moves an item, if it is there and has yet to be moved.  Waits for its row. */
extern void MigrateMove(const TableDef *def, ValueRef item);

/* ---- migrate_check.c ---- */

/*
 * Raises errors for what cannot be migrated: old and new are one entity of a table before and
 * after.  SPI must be connected.
 */
extern void MigrateCheck(Relation rel, const TableDef *def, const Entity *old, const Entity *new);

/* Raises an error if the worker cannot change rows of a table in place, or moves items of it already. */
extern void MigrateCheckTable(Relation rel, const TableDef *def, const Entity *entity);

/* ---- migrate_uses.c ---- */

/* Raises an error if something depends on an attribute of an entity that is to be dropped. */
extern void MigrateRefuseDropped(Relation rel, const TableDef *def, const Entity *entity, Slice name);

/* The same for the value of its type attribute, which is to change. */
extern void MigrateRefuseTypeUses(Relation rel, const TableDef *def, const Entity *entity);

struct AccessPattern;

/* Whether a pattern names an attribute. */
extern bool MigratePatternNames(const struct AccessPattern *p, Slice name);

/* ---- migrate_follow.c: what else is made of the definition ---- */

/* Access patterns of the table's owner that were right before its definition changed are made anew, if it makes others of them. */
extern void MigratePatternsFollow(Oid relid, const TableDef *before);

/* Raises a NOTICE that names patterns of an entity that belong to other roles: these stay as they are. */
extern void MigrateTellOfPatterns(Oid relid, const char *entity_name);

/* The same for views of a table's entities, if its keys change or (not NULL) an entity is merged with another one. */
extern void MigrateTellOfViews(Oid relid, const char *merged);

/* The same for patterns of an entity that name an attribute which is dropped, and for views. */
extern void MigrateTellOfDropped(Oid relid, const char *entity_name, Slice name);

/* ---- migrate_rename.c ---- */

typedef struct MigrateRenameRequest
{
	char	   *table_name;
	char	   *entity_name;
	Jsonb	   *rename;			/* an object from old to new names of attributes */
	Oid			relid;			/* is set */
} MigrateRenameRequest;

/* Begins to rename attributes; raises errors for what cannot be renamed. */
extern void MigrateRename(MigrateRenameRequest *r);

/* Has views and access patterns follow a definition that goes back from the one before. */
extern void MigrateRenameBack(Oid relid, const char *entity_name, const TableDef *before);

/* ---- migrate_definition.c ---- */

typedef enum MigrationPhase
{
	MIGRATION_NONE,
	MIGRATION_PREPARING,
	MIGRATION_MOVING,
	MIGRATION_CANCELLING
} MigrationPhase;

/* Returns the moving entity of a table; NULL if there is none. */
extern const Entity *MigrateEntity(const TableDef *def);
extern MigrationPhase MigratePhase(const TableDef *def, const Entity *entity);

/* The definition with the other version of the moving entity, palloc'd; NULL if no item can have it. */
extern TableDef *MigrateOtherVersion(const TableDef *def);

/* Sets the definition to that of the entity with other templates for some of its keys, without a migration. */
extern void MigrateDefineTarget(TableDef *def, const char *entity_name, Jsonb *keys);

/*
 * Attributes get other names: both are declared, each computed from the other.  rename is an
 * object from old to new names.  Then one of them is dropped, and templates get the other one.
 * These begin with the phase of moving.
 */
extern void MigrateDefineRenaming(TableDef *def, const char *entity_name, Jsonb *rename);
extern void MigrateDefineDropping(TableDef *def, const char *entity_name, Slice name, Slice other);

/* Begins the phases; def has the entity as it was before.  The items get other keys, or another type. */
extern void MigrateDefinePreparing(TableDef *def, const char *entity_name, Jsonb *keys);
extern void MigrateDefineRetyping(TableDef *def, const char *entity_name, const char *type_value);
extern void MigrateDefineMoving(TableDef *def, const char *entity_name);
extern void MigrateDefineCancelling(TableDef *def, const char *entity_name);

/* Ends the migration: the entity has its keys, and no source. */
extern void MigrateDefineEnd(TableDef *def, const char *entity_name);

/* ---- migrate_state.c: rows of dynamo_internal.migrations ---- */

typedef struct MigrationState
{
	char	   *phase;			/* that of the definition, "complete" or "cancelled" */
	bool		paused;
	Oid			file;			/* relfilenode of the position */
	BlockNumber block;			/* next position */
	BlockNumber blocks;			/* size of the table at the start of the pass */
	int64		moved;
	int32		passes;
	char	   *error;			/* or NULL */
	TimestampTz started;		/* when the migration was begun */
} MigrationState;

/* Returns false if there is no row. */
extern bool MigrateStateRead(Oid relid, const char *entity_name, MigrationState *state);
extern void MigrateStateStart(Oid relid, const char *entity_name);
extern void MigrateStatePhase(Oid relid, const char *entity_name, const char *phase);
extern void MigrateStateWrite(Oid relid, const char *entity_name, const MigrationState *state);
extern void MigrateStatePause(Oid relid, const char *entity_name, bool paused);
extern void MigrateStateError(Oid relid, const char *entity_name, const char *error);

/* Registers that a dropped table's migrations are forgotten. */
extern void MigrateStateInit(void);

/* ---- migrate_steps.c ---- */

/*
 * Does all that remains of the migration of a table, in a worker that has the rights of the
 * table's owner.  Starts and ends without a transaction.
 */
extern void MigrateRun(Oid relid);

/* Whether a migration of the table has something to do: it is not paused or stopped.  In a transaction of its own. */
extern bool MigrateRemains(Oid relid);

/* ---- migrate_worker.c ---- */

extern void MigrateWorkerInit(void);

/* Starts a worker after this transaction, or now; false if none is free. */
extern void MigrateAtCommit(Oid relid);
extern bool MigrateNow(Oid relid);

/* Whether a worker moves items of a table. */
extern bool MigrateIsRunning(Oid relid);

/* Starts workers for migrations in this database that have none; in a transaction. */
extern void MigrationsResume(void);

#endif							/* DYNAMO_MIGRATE_H */
