/*
 * change_sort.c
 *	  Sorts the lines of an incremental export by the times of their changes.
 *
 * Such an export has one line for each item, in no order.  Files that somebody has
 * put together may have more, of which the last one must count.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"

#include "transfer/change_line.h"

enum
{
	SORT_TIME = 1,
	SORT_FILE,
	SORT_NUMBER,
	SORT_LINE,
	SORT_COLUMNS = SORT_LINE
};

#define SORT_KEYS	SORT_NUMBER

struct ChangeSort
{
	Tuplesortstate *state;
	TupleTableSlot *input;		/* what is added */
	TupleTableSlot *slot;		/* what is returned */
	MemoryContext context;		/* of the time of a line; reset after each */
};

ChangeSort *
ChangeSortBegin(void)
{
	ChangeSort *sort = palloc(sizeof(ChangeSort));
	AttrNumber	columns[] = {SORT_TIME, SORT_FILE, SORT_NUMBER};
	Oid			operators[] = {Int8LessOperator, Int4LessOperator, Int8LessOperator};
	Oid			collations[] = {InvalidOid, InvalidOid, InvalidOid};
	bool		nulls_first[] = {false, false, false};
	TupleDesc	desc = CreateTemplateTupleDesc(SORT_COLUMNS);

	TupleDescInitEntry(desc, SORT_TIME, "time", INT8OID, -1, 0);
	TupleDescInitEntry(desc, SORT_FILE, "file", INT4OID, -1, 0);
	TupleDescInitEntry(desc, SORT_NUMBER, "number", INT8OID, -1, 0);
	TupleDescInitEntry(desc, SORT_LINE, "line", BYTEAOID, -1, 0);
	CompleteTupleDesc(desc);
	sort->state = tuplesort_begin_heap(desc, SORT_KEYS, columns, operators, collations, nulls_first,
									   maintenance_work_mem, NULL, TUPLESORT_NONE);
	sort->input = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	sort->slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	sort->context = AllocSetContextCreate(CurrentMemoryContext, "dynamo change line", ALLOCSET_DEFAULT_SIZES);
	return sort;
}

void
ChangeSortAdd(ChangeSort *sort, int file, int64 number, const char *line, Size len)
{
	TupleTableSlot *slot = sort->input;
	MemoryContext caller = MemoryContextSwitchTo(sort->context);

	ExecClearTuple(slot);
	slot->tts_values[SORT_TIME - 1] = Int64GetDatum(ChangeLineTime(line, (uint32) len));
	slot->tts_values[SORT_FILE - 1] = Int32GetDatum(file);
	slot->tts_values[SORT_NUMBER - 1] = Int64GetDatum(number);
	slot->tts_values[SORT_LINE - 1] = PointerGetDatum(cstring_to_text_with_len(line, (int) len));
	memset(slot->tts_isnull, 0, sizeof(bool) * SORT_COLUMNS);
	ExecStoreVirtualTuple(slot);
	MemoryContextSwitchTo(caller);
	tuplesort_puttupleslot(sort->state, slot);
	ExecClearTuple(slot);
	MemoryContextReset(sort->context);
}

void
ChangeSortPerform(ChangeSort *sort)
{
	tuplesort_performsort(sort->state);
}

bool
ChangeSortNext(ChangeSort *sort, int *file, int64 *number, const char **line, Size *len)
{
	bytea	   *bytes;
	bool		isnull;

	CHECK_FOR_INTERRUPTS();
	if (!tuplesort_gettupleslot(sort->state, true, false, sort->slot, NULL))
		return false;
	slot_getallattrs(sort->slot);
	*file = DatumGetInt32(slot_getattr(sort->slot, SORT_FILE, &isnull));
	*number = DatumGetInt64(slot_getattr(sort->slot, SORT_NUMBER, &isnull));
	bytes = (bytea *) DatumGetPointer(slot_getattr(sort->slot, SORT_LINE, &isnull));
	*line = VARDATA_ANY(bytes);
	*len = VARSIZE_ANY_EXHDR(bytes);
	return true;
}

void
ChangeSortEnd(ChangeSort *sort)
{
	ExecDropSingleTupleTableSlot(sort->input);
	ExecDropSingleTupleTableSlot(sort->slot);
	tuplesort_end(sort->state);
	MemoryContextDelete(sort->context);
	pfree(sort);
}
