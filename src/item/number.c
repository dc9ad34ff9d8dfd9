/*
 * number.c
 *	  DynamoDB numbers: text to the encoding of number.h and back.
 *
 * Text is read into decimal digits and the exponent of the first digit,
 * without leading and trailing zeros; all limits are checked on these two.
 * The digits are then paired at the decimal point.
 */
#include "postgres.h"

#include "common/int.h"
#include "item/number.h"

#define MAX_DIGITS			38
#define MAX_EXPONENT		125 /* of the first digit */
#define MIN_EXPONENT		(-130)

#define ZERO_BYTE			0x80
#define POSITIVE_EXPONENT	0xC1	/* plus the base-100 exponent */
#define NEGATIVE_EXPONENT	0x3E	/* minus it */
#define NEGATIVE_PAIR		101 /* minus the pair */
#define NEGATIVE_END		102

/* Larger than any valid exponent; keeps sums of exponents from overflowing. */
#define EXPONENT_BOUND		1000000000

/* Decimal digits d.ddd times ten to the exponent. */
typedef struct Decimal
{
	bool		negative;
	int			ndigits;		/* 0: zero */
	int			exponent;		/* of the first digit */
	uint8		digits[MAX_DIGITS + 1]; /* [ndigits] may be read: it is 0 */
} Decimal;

static const char pair_text[] =
"00010203040506070809" "10111213141516171819"
"20212223242526272829" "30313233343536373839"
"40414243444546474849" "50515253545556575859"
"60616263646566676869" "70717273747576777879"
"80818283848586878889" "90919293949596979899";

/* ---- text to encoding ---- */

/* Reads "e+12" at p, up to end; false if it is malformed. */
static bool
ReadExponent(const char *p, const char *end, int64 *exponent)
{
	bool		negative = false;
	int64		value = 0;

	*exponent = 0;
	if (p == end)
		return true;
	if (*p != 'e' && *p != 'E')
		return false;
	p++;
	if (p < end && (*p == '+' || *p == '-'))
		negative = *p++ == '-';
	if (p == end)
		return false;
	for (; p < end; p++)
	{
		if (*p < '0' || *p > '9')
			return false;
		if (value < EXPONENT_BOUND)
			value = value * 10 + (*p - '0');
	}
	*exponent = negative ? -value : value;
	return true;
}

/*
 * Checks a zero by the rule for the service's decimals: 0e126 is out of range.
 */
static NumberStatus
CheckZero(int64 scale)
{
	if (scale > MAX_EXPONENT)
		return NUMBER_OVERFLOW;
	if (scale < MIN_EXPONENT)
		return NUMBER_UNDERFLOW;
	return NUMBER_OK;
}

static NumberStatus
CheckDecimal(int64 exponent, int64 ndigits)
{
	if (exponent > MAX_EXPONENT)
		return NUMBER_OVERFLOW;
	if (exponent < MIN_EXPONENT)
		return NUMBER_UNDERFLOW;
	if (ndigits > MAX_DIGITS)
		return NUMBER_TOO_MANY_DIGITS;
	return NUMBER_OK;
}

/*
 * Copies the digits from first to last to d, without a decimal point among
 * them.  There are at most MAX_DIGITS.
 */
static void
CopyDigits(Decimal *d, const char *first, const char *last)
{
	d->ndigits = 0;
	for (const char *p = first; p <= last; p++)
	{
		if (*p != '.')
			d->digits[d->ndigits++] = (uint8) (*p - '0');
	}
	d->digits[d->ndigits] = 0;
}

