/*
 * update_table.c
 *	  UpdateTable.
 *
 * Everything is done when the request ends, except the building of an index,
 * which goes on behind it.  The answer says UPDATING all the same.
 */
#include "postgres.h"

#include "errors.h"
#include "index/index.h"
#include "request/description.h"
#include "request/operation.h"
#include "request/params.h"
#include "request/table_params.h"
#include "stream/stream.h"

/* What the request is to do with the indexes. */
typedef struct IndexChanges
{
	const Field *create;		/* NULL: none */
	const Field *drop;
	const Field *list;			/* of GlobalSecondaryIndexUpdate; may be NULL */
} IndexChanges;

/* ---- checks that need no table ---- */

static const char *const changing_members[] = {
	"ProvisionedThroughput", "BillingMode", "StreamSpecification",
	"GlobalSecondaryIndexUpdates", "SSESpecification", "DeletionProtectionEnabled",
	"OnDemandThroughput", "WarmThroughput", "TableClass"
};

/* A list without elements changes nothing. */
static int
CountChanges(const Field *input)
{
	int			n = 0;

	for (size_t i = 0; i < lengthof(changing_members); i++)
	{
		const Field *field = FieldMember(input, changing_members[i]);

		n += field != NULL && (field->shape->kind != SHAPE_LIST || field->count > 0);
	}
	return n;
}

static void
CheckAnyChange(const Field *input)
{
	if (CountChanges(input) == 0)
		InvalidRequest("At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
					   "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, "
					   "MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
					   "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or "
					   "TableClass is required");
	if (FieldMember(input, "DeletionProtectionEnabled") != NULL && CountChanges(input) > 1)
		InvalidParameter("DeletionProtection modification must be the only operation in the request");
}

/* The one action of a GlobalSecondaryIndexUpdate. */
static const Field *
ActionOf(const Field *change)
{
	const Field *action = NULL;

	for (int i = 0; i < change->count; i++)
	{
		if (change->fields[i] == NULL)
			continue;
		if (action != NULL)
			InvalidParameter("Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object");
		action = change->fields[i];
	}
	if (action == NULL)
		InvalidParameter("One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
						 "GlobalSecondaryIndexUpdate.Delete must not be null");
	return action;
}

static void
CheckNamedOnce(const Field *list)
{
	for (int i = 0; i < list->count; i++)
	{
		Slice		name = FieldSlice(ActionOf(list->fields[i]), "IndexName");

		for (int j = 0; j < i; j++)
		{
			if (SliceCompare(FieldSlice(ActionOf(list->fields[j]), "IndexName"), name) == 0)
				InvalidParameter("Only one global secondary index update per index is allowed simultaneously. Index: %.*s",
								 (int) name.len, name.data);
		}
	}
}

static void TooManyIndexChanges(void) pg_attribute_noreturn();

static void
TooManyIndexChanges(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_LIMIT_EXCEEDED),
			 errmsg("Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table")));
}

static void
CollectChanges(const Field *input, IndexChanges *changes)
{
	int			n = 0;

	memset(changes, 0, sizeof(*changes));
	changes->list = FieldMember(input, "GlobalSecondaryIndexUpdates");
	if (changes->list == NULL)
		return;
	CheckNamedOnce(changes->list);
	for (int i = 0; i < changes->list->count; i++)
	{
		const Field *create = FieldMember(changes->list->fields[i], "Create");
		const Field *drop = FieldMember(changes->list->fields[i], "Delete");

		n += create != NULL || drop != NULL;
		if (create != NULL)
			changes->create = create;
		if (drop != NULL)
			changes->drop = drop;
	}
	if (n > 1)
		TooManyIndexChanges();
	if (n > 0 && FieldMember(input, "StreamSpecification") != NULL)
		InvalidParameter("You cannot create or delete index while changing stream status");
	if (changes->create != NULL && FieldMember(input, "AttributeDefinitions") == NULL)
		InvalidParameter("AttributeDefinitions is not specified for index: %s",
						 FieldName(changes->create, "IndexName"));
}

static void
CheckBillingMembers(const Field *input)
{
	const Field *throughput = FieldMember(input, "ProvisionedThroughput");

	if (FieldIs(input, "BillingMode", "PAY_PER_REQUEST") && throughput != NULL)
		InvalidParameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
						 "when BillingMode is PAY_PER_REQUEST");
	if (FieldIs(input, "BillingMode", "PROVISIONED") && throughput == NULL)
		InvalidParameter("ProvisionedThroughput must be specified when BillingMode is PROVISIONED");
	(void) FieldThroughput(throughput);
}

/* ---- indexes ---- */

/* The index of this name; raises the error that there is none. */
static const IndexDef *
FindIndex(const OpenedTable *table, const char *name)
{
	const IndexDef *index = TableDefIndex(table->def, name);

	if (index == NULL)
		IndexNotFound(table, name);
	return index;
}

