/*
 * tags.h
 *	  Tags of tables.
 */
#ifndef DYNAMO_TAGS_H
#define DYNAMO_TAGS_H

#include "request/shape.h"
#include "utils/rel.h"

/*
 * Checks a list of Tags; raises errors for invalid or repeated keys and for
 * invalid values.
 */
extern void CheckTags(const Field *tags);

/*
 * Adds checked tags to a table and replaces those with the same keys; raises
 * an error if there are too many.
 */
extern void WriteTags(Relation rel, const Field *tags);

#endif							/* DYNAMO_TAGS_H */
