/*
 * write.h
 *	  The stages of one write, for single-item operations, batches and
 *	  transactions.
 *
 * The service checks in stages and reports the first failure:
 *
 *		WriteCheckRequest	return values, size of the item
 *		WriteBind			expressions
 *		WriteBindTable		what needs the table's keys
 *		WriteCondition		the condition, on the current item
 *		WriteApply			what the item becomes
 *
 * WriteRow does the last two under the protection of the store.
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

/* The stages that need no row. */
extern void WriteCheckRequest(const WriteOp *op);
extern void WriteBind(PreparedWrite *w, const WriteOp *op);
extern void WriteBindTable(PreparedWrite *w, const TableDef *def);

#define DUPLICATE_ITEM_MESSAGE "Duplicate primary key exists in table"

/*
 * Whether the condition holds (there may be none); that of an insert is that
 * there is no item.
 */
extern bool WriteCondition(const PreparedWrite *w, ValueRef old);

/* The item to store is set for WRITE_PUT. */
extern WriteAction WriteApply(const PreparedWrite *w, ValueRef old,
							  struct varlena **item);

/* Evaluates the condition, applies and writes one row. */
extern void WriteRow(Store *store, const PreparedWrite *w, WriteResult *result);

/* Privileges on the table that the operation takes, as its SQL would. */
extern AclMode WriteAccess(WriteKind kind);

#endif							/* DYNAMO_WRITE_H */
