/*
 * stream.h
 *	  Streams: what the catalogs tell of them.
 *
 * A stream is a table of its own beside the table whose changes it holds, in
 * the same schema and of the same owner.  It is described by the argument of
 * its guard_stream trigger, a JSON object, so that every kind of dump keeps
 * it and it outlives its table:
 *
 *	{"version": 1, "table": "shop", "relation": "shop",
 *	 "label": "2026-11-21T11:20:47.123", "view": "NEW_AND_OLD_IMAGES",
 *	 "partition": "PK", "sort": "SK", "closed": "2026-11-21T12:00:00.000"}
 *
 * "table" is the name that requests know, "relation" the name in this
 * schema, absent when the table has been dropped.  "sort" and "closed" are
 * there if the table has a sort key and if the stream is disabled.  Times are
 * UTC.
 *
 * The open stream of a table is the one that the arguments of the table's
 * capture_changes triggers name: its relation, its view and its label.
 * Enabling makes a new table every time, disabling drops the triggers.
 */
#ifndef DYNAMO_STREAM_CATALOG_H
#define DYNAMO_STREAM_CATALOG_H

#include "utils/reltrigger.h"

#include "catalog/table.h"

typedef struct StreamDef
{
	const char *table;
	const char *relation;		/* NULL: the table has been dropped */
	const char *label;
	const char *view;
	const char *partition;
	const char *sort;			/* NULL: none */
	const char *closed;			/* NULL: it is open */
} StreamDef;

/* What a table says of its open stream. */
typedef struct TableStream
{
	const char *relation;
	const char *view;
	const char *label;
} TableStream;

/* The columns of a stream's table; numbers of attributes. */
typedef enum StreamColumn
{
	STREAM_NUMBER = 1,			/* bigint, of a sequence: the primary key */
	STREAM_CREATED_AT,			/* timestamptz */
	STREAM_HORIZON,				/* xid8, see stream/stream.h */
	STREAM_EVENT,				/* "char" */
	STREAM_KEYS,				/* items */
	STREAM_NEW_ITEM,
	STREAM_OLD_ITEM
} StreamColumn;

#define STREAM_NCOLUMNS		7

/* The values of "event". */
#define STREAM_INSERT		'I'
#define STREAM_MODIFY		'M'
#define STREAM_REMOVE		'R'
#define STREAM_EXPIRE		'E' /* removed by time to live */
#define STREAM_TRIMMED		'T' /* no record: all up to here were trimmed */

/* Whether it is one of the four views of a stream. */
extern bool IsStreamView(const char *view);

/* Whether records of this view have the item after, or before, a change. */
extern bool StreamViewHasNew(const char *view);
extern bool StreamViewHasOld(const char *view);

/* Reads a definition; raises an error for which IsDefinitionError holds. */
extern void StreamDefParse(const char *text, const char *relation_name, StreamDef *def);

/* The same, but returns false where that would raise such an error. */
extern bool StreamDefTryParse(const char *text, StreamDef *def);

/* The text as jsonb; false likewise. */
extern bool StreamDefToJsonb(const char *definition, Datum *json);

/* The same for the arguments of a capture_changes trigger: stream, view, label. */
extern void CaptureArgumentsCheck(const Trigger *trigger);

/* The definition of a stream's table; false if the relation is none. */
extern bool StreamDefOf(Relation stream, StreamDef *def);

/* The open stream of a table; false if it has none.  palloc'd strings. */
extern bool TableStreamOf(Relation rel, TableStream *stream);

/* Now, or a time (microseconds since 1970), as a label: UTC, milliseconds. */
extern char *StreamTimeText(int64 microseconds);

/* A label, or a definition's "closed", as microseconds since 1970. */
extern int64 StreamTimeFromText(const char *text);

/* ---- the statements; SPI must be connected ---- */

/* Creates an empty stream's table of a table; returns its name. */
extern char *CreateStreamTable(Oid relid, const StreamDef *def);

/* Makes the triggers of a stream's table, with this definition. */
extern void StoreStreamDef(Oid stream, const StreamDef *def);

/* Makes the triggers of a table that write to a stream. */
extern void StoreCapture(Oid relid, const TableStream *stream);
extern void DropCapture(Oid relid);

/* Closes a stream, whose table is dropped or not. */
extern void CloseStream(Oid stream, bool dropped);

/* The same for the open stream of a table that is about to be dropped. */
extern void StreamCloseOfTable(Oid relid);

/* Whether a table has an open stream. */
extern bool HasOpenStream(Oid relid);

/* Raises an error if the relation, if any, is the open stream of a table. */
extern void StreamRefuseChange(Oid relid, const char *what);

/* ---- what DDL does to streams (event.c); SPI is connected ---- */

/* A table was altered: its stream gets its schema, owner, persistence, name. */
extern void StreamFollowTable(Oid relid);

/* A stream's table was altered: its table gets its name. */
extern void StreamAltered(Oid stream);

/*
 * Dynamo tables were dropped, a list of DroppedTable *: closes their streams, if
 * the user may.  The owner of a schema may drop tables, but not do that.
 */
extern void CloseStreamsOf(const List *tables);

#endif							/* DYNAMO_STREAM_CATALOG_H */
