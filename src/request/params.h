/*
 * params.h
 *	  From the fields of a request to what the operations take.
 *
 * The service checks a request in this order, and so must the callers:
 * CheckMixing, FieldExprArgs, then items, keys and legacy parameters, and
 * last the expressions themselves.
 */
#ifndef DYNAMO_PARAMS_H
#define DYNAMO_PARAMS_H

#include "op/op.h"
#include "request/shape.h"

/* Parameters of an operation that exclude each other. */
typedef struct ParamRules
{
	const char *const *expressions; /* NULL ended, as is the next */
	const char *const *legacy;
	const char *values_need;	/* "ConditionExpression is null"; NULL if the
								 * operation takes no values */
	bool		unneeded;		/* names and values may stand without an
								 * expression, which says nothing then */
} ParamRules;

extern const ParamRules put_params;
extern const ParamRules get_params;
extern const ParamRules update_params;
extern const ParamRules delete_params;
extern const ParamRules query_params;
extern const ParamRules scan_params;
extern const ParamRules batch_get_params;
extern const ParamRules transact_put_params;
extern const ParamRules transact_get_params;

/* Raises the error about expression and legacy parameters in one request. */
extern void CheckMixing(const Field *input, const ParamRules *rules);

/* The item in a field; raises the errors of attribute values. */
extern struct varlena *FieldItem(const Field *field);
extern struct varlena *FieldValue(const Field *field);

/* The item of a member as a ValueRef; MISSING_VALUE if it is absent. */
extern ValueRef FieldItemRef(const Field *structure, const char *name);

/* The same for ExclusiveStartKey, whose errors say so. */
extern ValueRef FieldStartKey(const Field *input);

/* An expression, which may be absent. */
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
