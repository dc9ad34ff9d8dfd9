/*
 * eval_update.c
 *	  Applying a bound update to an item.
 *
 * Two steps.  First every right-hand side of SET is evaluated against the
 * item as it was, or against the key of an item that is to be created.  Then the tree of target paths is walked together with the
 * item: each level finds out what its children become, and splices those
 * into a copy of the container, so that what is not touched is copied in
 * bulk.  Positions in lists are those of the old list at all times.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "errors.h"
#include "expr/update.h"
#include "expr/update_value.h"
#include "item/builder.h"
#include "item/splice.h"

#define FEW_EDITS		8		/* stand on the stack */
#define FEW_ACTIONS		8

typedef struct Application
{
	const Update *update;
	bool		exists;			/* there was an item */
	Container	item;			/* that item, or the key it starts from */
	ValueRef   *assigned;		/* what SET assigns, by action */
} Application;

static const uint8 empty_map[] = {VALUE_M, 0};

static ValueRef ApplyInside(const Application *a, const PathNode *node,
							ValueRef old, int depth);

/* ---- right-hand sides ---- */

static ValueRef
RequirePath(const Application *a, const Path *path)
{
	ValueRef	v = PathResolve(path, &a->item);

	if (ValueIsMissing(v))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("The provided expression refers to an attribute that does not exist in the item"),
				 errdetail("Document path: %s.", ExprPathText(path))));
	return v;
}

static ValueRef EvaluateOperand(const Application *a, const SetOperand *o,
								const Path *target);

/* The set at a path, which need not be there, with or without members. */
static ValueRef
EvaluateSetChange(const Application *a, const SetOperand *o, const Path *target)
{
	ValueRef	old = PathResolve(&o->path, &a->item);
	ValueRef	members = EvaluateOperand(a, o->right, target);

	RequireSet(members, target);
	if (ValueIsMissing(old))
		return o->kind == SET_UNION ? members : old;
	return o->kind == SET_UNION ? SetUnion(old, members, target) :
		SetDifference(old, members, target);
}

static ValueRef
EvaluateOperand(const Application *a, const SetOperand *o,
				const Path *target)
{
	ValueRef	v;

	check_stack_depth();
	switch (o->kind)
	{
		case SET_PATH:
			return RequirePath(a, &o->path);
		case SET_VALUE:
			return o->value;
		case SET_IF_NOT_EXISTS:
			v = PathResolve(&o->path, &a->item);
			return ValueIsMissing(v) ? EvaluateOperand(a, o->right, target) : v;
		case SET_LIST_APPEND:
			v = EvaluateOperand(a, o->left, target);
			return ListConcat(v, EvaluateOperand(a, o->right, target), target);
		case SET_UNION:
		case SET_DIFFERENCE:
			return EvaluateSetChange(a, o, target);
		case SET_PLUS:
		case SET_MINUS:
			v = EvaluateOperand(a, o->left, target);
			return ValueSum(v, EvaluateOperand(a, o->right, target),
							o->kind == SET_MINUS, target);
	}
	elog(ERROR, "unknown operand %d of an update", (int) o->kind);
}

static void
EvaluateAssignments(Application *a)
{
	for (int i = 0; i < a->update->n; i++)
	{
		const BoundAction *action = &a->update->actions[i];

		if (action->action == ACTION_SET)
			a->assigned[i] = EvaluateOperand(a, action->operand,
											 &a->update->tree.paths[i]);
	}
}

/* ---- actions on one value ---- */

static ValueRef
AddTo(ValueRef old, ValueRef literal, const Path *target)
{
	if (ValueIsMissing(old))
		return literal;
	switch (ValueTypeOf(literal))
	{
		case VALUE_N:
			return ValueSum(old, literal, false, target);
		case VALUE_L:			/* not from an expression */
			return ListConcat(old, literal, target);
		default:
			return SetUnion(old, literal, target);
	}
}

