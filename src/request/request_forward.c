/*
 * request_forward.c
 *	  Has the coordinator execute a request of a worker node.
 *
 * The request is checked against the model here, so that what is no JSON, or no
 * text of the database's encoding, never becomes part of a statement.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "errors.h"
#include "item/json_reader.h"
#include "request/request_forward.h"
#include "store/elsewhere.h"
#include "table/distribution.h"
#include "table/placement.h"

bool
RequestIsForCoordinator(const Operation *operation)
{
	return (operation->on_coordinator || operation->changes != NULL) && ServerIsWorker();
}

static char *
QuoteSlice(Slice text)
{
	return quote_literal_cstr(pnstrdup(text.data, text.len));
}

/*
 * A table that a worker asks for is one for all nodes: the coordinator takes the
 * number of shards that is set here.
 */
static const char *
ShardsSetting(void)
{
	if (new_table_shards == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot create a dynamo table on a worker node of Citus"),
				 errdetail("The other nodes would not know the table."),
				 errhint("Set \"dynamo.new_table_shards\" to create distributed tables, or create the table on the coordinator.")));
	return psprintf("pg_catalog.set_config('dynamo.new_table_shards', '%d', true)", new_table_shards);
}

/*
 * The calls that set what the coordinator needs from this session: policies of row security may
 * read custom settings.  NULL if there is nothing.
 */
static const char *
SettingsOfRequest(const Operation *operation)
{
	const char *custom = elsewhere->custom_settings();
	const char *shards = strcmp(operation->name, "CreateTable") == 0 ? ShardsSetting() : NULL;

	if (custom == NULL || shards == NULL)
		return custom == NULL ? shards : custom;
	return psprintf("%s, %s", custom, shards);
}

static char *
StatementOfRequest(const Operation *operation, Slice json)
{
	const char *settings = SettingsOfRequest(operation);
	char	   *request = psprintf("SELECT dynamo.request_safe(%s, %s)",
								   QuoteSlice(SliceOf(operation->name)), QuoteSlice(json));

	return settings == NULL ? request : psprintf("%s FROM (SELECT %s) AS s", request, settings);
}

/* Takes apart what dynamo.request_safe returns; the body points into it. */
static int
ReadForwardedAnswer(const char *answer, Slice *body)
{
	JsonReader	r;
	Slice		name;
	int			status = 0;

	JsonReaderInit(&r, answer, strlen(answer));
	JsonBeginObject(&r);
	while (JsonNextMember(&r, &name))
	{
		JsonSkipSpace(&r);
		if (SliceIs(name, "status"))
		{
			Slice		number = JsonNumber(&r);

			status = pg_strtoint32(pnstrdup(number.data, number.len));
			continue;
		}
		body->data = r.at;
		JsonSkipValue(&r);
		body->len = (uint32) (r.at - body->data);
	}
	return status;
}

int
RequestForward(const Operation *operation, Slice json, Writer *out)
{
	Slice		body = {"", 0};
	int			status;

	PushActiveSnapshot(GetTransactionSnapshot());
	RequestCheck(RequestRead(operation->input, json.data, json.len, OperationWords(operation)));
	status = ReadForwardedAnswer(elsewhere->run_on_coordinator(StatementOfRequest(operation, json)), &body);
	PopActiveSnapshot();
	WriterRaw(out, body);
	return status;
}
