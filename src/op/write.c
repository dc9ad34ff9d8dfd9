/*
 * write.c
 *	  PutItem, UpdateItem, DeleteItem: the stages of one write, and the
 *	  operation on one item.
 */
#include "postgres.h"

#include "utils/rel.h"

#include "entity/entity.h"
#include "errors.h"
#include "item/builder.h"
#include "item/json.h"
#include "op/call_bindings.h"
#include "op/consumed.h"
#include "op/note_key.h"
#include "op/write.h"
#include "store/elsewhere.h"
#include "table/key_parts.h"
#include "table/moves.h"
#include "table/stored.h"

/* ---- request-only checks ---- */

bool
ReturnValuesFromText(Slice text, ReturnValues *result)
{
	static const char *const words[] = {
		[RETURN_NONE] = "NONE",
		[RETURN_ALL_OLD] = "ALL_OLD",
		[RETURN_UPDATED_OLD] = "UPDATED_OLD",
		[RETURN_ALL_NEW] = "ALL_NEW",
		[RETURN_UPDATED_NEW] = "UPDATED_NEW",
	};

	for (size_t i = 0; i < lengthof(words); i++)
	{
		if (SliceIs(text, words[i]))
		{
			*result = (ReturnValues) i;
			return true;
		}
	}
	return false;
}

void
WriteCheckReturn(const WriteOp *op)
{
	if (op->kind != WRITE_KIND_UPDATE &&
		op->return_values != RETURN_NONE && op->return_values != RETURN_ALL_OLD)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("ReturnValues can only be ALL_OLD or NONE")));
}

void
WriteCheckRequest(const WriteOp *op)
{
	WriteCheckReturn(op);
	if (op->kind == WRITE_KIND_PUT)
		CheckItemSize(op->item);
}

static void
BindWriteExpressions(PreparedWrite *w)
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
	(void) ExprBindingsCheckUnused(b);
}

void
WriteBind(PreparedWrite *w, const WriteOp *op)
{
	memset(w, 0, sizeof(*w));
	w->op = op;
	w->update = op->built_update;
	w->condition = op->built_condition;
	BindWriteExpressions(w);
	w->need_old = op->kind == WRITE_KIND_UPDATE || w->condition != NULL || op->insert ||
		op->return_values != RETURN_NONE || op->sizes || op->images;
}

/* ---- schema-dependent checks ---- */

/*
 * Before the item is read, checks the values that an update assigns to index
 * keys.
 */
static bool
CheckLiteralIndexKeys(const Update *update, const TableDef *def, Problem *problem)
{
	struct varlena *literals = def->nindexes > 0 ? UpdateLiterals(update) : NULL;

	return literals == NULL ||
		CheckUpdatedIndexKeys(def, ItemRoot(literals), false, NULL, problem);
}

static bool
CheckUpdatePaths(const Update *update, PathCheck *check)
{
	UpdateVisitTargets(update, KeyTargetVisitor, check);
	if (ProblemIsNoted(check->problem) ||
		!CheckLiteralIndexKeys(update, check->def, check->problem))
		return false;
	UpdateVisitOperands(update, KeyPathVisitor, check);
	return !ProblemIsNoted(check->problem);
}

/*
 * A PathVisitor: stops at an attribute that an entity's keys are composed of.
 */
static bool
ConcernsEntities(Slice name, bool nested, void *arg)
{
	PreparedWrite *w = arg;

	w->composes = EntitySetConcerns(w->def->entities, name);
	return !w->composes;
}

/* Checks the size of an item including its composed keys. */
static bool
CheckComposedSize(const struct varlena *composed, Problem *problem)
{
	return composed == NULL || ItemSize(ItemRoot(composed)) <= ITEM_MAX_SIZE ||
		NoteInvalid(problem, "Item size has exceeded the maximum allowed size");
}

bool
WriteCompose(PreparedWrite *w, const Store *store, Problem *problem)
{
	w->def = store->def;
	if (w->def->entities == NULL)
		return true;
	w->final = StoreItemIsFinal(store);
	w->need_old |= w->op->kind == WRITE_KIND_PUT && PutNeedsOld(w->def);
	if (w->update != NULL)
		UpdateVisitTargets(w->update, ConcernsEntities, w);
	return w->op->kind != WRITE_KIND_PUT ||
		(ComposePutItem(w->def, w->op->item, w->final, &w->composed, problem) &&
		 CheckComposedSize(w->composed, problem));
}