/* Built updates have an error of their own for ADD and DELETE. */
static void
CheckStoredType(const Update *update, ValueRef old, ValueRef literal)
{
	if (update->built && !ValueIsMissing(old) &&
		ValueTypeOf(old) != ValueTypeOf(literal))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("Type mismatch for attribute to update")));
}

/* What the target of an action becomes; MISSING_VALUE: nothing. */
static ValueRef
ApplyAction(const Application *a, int i, ValueRef old)
{
	const BoundAction *action = &a->update->actions[i];
	const Path *target = &a->update->tree.paths[i];

	switch (action->action)
	{
		case ACTION_SET:
			return a->assigned[i];
		case ACTION_REMOVE:
			return MISSING_VALUE;
		case ACTION_ADD:
			CheckStoredType(a->update, old, action->literal);
			return AddTo(old, action->literal, target);
		case ACTION_DELETE:
			CheckStoredType(a->update, old, action->literal);
			return ValueIsMissing(old) ? old :
				SetDifference(old, action->literal, target);
	}
	elog(ERROR, "unknown action %d of an update", (int) action->action);
}

/* A new value, which so many containers will surround, must not be too deep. */
static void
CheckDepth(ValueRef v, int depth)
{
	if (ValueIsMissing(v) || depth + ValueDepth(v) <= ITEM_MAX_DEPTH)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit")));
}

/* ---- walking paths and item together ---- */

/* Whether anything is stored at or below this node, rather than removed. */
static bool
NodeStores(const Application *a, const PathNode *node)
{
	check_stack_depth();
	if (node->path != NO_PATH)
	{
		UpdateAction action = a->update->actions[node->path].action;

		return action == ACTION_SET || action == ACTION_ADD;
	}
	for (const PathNode *child = node->first; child; child = child->next)
	{
		if (NodeStores(a, child))
			return true;
	}
	return false;
}

/*
 * The container that a target stands in is missing or of the wrong kind.  An
 * error, unless it is only about removing something from no item.
 */
static void
CheckMissingParent(const Application *a, const PathNode *node)
{
	if (!a->exists && !NodeStores(a, node))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("The document path provided in the update expression is invalid for update"),
			 errdetail("Document path: %s.",
					   ExprPathText(&a->update->tree.paths[node->first_path]))));
}

/* What an element becomes that has targets at it or inside. */
static ValueRef
ApplyNode(const Application *a, const PathNode *node, ValueRef old, int depth)
{
	ValueRef	v;

	if (node->path == NO_PATH)
	{
		if (!ValueIsMissing(old) && PathNodeEnters(node, old))
			return ApplyInside(a, node, old, depth);
		CheckMissingParent(a, node);
		return old;
	}
	v = ApplyAction(a, node->path, old);
	if (v.data != old.data)
		CheckDepth(v, depth);
	return v;
}

/* The old element a child leads to, and the position it has or would have. */
static ValueRef
FindElement(const PathNode *child, const Container *c, uint32 *position)
{
	const PathElement *e = child->element;
	Slice		name;

	if (c->type == VALUE_M)
		return MapPosition(c, e->name, position) ?
			MapEntry(c, *position, &name) : MISSING_VALUE;
	*position = Min(e->index, c->count);
	return e->index < c->count ? ListElement(c, e->index) : MISSING_VALUE;
}

/* Fills the edits that the children of a node make; returns their number. */
static uint32
ChildEdits(const Application *a, const PathNode *node, const Container *c,
		   int depth, SpliceEdit *edits)
{
	uint32		n = 0;

	for (const PathNode *child = node->first; child; child = child->next)
	{
		uint32		position;
		ValueRef	old = FindElement(child, c, &position);
		ValueRef	new = ApplyNode(a, child, old, depth);

		if (new.data == old.data)
			continue;			/* also: missing before and after */
		edits[n++] = (SpliceEdit) {
			.position = position,
			.removes = !ValueIsMissing(old),
			.inserts = !ValueIsMissing(new),
			.name = child->element->name,
			.bytes = {(const char *) new.data, new.len}
		};
	}
	return n;
}

