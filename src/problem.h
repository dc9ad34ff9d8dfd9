/*
 * problem.h
 *	  What is wrong with an input, as a value.
 *
 * A function that reads or checks an input takes a Problem and notes there
 * what is wrong, since only its caller knows what that means: an error, the
 * reason why a transaction was canceled, or less than another problem of the
 * same request.
 *
 *		Problem		problem = NO_PROBLEM;
 *
 *		if (!CheckSomething(thing, &problem))
 *			... problem.message
 *
 * Where NULL stands for the Problem it is raised as an error instead.  Errors
 * of the server (a cancel, lack of memory, damaged data) are always raised.
 *
 * The texts of a problem are palloc'd in the context that is current where it
 * is found.
 */
#ifndef DYNAMO_PROBLEM_H
#define DYNAMO_PROBLEM_H

#include "errors.h"
#include "exported.h"

/* Problems that some callers tell from others. */
typedef enum ProblemCode
{
	PROBLEM_OTHER,
	PROBLEM_EMPTY_KEY			/* a key attribute is empty */
} ProblemCode;

typedef struct Problem
{
	int			sqlstate;		/* 0: there is no problem */
	ProblemCode code;
	int			rank;			/* of several the greatest matters most */
	const char *message;
	const char *detail;			/* NULL: none */
	bool		very_deep;		/* the value is nested beyond ITEM_VERY_DEEP */
	bool		for_client;		/* the detail is for clients of requests, too, and not for the log */
	const char *hint;			/* NULL: none */
	const char *query;			/* the expression it is in; NULL: none */
	int			position;		/* there, in characters from 1 */
} Problem;

#define NO_PROBLEM	((Problem) {0})

/*
 * Notes what was found, unless a problem is noted that matters as much; raises
 * it if problem is NULL.  Returns false, as checks do that fail.
 */
extern DYNAMO_EXPORT bool ProblemNote(Problem *problem, const Problem *found);

/* ProblemNote of a ValidationException of which there is no more to say. */
extern DYNAMO_EXPORT bool NoteInvalid(Problem *problem, const char *format,...)
			pg_attribute_printf(2, 3);

static inline bool
ProblemIsNoted(const Problem *problem)
{
	return problem != NULL && problem->sqlstate != 0;
}

/* A problem for ereport and its like, in place of errcode, errmsg, ... */
#define ReportOfProblem(problem) \
	(errcode((problem)->sqlstate), \
	 errmsg_internal("%s", (problem)->message), \
	 (problem)->detail != NULL ? errdetail_internal("%s", (problem)->detail) : 0, \
	 (problem)->for_client ? errdetail_log("The detail is sent only to the client, because it contains values.") : 0, \
	 (problem)->hint != NULL ? errhint("%s", (problem)->hint) : 0, \
	 (problem)->query != NULL ? internalerrquery((problem)->query) : 0, \
	 (problem)->query != NULL ? internalerrposition((problem)->position) : 0)

/* The message for clients of requests, which see no detail. */
extern DYNAMO_EXPORT const char *ProblemMessage(const Problem *problem);

/* Raises it as an error. */
extern DYNAMO_EXPORT void ProblemRaise(const Problem *problem) pg_attribute_noreturn();

#endif							/* DYNAMO_PROBLEM_H */
