/*
 * citus_catalog.c
 *	  Reads the catalogs of Citus.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_namespace.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "citus/citus_catalog.h"

/* Citus has its catalogs and their indexes in the schema pg_catalog. */
static Oid
FindCatalog(const char *name)
{
	return get_relname_relid(name, PG_CATALOG_NAMESPACE);
}

static Relation
OpenCatalog(const char *name)
{
	Oid			relid = FindCatalog(name);

	return OidIsValid(relid) ? try_table_open(relid, AccessShareLock) : NULL;
}

void
FindCitusRow(CitusRow *row, const char *name, const char *index, const char *column,
			 RegProcedure equal, Datum value)
{
	AttrNumber	attnum;
	ScanKeyData key;
	Oid			indexid;

	row->tuple = NULL;
	row->catalog = OpenCatalog(name);
	if (row->catalog == NULL)
		return;
	attnum = column != NULL ? get_attnum(RelationGetRelid(row->catalog), column) : InvalidAttrNumber;
	if (column != NULL && attnum == InvalidAttrNumber)
	{
		table_close(row->catalog, AccessShareLock);
		row->catalog = NULL;
		return;
	}
	indexid = index != NULL ? FindCatalog(index) : InvalidOid;
	if (attnum != InvalidAttrNumber)
		ScanKeyInit(&key, attnum, BTEqualStrategyNumber, equal, value);
	row->scan = systable_beginscan(row->catalog, indexid, OidIsValid(indexid), NULL,
								   attnum != InvalidAttrNumber ? 1 : 0, &key);
	row->tuple = systable_getnext(row->scan);
}

void
EndCitusRow(CitusRow *row)
{
	if (row->catalog == NULL)
		return;
	systable_endscan(row->scan);
	table_close(row->catalog, AccessShareLock);
}

bool
NextCitusRow(CitusRow *row)
{
	if (HeapTupleIsValid(row->tuple))
		row->tuple = systable_getnext(row->scan);
	return HeapTupleIsValid(row->tuple);
}

Datum
CitusColumn(const CitusRow *row, const char *column)
{
	bool		isnull = true;
	AttrNumber	attnum = HeapTupleIsValid(row->tuple) ?
		get_attnum(RelationGetRelid(row->catalog), column) : InvalidAttrNumber;
	Datum		value = (Datum) 0;

	if (attnum != InvalidAttrNumber)
		value = heap_getattr(row->tuple, attnum, RelationGetDescr(row->catalog), &isnull);
	return isnull ? (Datum) 0 : value;
}
