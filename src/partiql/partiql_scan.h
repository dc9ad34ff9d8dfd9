/*
 * partiql_scan.h
 *	  The scanner of statements: text to tokens.  Private to partiql/.
 */
#ifndef DYNAMO_PARTIQL_SCAN_H
#define DYNAMO_PARTIQL_SCAN_H

#include "item/item.h"

typedef enum PartiqlTokenKind
{
	PT_END,
	PT_INVALID,					/* a character that starts no token */
	PT_UNFINISHED,				/* an unterminated string, name or comment */
	PT_WORD,					/* a keyword or a bare name */
	PT_NAME,					/* "name", quotes included */
	PT_STRING,					/* 'text', quotes included */
	PT_NUMBER,
	PT_PARAMETER,				/* ? */
	PT_EQ,
	PT_NE,
	PT_LT,
	PT_LE,
	PT_GT,
	PT_GE,
	PT_PLUS,
	PT_MINUS,
	PT_STAR,
	PT_DOT,
	PT_COMMA,
	PT_COLON,
	PT_SEMICOLON,
	PT_LPAREN,
	PT_RPAREN,
	PT_LBRACKET,
	PT_RBRACKET,
	PT_LBRACE,
	PT_RBRACE,
	PT_LSET,					/* << */
	PT_RSET						/* >> */
} PartiqlTokenKind;

typedef struct PartiqlToken
{
	PartiqlTokenKind kind;
	Slice		text;			/* empty at the end */
} PartiqlToken;

/*
 * Returns the token at or after this byte, skipping white space and comments.
 */
extern PartiqlToken PartiqlScan(Slice text, uint32 from);

/* Whether a token is this upper-case word, ignoring case. */
extern bool PartiqlIsWord(const PartiqlToken *token, const char *word);

/* Whether the exponent of a number and its scale have at most 32 bits. */
extern bool PartiqlNumberFits(Slice number);

/*
 * The text between the quotes of a string or name; palloc'd if it has doubled
 * quotes.
 */
extern Slice PartiqlUnquote(const PartiqlToken *token);

/* ---- partiql_reserved.c ---- */

/* Whether a word must be quoted to be a name. */
extern bool PartiqlIsReserved(Slice word);

#endif							/* DYNAMO_PARTIQL_SCAN_H */
