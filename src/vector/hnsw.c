/*
 * hnsw.c
 *	  Finds the objects of pgvector, and HNSW indexes.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_opclass.h"
#include "commands/defrem.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "vector/hnsw.h"

#define HNSW_METHOD	"hnsw"

static const char *const classes[] = {
	[DISTANCE_COSINE] = "vector_cosine_ops",
	[DISTANCE_DOT_PRODUCT] = "vector_ip_ops",
	[DISTANCE_EUCLIDEAN] = "vector_l2_ops",
};

static const char *const operators[] = {
	[DISTANCE_COSINE] = "<=>",
	[DISTANCE_DOT_PRODUCT] = "<#>",
	[DISTANCE_EUCLIDEAN] = "<->",
};

/* Only superusers create operator classes, so that the name is enough. */
Oid
FindHnswClass(VectorDistance distance)
{
	Oid			method = get_index_am_oid(HNSW_METHOD, true);
	Oid			found = InvalidOid;
	CatCList   *list;

	if (!OidIsValid(method))
		return InvalidOid;
	list = SearchSysCacheList2(CLAAMNAMENSP, ObjectIdGetDatum(method), CStringGetDatum(classes[distance]));
	if (list->n_members > 0)
		found = ((Form_pg_opclass) GETSTRUCT(&list->members[0]->tuple))->oid;
	ReleaseSysCacheList(list);
	return found;
}

/* Whether an index is an HNSW index that can, or cannot, be used. */
static bool
IsHnsw(Oid relid, Oid method, bool usable)
{
	Relation	index = index_open(relid, AccessShareLock);
	bool		found = index->rd_rel->relam == method &&
		usable == (index->rd_index->indisvalid && !index->rd_index->indcheckxmin);

	index_close(index, NoLock);
	return found;
}

Oid
FindHnswIndex(Relation index_table, bool usable)
{
	Oid			method = get_index_am_oid(HNSW_METHOD, true);
	List	   *indexes = OidIsValid(method) ? RelationGetIndexList(index_table) : NIL;
	ListCell   *cell;

	foreach(cell, indexes)
	{
		if (IsHnsw(lfirst_oid(cell), method, usable))
			return lfirst_oid(cell);
	}
	return InvalidOid;
}

static Form_pg_opclass
ReadClass(Oid opclass, HeapTuple *tuple)
{
	*tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(opclass));
	if (!HeapTupleIsValid(*tuple))
		elog(ERROR, "cache lookup failed for operator class %u", opclass);
	return (Form_pg_opclass) GETSTRUCT(*tuple);
}

char *
HnswTypeName(Oid opclass, int dimensions)
{
	HeapTuple	tuple;
	Oid			type = ReadClass(opclass, &tuple)->opcintype;

	ReleaseSysCache(tuple);
	return format_type_extended(type, dimensions, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
}

/* pgvector's objects are in one schema. */
static Oid
ClassSchema(Oid opclass)
{
	HeapTuple	tuple;
	Oid			schema = ReadClass(opclass, &tuple)->opcnamespace;

	ReleaseSysCache(tuple);
	return schema;
}

static const char *
ClassSchemaName(Oid opclass)
{
	return quote_identifier(get_namespace_name(ClassSchema(opclass)));
}

bool
CanNameHnsw(Oid opclass)
{
	return SchemaAclCheck(ClassSchema(opclass), GetUserId(), ACL_USAGE) == ACLCHECK_OK;
}

char *
HnswOperator(Oid opclass, VectorDistance distance)
{
	return psprintf("OPERATOR(%s.%s)", ClassSchemaName(opclass), operators[distance]);
}

char *
HnswClause(Oid opclass, int dimensions)
{
	HeapTuple	tuple;
	char	   *name = pstrdup(NameStr(ReadClass(opclass, &tuple)->opcname));

	ReleaseSysCache(tuple);
	return psprintf("USING " HNSW_METHOD " ((" VECTOR_COLUMN "::%s) %s.%s)",
					HnswTypeName(opclass, dimensions), ClassSchemaName(opclass), name);
}
