/*
 * link.c
 *	  From what a table's triggers say to the relations that they name.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/index.h"
#include "catalog/pg_class.h"
#include "commands/trigger.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/link.h"
#include "catalog/objects.h"

/* ---- indexes and streams ---- */

/* Whether a relation of any kind is a btree of a table. */
static bool
IsIndexOf(Oid relid, Oid table)
{
	char		kind = get_rel_relkind(relid);

	return (kind == RELKIND_INDEX || kind == RELKIND_PARTITIONED_INDEX) &&
		IndexGetRelation(relid, true) == table;
}

static bool
IsTableOfOwner(Relation rel, Oid owner)
{
	char		kind = rel->rd_rel->relkind;

	return (kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE) &&
		rel->rd_rel->relowner == owner;
}

static bool
IsIndexTableOf(Oid relid, Oid table)
{
	Relation	rel = try_relation_open(relid, AccessShareLock);
	bool		linked;

	if (rel == NULL)
		return false;
	linked = IsTableOfOwner(rel, RelationOwner(table)) && !IsPartitionedByExpression(relid) &&
		HasTriggerOf(rel, DynamoFunctionOid(FUNCTION_GUARD_INDEX));
	relation_close(rel, AccessShareLock);
	return linked;
}

static bool
IsStreamOf(Oid relid, Oid table, const TableStream *stream)
{
	Relation	rel = try_relation_open(relid, AccessShareLock);
	StreamDef	def;
	bool		linked;

	if (rel == NULL)
		return false;
	linked = IsTableOfOwner(rel, RelationOwner(table)) && StreamDefOf(rel, &def) &&
		strcmp(def.label, stream->label) == 0;
	relation_close(rel, AccessShareLock);
	return linked;
}

Oid
FindIndexRelation(const TableDef *def, const IndexDef *index)
{
	Oid			table = TableDefRoot(def);
	Oid			relid = get_relname_relid(index->relation, get_rel_namespace(table));
	bool		linked;

	if (!OidIsValid(relid))
		return InvalidOid;
	linked = index->storage == STORAGE_INLINE ? IsIndexOf(relid, table) :
		IsIndexTableOf(relid, table);
	return linked ? relid : InvalidOid;
}

Oid
FindStreamRelation(Oid relid, const TableStream *stream)
{
	Oid			found = get_relname_relid(stream->relation, get_rel_namespace(relid));

	return OidIsValid(found) && IsStreamOf(found, relid, stream) ? found : InvalidOid;
}

/* ---- references between items ---- */

/* The function of the trigger on the other table; InvalidOid if none of these. */
static Oid
OtherFunction(Oid function)
{
	if (function == DynamoFunctionOid(FUNCTION_CHECK_REFERENCE))
		return DynamoFunctionOid(FUNCTION_CHECK_REFERENCED);
	if (function == DynamoFunctionOid(FUNCTION_CHECK_REFERENCED))
		return DynamoFunctionOid(FUNCTION_CHECK_REFERENCE);
	return InvalidOid;
}

/* Whether a trigger of another table is the other one of a reference. */
static bool
IsOtherTrigger(const Trigger *trigger, Oid relid, const Trigger *other, Oid function)
{
	return other->tgfoid == function && other->tgconstrrelid == relid &&
		trigger->tgnargs == 1 && other->tgnargs == 1 &&
		strcmp(trigger->tgargs[0], other->tgargs[0]) == 0;
}

char *
FindOtherReferenceTrigger(Oid relid, const Trigger *trigger)
{
	Oid			function = OtherFunction(trigger->tgfoid);
	Relation	rel;
	const TriggerDesc *others;
	char	   *name = NULL;

	if (!OidIsValid(function) || !OidIsValid(trigger->tgconstrrelid))
		return NULL;
	rel = try_relation_open(trigger->tgconstrrelid, AccessShareLock);
	if (rel == NULL)
		return NULL;
	others = CopyTriggerDesc(rel->trigdesc);
	relation_close(rel, AccessShareLock);
	for (int i = 0; name == NULL && others != NULL && i < others->numtriggers; i++)
	{
		if (IsOtherTrigger(trigger, relid, &others->triggers[i], function))
			name = others->triggers[i].tgname;
	}
	return name;
}

bool
ReferenceIsLinked(Relation rel, const Trigger *trigger)
{
	return RelationOwner(trigger->tgconstrrelid) == rel->rd_rel->relowner ||
		FindOtherReferenceTrigger(PartitionRoot(RelationGetRelid(rel)), trigger) != NULL;
}
