/*
 * problem.c
 *	  What is wrong with an input, as a value.
 */
#include "postgres.h"

#include "problem.h"

void
ProblemRaise(const Problem *problem)
{
	ereport(ERROR, ReportOfProblem(problem));
}

bool
ProblemNote(Problem *problem, const Problem *found)
{
	if (problem == NULL)
		ProblemRaise(found);
	if (problem->sqlstate == 0 || found->rank > problem->rank)
		*problem = *found;
	return false;
}

bool
NoteInvalid(Problem *problem, const char *format,...)
{
	Problem		found = {.sqlstate = ERRCODE_DYNAMO_VALIDATION};
	va_list		args;

	va_start(args, format);
	found.message = DynamoFormat(format, args);
	va_end(args);
	return ProblemNote(problem, &found);
}

const char *
ProblemMessage(const Problem *problem)
{
	return problem->for_client ? psprintf("%s. %s", problem->message, problem->detail) : problem->message;
}
