/*
 * typed_attribute.h
 *	  The functions in entity views that cast attributes.
 */
#ifndef DYNAMO_TYPED_ATTRIBUTE_H
#define DYNAMO_TYPED_ATTRIBUTE_H

#include "nodes/primnodes.h"

#include "item/item.h"

#define TYPED_ATTRIBUTE				"typed_attribute"
#define TYPED_ATTRIBUTE_RESTRICTED	"typed_attribute_restricted"
#define TYPED_ATTRIBUTE_OR_NULL		"typed_attribute_or_null"
#define OLD_ATTRIBUTE				"old_attribute"

/* The type modifier of a timestamptz that dynamo.parse_time reads, as those of keys are. */
#define INSTANT_TYPMOD				(-2)

/* The number of arguments without the text of the attribute. */
#define TYPED_ATTRIBUTE_NARGS		5

/* Replaces the argument of a call that tells the type by a constant, for which no domain is checked. */
extern void ReplaceTypeArgument(FuncExpr *call);

/* Returns a value for messages, in JSON and of a limited length, palloc'd. */
extern char *DescribeAttributeValue(ValueRef value);

#endif							/* DYNAMO_TYPED_ATTRIBUTE_H */
