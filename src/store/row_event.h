/*
 * row_event.h
 *	  Events of AFTER ROW triggers, and what has become of their rows since.
 *
 * Events of a statement wait until it has changed all its rows, and then fire
 * in the order of the changes.  But a trigger of a user that fires before ours,
 * or a function that the statement calls, may run a statement of its own that
 * changes the same rows again, and the events of that one fire at its end,
 * before those of the outer statement.  Whoever keeps something in step with
 * a table must not take the event that fires last for the last change.
 *
 * Commands tell.  Nobody but a later command of this transaction can change a
 * row that has an event waiting.  If no command has begun since the one that made
 * the event, which is the rule, the event is in order.  Else the header of the
 * row's version tells which command replaced it, if any.
 */
#ifndef DYNAMO_ROW_EVENT_H
#define DYNAMO_ROW_EVENT_H

#include "access/htup.h"
#include "commands/trigger.h"
#include "utils/rel.h"

#include "catalog/table.h"

typedef struct RowEvent
{
	Relation	rel;
	HeapTuple	old;			/* NULL: it was inserted */
	HeapTuple	new;			/* NULL: it was deleted */
	CommandId	command;		/* that made the change; InvalidCommandId: unknown */
	bool		late;			/* others have begun since */
} RowEvent;

/* The event that an AFTER ROW trigger is called for. */
extern void RowEventOfTrigger(RowEvent *event, const TriggerData *trigger);

/*
 * The command that has replaced or deleted event->new meanwhile;
 * InvalidCommandId if that is still the row.
 */
extern CommandId RowEventOvertaken(const RowEvent *event);

/*
 * The first later command that has given some row the key of event->old;
 * InvalidCommandId if none has.
 */
extern CommandId RowEventKeyTaken(const RowEvent *event, const TableDef *def);

/* What the row of event->new is now, palloc'd; NULL if it has been deleted. */
extern HeapTuple RowEventLatest(const RowEvent *event);

/* The command that wrote a tuple; InvalidCommandId if another transaction did. */
extern CommandId OwnCommandOf(HeapTuple tuple);

#endif							/* DYNAMO_ROW_EVENT_H */