/* Only global indexes of a table with provisioned throughput have one. */
static void
CheckIndexUpdate(const OpenedTable *table, const Field *input, const Field *update)
{
	const char *name = FieldName(update, "IndexName");
	bool		on_demand = table->settings->on_demand;

	if (FindIndex(table, name)->local)
		IndexNotFound(table, name);
	if (FieldMember(input, "BillingMode") != NULL)
		on_demand = FieldIs(input, "BillingMode", "PAY_PER_REQUEST");
	if (on_demand && FieldMember(update, "ProvisionedThroughput") != NULL)
		InvalidParameter("ProvisionedThroughput should not be specified for index: %s "
						 "when BillingMode is PAY_PER_REQUEST", name);
}

/* Definitions beyond what is used are ignored, but keys keep their types. */
static void
CheckRedefinitions(const OpenedTable *table, const Field *definitions)
{
	for (int i = 0; definitions != NULL && i < definitions->count; i++)
	{
		Slice		name = FieldSlice(definitions->fields[i], "AttributeName");
		int			a = TableDefAttribute(table->def, name);
		ValueType	type;

		if (a >= 0 && AttributeTypeOf(definitions, NULL, name, &type) &&
			type != table->def->attributes[a].type)
			InvalidParameter("Attribute %.*s is defined with types %s and %s",
							 (int) name.len, name.data,
							 ValueTypeName(table->def->attributes[a].type),
							 ValueTypeName(type));
	}
}

static void
CheckIndexChanges(const OpenedTable *table, const Field *input, const IndexChanges *changes)
{
	CheckRedefinitions(table, FieldMember(input, "AttributeDefinitions"));
	for (int i = 0; changes->list != NULL && i < changes->list->count; i++)
	{
		const Field *update = FieldMember(changes->list->fields[i], "Update");

		if (update != NULL)
			CheckIndexUpdate(table, input, update);
	}
	if ((changes->drop != NULL || changes->create != NULL) && TableIsChanging(table))
		TooManyIndexChanges();
	if (changes->drop != NULL &&
		FindIndex(table, FieldName(changes->drop, "IndexName"))->local)
		InvalidRequest("Cannot delete an index that is not a GlobalSecondaryIndex: %s",
					   FieldName(changes->drop, "IndexName"));
	if (changes->create != NULL &&
		TableDefIndex(table->def, FieldName(changes->create, "IndexName")) != NULL)
		InvalidRequest("Attempting to create an index which already exists");
}

/* The update of an index's throughput among the changes, or NULL. */
static const Field *
UpdateOf(const IndexChanges *changes, const char *index_name)
{
	for (int i = 0; changes->list != NULL && i < changes->list->count; i++)
	{
		const Field *update = FieldMember(changes->list->fields[i], "Update");

		if (update != NULL && FieldIs(update, "IndexName", index_name))
			return update;
	}
	return NULL;
}

/* ---- billing ---- */

static void
CheckUnchanged(const TableSettings *s, IndexSettings wanted)
{
	if (s->on_demand || s->read_units != wanted.read_units || s->write_units != wanted.write_units)
		return;
	InvalidRequest("The provisioned throughput for the table will not change. "
				   "The requested value equals the current value. "
				   "Current ReadCapacityUnits provisioned for the table: " INT64_FORMAT ". "
				   "Requested ReadCapacityUnits: " INT64_FORMAT ". "
				   "Current WriteCapacityUnits provisioned for the table: " INT64_FORMAT ". "
				   "Requested WriteCapacityUnits: " INT64_FORMAT ". "
				   "Refer to the Amazon DynamoDB Developer Guide for current limits and "
				   "how to request higher limits.",
				   s->read_units, wanted.read_units, s->write_units, wanted.write_units);
}

/* A table that comes to have provisioned throughput has it for every index. */
static void
CheckIndexesProvisioned(const OpenedTable *table, const IndexChanges *changes)
{
	for (int i = 0; i < table->def->nindexes; i++)
	{
		const IndexDef *index = &table->def->indexes[i];
		const Field *update = UpdateOf(changes, index->name);

		if (!index->local &&
			(update == NULL || FieldMember(update, "ProvisionedThroughput") == NULL))
			InvalidParameter("ProvisionedThroughput must be specified for index: %s", index->name);
	}
}

static void
ChangeBilling(const OpenedTable *table, const Field *input, const IndexChanges *changes)
{
	TableSettings *s = table->settings;
	const Field *field = FieldMember(input, "ProvisionedThroughput");
	IndexSettings wanted = FieldThroughput(field);
	bool		provision = FieldIs(input, "BillingMode", "PROVISIONED");
	int64		now = SettingsTime();

	if (FieldIs(input, "BillingMode", "PAY_PER_REQUEST"))
	{
		if (!s->on_demand)
			s->on_demand_since = now;
		s->on_demand = true;
		s->read_units = s->write_units = 0;
	}
	if (field == NULL)
		return;
	if (s->on_demand && !provision)
		InvalidParameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
						 "when BillingMode is PAY_PER_REQUEST");
	if (s->on_demand)
		CheckIndexesProvisioned(table, changes);
	CheckUnchanged(s, wanted);
	if (wanted.read_units > s->read_units || wanted.write_units > s->write_units)
		s->increased = now;
	if (wanted.read_units < s->read_units || wanted.write_units < s->write_units)
		s->decreased = now;
	s->on_demand = false;
	s->read_units = wanted.read_units;
	s->write_units = wanted.write_units;
}

