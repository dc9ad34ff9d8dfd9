/*
 * json_scan.h
 *	  Scans JSON strings 8 or 16 bytes at a time.  Private to item/.
 */
#ifndef DYNAMO_JSON_SCAN_H
#define DYNAMO_JSON_SCAN_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "port/pg_bitutils.h"

#define SCAN_ONES	UINT64CONST(0x0101010101010101)
#define SCAN_HIGHS	UINT64CONST(0x8080808080808080)

/*
 * Marks the bytes (with their high bits) that are a quote, a backslash or a
 * control character.  Bytes above the first marked one may be marked in error;
 * the first mark is always right.
 *
 * Flipping the second bit moves the quote next to the control characters, and
 * the blank away from them, so that one comparison finds both.
 */
static inline uint64
ScanSpecial(uint64 word)
{
	uint64		low = (word ^ SCAN_ONES * 0x02) - SCAN_ONES * 0x21;
	uint64		backslash = (word ^ SCAN_ONES * '\\') - SCAN_ONES;

	return (low | backslash) & ~word & SCAN_HIGHS;
}

#ifdef __SSE2__
/*
 * Returns a bit for each of sixteen bytes that is a quote, a backslash or a
 * control character.
 */
static inline uint32
ScanSpecial16(__m128i bytes)
{
	__m128i		quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
	__m128i		backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
	__m128i		control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);

	return (uint32) _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control));
}
#endif

static inline bool
IsSpecial(char c)
{
	return c == '"' || c == '\\' || (uint8) c < 0x20;
}

/*
 * Returns the first special byte from p on, or end.  Sets a bit of SCAN_HIGHS
 * in *high, which is never cleared, if there are non-ASCII bytes before it.
 */
static inline const char *
ScanToSpecial(const char *p, const char *end, uint64 *high)
{
#ifdef __SSE2__
	while (end - p >= 16)
	{
		__m128i		bytes = _mm_loadu_si128((const __m128i *) p);
		uint32		special = ScanSpecial16(bytes);
		uint32		highs = (uint32) _mm_movemask_epi8(bytes);

		/* Only bytes below the first mark count. */
		if (unlikely((highs & (special - 1) & ~special) != 0))
			*high |= SCAN_HIGHS;
		if (special != 0)
			return p + pg_rightmost_one_pos32(special);
		p += 16;
	}
#endif
	while (end - p >= 8)
	{
		uint64		word;
		uint64		special;

		memcpy(&word, p, 8);
		special = ScanSpecial(word);
		if (special == 0)
		{
			*high |= word;
			p += 8;
			continue;
		}
#ifndef WORDS_BIGENDIAN
		/* Only bytes below the first mark count. */
		*high |= word & ((special & -special) - 1);
		return p + pg_rightmost_one_pos64(special) / 8;
#else
		break;
#endif
	}
	for (; p < end && !IsSpecial(*p); p++)
		*high |= (uint8) *p;
	return p;
}

#endif							/* DYNAMO_JSON_SCAN_H */
