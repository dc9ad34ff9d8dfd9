/*
 * event_rename.c
 *	  ALTER TABLE ... RENAME TO: what belongs to a table takes its name.
 *
 * Index tables, their shards, partitions and the stream of table shop are named
 * "shop$...", so that one pattern names them all, for pg_dump above all.  They are
 * found by their links and not by their names, which users may change.
 *
 * ALTER TABLE ... ROW LEVEL SECURITY, too, applies to all of them: also to disabled
 * streams, which the definition of the table does not name any more.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "ddl/ddl.h"
#include "ddl/event.h"
#include "extension_objects.h"
#include "table/distribution.h"
#include "table/object_names.h"

/* Relations with a link to a table, also clones of links, and its partitions. */
static EventPlan followers_of = {
"SELECT t.tgrelid FROM pg_catalog.pg_trigger t "
"WHERE t.tgconstrrelid OPERATOR(pg_catalog.=) ANY ($1) AND t.tgname OPERATOR(pg_catalog.=) '" TRIGGER_BELONGS_TO "' "
"  AND t.tgfoid OPERATOR(pg_catalog.=) '" SYSTEM_SCHEMA "." FUNCTION_BELONGS_TO "()'::pg_catalog.regprocedure::pg_catalog.oid "
"UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits i WHERE i.inhparent OPERATOR(pg_catalog.=) ANY ($1)"
};

static List *
FindFollowers(Oid relid)
{
	EventQueryOf(&followers_of, relid);
	return ResultOids();
}

/*
 * Returns what the name of a relation has after the name of its table; NULL if it has
 * another name.  A name that is too long was mapped, with a suffix that is known.
 */
static const char *
FindSuffix(const TableDef *def, const char *old, const char *name)
{
	size_t		len = strlen(old);

	if (strncmp(name, old, len) == 0 && name[len] == '$' && name[len + 1] != '\0')
		return name + len + 1;
	for (int i = 0; def != NULL && i < def->nindexes; i++)
	{
		if (strcmp(IndexRelationNameFor(old, def->indexes[i].name), name) == 0)
			return def->indexes[i].name;
	}
	for (int i = 0; i < MAX_SHARDS; i++)
	{
		if (strcmp(IndexRelationNameFor(old, psprintf("%d", i)), name) == 0)
			return psprintf("%d", i);
	}
	return strcmp(IndexRelationNameFor(old, "stream"), name) == 0 ? "stream" : NULL;
}

/* Returns a name that no relation of the schema has. */
static char *
ChooseName(Oid schema, const char *table_name, const char *suffix)
{
	char	   *base = IndexRelationNameFor(table_name, suffix);
	char	   *name = base;

	for (int i = 1; OidIsValid(get_relname_relid(name, schema)); i++)
		name = IndexRelationNameFor(base, psprintf("r%d", i));
	return name;
}

static void
RenameFollower(Oid follower, const char *name)
{
	int			level = SessionIsOfNode() ? 0 : DistributedDdlBegin(follower);

	RunStatement("ALTER TABLE %s RENAME TO %s", QualifiedName(get_rel_namespace(follower), get_rel_name(follower)),
				 quote_identifier(name));
	DistributedDdlEnd(level);
}

/* Whether a relation is an index table or a stream. */
static bool
BelongsToTable(Oid relid)
{
	Relation	rel = try_table_open(relid, AccessShareLock);
	bool		belongs = rel != NULL && HasTriggerOf(rel, SystemFunctionOid(FUNCTION_BELONGS_TO));

	if (rel != NULL)
		table_close(rel, AccessShareLock);
	return belongs;
}

static bool
RenamesRelation(const RenameStmt *statement, Oid relid)
{
	switch (statement->renameType)
	{
		case OBJECT_TABLE:
		case OBJECT_INDEX:		/* ALTER INDEX also renames tables, and so do the next */
		case OBJECT_SEQUENCE:
		case OBJECT_VIEW:
		case OBJECT_MATVIEW:
			return statement->relation != NULL && HasName(relid, statement->newname);
		default:
			return false;
	}
}

void
FollowersTakeName(Oid relid, const TableDef *def, const Node *statement)
{
	const RenameStmt *rename = (const RenameStmt *) statement;
	ListCell   *cell;

	if (!IsA(statement, RenameStmt) || !RenamesRelation(rename, relid) || (def == NULL && !BelongsToTable(relid)))
		return;
	foreach(cell, FindFollowers(relid))
	{
		Oid			follower = lfirst_oid(cell);
		char	   *name = get_rel_name(follower);
		const char *suffix = name == NULL ? NULL : FindSuffix(def, rename->relation->relname, name);

		CHECK_FOR_INTERRUPTS();
		if (suffix != NULL && RelationOwner(follower) == RelationOwner(relid) &&
			RelationOwnercheck(follower, GetUserId()))
			RenameFollower(follower, ChooseName(get_rel_namespace(follower), get_rel_name(relid), suffix));
	}
}

static bool
ChangesRowSecurity(const Node *statement)
{
	ListCell   *cell;

	if (!IsA(statement, AlterTableStmt))
		return false;
	foreach(cell, ((const AlterTableStmt *) statement)->cmds)
	{
		AlterTableType type = lfirst_node(AlterTableCmd, cell)->subtype;

		if (type == AT_EnableRowSecurity || type == AT_DisableRowSecurity)
			return true;
	}
	return false;
}

void
FollowersTakeRowSecurity(Oid relid, const Node *statement)
{
	ListCell   *cell;

	if (!ChangesRowSecurity(statement))
		return;
	foreach(cell, FindFollowers(relid))
	{
		Oid			follower = lfirst_oid(cell);
		int			level;

		if (!BelongsToTable(follower) || HasRowSecurity(follower) == HasRowSecurity(relid) ||
			RelationOwner(follower) != RelationOwner(relid) || !RelationOwnercheck(follower, GetUserId()))
			continue;
		level = SessionIsOfNode() ? 0 : DistributedDdlBegin(follower);
		MatchRowSecurity(relid, follower);
		DistributedDdlEnd(level);
	}
}
