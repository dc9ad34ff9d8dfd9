/*
 * enable.c
 *	  Enables and disables streams.
 */
#include "postgres.h"

#include "access/table.h"
#include "executor/spi.h"
#include "utils/rel.h"

#include "ddl/ddl.h"
#include "errors.h"
#include "stream/stream.h"

static void RaiseStreamError(const char *message, Relation rel) pg_attribute_noreturn();

static const char *
GetTableName(Relation rel, const TableDef *def)
{
	return def->long_name != NULL ? def->long_name : RelationGetRelationName(rel);
}

static void
RaiseStreamError(const char *message, Relation rel)
{
	TableDef   *def = TableDefAcquire(rel);
	char	   *name = pstrdup(GetTableName(rel, def));

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
				 errmsg("unknown view type of a stream: \"%s\"", view),
				 errhint("Valid view types are NEW_AND_OLD_IMAGES, NEW_IMAGE, OLD_IMAGE and KEYS_ONLY.")));
}

static char *
GetAttributeName(const TableDef *def, int i)
{
	const AttributeDef *attr = TableKeyAttribute(def, i);

	return pnstrdup(attr->name.data, attr->name.len);
}

/* Fills in the definition of a new stream of a table. */
static void
DefineStream(Relation rel, const char *view, const char *label, StreamDef *def)
{
	TableDef   *table = TableDefAcquire(rel);

	memset(def, 0, sizeof(*def));
	def->table = pstrdup(GetTableName(rel, table));
	def->label = label;
	def->view = view;
	def->partition = GetAttributeName(table, 0);
	if (table->key.nsort > 0)
		def->sort = GetAttributeName(table, 1);
	TableDefRelease(table);
}

char *
StreamEnable(const char *table_name, const char *view)
{
	Relation	rel = OpenTableForDdl(table_name, ShareRowExclusiveLock);
	Oid			relid = RelationGetRelid(rel);
	TableStream stream;
	StreamDef	def;
	char	   *label;

	CheckView(view);
	if (TableStreamOf(rel, &stream))
		RaiseStreamError("Table already has an enabled stream", rel);
	label = StreamNewLabel(rel);
	DefineStream(rel, view, label, &def);
	table_close(rel, NoLock);
	SPI_connect();
	stream.relation = CreateStreamTable(relid, &def);
	stream.view = view;
	stream.label = label;
	StoreCapture(relid, &stream);
	SPI_finish();
	return label;
}

/* Locks the table against writers, so that the end of the stream is final. */
void
StreamDisable(const char *table_name)
{
	Relation	rel = OpenTableForDdl(table_name, AccessExclusiveLock);
	Oid			relid = RelationGetRelid(rel);
	TableStream stream;
	Oid			relation;

	if (!TableStreamOf(rel, &stream))
		RaiseStreamError("Table has no stream to disable", rel);
	table_close(rel, NoLock);
	relation = FindStreamRelation(relid, stream.relation);
	SPI_connect();
	DropCapture(relid);
	if (OidIsValid(relation))
		CloseStream(relation);
	SPI_finish();
}
