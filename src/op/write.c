/*
 * write.c
 *	  PutItem, UpdateItem, DeleteItem: the stages of one write, and the
 *	  operation on one item.
 */
#include "postgres.h"

#include "errors.h"
#include "item/builder.h"
#include "item/json.h"
#include "op/bind.h"
#include "op/write.h"

/* ---- request-only checks ---- */

static void
CheckReturnValues(const WriteOp *op)
{
	if (op->kind == WRITE_KIND_UPDATE ||
		op->return_values == RETURN_NONE || op->return_values == RETURN_ALL_OLD)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("ReturnValues can only be ALL_OLD or NONE")));
}

static void
BindExpressions(PreparedWrite *w)
{
	const WriteOp *op = w->op;
	bool		given = op->condition.given || op->update.given;
	ExprBindings *b;

	b = OpBindings(&op->args, given, given,
				   op->kind == WRITE_KIND_UPDATE ?
				   "UpdateExpression and ConditionExpression are null" :
				   "ConditionExpression is null");
	if (b == NULL)
		return;

	if (op->update.given)
		w->update = UpdateBind(OpParse(EXPR_UPDATE, &op->update), b);
	if (op->condition.given)
		w->condition = ConditionBind(EXPR_CONDITION,
									 OpParse(EXPR_CONDITION, &op->condition), b);
	ExprBindingsCheckUnused(b);
}

void
WritePrepare(PreparedWrite *w, const WriteOp *op)
{
	memset(w, 0, sizeof(*w));
	w->op = op;

	CheckReturnValues(op);
	if (op->kind == WRITE_KIND_PUT)
		CheckItemSize(op->item);
	BindExpressions(w);

	w->need_old = op->kind == WRITE_KIND_UPDATE || w->condition != NULL ||
		op->return_values != RETURN_NONE || op->sizes || op->images;
}

/* ---- schema-dependent checks ---- */

void
WriteBindTable(PreparedWrite *w, const TableDef *def)
{
	w->def = def;

	if (w->op->kind == WRITE_KIND_PUT)
		CheckItemKeys(def, w->op->item);
	else
		CheckKeyParameter(def, w->op->item);

	if (w->update != NULL)
		UpdateVisitTargets(w->update, KeyTargetVisitor, unconstify(TableDef *, def));
	if (w->condition != NULL)
		ConditionVisitPaths(w->condition, KeyPathVisitor, unconstify(TableDef *, def));

	RowKeyFromItem(def, w->op->item, &w->key);
}

/* ---- the condition ---- */

bool
WriteCondition(const PreparedWrite *w, ValueRef old)
{
	return w->condition == NULL || ConditionMatches(w->condition, old);
}

void
ConditionFailed(const WriteOp *op, ValueRef old)
{
	StringInfoData json;

	if (!op->return_old_on_failure || ValueIsMissing(old))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_CONDITION_FAILED),
				 errmsg("The conditional request failed")));

	initStringInfo(&json);
	ItemToJson(&json, old);

	/* the client asked for the item; the server log must not have it */
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_CONDITION_FAILED),
			 errmsg("The conditional request failed"),
			 errdetail_internal("%s", json.data),
			 errdetail_log("The item is not written to the log.")));
}

/* ---- application ---- */

/*
 * An update may compute a value that an index cannot have as its key.  The
 * key trigger would refuse it too, in PutItem's words.
 */
static void
CheckComputedIndexKeys(const TableDef *def, ValueRef item)
{
	for (int i = 0; i < def->nattributes; i++)
	{
		const AttributeDef *attr = &def->attributes[i];
		ValueRef	v;

		if (i == def->key_attributes[0] ||
			(def->key.nsort > 0 && i == def->key_attributes[1]))
			continue;
		v = AttributeFind(item, attr->name.data, attr->name.len);
		if (!ValueIsMissing(v) && ValueTypeOf(v) != attr->type)
			ereport(ERROR,
					(errcode(ERRCODE_DYNAMO_VALIDATION),
					 errmsg("The update expression attempted to update the secondary index key to unsupported type")));
	}
}

