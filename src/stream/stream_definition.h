/*
 * stream_definition.h
 *	  Streams in the system catalogs.
 *
 * A stream is a separate table with the schema and owner of the table whose
 * changes it contains, and belongs to it (link.h) until that table is dropped.
 * Its definition is the argument of its guard_stream trigger, a JSON object,
 * so that every kind of dump preserves it and it outlives its table:
 *
 *	{"version": 1, "table": "shop",
 *	 "label": "2026-11-21T11:20:47.123", "view": "NEW_AND_OLD_IMAGES",
 *	 "partition": "PK", "sort": "SK", "closed": "2026-11-21T12:00:00.000"}
 *
 * "table" is the name used by requests.  "sort" and "closed" are present if the
 * table has a sort key and if the stream is disabled.  Times are UTC.
 *
 * The open stream of a table is named by the arguments of the table's
 * capture_changes triggers: the first name of its relation, which is the label
 * of the link, its view type and its label.  Enabling always creates a new
 * table; disabling drops the triggers.
 *
 * The stream of a distributed table is distributed with it: its table has one more
 * column, with the partition key of the item, so that each shard of the table has beside it a
 * shard of the stream, which is written in the same transaction and moves with it.
 */
#ifndef DYNAMO_STREAM_DEFINITION_H
#define DYNAMO_STREAM_DEFINITION_H

#include "utils/reltrigger.h"

#include "exported.h"
#include "table/table.h"

typedef struct StreamDef
{
	const char *table;
	const char *label;
	const char *view;
	const char *partition;
	const char *sort;			/* NULL if none */
	const char *closed;			/* NULL if it is open */
} StreamDef;

/* The arguments of a table's triggers for its open stream. */
typedef struct TableStream
{
	const char *relation;		/* see above: not always its name */
	const char *view;
	const char *label;
} TableStream;

/* The columns of a stream's table; the values are attribute numbers. */
typedef enum StreamColumn
{
	STREAM_NUMBER = 1,			/* bigint, of a sequence: the primary key */
	STREAM_CREATED_AT,			/* timestamptz */
	STREAM_HORIZON,				/* xid8, see stream/stream.h */
	STREAM_EVENT,				/* "char" */
	STREAM_KEYS,				/* items */
	STREAM_NEW_ITEM,
	STREAM_OLD_ITEM,
	STREAM_PARTITION_KEY		/* only of a distributed table */
} StreamColumn;

#define STREAM_NCOLUMNS		7
#define STREAM_MAX_COLUMNS	8

#define STREAM_PARTITION_COLUMN	"partition_key"

/* The values of the column "event". */
#define STREAM_INSERT		'I'
#define STREAM_MODIFY		'M'
#define STREAM_REMOVE		'R'
#define STREAM_EXPIRE		'E' /* removed by time to live */
#define STREAM_TRIMMED		'T' /* no record: all up to here were trimmed */

/* Whether a text is one of the four view types of a stream. */
extern bool IsStreamView(const char *view);

/*
 * Whether records of this view type have the item after, or before, a change.
 */
extern DYNAMO_EXPORT bool StreamViewHasNew(const char *view);
extern DYNAMO_EXPORT bool StreamViewHasOld(const char *view);

/*
 * Reads a definition; raises ERRCODE_DATA_CORRUPTED or errors of PostgreSQL's
 * jsonb.
 */
extern void StreamDefParse(const char *text, const char *relation_name, StreamDef *def);

/* Returns the text as jsonb; false if it is invalid. */
extern bool StreamDefToJsonb(const char *definition, Datum *json);

/*
 * Checks the arguments of a capture_changes trigger: stream, view type, label.
 */
extern void CaptureArgumentsCheck(const Trigger *trigger);

/*
 * Reads the definition of a stream's table; false if the relation is not a
 * stream.
 */
extern DYNAMO_EXPORT bool StreamDefOf(Relation stream, StreamDef *def);

/* The same, but returns false for an invalid definition. */
extern bool StreamDefTryOf(Relation stream, StreamDef *def);

/*
 * Finds the open stream of a table; false if it has none.  The strings are
 * palloc'd.
 */
extern DYNAMO_EXPORT bool TableStreamOf(Relation rel, TableStream *stream);

/*
 * Returns the stream named by a table's capture_changes triggers; InvalidOid
 * if there is none, or if it has another owner.  The second function returns what an open
 * relation, with this definition, writes to: of a shard, the shard of the stream beside it.
 * It caches that with the definition.
 */
extern DYNAMO_EXPORT Oid	FindStreamRelation(Oid table, const char *relation);
extern Oid	FindStreamOf(Relation rel, const TableDef *def, const char *relation);

/*
 * Return the current time, or a time in microseconds since 1970, as a label:
 * UTC with milliseconds.
 */
extern char *StreamTimeText(int64 microseconds);

/* Converts a label, or a definition's "closed", to microseconds since 1970. */
extern DYNAMO_EXPORT int64 StreamTimeFromText(const char *text);

/* ---- statements; SPI must be connected ---- */

/*
 * Creates an empty stream's table for a table; returns its name.  partition is the attribute
 * by which a distributed table is distributed, otherwise NULL.
 */
extern char *CreateStreamTable(Oid relid, const StreamDef *def, const AttributeDef *partition);

/* Creates the triggers of a stream's table, with this definition. */
extern void StoreStreamDef(Oid stream, const StreamDef *def);

/* Creates the triggers of a table that write to a stream. */
extern void StoreCapture(Oid relid, const TableStream *stream);
extern void DropCapture(Oid relid);

/* Closes a stream. */
extern void CloseStream(Oid stream);

#endif							/* DYNAMO_STREAM_DEFINITION_H */
