/*
 * change_batch.c
 *	  Lists of pairs of items, which nodes send each other.
 */
#include "postgres.h"

#include "citus/changes.h"
#include "item/io.h"

void
AppendPair(StringInfo out, ValueRef first, ValueRef second)
{
	ItemSendSized(out, first);
	ItemSendSized(out, second);
}

bool
ReadPair(StringInfo in, struct varlena **first, struct varlena **second)
{
	if (in->cursor >= in->len)
		return false;
	*first = ItemReceiveSized(in);
	*second = ItemReceiveSized(in);
	return true;
}
