/*
 * settings.h
 *	  What the API knows of a table beyond its definition: billing,
 *	  throughput, streams, tags.
 *
 * None of it changes how the table works, and all of it may be lost (a dump
 * of one table does not hold it): a table without a row of settings has the
 * defaults.  Rows are keyed by schema and relation name.
 *
 * The tables belong to the extension's owner and ordinary users can not
 * write them.  The functions here do it for the owner of the table that the
 * settings are of, in fixed statements with qualified names.
 */
#ifndef DYNAMO_SETTINGS_H
#define DYNAMO_SETTINGS_H

#include "utils/rel.h"

/*
 * Throughput of a table or of a global index.  Times are microseconds since
 * 1970; 0 for never or unknown.
 */
typedef struct Throughput
{
	int64		read_units;		/* provisioned; 0 on demand */
	int64		write_units;
	int64		increased;		/* last time, as the next */
	int64		decreased;
	int64		decreases;		/* on the day of the last one */
	int64		max_read_units; /* OnDemandThroughput; 0: no limit */
	int64		max_write_units;
	int64		warm_read_units;	/* the most there ever was; 0: the default */
	int64		warm_write_units;
} Throughput;

typedef struct TableSettings
{
	char	   *table_id;		/* UUID */
	int64		created;
	bool		on_demand;		/* PAY_PER_REQUEST */
	int64		on_demand_since;
	Throughput	throughput;
	char	   *stream_label;	/* of the latest stream; NULL: never one */
	bool		deletion_protection;
	char	   *table_class;	/* NULL: never set */
	int64		class_changed;
	char	   *sse_type;		/* of SSESpecification; NULL: not enabled */
	char	   *sse_key;		/* KMSMasterKeyId; NULL: none */
	int64		ttl_changed;	/* by a request */
} TableSettings;

typedef struct TableTag
{
	char	   *key;
	char	   *value;
} TableTag;

/* The settings of a table, or defaults; palloc'd. */
extern TableSettings *TableSettingsRead(Relation rel);

/* Those of a new table: id and time of creation. */
extern TableSettings *TableSettingsNew(void);

/*
 * Executes a statement as the owner of the extension's own tables, through
 * SPI, which must be connected.  All names in it must be qualified, so that
 * it means the same under every search_path.
 */
extern void ExecuteAsSettingsOwner(const char *sql, int n, Oid *types,
								   Datum *values, const char *nulls);

/* Now, in the unit of the settings. */
extern int64 SettingsTime(void);

/*
 * Writes settings.  These, and the functions below, check that the caller
 * owns the table.
 */
extern void TableSettingsWrite(Relation rel, const TableSettings *settings);

/* All about a table that is about to be dropped. */
extern void TableSettingsForget(Relation rel);

/* ---- settings_move.c ---- */

/*
 * A table that the caller owns, or a schema, has just got another name: the
 * settings follow.  SPI is connected.
 */
extern void TableSettingsMove(Relation rel, const char *old_schema, const char *old_name);
extern void SchemaSettingsMove(const char *old_schema, const char *new_schema);

/*
 * Those of the tables whose drop an event trigger is called for, and how far
 * builds of their indexes had come; SPI is connected.
 */
extern void DroppedSettingsForget(void);

/* ---- settings.c, again ---- */

/* Throughput of an index; zero if none is stored. */
extern Throughput IndexThroughputRead(Relation rel, const char *index_name);
extern void IndexThroughputWrite(Relation rel, const char *index_name,
								 const Throughput *throughput);
extern void IndexThroughputForget(Relation rel, const char *index_name);

/* Tags in the order of their keys. */
extern TableTag *TableTagsRead(Relation rel, int *n);
extern void TableTagWrite(Relation rel, const TableTag *tag);
extern void TableTagRemove(Relation rel, const char *key);

#endif							/* DYNAMO_SETTINGS_H */
