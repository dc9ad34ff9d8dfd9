/*
 * description.c
 *	  TableDescription, as the operations on tables answer it.
 *
 * Counts and sizes are those of the planner's statistics, which like the
 * service's are brought up to date now and then.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "access/htup_details.h"
#include "catalog/objects.h"
#include "catalog/stream.h"
#include "errors.h"
#include "request/arn.h"
#include "request/description.h"

/* What the service keeps warm for a table on demand. */
#define WARM_READ_UNITS		12000
#define WARM_WRITE_UNITS	4000

bool
TableExists(const char *name)
{
	Oid			relid = TableNameResolve(name, true);
	Relation	rel = OidIsValid(relid) ? try_table_open(relid, AccessShareLock) : NULL;
	bool		exists;

	if (rel == NULL)
		return false;
	exists = RelationIsDynamoTable(rel);
	table_close(rel, AccessShareLock);
	return exists;
}

void
TableOpen(OpenedTable *table, const char *name, LOCKMODE lockmode)
{
	Oid			relid = TableNameResolve(name, true);

	table->rel = OidIsValid(relid) ? try_table_open(relid, lockmode) : NULL;
	if (table->rel == NULL || !RelationIsDynamoTable(table->rel))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: Table: %s not found", name)));
	table->def = TableDefAcquire(table->rel);
	table->settings = TableSettingsRead(table->rel);
	table->name = pstrdup(table->def->long_name != NULL ? table->def->long_name :
						  RelationGetRelationName(table->rel));
}

void
IndexNotFound(const OpenedTable *table, const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
			 errmsg("Requested resource not found: Index %s for table %s",
					name, table->name)));
}

void
TableClose(OpenedTable *table)
{
	TableDefRelease(table->def);
	table_close(table->rel, NoLock);
}

/* ---- statistics ---- */

/* Of a table or an index of it; nothing for who may not read all of it. */
static void
CountRows(const OpenedTable *table, Oid relid, int64 *rows, int64 *bytes)
{
	HeapTuple	tuple = NULL;
	Form_pg_class form;

	*rows = 0;
	*bytes = 0;
	if (MaySeeAllRows(RelationGetRelid(table->rel)))
		tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	if (!HeapTupleIsValid(tuple))
		return;
	form = (Form_pg_class) GETSTRUCT(tuple);
	if (form->reltuples > 0)
	{
		*rows = (int64) form->reltuples;
		*bytes = (int64) form->relpages * BLCKSZ;
	}
	ReleaseSysCache(tuple);
}

/* ---- parts ---- */

static void
WriterTime(Writer *w, const char *name, int64 time)
{
	if (time == 0)
		return;
	WriterName(w, name);
	WriterTimestamp(w, time);
}

static void
WriterKeySchema(Writer *w, const KeySchema *key)
{
	WriterName(w, "KeySchema");
	WriterBeginList(w);
	for (int i = 0; i < key->npartition + key->nsort; i++)
	{
		WriterBeginObject(w);
		WriterName(w, "AttributeName");
		WriterSlice(w, key->attributes[i].name);
		WriterStringMember(w, "KeyType", i < key->npartition ? "HASH" : "RANGE");
		WriterEndObject(w);
	}
	WriterEndList(w);
}

static int
CompareSlices(const void *a, const void *b)
{
	return SliceCompare(*(const Slice *) a, *(const Slice *) b);
}

static void
WriterDefinitions(Writer *w, const TableDef *def)
{
	Slice	   *names = palloc(def->nattributes * sizeof(Slice));

	for (int i = 0; i < def->nattributes; i++)
		names[i] = def->attributes[i].name;
	qsort(names, def->nattributes, sizeof(Slice), CompareSlices);
	WriterName(w, "AttributeDefinitions");
	WriterBeginList(w);
	for (int i = 0; i < def->nattributes; i++)
	{
		int			a = TableDefAttribute(def, names[i]);

		WriterBeginObject(w);
		WriterName(w, "AttributeName");
		WriterSlice(w, names[i]);
		WriterStringMember(w, "AttributeType", ValueTypeName(def->attributes[a].type));
		WriterEndObject(w);
	}
	WriterEndList(w);
}

