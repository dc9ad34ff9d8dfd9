/*
 * failure.c
 *	  Converts errors to the service's error bodies.
 */
#include "postgres.h"

#include "errors.h"
#include "item/json.h"
#include "request/failure.h"
#include "request/wording.h"

/* Whether the detail of a validation error is for clients (problem.h). */
static bool
IsForClient(const ErrorData *edata)
{
	return edata->sqlerrcode == ERRCODE_DYNAMO_VALIDATION && edata->detail != NULL && edata->detail_log != NULL;
}

/* The message, and what a role may do that has rights to a view, but not to its table. */
static const char *
AccessDeniedMessage(const ErrorData *edata)
{
	return edata->sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE && edata->hint != NULL ?
		psprintf("%s. %s", edata->message, edata->hint) : edata->message;
}

/*
 * Most errors have a message.  Text that is not JSON has none in the service.
 * An unknown operation has none there either, but here it has one, because
 * users must learn which operation is unsupported.  Conflicts have the
 * service's message.  Internal errors have a fixed one, because their own text
 * may contain names of files.
 */
const char *
FailureMessage(const ErrorData *edata)
{
	const DynamoException *exception = DynamoExceptionForSqlstate(edata->sqlerrcode);

	switch (exception->sqlstate)
	{
		case ERRCODE_DYNAMO_NOT_JSON:
			return NULL;
		case ERRCODE_DYNAMO_TRANSACTION_CONFLICT:
			return WORDING_CONFLICT;
		case ERRCODE_DYNAMO_INTERNAL:
			return WORDING_INTERNAL;
		case ERRCODE_DYNAMO_ACCESS_DENIED:
			return AccessDeniedMessage(edata);
		default:
			return IsForClient(edata) ? psprintf("%s. %s", edata->message, edata->detail) : edata->message;
	}
}

/* The detail of an error with this code, if it begins as this kind of JSON. */
static const char *
JsonDetail(const ErrorData *edata, int sqlstate, char begin)
{
	bool		is_json = edata->sqlerrcode == sqlstate && edata->detail != NULL &&
		edata->detail[0] == begin;

	return is_json ? edata->detail : NULL;
}

const char *
FailureItem(const ErrorData *edata)
{
	return JsonDetail(edata, ERRCODE_DYNAMO_CONDITION_FAILED, '{');
}

/* Returns the cancellation reasons in DETAIL, if they are JSON. */
static const char *
FailureReasons(const ErrorData *edata)
{
	return JsonDetail(edata, ERRCODE_DYNAMO_TRANSACTION_CANCELED, '[');
}

const char *
FailureData(const ErrorData *edata)
{
	return FailureItem(edata) != NULL ? FailureItem(edata) : FailureReasons(edata);
}

/* Appends the members that some errors have besides the message. */
static void
AppendData(StringInfo out, const ErrorData *edata)
{
	if (FailureItem(edata) != NULL)
		appendStringInfo(out, ",\"Item\":%s", FailureItem(edata));
	if (FailureReasons(edata) != NULL)
		appendStringInfo(out, ",\"CancellationReasons\":%s", FailureReasons(edata));
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
	AppendData(out, edata);
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
