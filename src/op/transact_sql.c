/*
 * transact_sql.c
 *	  dynamo.transact_write_items and dynamo.transact_get_items.
 *
 * Actions are given as the service's TransactItems, a JSON list with items and
 * keys in DynamoDB JSON, so that one call can contain several tables and kinds
 * of actions.
 */
#include "postgres.h"

#include "errors.h"
#include "item/json.h"
#include "item/jsonb_walk.h"
#include "op/item_list.h"
#include "op/sql_args.h"

/* ---- members of JSON objects ---- */

static bool
Member(JsonbContainer *object, const char *name, JsonbValue *value)
{
	return getKeyJsonValueFromContainer(object, name, strlen(name), value) != NULL &&
		value->type != jbvNull;
}

static void
WrongMember(const char *name, const char *wanted)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_SERIALIZATION),
			 errmsg("member \"%s\" must be %s", name, wanted)));
}

static bool
StringMember(JsonbContainer *object, const char *name, Slice *string)
{
	JsonbValue	v;

	if (!Member(object, name, &v))
		return false;
	if (v.type != jbvString)
		WrongMember(name, "a string");
	*string = (Slice) {v.val.string.val, v.val.string.len};
	return true;
}

static bool
ObjectMember(JsonbContainer *object, const char *name, JsonbContainer **member)
{
	JsonbValue	v;

	if (!Member(object, name, &v))
		return false;
	if (v.type != jbvBinary || !JsonContainerIsObject(v.val.binary.data))
		WrongMember(name, "an object");
	*member = v.val.binary.data;
	return true;
}

/*
 * Returns a member that is a map of attribute values; MISSING_VALUE if absent.
 */
static ValueRef
ItemMember(JsonbContainer *object, const char *name, struct varlena **datum)
{
	JsonbContainer *map;

	*datum = NULL;
	if (!ObjectMember(object, name, &map))
		return MISSING_VALUE;
	*datum = ItemFromJsonbContainer(map);
	return ItemRoot(*datum);
}

static ExprText
ExprMember(JsonbContainer *object, const char *name)
{
	ExprText	expr = {false, {NULL, 0}};

	expr.given = StringMember(object, name, &expr.text);
	return expr;
}

static ExprArgs
ArgsMembers(JsonbContainer *object)
{
	ExprArgs	args = {MISSING_VALUE, false, 0, NULL};
	JsonbContainer *names;
	struct varlena *datum;

	args.values = ItemMember(object, "ExpressionAttributeValues", &datum);
	if (ObjectMember(object, "ExpressionAttributeNames", &names))
	{
		args.names_given = true;
		args.nnames = ExprNamesFromJsonb(names, &args.names);
	}
	return args;
}

/* The position and kind of an action, for messages. */
typedef struct ActionPlace
{
	int			position;
	const char *kind;			/* kind as written by the service */
} ActionPlace;

static char *
MemberPath(ActionPlace place, const char *member)
{
	return psprintf("transactItems.%d.member.%s.%s",
					place.position + 1, place.kind, member);
}

static const char *
TableNameMember(JsonbContainer *object, ActionPlace place)
{
	Slice		name;

	if (!StringMember(object, "TableName", &name))
		ModelError(NULL, MemberPath(place, "tableName"), "Member must not be null");
	return pnstrdup(name.data, name.len);
}

/* ---- the list of actions ---- */

/* Reads one action, whose kind is the name of its only member. */
typedef void (*ActionReader) (void *arg, int position, Slice kind, JsonbContainer *body);

static void
ReadAction(JsonbContainer *action, int position, ActionReader read, void *arg)
{
	JsonbWalk	walk;
	JsonbValue	body;
	Slice		kind;

	if (JsonContainerSize(action) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("every element of transact_items must have exactly one member"),
				 errdetail("Element %d has %d.", position + 1, (int) JsonContainerSize(action))));

	JsonbWalkInit(&walk, action);
	(void) JsonbWalkMember(&walk, &kind, &body);
	if (body.type != jbvBinary || !JsonContainerIsObject(body.val.binary.data))
		WrongMember(pnstrdup(kind.data, kind.len), "an object");
	read(arg, position, kind, body.val.binary.data);
}

