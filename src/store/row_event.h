/*
 * row_event.h
 *	  Events of AFTER ROW triggers, and later changes of their rows.
 *
 * The events of a statement wait until it has changed all its rows, and then
 * fire in the order of the changes.  But a user's trigger that fires before
 * the extension's, or a function in the statement, may run its own statement
 * that changes the same rows again.  The events of the inner statement fire at
 * its end, before those of the outer statement.  The event that fires last is
 * therefore not always the last change.
 *
 * Command ids determine the order.  Only a later command of this transaction
 * can change a row whose event is waiting.  Usually no command has started
 * since the one that caused the event, and the event is in order.  Otherwise
 * the header of the row version contains the command that replaced it, if any.
 */
#ifndef DYNAMO_ROW_EVENT_H
#define DYNAMO_ROW_EVENT_H

#include "access/htup.h"
#include "commands/trigger.h"
#include "utils/rel.h"

#include "exported.h"
#include "table/table.h"

typedef struct RowEvent
{
	Relation	rel;
	HeapTuple	old;			/* NULL for an insert */
	HeapTuple	new;			/* NULL for a delete */
	CommandId	command;		/* made the change; InvalidCommandId if unknown */
	bool		late;			/* later commands have started */
} RowEvent;

/* Returns the event of an AFTER ROW trigger call. */
extern void RowEventOfTrigger(RowEvent *event, const TriggerData *trigger);

/*
 * Returns the command that has since replaced or deleted event->new;
 * InvalidCommandId if event->new is still the current version.
 */
extern CommandId RowEventOvertaken(const RowEvent *event);

/*
 * Returns the first later command that has given a row the key of event->old;
 * InvalidCommandId if there is none.
 */
extern CommandId RowEventKeyTaken(const RowEvent *event, const TableDef *def);

/*
 * Returns the current version of event->new's row, palloc'd; NULL if it was
 * deleted.
 */
extern HeapTuple RowEventLatest(const RowEvent *event);

/*
 * Returns the command that wrote a tuple; InvalidCommandId if another
 * transaction did.
 */
extern DYNAMO_EXPORT CommandId OwnCommandOf(HeapTuple tuple);

/*
 * The row that a BEFORE ROW trigger of a shard is to store because the shard is being moved;
 * NULL if something else writes it.
 */
extern HeapTuple MovedRow(const TriggerData *trigger);

#endif							/* DYNAMO_ROW_EVENT_H */
