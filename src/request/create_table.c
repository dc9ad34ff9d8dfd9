/*
 * create_table.c
 *	  CreateTable.
 *
 * The table exists when the request ends, and other sessions see it when its
 * transaction commits.  The response still has the status CREATING, as clients
 * expect; DescribeTable returns ACTIVE.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "miscadmin.h"

#include "errors.h"
#include "request/create_table.h"
#include "request/description.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/params.h"
#include "request/resource_policy.h"
#include "request/table_params.h"
#include "request/tags.h"
#include "request/throughput.h"
#include "request/vector_params.h"
#include "stream/stream.h"
#include "table/placement.h"
#include "table/table_name.h"

/* ---- checks, in the service's order ---- */

static bool
IsOnDemand(const Field *input)
{
	return FieldIs(input, "BillingMode", "PAY_PER_REQUEST");
}

static void
CheckBilling(const Field *input)
{
	const Field *throughput = FieldMember(input, "ProvisionedThroughput");

	if (!IsOnDemand(input) && throughput == NULL)
		InvalidParameter("ReadCapacityUnits and WriteCapacityUnits must both be specified "
						 "when BillingMode is PROVISIONED");
	if (IsOnDemand(input) && throughput != NULL)
		InvalidParameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
						 "when BillingMode is PAY_PER_REQUEST");
	CheckProvisioned(throughput);
	(void) NewThroughput(input, (ThroughputOf) {NULL, IsOnDemand(input), false});
}

static bool
KeyHasAttribute(const Field *schema, Slice name)
{
	for (int i = 0; i < schema->count; i++)
	{
		if (SliceCompare(FieldSlice(schema->fields[i], "AttributeName"), name) == 0)
			return true;
	}
	return false;
}

static bool
IndexesHave(const Field *indexes, Slice name)
{
	for (int i = 0; indexes != NULL && i < indexes->count; i++)
	{
		if (KeyHasAttribute(FieldMember(indexes->fields[i], "KeySchema"), name))
			return true;
	}
	return false;
}

bool
CreationUses(const Field *input, Slice name)
{
	CHECK_FOR_INTERRUPTS();
	return KeyHasAttribute(FieldMember(input, "KeySchema"), name) ||
		IndexesHave(FieldMember(input, "LocalSecondaryIndexes"), name) ||
		IndexesHave(FieldMember(input, "GlobalSecondaryIndexes"), name) ||
		VectorIndexesHave(FieldMember(input, "VectorIndexes"), name);
}

/*
 * Returns the names in AttributeDefinitions, all of them or those used by
 * keys: "a, b".
 */
static char *
DefinitionNames(const Field *input, bool used)
{
	const Field *definitions = FieldMember(input, "AttributeDefinitions");
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < definitions->count; i++)
	{
		Slice		name = FieldSlice(definitions->fields[i], "AttributeName");

		if (used && !CreationUses(input, name))
			continue;
		appendStringInfo(&out, "%s%.*s", out.len > 0 ? ", " : "", (int) name.len, name.data);
	}
	return out.data;
}

static void
CheckAllUsed(const Field *input)
{
	const Field *definitions = FieldMember(input, "AttributeDefinitions");

	for (int i = 0; i < definitions->count; i++)
	{
		if (CreationUses(input, FieldSlice(definitions->fields[i], "AttributeName")))
			continue;
		if (FieldMember(input, "LocalSecondaryIndexes") == NULL &&
			FieldMember(input, "GlobalSecondaryIndexes") == NULL &&
			FieldMember(input, "VectorIndexes") == NULL)
			InvalidParameter("Number of attributes in KeySchema does not exactly match "
							 "number of attributes defined in AttributeDefinitions");
		InvalidParameter("Some AttributeDefinitions are not used. "
						 "AttributeDefinitions: [%s], keys used: [%s]",
						 DefinitionNames(input, false), DefinitionNames(input, true));
	}
}

