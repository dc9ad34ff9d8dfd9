/*
 * ddl_statement.c
 *	  Executes the statements of DDL functions.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

#include "errors.h"
#include "table/ddl_statement.h"

static bool statement_is_ours = false;

bool
StatementIsOurs(void)
{
	return statement_is_ours;
}

/* The static mark of our own statements must be taken back after an error, too. */
static void
ExecuteStatement(const char *sql)
{
	bool		was_ours = statement_is_ours;

	statement_is_ours = true;
	PG_TRY();
	{
		int			result = SPI_execute(sql, false, 0);

		if (result < 0)
			elog(ERROR, "statement failed: %s: %s", SPI_result_code_string(result), sql);
	}
	PG_FINALLY();
	{
		statement_is_ours = was_ours;
	}
	PG_END_TRY();
}

void
RunStatement(const char *format,...)
{
	va_list		args;
	char	   *sql;

	va_start(args, format);
	sql = DynamoFormat(format, args);
	va_end(args);
	ExecuteStatement(sql);
	pfree(sql);
}

char *
QualifiedName(Oid schema, const char *name)
{
	const char *schema_name = get_namespace_name(schema);

	if (schema_name == NULL || name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("an object was dropped while it was used")));
	return quote_qualified_identifier(schema_name, name);
}

bool
QualifiedNameSplit(const char *text, char **schema, char **name)
{
	List	   *names;

	if (!SplitIdentifierString(pstrdup(text), '.', &names) || list_length(names) != 2)
		return false;
	*schema = linitial(names);
	*name = lsecond(names);
	return true;
}

/* The indexes of a column compress its values as the column does: limits.c counts on one method. */
char *
ColumnClause(const AttributeDef *attr)
{
	const char *type = "pg_catalog.bytea COMPRESSION pglz";

	if (attr->type == VALUE_S)
		type = "pg_catalog.text COMPRESSION pglz COLLATE pg_catalog.\"C\"";
	else if (attr->type == VALUE_N)
		type = "pg_catalog.numeric";
	return psprintf("%s %s", quote_identifier(attr->column), type);
}
