/*
 * eval_update.c
 *	  Applies a bound update to an item.
 *
 * The first step evaluates every right-hand side of SET against the old item
 * or, if there is none, against the key of the new item.  The second step
 * walks the tree of target paths together with the item.  Each level computes
 * what its children become and splices the results into a copy of the
 * container, so that untouched parts are copied in bulk.  List positions
 * always refer to the old list.
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

/* Smaller values are not measured before the item is composed. */
#define LARGE_VALUE		(16 * 1024)

typedef struct Application
{
	const Update *update;
	bool		exists;			/* an old item exists */
	Container	item;			/* the old item, or the key of a new one */
	ValueRef   *assigned;		/* what SET assigns, by action */
	Problem    *problem;		/* NULL: it is raised */
} Application;

static const uint8 empty_map[] = {VALUE_M, 0};

static ValueRef ApplyInside(const Application *a, const PathNode *node,
							ValueRef old, int depth);

static void
NotePath(const Application *a, const char *message, const Path *path)
{
	ProblemNote(a->problem, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.message = message,
		.detail = psprintf("Document path: %s.", ExprPathText(path))
	});
}

/* ---- right-hand sides ---- */

static ValueRef
RequirePath(const Application *a, const Path *path)
{
	ValueRef	v = PathResolve(path, &a->item);

	if (ValueIsMissing(v))
		NotePath(a, "The provided expression refers to an attribute that does not exist in the item", path);
	return v;
}

static ValueRef EvaluateOperand(const Application *a, const SetOperand *o,
								const Path *target);

/*
 * The result of set_add or set_delete.  The set at the path may be missing; so
 * may be the result.
 */
static ValueRef
EvaluateSetChange(const Application *a, const SetOperand *o, const Path *target)
{
	ValueRef	old = PathResolve(&o->path, &a->item);
	ValueRef	members = EvaluateOperand(a, o->right, target);

	if (!RequireSet(members, target, a->problem))
		return MISSING_VALUE;
	if (ValueIsMissing(old))
		return o->kind == SET_UNION ? members : old;
	return o->kind == SET_UNION ? SetUnion(old, members, target, a->problem) :
		SetDifference(old, members, target, a->problem);
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
			return ListConcat(v, EvaluateOperand(a, o->right, target), target, a->problem);
		case SET_UNION:
		case SET_DIFFERENCE:
			return EvaluateSetChange(a, o, target);
		case SET_PLUS:
		case SET_MINUS:
			v = EvaluateOperand(a, o->left, target);
			return ValueSum(v, EvaluateOperand(a, o->right, target),
							o->kind == SET_MINUS, target, a->problem);
	}
	elog(ERROR, "unknown operand %d of an update", (int) o->kind);
}

/* Notes that the finished item would be too large; more: than this size. */
static bool
NoteItemSize(Problem *problem, bool more, uint64 size)
{
	return ProblemNote(problem, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.message = "Item size to update has exceeded the maximum allowed size",
		.detail = psprintf("The item would have %s" UINT64_FORMAT " bytes; the limit is %d.",
						   more ? "more than " : "", size, ITEM_MAX_SIZE)
	});
}

/*
 * Evaluates what SET assigns.  The item will have all of it, and the members that ADD
 * adds.  If these alone are too large, the rest is not evaluated: a short expression can
 * assign the largest list hundreds of times, which takes gigabytes.
 */
static void
EvaluateAssignments(Application *a)
{
	uint64		size = 0;

	for (int i = 0; i < a->update->n && size <= ITEM_MAX_SIZE; i++)
	{
		const BoundAction *action = &a->update->actions[i];
		ValueRef	v = MISSING_VALUE;

		if (action->action == ACTION_SET)
			v = a->assigned[i] = EvaluateOperand(a, action->operand, &a->update->tree.paths[i]);
		else if (action->action == ACTION_ADD)
			v = action->literal;
		if (v.len > LARGE_VALUE)
			size += ValueSize(v);
	}
	if (size > ITEM_MAX_SIZE && !ProblemIsNoted(a->problem))
		(void) NoteItemSize(a->problem, true, size);
}

/* ---- actions on one value ---- */

static ValueRef
AddLiteral(ValueRef old, ValueRef literal, const Path *target, Problem *problem)
{
	if (ValueIsMissing(old))
		return literal;
	switch (ValueTypeOf(literal))
	{
		case VALUE_N:
			return ValueSum(old, literal, false, target, problem);
		case VALUE_L:			/* only in legacy parameters */
			return ListConcat(old, literal, target, problem);
		default:
			return SetUnion(old, literal, target, problem);
	}
}

