/*
 * bare_names.h
 *	  Declared attributes in expressions, under names that are reserved words.
 *
 * Whoever declares the attribute "status" may write status in the conditions and
 * projections of the declaration.  Requests may not, so each such name is replaced by
 * a placeholder, "#status", which is added to the names of the expressions.
 */
#ifndef DYNAMO_DESIGN_BARE_NAMES_H
#define DYNAMO_DESIGN_BARE_NAMES_H

#include "nodes/pg_list.h"

#include "item/item.h"

typedef bool (*IsDeclaredName) (const void *arg, Slice name);

typedef struct BareNames
{
	IsDeclaredName is_declared;
	const void *arg;
	ValueRef	given;			/* a map of strings, or MISSING_VALUE */
	List	   *added;			/* words, which stand for themselves */
	List	   *placeholders;	/* theirs */
} BareNames;

/* Returns an expression with placeholders, palloc'd; NULL for NULL. */
extern char *BareNamesReplace(BareNames *b, const char *expression);

/* Returns the given names and the added ones. */
extern ValueRef BareNamesMap(const BareNames *b);

#endif							/* DYNAMO_DESIGN_BARE_NAMES_H */
