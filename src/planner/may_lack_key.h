/*
 * may_lack_key.h
 *	  Items that are not in an index because a part of its key is an empty text.
 */
#ifndef DYNAMO_PLANNER_MAY_LACK_KEY_H
#define DYNAMO_PLANNER_MAY_LACK_KEY_H

#include "nodes/primnodes.h"

/* Whether a value of this type is an empty text, or an array that contains one. */
extern bool IsEmptyText(Datum value, Oid type);

/*
 * Returns a call of dynamo_internal.may_lack_key for a column of texts that no
 * row lacks; NULL if the function does not exist.
 */
extern Expr *MayLackKeyCall(Var *column, List *values);

#endif							/* DYNAMO_PLANNER_MAY_LACK_KEY_H */
