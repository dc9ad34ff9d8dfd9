/*
 * update_table.c
 *	  UpdateTable.
 *
 * All changes are complete when the request ends, except index builds, which
 * continue in the background.  The response still has the status UPDATING for
 * changes that take time in the service.
 */
#include "postgres.h"

#include "errors.h"
#include "index/index.h"
#include "request/description.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/params.h"
#include "request/recovery.h"
#include "request/table_params.h"
#include "request/throughput.h"
#include "request/update_rules.h"
#include "request/vector_params.h"
#include "security/settings_owner.h"

/* ---- indexes ---- */

/* Returns the index with this name; raises an error if there is none. */
static const IndexDef *
FindRequestedIndex(const OpenedTable *table, const char *name)
{
	const IndexDef *index = TableDefIndex(table->def, name);

	if (index == NULL)
		IndexNotFound(table, name);
	return index;
}

/* Whether the table will be on demand after the request. */
static bool
TableBecomesOnDemand(const OpenedTable *table, const Field *input)
{
	if (FieldMember(input, "BillingMode") != NULL)
		return FieldIs(input, "BillingMode", "PAY_PER_REQUEST");
	return table->settings->on_demand;
}

/* Whether an index is a global secondary index. */
static bool
IsGlobal(const IndexDef *index)
{
	return !index->local && index->kind->secondary;
}

static void
CheckIndexUpdate(const OpenedTable *table, const Field *input, const Field *update)
{
	const Field *provisioned = FieldMember(update, "ProvisionedThroughput");
	const char *name = FieldName(update, "IndexName");
	ThroughputOf of = {name, TableBecomesOnDemand(table, input), true};
	Throughput	before;

	if (!IsGlobal(FindRequestedIndex(table, name)))
		InvalidRequest("Cannot update an index that is not a GlobalSecondaryIndex: %s", name);
	if (of.on_demand && provisioned != NULL)
		InvalidParameter("The only Updates for index: %s when TableThroughputMode is "
						 "PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput", name);
	CheckProvisioned(provisioned);
	before = IndexThroughputRead(table->rel, name);
	if (provisioned != NULL && !table->settings->on_demand)
		CheckChanges(&before, provisioned, name);
	CheckThroughputLimits(update, of, &before);
}

/*
 * Allows dropping an index that is being built; no other index can be changed
 * meanwhile.
 */
static void
CheckIndexDrop(const OpenedTable *table, const char *name)
{
	const IndexDef *index = FindRequestedIndex(table, name);

	if (!IsGlobal(index))
		InvalidRequest("Cannot delete an index that is not a GlobalSecondaryIndex: %s", name);
	if (index->status == INDEX_ACTIVE && TableIsChanging(table))
		TooManyIndexChanges();
}

static void
CheckVectorDrop(const OpenedTable *table, const char *name)
{
	const IndexDef *index = FindRequestedIndex(table, name);

	if (index->kind->secondary)
		IndexNotFound(table, name);
	if (index->status == INDEX_ACTIVE && TableIsChanging(table))
		TooManyIndexChanges();
}

static void
CheckVectorCreate(const OpenedTable *table, const char *name)
{
	if (TableIsChanging(table))
		TooManyIndexChanges();
	if (TableDefIndex(table->def, name) != NULL)
		InvalidParameter("Duplicate index name: %s", name);
}

static void
CheckIndexChanges(const OpenedTable *table, const Field *input, const IndexChanges *changes)
{
	for (int i = 0; changes->list != NULL && i < changes->list->count; i++)
	{
		const Field *update = FieldMember(changes->list->fields[i], "Update");

		if (update != NULL)
			CheckIndexUpdate(table, input, update);
	}
	if (changes->drop != NULL)
		CheckIndexDrop(table, FieldName(changes->drop, "IndexName"));
	if (changes->create != NULL && TableIsChanging(table))
		TooManyIndexChanges();
	if (changes->create != NULL &&
		TableDefIndex(table->def, FieldName(changes->create, "IndexName")) != NULL)
		InvalidRequest("Attempting to create an index which already exists");
	if (changes->vector_drop != NULL)
		CheckVectorDrop(table, FieldName(changes->vector_drop, "IndexName"));
	if (changes->vector_create != NULL)
		CheckVectorCreate(table, FieldName(changes->vector_create, "IndexName"));
}

