/*
 * description.c
 *	  TableDescription, the response of the operations on tables.
 *
 * Counts and sizes come from the planner's statistics, which like the
 * service's are updated from time to time.
 */
#include "postgres.h"

#include "access/table.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "errors.h"
#include "extension_objects.h"
#include "request/arn.h"
#include "request/description.h"
#include "request/recovery.h"
#include "request/table_params.h"
#include "request/throughput.h"
#include "request/vector_params.h"
#include "stat/stat.h"
#include "store/count_rows.h"
#include "store/elsewhere.h"
#include "stream/stream_definition.h"
#include "table/distribution.h"
#include "table/index_relation.h"

bool
TableExists(const char *name)
{
	Relation	rel = TableNameOpen(name, AccessShareLock, true);
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
	table->rel = TableNameOpen(name, lockmode, true);
	if (table->rel == NULL || !RelationIsDynamoTable(table->rel))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: Table: %s not found%s", name, TableNameAdvice(name))));
	StatTable(RelationGetRelid(table->rel));
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

/*
 * Writes the size and the number of items of a table or index; nothing for
 * users who may not read all of the table.
 */
static void
CountRows(const OpenedTable *table, Oid relid, int64 *rows, int64 *bytes)
{
	RelationSize size;

	*rows = 0;
	*bytes = 0;
	if (!MaySeeAllRows(RelationGetRelid(table->rel)) || !OidIsValid(relid))
		return;
	if (table->def->distributed)
	{
		/* an index table has shards of its own */
		elsewhere->count_rows(RelationIsDistributed(relid) ? relid : RelationGetRelid(table->rel), relid, rows, bytes);
		return;
	}
	size = CountRelation(relid);
	*rows = size.rows;
	*bytes = size.bytes;
}

/* ---- parts ---- */

void
WriterKeySchema(Writer *w, const KeySchema *key)
{
	WriterName(w, "KeySchema");
	WriterBeginList(w);
	for (int i = 0; i < KeyCount(key); i++)
	{
		WriterBeginObject(w);
		WriterName(w, "AttributeName");
		WriterSlice(w, key->attributes[i].name);
		WriterStringMember(w, "KeyType", i < key->npartition ? "HASH" : "RANGE");
		WriterEndObject(w);
	}
	WriterEndList(w);
}

/*
 * Returns the declared attributes: those with a column, and the filter
 * attributes of vector indexes.
 */
static KeyAttribute *
DeclaredAttributes(const TableDef *def, int *n)
{
	KeyAttribute *declared = palloc((def->nattributes + def->nindexes * VECTOR_MAX_FILTERS) * sizeof(KeyAttribute));

	for (*n = 0; *n < def->nattributes; (*n)++)
		declared[*n] = (KeyAttribute) {def->attributes[*n].name, def->attributes[*n].type};
	for (int i = 0; i < def->nindexes; i++)
		*n += FilterAttributes(&def->indexes[i], &declared[*n]);
	qsort(declared, *n, sizeof(KeyAttribute), CompareBySlice);
	return declared;
}

void
WriterDefinitions(Writer *w, const TableDef *def)
{
	int			n;
	KeyAttribute *declared = DeclaredAttributes(def, &n);

	WriterName(w, "AttributeDefinitions");
	WriterBeginList(w);
	for (int i = 0; i < n; i++)
	{
		/* a filter attribute can be declared by several indexes */
		if (i > 0 && SliceEqual(declared[i - 1].name, declared[i].name))
			continue;
		WriterBeginObject(w);
		WriterName(w, "AttributeName");
		WriterSlice(w, declared[i].name);
		WriterStringMember(w, "AttributeType", ValueTypeName(declared[i].type));
		WriterEndObject(w);
	}
	WriterEndList(w);
}

void
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
		qsort(names, index->nnon_key, sizeof(Slice), CompareBySlice);
		WriterName(w, "NonKeyAttributes");
		WriterBeginList(w);
		for (int i = 0; i < index->nnon_key; i++)
			WriterSlice(w, names[i]);
		WriterEndList(w);
	}
	WriterEndObject(w);
}

/* ---- indexes ---- */

