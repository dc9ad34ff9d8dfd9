/*
 * extension_objects.h
 *	  The extension's own objects in the system catalogs.
 */
#ifndef DYNAMO_EXTENSION_OBJECTS_H
#define DYNAMO_EXTENSION_OBJECTS_H

#include "utils/relcache.h"

#include "exported.h"

/*
 * The schema of objects for users, that of internal objects, which only superusers may
 * use, and that of the functions which triggers, views and indexes of users' tables, access
 * patterns and other nodes call for every role.
 */
#define DYNAMO_SCHEMA			"dynamo"
#define INTERNAL_SCHEMA			"dynamo_internal"
#define SYSTEM_SCHEMA			"dynamo_system"

/* Trigger functions. */
#define FUNCTION_ENTITY_VIEW_WRITE	"entity_view_write"
#define FUNCTION_DERIVE_KEYS		"derive_keys"
#define FUNCTION_MAINTAIN_INDEXES	"maintain_indexes"
#define FUNCTION_GUARD_INDEX		"guard_index"
#define FUNCTION_CHECK_REFERENCE	"check_reference"
#define FUNCTION_CHECK_REFERENCED	"check_referenced"
#define FUNCTION_CAPTURE_CHANGES	"capture_changes"
#define FUNCTION_GUARD_STREAM		"guard_stream"
#define FUNCTION_BELONGS_TO			"belongs_to"
#define FUNCTION_KEEP_COPIES		"keep_copies"

/*
 * The triggers, which fire in the order of their names.  The first one must be
 * the last BEFORE row trigger, and TRIGGER_COPY the one before it.  The one that
 * captures changes must be the first AFTER row trigger, because other ones may
 * change the same item later.
 */
#define TRIGGER_DERIVE_KEYS			"~dynamo_derive_keys"
#define TRIGGER_MAINTAIN_INDEXES	"~dynamo_maintain_indexes"
#define TRIGGER_TRUNCATE_INDEXES	"~dynamo_truncate_indexes"
#define TRIGGER_GUARD_INDEX			"~dynamo_guard_index"
#define TRIGGER_GUARD_TRUNCATE		"~dynamo_guard_truncate"
#define TRIGGER_CAPTURE_CHANGES		"!dynamo_capture_changes"
#define TRIGGER_CAPTURE_TRUNCATE	"!dynamo_capture_truncate"
#define TRIGGER_BELONGS_TO			"~dynamo_belongs_to"
#define TRIGGER_GUARD_STREAM		"~dynamo_guard_stream"
#define TRIGGER_COPY				"~dynamo_copy"
#define TRIGGER_COLLECT_COPIES		"~dynamo_collect_copies"
#define TRIGGER_SPREAD_COPIES		"~dynamo_spread_copies"
#define TRIGGER_GUARD_STREAM_TRUNCATE	"~dynamo_guard_stream_truncate"

/*
 * Returns the function with this name and these n arguments in a schema of the
 * extension; InvalidOid if it does not exist.
 */
extern Oid	ExtensionFunctionOid(const char *schema_name, const char *name, const Oid *types, int n);

/* The OID of the trigger function dynamo_system.<name>(); InvalidOid if missing. */
extern DYNAMO_EXPORT Oid	SystemFunctionOid(const char *name);

/* The same in dynamo_internal. */
extern Oid	InternalFunctionOid(const char *name);

/* The OIDs of types dynamo.item and dynamo.value; InvalidOid if missing. */
extern DYNAMO_EXPORT Oid	ItemTypeOid(void);
extern Oid	ValueTypeOid(void);

/* Returns the owner of a relation, which must exist. */
extern DYNAMO_EXPORT Oid	RelationOwner(Oid relid);

/*
 * Returns the topmost partitioned table of a partition; the relation itself if
 * it is no partition, or is being detached.
 */
extern Oid	PartitionRoot(Oid relid);

/*
 * Whether a relation is a table that is partitioned by an expression.
 * Constant parts of the expression are evaluated by the current user whenever
 * the partitions are looked up, even by CREATE TRIGGER.  A table with a
 * primary key, and so a dynamo table or an index table, cannot have one.
 */
extern bool IsPartitionedByExpression(Oid relid);

/*
 * Returns the transaction that wrote the catalog row of an object, by the
 * syscache of its OID; not a normal id if that was long ago or the row does
 * not exist.
 */
extern TransactionId CatalogRowWriter(int cache, Oid oid);

/*
 * Whether the user may read all rows of a table, so that row counts and
 * statistics reveal nothing: with SELECT on it, and no row security.
 */
extern DYNAMO_EXPORT bool MaySeeAllRows(Oid relid);

/* Whether a relation has a trigger that calls a function. */
extern DYNAMO_EXPORT bool HasTriggerOf(Relation rel, Oid function);

#endif							/* DYNAMO_EXTENSION_OBJECTS_H */
