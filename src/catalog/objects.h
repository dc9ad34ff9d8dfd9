/*
 * objects.h
 *	  The extension's own objects in the system catalogs.
 */
#ifndef DYNAMO_OBJECTS_H
#define DYNAMO_OBJECTS_H

#include "utils/relcache.h"

#define DYNAMO_SCHEMA			"dynamo"

/* Trigger functions. */
#define FUNCTION_ENTITY_VIEW_WRITE	"entity_view_write"
#define FUNCTION_DERIVE_KEYS		"derive_keys"
#define FUNCTION_MAINTAIN_INDEXES	"maintain_indexes"
#define FUNCTION_GUARD_INDEX		"guard_index"
#define FUNCTION_CHECK_REFERENCE	"check_reference"
#define FUNCTION_CHECK_REFERENCED	"check_referenced"
#define FUNCTION_CAPTURE_CHANGES	"capture_changes"
#define FUNCTION_GUARD_STREAM		"guard_stream"
#define FUNCTION_SKIP_REPLICATED_DUPLICATE	"skip_replicated_duplicate"

/*
 * The triggers, which fire in order of their names.  The first must be the
 * last of the BEFORE row triggers.  That which captures changes must be the
 * first of the AFTER row triggers: what another of them writes to the same
 * item comes later.
 */
#define TRIGGER_DERIVE_KEYS			"~dynamo_derive_keys"
#define TRIGGER_MAINTAIN_INDEXES	"~dynamo_maintain_indexes"
#define TRIGGER_TRUNCATE_INDEXES	"~dynamo_truncate_indexes"
#define TRIGGER_GUARD_INDEX			"~dynamo_guard_index"
#define TRIGGER_GUARD_TRUNCATE		"~dynamo_guard_truncate"
#define TRIGGER_CAPTURE_CHANGES		"!dynamo_capture_changes"
#define TRIGGER_CAPTURE_TRUNCATE	"!dynamo_capture_truncate"
#define TRIGGER_GUARD_STREAM		"~dynamo_guard_stream"
#define TRIGGER_GUARD_STREAM_TRUNCATE	"~dynamo_guard_stream_truncate"

/* The OID of dynamo.<name>(), without arguments; InvalidOid if missing. */
extern Oid	DynamoFunctionOid(const char *name);

/* The OID of type dynamo.item; InvalidOid if missing. */
extern Oid	ItemTypeOid(void);

/* The owner of a relation, which must exist. */
extern Oid	RelationOwner(Oid relid);

/*
 * The table that a relation is a partition of, at any depth; itself if it is
 * none, or is being detached.
 */
extern Oid	PartitionRoot(Oid relid);

/*
 * Whether a relation is a table that is partitioned by an expression.  Its
 * constant parts are evaluated whenever the partitions are looked up, by CREATE
 * TRIGGER, too, as whoever it may be; a primary key, and so a dynamo table and
 * an index table, cannot have one.
 */
extern bool IsPartitionedByExpression(Oid relid);

/*
 * The transaction that wrote the catalog row of an object, by the syscache of
 * its OID; not a normal one if that was long ago or the row is gone.
 */
extern TransactionId CatalogRowWriter(int cache, Oid oid);

/*
 * Whether the user may read all rows of a table, so that their number and
 * statistics tell nothing new: SELECT on it, and no row security.
 */
extern bool MaySeeAllRows(Oid relid);

/* Whether a relation has a trigger that calls a function. */
extern bool HasTriggerOf(Relation rel, Oid function);

/* Whether a relation with a primary key has other indexes, too. */
extern bool HasOtherIndexes(Relation rel);

#endif							/* DYNAMO_OBJECTS_H */
