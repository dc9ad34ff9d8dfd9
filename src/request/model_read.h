/*
 * model_read.h
 *	  Query with the IndexName "model:checksum": the checksum of a table's model, by which
 *	  clients that know only the API see whether it has changed.
 */
#ifndef DYNAMO_MODEL_READ_H
#define DYNAMO_MODEL_READ_H

#include "request/operation.h"

/* Whether a name, where that of an index may be, asks for the checksum. */
extern bool NamesChecksum(Slice index);

/* Answers the request with one item, {"checksum": {"S": ...}}. */
extern void QueryChecksum(Request *request);

#endif							/* DYNAMO_MODEL_READ_H */
