/*
 * compat.h
 *	  The differences between PostgreSQL 15, 16, 17 and 18.
 *
 * Every test of PG_VERSION_NUM stands here; the rest of the code is written
 * once, against the names this header gives.
 */
#ifndef DYNAMO_COMPAT_H
#define DYNAMO_COMPAT_H

#if PG_VERSION_NUM < 150000
#error "dynamo needs PostgreSQL 15 or later"
#endif

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/*
 * We compile with hidden visibility.  PostgreSQL 16 marks what fmgr must find
 * as exported; before that the macro is empty.
 */
#if PG_VERSION_NUM < 160000
#undef PGDLLEXPORT
#define PGDLLEXPORT __attribute__((visibility("default")))
#endif

/* A function that SQL can call.  Stands before its definition. */
#define DYNAMO_FUNCTION(name) \
	extern PGDLLEXPORT Datum name(PG_FUNCTION_ARGS); \
	PG_FUNCTION_INFO_V1(name)

#if PG_VERSION_NUM >= 160000
#define RelationOwnercheck(relid, role) object_ownercheck(RelationRelationId, relid, role)
#else
#define RelationOwnercheck(relid, role) pg_class_ownercheck(relid, role)
#endif

#endif							/* DYNAMO_COMPAT_H */
