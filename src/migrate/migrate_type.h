/*
 * migrate_type.h
 *	  Other values of the type attribute while a table is in use.
 *
 * Items of an entity get another value; or those that meet a condition become items of a second
 * entity; or those of a second entity become items of the first.  Keys stay as they are.  While
 * they are moved, the entity has all these items, whichever of both values they have
 * (entity/entity.h), so that they change over at once: a second entity begins when a split ends,
 * and has ended when a merger begins.  That moment excludes readers, too: a statement that has
 * read some rows, and then takes notice of the new definition, would see others by that.
 *
 * The member "moves" of the entity has one of these besides "phase" and "type":
 *
 *	"split": {"entity": "company", "value": "company", "when": {"condition": ...}}
 *	"merged": the definition of the entity whose items become those of this one
 */
#ifndef DYNAMO_MIGRATE_TYPE_H
#define DYNAMO_MIGRATE_TYPE_H

#include "item/item.h"
#include "migrate/migrate.h"

typedef struct MigrateTypeRequest
{
	char	   *table_name;
	char	   *entity_name;
	char	   *type_value;		/* of the items, or of the second entity of a split; NULL for its name */
	char	   *split;			/* the second entity; NULL unless items become those of a new one */
	char	   *condition;		/* of these items */
	ValueRef	values;			/* and what it uses; MISSING_VALUE if there are none */
	ValueRef	names;
	char	   *merge;			/* the second entity; NULL unless its items become those of this one */
	Oid			relid;			/* is set */
} MigrateTypeRequest;

/* Begins a migration; raises errors for what cannot be done. */
extern void MigrateType(MigrateTypeRequest *r);

/*
 * In the phase of preparing: raises an error if an item of no entity has the value that items are to get.
 * Sets *key to that of the item as JSON, palloc'd in the caller's memory context.
 */
extern void MigrateRefuseStrays(Relation rel, const TableDef *def, const Entity *entity, char **key);

/* Raises an error if a migration cannot go back. */
extern void MigrateCheckCancel(const TableDef *def, const char *entity_name, MigrationPhase phase);

/* Whether items change over to another entity when the migration ends in the phase in which it is. */
extern bool MigrateChangesOver(const TableDef *def, const char *entity_name);

/* ---- phases of splits and mergers; they return false if a migration is none ---- */

extern bool MigrateDefineTypes(TableDef *def, const char *entity_name, MigrationPhase phase);
extern bool MigrateDefineTypesEnd(TableDef *def, const char *entity_name);

#endif							/* DYNAMO_MIGRATE_TYPE_H */
