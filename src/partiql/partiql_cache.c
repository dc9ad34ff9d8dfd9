/*
 * partiql_cache.c
 *	  The backend's cache of parsed statements.
 *
 * Statements have their own cache, separate from the one of expressions:
 * statements with literal data rarely repeat and would evict expressions.
 */
#include "postgres.h"

#include "expr/parse_cache.h"
#include "mb/pg_wchar.h"
#include "partiql/partiql_tree.h"

static const void *
ParseStatementText(int kind, Slice text, Problem *problem)
{
	return StatementParseText(text, problem);
}

/*
 * The limit in bytes: no text of the maximum number of characters is longer.
 */
static ParseCache statements = {ParseStatementText, STATEMENT_MAX_SIZE * MAX_MULTIBYTE_CHAR_LEN};

const Statement *
StatementParse(const char *text, uint32 len, Problem *problem)
{
	return ParseCacheGet(&statements, EXPR_STATEMENT, (Slice) {text, len}, problem);
}
