/*
 * named_list.h
 *	  Lists of named definitions, as JSON text: [{"name": "a", ...}, ...].
 *
 * Such a list is a part of a trigger's argument, which the table's owner may have
 * written by hand: elements that are not objects are ignored.
 */
#ifndef DYNAMO_TABLE_NAMED_LIST_H
#define DYNAMO_TABLE_NAMED_LIST_H

#include "utils/jsonb.h"

/* Returns the element with this name; NULL if there is none.  list may be NULL. */
extern JsonbContainer *NamedListFind(const char *list, const char *name);

/*
 * Returns the list without the element with this name, and with another if added
 * is not NULL; NULL if it becomes empty.  list may be NULL.
 */
extern char *NamedListChange(const char *list, const char *without, const char *added);

#endif							/* DYNAMO_TABLE_NAMED_LIST_H */
