/*
 * objects.h
 *	  The extension's own objects in the system catalogs.
 */
#ifndef DYNAMO_OBJECTS_H
#define DYNAMO_OBJECTS_H

#define DYNAMO_SCHEMA			"dynamo"

/* Trigger functions. */
#define FUNCTION_DERIVE_KEYS	"derive_keys"
#define FUNCTION_ENTITY_VIEW_WRITE	"entity_view_write"

/* The OID of dynamo.<name>(), without arguments; InvalidOid if missing. */
extern Oid	DynamoFunctionOid(const char *name);

/* The OID of type dynamo.item; InvalidOid if missing. */
extern Oid	ItemTypeOid(void);

#endif							/* DYNAMO_OBJECTS_H */
