/*
 * table_params.h
 *	  Key schemas, indexes, streams and encryption of CreateTable and
 *	  UpdateTable: their checks, and their way into the structures of ddl.h.
 */
#ifndef DYNAMO_TABLE_PARAMS_H
#define DYNAMO_TABLE_PARAMS_H

#include "ddl/ddl.h"
#include "request/shape.h"
#include "request/table_settings.h"

/* What a list of GlobalSecondaryIndexUpdate (or NULL) updates of an index, or NULL. */
extern const Field *UpdateOfIndex(const Field *updates, const char *index_name);

/* Raises the error about a name that a list of definitions has twice. */
extern void CheckDefinitions(const Field *definitions);

/* The key of a table, with the types its attributes are defined to have. */
extern void FieldTableKey(const Field *schema, const Field *definitions, KeySchema *key);

/*
 * A secondary index.  All attributes of its key are in the definitions, also
 * those that the table knows already.
 */
extern void FieldIndexSpec(const Field *index, bool local, const Field *definitions,
						   CreateIndexSpec *spec);

/* The projection of an index. */
extern void FieldProjection(const Field *projection, CreateIndexSpec *spec);

/* The type that a list of definitions gives an attribute; false if there is none. */
extern bool AttributeTypeOf(const Field *definitions, Slice name, ValueType *type);

/*
 * A StreamSpecification, which may be NULL, has a view if and only if it
 * enables the stream; raises what the operation says of one that is missing
 * or unwanted.
 */
extern void CheckStreamView(const Field *stream, const char *missing, const char *unwanted);

/* Raises an error, not the service's, about a member that would be ignored at a loss. */
extern void RefuseMember(const Field *input, const char *member);

/* Raises the error about the input's TableClass, which is no enum of the model. */
extern void CheckTableClass(const Field *input);

/* SSESpecification, if it is given: its checks, and taking it over. */
extern void CheckEncryption(const Field *specification);
extern void ChangeEncryption(TableSettings *settings, const Field *specification);
extern void SetEncryption(TableSettings *settings, const Field *specification);

/* A copy of a name with a NUL behind it, as the names in definitions have. */
extern Slice CopyName(Slice name);

/* The name of an attribute or index, for messages and specs. */
extern char *FieldName(const Field *structure, const char *member);

#endif							/* DYNAMO_TABLE_PARAMS_H */
