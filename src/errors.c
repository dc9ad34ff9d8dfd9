/*
 * errors.c
 *	  The table of DynamoDB's exceptions, and the text of messages.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "errors.h"

#define PREFIX_SERVICE		"com.amazonaws.dynamodb.v20120810"
#define PREFIX_CORAL		"com.amazon.coral.service"
#define PREFIX_AVAILABILITY	"com.amazon.coral.availability"
#define PREFIX_VALIDATE		"com.amazon.coral.validate"

/* Names, prefixes and statuses: the service's error reference. */
static const DynamoException exceptions[] = {
	{ERRCODE_DYNAMO_VALIDATION, "ValidationException", PREFIX_VALIDATE, 400, false},
	{ERRCODE_DYNAMO_CONDITION_FAILED, "ConditionalCheckFailedException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_RESOURCE_NOT_FOUND, "ResourceNotFoundException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_RESOURCE_IN_USE, "ResourceInUseException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_TRANSACTION_CANCELED, "TransactionCanceledException", PREFIX_SERVICE, 400, true},
	{ERRCODE_DYNAMO_TRANSACTION_CONFLICT, "TransactionConflictException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_TRANSACTION_IN_PROGRESS, "TransactionInProgressException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_IDEMPOTENT_MISMATCH, "IdempotentParameterMismatchException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_COLLECTION_SIZE_LIMIT, "ItemCollectionSizeLimitExceededException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_LIMIT_EXCEEDED, "LimitExceededException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_DUPLICATE_ITEM, "DuplicateItemException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_SERIALIZATION, "SerializationException", PREFIX_CORAL, 400, true},
	{ERRCODE_DYNAMO_UNKNOWN_OPERATION, "UnknownOperationException", PREFIX_CORAL, 400, false},
	{ERRCODE_DYNAMO_THROUGHPUT_EXCEEDED, "ProvisionedThroughputExceededException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_EXPIRED_ITERATOR, "ExpiredIteratorException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_TRIMMED_DATA, "TrimmedDataAccessException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_MISSING_TOKEN, "MissingAuthenticationTokenException", PREFIX_CORAL, 400, false},
	{ERRCODE_DYNAMO_INCOMPLETE_SIGNATURE, "IncompleteSignatureException", PREFIX_CORAL, 400, false},
	{ERRCODE_DYNAMO_INVALID_SIGNATURE, "InvalidSignatureException", PREFIX_CORAL, 400, false},
	{ERRCODE_DYNAMO_UNRECOGNIZED_CLIENT, "UnrecognizedClientException", PREFIX_CORAL, 400, false},
	{ERRCODE_DYNAMO_ACCESS_DENIED, "AccessDeniedException", PREFIX_CORAL, 400, true},
	{ERRCODE_DYNAMO_EXPIRED_TOKEN, "ExpiredTokenException", PREFIX_CORAL, 400, false},
	{ERRCODE_DYNAMO_TABLE_NOT_FOUND, "TableNotFoundException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_POLICY_NOT_FOUND, "PolicyNotFoundException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_NOT_JSON, "SerializationException", PREFIX_CORAL, 400, true},
	{ERRCODE_DYNAMO_BACKUP_NOT_FOUND, "BackupNotFoundException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_EXPORT_NOT_FOUND, "ExportNotFoundException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_IMPORT_NOT_FOUND, "ImportNotFoundException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_GLOBAL_TABLE_NOT_FOUND, "GlobalTableNotFoundException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_EXPORT_CONFLICT, "ExportConflictException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_IMPORT_CONFLICT, "ImportConflictException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_INVALID_EXPORT_TIME, "InvalidExportTimeException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_RECOVERY_UNAVAILABLE, "PointInTimeRecoveryUnavailableException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_BACKUP_IN_USE, "BackupInUseException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_TABLE_ALREADY_EXISTS, "TableAlreadyExistsException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_INVALID_RESTORE_TIME, "InvalidRestoreTimeException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_BACKUPS_UNAVAILABLE, "ContinuousBackupsUnavailableException", PREFIX_SERVICE, 400, false},
	{ERRCODE_DYNAMO_THROTTLING, "ThrottlingException", PREFIX_AVAILABILITY, 400, false},
	{ERRCODE_DYNAMO_INTERNAL, "InternalServerError", PREFIX_SERVICE, 500, false},
};

/* What PostgreSQL's own errors are to a client of the service. */
static const struct
{
	int			sqlstate;
	int			exception;
}			standard_errors[] = {
	{ERRCODE_T_R_SERIALIZATION_FAILURE, ERRCODE_DYNAMO_TRANSACTION_CONFLICT},
	{ERRCODE_T_R_DEADLOCK_DETECTED, ERRCODE_DYNAMO_TRANSACTION_CONFLICT},
	{ERRCODE_LOCK_NOT_AVAILABLE, ERRCODE_DYNAMO_TRANSACTION_CONFLICT},
	{ERRCODE_INSUFFICIENT_PRIVILEGE, ERRCODE_DYNAMO_ACCESS_DENIED},
	{ERRCODE_UNDEFINED_TABLE, ERRCODE_DYNAMO_RESOURCE_NOT_FOUND},
	{ERRCODE_DUPLICATE_TABLE, ERRCODE_DYNAMO_RESOURCE_IN_USE},
	{ERRCODE_READ_ONLY_SQL_TRANSACTION, ERRCODE_DYNAMO_ACCESS_DENIED},
	{ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION, ERRCODE_DYNAMO_VALIDATION},
	{ERRCODE_CHECK_VIOLATION, ERRCODE_DYNAMO_VALIDATION},
	{ERRCODE_NOT_NULL_VIOLATION, ERRCODE_DYNAMO_VALIDATION},
	{ERRCODE_UNIQUE_VIOLATION, ERRCODE_DYNAMO_VALIDATION},
	{ERRCODE_FOREIGN_KEY_VIOLATION, ERRCODE_DYNAMO_VALIDATION},
	{ERRCODE_RESTRICT_VIOLATION, ERRCODE_DYNAMO_VALIDATION},
	{ERRCODE_EXCLUSION_VIOLATION, ERRCODE_DYNAMO_VALIDATION},
	{ERRCODE_RAISE_EXCEPTION, ERRCODE_DYNAMO_VALIDATION},
	{ERRCODE_PROGRAM_LIMIT_EXCEEDED, ERRCODE_DYNAMO_VALIDATION},
	{ERRCODE_FEATURE_NOT_SUPPORTED, ERRCODE_DYNAMO_VALIDATION},
};

static const DynamoException *
FindException(int sqlstate)
{
	for (size_t i = 0; i < lengthof(exceptions); i++)
	{
		if (exceptions[i].sqlstate == sqlstate)
			return &exceptions[i];
	}
	return NULL;
}

const DynamoException *
DynamoExceptionForSqlstate(int sqlstate)
{
	const DynamoException *found = FindException(sqlstate);

	if (found != NULL)
		return found;

	for (size_t i = 0; i < lengthof(standard_errors); i++)
	{
		if (standard_errors[i].sqlstate == sqlstate)
			return FindException(standard_errors[i].exception);
	}
	/* what a table's own expressions say of values that do not suit them */
	if (ERRCODE_TO_CATEGORY(sqlstate) == ERRCODE_DATA_EXCEPTION)
		return FindException(ERRCODE_DYNAMO_VALIDATION);
	return FindException(ERRCODE_DYNAMO_INTERNAL);
}

char *
DynamoFormat(const char *format, va_list args)
{
	StringInfoData text;

	initStringInfo(&text);
	for (;;)
	{
		va_list		copy;
		int			needed;

		va_copy(copy, args);
		needed = appendStringInfoVA(&text, format, copy);
		va_end(copy);
		if (needed == 0)
			return text.data;
		enlargeStringInfo(&text, needed);
	}
}

void
InvalidRequest(const char *format,...)
{
	va_list		args;
	char	   *text;

	va_start(args, format);
	text = DynamoFormat(format, args);
	va_end(args);
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION), errmsg_internal("%s", text)));
}

void
InvalidParameter(const char *format,...)
{
	va_list		args;
	char	   *text;

	va_start(args, format);
	text = DynamoFormat(format, args);
	va_end(args);
	InvalidRequest(DYNAMO_INVALID_PARAMETERS "%s", text);
}

void
InvalidArgument(const char *format,...)
{
	va_list		args;
	char	   *text;

	va_start(args, format);
	text = DynamoFormat(format, args);
	va_end(args);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg_internal("%s", text)));
}
