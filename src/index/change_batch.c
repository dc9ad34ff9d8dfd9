/*
 * change_batch.c
 *	  Lists of pairs of items, which nodes send each other.
 */
#include "postgres.h"

#include "libpq/pqformat.h"

#include "index/changes.h"
#include "item/io.h"

#define NO_ITEM		(-1)

static void
AppendItem(StringInfo out, ValueRef item)
{
	int			start = out->len;
	uint32		len;

	appendStringInfoSpaces(out, sizeof(uint32));
	if (!ValueIsMissing(item))
		ItemSend(out, item);
	len = ValueIsMissing(item) ? (uint32) NO_ITEM : (uint32) (out->len - start - (int) sizeof(uint32));
	len = pg_hton32(len);
	memcpy(out->data + start, &len, sizeof(len));
}

void
AppendPair(StringInfo out, ValueRef first, ValueRef second)
{
	AppendItem(out, first);
	AppendItem(out, second);
}

static struct varlena *
ReadItem(StringInfo in)
{
	int			len = (int) pq_getmsgint(in, sizeof(uint32));
	StringInfoData bytes;

	if (len == NO_ITEM)
		return NULL;
	bytes.data = unconstify(char *, pq_getmsgbytes(in, len));
	bytes.len = bytes.maxlen = len;
	bytes.cursor = 0;
	return ItemReceive(&bytes);
}

bool
ReadPair(StringInfo in, struct varlena **first, struct varlena **second)
{
	if (in->cursor >= in->len)
		return false;
	*first = ReadItem(in);
	*second = ReadItem(in);
	return true;
}