static const char *
IndexStatusName(const IndexDef *index, const Transition *transition)
{
	static const char *const states[] = {
		[INDEX_CREATING] = "CREATING",
		[INDEX_ACTIVE] = "ACTIVE",
		[INDEX_DELETING] = "DELETING",
	};

	/* the indexes of a table being created are being created, too */
	if (transition->created)
		return "CREATING";
	if (transition->index != NULL && strcmp(index->name, transition->index) == 0)
		return transition->index_status;
	if (UpdateOfIndex(transition->index_updates, index->name) != NULL)
		return "UPDATING";
	return states[index->status];
}

static void
WriterIndexState(Writer *w, const OpenedTable *table, const IndexDef *index,
				 const Transition *transition)
{
	const char *status = IndexStatusName(index, transition);
	const Field *update = UpdateOfIndex(transition->index_updates, index->name);
	Throughput	throughput = IndexThroughputRead(table->rel, index->name);

	if (update != NULL && FieldMember(update, "ProvisionedThroughput") != NULL)
		DateProvisioned(&throughput, FieldMember(update, "ProvisionedThroughput"));
	WriterStringMember(w, "IndexStatus", status);
	if (!transition->created && strcmp(status, "CREATING") == 0)
		WriterBoolMember(w, "Backfilling", index->status == INDEX_CREATING);
	WriterThroughput(w, &throughput, table->settings->on_demand,
					 transition->created ? NULL : "ACTIVE");
}

/* Unlike a global index, one that is active has no member Backfilling. */
static void
WriterVectorState(Writer *w, const IndexDef *index, const Transition *transition)
{
	const char *status = IndexStatusName(index, transition);

	WriterStringMember(w, "IndexStatus", status);
	if (!transition->created && strcmp(status, "CREATING") == 0)
		WriterBoolMember(w, "Backfilling", index->status == INDEX_CREATING);
}

static void
WriterIndex(Writer *w, const OpenedTable *table, const IndexDef *index,
			const Transition *transition)
{
	Oid			relid = FindIndexRelation(table->def, index);
	int64		rows;
	int64		bytes;

	CountRows(table, relid, &rows, &bytes);
	WriterBeginObject(w);
	WriterStringMember(w, "IndexName", index->name);
	if (index->kind->secondary)
		WriterKeySchema(w, &index->key);
	else
		WriterVectorIndex(w, index);
	WriterProjection(w, index);
	if (!index->kind->secondary)
		WriterVectorState(w, index, transition);
	else if (!index->local)
		WriterIndexState(w, table, index, transition);
	WriterIntegerMember(w, "IndexSizeBytes", bytes);
	WriterIntegerMember(w, "ItemCount", rows);
	WriterStringMember(w, "IndexArn", IndexArn(table->name, index->name));
	WriterEndObject(w);
}

/* The three kinds of indexes, each in a list of its own. */
const char *
ListOfIndex(const IndexDef *index)
{
	if (!index->kind->secondary)
		return "VectorIndexes";
	return index->local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes";
}

static void
WriterIndexes(Writer *w, const OpenedTable *table, const char *list,
			  const Transition *transition)
{
	bool		begun = false;

	for (int i = 0; i < table->def->nindexes; i++)
	{
		const IndexDef *index = &table->def->indexes[i];

		if (strcmp(ListOfIndex(index), list) != 0 || index->replaces != NULL)
			continue;
		if (!begun)
		{
			WriterName(w, list);
			WriterBeginList(w);
			begun = true;
		}
		WriterIndex(w, table, index, transition);
	}
	if (begun)
		WriterEndList(w);
}

/* ---- the table ---- */

static void
WriterBilling(Writer *w, const TableSettings *s, const Transition *transition)
{
	const char *warm_status = "ACTIVE";

	if (s->on_demand || s->on_demand_since != 0)
	{
		WriterName(w, "BillingModeSummary");
		WriterBeginObject(w);
		WriterStringMember(w, "BillingMode", s->on_demand ? "PAY_PER_REQUEST" : "PROVISIONED");
		WriterTimeMember(w, "LastUpdateToPayPerRequestDateTime",
						 transition->created ? 0 : s->on_demand_since);
		WriterEndObject(w);
	}
	if (transition->created)
		warm_status = transition->warm_given ? "UPDATING" : NULL;
	else if (transition->deleted)
		warm_status = NULL;
	WriterThroughput(w, &s->throughput, s->on_demand, warm_status);
}