/* A container inside the item, with the targets below node applied. */
static ValueRef
ApplyInside(const Application *a, const PathNode *node, ValueRef old, int depth)
{
	SpliceEdit	few[FEW_EDITS];
	SpliceEdit *edits = few;
	Container	c;
	uint32		n;

	check_stack_depth();
	if (node->nchildren > FEW_EDITS)
		edits = palloc(node->nchildren * sizeof(SpliceEdit));
	ContainerOpen(old, &c);
	n = ChildEdits(a, node, &c, depth + 1, edits);
	return n > 0 ? ContainerSplice(c.type, &c, edits, n) : old;
}

/* The same for the whole item. */
static struct varlena *
ApplyToItem(const Application *a)
{
	const PathNode *root = &a->update->tree.root;
	SpliceEdit	few[FEW_EDITS];
	SpliceEdit *edits = few;
	uint32		n;

	if (root->nchildren > FEW_EDITS)
		edits = palloc(root->nchildren * sizeof(SpliceEdit));
	n = ChildEdits(a, root, &a->item, 1, edits);
	return ItemSplice(&a->item, edits, n);
}

/* ---- entry ---- */

static void
CheckSize(const struct varlena *item)
{
	ValueRef	v = ItemRoot(item);
	uint64		size;

	/* As in CheckItemSize: small encodings are small items. */
	if (v.len <= ITEM_MAX_SIZE / 2)
		return;
	size = ItemSize(v);
	if (size > ITEM_MAX_SIZE)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("Item size to update has exceeded the maximum allowed size"),
				 errdetail("The item would have " UINT64_FORMAT " bytes; the limit is %d.",
						   size, ITEM_MAX_SIZE)));
}

struct varlena *
UpdateApply(const Update *update, ValueRef old, ValueRef key)
{
	Application a = {.update = update, .exists = !ValueIsMissing(old)};
	ValueRef	few[FEW_ACTIONS];
	struct varlena *item;

	if (!a.exists)
	{
		if (!update->stores)
			return NULL;
		old = ValueIsMissing(key) ?
			(ValueRef) {empty_map, sizeof(empty_map)} : key;
	}
	ContainerOpen(old, &a.item);

	a.assigned = update->n > FEW_ACTIONS ?
		palloc(update->n * sizeof(ValueRef)) : few;
	EvaluateAssignments(&a);
	item = ApplyToItem(&a);
	CheckSize(item);
	return item;
}

/* ---- what UpdateItem counts beside the item ---- */

#define OVERHEAD_OF_UPDATE		3
#define OVERHEAD_OF_STORING		19	/* of each SET or ADD */
#define OVERHEAD_OF_REMOVING	2	/* of each REMOVE or DELETE */
#define OVERHEAD_OF_ELEMENT		1	/* more, where the target is one of a list */
#define OVERHEAD_OF_SUM			50	/* more, of a SET that adds or subtracts */

static uint32
ActionOverhead(const BoundAction *action, const Path *target)
{
	bool		stores = action->action == ACTION_SET || action->action == ACTION_ADD;
	uint32		overhead = stores ? OVERHEAD_OF_STORING : OVERHEAD_OF_REMOVING;

	if (target->elements[target->n - 1].step == PATH_INDEX)
		overhead += OVERHEAD_OF_ELEMENT;
	if (action->action == ACTION_SET &&
		(action->operand->kind == SET_PLUS || action->operand->kind == SET_MINUS))
		overhead += OVERHEAD_OF_SUM;
	return overhead;
}

uint32
UpdateOverhead(const Update *update)
{
	uint32		overhead = OVERHEAD_OF_UPDATE;

	for (int i = 0; i < update->n; i++)
		overhead += ActionOverhead(&update->actions[i], &update->tree.paths[i]);
	return overhead;
}

struct varlena *
UpdateTargetsIn(const Update *update, ValueRef item)
{
	return PathTreeExtract(&update->tree, item);
}