/* ---- streams and the rest ---- */

static void
ChangeStream(const char *name, const Field *stream)
{
	if (FieldBool(stream, "StreamEnabled", false))
		(void) StreamEnable(name, FieldString(stream, "StreamViewType"));
	else
		StreamDisable(name);
}

static char *
RawOr(const Field *input, const char *member, char *before)
{
	const Field *field = FieldMember(input, member);

	return field != NULL ? pnstrdup(field->text.data, field->text.len) : before;
}

static void
ChangeSettings(const OpenedTable *table, const Field *input)
{
	TableSettings *s = table->settings;

	s->deletion_protection = FieldBool(input, "DeletionProtectionEnabled", s->deletion_protection);
	s->on_demand_limits = RawOr(input, "OnDemandThroughput", s->on_demand_limits);
	SetEncryption(s, FieldMember(input, "SSESpecification"));
	if (FieldMember(input, "TableClass") != NULL)
	{
		s->table_class = unconstify(char *, FieldString(input, "TableClass"));
		s->class_changed = SettingsTime();
	}
}

/* ---- the operation ---- */

static void
StoreThroughput(const OpenedTable *table, const IndexChanges *changes)
{
	for (int i = 0; i < table->def->nindexes; i++)
	{
		const IndexDef *index = &table->def->indexes[i];
		const Field *update = UpdateOf(changes, index->name);
		const Field *throughput = update != NULL ?
			FieldMember(update, "ProvisionedThroughput") : NULL;
		IndexSettings settings = FieldThroughput(throughput);

		if (throughput != NULL)
			IndexSettingsWrite(table->rel, index->name, &settings);
		else if (table->settings->on_demand && !index->local)
			IndexSettingsForget(table->rel, index->name);
	}
}

/* The index to be created; its throughput is stored. */
static void
PrepareIndex(const OpenedTable *table, const Field *input, const Field *create,
			 CreateIndexSpec *spec)
{
	const Field *throughput = FieldMember(create, "ProvisionedThroughput");
	IndexSettings settings = FieldThroughput(throughput);

	if (!table->settings->on_demand && throughput == NULL)
		InvalidParameter("ProvisionedThroughput is not specified for index: %s",
						 FieldName(create, "IndexName"));
	if (table->settings->on_demand && throughput != NULL)
		InvalidParameter("ProvisionedThroughput should not be specified for index: %s "
						 "when BillingMode is PAY_PER_REQUEST", FieldName(create, "IndexName"));
	FieldIndexSpec(create, false, FieldMember(input, "AttributeDefinitions"), table->def, spec);
	if (throughput != NULL)
		IndexSettingsWrite(table->rel, spec->name, &settings);
}

static void
Answer(Request *request, const OpenedTable *table, const char *index, const char *status)
{
	WriterName(request->out, "TableDescription");
	WriterTable(request->out, table, "UPDATING", index, status);
}

void
UpdateTableRequest(Request *request)
{
	const Field *input = request->input;
	const char *name = FieldTableName(input);
	const Field *stream = FieldMember(input, "StreamSpecification");
	IndexChanges changes;
	OpenedTable table;

	CheckAnyChange(input);
	CollectChanges(input, &changes);
	CheckStreamView(FieldMember(input, "StreamSpecification"),
					"If stream is being enabled then UpdateViewType is required",
					"If stream is being disabled, then UpdateViewType must not be specified");
	CheckBillingMembers(input);

	if (changes.drop != NULL)
		InterruptBuild(name);
	TableOpen(&table, name, ShareUpdateExclusiveLock);
	CheckIndexChanges(&table, input, &changes);
	ChangeBilling(&table, input, &changes);
	ChangeSettings(&table, input);
	TableSettingsWrite(table.rel, table.settings);
	StoreThroughput(&table, &changes);
	if (changes.drop != NULL)
	{
		const char *index = FieldName(changes.drop, "IndexName");

		/* the answer still has it */
		Answer(request, &table, index, "DELETING");
		IndexSettingsForget(table.rel, index);
		TableClose(&table);
		IndexDrop(name, index);
	}
	else if (changes.create != NULL)
	{
		CreateIndexSpec spec;

		PrepareIndex(&table, input, changes.create, &spec);
		/* ALTER TABLE wants nobody to have it open */
		TableClose(&table);
		IndexCreate(name, &spec);
		TableOpen(&table, name, AccessShareLock);
		Answer(request, &table, spec.name, "CREATING");
		TableClose(&table);
	}
	else
	{
		if (stream != NULL)
		{
			/* as above */
			TableClose(&table);
			ChangeStream(name, stream);
			TableOpen(&table, name, AccessShareLock);
		}
		Answer(request, &table, "", NULL);
		TableClose(&table);
	}
}
