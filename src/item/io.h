/*
 * io.h
 *	  Items in their binary form, as item_send and item_recv have it.
 */
#ifndef DYNAMO_ITEM_IO_H
#define DYNAMO_ITEM_IO_H

#include "lib/stringinfo.h"

#include "exported.h"
#include "item/item.h"

/* Reads an item that is all of some bytes; raises an error if it is invalid.  palloc'd. */
extern DYNAMO_EXPORT struct varlena *ItemReceive(Slice bytes);

/*
 * The same for len bytes that follow the place of a varlena's header, which is aligned;
 * returns the item there.
 */
extern DYNAMO_EXPORT struct varlena *ItemReceiveInPlace(struct varlena *place, uint32 len);

/* Appends the binary form of an item. */
extern DYNAMO_EXPORT void ItemSend(StringInfo out, ValueRef item);

/*
 * The same for an item among others: with its length before it.  The item may be missing;
 * then NULL is returned.
 */
extern DYNAMO_EXPORT struct varlena *ItemReceiveSized(StringInfo in);
extern DYNAMO_EXPORT void ItemSendSized(StringInfo out, ValueRef item);

#endif							/* DYNAMO_ITEM_IO_H */
