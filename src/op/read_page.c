/*
 * read_page.c
 *	  One page of a Query or Scan: Limit items, or what fits into 1 MB.
 */
#include "postgres.h"

#include "utils/datum.h"

#include "op/read.h"

/* 4 KB units of one item that was fetched from the table. */
#define READ_UNIT	4096

static void
AppendItem(ReadPageResult *page, const ReadRow *row, int *allocated)
{
	if (page->count == *allocated)
	{
		*allocated *= 2;
		page->items = repalloc(page->items, sizeof(struct varlena *) * *allocated);
	}
	page->items[page->count] =
		(struct varlena *) DatumGetPointer(datumCopy(PointerGetDatum(row->item), false, -1));
}

static void
AddRow(ReadPageResult *page, const ReadOp *op, const ReadRow *row, int *allocated)
{
	page->scanned_count++;
	page->size += row->size;
	page->fetched_units += (row->fetched_size + READ_UNIT - 1) / READ_UNIT;
	if (!row->matched)
		return;
	if (op->select != SELECT_COUNT)
		AppendItem(page, row, allocated);
	page->count++;
}

void
ReadPage(const ReadOp *op, int64 limit, ReadPageResult *page)
{
	ReadOp		measured = *op;
	Reader	   *reader;
	ReadRow		row;
	int			allocated = 16;

	measured.sizes = true;
	memset(page, 0, sizeof(ReadPageResult));
	if (op->select != SELECT_COUNT)
		page->items = palloc(sizeof(struct varlena *) * allocated);

	reader = ReaderOpen(&measured);
	page->index_local = reader->index != NULL && reader->index->local;
	while (ReaderNext(reader, &row))
	{
		AddRow(page, op, &row, &allocated);

		/* A page that ended here may or may not be the last. */
		if (page->scanned_count == limit || page->size >= READ_PAGE_SIZE)
		{
			page->last_key = ReaderPosition(reader);
			break;
		}
	}
	ReaderClose(reader);
}
