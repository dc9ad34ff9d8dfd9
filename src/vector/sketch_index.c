/*
 * sketch_index.c
 *	  Finds the btree of the sketches of a vector index.
 *
 * The owner of the table may have created other indexes.  A search believes
 * what is in a btree only if it was made by the extension's function.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_index.h"
#include "nodes/nodes.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "extension_objects.h"
#include "vector/sketch_index.h"
#include "vector/vector.h"

#define FUNCTION_VECTOR_SKETCH	"vector_sketch"

/* Whether an expression is a call of the function with the vector. */
static bool
IsSketch(const Node *node, Relation index_table)
{
	const FuncExpr *call = (const FuncExpr *) node;
	const Var  *vector;

	if (!IsA(node, FuncExpr) || list_length(call->args) != 2 || !IsA(linitial(call->args), Var))
		return false;
	vector = linitial_node(Var, call->args);
	return vector->varattno == RelationGetDescr(index_table)->natts - 1 &&
		get_func_namespace(call->funcid) == get_namespace_oid(SYSTEM_SCHEMA, true) &&
		strcmp(get_func_name(call->funcid), FUNCTION_VECTOR_SKETCH) == 0;
}

/* Whether the btree has the key column of the partition like the primary key. */
static bool
BeginsWithPartition(Relation btree, Relation index_table)
{
	Relation	pkey = index_open(PrimaryKeyIndex(index_table), AccessShareLock);
	bool		same = btree->rd_index->indkey.values[0] == 1 && btree->rd_indoption[0] == 0 &&
		btree->rd_opfamily[0] == pkey->rd_opfamily[0] && btree->rd_indcollation[0] == pkey->rd_indcollation[0];

	index_close(pkey, NoLock);
	return same;
}

/* Reads the expressions as they are stored: simplifying them would run code of the owner. */
static List *
StoredExpressions(Relation btree)
{
	bool		isnull;
	Datum		stored = SysCacheGetAttr(INDEXRELID, btree->rd_indextuple, Anum_pg_index_indexprs, &isnull);

	return isnull ? NIL : (List *) stringToNode(TextDatumGetCString(stored));
}

static bool
IsSketchIndex(Relation btree, Relation index_table, bool has_partitions)
{
	int			npartition = has_partitions ? 1 : 0;
	List	   *expressions;

	if (btree->rd_rel->relam != BTREE_AM_OID || !btree->rd_index->indisvalid || btree->rd_index->indcheckxmin ||
		btree->rd_index->indnatts != npartition + 1 || btree->rd_index->indkey.values[npartition] != 0 ||
		!heap_attisnull(btree->rd_indextuple, Anum_pg_index_indpred, NULL))
		return false;
	expressions = StoredExpressions(btree);
	return list_length(expressions) == 1 && IsSketch(linitial(expressions), index_table) &&
		(!has_partitions || BeginsWithPartition(btree, index_table));
}

Oid
FindSketchIndex(Relation index_table, bool has_partitions)
{
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(index_table))
	{
		Relation	btree = index_open(lfirst_oid(cell), AccessShareLock);
		bool		found = IsSketchIndex(btree, index_table, has_partitions);

		index_close(btree, NoLock);
		if (found)
			return lfirst_oid(cell);
	}
	return InvalidOid;
}

/* Numbers are short; the bytes of other keys leave less room for a sketch. */
char *
SketchClause(const char *column, ValueType type)
{
	const char *name;

	if (column == NULL)
		return psprintf("(" SYSTEM_SCHEMA "." FUNCTION_VECTOR_SKETCH "(" VECTOR_COLUMN ", 64))");
	name = quote_identifier(column);
	return psprintf("(%s, " SYSTEM_SCHEMA "." FUNCTION_VECTOR_SKETCH "(" VECTOR_COLUMN ", %s))", name,
					type == VALUE_N ? "64" : psprintf("pg_catalog.octet_length(%s)", name));
}
