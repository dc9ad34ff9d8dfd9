/*
 * failure.c
 *	  Errors as the service's error bodies.
 */
#include "postgres.h"

#include "errors.h"
#include "item/json.h"
#include "request/failure.h"
#include "request/wording.h"

bool
FailureEndsSession(const ErrorData *edata)
{
	int			category = ERRCODE_TO_CATEGORY(edata->sqlerrcode);

	return edata->elevel > ERROR ||
		category == ERRCODE_OPERATOR_INTERVENTION ||
		category == ERRCODE_CONNECTION_EXCEPTION;
}

/*
 * The service names the reason of most errors.  It does not for operations it
 * does not know and for text that is no JSON; conflicts have its own words.
 */
const char *
FailureMessage(const ErrorData *edata)
{
	const DynamoException *exception = DynamoExceptionForSqlstate(edata->sqlerrcode);

	switch (exception->sqlstate)
	{
		case ERRCODE_DYNAMO_UNKNOWN_OPERATION:
			return NULL;
		case ERRCODE_DYNAMO_SERIALIZATION:
			return strcmp(edata->message, WORDING_BAD_JSON) == 0 ? NULL : edata->message;
		case ERRCODE_DYNAMO_TRANSACTION_CONFLICT:
			return WORDING_CONFLICT;
		default:
			return edata->message;
	}
}

/*
 * What some errors carry beside their message.  The operations have put it
 * into DETAIL as JSON.
 */
static void
FailureData(StringInfo out, const ErrorData *edata)
{
	if (edata->detail == NULL)
		return;
	if (edata->sqlerrcode == ERRCODE_DYNAMO_CONDITION_FAILED)
		appendStringInfo(out, ",\"Item\":%s", edata->detail);
	else if (edata->sqlerrcode == ERRCODE_DYNAMO_TRANSACTION_CANCELED)
		appendStringInfo(out, ",\"CancellationReasons\":%s", edata->detail);
}

int
FailureBody(StringInfo out, const ErrorData *edata)
{
	const DynamoException *exception = DynamoExceptionForSqlstate(edata->sqlerrcode);
	const char *message = FailureMessage(edata);

	appendStringInfo(out, "{\"__type\":\"%s#%s\"", exception->prefix, exception->name);
	if (message != NULL)
	{
		appendStringInfo(out, ",\"%s\":", exception->capital_message ? "Message" : "message");
		JsonAppendString(out, message, strlen(message));
	}
	FailureData(out, edata);
	appendStringInfoChar(out, '}');
	return exception->http_status;
}

void
FailureLog(const ErrorData *edata)
{
	if (DynamoExceptionForSqlstate(edata->sqlerrcode)->http_status >= 500)
		ereport(LOG,
				(errcode(edata->sqlerrcode),
				 errmsg("request failed: %s", edata->message)));
}
