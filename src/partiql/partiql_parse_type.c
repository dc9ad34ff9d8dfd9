/*
 * partiql_parse_type.c
 *	  The grammar of the type after IS.
 *
 *		type	= word [ word ] [ "(" digits { "," digits } ")" ]
 *
 * The service's parser knows the type names of SQL.  Those of types that no
 * attribute has are refused.
 */
#include "postgres.h"

#include "partiql/partiql_parser.h"

typedef struct TypeWord
{
	const char *word;
	const char *second;			/* NULL: none */
	const char *type;			/* NULL: no attribute has it */
} TypeWord;

/* A name of two words comes before its first word alone. */
static const TypeWord type_words[] = {
	{"NULL", NULL, "NULL"},
	{"BOOL", NULL, "BOOL"},
	{"BOOLEAN", NULL, "BOOL"},
	{"STRING", NULL, "S"},
	{"CHARACTER", "VARYING", "S"},
	{"CHARACTER", NULL, "S"},
	{"CHAR", NULL, "S"},
	{"VARCHAR", NULL, "S"},
	{"NUMERIC", NULL, "N"},
	{"DECIMAL", NULL, "N"},
	{"DEC", NULL, "N"},
	{"SMALLINT", NULL, "N"},
	{"INTEGER", NULL, "N"},
	{"INT", NULL, "N"},
	{"BIGINT", NULL, "N"},
	{"INT2", NULL, "N"},
	{"INT4", NULL, "N"},
	{"INT8", NULL, "N"},
	{"INTEGER2", NULL, "N"},
	{"INTEGER4", NULL, "N"},
	{"INTEGER8", NULL, "N"},
	{"FLOAT", NULL, "N"},
	{"REAL", NULL, "N"},
	{"DOUBLE", "PRECISION", "N"},
	{"BLOB", NULL, "B"},
	{"STRUCT", NULL, "M"},
	{"TUPLE", NULL, "M"},
	{"LIST", NULL, "L"},
	{"CLOB", NULL, NULL},
	{"SYMBOL", NULL, NULL},
	{"SEXP", NULL, NULL},
	{"BAG", NULL, NULL},
	{"DATE", NULL, NULL},
	{"TIME", NULL, NULL},
	{"TIMESTAMP", NULL, NULL},
};

static bool
AcceptType(PartiqlParser *p, const TypeWord *type)
{
	PartiqlToken next = PartiqlPeek(p);

	if (!PartiqlAtWord(p, type->word) ||
		(type->second != NULL && !PartiqlIsWord(&next, type->second)))
		return false;
	PartiqlAdvance(p);
	if (type->second != NULL)
		PartiqlAdvance(p);
	return true;
}

/* Skips the length or precision of a type, which no attribute has. */
static void
SkipTypeArguments(PartiqlParser *p)
{
	if (!PartiqlAt(p, PT_LPAREN))
		return;
	do
	{
		PartiqlAdvance(p);
		(void) PartiqlExpect(p, PT_NUMBER, "a number");
	} while (PartiqlAt(p, PT_COMMA));
	(void) PartiqlExpect(p, PT_RPAREN, "',' or ')'");
}

const char *
PartiqlParseType(PartiqlParser *p)
{
	for (size_t i = 0; i < lengthof(type_words); i++)
	{
		const TypeWord *type = &type_words[i];

		if (!AcceptType(p, type))
			continue;
		SkipTypeArguments(p);
		if (type->type == NULL)
			PartiqlPlainError(p, psprintf("Unsupported data type: %s", type->word));
		return type->type != NULL ? type->type : "NULL";
	}
	PartiqlMalformed(p, "Expected type name");
	return "NULL";
}
