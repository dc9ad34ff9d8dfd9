/*
 * enable.c
 *	  Beginning and ending streams.
 */
#include "postgres.h"

#include "access/table.h"
#include "executor/spi.h"
#include "utils/rel.h"

#include "catalog/ddl.h"
#include "catalog/link.h"
#include "catalog/settings.h"
#include "errors.h"
#include "stream/stream.h"

static void StreamError(const char *message, Relation rel) pg_attribute_noreturn();

static const char *
TableNameOfDef(Relation rel, const TableDef *def)
{
	return def->long_name != NULL ? def->long_name : RelationGetRelationName(rel);
}

static void
StreamError(const char *message, Relation rel)
{
	TableDef   *def = TableDefAcquire(rel);
	char	   *name = pstrdup(TableNameOfDef(rel, def));

	TableDefRelease(def);
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg_internal("%s: TableName: %s", message, name)));
}

static void
CheckView(const char *view)
{
	if (!IsStreamView(view))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown view of a stream: \"%s\"", view),
				 errhint("A view is NEW_AND_OLD_IMAGES, NEW_IMAGE, OLD_IMAGE or KEYS_ONLY.")));
}

/* Now, or later than the label before: labels tell streams apart. */
static char *
NewLabel(const char *before)
{
	char	   *label = StreamTimeText(SettingsTime());

	if (before != NULL && strcmp(label, before) <= 0)
		label = StreamTimeText(StreamTimeFromText(before) + 1000);
	return label;
}

static char *
AttributeName(const TableDef *def, int i)
{
	const AttributeDef *attr = &def->attributes[def->key_attributes[i]];

	return pnstrdup(attr->name.data, attr->name.len);
}

/* The definition of a new stream of a table. */
static void
DefineStream(Relation rel, const char *view, const char *label, StreamDef *def)
{
	TableDef   *table = TableDefAcquire(rel);

	memset(def, 0, sizeof(*def));
	def->table = pstrdup(TableNameOfDef(rel, table));
	def->relation = pstrdup(RelationGetRelationName(rel));
	def->label = label;
	def->view = view;
	def->partition = AttributeName(table, 0);
	if (table->key.nsort > 0)
		def->sort = AttributeName(table, 1);
	TableDefRelease(table);
}

char *
StreamEnable(const char *table_name, const char *view)
{
	Relation	rel = OpenTableForDdl(table_name, ShareRowExclusiveLock);
	Oid			relid = RelationGetRelid(rel);
	TableSettings *settings;
	TableStream stream;
	StreamDef	def;

	CheckView(view);
	if (TableStreamOf(rel, &stream))
		StreamError("Table already has an enabled stream", rel);
	settings = TableSettingsRead(rel);
	settings->stream_label = NewLabel(settings->stream_label);
	TableSettingsWrite(rel, settings);
	DefineStream(rel, view, settings->stream_label, &def);
	table_close(rel, NoLock);
	SPI_connect();
	stream.relation = CreateStreamTable(relid, &def);
	stream.view = view;
	stream.label = settings->stream_label;
	StoreCapture(relid, &stream);
	SPI_finish();
	return settings->stream_label;
}

/* Nobody writes to the table any more once it is locked: the end is known. */
void
StreamDisable(const char *table_name)
{
	Relation	rel = OpenTableForDdl(table_name, AccessExclusiveLock);
	Oid			relid = RelationGetRelid(rel);
	TableStream stream;
	Oid			relation;

	if (!TableStreamOf(rel, &stream))
		StreamError("Table has no stream to disable", rel);
	table_close(rel, NoLock);
	relation = FindStreamRelation(relid, &stream);
	SPI_connect();
	DropCapture(relid);
	if (OidIsValid(relation))
		CloseStream(relation, false);
	SPI_finish();
}
