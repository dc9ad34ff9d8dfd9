/*
 * scanner.c
 *	  The scanner of expressions.
 *
 * It works on slices of the text, has no state and raises no errors.  Invalid
 * text becomes TOKEN_INVALID, which the parser reports.
 */
#include "postgres.h"

#include "expr/scanner.h"
#include "expr/words.h"

static inline bool
IsSpace(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static inline bool
IsDigit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
IsLetter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool
IsWordPart(char c)
{
	return IsLetter(c) || IsDigit(c) || c == '_';
}

/* The number of word characters at p. */
static uint32
WordLength(const char *p, const char *end)
{
	const char *start = p;

	while (p < end && IsWordPart(*p))
		p++;
	return p - start;
}

static uint32
DigitsLength(const char *p, const char *end)
{
	const char *start = p;

	while (p < end && IsDigit(*p))
		p++;
	return p - start;
}

/* Scans #n or :v.  A lone "#" or ":" is invalid. */
static Token
ScanPlaceholder(TokenKind kind, const char *p, const char *end)
{
	uint32		len = WordLength(p + 1, end);

	if (len == 0)
		kind = TOKEN_INVALID;
	return (Token) {kind, {p, len + 1}};
}

/* Scans "<", "<=", "<>", ">" or ">=". */
static Token
ScanOrdering(const char *p, const char *end)
{
	bool		less = *p == '<';
	char		second = p + 1 < end ? p[1] : '\0';

	if (second == '=')
		return (Token) {less ? TOKEN_LE : TOKEN_GE, {p, 2}};
	if (less && second == '>')
		return (Token) {TOKEN_NE, {p, 2}};
	return (Token) {less ? TOKEN_LT : TOKEN_GT, {p, 1}};
}

static TokenKind
PunctuationKind(char c)
{
	switch (c)
	{
		case '=':
			return TOKEN_EQ;
		case '+':
			return TOKEN_PLUS;
		case '-':
			return TOKEN_MINUS;
		case '.':
			return TOKEN_DOT;
		case ',':
			return TOKEN_COMMA;
		case '(':
			return TOKEN_LPAREN;
		case ')':
			return TOKEN_RPAREN;
		case '[':
			return TOKEN_LBRACKET;
		case ']':
			return TOKEN_RBRACKET;
		default:
			return TOKEN_INVALID;
	}
}

/* The length of the UTF-8 character that starts with this byte. */
static uint32
CharacterLength(unsigned char first)
{
	if (first < 0xC0)
		return 1;
	if (first < 0xE0)
		return 2;
	return first < 0xF0 ? 3 : 4;
}

/* Scans a token of one character, or an invalid character. */
static Token
ScanPunctuation(const char *p, const char *end)
{
	TokenKind	kind = PunctuationKind(*p);
	uint32		len = 1;

	/* Error messages must not cut a multibyte character. */
	if (kind == TOKEN_INVALID)
		len = Min(CharacterLength((unsigned char) *p), end - p);
	return (Token) {kind, {p, len}};
}

Token
ScanToken(Slice text, uint32 from)
{
	const char *end = text.data + text.len;
	const char *p = text.data + from;

	while (p < end && IsSpace(*p))
		p++;
	if (p >= end)
		return (Token) {TOKEN_END, {end, 0}};
	if (IsLetter(*p))
		return (Token) {TOKEN_IDENT, {p, WordLength(p, end)}};
	if (IsDigit(*p))
		return (Token) {TOKEN_DIGITS, {p, DigitsLength(p, end)}};
	if (*p == '#')
		return ScanPlaceholder(TOKEN_NAME, p, end);
	if (*p == ':')
		return ScanPlaceholder(TOKEN_VALUE, p, end);
	if (*p == '<' || *p == '>')
		return ScanOrdering(p, end);
	return ScanPunctuation(p, end);
}

bool
TokenIsWord(const Token *token, const char *word)
{
	return token->kind == TOKEN_IDENT && WordIs(token->text, word);
}
