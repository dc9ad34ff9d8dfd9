/*
 * creators.h
 *	  Who may create relations in a schema, and so take a name in it.
 */
#ifndef DYNAMO_SECURITY_CREATORS_H
#define DYNAMO_SECURITY_CREATORS_H

/*
 * Whether only the owner of the schema, and superusers, may create in it: no
 * stranger can take a name there.
 */
extern bool SchemaIsClosed(Oid schema);

/*
 * Whether a role that only names a relation, in a schema of its search path, can
 * mean it: the schema is closed, or the owner of the relation has the rights of
 * the role or of the owner of the schema.  Code of anybody else's relation would
 * run as the role.
 */
extern bool CanBeMeant(Oid relid, Oid role);

#endif							/* DYNAMO_SECURITY_CREATORS_H */
