/*
 * tables.c
 *	  The tables and rows of an operation on many items.
 */
#include "postgres.h"

#include "utils/rel.h"

#include "op/tables.h"
#include "table/distribution.h"
#include "table/placement.h"

void
OpTablesInit(OpTables *t, int max)
{
	t->n = 0;
	t->tables = palloc0(sizeof(OpTable) * Max(max, 1));
}

int
OpTablesAdd(OpTables *t, const char *name, AclMode access)
{
	int			i;

	for (i = 0; i < t->n; i++)
	{
		if (strcmp(t->tables[i].name, name) == 0)
			break;
	}
	if (i == t->n)
	{
		t->n++;
		t->tables[i].name = name;
	}
	t->tables[i].access |= access;
	return i;
}

void
OpTablesOpen(OpTables *t)
{
	for (int i = 0; i < t->n; i++)
		StoreOpen(&t->tables[i].store, t->tables[i].name, t->tables[i].access);
}

bool
OpTablesCoordinate(const OpTables *t, const char *what)
{
	bool		distributed = false;

	for (int i = 0; i < t->n; i++)
	{
		TableDef   *def = t->tables[i].store.def;

		if (!def->distributed)
			continue;
		if (!placement->key_determines_shard(def))
			DistributedError(def->relid, what);
		placement->commit_together(def->relid);
		distributed = true;
	}
	return distributed;
}

void
OpTablesOpenAtOnce(OpTables *t, const char *what)
{
	OpTablesOpen(t);
	if (!OpTablesCoordinate(t, what))
		return;
	for (int i = 0; i < t->n; i++)
	{
		OpTable    *table = &t->tables[i];

		if (!table->store.def->distributed)
			continue;
		StoreClose(&table->store);
		table->access |= ACL_UPDATE;
		StoreOpen(&table->store, table->name, table->access);
	}
}

void
OpTablesClose(OpTables *t)
{
	for (int i = 0; i < t->n; i++)
		StoreClose(&t->tables[i].store);
}

/*
 * Compares rows by relation and key, because two names may refer to one
 * relation.
 */
static int
CompareRows(const void *a, const void *b)
{
	const OpRow *x = (const OpRow *) a;
	const OpRow *y = (const OpRow *) b;
	const KeySchema *key = &x->store->def->key;
	Oid			xrel = RelationGetRelid(x->store->rel);
	Oid			yrel = RelationGetRelid(y->store->rel);

	if (xrel != yrel)
		return xrel < yrel ? -1 : 1;
	for (int i = 0; i < KeyCount(key); i++)
	{
		int			cmp = ValueCompare(x->key->attributes[i], y->key->attributes[i]);

		if (cmp != 0)
			return cmp;
	}
	return 0;
}

bool
OpRowsSort(OpRow *rows, int n)
{
	qsort(rows, n, sizeof(OpRow), CompareRows);
	for (int i = 1; i < n; i++)
	{
		if (CompareRows(&rows[i - 1], &rows[i]) == 0)
			return false;
	}
	return true;
}
