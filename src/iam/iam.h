/*
 * iam.h
 *	  Translates IAM policies into GRANT, REVOKE and row security policies.
 *
 * The result is SQL text for review; nothing is executed.  A part of a policy
 * that SQL cannot express never widens rights: an Allow with such a part is not
 * granted, and a Deny with it always denies.  A line of the result reports it.
 *
 *		iam_actions.c		actions of the service, and the privileges they need
 *		iam_document.c		reads a document
 *		iam_condition.c		conditions as SQL expressions
 *		iam_resource.c		the tables that a statement is of
 *		iam_translate.c		statements as SQL
 *		iam_sql.c			the SQL function
 */
#ifndef DYNAMO_IAM_H
#define DYNAMO_IAM_H

#include "nodes/parsenodes.h"
#include "utils/jsonb.h"

/* ---- iam_actions.c ---- */

typedef enum IamActionKind
{
	IAM_DATA,					/* needs privileges on the table */
	IAM_FREE,					/* needs no privilege */
	IAM_OWNER					/* needs to be the table's owner, or cannot be granted */
} IamActionKind;

typedef struct IamAction
{
	const char *name;			/* without "dynamodb:" */
	IamActionKind kind;
	AclMode		needs;			/* privileges on the table */
	AclMode		denied;			/* privileges to revoke if it is denied */
} IamAction;

extern const IamAction iam_actions[];
extern const int iam_nactions;

/* Whether a text matches a pattern with * and ?. */
extern bool IamMatches(const char *pattern, const char *text, bool ignore_case);

/* In a pattern of ours: any text without a colon, and any of the characters of a stream's label. */
#define IAM_SEGMENT "\001"
#define IAM_LABEL "\002"

/* Whether there is a text that both patterns match; other may have IAM_SEGMENT and IAM_LABEL. */
extern bool IamPatternsMeet(const char *pattern, const char *other);

/* ---- iam_document.c ---- */

typedef struct IamCondition
{
	char	   *operator;		/* with ForAllValues: and IfExists */
	char	   *key;
	List	   *values;			/* of char * */
} IamCondition;

typedef struct IamStatement
{
	int			number;			/* from 1 on */
	char	   *sid;			/* NULL if there is none */
	bool		allow;
	bool		variables;		/* ${...} is a variable, not text */
	bool		actions_given;
	bool		not_actions;	/* NotAction */
	List	   *actions;		/* of char *, as they are written */
	bool		resources_given;
	bool		not_resources;
	List	   *resources;
	List	   *conditions;		/* of IamCondition */
	List	   *unknown;		/* names of other members */
} IamStatement;

/*
 * Reads the statements of a document, or of a list of them; raises an error if one
 * is not a policy.
 */
extern List *IamReadDocuments(Jsonb *documents);

/* ---- iam_condition.c ---- */

/* The limits that the conditions of a statement set. */
typedef struct IamLimits
{
	char	   *rows;			/* expression for LeadingKeys; NULL: all rows */
	List	   *attributes;		/* of char *; NIL: all */
	List	   *problems;		/* of char *: what cannot be expressed */
	List	   *notes;
} IamLimits;

/* Whether a condition of the statement lists attributes. */
extern bool IamLimitsAttributes(const IamStatement *s);

/*
 * Translates conditions for a table whose partition key has this column and
 * type, for one role.  variables: a jsonb object of values, or NULL.
 */
extern void IamReadConditions(const IamStatement *s, const char *column, char type,
							  Jsonb *variables, IamLimits *limits);

/* ---- iam_resource.c ---- */

/* A partition key of an index. */
typedef struct IamIndexKey
{
	const char *index;
	char	   *arn;			/* a pattern, like those of the table */
	char	   *column;
	char		type;			/* S, N, B */
} IamIndexKey;

/* A table of the schema. */
typedef struct IamTable
{
	char	   *name;			/* in requests */
	char	   *sql;			/* its qualified name, quoted */
	char	   *key;			/* the column of the partition key */
	char		key_type;		/* S, N, B */
	char	   *sort;			/* the column of the sort key, or NULL */
	bool		row_security;	/* it has or needs it */
	bool		announced;
	List	   *arns;			/* of char *: patterns of its ARN and those of its indexes and streams */
	List	   *indexes;		/* of char *: names */
	bool		has_stream;
	List	   *index_keys;		/* of IamIndexKey *: those that are not its own partition key */
} IamTable;

/* What a resource names. */
typedef struct IamResource
{
	const char *pattern;		/* of names of tables; NULL: no table */
	bool		part;			/* of an index, a stream, a backup only */
	bool		variable;		/* has a variable, which stands for any text */
} IamResource;

/* Returns the tables (IamTable *) of a schema, which must exist. */
extern List *IamTablesOfSchema(const char *schema);

extern IamResource IamReadResource(const char *text);

/* Whether a resource can mean the table or a part of it: "arn:aws:dynamodb:*" names none, but means all. */
extern bool IamCanMeanTable(const char *resource, const IamTable *table);

/*
 * Whether the statement names the table itself by one of its resources; wide: or
 * can mean it or a part of it.
 */
extern bool IamConcernsTable(const IamStatement *s, const IamTable *table, bool wide);

/* Whether a statement applies to a table.  In case of doubt a Deny applies, and an Allow does not. */
extern bool IamStatementApplies(const IamStatement *s, const IamTable *table);

/* Whether a statement can mean a query of the index. */
extern bool IamCanMeanIndex(const IamStatement *s, const IamIndexKey *key);

/* Whether a statement's list contains the action, which is without "dynamodb:". */
extern bool IamListsAction(const IamStatement *s, const char *action);

/* ---- iam_translate.c ---- */

typedef enum IamLineKind
{
	IAM_SQL,
	IAM_NOTE,					/* for the reviewer of the SQL */
	IAM_REFUSED					/* a part that was not translated */
} IamLineKind;

typedef struct IamLine
{
	int			statement;
	const char *sid;
	IamLineKind kind;
	char	   *text;
} IamLine;

/* Returns lines, in the order in which the SQL must be executed. */
extern List *IamTranslate(Jsonb *documents, const char *role, const char *schema, Jsonb *variables);

#endif							/* DYNAMO_IAM_H */
