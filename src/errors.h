/*
 * errors.h
 *	  DynamoDB's exceptions as SQLSTATEs.
 *
 * Every exception of the service has a SQLSTATE of class KV ("key-value";
 * class D is reserved by the standard).  errors.c holds the one table that
 * gives each its name, HTTP status and wire prefix.
 *
 * How errors are raised: the primary message is the service's own text,
 * without change, since request/ sends it to clients as it is.  What helps a
 * SQL user beyond it (byte position, attribute path, a hint) goes into
 * DETAIL and HINT.  Item data in DETAIL goes through errdetail_log so that it
 * stays out of the server log.
 */
#ifndef DYNAMO_ERRORS_H
#define DYNAMO_ERRORS_H

#include "compat.h"

#include "utils/elog.h"
#include "exported.h"

#define ERRCODE_DYNAMO_VALIDATION				MAKE_SQLSTATE('K','V','0','0','1')
#define ERRCODE_DYNAMO_CONDITION_FAILED			MAKE_SQLSTATE('K','V','0','0','2')
#define ERRCODE_DYNAMO_RESOURCE_NOT_FOUND		MAKE_SQLSTATE('K','V','0','0','3')
#define ERRCODE_DYNAMO_RESOURCE_IN_USE			MAKE_SQLSTATE('K','V','0','0','4')
#define ERRCODE_DYNAMO_TRANSACTION_CANCELED		MAKE_SQLSTATE('K','V','0','0','5')
#define ERRCODE_DYNAMO_TRANSACTION_CONFLICT		MAKE_SQLSTATE('K','V','0','0','6')
#define ERRCODE_DYNAMO_TRANSACTION_IN_PROGRESS	MAKE_SQLSTATE('K','V','0','0','7')
#define ERRCODE_DYNAMO_IDEMPOTENT_MISMATCH		MAKE_SQLSTATE('K','V','0','0','8')
#define ERRCODE_DYNAMO_COLLECTION_SIZE_LIMIT	MAKE_SQLSTATE('K','V','0','0','9')
#define ERRCODE_DYNAMO_LIMIT_EXCEEDED			MAKE_SQLSTATE('K','V','0','1','0')
#define ERRCODE_DYNAMO_DUPLICATE_ITEM			MAKE_SQLSTATE('K','V','0','1','1')
#define ERRCODE_DYNAMO_SERIALIZATION			MAKE_SQLSTATE('K','V','0','1','2')
#define ERRCODE_DYNAMO_UNKNOWN_OPERATION		MAKE_SQLSTATE('K','V','0','1','3')
#define ERRCODE_DYNAMO_THROUGHPUT_EXCEEDED		MAKE_SQLSTATE('K','V','0','1','4')
#define ERRCODE_DYNAMO_EXPIRED_ITERATOR			MAKE_SQLSTATE('K','V','0','1','5')
#define ERRCODE_DYNAMO_TRIMMED_DATA				MAKE_SQLSTATE('K','V','0','1','6')
#define ERRCODE_DYNAMO_MISSING_TOKEN			MAKE_SQLSTATE('K','V','0','1','7')
#define ERRCODE_DYNAMO_INCOMPLETE_SIGNATURE		MAKE_SQLSTATE('K','V','0','1','8')
#define ERRCODE_DYNAMO_INVALID_SIGNATURE		MAKE_SQLSTATE('K','V','0','1','9')
#define ERRCODE_DYNAMO_UNRECOGNIZED_CLIENT		MAKE_SQLSTATE('K','V','0','2','0')
#define ERRCODE_DYNAMO_ACCESS_DENIED			MAKE_SQLSTATE('K','V','0','2','1')
#define ERRCODE_DYNAMO_EXPIRED_TOKEN			MAKE_SQLSTATE('K','V','0','2','2')
#define ERRCODE_DYNAMO_TABLE_NOT_FOUND			MAKE_SQLSTATE('K','V','0','2','3')
#define ERRCODE_DYNAMO_POLICY_NOT_FOUND			MAKE_SQLSTATE('K','V','0','2','4')
#define ERRCODE_DYNAMO_NOT_JSON					MAKE_SQLSTATE('K','V','0','2','5')
#define ERRCODE_DYNAMO_BACKUP_NOT_FOUND			MAKE_SQLSTATE('K','V','0','2','6')
#define ERRCODE_DYNAMO_EXPORT_NOT_FOUND			MAKE_SQLSTATE('K','V','0','2','7')
#define ERRCODE_DYNAMO_IMPORT_NOT_FOUND			MAKE_SQLSTATE('K','V','0','2','8')
#define ERRCODE_DYNAMO_GLOBAL_TABLE_NOT_FOUND	MAKE_SQLSTATE('K','V','0','2','9')
#define ERRCODE_DYNAMO_EXPORT_CONFLICT			MAKE_SQLSTATE('K','V','0','4','0')
#define ERRCODE_DYNAMO_IMPORT_CONFLICT			MAKE_SQLSTATE('K','V','0','4','1')
#define ERRCODE_DYNAMO_INVALID_EXPORT_TIME		MAKE_SQLSTATE('K','V','0','4','2')
#define ERRCODE_DYNAMO_RECOVERY_UNAVAILABLE		MAKE_SQLSTATE('K','V','0','4','3')
#define ERRCODE_DYNAMO_BACKUP_IN_USE			MAKE_SQLSTATE('K','V','0','4','4')
#define ERRCODE_DYNAMO_TABLE_ALREADY_EXISTS		MAKE_SQLSTATE('K','V','0','4','5')
#define ERRCODE_DYNAMO_INVALID_RESTORE_TIME		MAKE_SQLSTATE('K','V','0','4','6')
#define ERRCODE_DYNAMO_BACKUPS_UNAVAILABLE		MAKE_SQLSTATE('K','V','0','4','7')
#define ERRCODE_DYNAMO_THROTTLING				MAKE_SQLSTATE('K','V','0','4','8')
/* no exception: what one node of a cluster tells another one (store/elsewhere.h) */
#define ERRCODE_DYNAMO_OTHER_NODE				MAKE_SQLSTATE('K','V','0','9','8')
#define ERRCODE_DYNAMO_INTERNAL					MAKE_SQLSTATE('K','V','0','9','9')

