/*
 * distribution.c
 *	  Distributed tables, and what is refused on them.
 */
#include "postgres.h"

#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "extension_objects.h"
#include "table/distribution.h"
#include "table/index_relation.h"
#include "table/link.h"
#include "table/moves.h"
#include "table/placement.h"

bool
RelationIsDistributed(Oid relid)
{
	return placement->is_distributed(relid);
}

bool
ServerIsWorker(void)
{
	return placement->server_is_worker();
}

bool
SessionIsOfNode(void)
{
	return placement->session_is_of_node();
}

bool
StatementIsOfNode(void)
{
	return SessionIsOfNode() && ServerIsWorker();
}

/* ---- shards ---- */

Oid
DistributedTableOf(Relation rel)
{
	return placement->table_of_shard(RelationGetRelid(rel), RelationGetRelationName(rel), RelationGetNamespace(rel));
}

bool
RelationIsShard(Oid relid)
{
	const char *name = get_rel_name(relid);

	return name != NULL && OidIsValid(placement->table_of_shard(relid, name, get_rel_namespace(relid)));
}

int64
ShardNumberOf(Relation rel)
{
	return OidIsValid(DistributedTableOf(rel)) ? placement->number_of_shard(RelationGetRelationName(rel)) : 0;
}

const char *
HashDistributionColumn(Oid table)
{
	return placement->distribution_column(table, true);
}

void
CheckStaysInShard(Relation rel, const char *column)
{
	Oid			table = DistributedTableOf(rel);
	const char *distribution = OidIsValid(table) ? placement->distribution_column(table, false) : NULL;

	if (distribution != NULL && strcmp(distribution, column) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot change key attribute \"%s\" of an item of distributed table \"%s\"",
						column, get_rel_name(table)),
				 errdetail("Citus finds the item by this attribute, and would look for it in another shard."),
				 errhint("Delete the item, and put it with its new key.")));
}

/* ---- refusals ---- */

void
DistributedError(Oid relid, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s is not supported on distributed tables", what),
			 errdetail("Citus distributes table \"%s\".", get_rel_name(relid)),
			 errhint("Call undistribute_table to make it a table of one server.")));
}

void
RefuseShard(Relation rel, const char *what)
{
	Oid			table = DistributedTableOf(rel);

	if (OidIsValid(table))
		DistributedError(table, what);
}

void
RequireCoordinator(const char *message)
{
	if (ServerIsWorker())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s", message),
				 errdetail("This server is a worker node.")));
}

void
RefuseDistributed(Relation rel, const char *what)
{
	if (RelationIsDistributed(RelationGetRelid(rel)))
		DistributedError(RelationGetRelid(rel), what);
	RefuseShard(rel, what);
}

Oid
FindChangeTable(Oid table)
{
	Oid			relid = FindLinked(table, CHANGES_LABEL);

	return OidIsValid(relid) && HaveSameOwner(relid, table) ? relid : InvalidOid;
}

const char *
FindIndexProblem(const TableDef *def, const IndexDef *index)
{
	if (!index->kind->own_entries)
		return NULL;
	if (index->local)
		return "a local index in an index table";
	return index->kind->undistributable;
}

/* The problem of an index table of a distributed table; or NULL. */
static const char *
FindIndexTableProblem(const TableDef *def, const IndexDef *index)
{
	Oid			relid = index->kind->own_entries ? FindIndexRelation(def, index) : InvalidOid;

	if (!index->kind->own_entries)
		return NULL;
	return !OidIsValid(relid) || !RelationIsDistributed(relid) ||
		!OidIsValid(FindChangeTable(def->relid)) ? "an index table of one server" : NULL;
}

static bool
HasColocatedStream(Oid table, const char *relation)
{
	Oid			stream = FindLinked(table, relation);

	return OidIsValid(stream) && HaveSameOwner(stream, table) && placement->is_colocated(table, stream);
}

/* Whether the stream of a distributed table, if it has one, is not distributed with it. */
static bool
HasStreamOfOneServer(Relation rel)
{
	Oid			function = SystemFunctionOid(FUNCTION_CAPTURE_CHANGES);
	const char *relation = NULL;

	for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
	{
		const Trigger *trigger = &rel->trigdesc->triggers[i];

		if (trigger->tgfoid == function)
			relation = trigger->tgnargs > 0 ? pstrdup(trigger->tgargs[0]) : "";
	}
	return relation != NULL && !HasColocatedStream(RelationGetRelid(rel), relation);
}

const char *
FindUndistributable(Relation rel, const TableDef *def)
{
	bool		distributed = RelationIsDistributed(RelationGetRelid(rel));

	for (int i = 0; i < def->nindexes; i++)
	{
		const char *problem = FindIndexProblem(def, &def->indexes[i]);

		if (problem == NULL && distributed)
			problem = FindIndexTableProblem(def, &def->indexes[i]);
		if (problem != NULL)
			return problem;
		if (def->indexes[i].status != INDEX_ACTIVE)
			return "an index that is being built";
	}
	if (distributed && HasStreamOfOneServer(rel))
		return "a stream of one server";
	if (HasTriggerOf(rel, SystemFunctionOid(FUNCTION_CHECK_REFERENCE)) ||
		HasTriggerOf(rel, SystemFunctionOid(FUNCTION_CHECK_REFERENCED)))
		return "a reference between items";
	if (HasTriggerOf(rel, SystemFunctionOid(FUNCTION_KEEP_COPIES)))
		return "a copy or total";
	for (int i = 0; def->entities != NULL && i < def->entities->count; i++)
	{
		if (def->entities->entities[i].moving)
			return "a migration of an entity";
	}
	return NULL;
}

void
CheckTableCanBeCreated(Oid schema)
{
	if (ServerIsWorker())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot create a dynamo table on a worker node of Citus"),
				 errdetail("The other nodes would not know the table."),
				 errhint("Create the table on the coordinator.")));
	if (placement->schema_is_distributed(schema))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot create a dynamo table in distributed schema \"%s\"",
						get_namespace_name(schema)),
				 errdetail("Citus would not move the table with its schema."),
				 errhint("Create the table in another schema.")));
}

void
CheckSettingsAreHere(Relation rel)
{
	if (ServerIsWorker() && RelationIsDistributed(RelationGetRelid(rel)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access the settings of distributed table \"%s\" on a worker node of Citus",
						RelationGetRelationName(rel)),
				 errhint("Send the request to the coordinator.")));
}

void
CheckTokensAreHere(const Oid *tables, int n)
{
	if (!ServerIsWorker())
		return;
	for (int i = 0; i < n; i++)
	{
		if (RelationIsDistributed(tables[i]))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("cannot use ClientRequestToken for distributed table \"%s\" on a worker node of Citus",
							get_rel_name(tables[i])),
					 errdetail("The coordinator keeps the tokens, so that a request is executed once."),
					 errhint("Send the request to the coordinator.")));
	}
}

void
RequireLocalRows(Relation rel, const char *hint)
{
	if (RelationIsDistributed(RelationGetRelid(rel)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("table \"%s\" of the extension dynamo must not be distributed",
						RelationGetRelationName(rel)),
				 errdetail("The extension reads and writes the rows of this table on this server."),
				 errhint("%s", hint)));
}
