/*
 * jsonb_member.h
 *	  Members of objects that are jsonb.  All results are palloc'd.
 */
#ifndef DYNAMO_DESIGN_JSONB_MEMBER_H
#define DYNAMO_DESIGN_JSONB_MEMBER_H

#include "utils/jsonb.h"

/* Returns a member of an object; NULL if it has none. */
extern Jsonb *JsonbMember(Jsonb *object, const char *name);

/* Returns the text of a member of an object; NULL if it has none, or that is not a string. */
extern char *JsonbMemberText(Jsonb *object, const char *name);

/* Walks the entries of an object, *it is NULL at first; sets name, palloc'd, and value for each. */
extern bool NextObjectEntry(JsonbIterator **it, Jsonb *object, char **name, JsonbValue *value);

/* Returns a string, palloc'd; raises an error, of what name is, for another value. */
extern char *ObjectEntryText(const JsonbValue *value, const char *what, const char *name);

#endif							/* DYNAMO_DESIGN_JSONB_MEMBER_H */
