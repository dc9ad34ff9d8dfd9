/*
 * partiql_scan.c
 *	  The scanner of statements.
 *
 * It works on slices of the text, has no state and raises no errors.  Invalid
 * text becomes PT_INVALID or PT_UNFINISHED, which the parser reports.
 */
#include "postgres.h"

#include "expr/words.h"
#include "partiql/partiql_scan.h"

static inline bool
IsPartiqlSpace(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static inline bool
IsPartiqlDigit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
StartsWord(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static inline bool
IsAt(const char *p, const char *end, const char *text)
{
	size_t		len = strlen(text);

	return (size_t) (end - p) >= len && memcmp(p, text, len) == 0;
}

/* ---- white space ---- */

static const char *
SkipLine(const char *p, const char *end)
{
	while (p < end && *p != '\n')
		p++;
	return p;
}

/* Returns the end of a comment; NULL if the comment is not terminated. */
static const char *
SkipComment(const char *p, const char *end)
{
	for (p += 2; p < end; p++)
	{
		if (IsAt(p, end, "*/"))
			return p + 2;
	}
	return NULL;
}

/* Returns the start of the next token or of an unterminated comment. */
static const char *
SkipSpace(const char *p, const char *end)
{
	while (p < end)
	{
		const char *behind;

		if (IsPartiqlSpace(*p))
			p++;
		else if (IsAt(p, end, "--"))
			p = SkipLine(p, end);
		else if (IsAt(p, end, "/*") && (behind = SkipComment(p, end)) != NULL)
			p = behind;
		else
			break;
	}
	return p;
}

/* ---- tokens ---- */

static PartiqlToken
ScanWord(const char *p, const char *end)
{
	const char *start = p;

	while (p < end && (StartsWord(*p) || IsPartiqlDigit(*p)))
		p++;
	return (PartiqlToken) {PT_WORD, {start, p - start}};
}

/*
 * Scans digits [. digits] [e [sign] digits], or the same starting with the
 * dot.
 */
static PartiqlToken
ScanNumber(const char *p, const char *end)
{
	const char *start = p;
	const char *exponent;

	while (p < end && IsPartiqlDigit(*p))
		p++;
	if (p < end && *p == '.')
	{
		p++;
		while (p < end && IsPartiqlDigit(*p))
			p++;
	}
	if (p < end && (*p == 'e' || *p == 'E'))
	{
		exponent = p + 1;
		if (exponent < end && (*exponent == '+' || *exponent == '-'))
			exponent++;
		if (exponent < end && IsPartiqlDigit(*exponent))
		{
			p = exponent;
			while (p < end && IsPartiqlDigit(*p))
				p++;
		}
	}
	return (PartiqlToken) {PT_NUMBER, {start, p - start}};
}

/*
 * The exponent, and the exponent of the last digit, must be integers of 32 bits
 * to the service's scanner.
 */
bool
PartiqlNumberFits(Slice number)
{
	const char *end = number.data + number.len;
	const char *p = number.data;
	int64		fraction = 0;
	int64		exponent = 0;
	bool		point = false;
	bool		negative;

	for (; p < end && *p != 'e' && *p != 'E'; p++)
	{
		fraction += point;
		point = point || *p == '.';
	}
	if (p == end)
		return true;
	negative = *++p == '-';
	for (p += negative || *p == '+'; p < end; p++)
	{
		exponent = exponent * 10 + (*p - '0');
		if (exponent > PG_INT32_MAX)
			return false;
	}
	return !negative || exponent + fraction <= PG_INT32_MAX;
}

/* Scans a quoted string or name; a quote inside is doubled. */
static PartiqlToken
ScanQuoted(PartiqlTokenKind kind, const char *p, const char *end)
{
	const char *start = p;
	char		quote = *p++;

	for (; p < end; p++)
	{
		if (*p != quote)
			continue;
		if (p + 1 < end && p[1] == quote)
			p++;
		else
			return (PartiqlToken) {kind, {start, p + 1 - start}};
	}
	return (PartiqlToken) {PT_UNFINISHED, {start, end - start}};
}

static const struct
{
	const char *text;
	PartiqlTokenKind kind;
}			symbols[] = {
	/* Tokens of two characters come first. */
	{"<<", PT_LSET},
	{">>", PT_RSET},
	{"<=", PT_LE},
	{">=", PT_GE},
	{"<>", PT_NE},
	{"!=", PT_NE},
	{"<", PT_LT},
	{">", PT_GT},
	{"=", PT_EQ},
	{"+", PT_PLUS},
	{"-", PT_MINUS},
	{"*", PT_STAR},
	{".", PT_DOT},
	{",", PT_COMMA},
	{":", PT_COLON},
	{";", PT_SEMICOLON},
	{"?", PT_PARAMETER},
	{"(", PT_LPAREN},
	{")", PT_RPAREN},
	{"[", PT_LBRACKET},
	{"]", PT_RBRACKET},
	{"{", PT_LBRACE},
	{"}", PT_RBRACE},
};

/* Returns the whole UTF-8 character that starts no token. */
static PartiqlToken
ScanInvalid(const char *p, const char *end)
{
	const char *start = p++;

	while (p < end && ((unsigned char) *p & 0xC0) == 0x80)
		p++;
	return (PartiqlToken) {PT_INVALID, {start, p - start}};
}

static PartiqlToken
ScanSymbol(const char *p, const char *end)
{
	for (size_t i = 0; i < lengthof(symbols); i++)
	{
		if (IsAt(p, end, symbols[i].text))
			return (PartiqlToken) {symbols[i].kind, {p, strlen(symbols[i].text)}};
	}
	if (IsAt(p, end, "/*"))
		return (PartiqlToken) {PT_UNFINISHED, {p, end - p}};
	return ScanInvalid(p, end);
}

PartiqlToken
PartiqlScan(Slice text, uint32 from)
{
	const char *end = text.data + text.len;
	const char *p = SkipSpace(text.data + from, end);

	if (p >= end)
		return (PartiqlToken) {PT_END, {end, 0}};
	if (StartsWord(*p))
		return ScanWord(p, end);
	if (IsPartiqlDigit(*p) || (*p == '.' && p + 1 < end && IsPartiqlDigit(p[1])))
		return ScanNumber(p, end);
	if (*p == '\'')
		return ScanQuoted(PT_STRING, p, end);
	if (*p == '"')
		return ScanQuoted(PT_NAME, p, end);
	return ScanSymbol(p, end);
}

bool
PartiqlIsWord(const PartiqlToken *token, const char *word)
{
	return token->kind == PT_WORD && WordIs(token->text, word);
}

Slice
PartiqlUnquote(const PartiqlToken *token)
{
	char		quote = token->text.data[0];
	Slice		inner = {token->text.data + 1, token->text.len - 2};
	char	   *copy;
	uint32		len = 0;

	if (inner.len == 0 || memchr(inner.data, quote, inner.len) == NULL)
		return inner;
	copy = palloc(inner.len);
	for (uint32 i = 0; i < inner.len; i++)
	{
		copy[len++] = inner.data[i];
		if (inner.data[i] == quote)
			i++;				/* the scanner has checked that it is doubled */
	}
	return (Slice) {copy, len};
}
