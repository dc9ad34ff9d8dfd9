/*
 * params.h
 *	  Converts the fields of a request to the parameters of the operations.
 *
 * Callers must check a request in the service's order: CheckMixing,
 * FieldExprArgs, then items, keys and legacy parameters, and finally the
 * expressions.
 */
#ifndef DYNAMO_PARAMS_H
#define DYNAMO_PARAMS_H

#include "op/op.h"
#include "request/shape.h"

/* Parameters of an operation that exclude each other. */
typedef struct ParamRules
{
	const char *const *expressions; /* ends with NULL */
	const char *const *legacy;	/* ends with NULL */
	const char *values_need;	/* "ConditionExpression is null"; NULL if the
								 * operation takes no values */
	bool		unneeded;		/* names and values without an expression are
								 * allowed and ignored */
	bool		writes;			/* an operation whose words have changed */
} ParamRules;

extern const ParamRules put_params;
extern const ParamRules get_params;
extern const ParamRules update_params;
extern const ParamRules delete_params;
extern const ParamRules query_params;
extern const ParamRules scan_params;
extern const ParamRules search_params;
extern const ParamRules batch_get_params;
extern const ParamRules transact_put_params;
extern const ParamRules transact_get_params;

/* Raises the error for expressions and legacy parameters in one request. */
extern void CheckMixing(const Field *input, const ParamRules *rules);

/* Returns the item, or the value, in a field; raises its problem. */
extern struct varlena *FieldItem(const Field *field);

/* Returns the item of a member; MISSING_VALUE if it is absent. */
extern ValueRef FieldItemRef(const Field *structure, const char *name);

/* Returns ExclusiveStartKey, whose errors mention it. */
extern ValueRef FieldStartKey(const Field *input, ValueWords words);

/* Returns an expression, which may be absent. */
extern ExprText FieldExpr(const Field *structure, const char *name);

/*
 * Reads ExpressionAttributeNames and, if the operation takes them,
 * ExpressionAttributeValues.  Raises errors for names or values that no
 * expression could use, for invalid placeholders, and for invalid values.
 */
extern void FieldExprArgs(const Field *structure, const ParamRules *rules, ExprArgs *args);

/*
 * Reads ConsistentRead.  On a standby, raises
 * ERRCODE_READ_ONLY_SQL_TRANSACTION for a consistent read, as writes do there.
 */
extern bool FieldConsistentRead(const Field *structure);

/*
 * Raises an error on a standby, which cannot guarantee that a read sees
 * everything that was committed before it.
 */
extern void PreventStaleRead(void);

/* Reads ReturnValues; NONE if it is absent. */
extern ReturnValues FieldReturnValues(const Field *structure);

/*
 * Returns the table's name from a name or an ARN in a request.  An ARN of
 * another partition, region or kind of object is invalid; one of another
 * account raises ERRCODE_DYNAMO_ACCESS_DENIED.
 */
extern DYNAMO_EXPORT const char *TableNameOf(Slice name_or_arn);
extern const char *FieldTableName(const Field *structure);

#endif							/* DYNAMO_PARAMS_H */
