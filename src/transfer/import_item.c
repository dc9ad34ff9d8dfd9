/*
 * import_item.c
 *	  Imports one item or change.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "errors.h"
#include "item/builder.h"
#include "store/store.h"
#include "table/key_parts.h"
#include "table/moves.h"
#include "table/restoring.h"
#include "transfer/bulk.h"
#include "transfer/change_line.h"
#include "transfer/import.h"

/* ---- items ---- */

typedef struct ImportedPut
{
	const TableDef *def;
	struct varlena *item;
	bool		final;
} ImportedPut;

static WriteAction
DecidePut(void *arg, ValueRef old, struct varlena **item)
{
	const ImportedPut *put = arg;

	*item = put->item;
	(void) SettlePutItem(put->def, item, old, put->final, NULL);
	return WRITE_PUT;
}

static struct varlena *
ComposeImported(const Import *import, struct varlena *item)
{
	struct varlena *composed;

	(void) ComposePutItem(import->store->def, ItemRoot(item), StoreItemIsFinal(import->store), &composed, NULL);
	return composed != NULL ? composed : item;
}

/* Keeps an item for the statement at the end of its batch. */
static void
KeepItem(Import *import, struct varlena *item)
{
	MemoryContext caller = MemoryContextSwitchTo(import->items_context);
	ImportedItem *kept = &import->items[import->nitems++];
	RowKey		key;

	kept->item = ValueCopy(ItemRoot(item));
	(void) RowKeyFromItem(import->store->def, ItemRoot(kept->item), &key, NULL);
	memcpy(kept->key, key.values, sizeof(kept->key));
	MemoryContextSwitchTo(caller);
}

void
PutKept(Import *import)
{
	MemoryContext caller;

	if (import->nitems == 0)
		return;
	caller = MemoryContextSwitchTo(import->items_context);
	ImportByStatement(import, import->items, import->nitems);
	MemoryContextSwitchTo(caller);
	import->nitems = 0;
	MemoryContextReset(import->items_context);
}

static void
PutImportedItem(Import *import, struct varlena *item)
{
	struct varlena *stored;
	ReplacedItem itself;
	RowKey		key;

	item = ComposeImported(import, item);
	itself = (ReplacedItem) {.item = ItemRoot(item)};
	(void) CheckItemKeys(import->store->def, ItemRoot(item), IsStoredAgain(import->store->def->root) ? &itself : NULL, NULL);
	CheckItemSize(ItemRoot(item));
	(void) RowKeyFromItem(import->store->def, ItemRoot(item), &key, NULL);
	if (TableMoves(import->store->def))
		(void) move_methods->bring(import->store, &key, false);
	if (import->by_statement)
		KeepItem(import, item);
	else
		StorePut(import->store, &key, PutNeedsOld(import->store->def), DecidePut,
				 &(ImportedPut) {import->store->def, item, StoreItemIsFinal(import->store)}, &stored);
}

static WriteAction
DecideDelete(void *arg, ValueRef old, struct varlena **item)
{
	return WRITE_DELETE;
}

/* An item that is not there needs not be deleted; returns whether it was. */
static bool
DeleteImported(Import *import, ValueRef keys)
{
	struct varlena *stored;
	RowKey		key;

	(void) TakeKeyParameter(import->store->def, &keys, NULL);
	(void) RowKeyFromItem(import->store->def, keys, &key, NULL);
	if (TableMoves(import->store->def))
		(void) move_methods->bring(import->store, &key, true);
	return StoreWrite(import->store, &key, false, DecideDelete, NULL, &stored) == WRITE_DELETE;
}

void
ImportPut(Import *import, struct varlena *item)
{
	MemoryContext caller = MemoryContextSwitchTo(import->line_context);

	CHECK_FOR_INTERRUPTS();
	PutImportedItem(import, item);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(import->line_context);
}

bool
ImportDelete(Import *import, struct varlena *keys)
{
	MemoryContext caller = MemoryContextSwitchTo(import->line_context);
	bool		deleted;

	CHECK_FOR_INTERRUPTS();
	deleted = DeleteImported(import, ItemRoot(keys));
	MemoryContextSwitchTo(caller);
	MemoryContextReset(import->line_context);
	return deleted;
}

/* The new image of a change must be the item with its keys. */
static void
CheckChangedItem(const Import *import, const ChangeLine *change)
{
	ValueRef	keys = ItemRoot(change->keys);
	RowKey		key;
	RowKey		item_key;

	(void) TakeKeyParameter(import->store->def, &keys, NULL);
	(void) CheckItemKeys(import->store->def, ItemRoot(change->item), NULL, NULL);
	(void) RowKeyFromItem(import->store->def, keys, &key, NULL);
	(void) RowKeyFromItem(import->store->def, ItemRoot(change->item), &item_key, NULL);
	for (int i = 0; i < KeyCount(&import->store->def->key); i++)
	{
		if (!ValueEqual(key.attributes[i], item_key.attributes[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					 errmsg("the new image of a change does not have the keys of the change")));
	}
}

static void
ImportChange(Import *import, const ImportLine *line)
{
	ChangeLine	change;

	ChangeLineRead(line->text, line->len, &change);
	if (change.item == NULL)
		(void) DeleteImported(import, ItemRoot(change.keys));
	else
	{
		CheckChangedItem(import, &change);
		PutImportedItem(import, change.item);
	}
}

void
PutImportLine(Import *import, const ImportLine *line)
{
	MemoryContext caller = MemoryContextSwitchTo(import->line_context);

	CHECK_FOR_INTERRUPTS();
	import->current = line;
	if (import->changes)
		ImportChange(import, line);
	else if (import->csv != NULL)
		PutImportedItem(import, CsvItem(import->csv, line->text, line->len));
	else
		PutImportedItem(import, ItemFromExportLine(line->text, line->len));
	import->current = NULL;
	MemoryContextSwitchTo(caller);
	MemoryContextReset(import->line_context);
}
