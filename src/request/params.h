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
extern ValueRef FieldStartKey(const Field *input);

/* Returns an expression, which may be absent. */
extern ExprText FieldExpr(const Field *structure, const char *name);

/*
 * ExpressionAttributeNames and, if the operation takes them,
 * ExpressionAttributeValues.  Raises the errors about names or values that no
 * expression could use, of placeholders, and of values.
 */
extern void FieldExprArgs(const Field *structure, const ParamRules *rules, ExprArgs *args);

/*
 * ConsistentRead.  Raises ERRCODE_READ_ONLY_SQL_TRANSACTION on a standby, as
 * writes do there.
 */
extern bool FieldConsistentRead(const Field *structure);

/*
 * Refuses a read that must see everything that was committed before it, where
 * the server cannot know of that: on a standby.
 */
extern void PreventStaleRead(void);

/* ReturnValues; NONE if absent. */
extern ReturnValues FieldReturnValues(const Field *structure);

/*
 * The table that a name of a request means: itself or, of an ARN, the name in
 * it.  An ARN of another partition or region, or of something else, is invalid;
 * one of another account is ERRCODE_DYNAMO_ACCESS_DENIED.
 */
extern const char *TableNameOf(Slice name_or_arn);
extern const char *FieldTableName(const Field *structure);

#endif							/* DYNAMO_PARAMS_H */
