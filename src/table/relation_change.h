/*
 * relation_change.h
 *	  Notice of changed relations.
 */
#ifndef DYNAMO_RELATION_CHANGE_H
#define DYNAMO_RELATION_CHANGE_H

#include "exported.h"

/*
 * Calls a function when the cached properties of a relation become invalid; InvalidOid
 * stands for all relations.  PostgreSQL has room for ten such functions in a session, and
 * another extension may register five: the extension registers one for all its caches.
 */
typedef void (*RelationChangeCallback) (Oid relid);

extern DYNAMO_EXPORT void OnRelationChange(RelationChangeCallback callback);

#endif							/* DYNAMO_RELATION_CHANGE_H */