static Throughput
NewIndexThroughput(const Field *input, const Field *index)
{
	ThroughputOf of = {FieldName(index, "IndexName"), IsOnDemand(input), false};

	return NewThroughput(index, of);
}

static void
CheckIndexThroughput(const Field *input, const Field *index)
{
	const Field *throughput = FieldMember(index, "ProvisionedThroughput");

	if (IsOnDemand(input) && throughput != NULL)
		InvalidParameter("ProvisionedThroughput should not be specified for index: %s "
						 "when BillingMode is PAY_PER_REQUEST", FieldName(index, "IndexName"));
	if (!IsOnDemand(input) && throughput == NULL)
		InvalidParameter("ProvisionedThroughput is not specified for index: %s",
						 FieldName(index, "IndexName"));
	CheckProvisioned(throughput);
	(void) NewIndexThroughput(input, index);
}

/* ---- the specification ---- */

static void
AddIndexes(CreateTableSpec *spec, const Field *input, const char *member, bool local)
{
	const Field *list = FieldMember(input, member);

	if (list == NULL)
		return;
	if (list->count == 0)
		InvalidParameter("List of %s is empty", member);
	for (int i = 0; i < list->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!local)
			CheckIndexThroughput(input, list->fields[i]);
		FieldIndexSpec(list->fields[i], local, FieldMember(input, "AttributeDefinitions"),
					   &spec->indexes[spec->nindexes++]);
	}
}

static void
AddVectorIndexes(CreateTableSpec *spec, const Field *input)
{
	const Field *list = FieldMember(input, "VectorIndexes");

	if (list == NULL)
		return;
	if (list->count == 0)
		InvalidParameter("List of VectorIndexes is empty");
	CheckVectorBilling(IsOnDemand(input));
	for (int i = 0; i < list->count; i++)
		FieldVectorIndexSpec(list->fields[i], FieldMember(input, "AttributeDefinitions"),
							 &spec->indexes[spec->nindexes++]);
}

static int
ListLength(const Field *input, const char *member)
{
	const Field *list = FieldMember(input, member);

	return list != NULL ? list->count : 0;
}

static void
SpecFromInput(const Field *input, CreateTableSpec *spec)
{
	const Field *definitions = FieldMember(input, "AttributeDefinitions");
	int			nindexes = ListLength(input, "LocalSecondaryIndexes") +
		ListLength(input, "GlobalSecondaryIndexes") + ListLength(input, "VectorIndexes");

	memset(spec, 0, sizeof(*spec));
	spec->name = FieldTableName(input);
	spec->fillfactor = DEFAULT_FILLFACTOR;
	spec->indexes = palloc0(Max(nindexes, 1) * sizeof(CreateIndexSpec));
	RefuseMember(input, "GlobalTableSourceArn");
	RefuseMember(input, "GlobalTableSettingsReplicationMode");
	CheckTableClass(input);
	CheckBilling(input);
	CheckEncryption(FieldMember(input, "SSESpecification"));
	FieldTableKey(FieldMember(input, "KeySchema"), definitions, &spec->key);
	CheckDefinitions(definitions);
	AddIndexes(spec, input, "LocalSecondaryIndexes", true);
	AddIndexes(spec, input, "GlobalSecondaryIndexes", false);
	AddVectorIndexes(spec, input);
	CheckTableSpec(spec);
	CheckAllUsed(input);
	CheckStreamView(FieldMember(input, "StreamSpecification"),
					"Table is being created with a stream enabled, UpdateViewType is required",
					"Table is being created with a stream disabled, UpdateViewType should not be specified");
}

/* ---- settings ---- */

static TableSettings *
SettingsFromInput(const Field *input)
{
	TableSettings *settings = TableSettingsNew();

	settings->on_demand = IsOnDemand(input);
	if (!settings->on_demand)
		settings->on_demand_since = 0;
	settings->throughput = NewThroughput(input, (ThroughputOf) {NULL, IsOnDemand(input), false});
	settings->deletion_protection = FieldBool(input, "DeletionProtectionEnabled", false);
	settings->table_class = unconstify(char *, FieldString(input, "TableClass"));
	SetEncryption(settings, FieldMember(input, "SSESpecification"));
	return settings;
}

