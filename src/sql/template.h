/*
 * template.h
 *	  Templates of key attributes: "ORDER#{order_id}".
 *
 * In single-table design a key is composed of other attributes of its item.
 * A template says how: {name} stands for the text of that attribute (a string
 * or a number), {{ and }} for braces.
 */
#ifndef DYNAMO_TEMPLATE_H
#define DYNAMO_TEMPLATE_H

#include "lib/stringinfo.h"

#include "item/item.h"

/* Raises ERRCODE_INVALID_PARAMETER_VALUE if it is malformed. */
extern void TemplateCheck(Slice template);

/*
 * Appends what the template is for an item.  False, with *missing set, if the
 * item has no string or number of a name in it.
 */
extern bool TemplateRender(Slice template, ValueRef item, StringInfo out, Slice *missing);

/* Appends what every key by this template begins with. */
extern void TemplatePrefix(Slice template, StringInfo out);

/* Whether there is no name in it, so that it renders the same for all items. */
extern bool TemplateIsConstant(Slice template);

/* Whether it is one name and nothing else; *name is set. */
extern bool TemplateIsName(Slice template, Slice *name);

#endif							/* DYNAMO_TEMPLATE_H */
