/*
 * index_kinds.h
 *	  The kinds of indexes (table/index_kind.h), each in a file of its own.
 */
#ifndef DYNAMO_INDEX_KINDS_H
#define DYNAMO_INDEX_KINDS_H

#include "table/index_kind.h"

extern const IndexKind inline_index;
extern const IndexKind table_index;
extern const IndexKind sharded_index;
extern const IndexKind vector_index;

/* Registers them. */
extern void IndexKindsInit(void);

#endif							/* DYNAMO_INDEX_KINDS_H */
