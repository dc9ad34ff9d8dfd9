/*
 * backup_details.c
 *	  What a backup keeps of its table, as JSON.
 *
 * As in the service, these are keys, indexes, throughput and encryption; not
 * streams, time to live, tags and protection.  What the API does not know is kept
 * beside it: entities and copies (archive_model.h), and the parts that
 * backup_parts.h describes.
 */
#include "postgres.h"

#include "errors.h"
#include "request/backup_details.h"
#include "request/backup_parts.h"
#include "request/create_table.h"
#include "request/model.h"
#include "request/vector_params.h"

/* ---- the input of CreateTable ---- */

static void
WriterBackupCapacity(Writer *w, const Throughput *throughput, bool on_demand)
{
	if (!on_demand)
	{
		WriterName(w, "ProvisionedThroughput");
		WriterBeginObject(w);
		WriterIntegerMember(w, "ReadCapacityUnits", Max(throughput->read_units, 1));
		WriterIntegerMember(w, "WriteCapacityUnits", Max(throughput->write_units, 1));
		WriterEndObject(w);
	}
	else if (throughput->max_read_units > 0 || throughput->max_write_units > 0)
	{
		WriterName(w, "OnDemandThroughput");
		WriterBeginObject(w);
		if (throughput->max_read_units > 0)
			WriterIntegerMember(w, "MaxReadRequestUnits", throughput->max_read_units);
		if (throughput->max_write_units > 0)
			WriterIntegerMember(w, "MaxWriteRequestUnits", throughput->max_write_units);
		WriterEndObject(w);
	}
}

static void
WriterIndexCreation(Writer *w, const OpenedTable *table, const IndexDef *index)
{
	Throughput	throughput = IndexThroughputRead(table->rel, index->name);

	WriterBeginObject(w);
	WriterStringMember(w, "IndexName", index->name);
	if (index->kind->secondary)
		WriterKeySchema(w, &index->key);
	else
		WriterVectorIndex(w, index);
	WriterProjection(w, index);
	if (!index->local && index->kind->secondary)
		WriterBackupCapacity(w, &throughput, table->settings->on_demand);
	WriterEndObject(w);
}

static void
WriterIndexCreations(Writer *w, const OpenedTable *table, const char *list)
{
	bool		begun = false;

	for (int i = 0; i < table->def->nindexes; i++)
	{
		const IndexDef *index = &table->def->indexes[i];

		if (strcmp(ListOfIndex(index), list) != 0 || index->replaces != NULL ||
			index->status == INDEX_DELETING)
			continue;
		if (!begun)
		{
			WriterName(w, list);
			WriterBeginList(w);
			begun = true;
		}
		WriterIndexCreation(w, table, index);
	}
	if (begun)
		WriterEndList(w);
}

static void
WriterEncryptionInput(Writer *w, const TableSettings *settings)
{
	if (settings->sse_type == NULL)
		return;
	WriterName(w, "SSESpecification");
	WriterBeginObject(w);
	WriterBoolMember(w, "Enabled", true);
	WriterStringMember(w, "SSEType", settings->sse_type);
	if (settings->sse_key != NULL)
		WriterStringMember(w, "KMSMasterKeyId", settings->sse_key);
	WriterEndObject(w);
}

static void
WriterCreation(Writer *w, const OpenedTable *table)
{
	bool		on_demand = table->settings->on_demand;

	WriterName(w, "Creation");
	WriterBeginObject(w);
	WriterStringMember(w, "TableName", table->name);
	WriterDefinitions(w, table->def);
	WriterKeySchema(w, &table->def->key);
	WriterStringMember(w, "BillingMode", on_demand ? "PAY_PER_REQUEST" : "PROVISIONED");
	WriterBackupCapacity(w, &table->settings->throughput, on_demand);
	WriterIndexCreations(w, table, "LocalSecondaryIndexes");
	WriterIndexCreations(w, table, "GlobalSecondaryIndexes");
	WriterIndexCreations(w, table, "VectorIndexes");
	WriterEncryptionInput(w, table->settings);
	WriterEndObject(w);
}

/* ---- features ---- */

static void
WriterFeatures(Writer *w, const OpenedTable *table)
{
	WriterName(w, "SourceTableFeatureDetails");
	WriterBeginObject(w);
	WriterIndexCreations(w, table, "LocalSecondaryIndexes");
	WriterIndexCreations(w, table, "GlobalSecondaryIndexes");
	WriterIndexCreations(w, table, "VectorIndexes");
	(void) WriterStreamSpecification(w, table, "StreamDescription");
	WriterName(w, "TimeToLiveDescription");
	WriterBeginObject(w);
	WriterStringMember(w, "TimeToLiveStatus", table->def->ttl.data != NULL ? "ENABLED" : "DISABLED");
	if (table->def->ttl.data != NULL)
	{
		WriterName(w, "AttributeName");
		WriterSlice(w, table->def->ttl);
	}
	WriterEndObject(w);
	WriterEncryption(w, table->settings);
	WriterEndObject(w);
}

char *
BackupDetails(const OpenedTable *table)
{
	Writer		w;

	WriterInit(&w);
	WriterBeginObject(&w);
	WriterCreation(&w, table);
	WriterTimeMember(&w, "TableCreationDateTime", table->settings->created);
	WriterFeatures(&w, table);
	WriterName(&w, "Parts");
	WriterRaw(&w, BackupParts(RelationGetRelid(table->rel)));
	WriterEndObject(&w);
	return pnstrdup(w.out.data + VARHDRSZ, w.out.len - VARHDRSZ);
}

/* Only its text matters. */
static const Shape features_shape = {.kind = SHAPE_STRUCTURE, .name = "SourceTableFeatureDetails"};

static const Shape partition_count = {.kind = SHAPE_INTEGER, .min = 1};
static const Member parts_members[] = {
	MEMBER("partitions", partition_count),
};
static const Shape parts_shape = STRUCTURE("Parts", parts_members);

static const Member details_members[] = {
	REQUIRED("Creation", model_table_creation),
	MEMBER("TableCreationDateTime", model_any_long),
	REQUIRED("SourceTableFeatureDetails", features_shape),
	MEMBER("Parts", parts_shape),
};
static const Shape details_shape = STRUCTURE("BackupDetails", details_members);

Field *
BackupDetailsRead(const Job *backup)
{
	return RequestRead(&details_shape, backup->details, (uint32) strlen(backup->details), VALUE_WORDS_OLD);
}
