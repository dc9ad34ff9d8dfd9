/*
 * table_params.h
 *	  Key schemas, indexes, throughput and streams of CreateTable and
 *	  UpdateTable: their checks, and their way into the structures of ddl.h.
 */
#ifndef DYNAMO_TABLE_PARAMS_H
#define DYNAMO_TABLE_PARAMS_H

#include "catalog/ddl.h"
#include "catalog/settings.h"
#include "request/shape.h"

/* Raises ERRCODE_DYNAMO_VALIDATION with "One or more parameter values ...". */
extern void InvalidParameter(const char *format,...)
			pg_attribute_printf(1, 2) pg_attribute_noreturn();

/* Raises ERRCODE_DYNAMO_VALIDATION with the message alone. */
extern void InvalidRequest(const char *format,...)
			pg_attribute_printf(1, 2) pg_attribute_noreturn();

/*
 * The type of an attribute in a list of AttributeDefinitions, or in the
 * definition of a table (either may be NULL); false if it has none.
 */
extern bool AttributeTypeOf(const Field *definitions, const TableDef *def,
							Slice name, ValueType *type);

/* Raises the error about a name that a list of definitions has twice. */
extern void CheckDefinitions(const Field *definitions);

/*
 * The key of a table (or local index), or of a global index, with the types
 * its attributes are defined to have.
 */
extern void FieldTableKey(const Field *schema, const Field *definitions, KeySchema *key);
extern void FieldIndexKey(const Field *schema, const Field *definitions,
						  const TableDef *def, KeySchema *key);

/* A secondary index; definitions and def as in AttributeTypeOf. */
extern void FieldIndexSpec(const Field *index, bool local, const Field *definitions,
						   const TableDef *def, CreateIndexSpec *spec);

/* Throughput; raises the error of values out of bounds.  NULL: zeros. */
extern IndexSettings FieldThroughput(const Field *throughput);

/*
 * A StreamSpecification, which may be NULL, has a view if and only if it
 * enables the stream; raises what the operation says of one that is missing
 * or unwanted.
 */
extern void CheckStreamView(const Field *stream, const char *missing, const char *unwanted);

/* SSESpecification, if it is given. */
extern void SetEncryption(TableSettings *settings, const Field *specification);

/* The name of an attribute or index, for messages and specs. */
extern char *FieldName(const Field *structure, const char *member);

#endif							/* DYNAMO_TABLE_PARAMS_H */
