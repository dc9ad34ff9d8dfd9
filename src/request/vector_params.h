/*
 * vector_params.h
 *	  Vector indexes in CreateTable and UpdateTable: their checks, their way into
 *	  the structures of ddl.h, and their description.
 */
#ifndef DYNAMO_VECTOR_PARAMS_H
#define DYNAMO_VECTOR_PARAMS_H

#include "request/description.h"
#include "request/shape.h"

/* A vector index; definitions may be NULL. */
extern void FieldVectorIndexSpec(const Field *index, const Field *definitions, CreateIndexSpec *spec);

/* Raises the error of a table that is not on demand. */
extern void CheckVectorBilling(bool on_demand);

/* Whether the search schema of one of these indexes has an attribute; indexes may be NULL. */
extern bool VectorIndexesHave(const Field *indexes, Slice name);

/* Whether a table has vector indexes. */
extern bool HasVectorIndexes(const OpenedTable *table);

/*
 * Returns the number of filter attributes of an index, at most VECTOR_MAX_FILTERS, and sets
 * attributes to them.
 */
extern int	FilterAttributes(const IndexDef *index, KeyAttribute *attributes);

/* The parts of the value of VectorIndexes for one index. */
extern void WriterVectorIndex(Writer *w, const IndexDef *index);

#endif							/* DYNAMO_VECTOR_PARAMS_H */
