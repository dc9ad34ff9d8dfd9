/*
 * feature.h
 *	  What DDL means to features that this folder does not know.
 *
 * Streams, references and entity views belong to tables.  Each of these features
 * registers a table of handlers when the library is loaded.  The event triggers
 * and the functions of this folder call them.  A handler that is NULL does
 * nothing.  All run as the user of the statement, with SPI connected in the
 * handlers that may execute statements: those of changes that were made.
 */
#ifndef DYNAMO_DDL_FEATURE_H
#define DYNAMO_DDL_FEATURE_H

#include "nodes/parsenodes.h"
#include "nodes/pg_list.h"
#include "utils/relcache.h"
#include "utils/reltrigger.h"

#define FEATURE_MAX_FUNCTIONS	2

typedef struct DdlFeature
{
	/*
	 * Names of trigger functions that maintain something.  Only the owner of a
	 * table can create triggers with them.  They stay enabled, and are not
	 * dropped: the detail and the hint say why.
	 */
	const char *functions[FEATURE_MAX_FUNCTIONS];
	bool		fires_on_origin;	/* not ALWAYS: not in a logical subscriber */
	const char *trigger_detail;
	const char *trigger_hint;

	/* Names of functions of triggers that lead to another table (tgconstrrelid). */
	const char *link_functions[FEATURE_MAX_FUNCTIONS];

	/* ---- before a change; they raise errors ---- */

	/* ALTER TABLE of any relation. */
	void		(*check_command) (Oid relid, const AlterTableCmd *command);
	/* SET SCHEMA of any relation. */
	void		(*check_new_schema) (Oid relid);
	/* Partitions are attached to a dynamo table, detached or dropped: the verb. */
	void		(*check_partitions) (Oid table, const char *verb);
	/* A trigger is dropped or renamed: the verb. */
	void		(*check_trigger_kept) (Relation rel, const Trigger *trigger, const char *verb);
	/* A table is dropped with RESTRICT, together with the others in the list. */
	void		(*check_drop) (Oid relid, const List *dropped);

	/* ---- after a change ---- */

	/* A relation was altered, and has this trigger; raises errors. */
	void		(*check_trigger) (Relation rel, const Trigger *trigger);
	/* A dynamo table was altered. */
	void		(*follow_table) (Oid table);
	/* A table was altered. */
	void		(*check_altered) (Oid relid);
	/* dynamo.create_table has created a table. */
	void		(*begin_table) (Oid table);
	/* dynamo.drop_table is about to drop a table. */
	void		(*leave_table) (Oid table);
	/* The views of an entity that belong to the owner of its table were replaced. */
	void		(*follow_views) (Oid table, const char *entity_name);
	/* Key columns are about to be dropped; the table's definition lacks their attributes (of char *) already. */
	void		(*leave_columns) (Oid table, const List *attributes);
	/* An index is dropped, which nothing replaces. */
	void		(*forget_index) (Oid table, const char *index_name);
	/* A table was dropped, by any statement. */
	void		(*forget_table) (Oid table);
	/* A relation with a link (link.h) was dropped, but not its table; raises errors. */
	void		(*check_linked_drop) (Relation table, const char *label);
	/* A table was dropped, but not this relation, which had a link to it. */
	void		(*follow_drop) (Oid linked);
} DdlFeature;

/* Registers a feature; the structure must be permanent. */
extern void DdlFeatureRegister(const DdlFeature *feature);

/* The registered features: of const DdlFeature *. */
extern const List *DdlFeatures(void);

/* Calls a handler of all features that have it. */
#define CALL_FEATURES(handler, ...) \
	do { \
		ListCell   *feature_; \
		foreach(feature_, DdlFeatures()) \
		{ \
			const DdlFeature *f_ = lfirst(feature_); \
			if (f_->handler != NULL) \
				f_->handler(__VA_ARGS__); \
		} \
	} while (0)

/* Returns the feature that maintains something by a trigger function, or NULL. */
extern const DdlFeature *FeatureOfFunction(Oid function);

#endif							/* DYNAMO_DDL_FEATURE_H */
