/*
 * builder_error.h
 *	  The problems of the builder.  Private to item/.
 */
#ifndef DYNAMO_BUILDER_ERROR_H
#define DYNAMO_BUILDER_ERROR_H

#include "item/builder.h"
#include "item/number.h"

/*
 * Notes a validation error about the next value with ItemBuilderNote; takes
 * the printf arguments of its message.
 */
extern void ItemBuilderError(ItemBuilder *b, const char *format,...)
			pg_attribute_printf(2, 3);

/* A container would be nested too deeply. */
extern void ItemBuilderTooDeep(ItemBuilder *b);

/* Notes a number with this text that has this status. */
extern void ItemBuilderBadNumber(ItemBuilder *b, NumberStatus status, bool in_set, Slice text);

/* The next name in a map has an invalid length. */
extern void ItemBuilderBadName(ItemBuilder *b, uint32 len);

/*
 * The set that ends has duplicate members; restores the order in which they
 * were added.
 */
extern void ItemBuilderDuplicateMember(ItemBuilder *b, const BuilderFrame *f);

/* The map that ends has the name of this entry twice. */
extern void ItemBuilderDuplicateName(ItemBuilder *b, const BuilderEntry *e);

/* The set of this type that ends is empty. */
extern void ItemBuilderEmptySet(ItemBuilder *b, ValueType type);

#endif							/* DYNAMO_BUILDER_ERROR_H */
