/*
 * copy_hidden.c
 *	  Copies and totals under row security.
 *
 * Copies and totals read and change items with the rights of the table's owner.
 * Without the check here, who writes a child would read attributes of a parent
 * that row security hides from them, and change its totals.
 *
 * A parent that does not exist is refused like a hidden one: otherwise the error
 * would tell which exist, and a child could wait for its parent, which would
 * then get its totals and give it copies.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

#include "copy/copy.h"

static AclMode
NeededAccess(const Copy *copy)
{
	return copy->ntotals > 0 ? ACL_SELECT | ACL_UPDATE : ACL_SELECT;
}

/*
 * Whether the user may see the row with a key, or update it, as the policies
 * decide on its current version.
 */
static bool
HasAccess(Relation rel, const Copy *copy, ValueRef key)
{
	AclMode		access = NeededAccess(copy);
	RowKey		row_key;
	Store		store;
	bool		has_access;

	if (pg_class_aclmask(RelationGetRelid(rel), GetUserId(), access, ACLMASK_ALL) != access)
		return false;
	PushActiveSnapshot(GetLatestSnapshot());
	StoreOpenRelation(&store, RelationGetRelid(rel), access);
	(void) RowKeyFromItem(store.def, key, &row_key, NULL);
	has_access = copy->ntotals > 0 ? StoreMayUpdate(&store, &row_key) : StoreGet(&store, &row_key) != NULL;
	StoreClose(&store);
	PopActiveSnapshot();
	return has_access;
}

void
CopyCheckParent(Relation rel, const TableDef *def, const Copy *copy, ValueRef key)
{
	if (copy->uses_hidden || !rel->rd_rel->relrowsecurity ||
		check_enable_rls(RelationGetRelid(rel), InvalidOid, true) != RLS_ENABLED || HasAccess(rel, copy, key))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("%s \"%.*s\" of table \"%s\" needs an item that you may %s",
					copy->ntotals > 0 ? "total" : "copy", (int) copy->name.len, copy->name.data,
					RelationGetRelationName(rel), copy->ntotals > 0 ? "update" : "see"),
			 errdetail("The item that the written one refers to does not exist, or row security hides it."),
			 errhint("The table's owner can allow it by the parameter hidden_parent.")));
}
