/*
 * update_rules.c
 *	  The changes that one UpdateTable may combine.
 *
 * In the service most changes are long-running, and it accepts one at a time.
 * Here they are immediate, but requests that the service refuses are refused,
 * too.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "errors.h"
#include "request/table_params.h"
#include "request/throughput.h"
#include "request/update_rules.h"

/* ---- members that go with no others, or with few ---- */

static const char *const changing_members[] = {
	"ProvisionedThroughput", "BillingMode", "StreamSpecification",
	"GlobalSecondaryIndexUpdates", "SSESpecification", "DeletionProtectionEnabled",
	"OnDemandThroughput", "WarmThroughput", "TableClass", "VectorIndexUpdates"
};

static bool
IsMemberGiven(const Field *input, const char *member)
{
	return FieldMember(input, member) != NULL;
}

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
	const Field *list = FieldMember(input, "GlobalSecondaryIndexUpdates");

	/* an empty list requests no change */
	if (CountChanges(input) == 0)
		InvalidRequest("At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
					   "%sSSESpecification, ReplicaUpdates, "
					   "MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
					   "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or "
					   "TableClass is required", list == NULL ? "GlobalSecondaryIndexUpdates, " : "");
	if (list != NULL && list->count == 0)
		InvalidParameter("List of GlobalSecondaryIndexUpdates is empty");
}

/* The changes, in the order in which they are reported. */
static const struct
{
	const char *member;
	const char *name;			/* the change's name in the message */
}			lonely_members[] = {
	{"SSESpecification", "Server-Side Encryption"},
	{"TableClass", "TableClass"},
	{"DeletionProtectionEnabled", "DeletionProtection"},
};

static bool
CreatesIndex(const Field *input)
{
	const Field *list = FieldMember(input, "GlobalSecondaryIndexUpdates");

	for (int i = 0; list != NULL && i < list->count; i++)
	{
		if (FieldMember(list->fields[i], "Create") != NULL)
			return true;
	}
	return false;
}

static void
CheckAlone(const Field *input)
{
	if (CountChanges(input) == 1)
		return;
	for (size_t i = 0; i < lengthof(lonely_members); i++)
	{
		if (IsMemberGiven(input, lonely_members[i].member))
			InvalidParameter("%s modification must be the only operation in the request",
							 lonely_members[i].name);
	}
	if (IsMemberGiven(input, "WarmThroughput") && CreatesIndex(input))
		InvalidParameter("Create global secondary index cannot be specified when updating WarmThroughput");
	if (IsMemberGiven(input, "WarmThroughput"))
		InvalidParameter("WarmThroughput must be the only operation in the request");
	if (IsMemberGiven(input, "OnDemandThroughput") &&
		(CountChanges(input) > 2 || !IsMemberGiven(input, "BillingMode")))
		InvalidParameter("OnDemandThroughput can only be combined with BillingMode in an UpdateTable request");
}

/* Whether provisioned throughput ("IOPS") is set. */
static bool
SetsUnits(const Field *input)
{
	return IsMemberGiven(input, "ProvisionedThroughput") || FieldIs(input, "BillingMode", "PROVISIONED");
}

/* Whether an index of any kind is created or dropped. */
static bool
MakesIndex(const IndexChanges *changes)
{
	return changes->create != NULL || changes->drop != NULL ||
		changes->vector_create != NULL || changes->vector_drop != NULL;
}

static void
CheckTogether(const Field *input, const IndexChanges *changes)
{
	bool		makes_index = MakesIndex(changes);

	if (IsMemberGiven(input, "StreamSpecification") && SetsUnits(input))
		InvalidParameter("You cannot modify stream status while updating table IOPS");
	if (makes_index && SetsUnits(input))
		InvalidParameter("You cannot create or delete index while updating table IOPS");
	if (makes_index && IsMemberGiven(input, "StreamSpecification"))
		InvalidParameter("You cannot create or delete index while changing stream status");
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
	CheckProvisioned(throughput);
}

/* ---- indexes ---- */

/* Returns the only action of a GlobalSecondaryIndexUpdate. */
static const Field *
FindIndexAction(const Field *change)
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
		Slice		name = FieldSlice(FindIndexAction(list->fields[i]), "IndexName");

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < i; j++)
		{
			if (SliceCompare(FieldSlice(FindIndexAction(list->fields[j]), "IndexName"), name) == 0)
				InvalidParameter("Only one global secondary index update per index is allowed simultaneously. Index: %.*s",
								 (int) name.len, name.data);
		}
	}
}

void
TooManyIndexChanges(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_LIMIT_EXCEEDED),
			 errmsg("Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table")));
}

/* Finds the changes of vector indexes; returns their number. */
static int
CollectVectorChanges(const Field *list, IndexChanges *changes)
{
	int			n = 0;

	for (int i = 0; list != NULL && i < list->count; i++)
	{
		const Field *create = FieldMember(list->fields[i], "Create");
		const Field *drop = FieldMember(list->fields[i], "Delete");

		/* words not known */
		if (create != NULL && drop != NULL)
			InvalidParameter("Only one vector index action is allowed per VectorIndexUpdate object");
		if (create == NULL && drop == NULL)
			InvalidParameter("One of VectorIndexUpdate.Create, VectorIndexUpdate.Delete must not be null");
		n++;
		if (create != NULL)
			changes->vector_create = create;
		else
			changes->vector_drop = drop;
	}
	return n;
}

static void
CollectChanges(const Field *input, IndexChanges *changes)
{
	int			n;

	memset(changes, 0, sizeof(*changes));
	n = CollectVectorChanges(FieldMember(input, "VectorIndexUpdates"), changes);
	changes->list = FieldMember(input, "GlobalSecondaryIndexUpdates");
	if (changes->list != NULL)
		CheckNamedOnce(changes->list);
	for (int i = 0; changes->list != NULL && i < changes->list->count; i++)
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
	if (changes->create != NULL && FieldMember(input, "AttributeDefinitions") == NULL)
		InvalidParameter("AttributeDefinitions is not specified for index: %s",
						 FieldName(changes->create, "IndexName"));
}

bool
IsLongUpdate(const Field *input, const IndexChanges *changes)
{
	return MakesIndex(changes) || SetsUnits(input) ||
		IsMemberGiven(input, "BillingMode") || IsMemberGiven(input, "StreamSpecification") ||
		IsMemberGiven(input, "TableClass");
}

void
CheckUpdateRules(const Field *input, IndexChanges *changes)
{
	static const char *const of_replicas[] = {
		"ReplicaUpdates", "MultiRegionConsistency", "GlobalTableWitnessUpdates",
		"GlobalTableSettingsReplicationMode", "DisassociationProtectionEnabled"
	};

	for (size_t i = 0; i < lengthof(of_replicas); i++)
		RefuseMember(input, of_replicas[i]);
	CheckAnyChange(input);
	CheckTableClass(input);
	CheckAlone(input);
	CollectChanges(input, changes);
	CheckTogether(input, changes);
	CheckEncryption(FieldMember(input, "SSESpecification"));
	CheckBillingMembers(input);
	CheckStreamView(FieldMember(input, "StreamSpecification"),
					"If stream is being enabled then UpdateViewType is required",
					"If stream is being disabled, then UpdateViewType must not be specified");
}
