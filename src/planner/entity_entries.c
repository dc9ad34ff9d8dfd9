/*
 * entity_entries.c
 *	  Joins index tables to the table that an entity view reads.
 *
 * The view's user needs no privileges on index tables, as with dynamo.query:
 * they are read as their owner, who is the table's.  Nothing of them is
 * returned, and no function of a user is called with their columns: they are
 * compared with composed keys and with the table's key only, by equality and
 * order of texts, numbers and bytes.  The row that belongs to an entry is read
 * from the table, with its privileges and row security.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "parser/parse_relation.h"
#include "utils/acl.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

#include "compat.h"
#include "planner/entity_entries.h"
#include "store/store.h"
#include "table/index_relation.h"

/* ---- whether they can be read ---- */

/* Opens and verifies an index table; the lock is kept until the plan has run. */
static Relation
OpenEntryTable(const TableDef *def, const IndexDef *index)
{
	Relation	rel = IndexTableOpen(def, index, AccessShareLock);

	for (int i = 0; i < index->shards; i++)
		table_close(IndexShardOpen(rel, def, index, i, AccessShareLock), NoLock);
	return rel;
}

/*
 * Entries that were written by the transaction that created the index table
 * are not in older snapshots: the rows are read without them, by a plan that is
 * made again when there is no such snapshot any more.
 */
static bool
AreInSnapshot(PlannerInfo *root, const TableDef *def, const IndexDef *index)
{
	if (ActiveSnapshotSet() && !StoreIndexIsNewer(def, index, GetActiveSnapshot()))
		return true;
	root->glob->transientPlan = true;
	return false;
}

bool
EntriesAreReadable(PlannerInfo *root, const TableDef *def, const IndexDef *index)
{
	Relation	rel;
	bool		readable;

	if (def->unmaintained || def->distributed || index->replaces != NULL || !index->kind->secondary)
		return false;
	rel = OpenEntryTable(def, index);
	readable = AreInSnapshot(root, def, index) &&
		pg_class_aclcheck(RelationGetRelid(rel), rel->rd_rel->relowner, ACL_SELECT) == ACLCHECK_OK;
	table_close(rel, NoLock);
	return readable;
}

/* ---- joining them ---- */

/* The shard comes before the columns of an entry. */
static AttrNumber
EntryAttnum(const IndexDef *index, int column)
{
	return column + (index->kind->before != NULL ? 2 : 1);
}

/* Sets the column of a Var, and its type. */
static Var *
MakeColumn(const Var *table, const AttributeDef *attribute, AttrNumber attnum)
{
	Var		   *column = copyObject(unconstify(Var *, table));

	column->varattno = column->varattnosyn = attnum;
	column->vartype = KeyColumnType(attribute->type);
	column->varcollid = attribute->type == VALUE_S ? C_COLLATION_OID : InvalidOid;
	return column;
}

Var *
EntryColumn(const PlannerInfo *root, const TableDef *def, const IndexDef *index, int attribute, const Var *table)
{
	Var		   *column;
	int			i = 0;

	while (index->entry[i] != attribute)
		i++;
	column = MakeColumn(table, &def->attributes[attribute], EntryAttnum(index, i));
	column->varno = column->varnosyn = list_length(root->parse->rtable) + 1;
	return column;
}

/* Returns the conditions that an entry has the key of its row. */
static List *
EntryJoinConditions(const PlannerInfo *root, const TableDef *def, const IndexDef *index, const Var *table)
{
	List	   *conditions = NIL;

	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		const AttributeDef *attribute = TableKeyAttribute(def, i);
		Var		   *row = MakeColumn(table, attribute, attribute->attnum);
		Oid			equals = lookup_type_cache(row->vartype, TYPECACHE_EQ_OPR)->eq_opr;

		conditions = lappend(conditions,
							 make_opclause(equals, BOOLOID, false, (Expr *) row,
										   (Expr *) EntryColumn(root, def, index, def->key_attributes[i], table),
										   InvalidOid, row->varcollid));
	}
	return conditions;
}

static List *
ColumnNames(TupleDesc desc)
{
	List	   *names = NIL;

	for (int i = 0; i < desc->natts; i++)
		names = lappend(names, makeString(pstrdup(NameStr(TupleDescAttr(desc, i)->attname))));
	return names;
}

static RangeTblEntry *
MakeRangeEntry(Relation rel)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);

	rte->rtekind = RTE_RELATION;
	rte->relid = RelationGetRelid(rel);
	rte->relkind = rel->rd_rel->relkind;
	rte->rellockmode = AccessShareLock;
	rte->inh = rte->relkind == RELKIND_PARTITIONED_TABLE;
	rte->eref = makeAlias(RelationGetRelationName(rel), ColumnNames(RelationGetDescr(rel)));
	return rte;
}

List *
EntriesJoin(PlannerInfo *root, FromExpr *from, const TableDef *def, const IndexDef *index, const Var *table)
{
	Query	   *query = root->parse;
	Relation	rel = IndexTableOpen(def, index, AccessShareLock);
	RangeTblEntry *rte = MakeRangeEntry(rel);
	PermissionsNode *permissions = AddPermissionsNode(query, rte);
	RangeTblRef *reference = makeNode(RangeTblRef);
	List	   *conditions = EntryJoinConditions(root, def, index, table);

	permissions->requiredPerms = ACL_SELECT;
	permissions->checkAsUser = rel->rd_rel->relowner;
	for (int i = 0; i < index->nentry; i++)
		permissions->selectedCols = bms_add_member(permissions->selectedCols,
												   EntryAttnum(index, i) - FirstLowInvalidHeapAttributeNumber);
	table_close(rel, NoLock);
	query->rtable = lappend(query->rtable, rte);
	reference->rtindex = list_length(query->rtable);
	from->fromlist = lappend(from->fromlist, reference);
	return conditions;
}
