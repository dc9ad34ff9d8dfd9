/*
 * copy_own.c
 *	  Rows that are locked and written to keep copies and totals.
 *
 * They are written as any item is, with all triggers and checks, in the name
 * of the table's owner.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/fmgrprotos.h"

#include "copy/copy.h"
#include "item/builder.h"

/*
 * The depth at which triggers fire for a write of this file; -1 if there is
 * none.
 */
static int	own_write_depth = -1;

int
TriggerDepth(void)
{
	return DatumGetInt32(DirectFunctionCall1(pg_trigger_depth, (Datum) 0));
}

bool
IsCopyRowWrite(void)
{
	return own_write_depth >= 0 && TriggerDepth() == own_write_depth;
}

void
CopyTableOpen(CopyTable *table, Oid relid, const TableDef *def)
{
	table->relid = relid;
	table->def = def;
	StoreOpenRelation(&table->store, relid, ACL_SELECT | ACL_INSERT | ACL_UPDATE);
}

void
CopyTableClose(CopyTable *table)
{
	StoreClose(&table->store);
}

void
CopyRowLock(CopyTable *table, ValueRef key, CopyLock how, CopyRow *row)
{
	(void) RowKeyFromItem(table->store.def, key, &row->key, NULL);
	switch (how)
	{
		case COPY_LOCK_SHARED:
			row->item = StoreLockShared(&table->store, &row->key, &row->lock);
			break;
		case COPY_LOCK_UPDATE:
			row->item = StoreLock(&table->store, &row->key, &row->lock);
			break;
		case COPY_LOCK_PRESENT:
			row->item = StoreLockPresent(&table->store, &row->key, &row->lock);
			break;
	}
}

/*
 * The depth marks the writes of copies: triggers of users, which may fire
 * meanwhile and write other items, run at another depth.  The mark is static: it
 * must be taken back after an error, too.
 */
void
CopyRowWrite(CopyTable *table, const CopyRow *row, ValueRef item)
{
	int			outer = own_write_depth;
	struct varlena *stored;

	if (item.data == ItemRoot(row->item).data)
		return;
	own_write_depth = TriggerDepth() + 1;
	PG_TRY();
	{
		(void) StoreWriteLocked(&table->store, &row->key, &row->lock, WRITE_PUT, ValueCopy(item), &stored);
	}
	PG_FINALLY();
	{
		own_write_depth = outer;
	}
	PG_END_TRY();
}