static NumberStatus
ParseDecimal(const char *text, uint32 text_len, Decimal *d)
{
	const char *p = text;
	const char *end = text + text_len;
	const char *point = NULL;	/* the decimal point, or the end of the
								 * mantissa */
	const char *first = NULL;	/* first and last nonzero digit */
	const char *last = NULL;
	int64		exponent;
	int64		span;
	bool		any = false;
	NumberStatus status;

	if (p == end)
		return NUMBER_EMPTY;
	d->negative = *p == '-';
	if (*p == '-' || *p == '+')
		p++;

	for (; p < end; p++)
	{
		if (*p >= '0' && *p <= '9')
		{
			any = true;
			if (*p != '0')
			{
				last = p;
				if (first == NULL)
					first = p;
			}
		}
		else if (*p == '.' && point == NULL)
			point = p;
		else
			break;
	}
	if (!any || !ReadExponent(p, end, &exponent))
		return NUMBER_MALFORMED;

	if (first == NULL)
	{
		d->ndigits = 0;
		d->exponent = 0;
		return CheckZero(exponent - (point == NULL ? 0 : p - point - 1));
	}

	if (point == NULL)
		point = p;
	exponent += first < point ? point - first - 1 : point - first;
	span = last - first + 1;
	if (first < point && point < last)
		span--;
	status = CheckDecimal(exponent, span);
	if (status != NUMBER_OK)
		return status;
	d->exponent = (int) exponent;
	CopyDigits(d, first, last);
	return NUMBER_OK;
}

/* The floor of exponent / 2. */
static inline int
PairExponent(int exponent)
{
	return exponent >= 0 ? exponent / 2 : -((1 - exponent) / 2);
}

static uint32
EncodeDecimal(const Decimal *d, uint8 *out)
{
	uint8	   *p = out;
	int			e = PairExponent(d->exponent);
	int			i = 0;

	if (d->ndigits == 0)
	{
		*p = ZERO_BYTE;
		return 1;
	}

	*p++ = (uint8) (d->negative ? NEGATIVE_EXPONENT - e : POSITIVE_EXPONENT + e);

	/* With an even exponent the first pair has one digit. */
	if (d->exponent == 2 * e)
	{
		int			pair = d->digits[i++];

		*p++ = (uint8) (d->negative ? NEGATIVE_PAIR - pair : pair + 1);
	}
	while (i < d->ndigits)
	{
		int			pair = d->digits[i] * 10 + d->digits[i + 1];

		i += 2;
		*p++ = (uint8) (d->negative ? NEGATIVE_PAIR - pair : pair + 1);
	}
	if (d->negative)
		*p++ = NEGATIVE_END;
	return (uint32) (p - out);
}

/*
 * Reads an integer of few digits, as most numbers are.  False if the text
 * contains anything but digits.
 */
static inline bool
ReadSmallInteger(const char *text, uint32 len, int64 *value)
{
	uint64		result = 0;
	uint32		i = 0;

	if (text[0] == '-')
		i = 1;
	if (len == i || len > 18)
		return false;
	for (; i < len; i++)
	{
		uint8		digit = (uint8) (text[i] - '0');

		if (digit > 9)
			return false;
		result = result * 10 + digit;
	}
	*value = text[0] == '-' ? -(int64) result : (int64) result;
	return true;
}

NumberStatus
NumberFromText(const char *text, uint32 text_len, uint8 *out, uint32 *len)
{
	Decimal		d;
	int64		small;
	NumberStatus status;

	if (text_len == 0)
		return NUMBER_EMPTY;
	if (ReadSmallInteger(text, text_len, &small))
	{
		*len = NumberFromInt64(small, out);
		return NUMBER_OK;
	}

	status = ParseDecimal(text, text_len, &d);
	if (status == NUMBER_OK)
		*len = EncodeDecimal(&d, out);
	return status;
}

uint32
NumberFromInt64(int64 value, uint8 *out)
{
	uint8		pairs[10];		/* last pair first */
	uint64		rest = value < 0 ? -(uint64) value : (uint64) value;
	uint8	   *p = out;
	int			n = 0;
	int			zeros = 0;

	if (rest == 0)
	{
		*out = ZERO_BYTE;
		return 1;
	}

	while (rest > 0)
	{
		pairs[n++] = rest % 100;
		rest /= 100;
	}
	while (pairs[zeros] == 0)
		zeros++;

	if (value > 0)
	{
		*p++ = (uint8) (POSITIVE_EXPONENT + n - 1);
		for (int i = n - 1; i >= zeros; i--)
			*p++ = pairs[i] + 1;
	}
	else
	{
		*p++ = (uint8) (NEGATIVE_EXPONENT - (n - 1));
		for (int i = n - 1; i >= zeros; i--)
			*p++ = NEGATIVE_PAIR - pairs[i];
		*p++ = NEGATIVE_END;
	}
	return (uint32) (p - out);
}

