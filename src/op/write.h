/*
 * write.h
 *	  The stages of one write, for single-item operations, batches and
 *	  transactions.
 *
 * The service checks in stages and reports the first failure:
 *
 *		WriteCheckRequest	return values, size of the item
 *		WriteBind			expressions
 *		WriteCompose		composes the key of a put item by its entity
 *		WriteBindTable		checks against the table's keys
 *		WriteCondition		the condition, on the current item
 *		WriteApply			the new item
 *
 * WriteRow runs the last two stages under the row lock of the store.
 */
#ifndef DYNAMO_WRITE_H
#define DYNAMO_WRITE_H

#include "exported.h"
#include "op/op.h"

typedef struct PreparedWrite
{
	const WriteOp *op;
	Condition  *condition;		/* NULL if there is none */
	Update	   *update;			/* NULL if there is none */
	bool		need_old;		/* whether the old item is needed */
	struct WriteConsumption *consumed;	/* who counts the capacity; NULL: WriteRow */
	const TableDef *def;		/* set by WriteCompose */
	bool		final;			/* set by WriteCompose: the result of WriteApply is stored */
	bool		composes;		/* an update may change attributes of composed keys */
	struct varlena *composed;	/* op's item with composed keys; NULL if unchanged */
	ValueRef	given;			/* set by WriteBindTable: the item, or what one that is created begins with */
	RowKey		key;			/* set by WriteBindTable */
} PreparedWrite;

/* The stages that need no row. */
extern void WriteCheckRequest(const WriteOp *op);
extern DYNAMO_EXPORT void WriteBind(PreparedWrite *w, const WriteOp *op);

/* Only the first half of WriteCheckRequest: the return values. */
extern DYNAMO_EXPORT void WriteCheckReturn(const WriteOp *op);

/* What WriteItem does after these two. */
extern DYNAMO_EXPORT void WriteBound(PreparedWrite *w, WriteResult *result);

/* Return false if they note a problem; raise it if problem is NULL. */
extern DYNAMO_EXPORT bool WriteCompose(PreparedWrite *w, const Store *store, Problem *problem);
extern DYNAMO_EXPORT bool WriteBindTable(PreparedWrite *w, Problem *problem);

/* Before the row is read or locked: moves an item that is still under another key (table/moves.h). */
extern DYNAMO_EXPORT void WriteBring(PreparedWrite *w, Store *store);

/* Returns the put item, or the key. */
static inline ValueRef
WriteGivenItem(const PreparedWrite *w)
{
	return w->composed != NULL ? ItemRoot(w->composed) : w->op->item;
}

/*
 * Whether the condition, if any, is true.  The condition of an insert is that
 * there is no item.
 */
extern DYNAMO_EXPORT bool WriteCondition(const PreparedWrite *w, ValueRef old);

/*
 * Sets the item to store for WRITE_PUT.  Returns WRITE_NOTHING if it notes a
 * problem; raises the problem if problem is NULL.
 */
extern DYNAMO_EXPORT WriteAction WriteApply(const PreparedWrite *w, ValueRef old,
							  struct varlena **item, Problem *problem);

/* Evaluates the condition, computes the new item and writes one row. */
extern void WriteRow(Store *store, const PreparedWrite *w, WriteResult *result);

/* The privileges on the table that the operation requires, like its SQL. */
extern DYNAMO_EXPORT AclMode WriteAccess(WriteKind kind);

#endif							/* DYNAMO_WRITE_H */