static int
ActionCount(FunctionCallInfo fcinfo)
{
	Jsonb	   *list;

	if (PG_ARGISNULL(0))
		ModelError(NULL, "transactItems", "Member must not be null");
	list = PG_GETARG_JSONB_P(0);
	if (!JB_ROOT_IS_ARRAY(list) || JB_ROOT_IS_SCALAR(list))
		WrongMember("transact_items", "a list");
	if (JB_ROOT_COUNT(list) == 0)
		ModelError("[]", "transactItems", "Member must have length greater than or equal to 1");
	return JB_ROOT_COUNT(list);
}

static void
ReadActions(FunctionCallInfo fcinfo, ActionReader read, void *arg)
{
	Jsonb	   *list = PG_GETARG_JSONB_P(0);
	JsonbWalk	walk;
	JsonbValue	element;

	JsonbWalkInit(&walk, &list->root);
	for (int i = 0; JsonbWalkElement(&walk, &element); i++)
	{
		if (element.type != jbvBinary || !JsonContainerIsObject(element.val.binary.data))
			WrongMember(psprintf("transact_items[%d]", i), "an object");
		ReadAction(element.val.binary.data, i, read, arg);
	}
}

/*
 * Checks the names of an action's members against a list that ends with NULL.
 * A mistyped ConditionExpression must not become a write without condition.
 */
static void
CheckMembers(JsonbContainer *body, Slice kind, const char *const *members)
{
	JsonbWalk	walk;
	JsonbValue	value;
	Slice		given;

	JsonbWalkInit(&walk, body);
	while (JsonbWalkMember(&walk, &given, &value))
	{
		const char *const *known = members;

		while (*known != NULL && !SliceIs(given, *known))
			known++;
		if (*known == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_DYNAMO_VALIDATION),
					 errmsg("unknown member \"%.*s\" of %.*s in transact_items",
							(int) given.len, given.data, (int) kind.len, kind.data)));
	}
}

static void
UnknownAction(Slice kind, const char *expected)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("unknown action \"%.*s\" in transact_items", (int) kind.len, kind.data),
			 errhint("Expected %s.", expected)));
}

/* ---- transact_write_items ---- */

#define CONDITION_MEMBERS \
	"TableName", "ConditionExpression", "ExpressionAttributeNames", \
	"ExpressionAttributeValues", "ReturnValuesOnConditionCheckFailure"

static const char *const put_members[] = {CONDITION_MEMBERS, "Item", NULL};
static const char *const update_members[] = {CONDITION_MEMBERS, "Key", "UpdateExpression", NULL};
static const char *const key_members[] = {CONDITION_MEMBERS, "Key", NULL};

static const struct
{
	const char *name;
	WriteKind	kind;
	const char *item;			/* name of the member with the item or key */
	const char *const *members; /* all allowed members */
	const char *path;			/* kind as it appears in messages */
}			write_actions[] = {
	{"Put", WRITE_KIND_PUT, "Item", put_members, "put"},
	{"Update", WRITE_KIND_UPDATE, "Key", update_members, "update"},
	{"Delete", WRITE_KIND_DELETE, "Key", key_members, "delete"},
	{"ConditionCheck", WRITE_KIND_CHECK, "Key", key_members, "conditionCheck"},
};

static bool
ReturnsOldOnFailure(JsonbContainer *body, ActionPlace place)
{
	Slice		word;

	if (!StringMember(body, "ReturnValuesOnConditionCheckFailure", &word) ||
		SliceIs(word, "NONE"))
		return false;
	if (!SliceIs(word, "ALL_OLD"))
		ModelError(pnstrdup(word.data, word.len),
				   MemberPath(place, "returnValuesOnConditionCheckFailure"),
				   "Member must satisfy enum value set: [ALL_OLD, NONE]");
	return true;
}

