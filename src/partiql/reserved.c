/*
 * reserved.c
 *	  Words that are no names without quotes: the reserved words of SQL-92,
 *	  which PartiQL takes over, and those of its own clauses.
 */
#include "postgres.h"

#include "partiql/scan.h"

/* In byte order. */
static const char *const reserved_words[] = {
	"ABSOLUTE", "ACTION", "ADD", "ALL", "ALLOCATE", "ALTER", "AND", "ANY",
	"ARE", "AS", "ASC", "ASSERTION", "AT", "AUTHORIZATION", "AVG", "BEGIN",
	"BETWEEN", "BIT", "BIT_LENGTH", "BOTH", "BY", "CASCADE", "CASCADED",
	"CASE", "CAST", "CATALOG", "CHAR", "CHARACTER", "CHARACTER_LENGTH",
	"CHAR_LENGTH", "CHECK", "CLOSE", "COALESCE", "COLLATE", "COLLATION",
	"COLUMN", "COMMIT", "CONNECT", "CONNECTION", "CONSTRAINT", "CONSTRAINTS",
	"CONTINUE", "CONVERT", "CORRESPONDING", "COUNT", "CREATE", "CROSS",
	"CURRENT", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP",
	"CURRENT_USER", "CURSOR", "DATE", "DAY", "DEALLOCATE", "DEC", "DECIMAL",
	"DECLARE", "DEFAULT", "DEFERRABLE", "DEFERRED", "DELETE", "DESC",
	"DESCRIBE", "DESCRIPTOR", "DIAGNOSTICS", "DISCONNECT", "DISTINCT",
	"DOMAIN", "DOUBLE", "DROP", "ELSE", "END", "ESCAPE", "EXCEPT",
	"EXCEPTION", "EXEC", "EXECUTE", "EXISTS", "EXTERNAL", "EXTRACT", "FALSE",
	"FETCH", "FIRST", "FLOAT", "FOR", "FOREIGN", "FOUND", "FROM", "FULL",
	"GET", "GLOBAL", "GO", "GOTO", "GRANT", "GROUP", "HAVING", "HOUR",
	"IDENTITY", "IMMEDIATE", "IN", "INDICATOR", "INITIALLY", "INNER", "INPUT",
	"INSENSITIVE", "INSERT", "INT", "INTEGER", "INTERSECT", "INTERVAL",
	"INTO", "IS", "ISOLATION", "JOIN", "KEY", "LANGUAGE", "LAST", "LEADING",
	"LEFT", "LET", "LEVEL", "LIKE", "LIMIT", "LOCAL", "LOWER", "MATCH", "MAX",
	"MIN", "MINUTE", "MISSING", "MODULE", "MONTH", "NAMES", "NATIONAL",
	"NATURAL", "NCHAR", "NEXT", "NO", "NOT", "NULL", "NULLIF", "NUMERIC",
	"OCTET_LENGTH", "OF", "ON", "ONLY", "OPEN", "OPTION", "OR", "ORDER",
	"OUTER", "OUTPUT", "OVERLAPS", "PAD", "PARTIAL", "PIVOT", "POSITION",
	"PRECISION", "PREPARE", "PRESERVE", "PRIMARY", "PRIOR", "PRIVILEGES",
	"PROCEDURE", "PUBLIC", "READ", "REAL", "REFERENCES", "RELATIVE", "REMOVE",
	"RESTRICT", "RETURNING", "REVOKE", "RIGHT", "ROLLBACK", "ROWS", "SCHEMA",
	"SCROLL", "SECOND", "SECTION", "SELECT", "SESSION", "SESSION_USER", "SET",
	"SIZE", "SMALLINT", "SOME", "SPACE", "SQL", "SQLCODE", "SQLERROR",
	"SQLSTATE", "SUBSTRING", "SUM", "SYSTEM_USER", "TABLE", "TEMPORARY",
	"THEN", "TIME", "TIMESTAMP", "TO", "TRAILING", "TRANSACTION", "TRANSLATE",
	"TRANSLATION", "TRIM", "TRUE", "UNION", "UNIQUE", "UNKNOWN", "UNPIVOT",
	"UPDATE", "UPPER", "USAGE", "USER", "USING", "VALUE", "VALUES", "VARCHAR",
	"VARYING", "VIEW", "WHEN", "WHENEVER", "WHERE", "WITH", "WORK", "WRITE",
	"YEAR", "ZONE",
};

static int
CompareWord(const void *key, const void *word)
{
	return strcmp(key, *(const char *const *) word);
}

bool
PartiqlIsReserved(Slice word)
{
	char		upper[24];		/* the longest reserved word has 17 bytes */

	if (word.len >= sizeof(upper))
		return false;
	for (uint32 i = 0; i < word.len; i++)
		upper[i] = pg_ascii_toupper((unsigned char) word.data[i]);
	upper[word.len] = '\0';
	return bsearch(upper, reserved_words, lengthof(reserved_words),
				   sizeof(reserved_words[0]), CompareWord) != NULL;
}
