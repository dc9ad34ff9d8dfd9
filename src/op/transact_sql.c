/*
 * transact_sql.c
 *	  dynamo.transact_write_items and dynamo.transact_get_items.
 *
 * Actions are given as the service's TransactItems, a JSON list with items and
 * keys in DynamoDB JSON, so that one call can contain several tables and kinds
 * of actions.  The text is read once, front to back.  A null member counts as
 * absent, and the last of several members with one name counts.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "errors.h"
#include "item/json.h"
#include "op/item_list.h"
#include "op/sql_args.h"

/* ---- kinds of actions and their members ---- */

typedef enum ActionMember
{
	MEMBER_TABLE_NAME,
	MEMBER_ITEM,
	MEMBER_KEY,
	MEMBER_UPDATE,
	MEMBER_CONDITION,
	MEMBER_PROJECTION,
	MEMBER_NAMES,
	MEMBER_VALUES,
	MEMBER_RETURN_ON_FAILURE
} ActionMember;

static const char *const member_names[] = {
	[MEMBER_TABLE_NAME] = "TableName",
	[MEMBER_ITEM] = "Item",
	[MEMBER_KEY] = "Key",
	[MEMBER_UPDATE] = "UpdateExpression",
	[MEMBER_CONDITION] = "ConditionExpression",
	[MEMBER_PROJECTION] = "ProjectionExpression",
	[MEMBER_NAMES] = "ExpressionAttributeNames",
	[MEMBER_VALUES] = "ExpressionAttributeValues",
	[MEMBER_RETURN_ON_FAILURE] = "ReturnValuesOnConditionCheckFailure",
};

#define BIT(member) (1 << (member))
#define CONDITION_MEMBERS \
	(BIT(MEMBER_TABLE_NAME) | BIT(MEMBER_CONDITION) | BIT(MEMBER_NAMES) | \
	 BIT(MEMBER_VALUES) | BIT(MEMBER_RETURN_ON_FAILURE))

typedef struct ActionKind
{
	const char *name;
	const char *path;			/* kind as it appears in messages */
	int			members;
	WriteKind	write;			/* unused for Get */
} ActionKind;

static const ActionKind write_kinds[] = {
	{"Put", "put", CONDITION_MEMBERS | BIT(MEMBER_ITEM), WRITE_KIND_PUT},
	{"Update", "update", CONDITION_MEMBERS | BIT(MEMBER_KEY) | BIT(MEMBER_UPDATE), WRITE_KIND_UPDATE},
	{"Delete", "delete", CONDITION_MEMBERS | BIT(MEMBER_KEY), WRITE_KIND_DELETE},
	{"ConditionCheck", "conditionCheck", CONDITION_MEMBERS | BIT(MEMBER_KEY), WRITE_KIND_CHECK},
};

static const ActionKind get_kinds[] = {
	{"Get", "get", BIT(MEMBER_TABLE_NAME) | BIT(MEMBER_KEY) | BIT(MEMBER_PROJECTION) | BIT(MEMBER_NAMES)},
};

/* The kinds that a function knows. */
typedef struct ActionKinds
{
	const ActionKind *kinds;
	int			n;
	const char *expected;
} ActionKinds;

static const ActionKinds writes = {write_kinds, lengthof(write_kinds), "Put, Update, Delete or ConditionCheck"};
static const ActionKinds only_gets = {get_kinds, lengthof(get_kinds), "Get"};

/* One action of the list. */
typedef struct Action
{
	int			position;
	const ActionKind *kind;
	Slice		table_name;		/* data is NULL if there is none, as below */
	struct varlena *item;		/* or key; NULL if there is none */
	ExprText	update;
	ExprText	condition;
	ExprText	projection;
	ExprArgs	args;
	Slice		return_on_failure;
} Action;

typedef struct ActionList
{
	const ActionKinds *known;
	int			n;
	Action	   *actions;
} ActionList;

/* ---- members ---- */

static void
WrongMember(const char *name, const char *wanted)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_SERIALIZATION),
			 errmsg("member \"%s\" must be %s", name, wanted)));
}

static bool
PassNull(JsonReader *r)
{
	if (JsonNextByte(r) != 'n')
		return false;
	JsonSkipValue(r);
	return true;
}

static Slice
ReadActionString(JsonReader *r, const char *name)
{
	if (PassNull(r))
		return (Slice) {NULL, 0};
	if (JsonNextByte(r) != '"')
		WrongMember(name, "a string");
	return JsonString(r);
}