/* ---- encoding to text ---- */

/* The parts of an encoding. */
typedef struct Pairs
{
	bool		negative;
	int			exponent;		/* base 100, of the first pair */
	int			n;
	const uint8 *bytes;
} Pairs;

static inline void
OpenPairs(const uint8 *number, uint32 len, Pairs *p)
{
	Assert(len >= 2);
	p->negative = number[0] < ZERO_BYTE;
	p->bytes = number + 1;
	if (p->negative)
	{
		p->exponent = NEGATIVE_EXPONENT - number[0];
		p->n = (int) len - 2;
	}
	else
	{
		p->exponent = number[0] - POSITIVE_EXPONENT;
		p->n = (int) len - 1;
	}
}

static inline int
PairAt(const Pairs *p, int i)
{
	return p->negative ? NEGATIVE_PAIR - p->bytes[i] : p->bytes[i] - 1;
}

static inline char *
PutPair(char *out, int pair)
{
	memcpy(out, pair_text + 2 * pair, 2);
	return out + 2;
}

/* Writes the first pair of an integer part, without a leading zero. */
static inline char *
PutFirstPair(char *out, int pair)
{
	if (pair < 10)
	{
		*out = (char) ('0' + pair);
		return out + 1;
	}
	return PutPair(out, pair);
}

/*
 * Writes the digits after the decimal point: the pairs from i on, without a
 * trailing zero.
 */
static char *
PutFraction(char *out, const Pairs *p, int i)
{
	for (; i < p->n; i++)
		out = PutPair(out, PairAt(p, i));
	return out[-1] == '0' ? out - 1 : out;
}

uint32
NumberToText(const uint8 *number, uint32 len, char *out)
{
	char	   *o = out;
	Pairs		p;
	int			i;

	if (len == 1)
	{
		*o = '0';
		return 1;
	}

	OpenPairs(number, len, &p);
	if (p.negative)
		*o++ = '-';

	if (p.exponent < 0)
	{
		int			zeros = 2 * (-p.exponent - 1);

		*o++ = '0';
		*o++ = '.';
		memset(o, '0', zeros);
		return (uint32) (PutFraction(o + zeros, &p, 0) - out);
	}

	o = PutFirstPair(o, PairAt(&p, 0));
	for (i = 1; i < p.n && i <= p.exponent; i++)
		o = PutPair(o, PairAt(&p, i));
	if (i <= p.exponent)
	{
		int			zeros = 2 * (p.exponent - i + 1);

		memset(o, '0', zeros);
		o += zeros;
	}
	else if (i < p.n)
	{
		*o++ = '.';
		o = PutFraction(o, &p, i);
	}
	return (uint32) (o - out);
}

/* Powers of ten that a double holds exactly, and the greatest such integer. */
static const double exact_powers[] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
	1e17, 1e18, 1e19, 1e20, 1e21, 1e22
};

#define MAX_EXACT_INTEGER	(UINT64CONST(1) << 53)
#define MAX_EXACT_PAIRS		8

/* One exact integer and one exact power give a result that is rounded once. */
bool
NumberToShortDouble(const uint8 *number, uint32 len, double *value)
{
	Pairs		p;
	uint64		digits = 0;
	int			power;

	*value = 0;
	if (len == 1)
		return true;
	OpenPairs(number, len, &p);
	power = 2 * (p.exponent - p.n + 1);
	if (p.n > MAX_EXACT_PAIRS || abs(power) >= (int) lengthof(exact_powers))
		return false;
	for (int i = 0; i < p.n; i++)
		digits = digits * 100 + PairAt(&p, i);
	if (digits > MAX_EXACT_INTEGER)
		return false;
	*value = power < 0 ? digits / exact_powers[-power] : digits * exact_powers[power];
	if (p.negative)
		*value = -*value;
	return true;
}

