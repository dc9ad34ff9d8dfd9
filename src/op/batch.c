/*
 * batch.c
 *	  BatchWriteItem and BatchGetItem.
 *
 * All checks are made before anything is written or read, so that an invalid
 * request has no effect.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "errors.h"
#include "op/consumed.h"
#include "op/distinct.h"
#include "op/get.h"
#include "op/tables.h"
#include "op/write.h"
#include "table/key_parts.h"

static void
DuplicateKeysError(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("Provided list of item keys contains duplicates")));
}

/* ---- BatchWriteItem ---- */

/*
 * In a batch, a put with an invalid key gets the message for key parameters.
 */
static void
CheckPutHasKey(const TableDef *def, ValueRef item)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		const KeyAttribute *attr = &def->key.attributes[i];
		ValueRef	v = AttributeFind(item, attr->name.data, attr->name.len);

		if (ValueIsMissing(v) || ValueTypeOf(v) != attr->type)
			NoteKeyMismatch(def, v, NULL);
	}
}

void
BatchWriteItem(const WriteOp *writes, int n, WriteResult *results)
{
	PreparedWrite *prepared = palloc(sizeof(PreparedWrite) * Max(n, 1));
	OpRow	   *rows = palloc(sizeof(OpRow) * Max(n, 1));
	OpTables	tables;

	OpTablesInit(&tables, n);
	for (int i = 0; i < n; i++)
	{
		WriteCheckRequest(&writes[i]);
		WriteBind(&prepared[i], &writes[i]);
		rows[i].position = OpTablesAdd(&tables, writes[i].table_name,
									   WriteAccess(writes[i].kind));
	}

	OpTablesOpen(&tables);
	for (int i = 0; i < n; i++)
	{
		Store	   *store = &tables.tables[rows[i].position].store;

		(void) WriteCompose(&prepared[i], store, NULL);
		if (writes[i].kind == WRITE_KIND_PUT)
			CheckPutHasKey(store->def, WriteGivenItem(&prepared[i]));
		(void) WriteBindTable(&prepared[i], NULL);
		WriteBring(&prepared[i], store);
		rows[i] = (OpRow) {store, &prepared[i].key, i};
	}
	if (!OpRowsSort(rows, n))
		DuplicateKeysError();

	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		WriteRow(rows[i].store, &prepared[rows[i].position], &results[rows[i].position]);
	}
	OpTablesClose(&tables);
}

/* ---- BatchGetItem ---- */

typedef struct BoundGetTable
{
	const BatchGetTable *table;
	BoundGet	get;
	Store		store;
	RowKey	   *keys;
	bool		by_parts;		/* a key is given by parts */
} BoundGetTable;

/* An ElementHash. */
static uint64
HashOfKey(const void *list, int i)
{
	const BoundGetTable *b = list;
	uint64		hash = 0;

	for (int k = 0; k < KeyCount(&b->store.def->key); k++)
		hash = ValueHash(b->keys[i].attributes[k], hash);
	return hash;
}

/*
 * An ElementsEqual.  Of keys that may be repeated only those are equal of which one is
 * given by parts: the caller, who saw parts, could not compare them.
 */
static bool
BatchKeysEqual(const void *list, int i, int j)
{
	const BoundGetTable *b = list;
	const ValueRef *given = b->table->keys;

	if (b->table->repeats && !KeyIsByParts(b->store.def, given[i]) && !KeyIsByParts(b->store.def, given[j]))
		return false;
	for (int k = 0; k < KeyCount(&b->store.def->key); k++)
	{
		if (!ValueEqual(b->keys[i].attributes[k], b->keys[j].attributes[k]))
			return false;
	}
	return true;
}

static void
BindBatchKeys(BoundGetTable *b)
{
	const BatchGetTable *t = b->table;

	b->keys = palloc(sizeof(RowKey) * Max(t->nkeys, 1));
	GetCheckPaths(&b->get, b->store.def);
	GetFindNeeded(&b->get);
	for (int i = 0; i < t->nkeys; i++)
	{
		(void) GetBindKey(b->store.def, t->keys[i], &b->keys[i], NULL);
		b->by_parts |= KeyIsByParts(b->store.def, t->keys[i]);
	}
	if ((!t->repeats || b->by_parts) && !AllDistinct(b, t->nkeys, HashOfKey, BatchKeysEqual))
		DuplicateKeysError();
}

static void
ReadBatchKeys(BoundGetTable *b, GetResult *results)
{
	StoreReadAhead(&b->store, b->keys, b->table->nkeys);
	for (int i = 0; i < b->table->nkeys; i++)
	{
		CHECK_FOR_INTERRUPTS();
		GetRow(&b->store, &b->get, &b->keys[i], &results[i]);
	}
}

void
BatchGetItem(const BatchGetTable *tables, int n, GetResult **results)
{
	BoundGetTable *bound = palloc(sizeof(BoundGetTable) * Max(n, 1));

	for (int i = 0; i < n; i++)
	{
		bound[i].table = &tables[i];
		bound[i].by_parts = false;
		GetBind(&bound[i].get, &tables[i].projection, &tables[i].args,
				tables[i].built_projection, tables[i].sizes);
		bound[i].get.halves = HALVES_OF_READ(tables[i].consistent);
	}
	for (int i = 0; i < n; i++)
		StoreOpen(&bound[i].store, tables[i].table_name, ACL_SELECT);
	for (int i = 0; i < n; i++)
		BindBatchKeys(&bound[i]);
	for (int i = 0; i < n; i++)
		ReadBatchKeys(&bound[i], results[i]);
	for (int i = 0; i < n; i++)
		StoreClose(&bound[i].store);
}
