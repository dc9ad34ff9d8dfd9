/*
 * tags.h
 *	  Tags of tables.
 */
#ifndef DYNAMO_TAGS_H
#define DYNAMO_TAGS_H

#include "request/shape.h"
#include "utils/rel.h"

/* Raises the errors of a list of Tags: bad or repeated keys, bad values. */
extern void CheckTags(const Field *tags);

/*
 * Adds checked tags to a table, replacing those of the same keys; raises the
 * error of too many.
 */
extern void WriteTags(Relation rel, const Field *tags);

#endif							/* DYNAMO_TAGS_H */
