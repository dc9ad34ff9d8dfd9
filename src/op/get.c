/*
 * get.c
 *	  GetItem, and dynamo.get_item.
 */
#include "postgres.h"

#include "op/call_bindings.h"
#include "op/consumed.h"
#include "op/get.h"
#include "op/note_key.h"
#include "op/sql_args.h"
#include "table/key_parts.h"

void
GetBind(BoundGet *b, const ExprText *projection, const ExprArgs *args,
		Projection *built, bool sizes)
{
	ExprBindings *bindings = OpBindings(args, projection->given, false, NULL);

	b->projection = built;
	b->filter = NULL;
	b->sizes = sizes;
	b->halves = HALVES_OF_READ(false);
	if (bindings != NULL)
	{
		b->projection = ProjectionBind(OpParse(EXPR_PROJECTION, projection), bindings);
		(void) ExprBindingsCheckUnused(bindings);
	}
}

void
GetCheckPaths(const BoundGet *b, const TableDef *def)
{
	PathCheck	check = {def};

	if (b->projection != NULL)
		ProjectionVisitPaths(b->projection, KeyPathVisitor, &check);
	if (b->filter != NULL)
		ConditionVisitPaths(b->filter, KeyPathVisitor, &check);
}

/* If sizes are requested, they are those of whole items. */
void
GetFindNeeded(BoundGet *b)
{
	memset(&b->needed, 0, sizeof(NameSet));
	if (b->projection == NULL || b->sizes)
		return;
	NameSetAddPaths(&b->needed, b->projection, b->filter);
	NameSetFinish(&b->needed);
}

bool
GetBindKey(const TableDef *def, ValueRef key, RowKey *row_key, Problem *problem)
{
	if (!TakeKeyParameter(def, &key, problem) || !RowKeyFromItem(def, key, row_key, problem))
		return false;
	NoteRowKey(def, row_key);
	return true;
}

/*
 * Counts a read of an item, of which only a part may have been read, or of
 * none.  The size of such an item is that of its encoding.
 */
static void
CountGet(const Store *store, const BoundGet *b, const struct varlena *item, Size stored)
{
	if (!ConsumptionIsCounted())
		return;
	StatAdd(STAT_ITEMS_READ, item != NULL);
	StatAdd(STAT_READ_BYTES, stored);
	if (item != NULL && b->needed.n == 0)
		CountRead(store, NULL, ReadBlocksOfItem(ItemRoot(item)), b->halves);
	else
		CountRead(store, NULL, ReadBlocks(stored), b->halves);
}

/* Filters and projects an item, which may be NULL. */
static void
GetFromItem(const BoundGet *b, struct varlena *item, GetResult *result)
{
	result->size = b->sizes && item != NULL ? ItemSize(ItemRoot(item)) : 0;
	if (item != NULL && b->filter != NULL && !ConditionMatches(b->filter, ItemRoot(item)))
		item = NULL;
	if (item != NULL && b->projection != NULL)
		item = ProjectionApply(b->projection, ItemRoot(item));
	StatAdd(STAT_ITEMS_RETURNED, item != NULL);
	result->item = item;
}

void
GetRow(Store *store, const BoundGet *b, const RowKey *key, GetResult *result)
{
	Size		stored = 0;
	struct varlena *item = StoreGetPart(store, key, b->needed.names, b->needed.n, &stored);

	CountGet(store, b, item, stored);
	GetFromItem(b, item, result);
}

void
GetLockedRow(Store *store, const BoundGet *b, const RowKey *key, GetResult *result)
{
	RowLock		lock;
	struct varlena *item = StoreLockShared(store, key, &lock);

	CountGet(store, b, item, item != NULL ? VARSIZE_ANY_EXHDR(item) : 0);
	GetFromItem(b, item, result);
}

bool
GetItem(const GetOp *op, GetResult *result, Problem *problem)
{
	BoundGet	bound;
	Store		store;
	RowKey		key;
	bool		has_key;

	GetBind(&bound, &op->projection, &op->args, op->built_projection, op->sizes);
	bound.filter = op->built_filter;
	bound.halves = HALVES_OF_READ(op->consistent) * (op->transaction ? TRANSACTION_FACTOR : 1);
	StoreOpen(&store, op->table_name, ACL_SELECT);
	if (op->of_node)
		StoreServeNode(&store);
	has_key = GetBindKey(store.def, op->key, &key, problem);
	if (has_key)
	{
		GetCheckPaths(&bound, store.def);
		GetFindNeeded(&bound);
		GetRow(&store, &bound, &key, result);
	}
	StoreClose(&store);
	return has_key;
}

DYNAMO_FUNCTION(dynamo_get_item);

Datum
dynamo_get_item(PG_FUNCTION_ARGS)
{
	GetOp		op = {0};
	GetResult	result;

	op.table_name = ArgTableName(fcinfo, 0);
	op.key = ArgRequiredItem(fcinfo, 1, "key", NULL);
	op.projection = ArgExpr(fcinfo, 2);
	op.args = ArgExprArgs(fcinfo, -1, 3);
	(void) GetItem(&op, &result, NULL);
	if (result.item == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(result.item);
}
