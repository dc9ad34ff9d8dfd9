/*
 * builder_error.h
 *	  The errors of the builder.  Private to item/.
 */
#ifndef DYNAMO_BUILDER_ERROR_H
#define DYNAMO_BUILDER_ERROR_H

#include "item/builder.h"

/*
 * Raises a validation error about the value that comes next; takes the printf
 * arguments of its message.
 */
extern void ItemBuilderError(const ItemBuilder *b, const char *format,...)
			pg_attribute_printf(2, 3) pg_attribute_noreturn();

/* A container would be nested too deep. */
extern void ItemBuilderTooDeep(const ItemBuilder *b) pg_attribute_noreturn();

/* The set that ends has members twice; puts its entries as they came. */
extern void ItemBuilderDuplicateMember(ItemBuilder *b, const BuilderFrame *f)
			pg_attribute_noreturn();

/* The map that ends has the name of this entry twice. */
extern void ItemBuilderDuplicateName(const ItemBuilder *b, const BuilderEntry *e)
			pg_attribute_noreturn();

/* The set of this type that ends has no member. */
extern void ItemBuilderEmptySet(const ItemBuilder *b, ValueType type)
			pg_attribute_noreturn();

#endif							/* DYNAMO_BUILDER_ERROR_H */
