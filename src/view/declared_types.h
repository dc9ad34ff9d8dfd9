/*
 * declared_types.h
 *	  Whether the attributes of items can be cast to the types that their entity declares.
 *
 * The casts run as the current user, with the code of domains and of types of users.
 */
#ifndef DYNAMO_DECLARED_TYPES_H
#define DYNAMO_DECLARED_TYPES_H

#include "entity/entity.h"

/* Registers the check of types in writes of entities with check_types. */
extern void DeclaredTypesInit(void);

/* Refuses values in the declaration of an entity that attributes cannot have. */
extern void DeclaredValuesCheck(const Entity *entity);

/* Returns the type of an attribute that has one; InvalidOid if it does not exist any more. */
extern Oid	DeclaredTypeOf(const EntityAttribute *a, int32 *typmod);

/*
 * Returns the qualified name of a type, palloc'd, for what is stored: in one form,
 * whatever quote_all_identifiers is in this session.
 */
extern char *StoredTypeName(Oid type, int32 typmod);

/*
 * Returns what is to be stored of a type that an attribute is declared with: its qualified
 * name, palloc'd; NULL if the name as it was written is enough, as for PostgreSQL's own.
 */
extern char *DeclaredTypeName(const char *written, Oid type, int32 typmod);

#endif							/* DYNAMO_DECLARED_TYPES_H */