static ExprText
ReadExpr(JsonReader *r, const char *name)
{
	Slice		text = ReadActionString(r, name);

	return (ExprText) {text.data != NULL, text};
}

/* Returns a map of attribute values; NULL if it is absent. */
static struct varlena *
ReadActionItem(JsonReader *r, const char *name)
{
	struct varlena *item;
	ItemBuilder b;

	if (PassNull(r))
		return NULL;
	if (JsonNextByte(r) != '{')
		WrongMember(name, "an object");
	ItemBuilderInit(&b, 0, DUPLICATE_NAME_LAST);
	ReadItemJson(r, &b);
	item = ItemBuilderFinish(&b);
	ItemBuilderRelease(&b);
	return item;
}

static void
ReadActionNames(JsonReader *r, const char *name, ExprArgs *args)
{
	const char *start;
	Jsonb	   *names;

	args->names_given = !PassNull(r);
	args->nnames = 0;
	if (!args->names_given)
		return;
	if (JsonNextByte(r) != '{')
		WrongMember(name, "an object");
	start = r->at;
	JsonSkipValue(r);
	names = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(pnstrdup(start, r->at - start))));
	args->nnames = ExprNamesFromJsonb(&names->root, &args->names);
}

static void
ReadMember(JsonReader *r, Action *a, ActionMember member)
{
	const char *name = member_names[member];
	struct varlena *values;

	switch (member)
	{
		case MEMBER_TABLE_NAME:
			a->table_name = ReadActionString(r, name);
			break;
		case MEMBER_ITEM:
		case MEMBER_KEY:
			a->item = ReadActionItem(r, name);
			break;
		case MEMBER_UPDATE:
			a->update = ReadExpr(r, name);
			break;
		case MEMBER_CONDITION:
			a->condition = ReadExpr(r, name);
			break;
		case MEMBER_PROJECTION:
			a->projection = ReadExpr(r, name);
			break;
		case MEMBER_NAMES:
			ReadActionNames(r, name, &a->args);
			break;
		case MEMBER_VALUES:
			values = ReadActionItem(r, name);
			a->args.values = values != NULL ? ItemRoot(values) : MISSING_VALUE;
			break;
		case MEMBER_RETURN_ON_FAILURE:
			a->return_on_failure = ReadActionString(r, name);
			break;
	}
}

/*
 * Returns the member with a name.  Unknown members are errors: a mistyped
 * ConditionExpression must not become a write without condition.
 */
static ActionMember
FindActionMember(const Action *a, Slice name)
{
	for (size_t i = 0; i < lengthof(member_names); i++)
	{
		if ((a->kind->members & BIT(i)) != 0 && SliceIs(name, member_names[i]))
			return (ActionMember) i;
	}
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("unknown member \"%.*s\" of %s in transact_items",
					(int) name.len, name.data, a->kind->name)));
}

/* ---- actions ---- */

static const ActionKind *
FindKind(const ActionKinds *known, Slice name)
{
	for (int i = 0; i < known->n; i++)
	{
		if (SliceIs(name, known->kinds[i].name))
			return &known->kinds[i];
	}
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("unknown action \"%.*s\" in transact_items", (int) name.len, name.data),
			 errhint("Expected %s.", known->expected)));
}

static void
FailMemberCount(int position, int members)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("every element of transact_items must have exactly one member"),
			 errdetail("Element %d has %d.", position + 1, members)));
}

/* Reads the members of an action. */
static void
ReadActionBody(JsonReader *r, Action *a)
{
	Slice		name;

	if (JsonNextByte(r) != '{')
		WrongMember(a->kind->name, "an object");
	JsonBeginObject(r);
	while (JsonNextMember(r, &name))
		ReadMember(r, a, FindActionMember(a, name));
}

/* Reads an element of the list: an object whose only member is an action. */
static void
ReadAction(JsonReader *r, const ActionKinds *known, Action *a)
{
	int			members = 1;
	Slice		name;

	if (JsonNextByte(r) != '{')
		WrongMember(psprintf("transact_items[%d]", a->position), "an object");
	JsonBeginObject(r);
	if (!JsonNextMember(r, &name))
		FailMemberCount(a->position, 0);
	a->kind = FindKind(known, name);
	a->args.values = MISSING_VALUE;
	ReadActionBody(r, a);
	for (; JsonNextMember(r, &name); members++)
		JsonSkipValue(r);
	if (members > 1)
		FailMemberCount(a->position, members);
}

