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

/* In a pattern of ours: any text without a colon. */
#define IAM_SEGMENT "\001"

/* Whether there is a text that both patterns match; other may have IAM_SEGMENT. */
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
	bool		not_actions;	/* NotAction */
	List	   *actions;		/* of char *, as they are written */
	bool		not_resources;
	List	   *resources;
	List	   *conditions;		/* of IamCondition */
	List	   *unknown;		/* names of other members */
} IamStatement;

/* Reads the statements of a document; raises an error if it is not a policy. */
extern List *IamReadDocument(Jsonb *document);

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
extern List *IamTranslate(Jsonb *document, const char *role, const char *schema, Jsonb *variables);

#endif							/* DYNAMO_IAM_H */