bool
WriteBindTable(PreparedWrite *w, Problem *problem)
{
	const TableDef *def = w->def;
	PathCheck	check = {def, problem};
	ValueRef	given = WriteGivenItem(w);
	bool		has_key = w->op->kind == WRITE_KIND_PUT ?
		CheckItemKeys(def, given, NULL, problem) :
		TakeKeyParameter(def, &given, problem);

	w->given = given;
	if (!has_key || (w->update != NULL && !CheckUpdatePaths(w->update, &check)))
		return false;
	if (w->condition != NULL)
		ConditionVisitPaths(w->condition, KeyPathVisitor, &check);
	if (ProblemIsNoted(problem) || !RowKeyFromItem(def, given, &w->key, problem))
		return false;
	NoteRowKey(def, &w->key);
	return true;
}

void
WriteBring(PreparedWrite *w, Store *store)
{
	if (TableMoves(w->def) && move_methods->bring(store, &w->key, w->op->kind != WRITE_KIND_PUT))
		w->given = ItemRoot(ItemOfKey(w->def, &w->key));
}

/* ---- the condition ---- */

bool
WriteCondition(const PreparedWrite *w, ValueRef old)
{
	if (w->op->insert && !ValueIsMissing(old))
		return false;
	return w->condition == NULL || ConditionMatches(w->condition, old);
}

/* Raises ConditionalCheckFailed, with the old item in DETAIL if requested. */
static void
RaiseConditionFailed(const WriteOp *op, ValueRef old)
{
	StringInfoData json;

	if (op->insert)
		DuplicateItemError();
	if (!op->return_old_on_failure || ValueIsMissing(old))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_CONDITION_FAILED),
				 errmsg("The conditional request failed")));

	initStringInfo(&json);
	ItemToJson(&json, old);

	/* The client requested the item, but it must not reach the server log. */
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_CONDITION_FAILED),
			 errmsg("The conditional request failed"),
			 errdetail_internal("%s", json.data),
			 errdetail_log("The item is not written to the log.")));
}

/* ---- application ---- */

static bool
NoteTooLarge(const char *what, uint64 size, Problem *problem)
{
	return ProblemNote(problem, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.message = "Item size to update has exceeded the maximum allowed size",
		.detail = psprintf("%s would have " UINT64_FORMAT " bytes; the limit is %d.",
						   what, size, ITEM_MAX_SIZE)
	});
}

/*
 * Checks the size of an item together with its entries in local indexes.  The
 * key trigger would refuse it, too, but with the message of PutItem.  The size
 * of the item alone has been checked.
 */
static bool
CheckLocalEntries(const TableDef *def, ValueRef item, Problem *problem)
{
	uint64		size = def->has_local ? ItemWithEntriesSize(def, item) : 0;

	return size <= ITEM_MAX_SIZE ||
		NoteTooLarge("The item and its entries in local indexes", size, problem);
}

/*
 * Raises the error of an update whose charge is too large.  UpdateItem does so
 * before it evaluates the condition.
 */
static void
CheckCharge(const PreparedWrite *w, ValueRef old)
{
	uint64		charge;

	if (!w->op->charge_update || w->update == NULL || !UpdateMayCharge(w->update, ITEM_MAX_SIZE))
		return;
	charge = UpdateCharge(w->update, old);
	if (charge > ITEM_MAX_SIZE)
		(void) NoteTooLarge("The update", charge, NULL);
}

static void RaiseInvalidOldItem(const PreparedWrite *w, const AttributeDef *attr, ValueRef v)
			pg_attribute_noreturn();

static void
RaiseInvalidOldItem(const PreparedWrite *w, const AttributeDef *attr, ValueRef v)
{
	const char *problem = KeyAttributeProblem(attr, v, KEY_MAX_PARTITION);
	const AttributeDef *columns[] = {
		TableKeyAttribute(w->def, 0),
		TableKeyAttribute(w->def, 1)
	};
	RowPlace	place = {.relid = w->def->relid};

	place.key = KeyColumnsText(columns, KeyCount(&w->def->key),
							   w->key.values, (bool[]) {false, false});
	if (problem == NULL)
		problem = psprintf("Column \"%s\" differs from attribute \"%s\" of the item.",
						   attr->column, attr->name.data);
	InvalidRowError(&place, problem);
}

