/*
 * read_page.c
 *	  One page of a Query or Scan: at most Limit items or 1 MB.
 */
#include "postgres.h"

#include "utils/datum.h"

#include "op/read.h"

/*
 * Size of a read unit: an item fetched from the table counts in units of 4 KB.
 */
#define READ_UNIT	4096

static void
AppendItem(PageBuilder *b, const ReadRow *row)
{
	ReadPageResult *page = b->page;

	if (page->count == b->allocated)
	{
		b->allocated *= 2;
		page->items = repalloc(page->items, sizeof(struct varlena *) * b->allocated);
	}
	page->items[page->count] =
		(struct varlena *) DatumGetPointer(datumCopy(PointerGetDatum(row->item), false, -1));
}

void
PageBegin(PageBuilder *b, ReadPageResult *page, const ReadOp *op, int64 limit)
{
	memset(page, 0, sizeof(ReadPageResult));
	b->page = page;
	b->count_only = op->select == SELECT_COUNT;
	b->limit = limit;
	b->allocated = 16;
	if (!b->count_only)
		page->items = palloc(sizeof(struct varlena *) * b->allocated);
}

bool
PageAdd(PageBuilder *b, const ReadRow *row)
{
	ReadPageResult *page = b->page;

	page->scanned_count++;
	page->size += row->size;
	page->fetched_size += row->fetched_size;
	page->fetched_units += (row->fetched_size + READ_UNIT - 1) / READ_UNIT;
	if (row->matched)
	{
		if (!b->count_only)
			AppendItem(b, row);
		page->count++;
	}
	return page->scanned_count == b->limit ||
		page->size + page->fetched_size >= READ_PAGE_SIZE;
}

void
ReadPage(const ReadOp *op, int64 limit, ReadPageResult *page)
{
	ReadOp		measured = *op;
	PageBuilder builder;
	Reader	   *reader;
	ReadRow		row;

	measured.sizes = true;
	PageBegin(&builder, page, op, limit);
	reader = ReaderOpen(&measured);
	page->index_local = reader->index != NULL && reader->index->local;
	while (ReaderNext(reader, &row))
	{
		/* The page is full, so more rows may follow. */
		if (PageAdd(&builder, &row))
		{
			page->last_key = ReaderPosition(reader);
			break;
		}
	}
	ReaderClose(reader);
}