static void
WriteIndexThroughput(Relation rel, const Field *input)
{
	const Field *list = FieldMember(input, "GlobalSecondaryIndexes");

	for (int i = 0; list != NULL && i < list->count; i++)
	{
		Throughput	throughput = NewIndexThroughput(input, list->fields[i]);

		IndexThroughputWrite(rel, FieldName(list->fields[i], "IndexName"), &throughput);
	}
}

static void
BeginStream(const char *table, const Field *input)
{
	const Field *stream = FieldMember(input, "StreamSpecification");

	if (stream != NULL && FieldBool(stream, "StreamEnabled", false))
		(void) StreamEnable(table, FieldString(stream, "StreamViewType"));
}

char *
CreateTableFrom(const Field *input, int partitions)
{
	const Field *tags = FieldMember(input, "Tags");
	CreateTableSpec spec;
	Relation	rel;
	char	   *name;

	SpecFromInput(input, &spec);
	spec.partitions = new_table_shards > 0 ? 0 : partitions;
	if (tags != NULL)
		CheckTags(tags);
	rel = table_open(TableCreate(&spec), NoLock);
	CommandCounterIncrement();
	TableSettingsWrite(rel, SettingsFromInput(input));
	WriteIndexThroughput(rel, input);
	if (tags != NULL)
		WriteTags(rel, tags);
	if (FieldMember(input, "ResourcePolicy") != NULL)
		(void) AttachPolicy(rel, "", FieldString(input, "ResourcePolicy"), NULL);
	name = TableNameOfOid(RelationGetRelid(rel));
	table_close(rel, NoLock);
	BeginStream(name, input);
	return name;
}

void
DistributeNewTable(const char *name)
{
	if (new_table_shards > 0)
		placement->distribute(TableNameOpen(name, AccessExclusiveLock, false), new_table_shards);
}

static const Member create_table_members[] = {
	REQUIRED("AttributeDefinitions", model_attribute_definitions),
	REQUIRED("TableName", model_defined_table),
	MEMBER("BillingMode", model_billing_mode),
	MEMBER("ProvisionedThroughput", model_throughput),
	REQUIRED("KeySchema", model_key_schema),
	MEMBER("GlobalSecondaryIndexes", model_global_indexes),
	MEMBER("LocalSecondaryIndexes", model_local_indexes),
	MEMBER("StreamSpecification", model_stream),
	MEMBER("SSESpecification", model_encryption),
	MEMBER("Tags", model_tags),
	MEMBER("TableClass", model_string),
	MEMBER("DeletionProtectionEnabled", model_boolean),
	MEMBER("OnDemandThroughput", model_on_demand),
	MEMBER("WarmThroughput", model_warm_throughput),
	MEMBER("ResourcePolicy", model_string),
	MEMBER("GlobalTableSourceArn", model_string),
	MEMBER("GlobalTableSettingsReplicationMode", model_string),
	MEMBER("VectorIndexes", model_vector_indexes),
};
static const Shape create_table_input = STRUCTURE("CreateTableInput", create_table_members);

/* The service's has no local indexes, tags and streams, which do no harm. */
const Shape model_table_creation = STRUCTURE("TableCreationParameters", create_table_members);

static void
CreateTableRequest(Request *request)
{
	Transition	transition = {.status = "CREATING", .created = true};
	const char *name = CreateTableFrom(request->input, 0);
	OpenedTable table;

	DistributeNewTable(name);
	TableOpen(&table, name, AccessShareLock);
	WriterName(request->out, "TableDescription");
	transition.warm_given = FieldMember(request->input, "WarmThroughput") != NULL;
	WriterTable(request->out, &table, &transition);
	TableClose(&table);
}

OPERATION(CreateTable, &create_table_input, CreateTableRequest, .changes = "TableName");
