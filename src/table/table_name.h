/*
 * table_name.h
 *	  The form of table names: parts, quotes, and relations given by OID.
 *
 * A name in a call or a request is one of these:
 *
 *		shop				a table in the search path
 *		v.shop				the table shop of schema v, if there is a schema v;
 *							otherwise the table v.shop in the search path
 *		"v.shop"			the table v.shop in the search path
 *		v."a.b", "v"."shop"	the table of a schema, quoted as in SQL
 *
 * Names are case-sensitive without quotes, too.  Only functions accept quotes:
 * a name in a request consists of letters, digits and "_.-".
 *
 * A function with a parameter table_name has an overload with a regclass.
 * TableArgument reads both.  A relation that is known by its OID travels through
 * the functions that expect a name as a text that contains its OID
 * (TableNameOfOid).  It is not looked up by name again, whatever its name is by
 * then.
 */
#ifndef DYNAMO_TABLE_TABLE_NAME_H
#define DYNAMO_TABLE_TABLE_NAME_H

#include "fmgr.h"

#include "compat.h"
#include "exported.h"

/* The parts of a name. */
typedef struct TableNameParts
{
	const char *schema;			/* NULL if the search path decides */
	const char *table;
	bool		quoted;			/* nothing else can be meant */
} TableNameParts;

/*
 * Reads the argument with a table: a text, or a regclass in the overload.  The
 * second function raises an error for NULL.
 */
extern DYNAMO_EXPORT char *TableArgument(FunctionCallInfo fcinfo, int n);
extern char *RequiredTableArgument(FunctionCallInfo fcinfo, int n);

/* Returns the text for a relation that is known. */
extern DYNAMO_EXPORT char *TableNameOfOid(Oid relid);

/* Whether a text is one of TableNameOfOid; sets *relid. */
extern DYNAMO_EXPORT bool TableNameIsOid(const char *name, Oid *relid);

/* Returns what messages show: the name, or that of the relation. */
extern DYNAMO_EXPORT const char *TableNameForMessage(const char *name);

/* Returns a name that the user can give to a function. */
extern const char *TableNameForCall(const char *name);

/*
 * Returns "schema"."table", with both in quotes: the name by which functions find
 * this table, whatever the search path and other tables are.
 */
extern DYNAMO_EXPORT char *TableNameInQuotes(const char *schema, const char *table);
extern DYNAMO_EXPORT char *TableNameOfRelation(Oid relid);

/* Whether a name has a dot or quotes, so that it may have parts. */
extern bool TableNameMayHaveParts(const char *name);

/*
 * Reads the parts of a name.  Raises an error for invalid quotes.  Returns false
 * and sets *other if two schemas fit.
 */
extern bool TableNameSplit(const char *name, TableNameParts *parts, TableNameParts *other);

/*
 * Returns the parts of a table that will be created: the schema, or none for the
 * first of the search path.
 */
extern TableNameParts TableNameToCreate(const char *name);

/* Returns the first schema of the search path, where what has no schema is created; an error without one. */
extern Oid	SchemaToCreateIn(void);

/* Raises the error for a name with two meanings. */
extern void TableNameIsAmbiguous(const char *name, const TableNameParts *one, const TableNameParts *other)
			pg_attribute_noreturn();

#endif							/* DYNAMO_TABLE_TABLE_NAME_H */
