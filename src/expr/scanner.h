/*
 * scanner.h
 *	  The scanner of expressions: text to tokens.  Private to expr/.
 *
 * The scanner knows three classes of words: identifiers, placeholders and
 * digits.  The parser distinguishes keywords from names, because that depends
 * on their place.
 */
#ifndef DYNAMO_SCANNER_H
#define DYNAMO_SCANNER_H

#include "item/item.h"

typedef enum TokenKind
{
	TOKEN_END,
	TOKEN_INVALID,				/* a character that starts no token */
	TOKEN_IDENT,
	TOKEN_NAME,					/* #n */
	TOKEN_VALUE,				/* :v */
	TOKEN_DIGITS,
	TOKEN_EQ,
	TOKEN_NE,
	TOKEN_LT,
	TOKEN_LE,
	TOKEN_GT,
	TOKEN_GE,
	TOKEN_PLUS,
	TOKEN_MINUS,
	TOKEN_DOT,
	TOKEN_COMMA,
	TOKEN_LPAREN,
	TOKEN_RPAREN,
	TOKEN_LBRACKET,
	TOKEN_RBRACKET
} TokenKind;

typedef struct Token
{
	TokenKind	kind;
	Slice		text;			/* empty at the end */
} Token;

/* Returns the token at or after this byte, skipping white space. */
extern Token ScanToken(Slice text, uint32 from);

/* Whether an identifier is this upper-case word, ignoring case. */
extern bool TokenIsWord(const Token *token, const char *word);

#endif							/* DYNAMO_SCANNER_H */