/* Returns room for one more action; the room doubles at every power of two. */
static Action *
AddAction(ActionList *list)
{
	Action	   *a;

	if ((list->n & (list->n - 1)) == 0)
		list->actions = list->n == 0 ? palloc(sizeof(Action)) :
			repalloc(list->actions, 2 * list->n * sizeof(Action));
	a = &list->actions[list->n];
	memset(a, 0, sizeof(*a));
	a->position = list->n++;
	return a;
}

static void
ReadActions(FunctionCallInfo fcinfo, const ActionKinds *known, ActionList *list)
{
	JsonReader	r;
	Slice		json;

	list->n = 0;
	if (PG_ARGISNULL(0))
		ModelError(NULL, "transactItems", "Member must not be null");
	json = SliceOfVarlena(PG_GETARG_TEXT_PP(0));
	JsonReaderInit(&r, json.data, json.len);
	if (JsonNextByte(&r) != '[')
		WrongMember("transact_items", "a list");
	JsonBeginArray(&r);
	while (JsonNextElement(&r))
		ReadAction(&r, known, AddAction(list));
	JsonEnd(&r);
	if (list->n == 0)
		ModelError("[]", "transactItems", "Member must have length greater than or equal to 1");
}

/* ---- required members ---- */

static char *
MemberPath(const Action *a, const char *member)
{
	return psprintf("transactItems.%d.member.%s.%s", a->position + 1, a->kind->path, member);
}

static const char *
RequireTableName(const Action *a)
{
	if (a->table_name.data == NULL)
		ModelError(NULL, MemberPath(a, "tableName"), "Member must not be null");
	return pnstrdup(a->table_name.data, a->table_name.len);
}

static ValueRef
RequireItem(const Action *a)
{
	if (a->item == NULL)
		ModelError(NULL, MemberPath(a, (a->kind->members & BIT(MEMBER_ITEM)) != 0 ? "item" : "key"),
				   "Member must not be null");
	return ItemRoot(a->item);
}

/* ---- transact_write_items ---- */

static bool
ReturnsOldOnFailure(const Action *a)
{
	Slice		word = a->return_on_failure;

	if (word.data == NULL || SliceIs(word, "NONE"))
		return false;
	if (!SliceIs(word, "ALL_OLD"))
		ModelError(pnstrdup(word.data, word.len),
				   MemberPath(a, "returnValuesOnConditionCheckFailure"),
				   "Member must satisfy enum value set: [ALL_OLD, NONE]");
	return true;
}

static void
MakeActionWrite(const Action *a, WriteOp *op)
{
	op->kind = a->kind->write;
	op->table_name = RequireTableName(a);
	op->item = RequireItem(a);
	op->datum = a->item;
	op->update = a->update;
	op->condition = a->condition;
	op->args = a->args;
	op->return_old_on_failure = ReturnsOldOnFailure(a);
}

DYNAMO_FUNCTION(dynamo_transact_write_items);

Datum
dynamo_transact_write_items(PG_FUNCTION_ARGS)
{
	ActionList	list;
	WriteOp    *ops;
	TransactResult result;

	ReadActions(fcinfo, &writes, &list);
	ops = palloc0(sizeof(WriteOp) * list.n);
	for (int i = 0; i < list.n; i++)
		MakeActionWrite(&list.actions[i], &ops[i]);
	TransactWriteItems(ops, list.n, &result);
	if (result.canceled)
		TransactCanceledError(&result, list.n);
	PG_RETURN_VOID();
}

/* ---- transact_get_items ---- */

static ItemList *
TransactGet(FunctionCallInfo fcinfo)
{
	ActionList	list;
	GetOp	   *ops;
	ItemList   *items;

	ReadActions(fcinfo, &only_gets, &list);
	ops = palloc0(sizeof(GetOp) * list.n);
	for (int i = 0; i < list.n; i++)
	{
		ops[i].table_name = RequireTableName(&list.actions[i]);
		ops[i].key = RequireItem(&list.actions[i]);
		ops[i].projection = list.actions[i].projection;
		ops[i].args = list.actions[i].args;
	}
	items = ItemListMake(list.n, false);
	TransactGetItems(ops, list.n, items->results);
	return items;
}

DYNAMO_FUNCTION(dynamo_transact_get_items);

Datum
dynamo_transact_get_items(PG_FUNCTION_ARGS)
{
	return ItemListReturn(fcinfo, TransactGet);
}
