/*
 * get.c
 *	  GetItem, and dynamo.get_item.
 */
#include "postgres.h"

#include "op/bind.h"
#include "op/get.h"
#include "op/sql_args.h"

/* ---- which attributes are read ---- */

static bool
NameVisitor(Slice name, bool nested, void *arg)
{
	BoundGet   *b = arg;

	if (b->names != NULL)
		b->names[b->nnames] = name;
	b->nnames++;
	return true;
}

static int
CompareNames(const void *a, const void *b)
{
	return SliceCompare(*(const Slice *) a, *(const Slice *) b);
}

/* A projection alone tells what is needed; a condition and a size need more. */
static void
FindNames(BoundGet *b)
{
	int			n;

	b->names = NULL;
	b->nnames = 0;
	if (b->projection == NULL || b->sizes)
		return;
	ProjectionVisitPaths(b->projection, NameVisitor, b);
	b->names = palloc(Max(b->nnames, 1) * sizeof(Slice));
	b->nnames = 0;
	ProjectionVisitPaths(b->projection, NameVisitor, b);
	qsort(b->names, b->nnames, sizeof(Slice), CompareNames);
	n = 0;
	for (int i = 0; i < b->nnames; i++)
	{
		if (n == 0 || SliceCompare(b->names[n - 1], b->names[i]) != 0)
			b->names[n++] = b->names[i];
	}
	b->nnames = n;
}

/* ---- the stages ---- */

void
GetBind(BoundGet *b, const ExprText *projection, const ExprArgs *args,
		Projection *built, bool sizes)
{
	ExprBindings *bindings = OpBindings(args, projection->given, false, NULL);

	b->projection = built;
	b->filter = NULL;
	b->sizes = sizes;
	if (bindings != NULL)
	{
		b->projection = ProjectionBind(OpParse(EXPR_PROJECTION, projection), bindings);
		ExprBindingsCheckUnused(bindings);
	}
	FindNames(b);
}

void
GetCheckPaths(const BoundGet *b, const TableDef *def)
{
	if (b->projection != NULL)
		ProjectionVisitPaths(b->projection, KeyPathVisitor, unconstify(TableDef *, def));
	if (b->filter != NULL)
		ConditionVisitPaths(b->filter, KeyPathVisitor, unconstify(TableDef *, def));
}

void
GetBindKey(const TableDef *def, ValueRef key, RowKey *row_key)
{
	CheckKeyParameter(def, key);
	RowKeyFromItem(def, key, row_key);
}

void
GetRow(Store *store, const BoundGet *b, const RowKey *key, GetResult *result)
{
	int			nnames = b->filter == NULL ? b->nnames : 0;
	struct varlena *item = StoreGetPart(store, key, b->names, nnames);

	result->size = b->sizes && item != NULL ? ItemSize(ItemRoot(item)) : 0;
	if (item != NULL && b->filter != NULL && !ConditionMatches(b->filter, ItemRoot(item)))
		item = NULL;
	if (item != NULL && b->projection != NULL)
		item = ProjectionApply(b->projection, ItemRoot(item));
	result->item = item;
}

void
GetItem(const GetOp *op, GetResult *result)
{
	BoundGet	bound;
	Store		store;
	RowKey		key;

	GetBind(&bound, &op->projection, &op->args, op->built_projection, op->sizes);
	bound.filter = op->built_filter;
	StoreOpen(&store, op->table_name, ACL_SELECT);
	GetBindKey(store.def, op->key, &key);
	GetCheckPaths(&bound, store.def);
	GetRow(&store, &bound, &key, result);
	StoreClose(&store);
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
	GetItem(&op, &result);
	if (result.item == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(result.item);
}