/* One exception of the service. */
typedef struct DynamoException
{
	int			sqlstate;		/* an ERRCODE_DYNAMO_... */
	const char *name;			/* "ValidationException" */
	const char *prefix;			/* "com.amazon.coral.validate" */
	int			http_status;	/* 400, 500, ... */
	bool		capital_message;	/* body member is "Message" */
} DynamoException;

/*
 * The exception with which requests report an error of this SQLSTATE.
 * Never NULL: SQLSTATEs of PostgreSQL's own map to the nearest exception
 * (serialization failure and deadlock to TransactionConflictException, lack
 * of privilege to AccessDeniedException, violated constraints, bad values and
 * what a trigger raises to ValidationException, ...), all others to
 * InternalServerError.  The result is static.
 */
extern DYNAMO_EXPORT const DynamoException *DynamoExceptionForSqlstate(int sqlstate);

/*
 * The text that printf would print, palloc'd; for functions that take its
 * arguments themselves.
 */
extern char *DynamoFormat(const char *format, va_list args) pg_attribute_printf(1, 0);

/* The prefix that most parameter errors of the service start with. */
#define DYNAMO_INVALID_PARAMETERS "One or more parameter values were invalid: "

/* What the messages about empty keys start with instead. */
#define DYNAMO_INVALID_VALUES "One or more parameter values are not valid. "

/* Raises a ValidationException with this message; with that prefix before it. */
extern DYNAMO_EXPORT void InvalidRequest(const char *format,...)
			pg_attribute_printf(1, 2) pg_attribute_noreturn();
extern DYNAMO_EXPORT void InvalidParameter(const char *format,...)
			pg_attribute_printf(1, 2) pg_attribute_noreturn();

/* Raises ERRCODE_INVALID_PARAMETER_VALUE: an argument of an SQL function makes no sense. */
extern DYNAMO_EXPORT void InvalidArgument(const char *format,...)
						  pg_attribute_printf(1, 2) pg_attribute_noreturn();

#endif							/* DYNAMO_ERRORS_H */