static void
WriterProjection(Writer *w, const IndexDef *index)
{
	static const char *const types[] = {
		[PROJECTED_ALL] = "ALL",
		[PROJECTED_KEYS_ONLY] = "KEYS_ONLY",
		[PROJECTED_INCLUDE] = "INCLUDE",
	};
	Slice	   *names = palloc(Max(index->nnon_key, 1) * sizeof(Slice));

	WriterName(w, "Projection");
	WriterBeginObject(w);
	WriterStringMember(w, "ProjectionType", types[index->projected]);
	if (index->nnon_key > 0)
	{
		memcpy(names, index->non_key, index->nnon_key * sizeof(Slice));
		qsort(names, index->nnon_key, sizeof(Slice), CompareSlices);
		WriterName(w, "NonKeyAttributes");
		WriterBeginList(w);
		for (int i = 0; i < index->nnon_key; i++)
			WriterSlice(w, names[i]);
		WriterEndList(w);
	}
	WriterEndObject(w);
}

static void
WriterThroughput(Writer *w, int64 read_units, int64 write_units,
				 int64 increased, int64 decreased)
{
	WriterName(w, "ProvisionedThroughput");
	WriterBeginObject(w);
	WriterTime(w, "LastIncreaseDateTime", increased);
	WriterTime(w, "LastDecreaseDateTime", decreased);
	WriterIntegerMember(w, "NumberOfDecreasesToday", 0);
	WriterIntegerMember(w, "ReadCapacityUnits", read_units);
	WriterIntegerMember(w, "WriteCapacityUnits", write_units);
	WriterEndObject(w);
}

static void
WriterWarmThroughput(Writer *w, const TableSettings *settings, int64 read_units,
					 int64 write_units)
{
	WriterName(w, "WarmThroughput");
	WriterBeginObject(w);
	WriterIntegerMember(w, "ReadUnitsPerSecond",
						settings->on_demand ? WARM_READ_UNITS : read_units);
	WriterIntegerMember(w, "WriteUnitsPerSecond",
						settings->on_demand ? WARM_WRITE_UNITS : write_units);
	WriterStringMember(w, "Status", "ACTIVE");
	WriterEndObject(w);
}

/* ---- indexes ---- */

static void
WriterIndexState(Writer *w, const OpenedTable *table, const IndexDef *index,
				 const char *status)
{
	static const char *const states[] = {
		[INDEX_CREATING] = "CREATING",
		[INDEX_ACTIVE] = "ACTIVE",
		[INDEX_DELETING] = "DELETING",
	};
	IndexSettings settings = IndexSettingsRead(table->rel, index->name);

	if (status == NULL)
		status = states[index->status];
	WriterStringMember(w, "IndexStatus", status);
	if (strcmp(status, "CREATING") == 0)
		WriterBoolMember(w, "Backfilling", index->status == INDEX_CREATING);
	WriterThroughput(w, settings.read_units, settings.write_units, 0, 0);
	WriterWarmThroughput(w, table->settings, settings.read_units, settings.write_units);
}

/* status: of a global index, or NULL for what it is. */
static void
WriterIndex(Writer *w, const OpenedTable *table, const IndexDef *index, const char *status)
{
	Oid			relid = get_relname_relid(index->relation, RelationGetNamespace(table->rel));
	int64		rows;
	int64		bytes;

	CountRows(table, relid, &rows, &bytes);
	WriterBeginObject(w);
	WriterStringMember(w, "IndexName", index->name);
	WriterKeySchema(w, &index->key);
	WriterProjection(w, index);
	if (!index->local)
		WriterIndexState(w, table, index, status);
	WriterIntegerMember(w, "IndexSizeBytes", bytes);
	WriterIntegerMember(w, "ItemCount", rows);
	WriterStringMember(w, "IndexArn", IndexArn(table->name, index->name));
	WriterEndObject(w);
}