/* Checks that the old item has the key by which it was found. */
static void
CheckOldItem(const PreparedWrite *w, ValueRef old)
{
	Container	map;

	ContainerOpen(old, &map);
	for (int i = 0; i < KeyCount(&w->def->key); i++)
	{
		const AttributeDef *attr = TableKeyAttribute(w->def, i);
		ValueRef	v = MapFind(&map, attr->name.data, attr->name.len);

		if (unlikely(!ValueEqual(v, w->key.attributes[i])))
			RaiseInvalidOldItem(w, attr, v);
	}
}

/* Composes the keys of the item that an update has created. */
static bool
ComposeUpdated(const PreparedWrite *w, ValueRef old, struct varlena **item, Problem *problem)
{
	struct varlena *composed;

	if (w->def->entities == NULL || (!w->composes && !ValueIsMissing(old)))
		return true;
	if (!ComposeUpdatedItem(w->def, ItemRoot(*item), old, w->final, &composed, problem) ||
		!CheckComposedSize(composed, problem))
		return false;
	if (composed != NULL)
		*item = composed;
	return true;
}

/* Only attributes that the update has changed must suit the indexes that check them. */
static bool
CheckUpdatedOthers(const PreparedWrite *w, ValueRef old, struct varlena *item, Problem *problem)
{
	ReplacedItem replaced = {.item = old};

	return !w->def->checks_items ||
		CheckOtherThanKeys(w->def, ItemRoot(item), ValueIsMissing(old) ? NULL : &replaced, problem);
}

/* Checks the item that an update has created, and composes its keys. */
static bool
CheckUpdatedItem(const PreparedWrite *w, ValueRef old, struct varlena **item, Problem *problem)
{
	ReplacedItem replaced = {.item = old};

	return ComposeUpdated(w, old, item, problem) &&
		(w->def->nindexes == 0 ||
		 (CheckUpdatedIndexKeys(w->def, ItemRoot(*item), true, ValueIsMissing(old) ? NULL : &replaced, problem) &&
		  CheckUpdatedOthers(w, old, *item, problem) &&
		  CheckLocalEntries(w->def, ItemRoot(*item), problem)));
}

static WriteAction
ApplyUpdate(const PreparedWrite *w, ValueRef old, struct varlena **item, Problem *problem)
{
	if (!ValueIsMissing(old))
		CheckOldItem(w, old);

	if (w->update == NULL)
	{
		/*
		 * Without update expression, the item is only created if it does not
		 * exist.
		 */
		if (!ValueIsMissing(old))
			return WRITE_NOTHING;
		*item = ValueCopy(w->given);
		return ComposeUpdated(w, old, item, problem) ? WRITE_PUT : WRITE_NOTHING;
	}

	*item = UpdateApply(w->update, old, w->given, problem);
	if (*item == NULL || !CheckUpdatedItem(w, old, item, problem))
		return WRITE_NOTHING;
	return WRITE_PUT;
}