void
WriterEncryption(Writer *w, const TableSettings *s)
{
	if (s->sse_type == NULL)
		return;
	WriterName(w, "SSEDescription");
	WriterBeginObject(w);
	WriterStringMember(w, "Status", "ENABLED");
	WriterStringMember(w, "SSEType", s->sse_type);
	WriterStringMember(w, "KMSMasterKeyArn", KeyArn(s->sse_key));
	WriterEndObject(w);
}

static void
WriterSettings(Writer *w, const TableSettings *s)
{
	if (s->table_class != NULL)
	{
		WriterName(w, "TableClassSummary");
		WriterBeginObject(w);
		WriterStringMember(w, "TableClass", s->table_class);
		WriterTimeMember(w, "LastUpdateDateTime", s->class_changed);
		WriterEndObject(w);
	}
	WriterEncryption(w, s);
	WriterBoolMember(w, "DeletionProtectionEnabled", s->deletion_protection);
}

const char *
WriterStreamSpecification(Writer *w, const OpenedTable *table, const char *name)
{
	TableStream stream;

	if (RecoveryHidesStream(table) || !TableStreamOf(table->rel, &stream))
		return NULL;
	WriterName(w, name);
	WriterBeginObject(w);
	WriterBoolMember(w, "StreamEnabled", true);
	WriterStringMember(w, "StreamViewType", stream.view);
	WriterEndObject(w);
	return stream.label;
}

static void
WriterStream(Writer *w, const OpenedTable *table)
{
	const char *label = WriterStreamSpecification(w, table, "StreamSpecification");

	if (label == NULL)
		label = table->settings->stream_label;
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

/* Writes the members that do not concern keys and indexes. */
static void
WriterState(Writer *w, const OpenedTable *table, const Transition *transition)
{
	int64		rows;
	int64		bytes;

	CountRows(table, RelationGetRelid(table->rel), &rows, &bytes);
	WriterIntegerMember(w, "TableSizeBytes", bytes);
	WriterIntegerMember(w, "ItemCount", rows);
	WriterStringMember(w, "TableArn", TableArn(table->name));
	WriterStringMember(w, "TableId", table->settings->table_id);
	WriterBilling(w, table->settings, transition);
	WriterSettings(w, table->settings);
}

static void
WriterRestore(Writer *w, const Job *restore)
{
	WriterName(w, "RestoreSummary");
	WriterBeginObject(w);
	if (restore->source == 0)
		WriterStringMember(w, "SourceBackupArn", restore->arn);
	WriterStringMember(w, "SourceTableArn", restore->table_arn);
	WriterTimeMember(w, "RestoreDateTime", restore->moment > 0 ? restore->moment : restore->started);
	WriterBoolMember(w, "RestoreInProgress", true);
	WriterEndObject(w);
}

void
WriterTable(Writer *w, const OpenedTable *table, const Transition *transition)
{
	WriterBeginObject(w);
	WriterDefinitions(w, table->def);
	WriterStringMember(w, "TableName", table->name);
	WriterKeySchema(w, &table->def->key);
	WriterStringMember(w, "TableStatus",
					   transition->status != NULL ? transition->status : "ACTIVE");
	WriterName(w, "CreationDateTime");
	WriterTimestamp(w, table->settings->created);
	WriterState(w, table, transition);
	WriterIndexes(w, table, "LocalSecondaryIndexes", transition);
	WriterIndexes(w, table, "GlobalSecondaryIndexes", transition);
	WriterIndexes(w, table, "VectorIndexes", transition);
	WriterStream(w, table);
	if (transition->restore != NULL)
		WriterRestore(w, transition->restore);
	WriterEndObject(w);
}

void
WriterDeletedTable(Writer *w, const OpenedTable *table)
{
	Transition	transition = {.deleted = true};

	WriterBeginObject(w);
	WriterStringMember(w, "TableName", table->name);
	WriterStringMember(w, "TableStatus", "DELETING");
	WriterState(w, table, &transition);
	WriterStream(w, table);
	WriterEndObject(w);
}