/* ---- billing ---- */

/*
 * A table that changes to provisioned throughput must give it for every index.
 */
static void
CheckIndexesProvisioned(const OpenedTable *table, const IndexChanges *changes)
{
	for (int i = 0; i < table->def->nindexes; i++)
	{
		const IndexDef *index = &table->def->indexes[i];
		const Field *update = UpdateOfIndex(changes->list, index->name);

		if (IsGlobal(index) &&
			(update == NULL || FieldMember(update, "ProvisionedThroughput") == NULL))
			InvalidParameter("ProvisionedThroughput must be specified for index: %s", index->name);
	}
}

static void
ChangeBilling(const OpenedTable *table, const Field *input, const IndexChanges *changes)
{
	TableSettings *s = table->settings;
	const Field *provisioned = FieldMember(input, "ProvisionedThroughput");
	ThroughputOf of = {NULL, TableBecomesOnDemand(table, input), true};

	if (of.on_demand && provisioned != NULL)
		InvalidParameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
						 "when BillingMode is PAY_PER_REQUEST");
	if (HasVectorIndexes(table))
		CheckVectorBilling(of.on_demand);
	CheckThroughputLimits(input, of, &s->throughput);
	if (of.on_demand && !s->on_demand)
	{
		s->on_demand_since = SettingsTime();
		SetOnDemand(&s->throughput);
	}
	else if (!of.on_demand && s->on_demand)
	{
		CheckIndexesProvisioned(table, changes);
		SetNotOnDemand(&s->throughput);
	}
	else if (provisioned != NULL)
		CheckChanges(&s->throughput, provisioned, NULL);
	s->on_demand = of.on_demand;
	SetThroughput(&s->throughput, input);
}

/* ---- the rest ---- */

static void
ChangeSettings(const OpenedTable *table, const Field *input)
{
	TableSettings *s = table->settings;

	s->deletion_protection = FieldBool(input, "DeletionProtectionEnabled", s->deletion_protection);
	ChangeEncryption(s, FieldMember(input, "SSESpecification"));
	if (FieldMember(input, "TableClass") != NULL)
	{
		s->table_class = unconstify(char *, FieldString(input, "TableClass"));
		s->class_changed = SettingsTime();
	}
}

/* ---- the operation ---- */

static void
StoreThroughput(const OpenedTable *table, const IndexChanges *changes, bool was_on_demand)
{
	bool		on_demand = table->settings->on_demand;

	for (int i = 0; i < table->def->nindexes; i++)
	{
		const IndexDef *index = &table->def->indexes[i];
		const Field *update = UpdateOfIndex(changes->list, index->name);
		Throughput	t;

		if (!IsGlobal(index) || (update == NULL && on_demand == was_on_demand))
			continue;
		t = IndexThroughputRead(table->rel, index->name);
		if (on_demand && !was_on_demand)
			SetOnDemand(&t);
		if (!on_demand && was_on_demand)
			SetNotOnDemand(&t);
		if (update != NULL)
			SetThroughput(&t, update);
		IndexThroughputWrite(table->rel, index->name, &t);
	}
}

/* Prepares the index to be created and stores its throughput. */
static void
PrepareIndex(const OpenedTable *table, const Field *input, const Field *create,
			 CreateIndexSpec *spec)
{
	const Field *provisioned = FieldMember(create, "ProvisionedThroughput");
	ThroughputOf of = {FieldName(create, "IndexName"), table->settings->on_demand, false};
	Throughput	throughput;

	if (!of.on_demand && provisioned == NULL)
		InvalidParameter("Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: %s",
						 of.index);
	if (of.on_demand && provisioned != NULL)
		InvalidParameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
						 "for index: %s when BillingMode is PAY_PER_REQUEST", of.index);
	CheckProvisioned(provisioned);
	throughput = NewThroughput(create, of);
	FieldIndexSpec(create, false, FieldMember(input, "AttributeDefinitions"), spec);
	IndexThroughputWrite(table->rel, spec->name, &throughput);
}

