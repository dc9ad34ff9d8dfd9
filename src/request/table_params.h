/*
 * table_params.h
 *	  Key schemas, indexes, streams and encryption of CreateTable and
 *	  UpdateTable: their checks, and their way into the structures of ddl.h.
 */
#ifndef DYNAMO_TABLE_PARAMS_H
#define DYNAMO_TABLE_PARAMS_H

#include "ddl/ddl.h"
#include "request/shape.h"
#include "ddl/table_settings.h"

/*
 * Returns the update of an index in a list of GlobalSecondaryIndexUpdate,
 * which may be NULL; NULL if there is none.
 */
extern const Field *UpdateOfIndex(const Field *updates, const char *index_name);

/* Raises the error for a name that a list of definitions contains twice. */
extern void CheckDefinitions(const Field *definitions);

/* Reads the key of a table, with the defined types of its attributes. */
extern void FieldTableKey(const Field *schema, const Field *definitions, KeySchema *key);

/*
 * Reads a secondary index.  The definitions contain all attributes of its key,
 * also those that the table has already.
 */
extern void FieldIndexSpec(const Field *index, bool local, const Field *definitions,
						   CreateIndexSpec *spec);

/* Reads the projection of an index. */
extern void FieldProjection(const Field *projection, CreateIndexSpec *spec);

/*
 * Finds the type of an attribute in a list of definitions; false if there is
 * none.
 */
extern bool AttributeTypeOf(const Field *definitions, Slice name, ValueType *type);

/*
 * Checks a StreamSpecification, which may be NULL: it must have a view if and
 * only if it enables the stream.  Raises the operation's message for a missing
 * or unwanted view.
 */
extern void CheckStreamView(const Field *stream, const char *missing, const char *unwanted);

/*
 * Raises an error, which the service does not have, for a member that cannot
 * be ignored without loss.
 */
extern void RefuseMember(const Field *input, const char *member);

/*
 * Raises the error for an invalid TableClass, which the model does not define
 * as an enum.
 */
extern void CheckTableClass(const Field *input);

/* Check SSESpecification, if it is given, and copy it to the settings. */
extern void CheckEncryption(const Field *specification);
extern void ChangeEncryption(TableSettings *settings, const Field *specification);
extern void SetEncryption(TableSettings *settings, const Field *specification);

/* Returns a copy that ends with a NUL, as the names in definitions do. */
extern Slice CopyName(Slice name);

/*
 * Returns the name of an attribute or index, for messages and specifications.
 */
extern char *FieldName(const Field *structure, const char *member);

#endif							/* DYNAMO_TABLE_PARAMS_H */