static void
ReadWrite(void *arg, int position, Slice kind, JsonbContainer *body)
{
	WriteOp    *op = &((WriteOp *) arg)[position];
	ActionPlace place = {position, NULL};
	size_t		a = 0;

	while (a < lengthof(write_actions) && !SliceIs(kind, write_actions[a].name))
		a++;
	if (a == lengthof(write_actions))
		UnknownAction(kind, "Put, Update, Delete or ConditionCheck");

	place.kind = write_actions[a].path;
	op->kind = write_actions[a].kind;
	op->table_name = TableNameMember(body, place);
	op->item = ItemMember(body, write_actions[a].item, &op->datum);
	if (ValueIsMissing(op->item))
		ModelError(NULL, MemberPath(place, op->kind == WRITE_KIND_PUT ? "item" : "key"),
				   "Member must not be null");
	if (op->kind == WRITE_KIND_UPDATE)
		op->update = ExprMember(body, "UpdateExpression");
	op->condition = ExprMember(body, "ConditionExpression");
	op->args = ArgsMembers(body);
	op->return_old_on_failure = ReturnsOldOnFailure(body, place);
	/*
	 * If there are other members than those read above, check their names.
	 * Members that occur rarely are not counted above, so the check may be
	 * unnecessary.
	 */
	if (JsonContainerSize(body) != (uint32) (2 + op->update.given + op->condition.given +
											 !ValueIsMissing(op->args.values) + op->args.names_given))
		CheckMembers(body, kind, write_actions[a].members);
}

DYNAMO_FUNCTION(dynamo_transact_write_items);

Datum
dynamo_transact_write_items(PG_FUNCTION_ARGS)
{
	int			n = ActionCount(fcinfo);
	WriteOp    *ops = palloc0(sizeof(WriteOp) * n);
	TransactResult result;

	ReadActions(fcinfo, ReadWrite, ops);
	TransactWriteItems(ops, n, &result);
	if (result.canceled)
		TransactCanceledError(&result, n);
	PG_RETURN_VOID();
}

/* ---- transact_get_items ---- */

static const char *const get_members[] = {
	"TableName", "Key", "ProjectionExpression", "ExpressionAttributeNames", NULL
};

static void
ReadGet(void *arg, int position, Slice kind, JsonbContainer *body)
{
	GetOp	   *op = &((GetOp *) arg)[position];
	ActionPlace place = {position, "get"};
	struct varlena *datum;

	if (!SliceIs(kind, "Get"))
		UnknownAction(kind, "Get");
	op->table_name = TableNameMember(body, place);
	op->key = ItemMember(body, "Key", &datum);
	if (ValueIsMissing(op->key))
		ModelError(NULL, MemberPath(place, "key"), "Member must not be null");
	op->projection = ExprMember(body, "ProjectionExpression");
	op->args = ArgsMembers(body);
	if (JsonContainerSize(body) != (uint32) (2 + op->projection.given + op->args.names_given))
		CheckMembers(body, kind, get_members);
}

DYNAMO_FUNCTION(dynamo_transact_get_items);

Datum
dynamo_transact_get_items(PG_FUNCTION_ARGS)
{
	FuncCallContext *context;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;
		int			n;
		GetOp	   *ops;
		ItemList   *list;

		context = SRF_FIRSTCALL_INIT();
		old = MemoryContextSwitchTo(context->multi_call_memory_ctx);
		n = ActionCount(fcinfo);
		ops = palloc0(sizeof(GetOp) * n);
		ReadActions(fcinfo, ReadGet, ops);
		list = ItemListMake(n, false);
		TransactGetItems(ops, n, list->results);
		context->user_fctx = list;
		MemoryContextSwitchTo(old);
	}
	context = SRF_PERCALL_SETUP();
	return ItemListNext(fcinfo, context);
}