/*
 * index and status describe the created or dropped index; NULL if there is
 * none.
 */
static void
AnswerUpdate(Request *request, const OpenedTable *table, const IndexChanges *changes,
	   const char *index, const char *index_status)
{
	Transition	transition = {NULL};

	if (IsLongUpdate(request->input, changes))
		transition.status = "UPDATING";
	transition.index = index;
	transition.index_status = index_status;
	transition.index_updates = changes->list;
	WriterName(request->out, "TableDescription");
	WriterTable(request->out, table, &transition);
}

/*
 * Whether the response contains the previous throughput, as the service's does
 * unless the billing mode changes.
 */
static bool
ChangesThroughputOnly(const OpenedTable *table, const Field *input, const IndexChanges *changes)
{
	return changes->create == NULL && changes->drop == NULL &&
		TableBecomesOnDemand(table, input) == table->settings->on_demand &&
		(FieldMember(input, "ProvisionedThroughput") != NULL || changes->list != NULL);
}

/*
 * Writes the response with the previous throughput and the time of its change,
 * which is now.
 */
static void
AnswerAhead(Request *request, const OpenedTable *table, const IndexChanges *changes)
{
	const Field *provisioned = FieldMember(request->input, "ProvisionedThroughput");

	if (provisioned != NULL)
		DateProvisioned(&table->settings->throughput, provisioned);
	AnswerUpdate(request, table, changes, NULL, NULL);
}

/* The response still contains the index. */
static void
DropIndex(Request *request, OpenedTable *table, const char *name, const IndexChanges *changes, const Field *drop)
{
	const char *index = FieldName(drop, "IndexName");

	AnswerUpdate(request, table, changes, index, "DELETING");
	TableClose(table);
	IndexDrop(name, index);
}

/*
 * ALTER TABLE requires that this session does not have the table open; the
 * same applies below.
 */
static void
CreateVectorIndex(Request *request, OpenedTable *table, const char *name, const IndexChanges *changes)
{
	CreateIndexSpec spec;

	CheckVectorBilling(table->settings->on_demand);
	FieldVectorIndexSpec(changes->vector_create, FieldMember(request->input, "AttributeDefinitions"), &spec);
	TableClose(table);
	(void) IndexCreate(name, &spec);
	TableOpen(table, name, AccessShareLock);
	AnswerUpdate(request, table, changes, spec.name, "CREATING");
	TableClose(table);
}

static void
CreateRequestedIndex(Request *request, OpenedTable *table, const char *name, const IndexChanges *changes)
{
	CreateIndexSpec spec;

	PrepareIndex(table, request->input, changes->create, &spec);
	TableClose(table);
	(void) IndexCreate(name, &spec);
	TableOpen(table, name, AccessShareLock);
	AnswerUpdate(request, table, changes, spec.name, "CREATING");
	TableClose(table);
}

/* answered: the response has been written already. */
static void
KeepIndexes(Request *request, OpenedTable *table, const char *name, const IndexChanges *changes,
			bool answered)
{
	const Field *stream = FieldMember(request->input, "StreamSpecification");

	if (stream != NULL)
	{
		TableClose(table);
		RecoveryChangeStream(name, stream);
		TableOpen(table, name, AccessShareLock);
	}
	if (!answered)
		AnswerUpdate(request, table, changes, NULL, NULL);
	TableClose(table);
}

static const Member index_update_members[] = {
	REQUIRED("IndexName", model_new_name),
	MEMBER("ProvisionedThroughput", model_throughput),
	MEMBER("OnDemandThroughput", model_on_demand),
	MEMBER("WarmThroughput", model_warm_throughput),
};
static const Member index_delete_members[] = {
	REQUIRED("IndexName", model_new_name),
};
static const Shape index_update = STRUCTURE("UpdateGlobalSecondaryIndexAction", index_update_members);
static const Shape index_delete = STRUCTURE("DeleteGlobalSecondaryIndexAction", index_delete_members);
static const Member index_change_members[] = {
	MEMBER("Update", index_update),
	MEMBER("Create", model_create_index),
	MEMBER("Delete", index_delete),
};
static const Shape index_change = STRUCTURE("GlobalSecondaryIndexUpdate", index_change_members);
static const Shape index_changes = LIST_OF(index_change);

