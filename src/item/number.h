/*
 * number.h
 *	  DynamoDB numbers: 38 significant digits, 1E-130 to 9.99...E+125.
 *
 * The encoding is base 100 with pairs aligned on the decimal point.  memcmp
 * (then length) gives numeric order, and the number of bytes is the number's
 * size by the service's rules:
 *
 *		zero		0x80
 *		positive	0xC1 + e, then each pair as value + 1
 *		negative	0x3E - e, then each pair as 101 - value, then 102
 *
 * e is the base-100 exponent of the first pair (value = 0.. in
 * pair1 * 100^e + pair2 * 100^(e-1) + ...), -65 <= e <= 62.  Leading and
 * trailing zero pairs are dropped, so every number has one encoding.
 * 100 is C1+1 02, that is two bytes; 1 is C1 02.
 */
#ifndef DYNAMO_NUMBER_H
#define DYNAMO_NUMBER_H

#include "utils/numeric.h"

#include "compat.h"

#define NUMBER_MAX_BYTES	22	/* exponent, 20 pairs, terminator */
#define NUMBER_MAX_TEXT		172 /* sign, "0.", 129 zeros, 38 digits, NUL */

typedef enum NumberStatus
{
	NUMBER_OK,
	NUMBER_EMPTY,				/* empty text */
	NUMBER_MALFORMED,
	NUMBER_OVERFLOW,
	NUMBER_UNDERFLOW,
	NUMBER_TOO_MANY_DIGITS
} NumberStatus;

/* Encodes text; writes *len bytes to out[NUMBER_MAX_BYTES]. */
extern NumberStatus NumberFromText(const char *text, uint32 text_len,
								   uint8 *out, uint32 *len);

/*
 * The service's message for a status other than NUMBER_OK.  The text must be
 * appended to a message that ends in ": ".  in_set: for a member of a number
 * set.
 */
extern const char *NumberErrorMessage(NumberStatus status, bool in_set);

/*
 * Writes the canonical text (plain decimal, no exponent) to
 * out[NUMBER_MAX_TEXT], without a NUL; returns its length.
 */
extern uint32 NumberToText(const uint8 *number, uint32 len, char *out);

/* Returns false if the number is not an integer or out of range. */
extern bool NumberToInt64(const uint8 *number, uint32 len, int64 *value);

/*
 * Returns a number with a fraction as an integer and the number of its last digits
 * that are the fraction, which does not end with 0; false for other numbers, and for
 * those with too many digits.
 */
extern bool NumberToScaledInt64(const uint8 *number, uint32 len, int64 *value, int *scale);
extern uint32 NumberFromInt64(int64 value, uint8 *out);

/*
 * Computes the double that is nearest to a number with few digits, without
 * going through text; false for other numbers.
 */
extern bool NumberToShortDouble(const uint8 *number, uint32 len, double *value);

/* Returns a palloc'd numeric; and converts one, like NumberFromText. */
extern Numeric NumberToNumeric(const uint8 *number, uint32 len);
extern NumberStatus NumberFromNumeric(Numeric num, uint8 *out, uint32 *len);

/*
 * Computes the exact sum or difference; NUMBER_OVERFLOW also for more than 38
 * digits.
 */
extern NumberStatus NumberAdd(const uint8 *a, uint32 alen,
							  const uint8 *b, uint32 blen,
							  bool subtract, uint8 *out, uint32 *len);

/* Whether bytes are a canonical encoding. */
extern bool NumberIsValid(const uint8 *number, uint32 len);

#endif							/* DYNAMO_NUMBER_H */