bool
NumberToInt64(const uint8 *number, uint32 len, int64 *value)
{
	Pairs		p;
	int64		result = 0;

	if (len == 1)
	{
		*value = 0;
		return true;
	}

	OpenPairs(number, len, &p);
	if (p.exponent < p.n - 1 || p.exponent > 9)
		return false;

	/*
	 * Accumulate a negative number, because the least int64 has no positive
	 * counterpart.
	 */
	for (int i = 0; i <= p.exponent; i++)
	{
		int			pair = i < p.n ? PairAt(&p, i) : 0;

		if (pg_mul_s64_overflow(result, 100, &result) ||
			pg_add_s64_overflow(result, p.negative ? -pair : pair, &result))
			return false;
	}
	*value = result;
	return true;
}

#define SCALED_MAX_PAIRS	9		/* 18 digits, which fit */
#define SCALED_MAX_SCALE	38

bool
NumberToScaledInt64(const uint8 *number, uint32 len, int64 *value, int *scale)
{
	Pairs		p;
	int64		result = 0;

	if (len == 1)
		return false;
	OpenPairs(number, len, &p);
	*scale = 2 * (p.n - 1 - p.exponent);
	if (p.n > SCALED_MAX_PAIRS || *scale <= 0 || *scale > SCALED_MAX_SCALE)
		return false;
	for (int i = 0; i < p.n; i++)
		result = result * 100 + PairAt(&p, i);
	if (result % 10 == 0)
	{
		result /= 10;
		(*scale)--;
	}
	*value = p.negative ? -result : result;
	return true;
}

/* ---- others ---- */

/* Counts the digits of the pairs, without leading and trailing zeros. */
static int
SignificantDigits(const Pairs *p)
{
	int			n = 2 * p->n;

	if (PairAt(p, 0) < 10)
		n--;
	if (PairAt(p, p->n - 1) % 10 == 0)
		n--;
	return n;
}

bool
NumberIsValid(const uint8 *number, uint32 len)
{
	Pairs		p;
	int			exponent;

	if (len == 1)
		return number[0] == ZERO_BYTE;
	if (len < 2 || len > NUMBER_MAX_BYTES)
		return false;

	OpenPairs(number, len, &p);
	if (p.n < 1 || (p.negative && number[len - 1] != NEGATIVE_END))
		return false;
	for (int i = 0; i < p.n; i++)
	{
		int			pair = PairAt(&p, i);

		if (pair < 0 || pair > 99)
			return false;
	}
	if (PairAt(&p, 0) == 0 || PairAt(&p, p.n - 1) == 0)
		return false;

	exponent = 2 * p.exponent + (PairAt(&p, 0) >= 10 ? 1 : 0);
	return CheckDecimal(exponent, SignificantDigits(&p)) == NUMBER_OK;
}

const char *
NumberErrorMessage(NumberStatus status, bool in_set)
{
	switch (status)
	{
		case NUMBER_EMPTY:
		case NUMBER_MALFORMED:
			return status == NUMBER_EMPTY && !in_set ? "The parameter cannot be converted to a numeric value" :
				"The parameter cannot be converted to a numeric value: ";
		case NUMBER_OVERFLOW:
			return "Number overflow. Attempting to store a number with magnitude larger than supported range";
		case NUMBER_UNDERFLOW:
			return "Number underflow. Attempting to store a number with magnitude smaller than supported range";
		case NUMBER_TOO_MANY_DIGITS:
			return "Attempting to store more than 38 significant digits in a Number";
		case NUMBER_OK:
			break;
	}
	elog(ERROR, "no error for number status %d", (int) status);
}