static void
WriterIndexes(Writer *w, const OpenedTable *table, bool local,
			  const char *changed, const char *status)
{
	bool		begun = false;

	for (int i = 0; i < table->def->nindexes; i++)
	{
		const IndexDef *index = &table->def->indexes[i];
		bool		is_changed = changed != NULL && strcmp(index->name, changed) == 0;

		if (index->local != local || index->replaces != NULL)
			continue;
		if (!begun)
		{
			WriterName(w, local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes");
			WriterBeginList(w);
			begun = true;
		}

		/* a table under creation has all its indexes under creation */
		WriterIndex(w, table, index, is_changed || changed == NULL ? status : NULL);
	}
	if (begun)
		WriterEndList(w);
}

/* ---- the table ---- */

static void
WriterSettings(Writer *w, const OpenedTable *table)
{
	const TableSettings *s = table->settings;

	if (s->on_demand || s->on_demand_since != 0)
	{
		WriterName(w, "BillingModeSummary");
		WriterBeginObject(w);
		WriterStringMember(w, "BillingMode", s->on_demand ? "PAY_PER_REQUEST" : "PROVISIONED");
		WriterTime(w, "LastUpdateToPayPerRequestDateTime", s->on_demand_since);
		WriterEndObject(w);
	}
	WriterThroughput(w, s->read_units, s->write_units, s->increased, s->decreased);
	WriterWarmThroughput(w, s, s->read_units, s->write_units);
	if (s->on_demand_limits != NULL)
	{
		WriterName(w, "OnDemandThroughput");
		WriterRaw(w, (Slice) {s->on_demand_limits, strlen(s->on_demand_limits)});
	}
	if (s->table_class != NULL)
	{
		WriterName(w, "TableClassSummary");
		WriterBeginObject(w);
		WriterStringMember(w, "TableClass", s->table_class);
		WriterTime(w, "LastUpdateDateTime", s->class_changed);
		WriterEndObject(w);
	}
	if (s->sse_type != NULL)
	{
		WriterName(w, "SSEDescription");
		WriterBeginObject(w);
		WriterStringMember(w, "Status", "ENABLED");
		WriterStringMember(w, "SSEType", s->sse_type);
		if (s->sse_key != NULL)
			WriterStringMember(w, "KMSMasterKeyArn", KeyArn(s->sse_key));
		WriterEndObject(w);
	}
	WriterBoolMember(w, "DeletionProtectionEnabled", s->deletion_protection);
}

static void
WriterStream(Writer *w, const OpenedTable *table)
{
	const char *label = table->settings->stream_label;
	TableStream stream;

	if (TableStreamOf(table->rel, &stream))
	{
		label = stream.label;
		WriterName(w, "StreamSpecification");
		WriterBeginObject(w);
		WriterBoolMember(w, "StreamEnabled", true);
		WriterStringMember(w, "StreamViewType", stream.view);
		WriterEndObject(w);
	}
	if (label != NULL)
	{
		WriterStringMember(w, "LatestStreamLabel", label);
		WriterStringMember(w, "LatestStreamArn", StreamArn(table->name, label));
	}
}

bool
TableIsChanging(const OpenedTable *table)
{
	for (int i = 0; i < table->def->nindexes; i++)
	{
		if (table->def->indexes[i].status != INDEX_ACTIVE)
			return true;
	}
	return false;
}

void
WriterTable(Writer *w, const OpenedTable *table, const char *status,
			const char *index, const char *index_status)
{
	int64		rows;
	int64		bytes;

	if (status == NULL)
		status = TableIsChanging(table) ? "UPDATING" : "ACTIVE";
	CountRows(table, RelationGetRelid(table->rel), &rows, &bytes);
	WriterBeginObject(w);
	WriterDefinitions(w, table->def);
	WriterStringMember(w, "TableName", table->name);
	WriterKeySchema(w, &table->def->key);
	WriterStringMember(w, "TableStatus", status);
	WriterName(w, "CreationDateTime");
	WriterTimestamp(w, table->settings->created);
	WriterIntegerMember(w, "TableSizeBytes", bytes);
	WriterIntegerMember(w, "ItemCount", rows);
	WriterStringMember(w, "TableArn", TableArn(table->name));
	WriterStringMember(w, "TableId", table->settings->table_id);
	WriterSettings(w, table);
	WriterIndexes(w, table, true, index, index_status);
	WriterIndexes(w, table, false, index, index_status);
	WriterStream(w, table);
	WriterEndObject(w);
}
