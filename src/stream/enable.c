/*
 * enable.c
 *	  Enables and disables streams.
 */
#include "postgres.h"

#include "access/table.h"
#include "executor/spi.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "ddl/ddl.h"
#include "errors.h"
#include "stream/stream.h"
#include "table/distribution.h"
#include "table/placement.h"

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
CheckViewType(const char *view)
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

/* The attribute by which a table is distributed; NULL if it is none. */
static const AttributeDef *
PartitionOf(Relation rel, const TableDef *def)
{
	const AttributeDef *partition = TableKeyAttribute(def, 0);
	const char *column;

	if (!RelationIsDistributed(RelationGetRelid(rel)))
		return NULL;
	column = HashDistributionColumn(RelationGetRelid(rel));
	if (column == NULL || strcmp(column, partition->column) != 0)
		RefuseDistributed(rel, "a stream of a table that is not distributed by its partition key");
	if (!placement->nodes_are_reachable())
		RefuseDistributed(rel, "a stream with this build of Citus");
	return partition;
}

/* Creates a stream's table and, if the table is distributed, a shard beside each of its shards. */
static char *
CreateStream(Oid relid, const StreamDef *def, const AttributeDef *partition)
{
	char	   *name = CreateStreamTable(relid, def, partition);
	int			level;

	if (partition == NULL)
		return name;
	level = DistributedDdlBegin(relid);
	placement->distribute_beside(FindStreamRelation(relid, name), STREAM_PARTITION_COLUMN, relid);
	DistributedDdlEnd(level);
	return name;
}

char *
StreamStart(Relation rel, const char *view)
{
	Oid			relid = RelationGetRelid(rel);
	char	   *label = StreamNewLabel(rel);
	TableDef   *table = TableDefCopy(rel);
	const AttributeDef *partition = PartitionOf(rel, table);
	TableStream stream = {.view = view, .label = label};
	StreamDef	def;

	DefineStream(rel, view, label, &def);
	table_close(rel, NoLock);
	SPI_connect();
	stream.relation = CreateStream(relid, &def, partition);
	StoreCapture(relid, &stream);
	SPI_finish();
	return label;
}

char *
StreamEnable(const char *table_name, const char *view)
{
	Relation	rel = OpenAnyTableForDdl(table_name, ShareRowExclusiveLock);
	TableStream stream;

	CheckViewType(view);
	if (TableStreamOf(rel, &stream))
		RaiseStreamError("Table already has an enabled stream", rel);
	return StreamStart(rel, view);
}

void
StreamEnd(Oid relid, const TableStream *stream)
{
	Oid			relation = FindStreamRelation(relid, stream->relation);

	SPI_connect();
	DropCapture(relid);
	if (OidIsValid(relation))
		CloseStream(relation);
	SPI_finish();
}

/*
 * Locks the table against writers, so that the end of the stream is final.  Also ends a stream
 * of one server on a table that has been distributed.
 */
void
StreamDisable(const char *table_name)
{
	Relation	rel = OpenTableForDrop(table_name, AccessExclusiveLock);
	Oid			relid = RelationGetRelid(rel);
	TableStream stream;

	RefuseShard(rel, "a stream");
	CheckSettingsAreHere(rel);
	if (!TableStreamOf(rel, &stream))
		RaiseStreamError("Table has no stream to disable", rel);
	table_close(rel, NoLock);
	StreamEnd(relid, &stream);
}