static WriteAction
ApplyUpdate(const PreparedWrite *w, ValueRef old, struct varlena **item)
{
	if (w->update == NULL)
	{
		/* no update expression: only creates the item, if it is not there */
		if (!ValueIsMissing(old))
			return WRITE_NOTHING;
		*item = ValueCopy(w->op->item);
		return WRITE_PUT;
	}

	*item = UpdateApply(w->update, old, w->op->item);
	if (*item == NULL)
		return WRITE_NOTHING;
	CheckComputedIndexKeys(w->def, ItemRoot(*item));
	return WRITE_PUT;
}

WriteAction
WriteApply(const PreparedWrite *w, ValueRef old, struct varlena **item)
{
	switch (w->op->kind)
	{
		case WRITE_KIND_PUT:
			*item = w->op->datum != NULL ? w->op->datum : ValueCopy(w->op->item);
			return WRITE_PUT;
		case WRITE_KIND_UPDATE:
			return ApplyUpdate(w, old, item);
		case WRITE_KIND_DELETE:
			return WRITE_DELETE;
		case WRITE_KIND_CHECK:
			break;
	}
	return WRITE_NOTHING;
}

AclMode
WriteAccess(WriteKind kind)
{
	switch (kind)
	{
		case WRITE_KIND_PUT:
		case WRITE_KIND_UPDATE:
			return ACL_SELECT | ACL_INSERT | ACL_UPDATE;
		case WRITE_KIND_DELETE:
			return ACL_SELECT | ACL_DELETE;
		case WRITE_KIND_CHECK:
			break;
	}
	return ACL_SELECT;
}

/* ---- one item ---- */

typedef struct SingleWrite
{
	PreparedWrite prepared;
	WriteResult *result;
	WriteAction decided;
} SingleWrite;

static void
RememberOld(SingleWrite *s, ValueRef old)
{
	const PreparedWrite *w = &s->prepared;

	s->result->attributes = NULL;
	s->result->old_size = 0;
	s->result->old_item = NULL;
	if (ValueIsMissing(old))
		return;

	if (w->op->images)
		s->result->old_item = ValueCopy(old);

	if (w->op->sizes)
		s->result->old_size = ItemSize(old);
	if (w->op->return_values == RETURN_ALL_OLD)
		s->result->attributes = ValueCopy(old);
	else if (w->op->return_values == RETURN_UPDATED_OLD && w->update != NULL)
		s->result->attributes = UpdateTargetsIn(w->update, old);
	else if (w->op->return_values == RETURN_ALL_NEW && w->update == NULL)
		s->result->attributes = ValueCopy(old);
}

/* WriteDecider */
static WriteAction
DecideSingle(void *arg, ValueRef old, struct varlena **item)
{
	SingleWrite *s = (SingleWrite *) arg;

	if (!WriteCondition(&s->prepared, old))
		ConditionFailed(s->prepared.op, old);
	RememberOld(s, old);
	s->decided = WriteApply(&s->prepared, old, item);
	return s->decided;
}

static void
RememberNew(SingleWrite *s, struct varlena *stored)
{
	const PreparedWrite *w = &s->prepared;

	if (w->op->return_values == RETURN_ALL_NEW)
		s->result->attributes = stored;
	else if (w->op->return_values == RETURN_UPDATED_NEW && w->update != NULL)
		s->result->attributes = UpdateTargetsIn(w->update, ItemRoot(stored));
	if (w->op->sizes)
		s->result->new_size = ItemSize(ItemRoot(stored));
	if (w->op->images)
		s->result->new_item = stored;
}

void
WriteItem(const WriteOp *op, WriteResult *result)
{
	SingleWrite s;
	Store		store;
	struct varlena *stored = NULL;
	WriteAction action;

	memset(result, 0, sizeof(*result));
	s.result = result;

	WritePrepare(&s.prepared, op);
	StoreOpen(&store, op->table_name, WriteAccess(op->kind));
	WriteBindTable(&s.prepared, store.def);
	action = StoreWrite(&store, &s.prepared.key, s.prepared.need_old,
						DecideSingle, &s, &stored);
	StoreClose(&store);

	if (action == WRITE_PUT)
		RememberNew(&s, stored);
	else if (action == WRITE_NOTHING)
	{
		result->new_size = result->old_size;
		result->new_item = result->old_item;
	}
	if (action != s.decided)
		result->attributes = NULL;	/* nothing to delete, or suppressed */
}
