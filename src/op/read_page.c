/*
 * read_page.c
 *	  One page of a Query or Scan: at most Limit items or 1 MB.
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "op/consumed.h"
#include "op/read.h"
#include "table/index_relation.h"

static void
AppendPageItem(PageBuilder *b, const ReadRow *row)
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
	b->relation = b->index = InvalidOid;
	b->count_only = op->select == SELECT_COUNT;
	b->limit = limit;
	b->allocated = 16;
	if (!b->count_only)
		page->items = palloc(sizeof(struct varlena *) * b->allocated);
}

void
PageReader(PageBuilder *b, const Reader *reader)
{
	if (!ConsumptionIsCounted())
		return;
	b->relation = RelationGetRelid(reader->store.rel);
	b->index = reader->index != NULL ? FindIndexRelation(reader->store.def, reader->index) : InvalidOid;
}

void
PageEnd(const PageBuilder *b, const ReadOp *op)
{
	const ReadPageResult *page = b->page;
	uint64		halves = HALVES_OF_READ(op->consistent);

	if (!OidIsValid(b->relation))
		return;					/* not counted, or nothing was read */
	StatAdd(STAT_ITEMS_RETURNED, (uint64) page->count);
	StatAdd(STAT_ITEMS_READ, (uint64) page->scanned_count);
	StatAdd(STAT_READ_BYTES, page->size + page->fetched_size);
	StatConsumed(b->relation, b->index, ReadBlocks(page->size) * halves, 0);
	if (page->fetched_units > 0)
		StatConsumed(b->relation, InvalidOid, page->fetched_units * halves, 0);
}

bool
PageAdd(PageBuilder *b, const ReadRow *row)
{
	ReadPageResult *page = b->page;

	page->scanned_count++;
	page->size += row->size;
	page->fetched_size += row->fetched_size;
	if (row->fetched_size > 0)	/* an item fetched from the table counts in whole blocks */
		page->fetched_units += ReadBlocks(row->fetched_size);
	if (row->matched)
	{
		if (!b->count_only)
			AppendPageItem(b, row);
		page->count++;
	}
	return page->scanned_count == b->limit ||
		page->size + page->fetched_size >= READ_PAGE_SIZE;
}

/* ---- interruptions ---- */

/* Copies the items of a page, of which the first ones are in the context already. */
static struct varlena **
CopyItems(const ReadPageResult *page, int kept)
{
	struct varlena **items = palloc(sizeof(struct varlena *) * Max(page->count, 1));

	for (int i = 0; i < page->count; i++)
		items[i] = i < kept ? page->items[i] :
			(struct varlena *) DatumGetPointer(datumCopy(PointerGetDatum(page->items[i]), false, -1));
	return items;
}

/* Keeps the page and raises an error. */
static void
PausePage(ReadPause *pause, const ReadPageResult *page, const Reader *reader)
{
	int			kept = pause->context != NULL ? pause->page.count : 0;
	MemoryContext old;

	if (pause->context == NULL)
		pause->context = AllocSetContextCreate(pause->parent, "dynamo page", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(pause->context);
	pause->page = *page;
	pause->page.last_key = ReaderPosition(reader);
	if (page->items != NULL)
		pause->page.items = CopyItems(page, kept);
	MemoryContextSwitchTo(old);
	pause->paused = true;
	ereport(ERROR,
			(errcode(ERRCODE_OPERATOR_INTERVENTION),
			 errmsg("reading of a page is interrupted")));
}

/* Continues a page; sets where to start. */
static void
ResumePage(const ReadPause *pause, PageBuilder *b, ReadOp *op)
{
	ReadPageResult *page = b->page;
	struct varlena **items = page->items;

	*page = pause->page;
	op->start = ItemRoot(page->last_key);
	page->last_key = NULL;
	if (items == NULL)
		return;
	b->allocated = Max(b->allocated, 2 * page->count);
	items = repalloc(items, sizeof(struct varlena *) * b->allocated);
	memcpy(items, page->items, sizeof(struct varlena *) * page->count);
	page->items = items;
}

/* ---- the page ---- */

void
ReadPage(const ReadOp *op, int64 limit, ReadPageResult *page)
{
	ReadOp		measured = *op;
	PageBuilder builder;
	Reader	   *reader;
	ReadRow		row;

	measured.sizes = true;
	measured.rows = limit;
	PageBegin(&builder, page, op, limit);
	if (op->pause != NULL && op->pause->context != NULL)
		ResumePage(op->pause, &builder, &measured);
	reader = ReaderOpen(&measured);
	PageReader(&builder, reader);
	page->index_local = reader->index != NULL && reader->index->local;
	while (ReaderNext(reader, &row))
	{
		/* The page is full, so more rows may follow. */
		if (PageAdd(&builder, &row))
		{
			page->last_key = ReaderPosition(reader);
			break;
		}
		/* a plan of SQL may read or sort the whole table before its first row */
		if (op->pause != NULL && reader->store.direct && op->pause->wanted())
			PausePage(op->pause, page, reader);
	}
	ReaderClose(reader);
	PageEnd(&builder, op);
}