/* Legacy AttributeUpdates have their own message for ADD and DELETE. */
static bool
CheckStoredType(const Application *a, ValueRef old, ValueRef literal)
{
	if (a->update->built && !ValueIsMissing(old) &&
		ValueTypeOf(old) != ValueTypeOf(literal))
		return NoteInvalid(a->problem, "Type mismatch for attribute to update");
	return true;
}

/* The new value of an action's target; MISSING_VALUE removes it. */
static ValueRef
ApplyUpdateAction(const Application *a, int i, ValueRef old)
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
			return !CheckStoredType(a, old, action->literal) ? old :
				AddLiteral(old, action->literal, target, a->problem);
		case ACTION_DELETE:
			return ValueIsMissing(old) || !CheckStoredType(a, old, action->literal) ? old :
				SetDifference(old, action->literal, target, a->problem);
	}
	elog(ERROR, "unknown action %d of an update", (int) action->action);
}

/* Checks the nesting depth of a new value inside depth containers. */
static void
CheckDepth(const Application *a, ValueRef v, int depth)
{
	if (!ValueIsMissing(v) && depth + ValueDepth(v) > ITEM_MAX_DEPTH)
		NoteInvalid(a->problem, ITEM_TOO_DEEP);
}

/* ---- walk through paths and item ---- */

/*
 * Whether any action at or below this node stores a value, rather than
 * removing one.
 */
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
 * Notes the problem of a target whose parent container is missing or has the
 * wrong type, unless the actions only remove something from an item that does
 * not exist.
 */
static void
CheckMissingParent(const Application *a, const PathNode *node)
{
	if (a->exists || NodeStores(a, node))
		NotePath(a, "The document path provided in the update expression is invalid for update",
				 &a->update->tree.paths[node->first_path]);
}

/* The new value of an element that has targets at or below it. */
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
	v = ApplyUpdateAction(a, node->path, old);
	if (v.data != old.data)
		CheckDepth(a, v, depth);
	return v;
}

/* Finds the old element of a child, and its current or future position. */
static ValueRef
FindOldElement(const PathNode *child, const Container *c, uint32 *position)
{
	const PathElement *e = child->element;
	Slice		name;

	if (c->type == VALUE_M)
		return MapPosition(c, e->name, position) ?
			MapEntry(c, *position, &name) : MISSING_VALUE;
	*position = Min(e->index, c->count);
	return e->index < c->count ? ListElement(c, e->index) : MISSING_VALUE;
}

/* Fills in the edits for the children of a node; returns their number. */
static uint32
ComputeChildEdits(const Application *a, const PathNode *node, const Container *c,
		   int depth, SpliceEdit *edits)
{
	uint32		n = 0;

	for (const PathNode *child = node->first; child; child = child->next)
	{
		uint32		position;
		ValueRef	old = FindOldElement(child, c, &position);
		ValueRef	new = ApplyNode(a, child, old, depth);

		if (new.data == old.data)
			continue;			/* includes values missing before and after */
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

/* Applies the targets below node to a container inside the item. */
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
	n = ComputeChildEdits(a, node, &c, depth + 1, edits);
	return n > 0 ? ContainerSplice(c.type, &c, edits, n) : old;
}

/* Applies the update to the whole item. */
static struct varlena *
ApplyToItem(const Application *a)
{
	const PathNode *root = &a->update->tree.root;
	SpliceEdit	few[FEW_EDITS];
	SpliceEdit *edits = few;
	uint32		n;

	if (root->nchildren > FEW_EDITS)
		edits = palloc(root->nchildren * sizeof(SpliceEdit));
	n = ComputeChildEdits(a, root, &a->item, 1, edits);
	return ItemSplice(&a->item, edits, n);
}

/* ---- entry ---- */

static bool
CheckSize(const struct varlena *item, Problem *problem)
{
	ValueRef	v = ItemRoot(item);
	uint64		size;

	/*
	 * An encoding of at most half the limit cannot exceed it, as in
	 * CheckItemSize.
	 */
	if (v.len <= ITEM_MAX_SIZE / 2)
		return true;
	size = ItemSize(v);
	return size <= ITEM_MAX_SIZE || NoteItemSize(problem, false, size);
}

struct varlena *
UpdateApply(const Update *update, ValueRef old, ValueRef key, Problem *problem)
{
	Application a = {.update = update, .exists = !ValueIsMissing(old), .problem = problem};
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
	item = ProblemIsNoted(problem) ? NULL : ApplyToItem(&a);
	return ProblemIsNoted(problem) || !CheckSize(item, problem) ? NULL : item;
}

struct varlena *
UpdateTargetsIn(const Update *update, ValueRef item)
{
	return PathTreeExtract(&update->tree, item);
}
