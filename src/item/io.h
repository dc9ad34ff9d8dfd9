/*
 * io.h
 *	  Items in their binary form, as item_send and item_recv have it.
 */
#ifndef DYNAMO_ITEM_IO_H
#define DYNAMO_ITEM_IO_H

#include "lib/stringinfo.h"

#include "item/item.h"

/* Reads an item up to the end of a buffer; raises an error if it is invalid.  palloc'd. */
extern struct varlena *ItemReceive(StringInfo buf);

/*
 * The same for len bytes that follow the place of a varlena's header, which is aligned;
 * returns the item there.
 */
extern struct varlena *ItemReceiveInPlace(struct varlena *place, uint32 len);

/* Appends the binary form of an item. */
extern void ItemSend(StringInfo out, ValueRef item);

#endif							/* DYNAMO_ITEM_IO_H */
