/*
 * pattern_nest.c
 *	  dynamo.nest_items: the items of a collection as one document.
 *
 * In a collection, an item is a child of the item whose sort key its own begins
 * with: ORDER#7#LINE#1 of ORDER#7.  All others are children of the item of the
 * document's entity.  Items are read in key order, so that an item's parent is the
 * previous item or an ancestor of that.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/rel.h"

#include "design/entity_list.h"
#include "extension_objects.h"
#include "item/convert.h"
#include "pattern/pattern.h"
#include "table/table_name.h"

typedef struct NestNode
{
	ValueRef	item;			/* the item; MISSING_VALUE in a document without its item */
	Slice		kind;			/* name of the entity; data is NULL if there is none */
	Slice		sort;			/* the prefix of the keys of its children; data is NULL if it has none */
	struct NestNode *parent;
	List	   *children;
} NestNode;

/* ---- the tree ---- */

static bool
ContinuesKey(Slice key, Slice from)
{
	return from.data != NULL && key.len > from.len && SliceBeginsWith(key, from) &&
		!isalnum((unsigned char) key.data[from.len]) && (unsigned char) key.data[from.len] < 0x80;
}

static NestNode *
MakeNode(const TableDef *def, ValueRef item)
{
	NestNode	   *node = palloc0(sizeof(NestNode));
	const Entity *entity = def->entities == NULL ? NULL : EntityOfItem(def->entities, item);
	ValueRef	sort = MISSING_VALUE;

	if (def->key.nsort > 0)
		sort = AttributeFind(item, def->key.attributes[1].name.data, def->key.attributes[1].name.len);
	node->item = item;
	if (entity != NULL)
		node->kind = entity->name;
	if (!ValueIsMissing(sort) && ValueTypeOf(sort) == VALUE_S)
		node->sort = ValuePayload(sort);
	return node;
}

static NestNode *
FindParent(NestNode *last, NestNode *root, const NestNode *child)
{
	while (last != NULL && last != root && !ContinuesKey(child->sort, last->sort))
		last = last->parent;
	return last == NULL ? root : last;
}

static bool
IsOfKind(const NestNode *node, Slice kind)
{
	return node->kind.data != NULL && SliceEqual(node->kind, kind);
}

/*
 * Returns the document's node with all others below it.  Items that were read backward
 * are taken in the order of their keys, and put in front of those before.
 */
static NestNode *
MakeTree(const TableDef *def, Slice root_kind, const Datum *items, int n, bool backward)
{
	NestNode	   *root = palloc0(sizeof(NestNode));
	NestNode	   *last = root;

	for (int i = 0; i < n; i++)
	{
		NestNode	   *node = MakeNode(def, DatumGetValue(items[backward ? n - 1 - i : i]));

		if (ValueIsMissing(root->item) && IsOfKind(node, root_kind))
		{
			root->item = node->item;
			continue;
		}
		node->parent = FindParent(last, root, node);
		node->parent->children = backward ? lcons(node, node->parent->children) : lappend(node->parent->children, node);
		last = node;
	}
	return root;
}

/* ---- as JSON ---- */

static void AppendNode(StringInfo out, const NestNode *node);

static void
AppendSeparator(StringInfo out)
{
	if (out->data[out->len - 1] != '{' && out->data[out->len - 1] != '[')
		appendStringInfoChar(out, ',');
}

static void
AppendItemAttributes(StringInfo out, ValueRef item)
{
	Container	attributes;

	if (ValueIsMissing(item))
		return;
	ContainerOpen(item, &attributes);
	for (uint32 i = 0; i < attributes.count; i++)
	{
		Slice		name;
		ValueRef	value = MapEntry(&attributes, i, &name);

		AppendSeparator(out);
		CheckSliceIsText(name);
		escape_json(out, pnstrdup(name.data, name.len));
		appendStringInfo(out, ":%s", JsonbToCString(NULL, &ValueToJsonb(value)->root, 0));
	}
}

static const char *
NestKindName(const NestNode *node)
{
	return node->kind.data == NULL ? "other" : pnstrdup(node->kind.data, node->kind.len);
}

/* Writes the children of one kind, starting with the first. */
static void
AppendKind(StringInfo out, const NestNode *node, const NestNode *first)
{
	ListCell   *cell;

	AppendSeparator(out);
	escape_json(out, NestKindName(first));
	appendStringInfoString(out, ":[");
	foreach(cell, node->children)
	{
		const NestNode *child = lfirst(cell);

		if (strcmp(NestKindName(child), NestKindName(first)) != 0)
			continue;
		AppendSeparator(out);
		AppendNode(out, child);
	}
	appendStringInfoChar(out, ']');
}

static void
AppendNode(StringInfo out, const NestNode *node)
{
	List	   *seen = NIL;
	ListCell   *cell;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	appendStringInfoChar(out, '{');
	AppendItemAttributes(out, node->item);
	foreach(cell, node->children)
	{
		const NestNode *child = lfirst(cell);
		const void *kind = child->kind.data;

		if (list_member_ptr(seen, kind))
			continue;
		seen = lappend(seen, unconstify(void *, kind));
		AppendKind(out, node, child);
	}
	appendStringInfoChar(out, '}');
}

/* Takes the document's own item from a list, if the tree has none. */
static void
TakeOwnItem(NestNode *root, const TableDef *def, Slice root_kind, const Datum *items, int n)
{
	for (int i = 0; ValueIsMissing(root->item) && i < n; i++)
	{
		NestNode   *node = MakeNode(def, DatumGetValue(items[i]));

		if (IsOfKind(node, root_kind))
			root->item = node->item;
	}
}

static Datum *
ItemsArgument(FunctionCallInfo fcinfo, int arg, int *n)
{
	Datum	   *items = NULL;

	*n = 0;
	if (!PG_ARGISNULL(arg))
		deconstruct_array(PG_GETARG_ARRAYTYPE_P(arg), ItemTypeOid(), -1, false, TYPALIGN_INT, &items, NULL, n);
	return items;
}

/*
 * nest_items(table_name text, entity_name text, items dynamo.item[], backward boolean,
 * own_items dynamo.item[]) returns jsonb
 */
DYNAMO_FUNCTION(dynamo_nest_items);
Datum
dynamo_nest_items(PG_FUNCTION_ARGS)
{
	Relation	rel;
	TableDef   *def;
	const Entity *entity;
	StringInfoData json;
	Datum	   *items;
	Datum	   *own;
	NestNode   *root;
	int			n;
	int			nown;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	rel = TableNameOpen(TableArgument(fcinfo, 0), AccessShareLock, false);
	def = TableDefAcquire(rel);
	entity = RequireEntity(def, text_to_cstring(PG_GETARG_TEXT_PP(1)));
	items = ItemsArgument(fcinfo, 2, &n);
	own = ItemsArgument(fcinfo, 4, &nown);
	root = MakeTree(def, entity->name, items, n, !PG_ARGISNULL(3) && PG_GETARG_BOOL(3));
	TakeOwnItem(root, def, entity->name, own, nown);
	initStringInfo(&json);
	AppendNode(&json, root);
	TableDefRelease(def);
	table_close(rel, AccessShareLock);
	if (ValueIsMissing(root->item) && n == 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data)));
}