static const Member vector_index_delete_members[] = {
	REQUIRED("IndexName", model_new_name),
};
static const Shape vector_index_delete = STRUCTURE("DeleteVectorIndexAction", vector_index_delete_members);
static const Member vector_index_change_members[] = {
	MEMBER("Create", model_create_vector_index),
	MEMBER("Delete", vector_index_delete),
};
static const Shape vector_index_change = STRUCTURE("VectorIndexUpdate", vector_index_change_members);
static const Shape vector_index_changes = LIST_OF(vector_index_change);

/* Refused as a whole, so that nothing is said of what is in it. */
static const Shape replica_change = {.kind = SHAPE_STRUCTURE, .name = "ReplicationGroupUpdate"};
static const Shape replica_changes = LIST_OF(replica_change);
static const Shape witness_change = {.kind = SHAPE_STRUCTURE, .name = "GlobalTableWitnessGroupUpdate"};
static const Shape witness_changes = LIST_OF(witness_change);

static const Member update_table_members[] = {
	MEMBER("AttributeDefinitions", model_attribute_definitions),
	REQUIRED("TableName", model_defined_table),
	MEMBER("BillingMode", model_billing_mode),
	MEMBER("ProvisionedThroughput", model_throughput),
	MEMBER("GlobalSecondaryIndexUpdates", index_changes),
	MEMBER("StreamSpecification", model_stream),
	MEMBER("SSESpecification", model_encryption),
	MEMBER("TableClass", model_string),
	MEMBER("DeletionProtectionEnabled", model_boolean),
	MEMBER("OnDemandThroughput", model_on_demand),
	MEMBER("WarmThroughput", model_warm_throughput),
	MEMBER("ReplicaUpdates", replica_changes),
	MEMBER("MultiRegionConsistency", model_string),
	MEMBER("GlobalTableWitnessUpdates", witness_changes),
	MEMBER("GlobalTableSettingsReplicationMode", model_string),
	MEMBER("DisassociationProtectionEnabled", model_boolean),
	MEMBER("VectorIndexUpdates", vector_index_changes),
};
static const Shape update_table_input = STRUCTURE("UpdateTableInput", update_table_members);

static void
UpdateTableRequest(Request *request)
{
	const Field *input = request->input;
	const char *name = FieldTableName(input);
	IndexChanges changes;
	OpenedTable table;
	bool		was_on_demand;
	bool		answered;

	CheckUpdateRules(input, &changes);
	if (changes.drop != NULL || changes.vector_drop != NULL)
		InterruptBuild(name);
	TableOpen(&table, name, ShareUpdateExclusiveLock);
	CheckIndexChanges(&table, input, &changes);
	was_on_demand = table.settings->on_demand;
	answered = ChangesThroughputOnly(&table, input, &changes);
	if (answered)
		AnswerAhead(request, &table, &changes);
	ChangeBilling(&table, input, &changes);
	ChangeSettings(&table, input);
	TableSettingsWrite(table.rel, table.settings);
	StoreThroughput(&table, &changes, was_on_demand);
	if (changes.drop != NULL)
		DropIndex(request, &table, name, &changes, changes.drop);
	else if (changes.create != NULL)
		CreateRequestedIndex(request, &table, name, &changes);
	else if (changes.vector_drop != NULL)
		DropIndex(request, &table, name, &changes, changes.vector_drop);
	else if (changes.vector_create != NULL)
		CreateVectorIndex(request, &table, name, &changes);
	else
		KeepIndexes(request, &table, name, &changes, answered);
}

OPERATION(UpdateTable, &update_table_input, UpdateTableRequest, .changes = "TableName");
