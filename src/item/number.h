/*
 * number.h
 *	  DynamoDB numbers: 38 significant digits, 1E-130 to 9.99...E+125.
 *
 * The encoding is base 100, pairs aligned on the decimal point, such that
 * memcmp (then length) gives numeric order and the number of bytes is the
 * service's own size of the number:
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
	NUMBER_EMPTY,				/* no text */
	NUMBER_MALFORMED,
	NUMBER_OVERFLOW,
	NUMBER_UNDERFLOW,
	NUMBER_TOO_MANY_DIGITS
} NumberStatus;

/* Encodes text; *len bytes are written to out[NUMBER_MAX_BYTES]. */
extern NumberStatus NumberFromText(const char *text, uint32 text_len,
								   uint8 *out, uint32 *len);

/*
 * The service's words for a status that is not NUMBER_OK; a message that ends
 * in ": " wants the text behind it.  in_set: for a member of a number set.
 */
extern const char *NumberErrorMessage(NumberStatus status, bool in_set);

/* Raises the service's error for a status that is not NUMBER_OK. */
extern void NumberError(NumberStatus status, const char *text, uint32 text_len)
			pg_attribute_noreturn();

/*
 * Writes the canonical text (plain decimal, no exponent) to
 * out[NUMBER_MAX_TEXT], without a NUL; returns its length.
 */
extern uint32 NumberToText(const uint8 *number, uint32 len, char *out);

/* False if it is no integer or does not fit. */
extern bool NumberToInt64(const uint8 *number, uint32 len, int64 *value);
extern uint32 NumberFromInt64(int64 value, uint8 *out);

/* A numeric, palloc'd; from one, as NumberFromText. */
extern Numeric NumberToNumeric(const uint8 *number, uint32 len);
extern NumberStatus NumberFromNumeric(Numeric num, uint8 *out, uint32 *len);

/* Exact sum (or difference); NUMBER_OVERFLOW also for more than 38 digits. */
extern NumberStatus NumberAdd(const uint8 *a, uint32 alen,
							  const uint8 *b, uint32 blen,
							  bool subtract, uint8 *out, uint32 *len);

/* Whether bytes are a canonical encoding. */
extern bool NumberIsValid(const uint8 *number, uint32 len);

#endif							/* DYNAMO_NUMBER_H */