WriteAction
WriteApply(const PreparedWrite *w, ValueRef old, struct varlena **item, Problem *problem)
{
	switch (w->op->kind)
	{
		case WRITE_KIND_PUT:
			*item = w->composed != NULL ? w->composed :
				w->op->datum != NULL ? w->op->datum : ValueCopy(w->op->item);
			return !PutNeedsOld(w->def) ||
				(SettlePutItem(w->def, item, old, w->final, problem) && CheckComposedSize(*item, problem)) ?
				WRITE_PUT : WRITE_NOTHING;
		case WRITE_KIND_UPDATE:
			return ApplyUpdate(w, old, item, problem);
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
	return ACL_SELECT | ACL_UPDATE; /* like SELECT ... FOR UPDATE */
}

/* ---- one row ---- */

typedef struct RowWrite
{
	Store	   *store;
	const PreparedWrite *prepared;
	WriteResult *result;
	WriteAction decided;
	WriteConsumption consumed;
} RowWrite;

static void
RememberOld(RowWrite *r, ValueRef old)
{
	const PreparedWrite *w = r->prepared;

	memset(r->result, 0, sizeof(*r->result));
	if (ValueIsMissing(old))
		return;

	if (w->op->images)
		r->result->old_item = ValueCopy(old);
	if (w->op->sizes)
		r->result->old_size = ItemSize(old);
	if (w->op->return_values == RETURN_ALL_OLD)
		r->result->attributes = ValueCopy(old);
	else if (w->op->return_values == RETURN_UPDATED_OLD && w->update != NULL)
		r->result->attributes = UpdateTargetsIn(w->update, old);
	else if (w->op->return_values == RETURN_ALL_NEW && w->update == NULL)
		r->result->attributes = ValueCopy(old);
}

static void
RememberNew(RowWrite *r, struct varlena *stored)
{
	const PreparedWrite *w = r->prepared;

	if (w->op->return_values == RETURN_ALL_NEW)
		r->result->attributes = stored;
	else if (w->op->return_values == RETURN_UPDATED_NEW && w->update != NULL)
		r->result->attributes = UpdateTargetsIn(w->update, ItemRoot(stored));
	if (w->op->images)
		r->result->new_item = stored;
	if (w->op->sizes)
		r->result->new_size = ItemSize(ItemRoot(stored));
}

/* A write whose condition fails takes capacity of the table as well. */
static void
CountFailure(RowWrite *r, ValueRef old)
{
	if (ConsumptionIsCounted())
		StatConsumed(RelationGetRelid(r->store->rel), InvalidOid, 0,
					 TableWriteUnits(r->store->def, old, MISSING_VALUE));
}

/* A WriteDecider. */
static WriteAction
DecideRow(void *arg, ValueRef old, struct varlena **item)
{
	RowWrite   *r = (RowWrite *) arg;

	CheckCharge(r->prepared, old);
	if (!WriteCondition(r->prepared, old))
	{
		CountFailure(r, old);
		RaiseConditionFailed(r->prepared->op, old);
	}
	RememberOld(r, old);
	r->decided = WriteApply(r->prepared, old, item, NULL);
	if (ConsumptionIsCounted())
		WriteConsumptionCompute(&r->consumed, r->prepared->def, old, ItemAfter(r->decided, old, *item));
	return r->decided;
}

void
WriteRow(Store *store, const PreparedWrite *w, WriteResult *result)
{
	RowWrite	r = {store, w, result, WRITE_NOTHING};
	bool		need_old = w->need_old || (ConsumptionIsCounted() && store->direct);
	struct varlena *stored = NULL;
	WriteAction action;

	if (w->op->insert && StoreCanInsert(store))
		action = StoreInsert(store, &w->key, DecideRow, &r, &stored);
	else if (w->op->kind == WRITE_KIND_PUT && w->condition == NULL && !w->op->insert)
		action = StorePut(store, &w->key, need_old, DecideRow, &r, &stored);
	else
		action = StoreWrite(store, &w->key, need_old, DecideRow, &r, &stored);
	if (action == WRITE_PUT)
		RememberNew(&r, stored);
	else if (action == WRITE_NOTHING)
	{
		result->new_size = result->old_size;
		result->new_item = result->old_item;
	}
	if (w->consumed != NULL)
		*w->consumed = r.consumed;
	else if (ConsumptionIsCounted())
		WriteConsumptionCount(&r.consumed, store, 1);
	if (action != r.decided)
		result->attributes = NULL;	/* no row was written */
}

/* ---- PutItem, UpdateItem, DeleteItem ---- */

void
WriteBound(PreparedWrite *w, WriteResult *result)
{
	const WriteOp *op = w->op;
	Store		store;

	StoreOpen(&store, op->table_name, WriteAccess(op->kind));
	if (op->of_node)
		StoreServeNode(&store);
	(void) WriteCompose(w, &store, NULL);
	(void) WriteBindTable(w, NULL);
	WriteBring(w, &store);
	if (!store.def->distributed || !elsewhere->write_operation(&store, w, result))
		WriteRow(&store, w, result);
	StoreClose(&store);
}

void
WriteItem(const WriteOp *op, WriteResult *result)
{
	PreparedWrite w;

	WriteCheckRequest(op);
	WriteBind(&w, op);
	WriteBound(&w, result);
}
