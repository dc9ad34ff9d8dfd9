/*
 * write.h
 *	  The stages of one write, for single-item operations and transactions.
 *
 * The service checks in stages and reports the first failure:
 *
 *		WritePrepare	what needs no table: return values, sizes, expressions
 *		WriteBindTable	what needs the table's keys
 *		WriteCondition	the condition, on the current item
 *		WriteApply		what the item becomes
 */
#ifndef DYNAMO_WRITE_H
#define DYNAMO_WRITE_H

#include "op/op.h"

typedef struct PreparedWrite
{
	const WriteOp *op;
	Condition  *condition;		/* NULL: none */
	Update	   *update;			/* NULL: none */
	bool		need_old;		/* whether the old item matters */
	const TableDef *def;		/* from WriteBindTable on */
	RowKey		key;
} PreparedWrite;

extern void WritePrepare(PreparedWrite *w, const WriteOp *op);
extern void WriteBindTable(PreparedWrite *w, const TableDef *def);

/* Whether the condition holds (there may be none). */
extern bool WriteCondition(const PreparedWrite *w, ValueRef old);

/* The item to store is set for WRITE_PUT. */
extern WriteAction WriteApply(const PreparedWrite *w, ValueRef old,
							  struct varlena **item);

/* Privileges on the table that the operation takes, as its SQL would. */
extern AclMode WriteAccess(WriteKind kind);

/* Raises ConditionalCheckFailed, the old item in DETAIL if asked for. */
extern void ConditionFailed(const WriteOp *op, ValueRef old)
			pg_attribute_noreturn();

#endif							/* DYNAMO_WRITE_H */
