/*
 * cache.c
 *	  The backend's cache of parsed statements.
 *
 *	  One of its own, so that statements with their data in literals, of which
 *	  none comes twice, do not drive out expressions.
 */
#include "postgres.h"

#include "expr/parse_cache.h"
#include "mb/pg_wchar.h"
#include "partiql/tree.h"

static const void *
ParseStatement(int kind, Slice text)
{
	return StatementParseText(text);
}

/* bytes: no text of so many characters is longer */
static ParseCache statements = {ParseStatement, STATEMENT_MAX_SIZE * MAX_MULTIBYTE_CHAR_LEN};

const Statement *
StatementParse(const char *text, uint32 len)
{
	return ParseCacheGet(&statements, EXPR_STATEMENT, (Slice) {text, len});
}
