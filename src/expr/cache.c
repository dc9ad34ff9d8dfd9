/*
 * cache.c
 *	  The backend's cache of parsed expressions.
 */
#include "postgres.h"

#include "expr/parse_cache.h"
#include "expr/tree.h"

static const void *
ParseExpression(int kind, Slice text, Problem *problem)
{
	return ExprParseText((ExprKind) kind, text, problem);
}

static ParseCache expressions = {ParseExpression, EXPR_MAX_SIZE};

const ExprTree *
ExprParse(ExprKind kind, const char *text, uint32 len, Problem *problem)
{
	return ParseCacheGet(&expressions, kind, (Slice) {text, len}, problem);
}

void
ExprCacheGetStats(ExprCacheStats *result)
{
	*result = expressions.stats;
	result->capacity = PARSE_CACHE_ENTRIES;
}
