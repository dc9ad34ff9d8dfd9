/*
 * write_elsewhere.c
 *	  Sends the arguments of a function that writes to the node of its item.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "port/pg_bswap.h"
#include "utils/fmgrprotos.h"
#include "utils/rel.h"

#include "citus/node_call.h"
#include "citus/node_row.h"
#include "citus/whole_statement.h"
#include "citus/write_elsewhere.h"
#include "item/io.h"
#include "op/sql_args.h"
#include "table/table_name.h"

/* ---- arguments in binary form ---- */

static Slice
TextAsArgument(FunctionCallInfo fcinfo, int n)
{
	return ArgIsNull(fcinfo, n) ? MISSING_SLICE : SliceOfVarlena(PG_GETARG_TEXT_PP(n));
}

static Slice
ItemAsArgument(ValueRef item)
{
	StringInfoData bytes;

	if (ValueIsMissing(item))
		return MISSING_SLICE;
	initStringInfo(&bytes);
	ItemSend(&bytes, item);
	return (Slice) {bytes.data, (uint32) bytes.len};
}

static Slice
JsonbArgument(FunctionCallInfo fcinfo, int n)
{
	return ArgIsNull(fcinfo, n) ? MISSING_SLICE :
		SliceOfVarlena(DatumGetByteaPP(DirectFunctionCall1(jsonb_send, PG_GETARG_DATUM(n))));
}

/* The function that updates has an argument more than the others, the third one. */
static void
SetArguments(LinkCall *call, const Store *store, const WriteOp *op)
{
	FunctionCallInfo fcinfo = op->call;
	int			next = op->kind == WRITE_KIND_UPDATE ? 3 : 2;
	uint32	   *kind = palloc(sizeof(uint32));

	*kind = pg_hton32((uint32) op->kind);
	call->args[0] = (Slice) {(const char *) kind, sizeof(uint32)};
	call->args[1] = SliceOf(TableNameOfRelation(RelationGetRelid(store->rel)));
	call->args[2] = ItemAsArgument(op->item);
	call->args[3] = op->kind == WRITE_KIND_UPDATE ? TextAsArgument(fcinfo, 2) : MISSING_SLICE;
	call->args[4] = TextAsArgument(fcinfo, next);
	call->args[5] = ItemAsArgument(op->args.values);
	call->args[6] = JsonbArgument(fcinfo, next + 2);
	if (op->return_values != RETURN_NONE)
		call->args[7] = TextAsArgument(fcinfo, next + 3);
	if (op->return_old_on_failure)
		call->args[8] = TextAsArgument(fcinfo, next + 4);
}

/* Chooses the call with the fewest arguments. */
static LinkFunction
ChooseFunction(const LinkCall *call)
{
	for (int i = 3; i < LINK_ARGS; i++)
	{
		if (call->args[i].data != NULL)
			return LINK_WRITE;
	}
	return LINK_WRITE_ITEM;
}

/* ---- the write ---- */

/* Whether the answer can be given to the client, whose encoding may lack a character. */
static bool
CanAnswer(const WriteOp *op)
{
	return op->return_values == RETURN_NONE || pg_get_client_encoding() == GetDatabaseEncoding();
}

bool
WriteElsewhere(const Store *store, const PreparedWrite *w, WriteResult *result)
{
	LinkCall	call = {.writes = true, .holds_locks = true};
	NodeCall	place;
	PGresult   *answer;
	Slice		item;

	if (w->op->call == NULL || !CanAnswer(w->op) || !FindNodeOfKey(store, &w->key, &place) ||
		!CallIsWholeTransaction(w->op->call))
		return false;
	call.group = place.group;
	SetArguments(&call, store, w->op);
	call.function = ChooseFunction(&call);
	if (!LinkExecute(&call, &answer))
		return false;
	WholeTransactionIsDone();
	memset(result, 0, sizeof(*result));
	item = NodeValue(answer);
	result->attributes = item.data != NULL ? ItemReceive(item) : NULL;
	return true;
}
