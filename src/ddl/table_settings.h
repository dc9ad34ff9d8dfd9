/*
 * table_settings.h
 *	  Settings of the API that are not part of a table's definition: billing,
 *	  throughput, streams, tags, attachments.
 *
 * The settings do not affect the table and may be lost (a dump of one table
 * does not contain them): a table without a row of settings has the defaults.
 * Rows are keyed by the table's id (table/table_id.h).  They are written for the
 * owner of the table.
 */
#ifndef DYNAMO_DDL_TABLE_SETTINGS_H
#define DYNAMO_DDL_TABLE_SETTINGS_H

#include "utils/rel.h"

#include "exported.h"

/*
 * Throughput of a table or of a global index.  Times are microseconds since
 * 1970; 0 for never or unknown.
 */
typedef struct Throughput
{
	int64		read_units;		/* provisioned; 0 on demand */
	int64		write_units;
	int64		increased;		/* time of the last increase */
	int64		decreased;		/* time of the last decrease */
	int64		decreases;		/* number on the day of the last decrease */
	int64		max_read_units; /* OnDemandThroughput; 0: no limit */
	int64		max_write_units;
	int64		warm_read_units;	/* the highest value so far; 0: the default */
	int64		warm_write_units;
} Throughput;

typedef struct TableSettings
{
	char	   *table_id;		/* UUID, the key */
	Oid			relation;		/* the table to which the id belongs; set when written */
	int64		created;
	bool		on_demand;		/* PAY_PER_REQUEST */
	int64		on_demand_since;
	Throughput	throughput;
	char	   *stream_label;	/* label of the latest stream; NULL if never enabled */
	bool		deletion_protection;
	char	   *table_class;	/* NULL if never set */
	int64		class_changed;
	char	   *sse_type;		/* of SSESpecification; NULL if not enabled */
	char	   *sse_key;		/* KMSMasterKeyId; NULL if none */
	int64		ttl_changed;	/* last change by a request */
	int64		recovery_days;	/* RecoveryPeriodInDays; 0: point-in-time recovery is off */
	int64		recovery_since; /* time at which it was turned on */
	char	   *recovery_stream;	/* label of the stream that requests do not show, because it is there
								 * only for recovery; NULL if there is none */
} TableSettings;

typedef struct TableTag
{
	char	   *key;
	char	   *value;
} TableTag;

/*
 * What requests attach to a table, or to a part of it: a policy, contributor
 * insights, a Kinesis destination.
 */
typedef struct TableAttachment
{
	char	   *name;			/* of what it belongs to; "": of the table itself */
	char	   *value;
	int64		changed;
} TableAttachment;

#define ATTACHED_POLICY		"policy"
#define ATTACHED_INSIGHTS	"insights"
#define ATTACHED_KINESIS	"kinesis"

/* The value of insights of which accesses are counted. */
#define INSIGHTS_OF_ACCESSES "ACCESSED_AND_THROTTLED_KEYS"

/* Returns the settings of a table, or defaults; palloc'd. */
extern DYNAMO_EXPORT TableSettings *TableSettingsRead(Relation rel);

/* Returns the settings of a new table. */
extern DYNAMO_EXPORT TableSettings *TableSettingsNew(void);

/*
 * Registers what DDL does to settings: dynamo.create_table writes those of a new
 * table, and a DROP deletes them.
 */
extern void TableSettingsInit(void);

/*
 * Writes settings.  This function and those below check that the caller owns
 * the table.
 */
extern DYNAMO_EXPORT void TableSettingsWrite(Relation rel, const TableSettings *settings);

/* Returns the throughput of an index; zero if none is stored. */
extern DYNAMO_EXPORT Throughput IndexThroughputRead(Relation rel, const char *index_name);
extern DYNAMO_EXPORT void IndexThroughputWrite(Relation rel, const char *index_name,
								 const Throughput *throughput);

/* Returns tags in the order of their keys. */
extern DYNAMO_EXPORT TableTag *TableTagsRead(Relation rel, int *n);
extern DYNAMO_EXPORT void TableTagWrite(Relation rel, const TableTag *tag);
extern DYNAMO_EXPORT void TableTagRemove(Relation rel, const char *key);

/* Returns the attachments of a kind, in the order of their names. */
extern DYNAMO_EXPORT TableAttachment *TableAttachmentsRead(Relation rel, const char *kind, int *n);

/* Returns one attachment, or NULL. */
extern DYNAMO_EXPORT TableAttachment *TableAttachmentRead(Relation rel, const char *kind, const char *name);
extern DYNAMO_EXPORT void TableAttachmentWrite(Relation rel, const char *kind, const TableAttachment *attachment);
extern DYNAMO_EXPORT void TableAttachmentRemove(Relation rel, const char *kind, const char *name);

#endif							/* DYNAMO_DDL_TABLE_SETTINGS_H */
